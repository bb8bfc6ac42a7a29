"""The intervals of Bayle et al. 2020 against the numbers of the authors' formulas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest import Predictions, Target, estimate
from earnest.inference import case_values, variance_of_mean
from earnest.methods import HoldOut
from earnest.metrics import REGRESSION, MomentMetric, Moments, Need, ratio
from earnest.results import Estimate

KNOWN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "bayle.json").read_text(encoding="utf-8")
)
PROBLEMS = [name for name in KNOWN if name != "provenance"]
VARYING = [name for name in PROBLEMS if not name.endswith("allzero")]
PROCEDURES = {
    "sigma_in": "bayle_within_fold",
    "sigma_out": "bayle_all_pairs",
    "hold_out": HoldOut(interval="normal"),
}
EXACT = 1e-12


def _given(target: Target, value: np.ndarray, centre: Any) -> Moments:
    return Moments(value.astype(np.float64)[None], np.ones((1, target.n)))


LOSS = MomentMetric(
    name="given_loss",
    title="given loss",
    greater_is_better=False,
    limits=(-np.inf, np.inf),
    needs=Need.VALUE,
    tasks=REGRESSION,
    features=_given,
    combine=lambda own, shared: ratio(own[0], shared[0]),
    mean_of_cases=True,
)


def predictions(problem: str) -> Predictions:
    """Return the losses of a problem as the predictions of a regression, k folds in a row."""
    known = KNOWN[problem]
    n, k = known["n"], known["k"]
    fold = np.arange(n) // (n // k)
    losses = np.array(known["losses_in_fold_order"])
    return Predictions.from_arrays(np.zeros(n), losses, fold, task="regression")


def made(problem: str, procedure: str, side: str = "two-sided") -> Estimate:
    return estimate(predictions(problem), method=PROCEDURES[procedure], metric=LOSS, side=side)


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("problem", VARYING)
def test_center_scale_and_interval_are_the_published_ones(problem: str, procedure: str) -> None:
    known, ours = KNOWN[problem]["results"][procedure], made(problem, procedure)
    assert ours.value == pytest.approx(known["center"], abs=EXACT)
    assert ours.standard_error == pytest.approx(known["scale"], abs=EXACT)
    assert ours.interval is not None
    ends = [ours.interval.low, ours.interval.high]
    assert ends == pytest.approx(known["ci95"], abs=EXACT)


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("problem", VARYING)
def test_one_sided_bounds_and_the_test_are_the_published_ones(problem: str, procedure: str) -> None:
    known = KNOWN[problem]["results"][procedure]
    upper, lower = made(problem, procedure, "upper"), made(problem, procedure).at(side="lower")
    assert upper.interval is not None
    assert lower.interval is not None
    assert upper.interval.high == pytest.approx(known["upper95_one_sided"], abs=EXACT)
    assert lower.interval.low == pytest.approx(known["lower95_one_sided"], abs=EXACT)
    assert (upper.interval.high < 0.0) == known["reject_H0_R_ge_0"]


@pytest.mark.parametrize(
    ("procedure", "kind"), [("sigma_in", "within_fold"), ("sigma_out", "all_pairs")]
)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_sigma_is_the_published_one(problem: str, procedure: str, kind: str) -> None:
    cases = case_values(predictions(problem), LOSS)
    variance = variance_of_mean(cases.terms[:, 0], cases.folds, None, kind)
    sigma = KNOWN[problem]["results"][procedure]["sigma"]
    assert (variance * KNOWN[problem]["n"]) ** 0.5 == pytest.approx(sigma, abs=EXACT)


@pytest.mark.parametrize("procedure", ["sigma_in", "sigma_out"])
def test_where_the_published_interval_is_a_point_ours_is_none(procedure: str) -> None:
    # All 40 losses are 0: the published interval is [0, 0]. As labels under the error rate, ours
    # ends where 40 right labels would be seen with probability 2.5 %: 1 - 0.025^(1/40).
    problem = "zero_one_n40_k4_allzero"
    assert KNOWN[problem]["results"][procedure]["ci95"] == [0.0, 0.0]
    y = np.tile([0, 1], 20)
    pi = Predictions.from_arrays(y, y, np.arange(40) // 10, response="label")
    ours = estimate(pi, method=PROCEDURES[procedure], metric="error_rate")
    assert ours.value == 0.0
    assert ours.interval is not None
    assert ours.interval.low == 0.0
    assert ours.interval.high == pytest.approx(1 - 0.025 ** (1 / 40), abs=EXACT)
    assert "EN035" in {caution.code for caution in ours.cautions}
