"""More sources of limits: on the logit scale, Student's, of shares, and adjusted for a choice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import Caution
from earnest.core.intervals import LimitSource, opened, source_from_dict, tail_of
from earnest.core.specs import Side


@dataclass(frozen=True)
class LogitLimits:
    """Normal limits on the logit scale of a range, so that they never leave it."""

    centre: float
    standard_error: float
    low: float = 0.0
    high: float = 1.0

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        width = self.high - self.low
        share = (self.centre - self.low) / width
        reach = NormalDist().inv_cdf(1.0 - tail_of(confidence_level, side)) * self.standard_error
        reach /= width * share * (1.0 - share)
        middle = math.log(share) - math.log1p(-share)
        low, high = (self.low + width * _logistic(middle + r) for r in (-reach, reach))
        return opened(low, high, side)

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data; there are no draws."""
        ends = {"low": self.low, "high": self.high}
        error = self.standard_error
        return {"kind": "logit", "centre": self.centre, "standard_error": error, **ends}


@dataclass(frozen=True)
class StudentLimits:
    """Limits as a centre plus and minus a quantile of Student's t times a standard error."""

    centre: float
    standard_error: float
    df: int

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        from scipy.special import stdtrit

        tail = tail_of(confidence_level, side)
        reach = float(stdtrit(self.df, 1.0 - tail)) * self.standard_error
        return opened(self.centre - reach, self.centre + reach, side)

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data; there are no draws."""
        return {
            "kind": "student",
            "centre": self.centre,
            "standard_error": self.standard_error,
            "df": self.df,
        }


@dataclass(frozen=True)
class ShareLimits:
    """Limits of a share of independent trials: Wilson's, or the exact ones of Clopper and Pearson.

    `centre` lies in a range; its place there is the share of trials that were won, which need not
    be whole: a tie is half a win. For numbers within the range, and not only at its ends, the
    limits are on the wide side, since no law of that mean has a greater variance.

    Examples
    --------
    >>> from earnest.core.limits import ShareLimits
    >>> from earnest.core.specs import Side
    >>> low, _ = ShareLimits(1.0, 20, exact=True).limits(0.95, Side.LOWER)
    >>> round(low, 4), round(0.05 ** (1 / 20), 4)
    (0.8609, 0.8609)
    """

    centre: float
    trials: float
    low: float = 0.0
    high: float = 1.0
    exact: bool = False

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail, width = tail_of(confidence_level, side), self.high - self.low
        share = min(max((self.centre - self.low) / width, 0.0), 1.0)
        ends = _clopper_pearson if self.exact else _wilson
        low, high = (self.low + width * end for end in ends(share, self.trials, tail))
        return opened(low, high, side)

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data; there are no draws."""
        range_ = {"low": self.low, "high": self.high}
        trials, exact = self.trials, self.exact
        return {"kind": "share", "centre": self.centre, "trials": trials, "exact": exact, **range_}


@dataclass(frozen=True, eq=False)
class SidakLimits:
    """Limits whose bad end holds for the best of several: Sidak's level 1 - (1 - tail)^(1/m).

    The other end stays as it is: choosing the best can only flatter, so the end that flatters is
    missed no more often than for one fixed in advance.
    """

    inner: LimitSource
    comparisons: int
    end: Side

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        low, _ = self.inner.limits(1.0 - self._tail(tail, Side.LOWER), Side.LOWER)
        _, high = self.inner.limits(1.0 - self._tail(tail, Side.UPPER), Side.UPPER)
        return opened(low, high, side)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield what the inner source has to say of the ends that are asked for."""
        tail, said = tail_of(confidence_level, side), set()
        for end in sorted((Side.LOWER, Side.UPPER), key=lambda end: end is not self.end):
            if side in (end, Side.TWO_SIDED):
                for caution in limit_remarks(self.inner, 1.0 - self._tail(tail, end), end):
                    if caution.code not in said:  # the adjusted end comes first: it is the worse
                        said.add(caution.code)
                        yield caution

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values of the inner source, if it has any."""
        return draws_of(self.inner)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the inner source, if it has one."""
        return getattr(self.inner, "standard_error", None)

    def _tail(self, tail: float, end: Side) -> float:
        return sidak(tail, self.comparisons) if end is self.end else tail

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data, with or without the draws."""
        inner = self.inner.to_dict(draws=draws)
        return {"kind": "sidak", "m": self.comparisons, "end": str(self.end), "inner": inner}


@dataclass(frozen=True, eq=False)
class WidenedLimits:
    """Limits of draws that all but agree, widened to those that do not take this for certainty.

    At each level the end is the outer one of both, so that limits of different levels nest.
    """

    drawn: LimitSource
    floor: LimitSource

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        drawn = self.drawn.limits(confidence_level, side)
        floor = self.floor.limits(confidence_level, side)
        return min(drawn[0], floor[0]), max(drawn[1], floor[1])

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, if there are any."""
        return draws_of(self.drawn)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the wider limits, if they have one."""
        return getattr(self.floor, "standard_error", None)

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data, with or without the draws."""
        drawn, floor = self.drawn.to_dict(draws=draws), self.floor.to_dict(draws=draws)
        return {"kind": "widened", "drawn": drawn, "floor": floor}


def draws_of(source: LimitSource | None) -> NDArray[np.float64] | None:
    """Return the resampled values that a source keeps, None where it has none."""
    return getattr(source, "draws", None)


def limit_remarks(
    source: LimitSource | None, confidence_level: float, side: Side
) -> Iterator[Caution]:
    """Yield what a source has to say of its limits at this level."""
    said = getattr(source, "remarks", None)
    if said is not None:
        yield from said(confidence_level, side)


def sidak(tail: float, comparisons: int) -> float:
    """Return the tail at which each of several limits is read so that all hold together.

    Examples
    --------
    >>> from earnest.core.limits import sidak
    >>> round(sidak(0.05, 3), 6)
    0.016952
    """
    return -math.expm1(math.log1p(-tail) / comparisons)


def best_of(source: LimitSource, comparisons: int, greater_is_better: bool) -> LimitSource:
    """Return limits whose bad end holds for the best of several; one needs no adjustment."""
    if comparisons == 1:
        return source
    return SidakLimits(source, comparisons, Side.LOWER if greater_is_better else Side.UPPER)


def from_plain(data: dict[str, Any]) -> LimitSource:
    """Make one of these sources from plain data."""
    if data["kind"] == "logit":
        return LogitLimits(data["centre"], data["standard_error"], data["low"], data["high"])
    if data["kind"] == "student":
        return StudentLimits(data["centre"], data["standard_error"], data["df"])
    if data["kind"] == "share":
        ends = data["low"], data["high"]
        return ShareLimits(data["centre"], data["trials"], *ends, exact=data["exact"])
    if data["kind"] == "widened":
        drawn, floor = source_from_dict(data["drawn"]), source_from_dict(data["floor"])
        assert drawn is not None
        assert floor is not None
        return WidenedLimits(drawn, floor)
    inner = source_from_dict(data["inner"])
    assert inner is not None
    return SidakLimits(inner, data["m"], Side(data["end"]))


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _wilson(share: float, trials: float, tail: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf(1.0 - tail)
    spread = math.sqrt(share * (1.0 - share) / trials + (z / (2 * trials)) ** 2)
    middle = share + z * z / (2 * trials)
    low, high = ((middle + r * z * spread) / (1.0 + z * z / trials) for r in (-1.0, 1.0))
    return max(low, 0.0), min(high, 1.0)


def _clopper_pearson(share: float, trials: float, tail: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    won, lost = share * trials, (1.0 - share) * trials
    low = float(betaincinv(won, lost + 1.0, tail)) if won > 0 else 0.0
    high = float(betaincinv(won + 1.0, lost, 1.0 - tail)) if lost > 0 else 1.0
    return low, high
