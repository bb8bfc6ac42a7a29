"""A training that tests kill: `python -m tests.training.killed_replicates STORE OUT`."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import earnest as en

CASES, REPLICATES = 12, 40


class DeadlyMean(RegressorMixin, BaseEstimator):
    """Predicts the mean of y plus a random number; no more than FITS_LEFT fits come to an end."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: object, y: np.ndarray) -> DeadlyMean:
        if "FITS_LEFT" in os.environ:  # counted there, as a run file knows the code and its globals
            left = int(os.environ["FITS_LEFT"])
            if not left and os.environ["ENDED_BY"] == "interrupt":
                raise KeyboardInterrupt
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            os.environ["FITS_LEFT"] = str(left - 1)
        self.mean_ = float(np.mean(y)) + np.random.default_rng(self.random_state).random()
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.mean_)


def trained(store: str | None) -> en.Replicates:
    y = np.arange(CASES) * 1.5
    return en.bootstrap_train(
        DeadlyMean(), y[:, None], y, n_replicates=REPLICATES, store=store, rng=5
    )


if __name__ == "__main__":
    from tests.training import killed_replicates  # whose learner is not that of `__main__`

    killed_replicates.trained(sys.argv[1]).save(sys.argv[2])
