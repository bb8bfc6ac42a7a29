"""The bootstrap of a statistic: its draws, and the limits of each kind that are read from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import Caution
from earnest.core.errors import EvidenceError
from earnest.core.intervals import DrawnLimits, LimitSource
from earnest.core.rng import Seeds
from earnest.inference.general_limits import BCaLimits, PivotLimits, acceleration, bias_shift
from earnest.inference.general_remarks import few_units, no_spread, other_limits, undefined_draws
from earnest.inference.general_units import Array, Asked, Units

METHODS = ("bca", "percentile", "basic", "studentised")


@dataclass(frozen=True, eq=False)
class Drawn:
    """The statistic of every resample, and its standard error there where one is needed."""

    values: Array
    errors: Array | None = None
    error: float = math.nan


def drawn(
    asked: Asked,
    n_resamples: int,
    seeds: Seeds,
    method: str,
    standard_error: Callable[[Any], Any] | None,
) -> Drawn:
    """Ask the statistic, and for the studentised interval its error, of every resample."""
    values, errors = [], []
    spread = _error(asked, standard_error) if method == "studentised" else None
    for counts in asked.units.draws(n_resamples, seeds):
        values.append(asked(counts))
        if spread is not None:
            errors.append(spread(counts))
    made = np.concatenate(values)
    if spread is None:
        return Drawn(made)
    error = float(spread(np.ones((1, asked.units.count)))[0])
    if not error > 0.0:
        raise EvidenceError(
            "the statistic has no standard error to be divided by",
            needs="a standard error above 0 on the cases as they are",
            got=f"{error:g}",
            cure="Use method='bca' or 'percentile'.",
        )
    return Drawn(made, np.concatenate(errors), error)


def _error(asked: Asked, given: Callable[[Any], Any] | None) -> Callable[[NDArray[Any]], Array]:
    if given is not None:
        return Asked(given, asked.units, asked.vectorized)
    return lambda counts: np.array([jackknife_error(asked, row) for row in counts])


def jackknife_error(asked: Asked, counts: NDArray[Any]) -> float:
    """Return the jackknife standard error of a resample, one drawn copy left out at a time."""
    units = asked.units
    present = np.flatnonzero(counts)
    left = asked.without_each(present, counts)
    copies, total = np.asarray(counts, dtype=np.float64)[present], 0.0
    for layer in units.layers:
        mine = np.isin(present, layer)
        size, times = float(len(layer)), copies[mine]
        centre = float(times @ left[mine]) / size
        total += (size - 1.0) / size * float(times @ (left[mine] - centre) ** 2)
    return math.sqrt(total) if total >= 0.0 else math.nan


def limits_of(
    method: str, asked: Asked, value: float, made: Drawn
) -> tuple[LimitSource, list[Caution]]:
    """Return the limits of a kind, and a caution where they are of another one."""
    if method == "basic":
        return PivotLimits(value, 1.0, made.values - value), []
    if method == "studentised":
        return _studentised(value, made)
    if method == "percentile":
        return DrawnLimits(made.values), []
    shift = bias_shift(made.values, value)
    if not math.isfinite(shift):
        where = "above" if shift < 0 else "below"
        return DrawnLimits(made.values), list(
            other_limits(f"All draws lie {where} the value.", "percentile")
        )
    units = asked.units
    left = asked.without_each(np.arange(units.count), np.ones(units.count))
    parts = [(len(one) - 1) * (left[one].mean() - left[one]) for one in units.layers]
    speed = acceleration(parts)
    if math.isfinite(speed):
        return BCaLimits(made.values, shift, speed), []
    flat = not np.isnan(left).any()
    if flat and np.nanstd(made.values) == 0.0:  # nothing varies: there is nothing to accelerate
        return BCaLimits(made.values, shift, 0.0), []
    why = "does not change" if flat else "is undefined"
    return BCaLimits(made.values, shift, 0.0), list(
        other_limits(f"The statistic {why} when a {units.word} is left out.", "bias-corrected")
    )


def _studentised(value: float, made: Drawn) -> tuple[LimitSource, list[Caution]]:
    assert made.errors is not None
    usable = made.errors > 0.0
    pivots = np.full(len(made.values), np.nan)
    np.divide(made.values - value, made.errors, out=pivots, where=usable)
    valid, kept = int((~np.isnan(made.values)).sum()), int((~np.isnan(pivots)).sum())
    if kept < 2:
        raise EvidenceError(
            "the resamples have no standard error to be divided by",
            needs="at least two resamples with a standard error above 0",
            got=f"{kept} of {len(pivots)}",
            cure="Use method='bca' or 'percentile'.",
        )
    source = PivotLimits(value, made.error, pivots)
    if kept == valid:
        return source, []
    what = f"{valid - kept} of {valid} resamples have no standard error above 0."
    return source, list(other_limits(what, "studentised, without these,"))


def bootstrap_remarks(units: Units, valid: Array, count: int) -> Iterator[Caution]:
    """Yield what a reader must know of the resamples."""
    yield from undefined_draws(count, len(valid))
    yield from no_spread(float(np.ptp(valid)), "resample")
    yield from few_units(units)
