"""Configurations that train in no time: kernel ridge, nearest neighbours and naive Bayes.

Small samples with ten repeats and nested folds need hundreds of trainings of every configuration.
Kernel ridge stands for the support vector machines of the paper: one decomposition serves all
penalties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
WIDTHS = (0.01, 0.1, 1.0)  # of radial kernels
DEGREES = (2, 3)
PENALTIES = tuple(np.logspace(-3, 2, 6))
NEIGHBOURS = (1, 3, 5, 11)
SMOOTHING = (1e-3, 0.1, 1.0)
KERNELS = ("linear", *(f"rbf {w:g}" for w in WIDTHS), *(f"poly {d}" for d in DEGREES))
NAMES = (
    *(f"{kernel} penalty={penalty:.3g}" for kernel in KERNELS for penalty in PENALTIES),
    *(f"neighbours k={k}" for k in NEIGHBOURS),
    *(f"bayes smoothing={s:g}" for s in SMOOTHING),
)


@dataclass(frozen=True, eq=False)
class Grid:
    """All configurations on one sample: features of spread 1 (n, p) and an outcome of 0 and 1."""

    X: Floats
    y: Floats

    @cached_property
    def kernels(self) -> Floats:
        """Every kernel of all pairs of cases: (kernels, n, n)."""
        return self._kernels(self.X)

    @cached_property
    def distances(self) -> Floats:
        """The squared distances of all pairs of cases: (n, n)."""
        return self._distances(self.X)

    def scores(self, train: Rows, test: Rows) -> Floats:
        """Return what every configuration, trained on some cases, says of others: (test, C)."""
        part = self.kernels[:, test][:, :, train]
        return self._all(train, part, self.distances[np.ix_(test, train)], self.X[test])

    def scores_of_new(self, new: Floats) -> Floats:
        """Return what every configuration, trained on all cases, says of new ones: (N, C)."""
        every = np.arange(len(self.y))
        return self._all(every, self._kernels(new), self._distances(new), new)

    def _all(self, train: Rows, kernels: Floats, distances: Floats, X: Floats) -> Floats:
        parts = [self._ridges(train, kernels), self._neighbours(train, distances)]
        return np.concatenate([*parts, self._bayes(train, X)], axis=1)

    def _ridges(self, train: Rows, kernels: Floats) -> Floats:
        middle = self.y[train].mean()
        values, vectors = np.linalg.eigh(self.kernels[:, train][:, :, train])
        turned = np.matmul(vectors.transpose(0, 2, 1), self.y[train] - middle)  # (kernels, m)
        weights = turned[:, :, None] / (np.maximum(values, 0)[:, :, None] + PENALTIES)
        said = np.matmul(kernels, np.matmul(vectors, weights))  # (kernels, test, penalties)
        return np.asarray(middle + said.transpose(1, 0, 2).reshape(said.shape[1], -1))

    def _neighbours(self, train: Rows, distances: Floats) -> Floats:
        near = self.y[train][np.argsort(distances, axis=1, kind="stable")]
        sums = np.cumsum(near, axis=1)
        return np.stack([sums[:, min(k, len(train)) - 1] / k for k in NEIGHBOURS], axis=1)

    def _bayes(self, train: Rows, X: Floats) -> Floats:
        x, y = self.X[train], self.y[train]
        out = []
        for smooth in SMOOTHING:
            says = []
            for label in (0, 1):
                mean = x[y == label].mean(axis=0)
                var = x[y == label].var(axis=0) + smooth
                says.append(-0.5 * (np.square(X - mean) / var + np.log(var)).sum(axis=1))
            out.append(says[1] - says[0] + np.log(y.mean() / (1 - y.mean())))
        return np.stack(out, axis=1)

    def _kernels(self, new: Floats) -> Floats:
        inner = new @ self.X.T / self.X.shape[1]
        far = self._distances(new) / self.X.shape[1]
        radial = [np.exp(-width * far) for width in WIDTHS]
        return np.stack([inner, *radial, *((1 + inner) ** degree for degree in DEGREES)])

    def _distances(self, new: Floats) -> Floats:
        far = np.square(new).sum(axis=1)[:, None] + np.square(self.X).sum(axis=1)
        return np.asarray(np.maximum(far - 2 * new @ self.X.T, 0))
