"""A confidence interval in one row of characters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from earnest.core.results import Estimate
from earnest.core.specs import Side

MOST_TICKS = 6
MARGIN = 3  # columns on both sides, for the labels of the first and the last tick

HONEST = "●"
NAIVE = "◇"
_LINE, _DASHES, _LOW_END, _HIGH_END, _TO_LEFT, _TO_RIGHT = "─╌├┤◀▶"


@dataclass(frozen=True)
class Axis:
    """A stretch of the metric drawn on `width` columns, from tick to tick.

    Parameters
    ----------
    low, high : float
        The ends; both are ticks.
    step : float
        The distance of the ticks, a round number.
    width : int
        The columns from one end to the other.
    """

    low: float
    high: float
    step: float
    width: int

    @classmethod
    def around(cls, values: Iterable[float], width: int) -> Axis:
        """Make the shortest axis with round ends and at most six ticks that holds all values."""
        shown = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(shown), max(shown)
        spread = (high - low) or abs(high) * 0.1 or 1.0
        power = 10.0 ** math.floor(math.log10(spread / MOST_TICKS))
        for factor in (1, 2, 5, 10, 20, 50, 100):
            step = factor * power
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            last = max(last, first + 1)
            if last - first < MOST_TICKS:
                break
        return cls(first * step, last * step, step, width)

    def column(self, value: float) -> int:
        """Return the column of a value, the nearest end for one beyond."""
        share = (value - self.low) / (self.high - self.low)
        return MARGIN + round(min(max(share, 0.0), 1.0) * (self.width - 1))

    def labels(self) -> str:
        """Return the row of tick labels, each centred over its column."""
        places = max(0, -math.floor(math.log10(self.step) + 1e-9))
        row = [" "] * (self.width + 2 * MARGIN)
        for tick in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + tick * self.step
            text = f"{value:.{places}f}"
            start = max(0, self.column(value) - len(text) // 2)
            row[start : start + len(text)] = text
        return "".join(row).rstrip()


def axis_for(estimates: Iterable[Estimate], width: int) -> Axis:
    """Return the axis that holds the values, naive scores and closed ends of the estimates."""
    values: list[float] = []
    for estimate in estimates:
        values += [estimate.value] + ([] if estimate.naive is None else [estimate.naive])
        if estimate.interval is not None and estimate.interval.side != Side.UPPER:
            values.append(estimate.interval.low)
        if estimate.interval is not None and estimate.interval.side != Side.LOWER:
            values.append(estimate.interval.high)
    return Axis.around(values, width)


def strip(axis: Axis, estimate: Estimate, *, corrected: bool = True) -> str:
    """Return the interval as a line with end ticks and the estimate as a dot on it.

    A one-sided interval has one end tick and an arrow to the end of the axis; without an interval
    the dot stands alone. What is not corrected for the search is dashed, with a hollow mark.
    """
    row = [" "] * (axis.width + 2 * MARGIN)
    interval = estimate.interval
    if interval is not None:
        to_left, to_right = interval.side == Side.UPPER, interval.side == Side.LOWER
        start = MARGIN if to_left else axis.column(interval.low)
        stop = MARGIN + axis.width - 1 if to_right else axis.column(interval.high)
        row[start : stop + 1] = (_LINE if corrected else _DASHES) * (stop + 1 - start)
        row[start] = _TO_LEFT if to_left else _LOW_END
        row[stop] = _TO_RIGHT if to_right else _HIGH_END
    row[axis.column(estimate.value)] = HONEST if corrected else NAIVE
    return "".join(row).rstrip()


def mark(axis: Axis, value: float, sign: str = NAIVE) -> str:
    """Return a row with one mark."""
    return " " * axis.column(value) + sign
