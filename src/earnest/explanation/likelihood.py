"""The scales of a Gaussian process: where the marginal likelihood of the trials is largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.explanation.kernels import KERNELS, squared_distances

Floats = NDArray[np.float64]
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
class Evidence:
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
        gradient[1:-1] = self._by_length(inner * steep, shrunk)
        gradient[-1] = 0.5 * scales.noise * np.trace(inner)
        return -float(likelihood), -gradient

    def _by_length(self, inner: Floats, shrunk: Floats) -> Floats:
        rows = inner.sum(axis=1)
        sums = rows @ (shrunk * shrunk) - np.einsum("ij,ij->j", shrunk, inner @ shrunk)
        return np.bincount(self.member, sums, self.groups).astype(np.float64)


def drawn_in(theta: Floats) -> tuple[float, Floats]:
    """Return the negative log density of a weak prior of the scales, and its gradient.

    Length scales around the root of their number, within a factor of 4.5 either way, and noise
    around 2 % of the variance, within a factor of 7: standard deviations of normal logs.
    """
    usual = np.array([0.0, *([0.5 * np.log(max(len(theta) - 2, 1))] * (len(theta) - 2)), -4.0])
    width = np.array([np.inf, *([1.5] * (len(theta) - 2)), 2.0])
    away = (theta - usual) / width
    return float(0.5 * away @ away), away / width


def best_scales(
    evidence: Evidence, restarts: int, rng: np.random.Generator, *, prior: bool
) -> Scales | None:
    """Return the scales of the highest likelihood found, None where no start converged."""
    from scipy.optimize import minimize

    def negative(theta: Floats) -> tuple[float, Floats]:
        value, gradient = evidence.negative(theta)
        if not prior:
            return value, gradient
        more, slope = drawn_in(theta)
        return value + more, gradient + slope

    bounds = np.log([AMPLITUDE, *([LENGTH] * evidence.groups), NOISE])
    found = [
        minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds)
        for start in _starts(evidence.groups, restarts, rng)
    ]
    good = [fit for fit in found if np.isfinite(fit.fun) and fit.fun < 1e24]
    return Scales.of(min(good, key=lambda fit: fit.fun).x) if good else None


def _starts(groups: int, restarts: int, rng: np.random.Generator) -> list[Floats]:
    """Return a usual place to begin, and others drawn around it."""
    usual = np.log([1.0, *([0.5 * np.sqrt(max(groups, 1))] * groups), 0.01])
    spread = np.array([1.0, *([1.0] * groups), 2.0])
    return [usual, *(usual + spread * rng.uniform(-1.5, 1.5, groups + 2) for _ in range(restarts))]
