"""The AUC as the mean over folds: DeLong in every fold, and influences under weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from earnest import Predictions
from earnest.core.errors import EvidenceError
from earnest.inference.case_values import case_values
from earnest.inference.fold_variance import variance_of_mean
from earnest.kernels.score import fold_scores
from earnest.testing import example_predictions
from tests.inference.under_weights import by_weights

Floats = NDArray[np.float64]
AREAS = ["roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "roc_auc_ovo_weighted"]


def delong(y: NDArray[np.int64], score: Floats) -> float:
    """Return DeLong's variance from all pairs of cases, slowly."""
    pairs = [[1.0 * (s > t) + 0.5 * (s == t) for t in score[y == 0]] for s in score[y == 1]]
    table = np.array(pairs)
    own, other = table.mean(axis=1), table.mean(axis=0)
    return float(own.var(ddof=1) / len(own) + other.var(ddof=1) / len(other))


def unequal(seed: int = 3, n: int = 90, configs: int = 3) -> Predictions:
    """Four folds of very unlike sizes, scores with ties."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 0], n // 3)
    scores = np.round(0.8 * y[:, None] + rng.standard_normal((n, configs)), 1)
    fold = np.searchsorted([0.2, 0.3, 0.6], np.arange(n) / n, side="right")
    return Predictions.from_arrays(y, scores, fold)


def test_the_auc_is_the_mean_over_folds_and_its_variance_that_of_delong_in_each() -> None:
    pi = unequal()
    y, fold = pi.target.y, pi.folds[:, 0]
    made = case_values(pi, "roc_auc")
    assert made.kind == "placements"
    within = variance_of_mean(made.terms, made.folds, None, "within_fold")
    for c in range(3):
        score = pi.responses[:, c, 0]
        areas = [roc_auc_score(y[fold == k], score[fold == k]) for k in range(4)]
        assert made.value[c] == pytest.approx(np.mean(areas), abs=1e-12)
        assert made.terms[:, c, 0].mean() == pytest.approx(np.mean(areas), abs=1e-12)
        slow = sum(delong(y[fold == k], score[fold == k]) for k in range(4)) / 16
        assert within[c] == pytest.approx(slow, rel=1e-12)


def test_over_all_pairs_the_spread_between_folds_is_added() -> None:
    pi = unequal()
    made = case_values(pi, "roc_auc")
    areas = fold_scores(pi, "roc_auc")[:, 0]  # (K, C)
    overall = variance_of_mean(made.terms, made.folds, None, "all_pairs")
    y, fold = pi.target.y, pi.folds[:, 0]
    for c in range(3):
        total = 0.0
        for k in range(4):
            size = int((fold == k).sum())
            own = delong(y[fold == k], pi.responses[fold == k, c, 0])
            total += own * (size - 1) / size + (areas[k, c] - areas[:, c].mean()) ** 2 / size
        assert overall[c] == pytest.approx(total / 16, rel=1e-10)


@pytest.mark.parametrize("name", AREAS)
def test_an_auc_of_many_classes_has_its_influence_under_weights(name: str) -> None:
    # 180 cases in 2 folds: 30 of a class in a fold, so that sqrt(30/29 * 89/90) is within 1.2 %
    pi = example_predictions("multiclass", n_cases=180, n_configs=2, n_folds=2)
    made = case_values(pi, name)
    np.testing.assert_allclose(made.value, fold_scores(pi, name)[:, 0].mean(axis=0), rtol=1e-12)
    for k in range(2):
        rows = np.flatnonzero(pi.folds[:, 0] == k)
        part = replace(pi.take(rows), folds=np.zeros((90, 1), dtype=np.int32), fold_names=(("0",),))
        expected = by_weights(part, name)
        expected -= expected.mean(axis=0)
        own = made.terms[rows, :, 0] - made.terms[rows, :, 0].mean(axis=0)
        assert np.abs(own - expected).max() < 0.02 * np.abs(expected).max()


def test_a_perfect_auc_has_equal_terms() -> None:
    y = np.tile([0, 1], 20)
    made = case_values(Predictions.from_arrays(y, 1.0 * y, np.arange(40) // 2 % 4), "roc_auc")
    assert made.value[0] == 1.0
    assert np.ptp(made.terms) == 0.0


def test_a_fold_with_one_case_of_a_class_is_refused_by_name() -> None:
    y, fold = np.array([0, 1, 0, 1, 0, 0, 1]), ["höhe", "höhe", "höhe", "höhe", "b", "b", "b"]
    pi = Predictions.from_arrays(y, np.linspace(0, 1, 7), fold)
    with pytest.raises(EvidenceError, match="1 of class 1 in fold b"):
        case_values(pi, "roc_auc")
