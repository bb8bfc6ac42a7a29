"""Linear and quadratic discriminants of many bootstrap samples at once, as rows of weights.

A sample is a row of counts, so that means and covariances of all samples are products of matrices.
`check` holds both to scikit-learn's on rows repeated as often as they were drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def moments(X: Floats, weights: Floats, ddof: int = 1) -> tuple[Floats, Floats]:
    """Return means (B, p) and covariances (B, p, p) under weights (B, n), unbiased by default."""
    total = weights.sum(axis=1)
    mean = weights @ X / total[:, None]
    p = X.shape[1]
    pairs = (X[:, :, None] * X[:, None, :]).reshape(len(X), p * p)
    second = (weights @ pairs).reshape(-1, p, p) / total[:, None, None]
    away = second - mean[:, :, None] * mean[:, None, :]
    return mean, away * (total / (total - ddof))[:, None, None]


def qda(X: Floats, y: NDArray[np.int64], weights: Floats, new: Floats, ddof: int = 1) -> Floats:
    """Return the log-likelihood ratio of class 1 for new cases under every sample: (B, m)."""
    logs = []
    for label in (0, 1):
        mean, cov = moments(X[y == label], weights[:, y == label], ddof)
        whitened = np.linalg.inv(np.linalg.cholesky(cov))  # (B, p, p)
        away = (new - mean[:, None, :]) @ whitened.transpose(0, 2, 1)  # (B, m, p)
        size = np.log(np.abs(np.diagonal(whitened, axis1=1, axis2=2))).sum(axis=1)
        logs.append(size[:, None] - 0.5 * np.einsum("bmp,bmp->bm", away, away))
    return np.asarray(logs[1] - logs[0])


def lda(X: Floats, y: NDArray[np.int64], weights: Floats, new: Floats) -> Floats:
    """Return the linear discriminant of new cases under every sample: (B, m)."""
    sizes = [weights[:, y == label].sum(axis=1) for label in (0, 1)]
    (mean0, cov0), (mean1, cov1) = (
        moments(X[y == label], weights[:, y == label]) for label in (0, 1)
    )
    free = [(size - 1)[:, None, None] for size in sizes]
    pooled = (free[0] * cov0 + free[1] * cov1) / (free[0] + free[1])
    slope = np.linalg.solve(pooled, (mean1 - mean0)[:, :, None])[:, :, 0]
    middle = np.einsum("bp,bp->b", slope, (mean0 + mean1) / 2)
    return np.asarray(slope @ new.T - middle[:, None])


RULES = {"lda": lda, "qda": qda}


def check(seed: int = 0, tolerance: float = 1e-8) -> None:
    """Hold both rules to scikit-learn's on repeated rows.

    Its linear rule may differ by a factor, and its quadratic one divides by n or by n - 1,
    depending on the version.
    """
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )

    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], 20)
    X = 0.5 * y[:, None] + rng.standard_normal((40, 4))
    counts = np.zeros((5, 40))
    for row in counts:
        for label in (0, 1):
            np.add.at(row, rng.choice(np.flatnonzero(y == label), 20), 1)
    new = rng.standard_normal((30, 4))
    linear = lda(X, y, counts, new)
    quadratic = [qda(X, y, counts, new, ddof) for ddof in (0, 1)]
    for b, count in enumerate(counts):
        rows = np.repeat(np.arange(40), count.astype(int))
        theirs = LinearDiscriminantAnalysis().fit(X[rows], y[rows]).decision_function(new)
        factor = linear[b] / theirs
        if np.ptp(factor) > tolerance or factor[0] <= 0:
            raise AssertionError("the linear rule is not that of scikit-learn")
        theirs = QuadraticDiscriminantAnalysis().fit(X[rows], y[rows]).decision_function(new)
        if min(np.abs(one[b] - theirs).max() for one in quadratic) > tolerance:
            raise AssertionError("the quadratic rule is not that of scikit-learn")
