"""A confidence interval in one row of characters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.numbers import LARGEST, MINUS, SMALLEST

MOST_TICKS = 6
LEAST_TICKS = 3  # a stretch around a round number has no fewer
MARGIN = 3  # columns on both sides, for the labels of the first and the last tick

HONEST = "●"
NAIVE = "◇"
_LINE, _DASHES, _LOW_END, _HIGH_END, _TO_LEFT, _TO_RIGHT = "─╌├┤◀▶"


@dataclass(frozen=True)
class PictureAxis:
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
    def around(cls, values: Iterable[float], width: int) -> PictureAxis:
        """Make the shortest axis with round ends, few enough ticks for labels, and all values."""
        shown = [value for value in values if math.isfinite(value)] or [0.0]
        for most in range(MOST_TICKS, LEAST_TICKS - 1, -1):
            axis = cls._with_ticks(min(shown), max(shown), most, width)
            if None not in axis.places():
                break
        return axis

    @classmethod
    def _with_ticks(cls, low: float, high: float, most: int, width: int) -> PictureAxis:
        spread = (high - low) or abs(high) * 0.1 or 1.0
        power = 10.0 ** math.floor(math.log10(spread / MOST_TICKS))
        for factor in (1, 2, 5, 10, 20, 50, 100):
            step = factor * power
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            last = max(last, first + 1)
            if last - first < most:
                break
        return cls(first * step, last * step, step, width)

    def column(self, value: float) -> int:
        """Return the column of a value, the nearest end for one beyond."""
        share = (value - self.low) / (self.high - self.low)
        return MARGIN + round(min(max(share, 0.0), 1.0) * (self.width - 1))

    def ticks(self) -> list[float]:
        """Return the values of the ticks."""
        count = round((self.high - self.low) / self.step) + 1
        return [self.low + tick * self.step for tick in range(count)]

    def label(self, value: float) -> str:
        """Return a tick's value with the decimals of the step, or with its power of ten."""
        if abs(value) < self.step / 2:
            return "0"
        if SMALLEST <= max(abs(self.low), abs(self.high)) < LARGEST:
            places = max(0, -math.floor(math.log10(self.step) + 1e-9))
            return f"{value:,.{places}f}".replace("-", MINUS)
        digits = math.floor(math.log10(abs(value)) + 1e-9) - math.floor(math.log10(self.step))
        return f"{value:.{max(digits, 0)}e}".replace("-", MINUS)

    def places(self) -> list[int | None]:
        """Return where each tick's label begins, None where it would touch another.

        The ends come first, then the others from the left.
        """
        ticks, taken = self.ticks(), [False] * self.room
        starts: list[int | None] = [None] * len(ticks)
        for tick in (0, len(ticks) - 1, *range(1, len(ticks) - 1)):
            size = len(self.label(ticks[tick]))
            start = max(0, min(self.column(ticks[tick]) - size // 2, self.room - size))
            if size <= self.room and not any(taken[max(start - 1, 0) : start + size + 1]):
                starts[tick] = start
                taken[start : start + size] = [True] * size
        return starts

    @property
    def room(self) -> int:
        """The columns with the margins."""
        return self.width + 2 * MARGIN

    def labels(self) -> str:
        """Return the row of tick labels, each centred over its column."""
        row = [" "] * self.room
        for value, start in zip(self.ticks(), self.places(), strict=True):
            if start is not None:
                text = self.label(value)
                row[start : start + len(text)] = text
        return "".join(row).rstrip()


def axis_for(estimates: Iterable[Estimate], width: int) -> PictureAxis:
    """Return the axis that holds the values, naive scores and closed ends of the estimates."""
    values: list[float] = []
    for estimate in estimates:
        values += [estimate.value] + ([] if estimate.naive is None else [estimate.naive])
        if estimate.interval is not None and estimate.interval.side != Side.UPPER:
            values.append(estimate.interval.low)
        if estimate.interval is not None and estimate.interval.side != Side.LOWER:
            values.append(estimate.interval.high)
    return PictureAxis.around(values, width)


def draw_strip(axis: PictureAxis, estimate: Estimate) -> str:
    """Return the interval as a line with end ticks and the estimate as a dot on it.

    A one-sided interval has one end tick and an arrow to the end of the axis; without an interval
    the dot stands alone. What is not corrected for the search is dashed, with a hollow mark.
    """
    row = [" "] * axis.room
    if estimate.interval is not None:
        draw_interval_signs(row, axis, estimate.interval, _LINE if estimate.honest else _DASHES)
    row[axis.column(estimate.value)] = HONEST if estimate.honest else NAIVE
    return "".join(row).rstrip()


def draw_interval_signs(
    row: list[str], axis: PictureAxis, interval: Interval, line: str = _LINE
) -> tuple[int, int]:
    """Draw an interval into a row of signs, and return its first and last column."""
    to_left, to_right = interval.side == Side.UPPER, interval.side == Side.LOWER
    start = MARGIN if to_left else axis.column(interval.low)
    stop = MARGIN + axis.width - 1 if to_right else axis.column(interval.high)
    row[start : stop + 1] = line * (stop + 1 - start)
    row[start] = _TO_LEFT if to_left else _LOW_END
    row[stop] = _TO_RIGHT if to_right else _HIGH_END
    return start, stop


def mark(axis: PictureAxis, value: float, sign: str = NAIVE) -> str:
    """Return a row with one mark."""
    return " " * axis.column(value) + sign
