"""What to expect at every decision threshold: measures with their bands, and the decision curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

from earnest.core.results.thresholds import Thresholds
from earnest.core.text.thresholds import (
    SHORT,
    TITLES,
    show_band,
    show_cut,
    show_value,
    word_headline,
)
from earnest.plotting.svg.canvas import (
    DASH,
    DOTS,
    Axis,
    Canvas,
    Figure,
    Point,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    fit_words,
    label_ticks,
    measure_text,
    round_out,
    space_labels,
)

LEFT, RIGHT, UNDER = 46.0, 16.0, 44.0  # pixels around the plot
ROW = 19.0  # of the words that name the lines
BOTH = ("sensitivity", "specificity")
LINES = (("accent", "", 2.2), ("ink", DASH, 1.8), ("ink3", DOTS, 1.8))


def thresholds(
    analysis: Thresholds,
    *,
    name: str,
    width: float = 560,
    height: float = 290,
    measures: Sequence[str] = BOTH,
) -> Figure:
    """Draw measures over the thresholds, each with the band that holds at all of them at once.

    A net benefit has calling every case positive beside it, dotted, and calling none as the zero.

    Parameters
    ----------
    analysis : Thresholds
        Of `earnest.thresholds`.
    measures : sequence of str
        At most two, or ('net_benefit',).
    """
    grid, useful = analysis.thresholds, tuple(measures) == ("net_benefit",)
    words = [TITLES[measure] for measure in measures] + (
        ["Calling every case positive"] if useful else []
    )
    places = _place_words(words, width)
    top = 14.0 + ROW * (1 + max(row for _, row in places))
    canvas = Canvas(width, height, name)
    x = Axis(grid[0], max(grid[-1], grid[0] + 1e-9), LEFT, width - RIGHT)
    low, high = _find_range(analysis, measures) if useful else (0.0, 1.0)
    y = Axis(low, high, height - UNDER, top)
    ticks = find_ticks(y, 5)
    draw_y_grid(canvas, y, LEFT, width - RIGHT, ticks=ticks, words=label_ticks(ticks))
    across = [x(cut) for cut in grid]
    with canvas.within((LEFT, top), (width - LEFT - RIGHT, height - UNDER - top)):
        for measure, (colour, _, _) in zip(measures, LINES, strict=False):
            curve = analysis.curves[measure]
            ends = [[_find_height(y, v) for v in edge] for edge in (curve.low, curve.high)]
            canvas.band(across, ends[0], ends[1], colour, 0.16)
        if useful:
            every = [analysis.treat_all(cut) for cut in grid]
            seen = [None if v is None or v < low else v for v in every]
            points = [(at, _find_height(y, v)) for at, v in zip(across, seen, strict=True)]
            canvas.curve(points, "ink3", 1.6, dash=DOTS)
            canvas.line((LEFT, y(0.0)), (width - RIGHT, y(0.0)), "ink3")
        for measure, (colour, dash, thick) in zip(measures, LINES, strict=False):
            values = analysis.curves[measure].value
            line: list[Point] = [
                (at, _find_height(y, v)) for at, v in zip(across, values, strict=True)
            ]
            canvas.curve(line, colour, thick, dash=dash)
    styles = [*LINES[: len(measures)], *([("ink3", DOTS, 1.6)] if useful else [])]
    for word, (left, row), (colour, dash, _) in zip(words, places, styles, strict=True):
        base = 14.0 + ROW * row
        canvas.line((left, base - 4), (left + 22, base - 4), colour, 2, dash=dash)
        canvas.text((left + 28, base), word, colour, bold=True)
    title = fit_words("Threshold: scores above it are called positive", width - 8)
    draw_x_axis(canvas, x, height - UNDER, title=title, labels=space_labels(x, 6))
    return canvas.figure(word_headline(analysis), _list_rows(analysis, measures))


def _find_height(y: Axis, value: float | None) -> float:
    return math.nan if value is None else y(value)


def _place_words(words: Sequence[str], width: float) -> list[tuple[float, int]]:
    """Return where the names of the lines begin, and in which row, so that none touch."""
    spots: list[tuple[float, int]] = []
    left, row = LEFT, 0
    for word in words:
        room = 28 + measure_text(word, bold=True) + 22
        if left > LEFT and left + room > width:
            left, row = LEFT, row + 1
        spots.append((left, row))
        left += room
    return spots


def _find_range(analysis: Thresholds, measures: Sequence[str]) -> tuple[float, float]:
    """Return the range of a net benefit: what is above a little less than nothing."""
    values = [
        v
        for measure in measures
        for v in (*analysis.curves[measure].value, *analysis.curves[measure].high)
    ]
    high = find_finite_ends([*values, analysis.prevalence])[1]
    high = min(high, 1.2 * analysis.prevalence + 0.02)
    return round_out(-0.25 * high, high, (-math.inf, 1.0), 5, halves=True)


def _list_rows(analysis: Thresholds, measures: Sequence[str]) -> list[tuple[str, ...]]:
    heads = ("Threshold", *(head for measure in measures for head in (SHORT[measure], "Band")))
    rows = []
    for row in analysis.pick():
        cells = [show_cut(row.threshold)]
        for measure in measures:
            rate = row.rate(measure)
            assert rate is not None
            cells += [show_value(analysis, measure, rate.value), show_band(analysis, measure, rate)]
        rows.append(tuple(cells))
    return [heads, *rows]
