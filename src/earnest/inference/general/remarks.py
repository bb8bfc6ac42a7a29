"""Cautions of the general tools."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from earnest.core.results.cautions import Caution
from earnest.inference.general.units import Array, Units

FEW = 10  # units under which the draws are too coarse and too narrow for any of the intervals
JUMPS = 3  # values that a statistic takes, at most, when it jumps as cases are left out


def other_limits(what: str, kind: str) -> Iterator[Caution]:
    """Yield a caution where the interval is not the one that was asked for."""
    yield Caution(
        "EN097",
        what,
        f"The interval is the {kind} one, which is less accurate.",
        "Look at the draws; use more cases or a smoother statistic.",
    )


def not_smooth(found: bool) -> Iterator[Caution]:
    """Yield a caution where a statistic jumps or bends as weight moves."""
    if found:
        yield Caution(
            "EN098",
            "The statistic jumps or bends when a little weight moves.",
            "Its derivative and this standard error mean little.",
            "Use earnest.bootstrap.",
        )


def warn_of_left_out(left: Array, value: float) -> Iterator[Caution]:
    """Yield a caution where leaving out any case gives one of very few values.

    A median of many cases moves to one of two or three neighbours, whatever is left out; the
    variance of these is no estimate of its own.
    """
    distinct = len(np.unique(np.append(left, value)))
    if len(left) > FEW and 1 < distinct <= JUMPS:
        yield Caution(
            "EN098",
            f"Leaving out each of {len(left)} units gives only {distinct} different values.",
            "The statistic jumps, and the jackknife fails for such statistics.",
            "Use earnest.bootstrap.",
        )


def no_spread(spread: float, what: str) -> Iterator[Caution]:
    """Yield a caution where the statistic never changes."""
    if spread == 0.0:
        yield Caution(
            "EN035",
            f"The statistic is the same for every {what}.",
            "Nothing shows how much it could vary, so the interval has no width.",
            "Only more cases can tell you more.",
        )


def warn_of_undefined_draws(count: int, valid: int) -> Iterator[Caution]:
    """Yield a caution where resamples have no value."""
    if valid < count:
        yield Caution(
            "EN010",
            f"{count - valid} of {count} resamples have no defined value.",
            "They are left out, so the interval describes samples that have one.",
            "Pass `strata` if every class must be drawn, or use more cases.",
        )


def few_units(units: Units) -> Iterator[Caution]:
    """Yield a caution where there is little to resample."""
    if units.count - len(units.layers) < FEW - 1:
        yield Caution(
            "EN036" if units.word == "case" else "EN020",
            f"There are {units.count} {units.word}s to resample.",
            "Draws of so few are coarse and too narrow; the limits are a rough guide.",
            f"Use more {units.word}s.",
        )
