"""The experiments of tables 2 and 4 of Yousef 2022, some training sets at a time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.papers.yousef2022.as_printed import (
    Printed632Plus,
    find_error_of_cases,
    find_error_of_pairs,
)
from earnest import Replicates
from earnest.inference import LeftOutEstimate, Pairs, leave_one_out, leave_pair_out
from tests.validity.known_bootstrap import Trial, scores, trial

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "yousef.json").read_text("utf-8"))
PAIRS = Pairs(left=np.arange(20), right=np.arange(20, 40))
STRATA = np.repeat([1, 0], 20)
SHIFT = GOLDEN["table4"]["200"]["c"]
Rows = dict[str, NDArray[np.float64]]  # name -> (trials, 4): value and three standard errors


def table4(trials: int, replicates: int, seed: int) -> Rows:
    """Return estimates with standard errors: formula 48, centred, and corrected."""
    found: dict[str, list[list[float]]] = {}
    for number in range(trials):
        rng = np.random.default_rng([seed, number])
        made = trial(rng, per_class=20, features=4, shift=SHIFT, replicates=replicates)
        for name, mine, other in (
            ("AUC_LDA", made.linear, None),
            ("AUC_QDA", made.quadratic, None),
            ("AUC_diff", made.linear, made.quadratic),
        ):
            asked = {"other": other, "strata": STRATA}
            ours = leave_pair_out(mine, made.counts, PAIRS, **asked)
            theirs = find_error_of_pairs(mine, made.counts, STRATA == 1, other)
            found.setdefault(name, []).append(_row(ours, theirs))
        for name, row in error_rates(rng, replicates).items():
            found.setdefault(name, []).append(row)
    return {name: np.array(rows) for name, rows in found.items()}


def error_rates(rng: np.random.Generator, replicates: int) -> dict[str, list[float]]:
    """Return the leave-one-out error rates of another training set, all cases drawn together."""
    y = np.repeat([1, 0], 20)
    x = rng.standard_normal((40, 4)) + SHIFT * y[:, None]
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=replicates)
    enough = ((counts[:, :20] > 0).sum(axis=1) > 6) & ((counts[:, 20:] > 0).sum(axis=1) > 6)
    counts = counts[enough]
    rows = {}
    for name, score in zip(("ERR_LDA", "ERR_QDA"), scores(x, y, counts, x), strict=True):
        losses = ((score > 0) != (y == 1)).astype(np.float64)
        rows[name] = _row(leave_one_out(losses, counts), find_error_of_cases(losses, counts))
    return rows


def _row(ours: LeftOutEstimate, printed: float) -> list[float]:
    left = max(ours.raw_variance - ours.noise_variance, 0.0)
    return [ours.value, printed, ours.raw_variance**0.5, left**0.5]


def disagreement(rows: NDArray[np.float64], reference: dict[str, float], trials: int) -> float:
    """Return the largest distance of our means from the reference, in standard errors."""
    names = [("mean", "SD")] + [
        (f"E_se_{kind}", f"SD_se_{kind}") for kind in ("formula48", "direct", "corrected")
    ]
    far = []
    for column, (mean, spread) in zip(rows.T, names, strict=True):
        error = np.sqrt(column.var(ddof=1) / len(column) + reference[spread] ** 2 / trials)
        far.append(abs(column.mean() - reference[mean]) / error)
    return float(max(far))


def quadratic(made: Trial) -> Replicates:
    """Return the quadratic discriminant of a trial as replicates."""
    pi = en.Predictions.from_arrays(made.y, made.apparent, response="decision")
    return Replicates(
        target=pi.target,
        responses=made.quadratic,
        counts=made.counts,
        apparent=made.apparent,
        kind=pi.kind,
        drawn="stratified",
        learner="quadratic discriminant",
    )


def table2(
    trials: int, replicates: int, seed: int, *, fresh: int = 1000
) -> dict[str, list[en.results.Estimate]]:
    """Return the estimates of the AUC of a quadratic discriminant, and the truth as `true`."""
    asked = {
        "app": "apparent",
        "star": "err_star",
        "632": ".632",
        "632p_lit": Printed632Plus(),
        "632p_cont": ".632+",
        "lpob": "lpob",
    }
    found: dict[str, list[en.results.Estimate]] = {name: [] for name in asked} | {"true": []}
    for number in range(trials):
        rng = np.random.default_rng([seed, number])
        made = trial(rng, per_class=20, features=5, shift=0.4, replicates=replicates, fresh=fresh)
        for name, method in asked.items():
            answer = en.estimate(quadratic(made), method=method, metric="roc_auc")
            found[name].append(answer)
        found["true"].append(made.truth)  # type: ignore[arg-type]  # a number
    return found
