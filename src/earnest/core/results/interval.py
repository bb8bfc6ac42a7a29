"""Intervals, and the sources of their limits.

Any estimate can read its limits from draws, a normal or Student's distribution, a share, the logit
scale or tilts. The winner of a search needs more: how far its error may flatter it, and the limits
of one configuration as if it had been fixed in advance, for an AUC, the overlap that F1 measures, a
mean loss, and scores whose units are few groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from statistics import NormalDist
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions import of_limits
from earnest.core.results.base import HIGH_END, LOW_END, READERS, Plain
from earnest.core.results.cautions import Caution
from earnest.core.results.specs import LimitLaw, Side
from earnest.core.text.numbers import number


@dataclass(frozen=True)
class Ask:
    """The confidence level and the side that a user asks for."""

    confidence_level: float = 0.95
    side: Side = Side.TWO_SIDED

    @classmethod
    def of(cls, confidence_level: float, side: Side | str) -> Ask:
        """Make an ask from checked arguments."""
        level = check.check_share("confidence_level", confidence_level)
        return cls(level, Side(check.one_of("side", side, Side)))

    def resolved(self, greater_is_better: bool) -> Side:
        """Return the side with `pessimistic` turned into the worse end for the metric."""
        if self.side is Side.PESSIMISTIC:
            return Side.LOWER if greater_is_better else Side.UPPER
        return self.side


@dataclass(frozen=True)
class Interval(Plain):
    """A confidence interval; the open end of a one-sided one is the metric's limit.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> Interval(0.79, 0.91, 0.95, "two-sided")
    Interval(low=0.79, high=0.91, confidence_level=0.95, side='two-sided')
    """

    low: float = field(metadata=LOW_END)
    high: float = field(metadata=HIGH_END)
    confidence_level: float
    side: str

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`; a level that is none is a ValueError."""
        interval = super().from_dict(data)
        if not 0.0 < interval.confidence_level < 1.0:
            raise ValueError(f"{interval.confidence_level} is not a confidence level")
        Side(interval.side)
        return interval

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    def __contains__(self, value: object) -> bool:
        """Tell whether a value lies within, the ends included."""
        numbers = (int, float, np.integer, np.floating)
        return isinstance(value, numbers) and bool(self.low <= value <= self.high)

    def words(self, places: int, limits: tuple[float, float]) -> str:
        """Return it as it can be pasted: '95 % interval [0.79, 0.91]', or its one bound."""
        level = f"{100 * self.confidence_level:.10g} %"
        low, high = (number(end, places, limits) for end in (self.low, self.high))
        if self.side == Side.LOWER:
            return f"{level} lower bound {low}"
        if self.side == Side.UPPER:
            return f"{level} upper bound {high}"
        return f"{level} interval [{low}, {high}]"

    def reaching(self, value: float) -> Interval:
        """Return the interval, widened to hold a value if it does not.

        Examples
        --------
        >>> from earnest.core.results.interval import Interval
        >>> Interval(0.99, 1.0, 0.9, "lower").reaching(0.98)
        Interval(low=0.98, high=1.0, confidence_level=0.9, side='lower')
        """
        inside = not (value < self.low or value > self.high)  # NaN counts as inside
        if inside or self.low > self.high:
            return self
        return replace(self, low=min(self.low, value), high=max(self.high, value))


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


def _tail_count(size: int, confidence_level: float, side: Side) -> int:
    return math.floor(tail_of(confidence_level, side) * size + 1e-9)


def tail_of(confidence_level: float, side: Side) -> float:
    """Return the probability that an interval leaves beyond each of its ends."""
    return (1.0 - confidence_level) / (2.0 if side is Side.TWO_SIDED else 1.0)


def open_side(low: float, high: float, side: Side) -> tuple[float, float]:
    """Return the ends, infinite where a side leaves one open."""
    return -math.inf if side is Side.UPPER else low, math.inf if side is Side.LOWER else high


WIDTH_LEVEL = 0.95  # at which limits are a point or not, whatever level is asked for
FEWEST_DRAWS = 40  # that leave one beyond each end at that level
SAME = 1e-9  # of the size of two ends, by which rounding may part them


class LimitSource(Protocol):
    """Where limits of any level and side are read from, without new draws."""

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        ...

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        ...

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values that the limits are read from, None if there are none."""
        return None

    @property
    def has_width(self) -> bool:
        """Whether a two-sided 95 % interval is more than a point.

        A single draw says nothing about the spread, so it counts as having width.
        """
        draws = self.draws
        if draws is not None and np.count_nonzero(~np.isnan(draws)) < FEWEST_DRAWS:
            low, high = (float(end) for end in (np.nanmin(draws), np.nanmax(draws)))
            return len(draws) < 2 or not _same(low, high)
        return not _same(*self.limits(WIDTH_LEVEL, Side.TWO_SIDED))


def _same(low: float, high: float) -> bool:
    return high - low <= SAME * max(abs(low), abs(high))


class KeptLimits(Plain, LimitSource):
    """The base of sources that plain data name by their kind."""

    kind: ClassVar[str]
    kinds: ClassVar[dict[str, type[KeptLimits]]] = {}

    def __init_subclass__(cls, *, kind: str) -> None:
        """Register a source under its kind."""
        super().__init_subclass__()
        cls.kind = kind
        cls.kinds[kind] = cls

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data, with or without the draws; what may be missing is left out."""
        data = super().to_dict(draws=draws)
        optional = {field.name for field in fields(self) if field.default is None}
        items = {n: item for n, item in data.items() if item is not None or n not in optional}
        return {"kind": self.kind, **items}


def source_from_dict(data: JsonObject | None) -> LimitSource | None:
    """Make a source of limits from plain data."""
    return None if data is None else _read_source(data)


def _read_source(data: JsonObject) -> LimitSource:
    return KeptLimits.kinds[data["kind"]].from_dict(data)


READERS[LimitSource] = _read_source


def make_not_kept_error(what: str, needs: str) -> EvidenceError:
    """Return the error about limits that were read from a file without their draws."""
    return EvidenceError(
        f"{what} not kept",
        needs=needs,
        cure="Compute it again, or keep them with to_dict(draws=True).",
    )


@dataclass(frozen=True, eq=False)
class DrawnLimits(KeptLimits, kind="draws"):
    """Limits as order statistics of resampled values."""

    draws: NDArray[np.float64] | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        if self.draws is None:
            raise make_not_kept_error(
                "the draws of this estimate were", "the draws that an interval is read from"
            )
        return quantile_limits(self.draws, confidence_level, side)


@dataclass(frozen=True)
class NormalLimits(KeptLimits, kind="normal"):
    """Limits as a centre plus and minus a normal quantile times a standard error."""

    centre: float
    standard_error: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        reach = NormalDist().inv_cdf(1.0 - tail) * self.standard_error
        return open_side(self.centre - reach, self.centre + reach, side)


@dataclass(frozen=True)
class EqualCaseLimits(KeptLimits, kind="equal cases"):
    """Limits where all `n` independent cases have one value, so that nothing shows a spread.

    If a share q of all cases had another value, `n` cases would be alike with probability at most
    (1 - q)^n. So q is below 1 - tail^(1/n), about 3 / n at 95 % (the rule of three), and
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
    low: float = field(metadata=LOW_END)
    high: float = field(metadata=HIGH_END)

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        share = -math.expm1(math.log(tail) / self.n)
        low = self.centre - share * (self.centre - self.low)
        return open_side(low, self.centre + share * (self.high - self.centre), side)


# Limits from tilts: how far the cases must be reweighted until the estimate is a surprise.


FEW_EFFECTIVE = 20.0  # weighted resamples under which a tilted limit is mostly chance
LEAST = 1e-300  # what a tail of 0 counts as on the scale of logarithms
PRECISION = 2.0**-40  # of the range of a share or an AUC: its limits are right to 1e-12
INSIDE = 1e-6  # how far from 0 and 1 a value is kept where its variance is computed


@dataclass(frozen=True, eq=False)
class TailCurve(Plain):
    """One end of an interval as a function of the tail beyond it, from the estimate outwards.

    Parameters
    ----------
    tails : ndarray, shape (K,)
        How likely a value as good (or as bad) as the estimate is under each tilt; never rising.
    ends : ndarray, shape (K,)
        The metric under each tilt; `ends[0]` is the estimate.
    effective : ndarray, shape (K,)
        How many resamples the weights of each tilt are worth.
    """

    tails: NDArray[np.float64]
    ends: NDArray[np.float64]
    effective: NDArray[np.float64]

    def reaches(self, tail: float) -> bool:
        """Whether tilts go far enough for a limit: to less than half the tail, as published."""
        return bool(self.tails[-1] < tail / 2)

    def place(self, tail: float) -> int:
        """Return the first tilt under which the tail is small enough."""
        small = self.tails <= tail
        return int(np.argmax(small)) if small.any() else len(self.tails) - 1

    def at(self, tail: float) -> float:
        """Return the end, between the last tilt that is too weak and the first that is not."""
        k = self.place(tail)
        if k == 0 or self.tails[k] > tail:
            return float(self.ends[k])
        before, after = (math.log(max(float(t), LEAST)) for t in self.tails[k - 1 : k + 1])
        share = (before - math.log(tail)) / (before - after)
        return float(self.ends[k - 1] + share * (self.ends[k] - self.ends[k - 1]))


@dataclass(frozen=True, eq=False)
class TiltedLimits(KeptLimits, kind="tilted"):
    """Limits as the values under which the estimate would be just too good, or just too bad.

    Where no tilt goes as far as a level needs, the limits are those of `fallback`: of this `law`,
    for so many `pairs` of cases if it is one of pairs, at Sidak's level for the `candidates`.
    """

    low: TailCurve | None
    high: TailCurve | None
    fallback: LimitSource
    law: LimitLaw
    pairs: int | None = None
    candidates: int = 1
    draws: NDArray[np.float64] | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        low, high = self._curves()
        return open_side(self._end(low, tail, 0, min), self._end(high, tail, 1, max), side)

    def _end(self, curve: TailCurve, tail: float, end: int, worse: Callable[..., float]) -> float:
        """Return one end; the end of a smaller tail always lies further out."""

        def plain(tail: float) -> float:
            side = (Side.LOWER, Side.UPPER)[end]
            return self.fallback.limits(max(1.0 - tail, 1e-9), side)[end]

        most = float(curve.tails[0])
        if tail >= most:
            return plain(tail)
        if curve.reaches(tail):
            return worse(curve.at(tail), plain(most))
        return worse(plain(tail), curve.at(2.0 * float(curve.tails[-1])), plain(most))

    def _curves(self) -> tuple[TailCurve, TailCurve]:
        if self.low is None or self.high is None:
            raise make_not_kept_error(
                "the tilts of this estimate were", "the tilts that an interval is read from"
            )
        return self.low, self.high

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield a caution for an end that is the fallback's, or that rests on few resamples."""
        tail, (low, high) = tail_of(confidence_level, side), self._curves()
        ends = [low] * (side is not Side.UPPER) + [high] * (side is not Side.LOWER)
        missed = [curve for curve in ends if tail >= curve.tails[0] or not curve.reaches(tail)]
        if missed:
            yield of_limits.no_tilt(self.law, self.pairs, self.candidates)
        worth = [float(c.effective[c.place(tail)]) for c in ends if c not in missed]
        if worth and min(worth) < FEW_EFFECTIVE:
            yield of_limits.few_under_tilt(min(worth))

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data, with or without tilts and draws."""
        limits = self if draws else replace(self, low=None, high=None)
        return super(TiltedLimits, limits).to_dict(draws=draws)


@dataclass(frozen=True)
class LogitLimits(KeptLimits, kind="logit"):
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
        return open_side(low, high, side)


@dataclass(frozen=True)
class StudentLimits(KeptLimits, kind="student"):
    """Limits as a centre plus and minus a quantile of Student's t times a standard error."""

    centre: float
    standard_error: float
    df: int

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        from scipy.special import stdtrit

        tail = tail_of(confidence_level, side)
        reach = float(stdtrit(self.df, 1.0 - tail)) * self.standard_error
        return open_side(self.centre - reach, self.centre + reach, side)


@dataclass(frozen=True)
class ShareLimits(KeptLimits, kind="share"):
    """Limits of a share of independent trials: Wilson's, or the exact ones of Clopper and Pearson.

    `centre` lies in a range; its place there is the share of trials that were won, which need not
    be whole: a tie is half a win. For numbers within the range, and not only at its ends, the
    limits are rather wide, since no distribution with that mean has a greater variance.

    Cases that were cross-validated trained each other's models. Two cases that agree by chance then
    help each other, which adds `trained_variance` / n to the variance of their share. With
    `crossed`, the number n of all cases, the exact limits have the variance at the value tested.
    `loss` says that a small share is the better one.

    Examples
    --------
    >>> from earnest.core.results.interval import ShareLimits
    >>> from earnest.core.results.specs import Side
    >>> low, _ = ShareLimits(1.0, 20, exact=True).limits(0.95, Side.LOWER)
    >>> round(low, 4), round(0.05 ** (1 / 20), 4)
    (0.8609, 0.8609)
    """

    centre: float
    trials: float
    low: float = 0.0
    high: float = 1.0
    exact: bool = False
    crossed: float | None = None
    loss: bool = False

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail, width = tail_of(confidence_level, side), self.high - self.low
        share = min(max((self.centre - self.low) / width, 0.0), 1.0)
        if not self.trials:  # nothing was seen
            ends = 0.0, 1.0
        elif self.crossed is not None:
            ends = self._crossed_ends(share, self.crossed, tail)
        else:
            ends = (_clopper_pearson if self.exact else _wilson)(share, self.trials, tail)
        low, high = (self.low + width * end for end in ends)
        return open_side(low, high, side)

    def _crossed_ends(self, share: float, cases: float, tail: float) -> tuple[float, float]:
        from scipy.special import betainc, ndtri

        least = float(ndtri(tail))

        def find_low(seen: float, *, loss: bool) -> float:
            def excess(tested: float) -> float:
                inside = min(max(tested, INSIDE), 1.0 - INSIDE)
                trained = trained_variance(1.0 - inside if loss else inside)
                worth = 1.0 / (1.0 / self.trials + trained / cases / (inside * (1.0 - inside)))
                below = betainc(seen * worth, (1.0 - seen) * worth + 1.0, tested)
                return float(ndtri(below)) - least

            return find_switch(seen, excess) if seen else 0.0

        return find_low(share, loss=self.loss), 1.0 - find_low(1.0 - share, loss=not self.loss)


@dataclass(frozen=True, eq=False)
class SidakLimits(KeptLimits, kind="sidak"):
    """Limits whose bad end holds for the best of several: Sidak's level 1 - (1 - tail)^(1/m).

    The other end stays as it is: choosing the best can only be optimistic, so the end that flatters
    is missed no more often than for one fixed in advance.
    """

    inner: LimitSource
    comparisons: int
    end: Side

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        low, _ = self.inner.limits(1.0 - self._tail(tail, Side.LOWER), Side.LOWER)
        _, high = self.inner.limits(1.0 - self._tail(tail, Side.UPPER), Side.UPPER)
        return open_side(low, high, side)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the inner source about the ends that are asked for."""
        tail, kinds = tail_of(confidence_level, side), dict[str, Caution]()
        for end in sorted((Side.LOWER, Side.UPPER), key=lambda end: end is not self.end):
            if side in (end, Side.TWO_SIDED):
                for caution in limit_remarks(self.inner, 1.0 - self._tail(tail, end), end):
                    kinds.setdefault(caution.kind, caution)  # the adjusted end is first: the worse
        yield from kinds.values()

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values of the inner source, if it has any."""
        return self.inner.draws

    @property
    def standard_error(self) -> float | None:
        """The standard error of the inner source, if it has one."""
        return getattr(self.inner, "standard_error", None)

    def _tail(self, tail: float, end: Side) -> float:
        return sidak(tail, self.comparisons) if end is self.end else tail


@dataclass(frozen=True, eq=False)
class WidenedLimits(KeptLimits, kind="widened"):
    """Limits widened to those of other sources that do not mistake luck for certainty.

    At each level an end is the outermost one of all, so that limits of different levels nest. With
    `end` that end alone is widened.
    """

    drawn: LimitSource
    floors: tuple[LimitSource, ...]
    end: Side | None = None

    @classmethod
    def of(cls, source: LimitSource, *floors: LimitSource, end: Side) -> WidenedLimits:
        """Widen one end; sources that are widened there themselves leave no layers behind.

        Examples
        --------
        >>> from earnest.core.results.interval import NormalLimits, WidenedLimits
        >>> from earnest.core.results.specs import Side
        >>> first, second, third = (NormalLimits(0.5, spread) for spread in (0.1, 0.2, 0.3))
        >>> inner = WidenedLimits.of(first, second, end=Side.LOWER)
        >>> WidenedLimits.of(inner, third, end=Side.LOWER).floors == (second, third)
        True
        """
        flat: list[LimitSource] = []
        for each in (source, *floors):
            if isinstance(each, WidenedLimits) and each.end is end:
                flat += (each.drawn, *each.floors)
            else:
                flat.append(each)
        return cls(flat[0], tuple(flat[1:]), end)

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        return self._limits_of_both(confidence_level, side)[1]

    def decides(self, confidence_level: float, side: Side) -> bool:
        """Tell whether a wider source gives an end at this level."""
        drawn, widened = self._limits_of_both(confidence_level, side)
        return widened != drawn

    def _limits_of_both(
        self, confidence_level: float, side: Side
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the limits before and after they are widened."""
        drawn = low, high = self.drawn.limits(confidence_level, side)
        for floor in self.floors:
            other = floor.limits(confidence_level, side)
            if self.end is not Side.UPPER:
                low = min(low, other[0])
            if self.end is not Side.LOWER:
                high = max(high, other[1])
        return drawn, (low, high)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the source that is widened."""
        yield from limit_remarks(self.drawn, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, if there are any."""
        return self.drawn.draws

    @property
    def standard_error(self) -> float | None:
        """The standard error of what is widened, or of the wider limits of both ends."""
        source = self.floors[0] if self.end is None else self.drawn
        return getattr(source, "standard_error", None)


@dataclass(frozen=True, eq=False)
class TighterLimits(KeptLimits, kind="tighter"):
    """The tighter one of two limits, at each end and each level.

    Two limits that hold do not make a tighter one that holds: simulations must show it.

    Examples
    --------
    >>> from earnest.core.results.interval import NormalLimits, TighterLimits
    >>> from earnest.core.results.specs import Side
    >>> both = TighterLimits(NormalLimits(0.5, 0.1), NormalLimits(0.6, 0.1))
    >>> low, high = both.limits(0.95, Side.TWO_SIDED)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.696)
    """

    drawn: LimitSource
    law: LimitSource

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        first = self.drawn.limits(confidence_level, side)
        second = self.law.limits(confidence_level, side)
        return max(first[0], second[0]), min(first[1], second[1])

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the first limits."""
        yield from limit_remarks(self.drawn, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values of the first limits."""
        return self.drawn.draws

    @property
    def standard_error(self) -> float | None:
        """The standard error of the first limits, if they have one."""
        return getattr(self.drawn, "standard_error", None)


@dataclass(frozen=True, eq=False)
class ScaledLimits(KeptLimits, kind="scaled"):
    """Limits whose distances from the value are multiplied by a factor, at every level.

    Draws of a mean over parts vary as single parts do, more than the mean.

    Parameters
    ----------
    inner : LimitSource
        The limits before.
    value : float
        What they are limits of.
    factor : float
        By how much distances are multiplied.

    Examples
    --------
    >>> from earnest.core.results.interval import NormalLimits, ScaledLimits
    >>> from earnest.core.results.specs import Side
    >>> low, high = ScaledLimits(NormalLimits(0.5, 0.1), 0.5, 0.5).limits(0.95, Side.TWO_SIDED)
    >>> round(low, 3), round(high, 3)
    (0.402, 0.598)
    """

    inner: LimitSource
    value: float
    factor: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        low, high = self.inner.limits(confidence_level, side)
        return self._scale(low), self._scale(high)

    def _scale(self, end: float) -> float:
        return self.value + self.factor * (end - self.value)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the limits before."""
        yield from limit_remarks(self.inner, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, as they were drawn."""
        return self.inner.draws


@dataclass(frozen=True, eq=False)
class BlockLimits(KeptLimits, kind="blocks"):
    """Limits of draws of blocks, with a standard error that was estimated from few of them.

    Distances from the value are multiplied by a factor, and by Student's quantile over the normal
    one. Where the score has a known distribution, its limits are read at Student's tail.

    Parameters
    ----------
    inner : LimitSource
        The limits of the draws.
    value : float
        What they are limits of.
    factor : float
        The standard error over the spread of the draws.
    df : int
        The degrees of freedom of the standard error.
    law : LimitSource, optional
        The limits of the distribution of the score, with that standard error.

    Examples
    --------
    >>> from earnest.core.results.interval import BlockLimits, NormalLimits
    >>> from earnest.core.results.specs import Side
    >>> _, high = BlockLimits(NormalLimits(0.0, 1.0), 0.0, 2.0, 9).limits(0.975, Side.UPPER)
    >>> round(high, 3)  # twice Student's quantile for 9 degrees of freedom
    4.524
    """

    inner: LimitSource
    value: float
    factor: float
    df: int
    law: LimitSource | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        from scipy.special import ndtri, stdtrit

        if self.law is not None:
            return FewUnitsLimits(self.law, self.df).limits(confidence_level, side)
        tail = tail_of(confidence_level, side)
        few = float(stdtrit(self.df, tail) / ndtri(tail)) if tail < 0.5 else 1.0
        ends = self.inner.limits(confidence_level, side)
        low, high = (self.value + self.factor * few * (end - self.value) for end in ends)
        return low, high

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the limits of the draws."""
        yield from limit_remarks(self.inner, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, as they were drawn."""
        return self.inner.draws


@dataclass(frozen=True, eq=False)
class MovedLimits(KeptLimits, kind="moved"):
    """Limits one of whose ends lies further out by a distance, at every level.

    The draws of a score that depends on the number of cases, such as R², come from parts of them,
    and lie below the value that is corrected for that.

    Parameters
    ----------
    inner : LimitSource
        The limits before.
    end : Side
        The end that is moved, LOWER or UPPER.
    by : float
        How far.
    most : float
        Beyond what it is not moved: the limit of the metric.

    Examples
    --------
    >>> from earnest.core.results.interval import MovedLimits, NormalLimits
    >>> from earnest.core.results.specs import Side
    >>> low, high = MovedLimits(NormalLimits(0.5, 0.1), Side.UPPER, 0.1, 1.0).limits(
    ...     0.95, Side.TWO_SIDED
    ... )
    >>> round(low, 3), round(high, 3)
    (0.304, 0.796)
    """

    inner: LimitSource
    end: Side
    by: float
    most: float = field(metadata=HIGH_END)

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        low, high = self.inner.limits(confidence_level, side)
        if self.end is Side.LOWER:
            return min(low, max(low - self.by, self.most)), high
        return low, max(high, min(high + self.by, self.most))

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield the cautions of the limits before."""
        yield from limit_remarks(self.inner, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, if there are any."""
        return self.inner.draws

    @property
    def standard_error(self) -> float | None:
        """The standard error of the limits before, if they have one."""
        return getattr(self.inner, "standard_error", None)


def limit_remarks(
    source: LimitSource | None, confidence_level: float, side: Side
) -> Iterator[Caution]:
    """Yield the cautions of a source about its limits at this level."""
    list_remarks = getattr(source, "remarks", None)
    if list_remarks is not None:
        yield from list_remarks(confidence_level, side)


def sidak(tail: float, comparisons: int) -> float:
    """Return the tail at which each of several limits is read so that all hold together.

    Examples
    --------
    >>> from earnest.core.results.interval import sidak
    >>> round(sidak(0.05, 3), 6)
    0.016952
    """
    return -math.expm1(math.log1p(-tail) / comparisons)


def best_of(source: LimitSource, comparisons: int, greater_is_better: bool) -> LimitSource:
    """Return limits whose bad end holds for the best of several; one needs no adjustment."""
    if comparisons == 1:
        return source
    return SidakLimits(source, comparisons, Side.LOWER if greater_is_better else Side.UPPER)


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _wilson(share: float, trials: float, tail: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf(1.0 - tail)
    spread = math.sqrt(share * (1.0 - share) / trials + (z / (2 * trials)) ** 2)
    middle = share + z * z / (2 * trials)
    low, high = ((middle + r * z * spread) / (1.0 + z * z / trials) for r in (-1.0, 1.0))
    return max(low, 0.0), min(high, 1.0)


def trained_variance(tested: float) -> float:
    """Return what cases that trained each other add to n times the variance of a share t = Phi(z).

    It is lambda phi(z)². Where nothing can be learned, lambda is 1. With a signal lambda is the
    share that noise of the training cases has in the margins, here that of a linear model with one
    parameter a case: (sqrt(1 + z²/4) - z/2)².

    Examples
    --------
    >>> from earnest.core.results.interval import trained_variance
    >>> round(trained_variance(0.5), 4), round(trained_variance(0.9), 4)  # 1 / (2 pi)
    (0.1592, 0.0092)
    """
    from scipy.special import ndtri

    normal = float(ndtri(tested))
    learned = math.exp(-2.0 * math.asinh(max(normal, 0.0) / 2.0))
    return learned * math.exp(-normal * normal) / (2.0 * math.pi)


def find_switch(high: float, excess: Callable[[float], float]) -> float:
    """Return the last of 2**40 places from 0 to `high` at which a rising function is negative.

    The next place looked at is where a straight line would have its zero, and every third one the
    middle, so that nothing is slow. None is nearer to an end than half a step: what is right but
    for that is then enclosed at once.
    """
    low, step = 0.0, PRECISION * high
    ends = [excess(low), excess(high)]
    turn = 0
    while high - low > step:
        share = 0.5
        if turn % 3 != 2 and math.isfinite(ends[0]) and ends[0] < ends[1] < math.inf:
            share = ends[0] / (ends[0] - ends[1])
        middle = low + min(max(share * (high - low), 0.5 * step), high - low - 0.5 * step)
        value, turn = excess(middle), turn + 1
        if value >= 0.0:
            high, ends[1] = middle, value
        else:
            low, ends[0] = middle, value
    if step == 0.0:
        return low
    step_number = math.floor(low / step)  # a place that does not depend on the way to it
    return (
        (step_number + 1) * step if excess((step_number + 1) * step) < 0.0 else step_number * step
    )


def _clopper_pearson(share: float, trials: float, tail: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    won, lost = share * trials, (1.0 - share) * trials
    low = float(betaincinv(won, lost + 1.0, tail)) if won > 0 else 0.0
    high = float(betaincinv(won + 1.0, lost, 1.0 - tail)) if lost > 0 else 1.0
    return low, high


NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)
CORRELATIONS = 0.25 * (NODES + 1.0)  # from 0 to 1/2
FALLING = -1.0 / (1.0 + CORRELATIONS)
DENSITIES = 0.25 * NODE_WEIGHTS / np.sqrt(1.0 - CORRELATIONS**2) / (2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class NearWinnerLimits(KeptLimits, kind="near_winner"):
    """Limits of one configuration, with the bad end at a level that holds for any winner.

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
    >>> from earnest.core.results.interval import ShareLimits
    >>> from earnest.core.results.specs import Side
    >>> from earnest.core.results.interval import NearWinnerLimits
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
            raise make_not_kept_error(
                "the draws of this estimate were", "the draws that an interval is read from"
            )
        least = tail / self.configs
        rank = math.ceil((1.0 - tail) * (len(self.errors) + 1))
        if rank > len(self.errors):
            return least
        beyond = 0.5 * math.erfc(float(self.errors[rank - 1]) / math.sqrt(2.0))
        return min(max(beyond, least), tail)

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        local = self.local_tail(tail)
        lower, upper = (local, tail) if self.end is Side.LOWER else (tail, local)
        low, _ = self.inner.limits(1.0 - lower, Side.LOWER)
        _, high = self.inner.limits(1.0 - upper, Side.UPPER)
        return open_side(min(low, self.value), max(high, self.value), side)


@dataclass(frozen=True)
class AreaLimits(KeptLimits, kind="area"):
    """Limits of one AUC by a score test: its variance is that at the value tested.

    An AUC t of m positives and k negatives is worth q(t) = t (1 - t) / V(t) independent trials,
    where V(t) is the variance under two normal distributions of equal spread. The lower limit is
    the t at which a Beta distribution with the parameters A q(t) + 1/3 and (1 - A) q(t) + 2/3 has
    the tail below t. As the variance is not that of the scores seen, perfect separation needs no
    special case.

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
    >>> from earnest.core.results.interval import AreaLimits
    >>> low, _ = AreaLimits(1.0, 20, 20).limits(0.95, Side.LOWER)
    >>> round(low, 3)
    0.951
    """

    area: float
    positives: float
    negatives: float
    widening: float = 1.0
    trials: float = field(default=math.inf, metadata=HIGH_END)
    constant: float = 0.0
    slope: float = 1.0
    crossed: float | None = None

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`; an AUC needs cases of both classes."""
        limits = super().from_dict(data)
        if not (limits.positives > 0 and limits.negatives > 0):
            raise ValueError("the limits of an AUC have no cases of a class")
        return limits

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
        """Return the largest value that is too small for the observed AUC."""
        return find_switch(self.area, self._excess(self.area, tail, 1.0))

    def _high(self, tail: float) -> float:
        """Return the smallest value that is too large for the observed AUC."""
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


@dataclass(frozen=True)
class OverlapLimits(KeptLimits, kind="overlap"):
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
    >>> from earnest.core.results.interval import OverlapLimits
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


@dataclass(frozen=True)
class LossLimits(KeptLimits, kind="loss"):
    """Limits of one mean loss by a Gamma distribution, whose spread grows with the value tested.

    The mean loss divided by its true value has a Gamma distribution with mean 1 and variance
    1 / shape. This is exact for squared normal errors, where the shape is n / 2. The upper limit
    is the true value that leaves the tail below the observed loss.

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
    >>> from earnest.core.results.interval import LossLimits
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


@dataclass(frozen=True, eq=False)
class FewUnitsLimits(KeptLimits, kind="few units"):
    """Limits whose spread was estimated from few units, such as groups of cases.

    The inner limits take their spread as known. They are read at the normal tail beyond
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
    >>> from earnest.core.results.interval import FewUnitsLimits
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


def binormal_variance(
    area: NDArray[np.float64], positives: float, negatives: float
) -> NDArray[np.float64]:
    """Return the variance of an AUC under two normal distributions of equal spread.

    It is [A (1 - A) + (m + k - 2) zeta] / (m k), where zeta is the covariance of two pairs of
    cases that share one: the integral over r from 0 to 1/2 of exp(-z² / (1 + r)) / (2 pi sqrt(1 -
    r²)) with A = Phi(z), since normal numbers of correlation r are both positive with the
    probability whose derivative in r is the integrand.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.interval import binormal_variance
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
