"""Small learners and folds, for methods that speak of a learner; every one is plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest import NestedPredictions, PairedHalves, Predictions

Array = NDArray[np.float64]


def line_data(n: int = 40, seed: int = 0) -> tuple[Array, Array]:
    """Return cases of three numbers, and an outcome that depends on them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, -0.5, 0.0] + rng.normal(size=n)


def ridge(X: Array, y: Array, fresh: Array) -> Array:
    """Fit a ridge regression without intercept, and predict."""
    weights = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ y)
    return fresh @ weights


def random_folds(n: int, folds: int, repeats: int, seed: int = 0) -> NDArray[np.int64]:
    """Return folds (n, R) that are alike in size."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n) % folds for _ in range(repeats)], axis=1)


def cross_validated(
    X: Array, y: Array, folds: NDArray[np.int64], without: NDArray[np.bool_] | None = None
) -> Array:
    """Return what ridge predicts of each case (n, R), trained without its fold and `without`."""
    out = np.full(folds.shape, np.nan)
    kept = np.ones(len(y), dtype=bool) if without is None else ~without
    for repeat in range(folds.shape[1]):
        for fold in np.unique(folds[:, repeat]):
            tested = (folds[:, repeat] == fold) & kept
            trained = (folds[:, repeat] != fold) & kept
            if tested.any():
                out[tested, repeat] = ridge(X[trained], y[trained], X[tested])
    return out


def nested_ridge(n: int = 40, folds: int = 5, repeats: int = 3, seed: int = 0) -> NestedPredictions:
    """Return nested predictions of ridge, every model fitted by itself."""
    X, y = line_data(n, seed)
    codes = random_folds(n, folds, repeats, seed)
    outer = Predictions.from_arrays(y, cross_validated(X, y, codes)[:, None, :], codes)
    rows = []
    for repeat in range(repeats):
        row = []
        for fold in range(folds):
            held_out = codes[:, repeat] == fold
            own = codes[:, [repeat]]
            inner = cross_validated(X, y, own, held_out)
            row.append(
                Predictions.from_arrays(y, inner[:, None, :], np.where(held_out[:, None], -1, own))
            )
        rows.append(tuple(row))
    return NestedPredictions(outer, tuple(rows))


def halved_ridge(
    n: int = 60, splits: int = 6, halvings: int = 5, size: int = 6, seed: int = 0
) -> PairedHalves:
    """Return random splits of all cases and of halves, every model fitted by itself."""
    X, y = line_data(n, seed)
    rng = np.random.default_rng(seed)

    def subsampled(rows: NDArray[np.intp]) -> Predictions:
        scores, codes = np.full((n, 1, splits), np.nan), np.full((n, splits), -1)
        for j in range(splits):
            test = rng.permutation(rows)[:size]
            train = np.setdiff1d(rows, test)
            scores[test, 0, j] = ridge(X[train], y[train], X[test])
            codes[test, j] = 0
        return Predictions.from_arrays(y, scores, codes)

    whole = subsampled(np.arange(n))
    pairs = []
    for _ in range(halvings):
        order = rng.permutation(n)
        pairs.append((subsampled(order[: n // 2]), subsampled(order[n // 2 :])))
    return PairedHalves(whole, tuple(pairs))
