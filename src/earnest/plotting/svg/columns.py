"""What a model does with columns: a strip per importance, and a figure per effect."""

from __future__ import annotations

from collections.abc import Sequence

from earnest.core.results.interval import Interval
from earnest.core.results.model.columns import ColumnEffect, ColumnImportance
from earnest.plotting.svg.canvas import (
    DOTS,
    SMALL,
    Axis,
    Canvas,
    Figure,
    center_words,
    cut_apart,
    draw_interval,
    draw_x_grid,
    draw_y_grid,
    find_ticks,
    label_room,
    label_tick,
    label_ticks,
    measure_text,
    round_out,
    space_labels,
)
from earnest.plotting.svg.strips import (
    HEIGHT,
    count_span_decimals,
    empty_strip,
    write_in_digits,
)

WIDTH, TOP, PLOT, UNDER = 350.0, 10.0, 130.0, 40.0
ROW = 24.0
NAMES = 130.0  # pixels for names of levels


def importance_strip(importance: ColumnImportance, scale: Axis, *, name: str) -> Figure:
    """Draw an importance with its interval, blue where it is shown, and a dotted line at 0."""
    canvas, y = empty_strip(scale, name), HEIGHT / 2
    canvas.line((scale(0.0), 0), (scale(0.0), HEIGHT), "ink3", dash=DOTS)
    colour = "accent" if importance.shown else "ink3"
    interval = Interval(importance.low, importance.high, 0.95, "two-sided")
    draw_interval(canvas, scale, interval, y, colour, 1.8)
    canvas.dot((scale(importance.value), y), 4.5, colour)
    places = count_span_decimals((importance.low, importance.high))
    ends = " to ".join(write_in_digits(end, places) for end in (importance.low, importance.high))
    words = f"{importance.name}: {write_in_digits(importance.value, places)}, {ends}."
    return canvas.figure(words, [])


def column_effect(
    effect: ColumnEffect, *, name: str, limits: tuple[float, float], words: str
) -> Figure:
    """Draw how the mean prediction moves with a column.

    Parameters
    ----------
    limits : pair of float
        The scale of the prediction, shared by all figures of a page.
    words : str
        The finding.
    """
    if effect.places is None:
        return _draw_levels(effect, name, limits, words)
    y = Axis(*limits, TOP + PLOT, TOP)
    ticks = find_ticks(y, 5)
    left = label_room(label_ticks(ticks))
    canvas = Canvas(WIDTH, TOP + PLOT + UNDER, name)
    x = Axis(effect.places[0], effect.places[-1], left + 4, WIDTH - 14)
    draw_y_grid(canvas, y, left, WIDTH - 14, ticks=ticks)
    xs = [x(place) for place in effect.places]
    low, high = ([y(value) for value in values] for values in (effect.low, effect.high))
    canvas.band(xs, low, high)
    canvas.curve(list(zip(xs, map(y, effect.mean), strict=True)), "accent", 1.8)
    base = y.start
    canvas.line((left, base), (WIDTH - 14, base), "ink3")
    for at in xs:  # where the values are that cases have
        canvas.line((at, base), (at, base - 4), "ink3")
    for at, label in _label_places(effect, x):
        middle = center_words(canvas, at, label, SMALL)
        canvas.text((middle, base + 17), label, anchor="middle", size=SMALL)
    return canvas.figure(words, list_rows(effect))


def _label_places(effect: ColumnEffect, x: Axis) -> list[tuple[float, str]]:
    """Return labels of numbers at round values, of dates at both ends."""
    assert effect.places is not None
    if "-" in effect.grid[0][1:]:  # a date
        return [(x(effect.places[k]), effect.grid[k]) for k in (0, -1)]
    whole = all(float(place).is_integer() for place in effect.places)
    return [(x(value), label) for value, label in space_labels(x, size=SMALL, whole=whole)]


def _draw_levels(
    effect: ColumnEffect, name: str, limits: tuple[float, float], words: str
) -> Figure:
    """Draw a row for each level: its name, and the mean with those of all models."""
    longest = max(measure_text(level, SMALL) for level in effect.grid)
    left = min(longest, NAMES) + 14
    bottom = TOP + ROW * len(effect.grid)
    canvas = Canvas(WIDTH, bottom + 24, name)
    x = Axis(*limits, left, WIDTH - 14)
    ticks = find_ticks(x, 4)
    draw_x_grid(canvas, x, TOP, bottom, ticks)
    names = cut_apart(list(effect.grid), left - 14, SMALL)
    rows = zip(names, effect.mean, effect.low, effect.high, strict=True)
    for k, (level, mean, low, high) in enumerate(rows):
        y = TOP + (k + 0.5) * ROW
        canvas.text((left - 8, y + 4), level, "ink2", anchor="end", size=SMALL)
        canvas.line((x(low), y), (x(high), y), "accent", 6)
        canvas.dot((x(mean), y), 4, "accent")
    for value, label in zip(ticks, label_ticks(ticks), strict=True):
        at = center_words(canvas, x(value), label, SMALL)
        canvas.text((at, bottom + 17), label, anchor="middle", size=SMALL)
    return canvas.figure(words, list_rows(effect))


def share_limits(effects: Sequence[ColumnEffect]) -> tuple[float, float]:
    """Return the scale that holds all effects."""
    ends = [end for each in effects for end in (min(each.low), max(each.high))]
    return round_out(min(ends), max(ends), most=5, halves=True)


def list_rows(effect: ColumnEffect) -> list[tuple[str, ...]]:
    """Return the effect as a table."""
    head = (effect.column, "Mean", "Lowest model", "Highest model")
    rows = zip(effect.grid, effect.mean, effect.low, effect.high, strict=True)
    return [head, *((label, *map(label_tick, numbers)) for label, *numbers in rows)]
