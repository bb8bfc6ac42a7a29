"""The best of many rounds: the corrected score is unbiased, and the naive one is not.

Every cell draws a table, searches depths of trees and their rounds at once, and compares the
estimates with what the same models of the folds are worth: exactly one half where the outcome is a
coin, and otherwise the mean accuracy of the winner's models of the folds on 4,000 further cases.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

import earnest as en
from earnest import SearchCV

pytestmark = pytest.mark.slow

SEARCHES = int(os.environ.get("STAGES_SEARCHES", "200"))
FURTHER = 4000
NOISES = 3.0  # Monte-Carlo errors, of two-sided probability .003 in each of eight cells


@dataclass(frozen=True)
class Cell:
    """A learner, the share of the outcome that features explain, and the number of cases."""

    learner: str
    signal: float
    n: int
    seed: int


# The grid, declared before any cell was run; the last four were not looked at until then.
CELLS = [
    Cell("gradient boosting", 0.0, 60, 1),
    Cell("gradient boosting", 1.0, 120, 2),
    Cell("histograms", 0.0, 120, 3),
    Cell("histograms", 1.0, 60, 4),
    Cell("gradient boosting", 0.0, 120, 5),
    Cell("gradient boosting", 1.0, 60, 6),
    Cell("histograms", 0.0, 60, 7),
    Cell("histograms", 1.0, 120, 8),
]
LEARNERS: dict[str, tuple[Any, dict[str, list[int]]]] = {
    "gradient boosting": (
        GradientBoostingClassifier(n_estimators=40, learning_rate=0.3, random_state=0),
        {"max_depth": [1, 2, 3]},
    ),
    "histograms": (
        HistGradientBoostingClassifier(
            max_iter=40, learning_rate=0.3, min_samples_leaf=5, random_state=0
        ),
        {"max_leaf_nodes": [2, 4, 8]},
    ),
}


def draw(n: int, signal: float, rng: np.random.Generator) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 5))
    score = signal * (X[:, 0] + X[:, 1] * X[:, 2])
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def search_once(cell: Cell, run: int) -> tuple[float, float, float]:
    """Return the corrected score, the naive score, and what they are about."""
    rng = np.random.default_rng([cell.seed, run])
    X, y = draw(cell.n, cell.signal, rng)
    learner, grid = LEARNERS[cell.learner]
    search = SearchCV(learner, grid, stages=20, cv=5, scoring="accuracy", random_state=run)
    search.set_params(refit=cell.signal > 0).fit(X, y)
    estimate = en.estimate(search.predictions_, metric="accuracy", rng=run, n_resamples=200)
    truth = 0.5
    if cell.signal:
        others = draw(FURTHER, cell.signal, rng)
        folds = search.predictions_.folds[:, 0]
        model = search.best_estimator_
        truth = 0.0
        for k in range(5):
            model.fit(X[folds != k], y[folds != k])
            truth += float(np.mean(model.predict(others[0]) == others[1])) / 5
    return estimate.value, estimate.naive, truth


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_the_corrected_score_of_the_best_stage_is_unbiased(cell: Cell) -> None:
    corrected, naive, truth = np.array([search_once(cell, run) for run in range(SEARCHES)]).T
    error, optimism = corrected - truth, naive - truth
    noise = error.std(ddof=1) / np.sqrt(SEARCHES)
    print(
        f"{cell}: corrected {error.mean():+.4f} naive {optimism.mean():+.4f} noise {noise:.4f}",
        flush=True,
    )
    assert optimism.mean() > NOISES * optimism.std(ddof=1) / np.sqrt(SEARCHES)
    assert error.mean() < NOISES * noise
    assert abs(error.mean()) < optimism.mean()
