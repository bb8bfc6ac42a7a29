"""On pure noise the winner of a search looks good, and its estimate does not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from earnest import SearchCV

RUNS, CASES, FEATURES = 40, 60, 5
GRID = {  # 12 x 12 configurations
    "C": np.logspace(-2, 3, 12).tolist(),
    "gamma": np.logspace(-2, 1, 12).tolist(),
}


@pytest.fixture(scope="module")
def runs() -> np.ndarray:
    """Naive value and estimate of each run: (RUNS, 2); run i has seed i."""
    found = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((CASES, FEATURES)), np.tile([0, 1], CASES // 2)
        search = SearchCV(SVC(), GRID, scoring="roc_auc", cv=5, refit=False, random_state=seed)
        search.fit(X, y)
        found.append((search.best_score_, search.estimate_.value))
    return np.array(found)


@pytest.mark.slow
def test_the_winners_own_score_is_far_above_chance(runs: np.ndarray) -> None:
    assert runs[:, 0].mean() > 0.57


@pytest.mark.slow
def test_the_estimate_is_chance_up_to_monte_carlo_error(runs: np.ndarray) -> None:
    # three standard errors of the mean over the runs
    error = runs[:, 1].std(ddof=1) / np.sqrt(RUNS)
    assert abs(runs[:, 1].mean() - 0.5) < 3 * error
