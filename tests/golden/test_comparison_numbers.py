"""The tests of Bayle et al. 2020 against the numbers of the authors' formulas.

Losses are compared with zeros, so that the difference is the mean loss. The procedures that start
from errors of whole validation sets are given those errors as folds of one case.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en

KNOWN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "bayle.json").read_text(encoding="utf-8")
)
PROBLEMS = [name for name in KNOWN if name != "provenance"]
VARYING = [name for name in PROBLEMS if not name.endswith("allzero")]
EXACT = 1e-9  # the known numbers are rounded to about as much where errors were given
PROCEDURES = {
    "sigma_in": en.comparison.BayleTest(variance="within_fold"),
    "sigma_out": "bayle",
    "hold_out": "bayle",
    "cv_t": "cv_t",
    "fivex2": "five_by_two",
    "rep_tt": "resampled_t",
    "rep_tt_corrected": "corrected_t",
}


def losses(problem: str, procedure: str) -> en.Scores:
    known = KNOWN[problem]
    n, k = known["n"], known["k"]
    values, fold = np.array(known["losses_in_fold_order"]), np.arange(n) // (n // k)
    if procedure == "hold_out":
        values, fold = values[: n // k], None
    elif procedure == "fivex2":
        values = np.array(known["fold_errors_5x2"]).reshape(5, 2).T  # one row per fold
        fold = np.tile([[0], [1]], 5)
    elif procedure.startswith("rep_tt"):
        values = np.array(known["J_errors_rep_tt"])
        fold = np.arange(len(values))
    columns = {"h": values, "zero": np.zeros_like(values)}
    return en.Scores(columns, fold=fold, limits=(-np.inf, np.inf), greater_is_better=False)


def made(problem: str, procedure: str, alternative: str = "two-sided") -> en.results.Comparison:
    return en.compare(
        losses(problem, procedure),
        "h",
        "zero",
        test=PROCEDURES[procedure],
        alternative=alternative,
    )


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("problem", VARYING)
def test_centre_scale_and_interval_are_the_known_ones(problem: str, procedure: str) -> None:
    known, here = KNOWN[problem]["results"][procedure], made(problem, procedure)
    assert here.difference == pytest.approx(known["center"], abs=EXACT)
    assert here.standard_error == pytest.approx(known["scale"], abs=EXACT)
    assert here.interval is not None
    assert [here.interval.low, here.interval.high] == pytest.approx(known["ci95"], abs=EXACT)


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("problem", VARYING)
def test_bounds_and_the_test_of_improvement_are_the_known_ones(
    problem: str, procedure: str
) -> None:
    known = KNOWN[problem]["results"][procedure]
    less, greater = (made(problem, procedure, side) for side in ("less", "greater"))
    assert less.interval is not None
    assert greater.interval is not None
    assert less.interval.high == pytest.approx(known["upper95_one_sided"], abs=EXACT)
    assert greater.interval.low == pytest.approx(known["lower95_one_sided"], abs=EXACT)
    assert less.shown == known["reject_H0_R_ge_0"]


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("problem", [name for name in PROBLEMS if name not in VARYING])
def test_losses_that_are_all_0_show_nothing(problem: str, procedure: str) -> None:
    known, here = KNOWN[problem]["results"][procedure], made(problem, procedure, "less")
    assert here.difference == known["center"] == 0.0
    assert here.p_value == 1.0
    assert here.shown is known["reject_H0_R_ge_0"] is False


@pytest.mark.parametrize("problem", VARYING)
def test_the_ratio_of_a_split_corrects_as_its_folds_do(problem: str) -> None:
    known = KNOWN[problem]["results"]["rep_tt_corrected"]
    test = en.comparison.CorrectedTTest(ratio=1 / (KNOWN[problem]["k"] - 1))
    here = en.compare(losses(problem, "rep_tt"), "h", "zero", test=test)
    assert here.standard_error == pytest.approx(known["scale"], abs=EXACT)
