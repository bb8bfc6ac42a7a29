"""Intervals, and where they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.specs import Side


@dataclass(frozen=True)
class Ask:
    """The level and the side that a user asks for."""

    confidence_level: float = 0.95
    side: Side = Side.TWO_SIDED

    @classmethod
    def of(cls, confidence_level: float, side: Side | str) -> Ask:
        """Make an ask from checked arguments."""
        level = check.share("confidence_level", confidence_level)
        return cls(level, Side(check.one_of("side", str(side), [str(s) for s in Side])))

    def resolved(self, greater_is_better: bool) -> Side:
        """Return the side with `pessimistic` turned into the worse end for the metric."""
        if self.side is Side.PESSIMISTIC:
            return Side.LOWER if greater_is_better else Side.UPPER
        return self.side


@dataclass(frozen=True)
class Interval:
    """A confidence interval; the open end of a one-sided one is the metric's limit.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> Interval(0.79, 0.91, 0.95, "two-sided")
    Interval(low=0.79, high=0.91, confidence_level=0.95, side='two-sided')
    """

    low: float
    high: float
    confidence_level: float
    side: str

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    def __contains__(self, value: object) -> bool:
        """Tell whether a value lies within, the ends included."""
        numbers = (int, float, np.integer, np.floating)
        return isinstance(value, numbers) and bool(self.low <= value <= self.high)

    def reaching(self, value: float) -> Interval:
        """Return the interval, widened to hold a value if it does not.

        Examples
        --------
        >>> from earnest.core.results.interval import Interval
        >>> Interval(0.99, 1.0, 0.9, "lower").reaching(0.98)
        Interval(low=0.98, high=1.0, confidence_level=0.9, side='lower')
        """
        inside = not (value < self.low or value > self.high)  # NaN is beyond no end
        if inside or self.low > self.high:
            return self
        return replace(self, low=min(self.low, value), high=max(self.high, value))

    def to_dict(self) -> JsonObject:
        """Return plain data; an infinite end is None."""
        return {
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "confidence_level": self.confidence_level,
            "side": self.side,
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> Interval:
        """Make an interval from plain data."""
        low = -math.inf if data["low"] is None else data["low"]
        high = math.inf if data["high"] is None else data["high"]
        return cls(low, high, data["confidence_level"], data["side"])


def quantile_limits(
    draws: NDArray[np.float64], confidence_level: float, side: Side
) -> tuple[float, float]:
    """Return the limits that order statistics of the draws give, infinite at an open end.

    With `k = floor(alpha * m + 1e-9)` of the `m` defined draws the lower limit is the (k+1)-th
    smallest and the upper one the (k+1)-th largest, so that scores and losses mirror exactly; the
    tiny addend keeps `(1 - .9) * 500` at 50. Two-sided limits take alpha / 2 at each end.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.interval import quantile_limits
    >>> from earnest.core.results.specs import Side
    >>> quantile_limits(np.arange(1000.0), 0.95, Side.TWO_SIDED)
    (25.0, 974.0)
    """
    valid = np.sort(draws[~np.isnan(draws)])
    if len(valid) == 0:
        return math.nan, math.nan
    most = (len(valid) - 1) // 2 if side is Side.TWO_SIDED else len(valid) - 1
    k = min(_tail_count(len(valid), confidence_level, side), most)
    return open_side(float(valid[k]), float(valid[len(valid) - 1 - k]), side)


def published_limits(draws: NDArray[np.float64], confidence_level: float) -> tuple[float, float]:
    """Return the two-sided limits of Tsamardinos et al. 2018: the 25th and 975th of 1000 draws.

    The lower one lies one place lower than that of `quantile_limits`.
    """
    valid = np.sort(draws[~np.isnan(draws)])
    if len(valid) == 0:
        return math.nan, math.nan
    k = max(_tail_count(len(valid), confidence_level, Side.TWO_SIDED), 1)
    return float(valid[k - 1]), float(valid[max(len(valid) - k - 1, k - 1)])


def _tail_count(size: int, confidence_level: float, side: Side) -> int:
    return math.floor(tail_of(confidence_level, side) * size + 1e-9)


def tail_of(confidence_level: float, side: Side) -> float:
    """Return the probability that an interval leaves beyond each of its ends."""
    return (1.0 - confidence_level) / (2.0 if side is Side.TWO_SIDED else 1.0)


def open_side(low: float, high: float, side: Side) -> tuple[float, float]:
    """Return the ends, infinite where a side leaves one open."""
    return -math.inf if side is Side.UPPER else low, math.inf if side is Side.LOWER else high


class LimitSource(Protocol):
    """Where limits of any level and side are read from, without new draws."""

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        ...

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        ...


@dataclass(frozen=True, eq=False)
class DrawnLimits:
    """Limits as order statistics of resampled values."""

    draws: NDArray[np.float64] | None
    as_published: bool = False

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        if self.draws is None:
            raise EvidenceError(
                "the draws of this estimate were not kept",
                needs="the draws that an interval is read from",
                cure="Compute it again, or keep them with to_dict(draws=True).",
            )
        if self.as_published and side is Side.TWO_SIDED:
            return published_limits(self.draws, confidence_level)
        return quantile_limits(self.draws, confidence_level, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        data: dict[str, object] = {"kind": "draws", "as_published": self.as_published}
        if draws and self.draws is not None:
            data["draws"] = [None if math.isnan(d) else d for d in self.draws.tolist()]
        return data


@dataclass(frozen=True)
class NormalLimits:
    """Limits as a centre plus and minus a quantile of the normal law times a standard error."""

    centre: float
    standard_error: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        reach = NormalDist().inv_cdf(1.0 - tail) * self.standard_error
        return open_side(self.centre - reach, self.centre + reach, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws."""
        return {"kind": "normal", "centre": self.centre, "standard_error": self.standard_error}


@dataclass(frozen=True)
class EqualCaseLimits:
    """Limits where all `n` independent cases have one value, so that nothing shows a spread.

    If a share q of all cases had another value, `n` cases would be alike with probability
    (1 - q)^n at most. So q is below 1 - tail^(1/n), about 3 / n at 95 % (the rule of three), and
    what such cases have lies between `low` and `high`.

    Examples
    --------
    >>> from earnest.core.results.interval import EqualCaseLimits
    >>> from earnest.core.results.specs import Side
    >>> low, high = EqualCaseLimits(0.0, 100, 0.0, 1.0).limits(0.95, Side.UPPER)
    >>> round(high, 4)
    0.0295
    """

    centre: float
    n: int
    low: float
    high: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        share = -math.expm1(math.log(tail) / self.n)
        low = self.centre - share * (self.centre - self.low)
        return open_side(low, self.centre + share * (self.high - self.centre), side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws, and an infinite end is None."""
        ends = {"low": self.low, "high": self.high}
        finite = {name: end if math.isfinite(end) else None for name, end in ends.items()}
        return {"kind": "equal cases", "centre": self.centre, "n": self.n, **finite}


def source_from_dict(data: JsonObject | None) -> LimitSource | None:
    """Make a limit source from plain data."""
    if data is None:
        return None
    if data["kind"] == "normal":
        return NormalLimits(data["centre"], data["standard_error"])
    if data["kind"] == "equal cases":
        low = -math.inf if data["low"] is None else data["low"]
        high = math.inf if data["high"] is None else data["high"]
        return EqualCaseLimits(data["centre"], data["n"], low, high)
    if data["kind"] == "tilted":
        from earnest.core.results.limits import TiltedLimits

        return TiltedLimits.from_dict(data)
    if data["kind"] in ("near_winner", "area", "overlap", "loss", "few units"):
        from earnest.core.results.limits import winner_source

        return winner_source(data)
    if data["kind"] != "draws":
        from earnest.core.results.limits import from_plain

        return from_plain(data)
    draws = data.get("draws")
    kept = None if draws is None else np.array([math.nan if d is None else d for d in draws])
    return DrawnLimits(kept, data["as_published"])
