"""The AUC of two classes over repeats, and its direction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.inference.cases.placements import auc_influence, auc_placements, turned
from earnest.kernels import score_table
from earnest.metrics.ranking import is_auc, line_of
from earnest.resampling import Weights
from earnest.testing import example_predictions
from earnest.testing.examples import mirrored

AUC = metric("roc_auc").on("binary")


def repeated(seed: int = 0) -> Predictions:
    """Two repeats, of which the second did not test five cases."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 0], 20)
    fold = np.stack([np.arange(60) % 4, np.arange(60) // 3 % 5], axis=1)
    pi = Predictions.from_arrays(y, y[:, None, None] + rng.normal(size=(60, 2, 2)), fold)
    folds, responses = pi.folds.copy(), pi.responses.copy()
    folds[:5, 1], responses[:5, :, 1] = -1, np.nan
    return replace(pi, folds=folds, responses=responses)


def test_only_the_auc_of_two_classes_is_one() -> None:
    binary = example_predictions("binary").target
    assert is_auc(AUC, binary)
    assert is_auc(mirrored(AUC), binary)
    assert not is_auc(metric("average_precision"), binary)
    assert not is_auc(replace(AUC, limits=(-np.inf, np.inf)), binary)  # it has no line to an AUC
    many = example_predictions("multiclass").target
    assert not is_auc(metric("roc_auc_ovr"), many)


def test_a_loss_is_minus_the_auc() -> None:
    assert line_of(AUC) == (0.0, 1.0)
    assert line_of(mirrored(AUC)) == (0.0, -1.0)
    assert line_of(replace(AUC, limits=(-1.0, 1.0))) == (-1.0, 2.0)  # Gini's coefficient


@pytest.mark.parametrize("column", [0, 1])
def test_placements_over_repeats_average_to_the_metric(column: int) -> None:
    pi = repeated()
    made = auc_placements(pi, column)
    value = score_table(pi, AUC, Weights.ones(60))[0, column]
    assert made.auc[0] == pytest.approx(value, abs=1e-12)
    assert made.negatives.mean() == pytest.approx(value, abs=1e-12)


def test_influence_is_the_derivative_of_the_metric_with_the_weight_of_a_case() -> None:
    # Moving weight h to a case of a class of s: the AUC changes by h * influence / s; h = 1e-6,
    # whose curvature is of the order h.
    pi, step = repeated(), 1e-6
    influence = auc_influence(auc_placements(pi, 1), pi.target.y == 1)
    weights = np.ones((60, 60)) + step * np.eye(60)
    up = score_table(pi, AUC, Weights(weights))[:, 1]
    base = score_table(pi, AUC, Weights.ones(60))[0, 1]
    sizes = np.bincount(pi.target.y)[pi.target.y]
    # A case that the second repeat did not test counts there for nothing; the others count more.
    kept = np.arange(60) >= 5
    slope = (up - base) / step * sizes
    np.testing.assert_allclose(slope[kept], influence[kept], atol=1e-4)


def test_a_repeat_of_the_same_predictions_changes_nothing() -> None:
    one = example_predictions("binary", n_configs=2)
    two = replace(
        one,
        responses=np.repeat(one.responses, 2, axis=2),
        folds=np.repeat(one.folds, 2, axis=1),
        fold_names=one.fold_names * 2,
    )
    first, second = auc_placements(one, 0), auc_placements(two, 0)
    np.testing.assert_allclose(first.positives, second.positives, atol=1e-14)
    assert first.variance() == pytest.approx(second.variance(), abs=1e-14)


def test_scores_are_turned_where_negatives_have_the_greater_median() -> None:
    y = np.array([0, 0, 1, 1])
    scores = np.array([[1.0, 3.0, 1.0], [2.0, 4.0, 2.0], [3.0, 1.0, 1.0], [4.0, 2.0, 2.0]])
    pi = Predictions.from_arrays(y, scores, response="decision")
    assert turned(pi, np.ones(4, dtype=bool)).tolist() == [False, True, False]
    assert not turned(pi, y == 1).any()  # one class says nothing
