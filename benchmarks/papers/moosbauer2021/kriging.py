"""The Gaussian process of the published experiments, which is not the usual one.

Its covariance is a *product* of one-dimensional functions, as in the R package DiceKriging, while
the Matérn 3/2 functions of scikit-learn and of ours are of one distance. It knows no noise (a
nugget of 1e-8 variances) and estimates a constant mean. Length scales are at most twice the width
of the space; where the nugget is given, the variance is at most ten times that of the values.
Bands leave out the uncertainty of the mean ("simple kriging").
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.cautions import Caution
from earnest.core.space.space import Space
from earnest.explanation.surrogate.surrogate import EffectSums, as_columns

Floats = NDArray[np.float64]
WIDTH, NUGGET = 10.0, 1e-8
LENGTHS = (1e-2, 2 * WIDTH)
USUAL, ANEW = WIDTH / 2, 5  # where the search for scales begins, and at each so-many-th fit anew
STRETCH = {"matern32": np.sqrt(3.0), "rbf": np.sqrt(0.5)}


def correlation(left: Floats, right: Floats, lengths: Floats, kernel: str) -> Floats:
    """Return the product over dimensions of (1 + h) exp(-h), or of exp(-h²)."""
    total = np.zeros((len(left), len(right)))
    factor = np.ones_like(total)
    for x, z, length in zip(left.T, right.T, lengths, strict=True):
        h = np.abs(np.subtract.outer(x, z)) * (STRETCH[kernel] / length)
        if kernel == "rbf":
            total += h * h
        else:
            total += h
            factor *= 1.0 + h
    return np.asarray(factor * np.exp(-total))


@dataclass
class Kriging:
    """A process that is fitted again and again, each time also from where it stood.

    It has what the package bayesian-optimization asks of its regressor: `fit`, `predict` and
    `X_train_`.
    """

    sign: float = 1.0  # -1 where targets come with their sign changed
    kernel: str = "matern32"
    freedom: float = 10.0  # by how much the variance may differ from that of the values
    theta: Floats | None = field(default=None, repr=False)

    def fit(self, points: Floats, targets: Floats) -> Kriging:
        """Find the scales of the largest likelihood, then the weights."""
        from scipy.linalg import cho_factor, cho_solve
        from scipy.optimize import minimize

        self.X_train_ = np.asarray(points, dtype=np.float64)
        values = self.sign * np.asarray(targets, dtype=np.float64)
        variance, d = float(values.var(ddof=1)), self.X_train_.shape[1]
        usual = np.log([1.0, *([USUAL] * d)])
        starts = [usual] if self.theta is None or len(values) % ANEW == 0 else []
        starts += [] if self.theta is None else [self.theta]
        amplitudes = amplitude_limits(self.X_train_, values, self.freedom) / variance
        fits = [
            minimize(
                negative_log_likelihood,
                start,
                args=(self.X_train_, values, variance, self.kernel),
                jac=True,
                method="L-BFGS-B",
                bounds=np.log(np.vstack([amplitudes, *([LENGTHS] * d)])),
            )
            for start in starts
        ]
        self.theta = min(fits, key=lambda each: float(each.fun)).x
        self.amplitude, self.lengths = variance * np.exp(self.theta[0]), np.exp(self.theta[1:])
        covariance = self._near(self.X_train_)
        covariance[np.diag_indices_from(covariance)] += NUGGET * variance
        self.inverse = cho_solve(cho_factor(covariance, lower=True), np.eye(len(values)))
        self.mean = float((self.inverse @ values).sum() / self.inverse.sum())
        self.weights = self.inverse @ (values - self.mean)
        return self

    def predict(self, points: Floats, return_std: bool = True) -> tuple[Floats, Floats]:
        """Return mean and standard deviation, the mean with the sign of the targets."""
        near = self._near(points)
        mean = self.mean + near @ self.weights
        left = self.amplitude - np.einsum("ij,ij->i", near @ self.inverse, near)
        return self.sign * mean, np.sqrt(np.maximum(left, 0.0))

    def sd_of_mean(self, points: Floats) -> float:
        """Return the standard deviation of the mean over the points, by all covariances."""
        apart = correlation(points, points, self.lengths, self.kernel)
        near = self._near(points).mean(axis=0)
        return float(np.sqrt(max(self.amplitude * apart.mean() - near @ self.inverse @ near, 0.0)))

    def _near(self, points: Floats) -> Floats:
        points = np.asarray(points)
        near = correlation(points, self.X_train_, self.lengths, self.kernel)
        return np.asarray(self.amplitude * near)


def amplitude_limits(points: Floats, values: Floats, freedom: float) -> Floats:
    """Return limits around the variance, that of all values or of those far from each other."""
    from scipy.spatial.distance import pdist

    apart = pdist(points)
    far = 0.5 * np.square(pdist(values[:, None]))[apart > np.median(apart)].mean()
    both = (float(values.var(ddof=1)), float(far))
    return np.array([min(both) / freedom, max(both) * freedom])


def negative_log_likelihood(
    theta: Floats, points: Floats, values: Floats, variance: float, kernel: str
) -> tuple[float, Floats]:
    """Return it, the constant mean at its best, and its gradient in log amplitude and lengths."""
    from scipy.linalg import cho_solve, cholesky

    n, lengths = len(values), np.exp(theta[1:])
    signal = variance * np.exp(theta[0]) * correlation(points, points, lengths, kernel)
    total = signal.copy()
    total[np.diag_indices_from(total)] += NUGGET * variance
    try:
        factor = cholesky(total, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return 1e10, np.zeros_like(theta)
    inverse = cho_solve((factor, True), np.eye(n), check_finite=False)
    away = values - (inverse @ values).sum() / inverse.sum()
    weights = inverse @ away
    slope = 0.5 * (inverse - np.outer(weights, weights)) * signal
    gradient = np.empty_like(theta)
    gradient[0] = slope.sum()
    for j, (x, length) in enumerate(zip(points.T, lengths, strict=True)):
        h = np.abs(np.subtract.outer(x, x)) * (STRETCH[kernel] / length)
        steep = 2.0 * h * h if kernel == "rbf" else h * h / (1.0 + h)
        gradient[1 + j] = np.einsum("ij,ij->", slope, steep)
    return float(0.5 * away @ weights + np.log(np.diag(factor)).sum()), gradient


@dataclass(frozen=True)
class KrigingSurrogate:
    """The process in the shape that curves and regions are made from; codes are on [0, 1]."""

    space: Space
    process: Kriging
    name: str = "kriging"
    noise_sd: float = 0.0
    cautions: tuple[Caution, ...] = ()

    def posterior(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd at codes (n, d)."""
        return self.process.predict(WIDTH * codes - WIDTH / 2)

    def effect(
        self,
        points: Floats,
        column: int | tuple[int, ...],
        values: Floats,
        *,
        pointwise: bool = True,
        covariance: bool = False,
        n_jobs: int | None = None,
    ) -> EffectSums:
        """Return the ICE curves and their averages (equations 3 and 5)."""
        columns, table = as_columns(column, values)
        both = [self.posterior(moved) for moved in self.space.place(points, columns, table)]
        means, sds = (np.column_stack(part) for part in zip(*both, strict=True))
        sd = np.sqrt(np.square(sds).mean(axis=0))
        return EffectSums(means.mean(axis=0), sd, None, means, sds)
