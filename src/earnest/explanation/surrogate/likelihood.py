"""The scales of a Gaussian process: where the marginal likelihood of the trials is largest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Covariance functions of a stretched squared distance, and their slope in log length scales.


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kernel:
    """A covariance function of s² = (stretch r)², for r the distance in units of length scales.

    Parameters
    ----------
    words : str
        Its name for people.
    stretch : float
        What distances are multiplied by beforehand, once, rather than in every evaluation.
    value : callable
        `value(squares, out)`: the function, written to `out`; the squares are overwritten.
    slope : callable
        The factor f in the derivative f s_j² in log l_j, where s_j² is the part of s² that comes
        from length scale j.
    smoothness : float
        That of the Matérn family.
    fast_sums : callable, optional
        A shorter way to the sums over rows than by the values.
    """

    words: str
    stretch: float
    value: Callable[[Floats, Floats], Floats]
    slope: Callable[[Floats], Floats]
    smoothness: float
    fast_sums: Callable[[Floats, Floats], Floats] | None = None

    def sums(self, squares: Floats, out: Floats) -> Floats:
        """Return the sum of the values of each row; both arrays are overwritten."""
        if self.fast_sums is not None:
            return self.fast_sums(squares, out)
        return np.asarray(self.value(squares, out) @ np.ones(out.shape[1]))


def _apply_matern32(squares: Floats, out: Floats) -> Floats:
    """Return (1 + s) exp(-s)."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    squares += 1.0
    out *= squares
    return out


def _sum_matern32(squares: Floats, out: Floats) -> Floats:
    """Return the sums of exp(-s) and of s exp(-s): two passes over the values fewer."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    return np.asarray(out @ np.ones(out.shape[1]) + np.vecdot(squares, out))


def _apply_matern52(squares: Floats, out: Floats) -> Floats:
    """Return (1 + s + s²/3) exp(-s)."""
    s = np.sqrt(squares)
    np.negative(s, out=out)
    np.exp(out, out=out)
    squares /= 3.0
    squares += s
    squares += 1.0
    out *= squares
    return out


def _rbf(squares: Floats, out: Floats) -> Floats:
    """Return exp(-s²)."""
    np.negative(squares, out=out)
    return np.asarray(np.exp(out, out=out))


KERNELS: dict[str, Kernel] = {
    "matern32": Kernel(
        "Matérn 3/2",
        np.sqrt(3.0),
        _apply_matern32,
        lambda squares: np.exp(-np.sqrt(squares)),
        1.5,
        _sum_matern32,
    ),
    "matern52": Kernel(
        "Matérn 5/2",
        np.sqrt(5.0),
        _apply_matern52,
        lambda squares: (1.0 + np.sqrt(squares)) * np.exp(-np.sqrt(squares)) / 3.0,
        2.5,
    ),
    "rbf": Kernel(
        "squared exponential",
        np.sqrt(0.5),
        _rbf,
        lambda squares: 2.0 * np.exp(-squares),
        np.inf,
    ),
}


def squared_distances(left: Floats, right: Floats) -> Floats:
    """Return squared Euclidean distances (n, m) by one product, never negative."""
    squares = left @ (-2.0 * right).T
    squares += np.einsum("ij,ij->i", left, left)[:, None]
    squares += np.einsum("ij,ij->i", right, right)
    return np.asarray(np.maximum(squares, 0.0, out=squares))


JITTER = 1e-10

# Limits of the scales, for objectives of unit variance and features on [0, 1]: a length scale of
# 100 is a parameter without effect, and noise above the variance of the objective is all noise.
AMPLITUDE, LENGTH, NOISE = (1e-3, 1e3), (1e-2, 1e2), (1e-6, 2.0)


@dataclass(frozen=True)
class Scales:
    """What a Gaussian process is fitted by: amplitude, length scales and noise, all variances."""

    amplitude: float
    lengths: Floats  # one a group of features
    noise: float

    @classmethod
    def of(cls, theta: Floats) -> Scales:
        """Read the logs of amplitude, length scales and noise."""
        values = np.exp(theta)
        return cls(float(values[0]), values[1:-1], float(values[-1]))


@dataclass(frozen=True)
class SurrogateData:
    """Features (n, D) in groups, an objective of unit variance, and the variances known of it."""

    features: Floats
    member: NDArray[np.intp]  # the place of each feature's group among the groups
    groups: int
    objective: Floats
    known: Floats  # variances of single trials, beside the noise
    kernel: str

    def negative(self, theta: Floats) -> tuple[float, Floats]:
        """Return the negative log marginal likelihood and its gradient (Rasmussen 2006, 5.9).

        The gradient in a length scale is sum_ab M_ab (x_a - x_b)² / l², which is a matrix product
        with M, so that no array of n x n x D is ever made.
        """
        from scipy.linalg import cho_solve, cholesky

        scales = Scales.of(theta)
        kernel = KERNELS[self.kernel]
        shrunk = self.features * (kernel.stretch / scales.lengths[self.member])
        squares = squared_distances(shrunk, shrunk)
        steep = scales.amplitude * kernel.slope(squares)
        covariance = scales.amplitude * kernel.value(squares, np.empty_like(squares))
        total = covariance.copy()
        total[np.diag_indices_from(total)] = scales.amplitude + scales.noise + JITTER + self.known
        try:
            factor = cholesky(total, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(theta)
        weights = cho_solve((factor, True), self.objective, check_finite=False)
        inner = np.outer(weights, weights)
        inner -= cho_solve((factor, True), np.eye(len(weights)), check_finite=False)
        fit = 0.5 * self.objective @ weights + np.log(np.diag(factor)).sum()
        likelihood = -fit - 0.5 * len(weights) * np.log(2 * np.pi)
        gradient = np.empty_like(theta)
        gradient[0] = 0.5 * np.einsum("ij,ij->", inner, covariance)
        gradient[1:-1] = self._sum_by_length(inner * steep, shrunk)
        gradient[-1] = 0.5 * scales.noise * np.trace(inner)
        return -float(likelihood), -gradient

    def _sum_by_length(self, inner: Floats, shrunk: Floats) -> Floats:
        rows = inner.sum(axis=1)
        sums = rows @ (shrunk * shrunk) - np.einsum("ij,ij->j", shrunk, inner @ shrunk)
        return np.bincount(self.member, sums, self.groups).astype(np.float64)


def penalise_scales(theta: Floats) -> tuple[float, Floats]:
    """Return the negative log density of a weak prior of the scales, and its gradient.

    Length scales around the root of their number, within a factor of 4.5 either way, and noise
    around 2 % of the variance, within a factor of 7: standard deviations of normal logs.
    """
    usual = np.array([0.0, *([0.5 * np.log(max(len(theta) - 2, 1))] * (len(theta) - 2)), -4.0])
    width = np.array([np.inf, *([1.5] * (len(theta) - 2)), 2.0])
    away = (theta - usual) / width
    return float(0.5 * away @ away), away / width


def find_best_scales(
    evidence: SurrogateData, restarts: int, rng: np.random.Generator, *, prior: bool
) -> Scales | None:
    """Return the scales of the highest likelihood found, None where no start converged."""
    from scipy.optimize import minimize

    def negative(theta: Floats) -> tuple[float, Floats]:
        value, gradient = evidence.negative(theta)
        if not prior:
            return value, gradient
        more, slope = penalise_scales(theta)
        return value + more, gradient + slope

    bounds = np.log([AMPLITUDE, *([LENGTH] * evidence.groups), NOISE])
    found = [
        minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds)
        for start in _list_starts(evidence.groups, restarts, rng)
    ]
    good = [fit for fit in found if np.isfinite(fit.fun) and fit.fun < 1e24]
    return Scales.of(min(good, key=lambda fit: fit.fun).x) if good else None


def _list_starts(groups: int, restarts: int, rng: np.random.Generator) -> list[Floats]:
    """Return a usual place to begin, and others drawn around it."""
    usual = np.log([1.0, *([0.5 * np.sqrt(max(groups, 1))] * groups), 0.01])
    spread = np.array([1.0, *([1.0] * groups), 2.0])
    return [usual, *(usual + spread * rng.uniform(-1.5, 1.5, groups + 2) for _ in range(restarts))]
