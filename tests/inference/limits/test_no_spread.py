"""Limits where nothing varies: the share of unlike cases that may have gone unseen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.core import AreaLimits, EqualCaseLimits, NormalLimits, Side
from earnest.inference import FoldNormal, Variance, fold_normal
from earnest.kernels import score_table

N = 60
SHARE = 1 - 0.025 ** (1 / N)
PERFECT = 1e-9


def labels(y: np.ndarray, said: np.ndarray, **about: object) -> Predictions:
    return Predictions.from_arrays(y, said, np.arange(len(y)) // 6, response="label", **about)  # type: ignore[arg-type]


def made(pi: Predictions, name: str, kind: Variance = Variance.ALL_PAIRS) -> FoldNormal:
    answer = fold_normal(pi, metric(name).on(pi.target.task), 0, kind)
    assert [c.code for c in answer.cautions if c.code == "EN035"] == ["EN035"]
    return answer


def two_sided(answer: FoldNormal) -> tuple[float, float]:
    return answer.source.limits(0.95, Side.TWO_SIDED)


@pytest.mark.parametrize("kind", list(Variance))
@pytest.mark.parametrize(
    "name", ["f1", "mcc", "balanced_accuracy", "precision", "recall", "cohen_kappa", "f1_macro"]
)
def test_a_perfect_score_of_labels_ends_where_the_worst_unseen_share_would_take_it(
    name: str, kind: Variance
) -> None:
    y = np.tile([0, 0, 1], N // 3)
    answer = made(labels(y, y), name, kind)
    # slowly: the sample, and a case of each wrong kind with the weight of the unseen share
    rows = np.append(y, [0, 1]), np.append(y, [1, 0])
    both = Predictions.from_arrays(*rows, response="label")
    weights = np.full((2, N + 2), (1 - SHARE) / N)
    weights[:, N:] = SHARE * np.eye(2)
    worst = score_table(both, name, weights).min()
    assert two_sided(answer) == pytest.approx((worst, 1.0), abs=PERFECT)
    assert worst < 0.95


def test_a_metric_that_has_its_value_by_convention_may_have_any() -> None:
    # nothing is predicted positive: the first such prediction makes a precision of 0 or 1
    answer = made(labels(np.tile([0, 1], 30), np.zeros(60)), "precision")
    assert answer.value == 0.0
    assert two_sided(answer) == pytest.approx((0.0, 1.0), abs=PERFECT)


@pytest.mark.parametrize(
    ("name", "ends"),
    [("rmse", (-math.inf, math.inf)), ("r2", (-math.inf, math.inf)), ("mse", (0.0, math.inf))],
)
def test_nothing_bounds_what_an_unseen_value_does(name: str, ends: tuple[float, float]) -> None:
    y = np.arange(40.0)
    pi = Predictions.from_arrays(y, y, np.arange(40) % 4, task="regression")
    assert two_sided(made(pi, name)) == ends


def test_means_over_cases_reach_to_the_ends_of_their_range() -> None:
    y = np.tile([0, 1], 30)
    right = made(labels(y, y), "error_rate").source
    assert right == EqualCaseLimits(0.0, 60, 0.0, 1.0)
    flat = Predictions.from_arrays(y, np.full(60, 0.5), np.arange(60) // 6)
    low, high = two_sided(made(flat, "brier"))  # every case has a loss of one quarter
    assert (low, high) == pytest.approx((0.25 - 0.25 * SHARE, 0.25 + 0.75 * SHARE), abs=PERFECT)


def test_a_perfect_auc_in_folds_is_wider_than_a_pooled_one_not_than_disjoint_pairs() -> None:
    y = np.tile([0, 0, 1], 20)  # six folds of ten: three or four positives each, twenty in all
    pi = Predictions.from_arrays(y, 0.1 + 0.8 * y, np.arange(60) // 10)
    low, high = two_sided(made(pi, "roc_auc"))
    pooled = AreaLimits(1.0, 20, 40).limits(0.95, Side.TWO_SIDED)[0]
    assert 0.025 ** (1 / 20) < low < pooled - 0.005
    assert high == 1.0


def test_groups_are_the_units() -> None:
    y, groups = np.tile([0, 1], 30), np.arange(60) // 6
    pi = labels(y, y, groups=groups)
    assert made(pi, "accuracy").source == EqualCaseLimits(1.0, 10, 0.0, 1.0)


def test_losses_that_cancel_in_every_group_vary_by_case() -> None:
    # one right and one wrong label in every group: the sums of groups do not vary at all
    y, groups = np.tile([0, 1], 30), np.arange(60) // 2
    answer = made(labels(y, np.zeros(60), groups=groups), "accuracy")
    assert answer.source == NormalLimits(0.5, pytest.approx(math.sqrt(0.25 / 60)))


def test_folds_that_are_constant_but_unlike_vary_between_them() -> None:
    y = np.tile([0, 1], 30)
    said = np.where(np.arange(60) < 12, 1 - y, y)  # two of ten folds are all wrong
    answer = made(labels(y, said), "accuracy", Variance.WITHIN_FOLD)
    assert answer.source == NormalLimits(0.8, pytest.approx(math.sqrt(0.16 / 60)))


def test_repeats_that_cancel_in_every_case_leave_equal_cases() -> None:
    y = np.tile([0, 1], 30)
    both = np.stack([y, 1 - y], axis=1)[:, None, :]  # right in one repeat, wrong in the other
    fold = np.tile(np.arange(60)[:, None] // 6, (1, 2))
    pi = Predictions.from_arrays(y, both, fold, response="label", repeats=2)
    assert made(pi, "accuracy").source == EqualCaseLimits(0.5, 60, 0.0, 1.0)


def test_a_linear_part_that_was_not_used_is_not_told_of() -> None:
    y = np.tile([0, 1], 30)
    assert [c.code for c in made(labels(y, y), "f1").cautions] == ["EN035"]


def test_a_perfect_auc_has_no_more_cases_of_a_class_than_half_the_groups() -> None:
    y = np.tile([0, 0, 1], 20)  # twenty positives, but a pair takes up to two of 7 groups
    groups = np.minimum(np.arange(60) // 8, 6)
    pi = Predictions.from_arrays(y, 0.1 + 0.8 * y, np.arange(60) // 10, groups=groups)
    assert two_sided(made(pi, "roc_auc"))[0] == pytest.approx(0.025 ** (1 / 3), abs=PERFECT)
