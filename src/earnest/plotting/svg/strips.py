"""Strips of the table of all configurations: the search score, and the folds behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Side, Standing
from earnest.core.text.estimate import places_of, print_numbers
from earnest.core.text.numbers import show_number
from earnest.plotting.svg.canvas import (
    DASH,
    DOTS,
    SMALL,
    Axis,
    Canvas,
    Figure,
    center_words,
    draw_interval,
    draw_x_grid,
    find_finite_ends,
    find_ticks,
    measure_text,
    round_out,
    space_labels,
)

# Strips: one row of a table drawn on a scale that all its rows share.
#
# Each strip is a few shapes, for a table may have hundreds. The rows stand directly under each
# other, so the upright lines of a strip reach from edge to edge.


HEIGHT = 30.0
NEAREST = 8  # rivals that a scale of differences holds at least
EDGE = 22.0  # pixels beyond the ends of the scale, for marks, arrows and half a label


class Correction(StrEnum):
    """What a mark says of its number."""

    CORRECTED = "corrected for the search"
    OTHER = "corrected, but another quantity"
    NAIVE = "not corrected for the search"


_COLOURS = {Correction.CORRECTED: "accent", Correction.OTHER: "ink2", Correction.NAIVE: "warn"}


def find_shared_scale(
    estimates: Iterable[Estimate], *, width: float = 350, values: Iterable[float] = ()
) -> Axis:
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
) -> Axis:
    """Return a scale with round ends that holds all values that are known."""
    ends = round_out(*find_finite_ends(values), limits, halves=True)
    return Axis(*ends, EDGE, width - EDGE)


def strip_axis(scale: Axis, *, name: str, words: str = "", left: bool = False) -> Figure:
    """Draw the labels of the scale, to stand in the head of the table.

    Parameters
    ----------
    words : str
        What a side means, such as 'winner better →'; written over the labels.
    left : bool
        Whether it is the left side.
    """
    canvas = Canvas(scale.end + EDGE, 34 if words else 18, name)
    base = canvas.height - 4
    ticks = space_labels(scale, size=SMALL)
    for value, label in ticks:
        x = center_words(canvas, scale(value), label, SMALL)
        canvas.text((x, base), label, anchor="middle", size=SMALL)
    if words:
        zero = scale(0.0)
        anchor = (zero - 4, "end") if left else (zero + 4, "start")
        if not 0 <= anchor[0] + (-1 if left else 1) * measure_text(words, SMALL) <= canvas.width:
            anchor = (scale.start, "start") if left else (scale.end + EDGE, "end")
        canvas.text((anchor[0], 12), words, anchor=anchor[1], size=SMALL)
    sentence = f"Scale from {ticks[0][1]} to {ticks[-1][1]}"
    return canvas.figure(f"{sentence}{': ' + words if words else ''}.", [])


def forest_strip(
    estimate: Estimate | None,
    scale: Axis,
    *,
    name: str,
    trust: Correction = Correction.CORRECTED,
    reference: float | None = None,
    reported: bool = False,
) -> Figure:
    """Draw one method: its interval and its value, or an empty row.

    Parameters
    ----------
    estimate : Estimate or None
        The row; None for a method that was not run.
    scale : Scale
        That of all rows, see `find_shared_scale`.
    trust : Correction
        How the mark looks: blue and filled, grey and filled, or orange, hollow and dashed.
    reference : float, optional
        The reported value, a dotted line through all rows.
    reported : bool
        Whether this is the reported row; it is drawn thicker.
    """
    canvas, y = empty_strip(scale, name), HEIGHT / 2
    if reference is not None and scale.holds(reference):
        x = scale(reference)
        canvas.line((x, 0), (x, HEIGHT), "accent", dash=DOTS)
    if estimate is None:
        return canvas.figure("Not run.", [])
    colour, thick = _COLOURS[trust], 3.4 if reported else 1.8
    if estimate.interval is not None:
        dash = DASH if trust is Correction.NAIVE else ""
        draw_interval(canvas, scale, estimate.interval, y, colour, thick, dash=dash)
    at = (scale(estimate.value), y)
    if trust is Correction.NAIVE:
        canvas.diamond(at, 6.5)
    else:
        canvas.dot(at, 6.5 if reported else 4.5, colour)
    words = print_numbers(estimate, places_of([estimate]))
    interval = ", no interval"
    if words.low is not None and words.high is not None:
        interval = f", {words.low.signs} to {words.high.signs}"
    return canvas.figure(f"{estimate.method}: {words.value.signs}{interval}, {trust}.", [])


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
    cheapest : bool
        Whether it is the cheapest of those that are not shown worse.
    words, verdict : str
        What the numbers are, and what follows from them, for those who do not see the strip.
    """

    name: str
    value: float
    one: tuple[float, float] | None = None
    all: tuple[float, float] | None = None
    worse: bool = False
    cheapest: bool = False
    words: str = "winner minus this"
    verdict: str = ""


def difference_scale(rows: Iterable[Difference], *, width: float = 350) -> Axis:
    """Return the scale of differences: it holds 0, the nearest rivals and the cheapest.

    Hopeless configurations would squeeze the others to dots; they leave the scale instead, and
    their strips say so.
    """
    ranked = sorted(rows, key=lambda row: abs(row.value))
    shown = [row for i, row in enumerate(ranked) if i < NEAREST or row.cheapest]
    values: list[float | None] = [0.0]
    for row in shown:
        values += [row.value, *(row.one or ()), *(row.all or ())]
    return scale_over(values, width=width)


def comparison_strip(row: Difference, scale: Axis, *, name: str) -> Figure:
    """Draw a difference: thick for this comparison alone, thin for all at once, a line at 0.

    A hollow dot is a configuration that is shown to be worse.
    """
    canvas, y = empty_strip(scale, name), HEIGHT / 2
    if scale.holds(0.0):
        canvas.line((scale(0.0), 0), (scale(0.0), HEIGHT), "ink3", 1.2)
    colour = "accent" if row.cheapest else "ink3" if row.worse else "ink2"
    for ends, thick in ((row.all, 1.2), (row.one, 3.6)):
        if ends is not None and ends[1] >= scale.low and ends[0] <= scale.high:
            canvas.line((scale(ends[0]), y), (scale(ends[1]), y), colour, thick)
    _point_beyond(canvas, scale, row, colour)
    if scale.holds(row.value):
        canvas.dot((scale(row.value), y), 4.5, colour, hollow=row.worse)
    places = count_span_decimals(row.one or row.all)
    sentence = f"{row.name}: {row.words} {write_in_digits(row.value, places)}"
    for ends, words in ((row.one, "for this one"), (row.all, "for all at once")):
        if ends is not None:
            low, high = (write_in_digits(end, places) for end in ends)
            sentence += f", {low} to {high} {words}"
    verdict = row.verdict or str(Standing.WORSE if row.worse else Standing.NOT_WORSE)
    return canvas.figure(f"{sentence}; {verdict}.", [])


def _point_beyond(canvas: Canvas, scale: Axis, row: Difference, colour: str) -> None:
    """Point to where a bar goes on, or a difference lies, beyond what the scale holds."""
    y = canvas.height / 2
    low, high = row.all or row.one or (row.value, row.value)
    if low > scale.high and not scale.holds(low):
        _write_off_scale(canvas, left=False)
    elif high < scale.low and not scale.holds(high):
        _write_off_scale(canvas, left=True)
    else:
        for end, left in ((low, True), (high, False)):
            if not scale.holds(end) and (end < scale.low) is left:
                tip = scale.start - 6 if left else scale.end + 6
                canvas.arrow_head((tip, y), colour, left=left)


def empty_strip(scale: Axis, name: str) -> Canvas:
    """Return a strip with the upright lines of its scale."""
    canvas = Canvas(scale.end + EDGE, HEIGHT, name)
    draw_x_grid(canvas, scale, 0, HEIGHT, find_ticks(scale))
    return canvas


def count_span_decimals(ends: tuple[float, float] | None) -> int:
    """Return the decimals that tell numbers of such a span apart."""
    span = 0.0 if ends is None else abs(ends[1] - ends[0])
    usable = span > 0 and math.isfinite(span)
    return max(0, 1 - math.floor(math.log10(span))) if usable else 3


def write_in_digits(value: float, places: int) -> str:
    """Return a number without a range as a figure prints it."""
    return show_number(value, places, (-math.inf, math.inf))


def widen(scale: Axis, width: float) -> Axis:
    """Return the same scale for strips of another width."""
    return replace(scale, end=width - EDGE)


def score_strip(
    value: float | None,
    scale: Axis,
    *,
    name: str,
    interval: tuple[float, float] | None = None,
    winner: bool = False,
) -> Figure:
    """Draw the search score of one configuration; hollow, for no score of a search is corrected.

    Parameters
    ----------
    value : float or None
        The score; None where there is none.
    scale : Scale
        That of all rows; a score beyond it is said in words.
    interval : pair of float, optional
        Drawn as a line.
    winner : bool
        Whether it is the winner, in orange.
    """
    canvas, y = empty_strip(scale, name), HEIGHT / 2
    if value is None or not math.isfinite(value):
        return canvas.figure("No score.", [])
    places = count_span_decimals((scale.low, scale.high))
    colour = "warn" if winner else "ink3"
    if not scale.holds(value):
        _write_off_scale(canvas, left=value < scale.low)
        return canvas.figure(f"Score {write_in_digits(value, places)}, off the scale.", [])
    if interval is not None:
        low, high = scale(interval[0]), scale(interval[1])
        canvas.line((low, y), (high, y), colour, 1.8, dash=DASH if winner else "")
    canvas.diamond((scale(value), y), 5, colour)
    return canvas.figure(f"Score {write_in_digits(value, places)}, not corrected.", [])


def _write_off_scale(canvas: Canvas, *, left: bool) -> None:
    """Say at an end of a strip that its value lies beyond it."""
    y = canvas.height / 2 + 4
    if left:
        canvas.text((4, y), "< off scale", size=SMALL)
    else:
        canvas.text((canvas.width - 4, y), "> off scale", anchor="end", size=SMALL)


def fold_dots(
    scores: Sequence[float | None],
    ends: tuple[float, float],
    *,
    name: str,
    width: float = 92,
) -> Figure:
    """Draw the scores of the folds as dots, and a dash for a fold that was not run.

    Parameters
    ----------
    scores : sequence of float or None
        One a fold.
    ends : pair of float
        The scores at the bottom and at the top, the same for all rows.
    """
    canvas = Canvas(width, HEIGHT, name)
    scale = Axis(*ends, HEIGHT - 5, 5)
    step = (width - 8) / max(len(scores), 1)
    finite, dots = [], []
    for fold, score in enumerate(scores):
        x = 4 + (fold + 0.5) * step
        if score is None or not math.isfinite(score):
            half = 0.32 * min(step, 12)
            canvas.line((x - half, HEIGHT / 2), (x + half, HEIGHT / 2), "ink3")
        else:
            finite.append(score)
            dots.append((x, scale(score)))
    if dots:
        canvas.specks(dots, 1.8, "ink2", 1.0)
    ran = f"{len(finite)} of {len(scores)} folds"
    places = count_span_decimals(ends)
    if not finite:
        return canvas.figure(f"Scores of {ran}.", [])
    low, high = (write_in_digits(end, places) for end in (min(finite), max(finite)))
    return canvas.figure(f"Scores of {ran}, from {low} to {high}.", [])
