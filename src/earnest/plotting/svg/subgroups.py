"""A row of the forest plot of subgroups."""

from __future__ import annotations

from earnest.core.results.interval import Interval
from earnest.core.results.subgroups import Subgroup, SubgroupStanding
from earnest.plotting.svg.canvas import DOTS, Axis, Figure, draw_interval
from earnest.plotting.svg.strips import (
    HEIGHT,
    count_span_decimals,
    empty_strip,
    write_in_digits,
)


def subgroup_strip(
    subgroup: Subgroup, scale: Axis, *, name: str, reference: float | None = None
) -> Figure:
    """Draw one subgroup: its limits and its score, orange where it is shown to be worse.

    Parameters
    ----------
    subgroup : Subgroup
        The row; empty where it has no limits.
    scale : Axis
        That of all rows.
    reference : float, optional
        The score on all cases, a dotted line through all rows.
    """
    canvas, y = empty_strip(scale, name), HEIGHT / 2
    if reference is not None and scale.holds(reference):
        x = scale(reference)
        canvas.line((x, 0), (x, HEIGHT), "accent", dash=DOTS)
    value, low, high = subgroup.value, subgroup.low, subgroup.high
    if value is None or low is None or high is None:
        return canvas.figure(f"{subgroup.name}: {subgroup.standing}.", [])
    colour = "warn" if subgroup.standing is SubgroupStanding.WORSE else "accent"
    draw_interval(canvas, scale, Interval(low, high, 0.95, "two-sided"), y, colour, 1.8)
    canvas.dot((scale(value), y), 4.5, colour)
    places = count_span_decimals((low, high))
    ends = " to ".join(write_in_digits(end, places) for end in (low, high))
    words = f"{subgroup.name}: {write_in_digits(value, places)}, {ends}, {subgroup.standing}."
    return canvas.figure(words, [])
