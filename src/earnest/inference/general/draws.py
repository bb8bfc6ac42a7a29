"""The bootstrap of a statistic: its draws, and the limits of each kind that are read from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_limits
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import few_beyond
from earnest.core.results.interval import (
    DrawnLimits,
    Interval,
    KeptLimits,
    LimitSource,
    open_side,
    quantile_limits,
    tail_of,
)
from earnest.core.results.specs import Side
from earnest.core.text.doors import arg
from earnest.inference.general.units import Array, Statistic, Units, WeightedStatistic

_FLIPPED = {Side.LOWER: Side.UPPER, Side.UPPER: Side.LOWER, Side.TWO_SIDED: Side.TWO_SIDED}


@dataclass(frozen=True, eq=False)
class PivotLimits(KeptLimits, kind="pivots"):
    """Limits that invert the distribution of a pivot: value - quantile * error.

    With pivots (draw - value) and an error of 1 these are the basic limits; with pivots divided by
    the error of each draw, and the error of the sample, the studentised ones.
    """

    value: float
    error: float
    pivots: Array | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        low, high = quantile_limits(_keep_defined(self.pivots), confidence_level, _FLIPPED[side])
        below, above = (
            self.value - end * self.error if math.isfinite(end) else -end for end in (high, low)
        )
        return open_side(below, above, side)


@dataclass(frozen=True, eq=False)
class BCaLimits(KeptLimits, kind="bca"):
    """Order statistics of draws at levels that are corrected for bias and acceleration.

    The level alpha becomes Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z the normal quantile of alpha
    (Efron 1987). Where the denominator is not positive the level is that of its limit, 0 or 1.
    """

    shift: float = field(metadata={"key": "z0"})
    acceleration: float = field(metadata={"key": "a"})
    draws: Array | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        draws = _keep_defined(self.draws)
        valid = np.sort(draws[~np.isnan(draws)])
        below, above = (self.tail(confidence_level, side, end) for end in (Side.LOWER, Side.UPPER))
        last = len(valid) - 1
        low, high = (min(math.floor(tail * len(valid) + 1e-9), last) for tail in (below, above))
        return open_side(float(valid[low]), float(valid[last - high]), side)

    def tail(self, confidence_level: float, side: Side, end: Side) -> float:
        """Return the share of draws that is left beyond one end."""
        z = NormalDist().inv_cdf(tail_of(confidence_level, side))
        sign = 1.0 if end is Side.LOWER else -1.0  # the upper end is the lower one of -statistic
        reach = sign * self.shift + z
        scale = 1.0 - sign * self.acceleration * reach
        moved = math.copysign(math.inf, reach) if scale <= 0.0 else reach / scale
        return NormalDist().cdf(sign * self.shift + moved)

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield a caution where few draws lie beyond a limit after the correction."""
        ends = [Side.LOWER, Side.UPPER] if side is Side.TWO_SIDED else [side]
        least = min(self.tail(confidence_level, side, end) for end in ends)
        tail = tail_of(confidence_level, side)
        level = 1.0 - min(max(least, tail / 100.0), tail)
        at = Interval(0.0, 0.0, level, str(Side.LOWER))
        yield from few_beyond(at, int((~np.isnan(_keep_defined(self.draws))).sum()))


def _keep_defined(draws: Array | None) -> Array:
    if draws is None:
        raise EvidenceError(
            "the draws of this statistic were not kept",
            needs="the draws that an interval is read from",
            cure="Compute it again, or keep them with to_dict(draws=True).",
        )
    return draws


def bias_shift(draws: Array, value: float) -> float:
    """Return z0, the normal quantile of the share of draws below the value; ties count half.

    It is infinite where all draws lie on one side.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.general.draws import bias_shift
    >>> bias_shift(np.array([1.0, 2.0, 3.0]), 2.0)
    0.0
    """
    valid = draws[~np.isnan(draws)]
    share = float((valid < value).mean() + (valid <= value).mean()) / 2.0
    if share in (0.0, 1.0):
        return -math.inf if share == 0.0 else math.inf
    return NormalDist().inv_cdf(share)


def acceleration(influences: list[Array]) -> float:
    """Return a sixth of the skewness of the influences of each stratum's units; NaN without spread.

    Efron 1987, for several samples Davison and Hinkley 1997, (5.28).
    """
    cubes = sum(float((layer**3).sum()) / len(layer) ** 3 for layer in influences)
    squares = sum(float((layer**2).sum()) / len(layer) ** 2 for layer in influences)
    return cubes / (6.0 * squares**1.5) if squares > 0.0 else math.nan


METHODS = ("bca", "percentile", "basic", "studentised")


@dataclass(frozen=True, eq=False)
class StatisticDraws:
    """The statistic of every resample, and its standard error there where one is needed."""

    values: Array
    errors: Array | None = None
    error: float = math.nan


def draw_statistic(
    statistic: WeightedStatistic,
    n_resamples: int,
    seeds: Seeds,
    method: str,
    standard_error: Statistic | None,
) -> StatisticDraws:
    """Ask the statistic, and for the studentised interval its error, of every resample."""
    values, errors = [], []
    spread = _make_error_function(statistic, standard_error) if method == "studentised" else None
    for counts in statistic.units.draws(n_resamples, seeds):
        values.append(statistic(counts))
        if spread is not None:
            errors.append(spread(counts))
    draws = np.concatenate(values)
    if spread is None:
        return StatisticDraws(draws)
    error = float(spread(np.ones((1, statistic.units.count)))[0])
    if not error > 0.0:
        raise EvidenceError(
            "the statistic has no standard error to divide by",
            needs="a standard error above 0 on the original cases",
            got=f"{error:g}",
            cure=f"Use {arg('method', 'bca')} or 'percentile'.",
        )
    return StatisticDraws(draws, np.concatenate(errors), error)


def _make_error_function(
    statistic: WeightedStatistic, standard_error: Statistic | None
) -> Callable[[Numbers], Array]:
    if standard_error is not None:
        return WeightedStatistic(standard_error, statistic.units, statistic.vectorized)
    return lambda counts: np.array([jackknife_error(statistic, row) for row in counts])


def jackknife_error(statistic: WeightedStatistic, counts: Numbers) -> float:
    """Return the jackknife standard error of a resample, one drawn copy left out at a time."""
    units = statistic.units
    present = np.flatnonzero(counts)
    left = statistic.without_each(present, counts)
    copies, total = np.asarray(counts, dtype=np.float64)[present], 0.0
    for layer in units.layers:
        mine = np.isin(present, layer)
        size, times = float(len(layer)), copies[mine]
        centre = float(times @ left[mine]) / size
        total += (size - 1.0) / size * float(times @ (left[mine] - centre) ** 2)
    return math.sqrt(total) if total >= 0.0 else math.nan


def find_limits(
    method: str, statistic: WeightedStatistic, value: float, draws: StatisticDraws
) -> tuple[LimitSource, list[Caution]]:
    """Return the limits of a kind, and a caution where they are of another one."""
    if method == "basic":
        return PivotLimits(value, 1.0, draws.values - value), []
    if method == "studentised":
        return _make_studentised(value, draws)
    if method == "percentile":
        return DrawnLimits(draws.values), []
    shift = bias_shift(draws.values, value)
    if not math.isfinite(shift):
        return DrawnLimits(draws.values), [of_limits.draws_on_one_side(above=shift < 0)]
    units = statistic.units
    left = statistic.without_each(np.arange(units.count), np.ones(units.count))
    parts = [(len(layer) - 1) * (left[layer].mean() - left[layer]) for layer in units.layers]
    speed = acceleration(parts)
    if math.isfinite(speed):
        return BCaLimits(shift, speed, draws.values), []
    flat = not np.isnan(left).any()
    if flat and np.nanstd(draws.values) == 0.0:  # nothing varies: there is nothing to accelerate
        return BCaLimits(shift, 0.0, draws.values), []
    remark = of_limits.no_acceleration(units.word, undefined=not flat)
    return BCaLimits(shift, 0.0, draws.values), [remark]


def _make_studentised(value: float, draws: StatisticDraws) -> tuple[LimitSource, list[Caution]]:
    assert draws.errors is not None
    usable = draws.errors > 0.0
    pivots = np.full(len(draws.values), np.nan)
    np.divide(draws.values - value, draws.errors, out=pivots, where=usable)
    valid, usable_pivots = int((~np.isnan(draws.values)).sum()), int((~np.isnan(pivots)).sum())
    if usable_pivots < 2:
        raise EvidenceError(
            "the resamples have no standard error to divide by",
            needs="at least two resamples with a standard error above 0",
            got=f"{usable_pivots} of {len(pivots)}",
            cure=f"Use {arg('method', 'bca')} or 'percentile'.",
        )
    source = PivotLimits(value, draws.error, pivots)
    if usable_pivots == valid:
        return source, []
    return source, [of_limits.draws_without_error(valid - usable_pivots, valid)]


def bootstrap_remarks(units: Units, valid: Array, count: int) -> Iterator[Caution]:
    """Yield what a reader must know of the resamples."""
    yield from warn_of_undefined_draws(count, len(valid))
    yield from no_spread(float(np.ptp(valid)), "resample")
    yield from few_units(units)


FEW = 10  # units under which the draws are too coarse and too narrow for any of the intervals
JUMPS = 3  # values that a statistic takes, at most, when it jumps as cases are left out


def not_smooth(is_rough: bool) -> Iterator[Caution]:
    """Yield a caution where a statistic jumps or bends as weight moves."""
    if is_rough:
        yield of_limits.statistic_not_smooth()


def warn_of_left_out(left: Array, value: float) -> Iterator[Caution]:
    """Yield a caution where leaving out any case gives one of very few values.

    A median of many cases moves to one of two or three neighbours, whatever is left out; the
    variance of these does not estimate its own.
    """
    distinct = len(np.unique(np.append(left, value)))
    if len(left) > FEW and 1 < distinct <= JUMPS:
        yield of_limits.statistic_jumps(len(left), distinct)


def no_spread(spread: float, what: str) -> Iterator[Caution]:
    """Yield a caution where the statistic never changes."""
    if spread == 0.0:
        yield of_limits.statistic_constant(what)


def warn_of_undefined_draws(count: int, valid: int) -> Iterator[Caution]:
    """Yield a caution where resamples have no value."""
    if valid < count:
        yield of_limits.statistic_undefined(count - valid, count)


def few_units(units: Units) -> Iterator[Caution]:
    """Yield a caution where there is little to resample."""
    if units.count - len(units.layers) < FEW - 1:
        yield (
            of_limits.few_cases_of_statistic(units.count)
            if units.word == "case"
            else of_limits.few_clusters_of_statistic(units.count, units.word)
        )
