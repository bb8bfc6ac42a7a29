"""A search that tests kill: `FITS_LEFT=9 python -m tests.training.killed_search STORE JOBS`."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification

import earnest as en

FITS = 8 * 3 * 2


class DeadlyColumn(ClassifierMixin, BaseEstimator):
    """Reads a column; after FITS_LEFT fits of one process the search is ended."""

    def __init__(self, column: int = 0, random_state: int | None = None) -> None:
        self.column = column
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> DeadlyColumn:
        if "FITS_LEFT" in os.environ:  # counted there, as a run file knows the code and its globals
            left = int(os.environ["FITS_LEFT"])
            if not left and "VICTIM" not in os.environ:
                raise KeyboardInterrupt
            if not left:
                os.kill(int(os.environ["VICTIM"]), signal.SIGKILL)
            os.environ["FITS_LEFT"] = str(left - 1)
        self.classes_ = np.unique(y)
        self.noise_ = np.random.default_rng(self.random_state).standard_normal(1)
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.column] + self.noise_ * X[:, 0]

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def searched(store: str, jobs: int = 1) -> tuple[int, str, float]:
    """Return the winner, the fingerprint of the predictions and the estimate."""
    X, y = make_classification(n_samples=40, n_features=8, random_state=0)
    made = en.SearchCV(
        DeadlyColumn(),
        {"column": list(range(8))},
        scoring="roc_auc",
        cv=3,
        n_repeats=2,
        store=store,
        n_jobs=jobs,
    ).fit(X, y)
    return int(made.best_index_), made.predictions_.fingerprint, made.estimate_.value


if __name__ == "__main__":
    from tests.training import killed_search  # whose learner is not that of `__main__`

    os.environ["VICTIM"] = str(os.getpid())
    killed_search.searched(sys.argv[1], int(sys.argv[2]))
