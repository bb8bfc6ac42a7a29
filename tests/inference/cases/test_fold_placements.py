"""The AUC as the mean over folds: DeLong in every fold, and influences under weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from earnest import Predictions, estimate
from earnest.errors import EvidenceError
from earnest.inference import case_values, variance_of_mean
from earnest.kernels import fold_scores
from earnest.testing import example_predictions
from tests.inference.under_weights import by_weights
from tests.snapshots import Golden

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
        part = replace(
            pi.take(rows),
            folds=np.zeros((90, 1), dtype=np.int32),
            fold_names=(("0",),),
            training_sizes=None,
        )
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


def lone(seed: int, positives: int, negatives: int, repeats: int, configs: int = 1) -> Predictions:
    """As many folds as positives, other ones in every repeat; scores that no training moves."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    folds = np.stack(
        [
            np.concatenate([rng.permutation(m) % positives for m in (positives, negatives)])
            for _ in range(repeats)
        ],
        axis=1,
    )
    scores = np.round(y[:, None] + rng.standard_normal((len(y), configs)), 2)
    every = np.tile(scores[:, :, None], (1, 1, repeats))
    return Predictions.from_arrays(y, every, folds, response="decision")


def pooled_by_pairs(pi: Predictions, repeat: int) -> Floats:
    """Return what cases add about the mean over folds, pair by pair, less that mean."""
    y, score, fold = pi.target.y, pi.responses[:, 0, repeat], pi.folds[:, repeat]
    n, counts, areas = len(y), np.bincount(y), []
    for k in range(fold.max() + 1):
        own = [(i, j) for i in range(n) for j in range(n) if fold[i] == fold[j] == k]
        pairs = [(i, j) for i, j in own if y[i] == 1 and y[j] == 0]
        wins = {(i, j): np.heaviside(score[i] - score[j], 0.5) for i, j in pairs}
        areas.append((pairs, wins))
    value = np.mean([np.mean(list(wins.values())) for _, wins in areas])
    out = np.zeros(n)
    for pairs, wins in areas:
        for i in {i for pair in pairs for i in pair}:
            mine = [wins[pair] for pair in pairs if i in pair]
            peers = {pair[0 if y[i] else 1] for pair in pairs}
            divisor = np.sqrt(counts[y[i]] / (counts[y[i]] - 1))
            out[i] = divisor * n / (len(areas) * len(peers)) * (np.mean(mine) - value)
    return out


def test_lone_cases_of_a_class_are_placed_about_the_mean_over_folds() -> None:
    pi = lone(seed=1, positives=4, negatives=11, repeats=3)
    made = case_values(pi, "roc_auc", singles=True)
    assert made.single_folds == (12, 12)
    slow = np.stack([pooled_by_pairs(pi, repeat) for repeat in range(3)], axis=1)
    mean = made.terms.mean(axis=0)[0]
    assert made.spread[:, 0] - mean == pytest.approx(slow, abs=1e-12)
    assert made.spread.mean(axis=0)[0] == pytest.approx(mean, abs=1e-12)
    assert made.value == pytest.approx(mean.mean(), abs=1e-12)
    for method in ("bayle_all_pairs", "repeated_cv"):
        told = estimate(pi, method=method, metric="roc_auc")
        assert told.value == pytest.approx(float(made.value[0]), abs=1e-12)
        assert "lone_cases" in {caution.kind for caution in told.cautions}
        own = slow.mean(axis=1)
        if method == "repeated_cv":
            assert told.details.tested == pytest.approx((own**2).sum() / 15**2, rel=1e-9)
            each = (slow**2).sum(axis=0) / 15**2  # the variance of one partition
            assert told.details.total == pytest.approx(each.mean(), rel=1e-9)
        else:
            assert told.standard_error == pytest.approx(np.sqrt((own**2).sum()) / 15, rel=1e-9)


@pytest.mark.parametrize("metric", AREAS)
def test_pooled_terms_of_many_classes_have_the_mean_of_the_folds(metric: str) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [3, 12, 9])
    given = rng.random((24, 1, 1, 3)) + 0.3 * np.eye(3)[y][:, None, None]
    folds = np.concatenate([np.arange(m) % 3 for m in (3, 12, 9)])
    pi = Predictions.from_arrays(y, given / given.sum(axis=3, keepdims=True), folds)
    made = case_values(pi, metric, singles=True)
    assert made.single_folds == (3, 3)
    assert made.value == pytest.approx(fold_scores(pi, metric)[:, 0].mean(axis=0), abs=1e-12)
    assert made.spread.mean(axis=0)[:, 0] == pytest.approx(made.value, abs=1e-12)
    assert made.spread.std() > 0


def test_folds_with_two_of_each_class_have_no_pooled_terms() -> None:
    made = case_values(unequal(), "roc_auc", singles=True)
    assert made.pooled is None
    assert made.single_folds[0] == 0
    assert made.spread is made.terms


def test_a_class_with_one_case_in_all_is_refused(golden: Golden) -> None:
    y = np.array([1, 0, 0, 0, 0, 0])
    pi = Predictions.from_arrays(y, np.arange(6.0), np.zeros(6), response="decision")
    with golden.raises(EvidenceError):
        case_values(pi, "roc_auc", singles=True)


@pytest.mark.parametrize(("positives", "negatives", "most"), [(10, 30, 1.1), (10, 10, 1.3)])
def test_the_error_of_lone_cases_is_right_with_repeats(
    positives: int, negatives: int, most: float
) -> None:
    # 1000 samples as columns, on the same ten repeats of the folds; 4 / sqrt(2000) is four
    # standard errors of a ratio of standard deviations.
    made = case_values(lone(5, positives, negatives, 10, configs=1000), "roc_auc", singles=True)
    own = variance_of_mean(made.spread, made.folds, None, "all_pairs")
    ratio = np.sqrt(np.mean(own)) / made.value.std(ddof=1)
    assert 1.0 - 0.09 <= ratio <= most + 0.09
