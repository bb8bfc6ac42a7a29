"""Copies of cases in different folds are noticed; predictions that coincide by chance are not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en


def make_scores(rng: np.random.Generator, n: int, configs: int) -> tuple[NDArray, NDArray]:
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-y[:, None] - rng.standard_normal((n, configs))))


def has_caution(y: NDArray, scores: NDArray, fold: NDArray, metric: str = "brier") -> bool:
    pi = en.Predictions.from_arrays(y, scores, fold)
    cautions = en.estimate(pi, metric=metric, rng=1, n_resamples=50).cautions
    return any(caution.kind == "cases_repeated" for caution in cautions)


@pytest.mark.parametrize("configs", [1, 5])
def test_rows_copied_four_times_over_folds_are_told(configs):
    rng = np.random.default_rng(0)
    y, scores = make_scores(rng, 60, configs)
    fold = rng.permutation(np.arange(240) % 10)
    assert has_caution(np.tile(y, 4), np.tile(scores, (4, 1)), fold)
    apart = rng.integers(0, 240, 240)  # nothing is copied as such, but a third is drawn twice
    assert has_caution(np.tile(y, 4)[apart], np.tile(scores, (4, 1))[apart], fold)


def test_copies_of_numbers_are_told():
    rng = np.random.default_rng(1)
    y, noise = rng.standard_normal(50), rng.standard_normal((50, 3))
    fold = rng.permutation(np.arange(150) % 5)
    y, scores = np.tile(y, 3), np.tile(y[:, None] + noise, (3, 1))
    assert has_caution(y, scores, fold, metric="mae")


def test_predictions_that_coincide_by_chance_are_no_copies():
    """Seed 2, 20 tables of each kind: labels, neighbours, trees of a forest, rounding, stumps."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        n = int(rng.integers(40, 600))
        fold = rng.permutation(np.arange(n) % 10)
        y, scores = make_scores(rng, n, int(rng.integers(1, 5)))
        kinds = {
            "real": scores,
            "labels": (scores > 0.5).astype(float),
            "neighbours": np.round(scores * 7) / 7,
            "forest": np.clip(np.round((scores * 1.4 - 0.2) * 100) / 100, 0, 1),
            "decimals": np.round(scores, 3),
            "stumps": np.round(scores * 3) / 3 + fold[:, None] / 97 / np.pi,
            "constant": np.full_like(scores, 0.3),
        }
        for name, values in kinds.items():
            metric = "accuracy" if name == "labels" else "brier"
            assert not has_caution(y, np.clip(values, 0, 1), fold, metric), (name, n)


def test_forests_trees_and_neighbours_of_clean_data_give_no_caution():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(3)
    for n in (60, 400):
        X = rng.standard_normal((n, 4))
        y = (X[:, 0] + 0.3 * rng.standard_normal(n) > 0).astype(int)
        fold = np.arange(n) % 5
        pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
        learners = [
            RandomForestClassifier(30, random_state=0),
            DecisionTreeClassifier(max_depth=3, random_state=0),
            KNeighborsClassifier(15),
        ]
        columns = [
            cross_val_predict(learner, X, y, cv=pairs, method="predict_proba")[:, 1]
            for learner in learners
        ]
        assert not has_caution(y, np.stack(columns, axis=1), fold)
        for column in columns:
            assert not has_caution(y, column[:, None], fold)


def test_copies_within_a_fold_are_not_told():
    """A fixed model gives equal rows equal predictions, and groups of copies share a fold."""
    rng = np.random.default_rng(4)
    y, scores = make_scores(rng, 60, 3)
    fold = np.tile(np.arange(60) % 10, 4)
    assert not has_caution(np.tile(y, 4), np.tile(scores, (4, 1)), fold)
