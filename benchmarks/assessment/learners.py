"""Learners that are trained on many weightings of the same cases at once.

A weighting says how often each case is drawn, so a bootstrap sample, the training part of a fold
and all cases are rows of one matrix. Each learner says what its scikit-learn counterpart says,
which tests/training/assess/test_assessment_benchmark.py holds it to, in a hundredth of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

Floats = NDArray[np.float64]
SHRINKAGE, SMOOTHING, NEIGHBOURS = 0.1, 0.01, 3
NEAR = 24  # neighbours that are looked at first: mostly some of them are in the sample
CHUNK = 250  # weightings at a time, which bounds the memory


@dataclass(frozen=True)
class Learner:
    """A learner by its counterpart, and what it says of new cases after many trainings.

    Attributes
    ----------
    model : estimator
        The scikit-learn estimator that says the same.
    middle : float
        The response above which a case is called positive.
    respond : callable
        From cases (n, p), outcomes (n,), weightings (W, n) and new cases (m, p) to (W, m).
    """

    model: Any
    middle: float
    respond: Callable[[Floats, NDArray[np.int64], Floats, Floats], Floats]

    def responses(self, X: Floats, y: NDArray[np.int64], weights: Any, new: Floats) -> Floats:
        """Return the responses of all trainings, some at a time."""
        parts = [weights[i : i + CHUNK].astype(float) for i in range(0, len(weights), CHUNK)]
        return np.concatenate([self.respond(X, y, part, new) for part in parts])


def discriminant(X: Floats, y: NDArray[np.int64], weights: Floats, new: Floats) -> Floats:
    """Return the linear discriminant with a covariance that is shrunk towards a ball."""
    n, p = X.shape
    squares = (X[:, :, None] * X[:, None, :]).reshape(n, p * p)
    second = (weights @ squares).reshape(-1, p, p)
    sizes, means = _moments(X, y, weights)
    total = sizes.sum(axis=0)[:, None, None]
    within = second / total
    for size, mean in zip(sizes, means, strict=True):
        within -= (size[:, None, None] / total) * mean[:, :, None] * mean[:, None, :]
    ball = np.trace(within, axis1=1, axis2=2)[:, None, None] / p * np.eye(p)
    shrunk = (1.0 - SHRINKAGE) * within + SHRINKAGE * ball
    slope = np.linalg.solve(shrunk, (means[1] - means[0])[:, :, None])[:, :, 0]
    middle = 0.5 * (slope * (means[0] + means[1])).sum(axis=1)
    return slope @ new.T + (np.log(sizes[1] / sizes[0]) - middle)[:, None]


def naive_bayes(X: Floats, y: NDArray[np.int64], weights: Floats, new: Floats) -> Floats:
    """Return the probability of the positive class if features were normal and independent."""
    sizes, means = _moments(X, y, weights)
    total = weights.sum(axis=1)[:, None]
    spread = (weights @ X**2) / total - ((weights @ X) / total) ** 2
    least = SMOOTHING * spread.max(axis=1)[:, None]
    densities = []
    for label, (size, mean) in enumerate(zip(sizes, means, strict=True)):
        own = weights * (y == label)
        variance = np.maximum((own @ X**2) / size[:, None] - mean**2, 0.0) + least
        precision = 1.0 / variance
        square = new**2 @ precision.T - 2.0 * new @ (precision * mean).T  # (m, W)
        constant = (np.log(variance) + mean**2 * precision).sum(axis=1)
        densities.append(np.log(size)[:, None] - 0.5 * (square.T + constant[:, None]))
    return np.asarray(expit(densities[1] - densities[0]))


def neighbours(X: Floats, y: NDArray[np.int64], weights: Floats, new: Floats) -> Floats:
    """Return the share of positives among the nearest cases; copies count as often as drawn."""
    far = (new**2).sum(axis=1)[:, None] - 2.0 * new @ X.T + (X**2).sum(axis=1)
    order = np.argsort(far, axis=1, kind="stable")  # (m, n)
    near = order[:, : min(NEAR, len(X))]
    drawn = weights.astype(np.int16)
    if (drawn[:, near].sum(axis=2) < NEIGHBOURS).any():
        near = order
    found = drawn[:, near]  # (W, m, near)
    before = np.cumsum(found, axis=2, dtype=np.int16) - found
    taken = np.minimum(np.maximum(NEIGHBOURS - before, 0), found)
    return np.asarray((taken * y[near]).sum(axis=2) / NEIGHBOURS)


def _moments(X: Floats, y: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats]:
    """Return the sizes (2, W) and the means (2, W, p) of both classes."""
    own = [weights * (y == label) for label in (0, 1)]
    sizes = np.array([part.sum(axis=1) for part in own])
    means = [part @ X / size[:, None] for part, size in zip(own, sizes, strict=True)]
    return sizes, np.array(means)


LEARNERS = {
    "lda": Learner(
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=SHRINKAGE), 0.0, discriminant
    ),
    "naive_bayes": Learner(GaussianNB(var_smoothing=SMOOTHING), 0.5, naive_bayes),
    "3_nn": Learner(KNeighborsClassifier(NEIGHBOURS), 0.5, neighbours),
}
