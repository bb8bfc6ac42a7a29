"""Limits for the winner of a search: how far its error may flatter it, and the laws of one score.

A law gives the limits of one configuration as if it had been fixed in advance: of an AUC, of the
overlap that F1 measures, of a mean loss; and of scores whose units are few groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.interval import LimitSource, open_side, source_from_dict, tail_of
from earnest.core.results.limits import INSIDE, ShareLimits, find_switch
from earnest.core.results.specs import Side

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)
CORRELATIONS = 0.25 * (NODES + 1.0)  # from 0 to 1/2
FALLING = -1.0 / (1.0 + CORRELATIONS)
DENSITIES = 0.25 * NODE_WEIGHTS / np.sqrt(1.0 - CORRELATIONS**2) / (2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class NearWinnerLimits:
    """Limits of one configuration, with the bad end at a level that holds for whoever won.

    In Gaussian draws of all scores, in a world with the gaps that luck cannot explain, `errors` are
    by how many standard errors the winner of each draw flatters itself. The limit of the winner
    alone is read at the tail beyond the matching quantile: never a larger one than is asked for,
    and never a smaller one than Bonferroni's. The other end stays as it is, since choosing the best
    can only be optimistic. Ends are moved outwards to `value` where they would leave it out.

    Parameters
    ----------
    inner : LimitSource
        The limits of the winner, as if it had been fixed in advance.
    value : float
        The corrected value, which the interval always holds.
    end : Side
        The bad end: LOWER for a score, UPPER for a loss.
    configs : int
        From how many configurations the winner was chosen.
    errors : ndarray, shape (M,), or None
        The errors of the winners of the draws, rising; None for one configuration, and where they
        were not kept.
    draws : ndarray, shape (B,), or None
        The out-of-bag scores that the value is the mean of.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.limits import ShareLimits
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.winner_limits import NearWinnerLimits
    >>> of_two = np.sort(np.random.default_rng(0).standard_normal((2000, 2)).max(axis=1))
    >>> inner = ShareLimits(0.9, 100, exact=True)
    >>> limits = NearWinnerLimits(inner, 0.89, Side.LOWER, 2, of_two)
    >>> round(limits.local_tail(0.05), 3)  # two unlike configurations: 1 - sqrt(.95)
    0.025
    """

    inner: LimitSource
    value: float
    end: Side
    configs: int
    errors: NDArray[np.float64] | None = None
    draws: NDArray[np.float64] | None = None

    def local_tail(self, tail: float) -> float:
        """Return the tail at which the limit of the winner alone is read.

        Where the draws are too few for a tail, it is Bonferroni's.
        """
        if self.configs == 1:
            return tail
        if self.errors is None:
            raise EvidenceError(
                "the draws of this estimate were not kept",
                needs="the draws that an interval is read from",
                cure="Compute it again, or keep them with to_dict(draws=True).",
            )
        least = tail / self.configs
        place = math.ceil((1.0 - tail) * (len(self.errors) + 1))
        if place > len(self.errors):
            return least
        beyond = 0.5 * math.erfc(float(self.errors[place - 1]) / math.sqrt(2.0))
        return min(max(beyond, least), tail)

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        local = self.local_tail(tail)
        lower, upper = (local, tail) if self.end is Side.LOWER else (tail, local)
        low, _ = self.inner.limits(1.0 - lower, Side.LOWER)
        _, high = self.inner.limits(1.0 - upper, Side.UPPER)
        return open_side(min(low, self.value), max(high, self.value), side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        data: dict[str, object] = {
            "kind": "near_winner",
            "value": self.value,
            "end": str(self.end),
            "configs": self.configs,
            "inner": self.inner.to_dict(draws=draws),
        }
        if draws and self.errors is not None:
            data["errors"] = self.errors.tolist()
        if draws and self.draws is not None:
            data["draws"] = [None if math.isnan(d) else d for d in self.draws.tolist()]
        return data

    @classmethod
    def from_dict(cls, data: JsonObject) -> NearWinnerLimits:
        """Make limits from plain data."""
        inner, errors, draws = source_from_dict(data["inner"]), data.get("errors"), None
        assert inner is not None
        if data.get("draws") is not None:
            draws = np.array([math.nan if d is None else d for d in data["draws"]])
        return cls(
            inner,
            data["value"],
            Side(data["end"]),
            data["configs"],
            None if errors is None else np.array(errors),
            draws,
        )


@dataclass(frozen=True)
class AreaLimits:
    """Limits of one AUC by a score test: its variance is that at the value tested.

    An AUC t of m positives and k negatives is worth q(t) = t (1 - t) / V(t) independent trials,
    where V(t) is the variance under two normal laws of equal spread. The lower limit is the t at
    which a Beta law with the parameters A q(t) + 1/3 and (1 - A) q(t) + 2/3 has the tail below t.
    As the variance is not that of the scores seen, perfect separation is no special case.

    Parameters
    ----------
    area : float
        The AUC seen, A.
    positives, negatives : float
        The cases of the two classes, m and k; not whole where several AUCs are averaged.
    widening : float
        By how much the variance exceeds V.
    trials : float
        The most trials that it can be worth.
    constant, slope : float
        The metric is constant + slope * AUC.
    crossed : float, optional
        The number n of all cases, if they were cross-validated. They trained each other's models
        then, which adds 2 lambda phi(z)² / n to the variance, with t = Phi(z) and the lambda of
        `trained_variance` at z / sqrt(2): the share of right answers that goes with such an AUC.

    Examples
    --------
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.winner_limits import AreaLimits
    >>> low, _ = AreaLimits(1.0, 20, 20).limits(0.95, Side.LOWER)
    >>> round(low, 3)
    0.951
    """

    area: float
    positives: float
    negatives: float
    widening: float = 1.0
    trials: float = math.inf
    constant: float = 0.0
    slope: float = 1.0
    crossed: float | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        open_end = {Side.LOWER: Side.UPPER, Side.UPPER: Side.LOWER}.get(side)
        if self.slope < 0 and open_end is not None:  # of the AUC it is the other one
            open_end = side
        low = math.nan if open_end is Side.LOWER else self._low(tail)
        high = math.nan if open_end is Side.UPPER else self._high(tail)
        ends = self.constant + self.slope * low, self.constant + self.slope * high
        return open_side(*(ends if self.slope >= 0 else ends[::-1]), side)

    def _low(self, tail: float) -> float:
        """Return the largest value that is too small for the AUC seen."""
        return find_switch(self.area, self._excess(self.area, tail, 1.0))

    def _high(self, tail: float) -> float:
        """Return the smallest value that is too large for the AUC seen."""
        seen = 1.0 - self.area  # as of the other class
        return 1.0 - find_switch(seen, self._excess(seen, tail, -1.0))

    def _excess(self, seen: float, tail: float, sign: float) -> Callable[[float], float]:
        """Return by how much, on the normal scale, an AUC seen is no surprise under a value.

        With the sign -1 both are those of the other class.
        """
        from scipy.special import betainc, ndtri

        least, cases = float(ndtri(tail)), self.positives + self.negatives - 2
        pairs = self.positives * self.negatives
        trained = 0.0 if self.crossed is None else 2.0 * self.widening / self.crossed

        def excess(tested: float) -> float:
            inside = min(max(tested, INSIDE), 1.0 - INSIDE)  # `binormal_trials` of one number
            spread, normal = inside * (1.0 - inside), float(ndtri(inside))
            shared = float((np.exp(normal * normal * FALLING)[None] @ DENSITIES)[0])
            trials = min(spread / ((spread + cases * shared) / pairs) / self.widening, self.trials)
            if trained:
                learned = math.exp(-2.0 * math.asinh(max(sign * normal, 0.0) / math.sqrt(8.0)))
                density = learned * math.exp(-normal * normal) / (2.0 * math.pi)
                trials = 1.0 / (1.0 / trials + trained * density / spread)
            below = betainc(seen * trials + 1 / 3, (1.0 - seen) * trials + 2 / 3, tested)
            return float(ndtri(below)) - least

        return excess

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws, and trials without a bound are None."""
        said = {
            "kind": "area",
            "area": self.area,
            "positives": self.positives,
            "negatives": self.negatives,
            "widening": self.widening,
            "trials": self.trials if math.isfinite(self.trials) else None,
            "constant": self.constant,
            "slope": self.slope,
        }
        return said if self.crossed is None else {**said, "crossed": self.crossed}

    @classmethod
    def from_dict(cls, data: JsonObject) -> AreaLimits:
        """Make limits from plain data."""
        given = {name: value for name, value in data.items() if name != "kind"}
        trials = math.inf if given["trials"] is None else given["trials"]
        return cls(**{**given, "trials": trials})


@dataclass(frozen=True)
class OverlapLimits:
    """Exact limits of F1, the overlap of the true and the predicted positives.

    Of the N cases that are positive or predicted so, a share J is both, and F1 = 2 J / (1 + J).
    Given N the hits are binomial, so that Clopper and Pearson's limits of J are those of F1.

    Parameters
    ----------
    f1 : float
        The F1 seen.
    trials : float
        The number of cases that are positive or predicted so, N.
    crossed : float, optional
        The number of all cases, if they were cross-validated; as in `ShareLimits`.

    Examples
    --------
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.winner_limits import OverlapLimits
    >>> low, _ = OverlapLimits(1.0, 20).limits(0.95, Side.LOWER)
    >>> share = 0.05 ** (1 / 20)
    >>> round(low, 4), round(2 * share / (1 + share), 4)
    (0.9252, 0.9252)
    """

    f1: float
    trials: float
    crossed: float | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        share = self.f1 / (2.0 - self.f1)
        overlap = ShareLimits(share, self.trials, exact=True, crossed=self.crossed)
        low, high = (
            2.0 * end / (1.0 + end) if math.isfinite(end) else end
            for end in overlap.limits(confidence_level, side)
        )
        return low, high

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws."""
        said = {"kind": "overlap", "f1": self.f1, "trials": self.trials}
        return said if self.crossed is None else {**said, "crossed": self.crossed}

    @classmethod
    def from_dict(cls, data: JsonObject) -> OverlapLimits:
        """Make limits from plain data."""
        return cls(data["f1"], data["trials"], data.get("crossed"))


@dataclass(frozen=True)
class LossLimits:
    """Limits of one mean loss by a Gamma law, whose spread grows with the value tested.

    The mean of losses over its truth has a Gamma law of mean 1 and variance 1 / shape: exactly so
    for squared errors of a normal law, where the shape is n / 2. The upper limit is the truth that
    leaves the tail below the loss seen.

    Parameters
    ----------
    loss : float
        The mean loss seen, positive.
    shape : float
        One over the squared relative error of the mean.
    constant, slope, power : float
        The metric is constant + slope * loss ** power: 1 - loss for R², the root for an RMSE.

    Examples
    --------
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.winner_limits import LossLimits
    >>> _, high = LossLimits(1.0, 20 / 2).limits(0.95, Side.UPPER)  # 20 squared normal errors
    >>> round(high, 3)  # 20 over the 5 % quantile of chi-square with 20 degrees of freedom
    1.843
    """

    loss: float
    shape: float
    constant: float = 0.0
    slope: float = 1.0
    power: float = 1.0

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        from scipy.special import gammainccinv, gammaincinv

        tail = tail_of(confidence_level, side)
        least = float(gammaincinv(self.shape, tail)) / self.shape
        most = float(gammainccinv(self.shape, tail)) / self.shape
        ends = [
            self._metric(self.loss / most),
            self._metric(self.loss / least if least else np.inf),
        ]
        return open_side(min(ends), max(ends), side)

    def _metric(self, loss: float) -> float:
        return self.constant + self.slope * math.pow(loss, self.power)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws."""
        return {
            "kind": "loss",
            "loss": self.loss,
            "shape": self.shape,
            "constant": self.constant,
            "slope": self.slope,
            "power": self.power,
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> LossLimits:
        """Make limits from plain data."""
        return cls(**{name: value for name, value in data.items() if name != "kind"})


@dataclass(frozen=True, eq=False)
class FewUnitsLimits:
    """Limits whose spread was estimated from few units, such as groups of cases.

    The law of the inner limits takes its spread for known. They are read at the normal tail beyond
    Student's quantile, as the effective sample size of a survey is corrected for the number of its
    clusters (Korn and Graubard 1998).

    Parameters
    ----------
    inner : LimitSource
        The limits with the spread taken for known.
    df : int
        The degrees of freedom of that spread: the number of units less 1.

    Examples
    --------
    >>> from earnest.core.results.interval import NormalLimits
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.winner_limits import FewUnitsLimits
    >>> _, high = FewUnitsLimits(NormalLimits(0.0, 1.0), 9).limits(0.975, Side.UPPER)
    >>> round(high, 3)  # Student's quantile for 9 degrees of freedom
    2.262
    """

    inner: LimitSource
    df: int

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        from scipy.special import ndtr, stdtrit

        tail = float(ndtr(stdtrit(self.df, tail_of(confidence_level, side))))
        level = 1.0 - 2.0 * tail if side is Side.TWO_SIDED else 1.0 - tail
        return self.inner.limits(level, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        return {"kind": "few units", "df": self.df, "inner": self.inner.to_dict(draws=draws)}

    @classmethod
    def from_dict(cls, data: JsonObject) -> FewUnitsLimits:
        """Make limits from plain data."""
        inner = source_from_dict(data["inner"])
        assert inner is not None
        return cls(inner, data["df"])


def binormal_variance(
    area: NDArray[np.float64], positives: float, negatives: float
) -> NDArray[np.float64]:
    """Return the variance of an AUC under two normal laws of equal spread.

    It is [A (1 - A) + (m + k - 2) zeta] / (m k), where zeta is the covariance of two pairs of
    cases that share one: the integral over r from 0 to 1/2 of exp(-z² / (1 + r)) / (2 pi sqrt(1 -
    r²)) with A = Phi(z), since normal numbers of correlation r are both positive with the
    probability whose derivative in r is the integrand.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.winner_limits import binormal_variance
    >>> null = binormal_variance(np.array(0.5), 7, 11)  # (m + k + 1) / (12 m k)
    >>> abs(float(null) - 19 / (12 * 77)) < 1e-15
    True
    """
    from scipy.special import ndtri

    squared = np.square(ndtri(area))[..., None]
    shared = np.exp(squared * FALLING) @ DENSITIES
    spread = area * (1.0 - area) + (positives + negatives - 2) * shared
    return np.asarray(spread / (positives * negatives))


def binormal_trials(
    area: NDArray[np.float64], positives: float, negatives: float
) -> NDArray[np.float64]:
    """Return how many independent trials an AUC is worth: A (1 - A) over its variance."""
    inside = np.minimum(np.maximum(area, INSIDE), 1.0 - INSIDE)
    return np.asarray(inside * (1.0 - inside) / binormal_variance(inside, positives, negatives))


_KINDS: dict[str, type[Any]] = {
    "near_winner": NearWinnerLimits,
    "area": AreaLimits,
    "overlap": OverlapLimits,
    "loss": LossLimits,
    "few units": FewUnitsLimits,
}


def winner_source(data: JsonObject) -> LimitSource:
    """Make any of these sources from plain data."""
    made: LimitSource = _KINDS[data["kind"]].from_dict(data)
    return made
