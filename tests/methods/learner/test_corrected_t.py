"""The corrected resampled t interval: by formula, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from sklearn.metrics import roc_auc_score

from earnest import Predictions, estimate
from earnest.errors import EvidenceError, InputError
from earnest.methods import CorrectedT
from earnest.results import Estimate

RNG = np.random.default_rng(1)
Y = np.tile([0, 1], 50)
SCORES = Y[:, None, None] + RNG.normal(size=(100, 1, 3)) * 1.2
FOLDS = np.stack([RNG.permutation(100) % 5 for _ in range(3)], axis=1)
PI = Predictions.from_arrays(Y, SCORES, FOLDS, response="decision")


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_limits_are_those_of_nadeau_and_bengio(level: float) -> None:
    # fifteen fold scores: s² (1/15 + 1/4), Student's t with 14 degrees of freedom
    each = [
        roc_auc_score(Y[FOLDS[:, r] == k], SCORES[FOLDS[:, r] == k, 0, r])
        for r in range(3)
        for k in range(5)
    ]
    made = estimate(PI, method="corrected_t", metric="roc_auc", confidence_level=level)
    error = np.std(each, ddof=1) * np.sqrt(1 / 15 + 1 / 4)
    reach = t.ppf((1 + level) / 2, 14) * error
    assert made.value == pytest.approx(np.mean(each), abs=1e-12)
    assert made.standard_error == pytest.approx(error, rel=1e-12)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(np.mean(each) - reach, rel=1e-9)
    assert made.interval.high == pytest.approx(min(1.0, np.mean(each) + reach), rel=1e-9)


def test_repeats_do_not_shrink_it_below_the_overlap() -> None:
    many = np.tile(SCORES[:, :, :1], (1, 1, 40))
    folds = np.tile(FOLDS[:, :1], (1, 40))
    repeated = Predictions.from_arrays(Y, many, folds, response="decision")
    once = Predictions.from_arrays(Y, many[:, :, :1], folds[:, :1], response="decision")
    wide, narrow = (estimate(p, method="corrected_t", metric="accuracy") for p in (once, repeated))
    assert narrow.standard_error > 0.6 * wide.standard_error  # sqrt((1/200+1/4)/(1/5+1/4)) = .75


def test_random_splits_have_the_ratio_of_their_own_sizes() -> None:
    scores, folds = np.full((100, 1, 8), np.nan), np.full((100, 8), -1)
    for j in range(8):
        rows = RNG.permutation(100)[:20]
        scores[rows, 0, j], folds[rows, j] = SCORES[rows, 0, 0], 0
    pi = Predictions.from_arrays(Y, scores, folds, response="decision")
    each = [((scores[folds[:, j] == 0, 0, j] > 0) == Y[folds[:, j] == 0]).mean() for j in range(8)]
    made = estimate(pi, method="corrected_t", metric="accuracy")
    assert made.value == pytest.approx(np.mean(each))
    expected = np.var(each, ddof=1) * (1 / 8 + 20 / 80)
    assert made.standard_error == pytest.approx(np.sqrt(expected), rel=1e-12)


def test_folds_that_are_all_alike_get_the_rule_of_three_over_folds() -> None:
    y = np.tile([0, 1], 50)
    pi = Predictions.from_arrays(y, y * 1.0, np.arange(100) // 10)
    made = estimate(pi, method="corrected_t", metric="roc_auc")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025 ** (1 / 10), abs=1e-9)
    assert "EN035" in {c.code for c in made.cautions}


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_of_repeats_that_are_all_alike_count_once(n_folds: int) -> None:
    y = np.tile([0, 1], 50)
    folds = np.stack([np.arange(100) // 2 % n_folds, np.arange(100) // 4 % n_folds], axis=1)
    pi = Predictions.from_arrays(y, np.repeat(y[:, None, None] * 1.0, 2, axis=2), folds)
    made = estimate(pi, method="corrected_t", metric="roc_auc")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025 ** (1 / n_folds), abs=1e-9)


def test_three_folds_are_told_to_be_few_and_one_defined_is_refused() -> None:
    pi = Predictions.from_arrays(Y, SCORES[:, :, 0], FOLDS[:, 0] % 3, response="decision")
    assert "EN018" in {c.code for c in estimate(pi, method="corrected_t", metric="mcc").cautions}
    y = np.r_[np.zeros(10), [0, 1] * 5].astype(int)
    one = Predictions.from_arrays(y, RNG.random(20), np.arange(20) // 10)
    with pytest.raises(EvidenceError, match="two folds"):
        estimate(one, method="corrected_t", metric="roc_auc")


def test_it_survives_json_and_other_levels() -> None:
    made = estimate(PI, method="corrected_t", metric="accuracy")
    back = Estimate.from_dict(made.to_dict())
    assert back.at(confidence_level=0.8) == made.at(confidence_level=0.8)


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("inf"), float("nan"), True, "half"])
def test_a_ratio_that_is_none_is_refused(ratio: object) -> None:
    with pytest.raises(InputError, match="a number above 0"):
        CorrectedT(ratio=ratio)  # type: ignore[arg-type]  # that is the point
