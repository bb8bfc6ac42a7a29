"""Limits of a score on few cases, of differences of such scores, and of many of them at once.

Three laws, each at any tail. A share of right cases is binomial: the exact limits of Clopper and
Pearson, for as many independent cases as its variance is worth. An AUC and other functions of
sums between two limits have these limits too, for no more cases than the smallest class holds
where the variance says so. A mean of losses has Student's limits, with two corrections for few
cases: its spread is at least that of all cases put together, and the limit on the long side of
skewed losses reaches further (Johnson 1978).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from earnest.core.data.predictions import Predictions
from earnest.inference.cases.case_values import score_terms
from earnest.inference.curves.thresholds import limit_binomial
from earnest.inference.subgroups.scores import MaskScore
from earnest.metrics.families import Metric, MomentMetric

Floats = NDArray[np.float64]
DRAWS = 20_000  # joint normal draws that a local level is read from
CELLS = 1 << 21  # of draws times errors, beyond which fewer draws are enough
POOL = 10  # cases that the spread of all cases counts as, beside those of a subgroup
TINY = 1e-12


class SubgroupLaw(StrEnum):
    """How a score on few cases is distributed."""

    SHARE = "share"  # of right cases
    BOUNDED = "bounded"  # a function of sums, or an AUC, between two limits
    MEAN = "mean"  # of numbers of cases without a limit that counts

    @classmethod
    def of(cls, metric: Metric) -> SubgroupLaw:
        """Return the law of a metric."""
        if metric.pointwise:
            share = isinstance(metric, MomentMetric) and metric.trials is not None
            return cls.SHARE if share else cls.MEAN
        return cls.BOUNDED if np.isfinite(metric.limits).all() else cls.MEAN


@dataclass(frozen=True)
class LossPool:
    """The spread and the skewness of the numbers of all units, about the mean of their subgroup.

    A unit is a case, or a group of cases: what it adds to the mean of a subgroup, times its units.

    Attributes
    ----------
    spread : float
        The standard deviation of one unit.
    skewness : float
        Positive where large numbers are rare.
    """

    spread: float
    skewness: float

    @classmethod
    def of(
        cls, pi: Predictions, metric: Metric, winner: int, codes: NDArray[np.int64]
    ) -> LossPool | None:
        """Return it for a mean over cases, None for any other metric."""
        if SubgroupLaw.of(metric) is not SubgroupLaw.MEAN or not metric.pointwise:
            return None
        if pi.target.masses is not None:  # units weigh unlike from subgroup to subgroup
            return None
        scored = score_terms(pi.select(winner), metric)
        if scored is None or not np.isfinite(scored[1]).all():
            return None
        terms = scored[1][:, 0]
        sizes = np.bincount(codes)
        away = terms - (np.bincount(codes, weights=terms) / np.maximum(sizes, 1))[codes]
        if pi.target.groups is not None:
            pairs = np.stack([codes, pi.target.groups], axis=1)
            units, places = np.unique(pairs, axis=0, return_inverse=True)
            counts = np.bincount(units[:, 0], minlength=len(sizes))
            sums = np.bincount(places.reshape(-1), weights=away)
            away = np.asarray(sums * (counts / np.maximum(sizes, 1))[units[:, 0]])
        free = max(len(away) - int((sizes > 0).sum()), 1)
        spread = math.sqrt(float(np.square(away).sum()) / free)
        skewness = float(np.mean(away**3)) / spread**3 if spread > TINY else 0.0
        return cls(spread, skewness)


@dataclass(frozen=True, kw_only=True)
class ScoreLimits:
    """The limits of one score at any tail.

    Attributes
    ----------
    score : MaskScore
        The score.
    metric : Metric
        What it is measured in.
    pool : LossPool or None
        What all cases say of the spread of a mean.
    """

    score: MaskScore
    metric: Metric
    pool: LossPool | None = None

    @property
    def has_width(self) -> bool:
        """Whether there is an error: losses that are all equal do not show how they vary."""
        if SubgroupLaw.of(self.metric) is not SubgroupLaw.MEAN:
            return True
        spread = 0.0 if self.pool is None else self.pool.spread
        return self.score.variance + self.score.choice + spread > TINY**2

    def limit(self, tail: float) -> tuple[float, float]:
        """Return both limits, each of which is wrong with about this probability."""
        if not self.score.defined or self.score.n_units < 2:
            return self.metric.limits
        law = SubgroupLaw.of(self.metric)
        low, high = (
            self._limit_mean(tail) if law is SubgroupLaw.MEAN else self._limit_share(law, tail)
        )
        value, clip = self.score.value, self.metric.scale.clip
        return clip(min(low, value)), clip(max(high, value))

    def _limit_share(self, law: SubgroupLaw, tail: float) -> tuple[float, float]:
        bottom, top = self.metric.limits
        width = top - bottom
        share = min(max((self.score.value - bottom) / width, 0.0), 1.0)
        trials = self._count_trials(law, share, width, tail)
        low, high = limit_binomial(np.array([share]), np.array([trials]), tail)
        return bottom + width * float(low[0]), bottom + width * float(high[0])

    def _count_trials(self, law: SubgroupLaw, share: float, width: float, tail: float) -> float:
        """Return how many independent cases the score is worth, at this tail.

        Where the variance is itself an estimate from few units the cases are fewer by the square
        of the ratio of Student's quantiles (Korn and Graubard 1998).
        """
        score = self.score
        naive = min(max((score.naive - self.metric.limits[0]) / width, 0.0), 1.0)
        independent = score.n_units == score.n_cases
        most = float(min(score.fewest, score.n_units))
        if law is SubgroupLaw.SHARE and independent:
            trials = float(score.n_cases)
        else:
            variance = score.variance / width**2
            inner = naive * (1.0 - naive)
            trials = inner / variance if inner > TINY and variance > TINY**2 else most
            if law is SubgroupLaw.SHARE:
                trials = min(trials, float(score.n_cases))
                freedom, quantile = score.n_units - 1, float(stdtrit(score.n_cases - 1, tail))
            else:
                freedom, quantile = max(min(score.fewest, score.n_units) - 1, 1), float(ndtri(tail))
            trials *= min((quantile / float(stdtrit(freedom, tail))) ** 2, 1.0)
        inner = max(share * (1.0 - share), 0.25 / max(most, 1.0) / 4.0)
        together = inner / trials + score.choice / width**2
        return max(inner / together, TINY)

    def _limit_mean(self, tail: float) -> tuple[float, float]:
        score, pool = self.score, self.pool
        variance, free, skewness = score.variance, float(score.n_units - 1), 0.0
        if pool is not None:
            seen, every = variance * score.n_units, pool.spread**2
            shared = (free * seen + POOL * every) / (free + POOL)
            variance = max(seen, shared) / score.n_units
            skewness = pool.skewness
        reach = -float(stdtrit(free, tail))
        error = math.sqrt(variance + score.choice)
        more = abs(skewness) * math.sqrt(variance) / (6.0 * math.sqrt(score.n_units))
        more *= 1.0 + 2.0 * min(reach, 4.0) ** 2
        low, high = score.value - reach * error, score.value + reach * error
        return (low, high + more) if skewness >= 0.0 else (low - more, high)


def limit_difference(
    first: tuple[float, tuple[float, float]],
    second: tuple[float, tuple[float, float]],
    together: float,
) -> tuple[float, float]:
    """Return the limits of a - b from a and b, each a value with its limits (Newcombe's MOVER).

    Parameters
    ----------
    together : float
        The correlation of the errors of a and b.

    Examples
    --------
    >>> from earnest.inference.subgroups.laws import limit_difference
    >>> low, high = limit_difference((0.8, (0.7, 0.9)), (0.7, (0.6, 0.8)), 0.0)
    >>> round(low, 3), round(high, 3)
    (-0.041, 0.241)
    """
    (a, (a_low, a_high)), (b, (b_low, b_high)) = first, second

    def reach(one_side: float, other_side: float) -> float:
        square = one_side**2 + other_side**2 - 2.0 * together * one_side * other_side
        return math.sqrt(max(square, 0.0))

    return a - b - reach(a - a_low, b_high - b), a - b + reach(a_high - a, b - b_low)


def correlate(moves: Floats) -> Floats:
    """Return the correlations (k, k) of errors that units add up to: moves (U, k)."""
    products = moves.T @ moves
    size = np.sqrt(np.diag(products))
    scale = np.where(size > TINY, size, 1.0)
    correlations = products / np.outer(scale, scale)
    correlations[np.diag_indices_from(correlations)] = 1.0
    return np.asarray(np.clip(correlations, -1.0, 1.0))


def find_tail(
    correlations: Floats, alpha: float, random: np.random.Generator, *, one_sided: bool = False
) -> float:
    """Return the tail of each limit with which all hold at once with probability 1 - alpha.

    The largest of as many normal errors, with their correlations, exceeds the quantile of this
    tail with probability alpha (max-T). It is never below Bonferroni's tail, and independent errors
    have Šidák's without draws.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.subgroups.laws import find_tail
    >>> random = np.random.default_rng(0)
    >>> round(find_tail(np.eye(1), 0.05, random), 4), round(find_tail(np.eye(10), 0.05, random), 5)
    (0.025, 0.00256)
    """
    count, sides = len(correlations), 1 if one_sided else 2
    if count < 2 or not np.abs(correlations - np.eye(count)).max() > TINY:
        return float((1.0 - (1.0 - alpha) ** (1.0 / max(count, 1))) / sides)
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = min(DRAWS, max(DRAWS // 5, CELLS // count))
    errors = random.standard_normal((draws, count)) @ root.T
    largest = errors.max(axis=1) if one_sided else np.abs(errors).max(axis=1)
    reach = float(np.quantile(largest, 1.0 - alpha))
    tail = float(0.5 * math.erfc(reach / math.sqrt(2.0)))
    return min(max(tail, alpha / count / sides), alpha / sides)
