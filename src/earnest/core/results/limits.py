"""More sources of limits: on the logit scale, Student's, of shares, and adjusted for a choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, open_side, source_from_dict, tail_of
from earnest.core.results.specs import Side

# Limits from tilts: how far the cases must be reweighted until the estimate is a surprise.


FEW_EFFECTIVE = 20.0  # weighted resamples under which a tilted limit is mostly chance
LEAST = 1e-300  # what a tail of 0 counts as on the scale of logarithms
PRECISION = 2.0**-40  # of the range of a share or an AUC: its limits are right to 1e-12
INSIDE = 1e-6  # how far from 0 and 1 a value is kept where its variance is computed


@dataclass(frozen=True, eq=False)
class TailCurve:
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

    def to_dict(self) -> dict[str, list[float]]:
        """Return plain data."""
        return {
            "tails": self.tails.tolist(),
            "ends": self.ends.tolist(),
            "effective": self.effective.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, list[float]]) -> TailCurve:
        """Make a curve from plain data."""
        return cls(*(np.array(data[name]) for name in ("tails", "ends", "effective")))


@dataclass(frozen=True, eq=False)
class TiltedLimits:
    """Limits as the values under which the estimate would be just too good, or just too bad.

    Where no tilt goes as far as a level asks, the `fallback` is asked, which `words` names.
    """

    low: TailCurve | None
    high: TailCurve | None
    fallback: LimitSource
    words: str
    draws: NDArray[np.float64] | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        low, high = self._curves()
        return open_side(self._end(low, tail, 0, min), self._end(high, tail, 1, max), side)

    def _end(self, curve: TailCurve, tail: float, place: int, worse: Callable[..., float]) -> float:
        """Return one end; the rules make the end of a smaller tail lie further out always."""

        def plain(tail: float) -> float:
            side = (Side.LOWER, Side.UPPER)[place]
            return self.fallback.limits(max(1.0 - tail, 1e-9), side)[place]

        most = float(curve.tails[0])
        if tail >= most:
            return plain(tail)
        if curve.reaches(tail):
            return worse(curve.at(tail), plain(most))
        return worse(plain(tail), curve.at(2.0 * float(curve.tails[-1])), plain(most))

    def _curves(self) -> tuple[TailCurve, TailCurve]:
        if self.low is None or self.high is None:
            raise EvidenceError(
                "the tilts of this estimate were not kept",
                needs="the tilts that an interval is read from",
                cure="Compute it again, or keep them with to_dict(draws=True).",
            )
        return self.low, self.high

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield a caution for an end that is the fallback's, or that rests on few resamples."""
        tail, (low, high) = tail_of(confidence_level, side), self._curves()
        asked = [low] * (side is not Side.UPPER) + [high] * (side is not Side.LOWER)
        missed = [curve for curve in asked if tail >= curve.tails[0] or not curve.reaches(tail)]
        if missed:
            yield infeasible(self.words)
        worth = [float(c.effective[c.place(tail)]) for c in asked if c not in missed]
        if worth and min(worth) < FEW_EFFECTIVE:
            yield Caution(
                "EN029",
                (
                    f"After weighting, a limit depends on only about {max(min(worth), 1.0):.0f} "
                    "resamples."
                ),
                "Another seed may give a very different limit.",
                "Use more resamples, or a method without tilts such as 'delong'.",
            )

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without tilts and draws."""
        data: dict[str, object] = {
            "kind": "tilted",
            "words": self.words,
            "fallback": self.fallback.to_dict(draws=draws),
        }
        if draws and self.low is not None and self.high is not None and self.draws is not None:
            data |= {"low": self.low.to_dict(), "high": self.high.to_dict()}
            data["draws"] = [None if math.isnan(d) else d for d in self.draws.tolist()]
        return data

    @classmethod
    def from_dict(cls, data: JsonObject) -> TiltedLimits:
        """Make limits from plain data; without tilts they refuse to answer."""
        low, high = (
            TailCurve.from_dict(data[end]) if end in data else None for end in ("low", "high")
        )
        fallback, draws = source_from_dict(data["fallback"]), data.get("draws")
        assert fallback is not None
        kept = None if draws is None else np.array([math.nan if d is None else d for d in draws])
        return cls(low, high, fallback, data["words"], kept)


def infeasible(words: str) -> Caution:
    """Return the caution that no tilt was found, which names what was used instead."""
    return Caution(
        "EN026",
        "No tilt of the cases makes the estimate as unlikely as the level requires.",
        f"The limit is {words} instead.",
        "The cases are few or perfectly separated: add cases.",
    )


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
        return open_side(low, high, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
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
        return open_side(self.centre - reach, self.centre + reach, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
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
    limits are rather wide, since no law of that mean has a greater variance.

    Cases that were cross-validated trained each other's models. Two cases that agree by chance then
    help each other, which adds `trained_variance` / n to the variance of their share. With
    `crossed`, the number n of all cases, the exact limits have the variance at the value tested.
    `loss` tells that a small share is the better one.

    Examples
    --------
    >>> from earnest.core.results.limits import ShareLimits
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
        if self.crossed is not None:
            found = self._crossed_ends(share, self.crossed, tail)
        else:
            found = (_clopper_pearson if self.exact else _wilson)(share, self.trials, tail)
        low, high = (self.low + width * end for end in found)
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

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws."""
        range_ = {"low": self.low, "high": self.high}
        law = {"trials": self.trials, "exact": self.exact}
        if self.crossed is not None:
            law |= {"crossed": self.crossed, "loss": self.loss}
        return {"kind": "share", "centre": self.centre, **law, **range_}


@dataclass(frozen=True, eq=False)
class SidakLimits:
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

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        inner = self.inner.to_dict(draws=draws)
        return {"kind": "sidak", "m": self.comparisons, "end": str(self.end), "inner": inner}


@dataclass(frozen=True, eq=False)
class WidenedLimits:
    """Limits that are widened to those of another source, which does not take luck for certainty.

    At each level an end is the outer one of both, so that limits of different levels nest. With
    `end` that end alone is widened.
    """

    drawn: LimitSource
    floor: LimitSource
    end: Side | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        return self._limits_of_both(confidence_level, side)[1]

    def decides(self, confidence_level: float, side: Side) -> bool:
        """Tell whether the wider source gives an end at this level."""
        drawn, widened = self._limits_of_both(confidence_level, side)
        return widened != drawn

    def _limits_of_both(
        self, confidence_level: float, side: Side
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the limits before and after they are widened."""
        drawn = low, high = self.drawn.limits(confidence_level, side)
        other = self.floor.limits(confidence_level, side)
        if self.end is not Side.UPPER:
            low = min(low, other[0])
        if self.end is not Side.LOWER:
            high = max(high, other[1])
        return drawn, (low, high)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield what the source that is widened has to say."""
        yield from limit_remarks(self.drawn, confidence_level, side)

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values, if there are any."""
        return draws_of(self.drawn)

    @property
    def standard_error(self) -> float | None:
        """The standard error of what is widened, or of the wider limits of both ends."""
        source = self.floor if self.end is None else self.drawn
        return getattr(source, "standard_error", None)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the draws."""
        drawn, floor = self.drawn.to_dict(draws=draws), self.floor.to_dict(draws=draws)
        end = {} if self.end is None else {"end": str(self.end)}
        return {"kind": "widened", "drawn": drawn, "floor": floor, **end}


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
    >>> from earnest.core.results.limits import sidak
    >>> round(sidak(0.05, 3), 6)
    0.016952
    """
    return -math.expm1(math.log1p(-tail) / comparisons)


def best_of(source: LimitSource, comparisons: int, greater_is_better: bool) -> LimitSource:
    """Return limits whose bad end holds for the best of several; one needs no adjustment."""
    if comparisons == 1:
        return source
    return SidakLimits(source, comparisons, Side.LOWER if greater_is_better else Side.UPPER)


def from_plain(data: JsonObject) -> LimitSource:
    """Make one of these sources from plain data."""
    if data["kind"] == "logit":
        return LogitLimits(data["centre"], data["standard_error"], data["low"], data["high"])
    if data["kind"] == "student":
        return StudentLimits(data["centre"], data["standard_error"], data["df"])
    if data["kind"] == "share":
        ends = data["low"], data["high"]
        law = {"crossed": data.get("crossed"), "loss": data.get("loss", False)}
        return ShareLimits(data["centre"], data["trials"], *ends, exact=data["exact"], **law)
    if data["kind"] == "widened":
        drawn, floor = source_from_dict(data["drawn"]), source_from_dict(data["floor"])
        assert drawn is not None
        assert floor is not None
        return WidenedLimits(drawn, floor, Side(data["end"]) if "end" in data else None)
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


def trained_variance(tested: float) -> float:
    """Return what cases that trained each other add to n times the variance of a share t = Phi(z).

    It is lambda phi(z)². Where nothing can be learned, lambda is 1. With a signal lambda is the
    share that noise of the training cases has in the margins, here that of a linear model with one
    parameter a case: (sqrt(1 + z²/4) - z/2)².

    Examples
    --------
    >>> from earnest.core.results.limits import trained_variance
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
        found, turn = excess(middle), turn + 1
        if found >= 0.0:
            high, ends[1] = middle, found
        else:
            low, ends[0] = middle, found
    if step == 0.0:
        return low
    place = math.floor(low / step)  # a place that does not depend on the way to it
    return (place + 1) * step if excess((place + 1) * step) < 0.0 else place * step


def _clopper_pearson(share: float, trials: float, tail: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    won, lost = share * trials, (1.0 - share) * trials
    low = float(betaincinv(won, lost + 1.0, tail)) if won > 0 else 0.0
    high = float(betaincinv(won + 1.0, lost, 1.0 - tail)) if lost > 0 else 1.0
    return low, high
