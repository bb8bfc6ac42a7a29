"""Marks that several figures of a report share."""

from __future__ import annotations

from earnest.core.intervals import Interval
from earnest.core.specs import Side
from earnest.plotting.report_axes import Scale
from earnest.plotting.report_svg import Canvas


def interval_bar(
    canvas: Canvas,
    scale: Scale,
    interval: Interval,
    y: float,
    colour: str,
    thick: float,
    *,
    dash: str = "",
    head: float = 4.0,
) -> tuple[float, float]:
    """Draw an interval with end ticks; an open end, or one beyond the scale, is an arrow.

    Returns
    -------
    tuple of float
        The pixels of its ends.
    """
    left = interval.side == Side.UPPER or interval.low < scale.low
    right = interval.side == Side.LOWER or interval.high > scale.high
    low = scale.start - head if left else scale(interval.low)
    high = scale.end + head if right else scale(interval.high)
    canvas.line((low, y), (high, y), colour, thick, dash=dash)
    for x, is_open, at_left in ((low, left, True), (high, right, False)):
        if is_open:
            canvas.arrow_head(
                (x + (-head if at_left else head), y), colour, left=at_left, size=head
            )
        else:
            canvas.line((x, y - 5), (x, y + 5), colour, 1.8)
    return low, high
