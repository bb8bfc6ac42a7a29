"""How far the best of several scores lies above its true one by luck alone.

Tries on the same cases agree: what is hard for one is hard for another. `correlation` is that of
what two tries make of a case, on a normal scale (the tetrachoric correlation of right and wrong).
Agreement moves all scores together, and leaves less for the best of them to gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import beta, binom

Array = NDArray[np.float64]
POINTS = 64  # of a rule of Gauss
MOST_CASES = 100_000  # up to which the law of a proportion is exact
FEWEST_TO_SHRINK = 3


class ErrorKind(StrEnum):
    """What the error of a score is that of."""

    PROPORTION = "proportion"
    MEAN = "mean"
    AUC = "auc"


@dataclass(frozen=True, kw_only=True)
class ScoreLaw:
    """The error of one score: greater is better.

    Parameters
    ----------
    law : ErrorKind
        A proportion of n cases, a mean over n cases, or an AUC of n cases.
    n : int
        The cases.
    deviation : float
        The standard deviation of a case, for a mean.
    positives : int
        The cases of the positive class, for an AUC.
    """

    law: ErrorKind
    n: int
    deviation: float = math.nan
    positives: int = 0

    def variance(self, score: float) -> float:
        """Return the variance of a score whose true value this is."""
        if self.law is ErrorKind.MEAN:
            return self.deviation**2 / self.n
        inner = min(max(score, 0.5 / self.n), 1.0 - 0.5 / self.n)
        if self.law is ErrorKind.PROPORTION:
            return inner * (1.0 - inner) / self.n
        m, k = self.positives, self.n - self.positives
        q1, q2 = inner / (2.0 - inner), 2.0 * inner**2 / (1.0 + inner)
        square = inner**2
        spread = inner * (1.0 - inner) + (m - 1) * (q1 - square) + (k - 1) * (q2 - square)
        return spread / (m * k)

    def agreement(self, score: float, correlation: float) -> float:
        """Return the correlation of the errors of two scores of this true value.

        A mean keeps the correlation of its cases; that of proportions and of areas is smaller.
        """
        if self.law is ErrorKind.MEAN or correlation <= 0.0:
            return correlation
        inner = min(max(score, 0.5 / self.n), 1.0 - 0.5 / self.n)
        height = float(ndtri(inner))
        if self.law is ErrorKind.PROPORTION:
            return (both_below(height, correlation) - inner**2) / (inner * (1.0 - inner))
        shared = both_below(height, correlation / 2.0) - inner**2
        return shared / (both_below(height, 0.5) - inner**2)

    def expected_luck(self, score: float, tries: int, correlation: float) -> float:
        """Return by how much the best of equally good tries is too good in the mean.

        Examples
        --------
        >>> from earnest.decision.luck import ErrorKind, ScoreLaw
        >>> law = ScoreLaw(law=ErrorKind.PROPORTION, n=200)
        >>> [round(law.expected_luck(0.62, 30, agreed), 3) for agreed in (0, 0.5, 0.8)]
        [0.069, 0.057, 0.045]
        """
        independent = math.sqrt(1.0 - self.agreement(score, correlation))
        if self.law is ErrorKind.PROPORTION and self.n <= MOST_CASES:
            below = binom.cdf(np.arange(self.n), self.n, min(max(score, 0.0), 1.0))
            return independent * (float(np.sum(1.0 - below**tries)) / self.n - score)
        return independent * math.sqrt(self.variance(score)) * expected_maximum(tries)

    def luck_quantile(self, score: float, tries: int, correlation: float, share: float) -> float:
        """Return the luck that the best of equally good tries does not exceed in a share."""
        agreed = self.agreement(score, correlation)
        points, weights = _list_normal_points()
        independent, shared = math.sqrt(1.0 - agreed), math.sqrt(max(agreed, 0.0))
        low, high = -10.0, 10.0
        for _ in range(60):
            middle = (low + high) / 2.0
            chance = float(weights @ ndtr((middle - shared * points) / independent) ** tries)
            low, high = (middle, high) if chance < share else (low, middle)
        return high * math.sqrt(self.variance(score))

    def limits(self, score: float, below: float, above: float) -> tuple[float, float]:
        """Return limits of the true value, which it lies below and above with these chances."""
        if self.law is ErrorKind.PROPORTION:
            hits = score * self.n
            low = float(beta.ppf(below, hits, self.n - hits + 1)) if hits > 0 else 0.0
            high = float(beta.isf(above, hits + 1, self.n - hits)) if hits < self.n else 1.0
            return low, high
        if self.law is ErrorKind.MEAN:
            error = math.sqrt(self.variance(score))
            return score + float(ndtri(below)) * error, score - float(ndtri(above)) * error
        return self._solve(score, below, upper=False), self._solve(score, above, upper=True)

    def _solve(self, score: float, share: float, *, upper: bool) -> float:
        """Return the area under which a score as extreme as this one has a chance of `share`."""
        low, high = (score, 1.0) if upper else (0.0, score)
        distance = -float(ndtri(share))
        for _ in range(60):
            middle = (low + high) / 2.0
            away = abs(score - middle) / math.sqrt(self.variance(middle))
            beyond = away > distance
            if upper:
                low, high = (low, middle) if beyond else (middle, high)
            else:
                low, high = (middle, high) if beyond else (low, middle)
        return (low + high) / 2.0

    def chance_of_lead(self, scores: Array) -> float:
        """Return at most with which chance equally good tries lead by so much.

        Bonferroni's rule over the tries, as if they were independent: agreement makes it less.
        """
        count, mean, best = len(scores), float(scores.mean()), float(scores.max())
        if self.law is ErrorKind.PROPORTION:
            tail = float(binom.sf(math.ceil(best * self.n - 1e-9) - 1, self.n, mean))
        else:
            tail = float(ndtr((mean - best) / math.sqrt(self.variance(mean))))
        return min(1.0, count * tail)

    def correct(self, scores: Array, correlation: float) -> float:
        """Return the best score, moved towards the mean by the share of the spread that is luck.

        The spread of true scores is what the observed one has beyond that of errors (James and
        Stein). It is a rough value: with few tries the spread itself is rough.
        """
        best, mean, count = float(scores.max()), float(scores.mean()), len(scores)
        spread = float(scores.var(ddof=1)) if count > 1 else 0.0
        if spread == 0.0:
            return best
        errors = self.variance(mean) * (1.0 - self.agreement(mean, correlation))
        dimensions = (count - 3) / (count - 1) if count > FEWEST_TO_SHRINK else 1.0
        return mean + (1.0 - min(1.0, dimensions * errors / spread)) * (best - mean)


@cache
def _list_normal_points() -> tuple[Array, Array]:
    """Return points and weights of a rule for means over a standard normal."""
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    return points, weights / weights.sum()


@cache
def _list_even_points() -> tuple[Array, Array]:
    """Return points and weights of a rule for integrals from -1 to 1."""
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    return np.asarray(points), np.asarray(weights)


def both_below(height: float, correlation: float) -> float:
    """Return the chance that two standard normals of a correlation both lie below a height.

    Examples
    --------
    >>> from earnest.decision.luck import both_below
    >>> round(both_below(0.0, 0.5), 6)  # 1/4 + arcsin(1/2) / 2 pi
    0.333333
    """
    points, weights = _list_even_points()
    angles = math.asin(correlation) * (points + 1.0) / 2.0  # so that nothing is steep near 1
    terms = np.exp(-(height**2) / (1.0 + np.sin(angles)))
    area = math.asin(correlation) / 2.0 * float(weights @ terms) / (2.0 * math.pi)
    return float(ndtr(height)) ** 2 + area


def expected_maximum(tries: int) -> float:
    """Return the expected largest of independent standard normals.

    Examples
    --------
    >>> from earnest.decision.luck import expected_maximum
    >>> round(expected_maximum(2), 6)  # 1 / sqrt(pi)
    0.56419
    """
    grid = np.linspace(0.0, 9.0, 1801)
    above, below = 1.0 - ndtr(grid) ** tries, ndtr(-grid) ** tries
    return float(np.trapezoid(above - below, grid))
