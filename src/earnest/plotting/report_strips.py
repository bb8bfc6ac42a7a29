"""Strips: one row of a table drawn on a scale that all its rows share.

Each strip is a few shapes, for a table may have hundreds. The rows stand directly under each
other, so the upright lines of a strip reach from edge to edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from earnest.core.results import Estimate
from earnest.core.sentences import places_of, printed
from earnest.core.specs import Side
from earnest.plotting.report_axes import (
    Scale,
    centred,
    finite_ends,
    in_a_figure,
    rounded_out,
    shown,
    spaced,
    ticks_of,
    x_grid,
)
from earnest.plotting.report_marks import interval_bar
from earnest.plotting.report_svg import DASH, DOTS, Canvas, Figure
from earnest.plotting.report_text import SMALL, text_width

HEIGHT = 30.0
NEAREST = 8  # rivals that a scale of differences holds at least
EDGE = 22.0  # pixels beyond the ends of the scale, for marks, arrows and half a label


class Trust(StrEnum):
    """What a mark says of its number."""

    CORRECTED = "corrected for the search"
    OTHER = "corrected, but another quantity"
    NAIVE = "not corrected for the search"


_COLOURS = {Trust.CORRECTED: "accent", Trust.OTHER: "ink2", Trust.NAIVE: "warn"}


def shared_scale(
    estimates: Iterable[Estimate], *, width: float = 350, values: Iterable[float] = ()
) -> Scale:
    """Return the scale that holds the values and intervals of several estimates.

    Parameters
    ----------
    estimates : iterable of Estimate
        The rows.
    width : float
        Of a strip, in pixels.
    values : iterable of float
        What it must hold besides, such as naive scores.
    """
    rows = list(estimates)
    numbers: list[float | None] = [*values, *(row.value for row in rows)]
    for row in rows:
        if row.interval is not None:
            numbers += [row.interval.low] if row.interval.side != Side.UPPER else []
            numbers += [row.interval.high] if row.interval.side != Side.LOWER else []
    limits = rows[0].scale.limits if rows else (-math.inf, math.inf)
    return scale_over(numbers, width=width, limits=limits)


def scale_over(
    values: Iterable[float | None],
    *,
    width: float = 350,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Scale:
    """Return a scale with round ends that holds all values that are known."""
    ends = rounded_out(*finite_ends(values), limits, halves=True)
    return Scale(*ends, EDGE, width - EDGE)


def strip_axis(scale: Scale, *, name: str, words: str = "") -> Figure:
    """Draw the labels of the scale, to stand in the head of the table.

    Parameters
    ----------
    words : str
        What a side means, such as 'winner better →'; written over the labels.
    """
    canvas = Canvas(scale.end + EDGE, 34 if words else 18, name)
    base = canvas.height - 4
    ticks = spaced(scale, size=SMALL)
    for value, label in ticks:
        x = centred(canvas, scale(value), label, SMALL)
        canvas.text((x, base), label, anchor="middle", size=SMALL)
    if words:
        left = words.startswith("←")
        zero = scale(0.0)
        place = (zero - 4, "end") if left else (zero + 4, "start")
        if not 0 <= place[0] + (-1 if left else 1) * text_width(words, SMALL) <= canvas.width:
            place = (scale.start, "start") if left else (scale.end + EDGE, "end")
        canvas.text((place[0], 12), words, anchor=place[1], size=SMALL)
    said = f"Scale from {ticks[0][1]} to {ticks[-1][1]}"
    return canvas.figure(f"{said}{': ' + words if words else ''}.", [])


def forest_strip(
    estimate: Estimate | None,
    scale: Scale,
    *,
    name: str,
    trust: Trust = Trust.CORRECTED,
    reference: float | None = None,
    reported: bool = False,
    height: float = HEIGHT,
) -> Figure:
    """Draw one method: its interval and its value, or an empty row.

    Parameters
    ----------
    estimate : Estimate or None
        The row; None for a method that was not run.
    scale : Scale
        That of all rows, see `shared_scale`.
    trust : Trust
        How the mark looks: blue and filled, grey and filled, or orange, hollow and dashed.
    reference : float, optional
        The reported value, a dotted line through all rows.
    reported : bool
        Whether this is the reported row; it is drawn thicker.
    """
    canvas, y = empty_strip(scale, name, height), height / 2
    if reference is not None and scale.holds(reference):
        x = scale(reference)
        canvas.line((x, 0), (x, height), "accent", dash=DOTS)
    if estimate is None:
        return canvas.figure("Not run.", [])
    colour, thick = _COLOURS[trust], 3.4 if reported else 1.8
    if estimate.interval is not None:
        dash = DASH if trust is Trust.NAIVE else ""
        interval_bar(canvas, scale, estimate.interval, y, colour, thick, dash=dash)
    at = (scale(estimate.value), y)
    if trust is Trust.NAIVE:
        canvas.diamond(at, 6.5)
    else:
        canvas.dot(at, 6.5 if reported else 4.5, colour)
    words = printed(estimate, places_of([estimate]))
    parts = [words.value, *([] if words.low is None else [words.low, words.high])]
    value, *ends = (in_a_figure(part or "–") for part in parts)
    interval = f", {ends[0]} to {ends[1]}" if ends else ", no interval"
    return canvas.figure(f"{estimate.method}: {value}{interval}, {trust}.", [])


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One configuration against the winner, as winner minus other, in the metric's units.

    Attributes
    ----------
    name : str
        The other configuration.
    value : float
        By how much the winner is ahead.
    one, all : tuple of float or None
        The interval for this comparison alone, and the one that holds for all at once.
    worse : bool
        Whether the other is shown to be worse, by the interval for all at once.
    simplest : bool
        Whether it is the simplest of those that are not worse.
    words, verdict : str
        What the numbers are, and what follows from them, for those who do not see the strip.
    """

    name: str
    value: float
    one: tuple[float, float] | None = None
    all: tuple[float, float] | None = None
    worse: bool = False
    simplest: bool = False
    words: str = "winner minus this"
    verdict: str = ""


def difference_scale(
    rows: Iterable[Difference], *, width: float = 350, nearest: int = NEAREST
) -> Scale:
    """Return the scale of differences: it holds 0, the nearest rivals and the simplest.

    Hopeless configurations would squeeze the others to dots; they leave the scale instead, and
    their strips say so.
    """
    ranked = sorted(rows, key=lambda row: abs(row.value))
    kept = [row for i, row in enumerate(ranked) if i < nearest or row.simplest]
    values: list[float | None] = [0.0]
    for row in kept:
        values += [row.value, *(row.one or ()), *(row.all or ())]
    return scale_over(values, width=width)


def comparison_strip(row: Difference, scale: Scale, *, name: str, height: float = HEIGHT) -> Figure:
    """Draw a difference: thick for this comparison alone, thin for all at once, a line at 0.

    A hollow dot is a configuration that is shown to be worse.
    """
    canvas, y = empty_strip(scale, name, height), height / 2
    if scale.holds(0.0):
        canvas.line((scale(0.0), 0), (scale(0.0), height), "ink3", 1.2)
    colour = "accent" if row.simplest else "ink3" if row.worse else "ink2"
    for ends, thick in ((row.all, 1.2), (row.one, 3.6)):
        if ends is not None and ends[1] >= scale.low and ends[0] <= scale.high:
            canvas.line((scale(ends[0]), y), (scale(ends[1]), y), colour, thick)
    _beyond(canvas, scale, row, colour)
    if scale.holds(row.value):
        canvas.dot((scale(row.value), y), 4.5, colour, hollow=row.worse)
    places = places_between(row.one or row.all)
    said = f"{row.name}: {row.words} {in_digits(row.value, places)}"
    for ends, words in ((row.one, "for this one"), (row.all, "for all at once")):
        if ends is not None:
            low, high = (in_digits(end, places) for end in ends)
            said += f", {low} to {high} {words}"
    verdict = row.verdict or ("worse" if row.worse else "not worse")
    return canvas.figure(f"{said}; {verdict}.", [])


def _beyond(canvas: Canvas, scale: Scale, row: Difference, colour: str) -> None:
    """Point to where a bar goes on, or a difference lies, beyond what the scale holds."""
    y = canvas.height / 2
    low, high = row.all or row.one or (row.value, row.value)
    if low > scale.high and not scale.holds(low):
        canvas.text((canvas.width - 4, y + 4), "> off scale", anchor="end", size=SMALL)
    elif high < scale.low and not scale.holds(high):
        canvas.text((4, y + 4), "< off scale", size=SMALL)
    else:
        for end, left in ((low, True), (high, False)):
            if not scale.holds(end) and (end < scale.low) is left:
                place = scale.start - 6 if left else scale.end + 6
                canvas.arrow_head((place, y), colour, left=left)


def empty_strip(scale: Scale, name: str, height: float) -> Canvas:
    """Return a strip with the upright lines of its scale."""
    canvas = Canvas(scale.end + EDGE, height, name)
    x_grid(canvas, scale, 0, height, ticks_of(scale))
    return canvas


def places_between(ends: tuple[float, float] | None) -> int:
    """Return the decimals that tell numbers of such a span apart."""
    span = 0.0 if ends is None else abs(ends[1] - ends[0])
    return (
        3 if not span > 0 or not math.isfinite(span) else max(0, 1 - math.floor(math.log10(span)))
    )


def in_digits(value: float, places: int) -> str:
    """Return a number without a range as a figure prints it."""
    return shown(value, places, (-math.inf, math.inf))


def widened(scale: Scale, width: float) -> Scale:
    """Return the same scale for strips of another width."""
    return replace(scale, end=width - EDGE)
