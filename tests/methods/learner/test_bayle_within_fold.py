"""The normal interval of a cross-validated score, with the variance within folds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.errors import EvidenceError
from earnest.methods import BayleWithinFold
from earnest.results import Estimate
from tests.snapshots import Golden

Z = 1.959963984540054
EXACT = 1e-12


def codes(made: Estimate) -> set[str]:
    return {caution.code for caution in made.cautions}


def slow_error(losses: np.ndarray, folds: np.ndarray) -> float:
    """Return sqrt(sum_j (n_j / n) s_j² / n), fold by fold."""
    n, total = len(losses), 0.0
    for fold in np.unique(folds):
        part = losses[folds == fold]
        mean = sum(part) / len(part)
        total += len(part) / n * sum((x - mean) ** 2 for x in part) / (len(part) - 1)
    return math.sqrt(total / n)


def uneven(regression: Predictions) -> Predictions:
    fold = np.searchsorted([0.1, 0.4], np.arange(40) / 40, side="right")
    return Predictions.from_arrays(
        regression.target.y, regression.responses[:, 0, 0], fold, task="regression"
    )


def test_unequal_folds_count_by_their_size(regression: Predictions) -> None:
    pi = uneven(regression)
    losses = (pi.target.y - pi.responses[:, 0, 0]) ** 2
    made = estimate(pi, method="bayle_within_fold", metric="mse")
    error = slow_error(losses, pi.folds[:, 0])
    assert made.standard_error == pytest.approx(error, rel=1e-12)
    assert made.interval is not None
    assert made.interval.high == pytest.approx(losses.mean() + Z * error, rel=1e-12)
    assert made.value == pytest.approx(losses.mean(), rel=1e-12)  # over cases, not over folds


def test_repeats_average_their_variances(repeated: Predictions) -> None:
    one = repeated.select(1)
    hits = ((one.responses[:, 0] > 0) == (one.target.y == 1)[:, None]).astype(float)
    parts = [slow_error(hits[:, r], one.folds[:, r]) ** 2 for r in range(3)]
    made = estimate(one, method="bayle_within_fold", metric="accuracy")
    assert made.standard_error == pytest.approx(math.sqrt(sum(parts) / 3), rel=1e-12)


def test_leave_one_out_is_refused_and_all_pairs_named(regression: Predictions) -> None:
    pi = Predictions.from_arrays(
        regression.target.y, regression.responses[:, 0, 0], np.arange(40), task="regression"
    )
    with pytest.raises(EvidenceError, match="bayle_all_pairs"):
        estimate(pi, method="bayle_within_fold", metric="mse")


def test_one_fold_is_refused_and_holdout_named(binary: Predictions) -> None:
    whole = Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    with pytest.raises(EvidenceError, match="holdout"):
        estimate(whole, method=BayleWithinFold(), metric="accuracy")


def test_folds_that_are_constant_but_unlike_fall_back_to_all_pairs() -> None:
    y = np.tile([0, 1], 20)
    fold = np.arange(40) // 10
    said = np.where(fold == 0, 1 - y, y)  # the first fold is all wrong, the others all right
    pi = Predictions.from_arrays(y, said, fold, response="label")
    made = estimate(pi, method="bayle_within_fold", metric="accuracy")
    other = estimate(pi, method="bayle_all_pairs", metric="accuracy")
    assert made.standard_error == other.standard_error
    assert made.standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 40))
    assert any(c.code == "EN035" and "all pairs" in c.consequence for c in made.cautions)


def test_a_drift_between_folds_widens_all_pairs_only(regression: Predictions) -> None:
    drift = 3.0 * regression.folds[:, 0]
    pi = Predictions.from_arrays(
        np.zeros(40), drift + np.tile([0.0, 1.0], 20), np.arange(40) // 2 % 4, task="regression"
    )
    within, overall = (
        estimate(pi, method=name, metric="mse").standard_error
        for name in ("bayle_within_fold", "bayle_all_pairs")
    )
    assert within is not None
    assert overall is not None
    assert within <= overall


def test_all_labels_right_is_the_rule_of_three() -> None:
    y = np.tile([0, 1], 30)
    pi = Predictions.from_arrays(y, y, np.arange(60) // 10, response="label")
    made = estimate(pi, method="bayle_within_fold", metric="error_rate", side="upper")
    assert made.interval is not None
    assert made.interval.high == pytest.approx(1 - 0.05 ** (1 / 60), abs=EXACT)
    assert "EN035" in codes(made)


def test_groups_are_summed_within_folds(grouped: Predictions) -> None:
    one = grouped.select(2)
    right = ((one.responses[:, 0, 0] > 0) == (one.target.y == 1)).astype(float)
    groups, folds = one.target.groups, one.folds[:, 0]
    assert groups is not None
    total = 0.0
    for fold in range(5):
        mean = right[folds == fold].mean()
        mine = np.unique(groups[folds == fold])
        parts = [(right[groups == g] - mean).sum() for g in mine]
        total += len(mine) / (len(mine) - 1) * sum(p * p for p in parts)
    made = estimate(one, method="bayle_within_fold", metric="accuracy")
    assert made.standard_error == pytest.approx(math.sqrt(total) / 80, rel=1e-12)


def test_a_method_for_a_fixed_learner_says_so(binary: Predictions, golden: Golden) -> None:
    spec = BayleWithinFold.spec
    assert not spec.corrected
    assert spec.min_folds == 2
    made = estimate(binary, method="bayle_within_fold", metric="accuracy")
    golden.check_sentence(made.estimand, "not of the")
    assert "EN022" in codes(made)
