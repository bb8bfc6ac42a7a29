"""A training that tests kill: `python -m tests.training.killed_replicates STORE OUT`."""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import earnest as en

CASES, REPLICATES = 12, 40


class SlowMean(RegressorMixin, BaseEstimator):
    """Predicts the mean of y plus a random number, after a while."""

    def __init__(self, random_state: int | None = None, wait: float = 0.02) -> None:
        self.random_state = random_state
        self.wait = wait

    def fit(self, X: object, y: np.ndarray) -> SlowMean:
        time.sleep(self.wait)
        self.mean_ = float(np.mean(y)) + np.random.default_rng(self.random_state).random()
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.mean_)


def trained(store: str | None, wait: float = 0.02) -> en.Replicates:
    y = np.arange(CASES) * 1.5
    return en.bootstrap_train(
        SlowMean(wait=wait), y[:, None], y, n_replicates=REPLICATES, store=store, rng=5
    )


if __name__ == "__main__":
    from tests.training import killed_replicates  # whose learner is not that of `__main__`

    killed_replicates.trained(sys.argv[1]).save(sys.argv[2])
