"""A learning curve for the report: the score at each size, with its limits."""

from __future__ import annotations

from earnest.core.results.learning import LearningCurve
from earnest.core.text.estimate import percent
from earnest.core.text.learning import headline, places_of_step
from earnest.plotting.svg.axes import (
    Scale,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    label_room,
    label_ticks,
    round_out,
    shown,
)
from earnest.plotting.svg.canvas import Canvas, Figure
from earnest.plotting.svg.text import fitted, measure_text

TOP, UNDER, SIDE = 28.0, 44.0, 22.0


def learning(
    made: LearningCurve, *, name: str, width: float = 460, height: float = 240, title: str = ""
) -> Figure:
    """Draw a dot a size with its limits, joined by a line, on a log scale.

    Parameters
    ----------
    made : LearningCurve
        Of `earnest.learning_curve`.
    title : str
        The metric in words; its name by default.
    """
    low, high = find_finite_ends([*made.low, *made.high, *made.scores])
    low, high = round_out(low, high, made.scale.limits, 6, halves=True)
    ticks = find_ticks(Scale(low, high, 0.0, 1.0))
    left = label_room(label_ticks(ticks))
    canvas, right = Canvas(width, height, name), width - SIDE
    x = Scale(float(made.sizes[0]), float(made.sizes[-1]), left + SIDE, right, log=True)
    y = Scale(low, high, height - UNDER, TOP)
    draw_y_grid(canvas, y, left, right, ticks=ticks)
    words = f"{title or made.metric} by training cases"
    canvas.text((left, TOP - 14), fitted(words, right - left), "ink2")
    points = [
        (x(float(size)), y(score)) for size, score in zip(made.sizes, made.scores, strict=True)
    ]
    for (place, _), least, most in zip(points, made.low, made.high, strict=True):
        if least is not None and most is not None:
            canvas.line((place, y(least)), (place, y(most)), "accent", 1.4)
    canvas.curve(points, "accent", 2.0)
    for point in points:
        canvas.dot(point, 4.0, "accent")
    labels, reached = [], -1e9
    for size in made.sizes:
        half = 0.5 * measure_text(f"{size:,}")
        if x(float(size)) - half > reached:
            labels.append((float(size), f"{size:,}"))
            reached = x(float(size)) + half + 6
    under = fitted("training cases (log scale)", width - 8)
    draw_x_axis(canvas, x, height - UNDER, title=under, labels=labels)
    return canvas.figure(headline(made), _list_rows(made))


def _list_rows(made: LearningCurve) -> list[tuple[str, ...]]:
    level, places = percent(made.confidence_level), places_of_step(made)

    def cell(value: float | None) -> str:
        return "–" if value is None else shown(value, places, made.scale.limits)

    heads = ("Training cases", "Score", f"Low end, {level}", f"High end, {level}")
    keys = ("score", "low", "high")
    rows = (
        (f"{row['training_cases']:,}", *(cell(row[key]) for key in keys)) for row in made.rows()
    )
    return [heads, *rows]
