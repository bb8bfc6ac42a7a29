"""How the winner did: its score in each fold, and its residuals."""

from __future__ import annotations

import math

import numpy as np

from earnest.core.results.estimate import Estimate
from earnest.core.text.estimate import places_of, print_numbers
from earnest.core.text.numbers import show_number, write_in_figure
from earnest.inference.curves.winner import FoldScores, Residuals
from earnest.plotting.svg.canvas import (
    DASH,
    Canvas,
    Figure,
    Scale,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    fit_words,
    label_room,
    label_ticks,
    measure_text,
    round_out,
)

TOP = 24.0
MOST_POINTS = 400
CLOSE = 15.0  # pixels under which two labels touch


def folds(
    made: FoldScores, *, name: str, estimate: Estimate | None = None, width: float = 420
) -> Figure:
    """Draw the score of the winner in each fold, with the honest and the naive value as lines.

    Parameters
    ----------
    made : FoldScores
        The scores; folds in which the metric is undefined are left out, and said.
    estimate : Estimate, optional
        The lines.
    """
    words = None if estimate is None else print_numbers(estimate)
    lines: list[tuple[float, str, str]] = []
    if estimate is not None and words is not None:
        lines.append((estimate.value, f"honest {write_in_figure(words.value)}", "accent"))
        if estimate.naive is not None and math.isfinite(estimate.naive) and estimate.n_configs > 1:
            lines.append((estimate.naive, f"naive {write_in_figure(words.naive or '')}", "warn"))
    alone = estimate is not None and estimate.n_configs == 1
    known = made.scores[np.isfinite(made.scores)]
    limits = (-math.inf, math.inf) if estimate is None else estimate.scale.limits
    y_ends = round_out(*find_finite_ends([*known, *(v for v, _, _ in lines)]), limits)
    bottom = 160.0
    y = Scale(*y_ends, bottom, TOP)
    left = label_room(label_ticks(find_ticks(y)))
    right = width - max([measure_text(w, bold=True) for _, w, _ in lines], default=0.0) - 10
    canvas = Canvas(width, bottom + 42, name)
    draw_y_grid(canvas, y, left, right)
    step = (right - left) / max(len(made.scores), 1)
    for value, _, colour in lines:
        dash = DASH if colour == "warn" else ""
        canvas.line((left, y(value)), (right, y(value)), colour, 1.8, dash=dash)
    _line_names(canvas, y, right + 6, lines)
    for i, score in enumerate(made.scores):
        if math.isfinite(score):
            canvas.own_score((left + (i + 0.5) * step, y(float(score))), alone=alone)
    _fold_names(canvas, made, left, step, bottom)
    canvas.text((0.5 * (left + right), bottom + 37), _size(made), "ink2", anchor="middle")
    return canvas.figure(_describe_folds(made, estimate), _fold_rows(made))


def _line_names(canvas: Canvas, y: Scale, x: float, lines: list[tuple[float, str, str]]) -> None:
    """Name level lines at their right end, apart where they are close."""
    places = [y(value) + 4.5 for value, _, _ in lines]
    if len(places) == 2 and abs(places[0] - places[1]) < CLOSE:
        middle, upper = sum(places) / 2, int(places[1] < places[0])
        places[upper], places[1 - upper] = middle - CLOSE / 2, middle + CLOSE / 2
    for place, (_, words, colour) in zip(places, lines, strict=True):
        canvas.text((x, place), words, colour, bold=True)


def _fold_names(canvas: Canvas, made: FoldScores, left: float, step: float, bottom: float) -> None:
    """Write the number of each fold, or of every few where there are many."""
    count = len(made.scores)
    every = max(1, math.ceil(count * measure_text("00") * 1.3 / max(step * count, 1.0)))
    for i in range(0, count, every):
        canvas.text((left + (i + 0.5) * step, bottom + 18), str(i + 1), anchor="middle")


def _size(made: FoldScores) -> str:
    said = f"Fold (about {round(float(made.cases.mean())):,} cases"
    if made.positives is not None:
        said += f", {round(float(made.positives.mean())):,} of them {made.marked}"
    return said + ")"


def _describe_folds(made: FoldScores, estimate: Estimate | None) -> str:
    known = made.scores[np.isfinite(made.scores)]
    places = 3 if estimate is None else places_of([estimate])
    if not len(known):
        return "The metric is undefined in every fold."
    limits = (-math.inf, math.inf) if estimate is None else estimate.scale.limits
    low, high = (show_number(float(end), places, limits) for end in (known.min(), known.max()))
    lost = len(made.scores) - len(known)
    without = f"; undefined in {lost} more" if lost else ""
    return f"Scores of the winner in {len(known)} folds, from {low} to {high}{without}."


def _fold_rows(made: FoldScores) -> list[tuple[str, ...]]:
    several = len(set(made.repeats.tolist())) > 1
    rows: list[tuple[str, ...]] = [("Fold", *(("Repeat",) if several else ()), "Score", "Cases")]
    for i, score in enumerate(made.scores):
        repeat = (str(int(made.repeats[i]) + 1),) if several else ()
        value = f"{score:.4g}" if math.isfinite(score) else "– (undefined)"
        rows.append((made.names[i], *repeat, value, f"{int(made.cases[i]):,}"))
    return rows


def residuals(
    made: Residuals,
    *,
    name: str,
    width: float = 420,
    outcome: str = "",
    alone: bool = False,
) -> Figure:
    """Draw residuals on fitted values, with their running mean and the middle 90 %.

    Parameters
    ----------
    outcome : str
        The name of the outcome, for the axis.
    alone : bool
        Whether nothing was selected, so that nothing is left to correct.
    """
    lowest, highest = find_finite_ends([*made.residuals.tolist(), 0.0])
    y = Scale(*_pad(lowest, highest), 190.0, TOP)
    left = label_room(label_ticks(find_ticks(y)))
    x = Scale(*_pad(*find_finite_ends(made.fitted.tolist())), left, width - 22)
    canvas = Canvas(width, y.start + 44, name)
    draw_y_grid(canvas, y, left, x.end, title="Observed minus predicted")
    title = f"Predicted {outcome}".strip() if outcome else "Predicted value"
    draw_x_axis(canvas, x, y.start, title=fit_words(title, width - 40))
    canvas.line((left, y(0.0)), (x.end, y(0.0)), "ink3", 1.2)
    points = zip(*_thin(made.fitted, made.residuals), strict=True)
    canvas.specks([(x(float(a)), y(float(b))) for a, b in points], 1.9, "ink3", 0.6)
    at = [x(float(v)) for v in made.at]
    low, high = ([y(float(v)) for v in edge] for edge in (made.low, made.high))
    colour, dash = ("accent", "") if alone else ("warn", DASH)
    canvas.band(at, low, high, colour, 0.14)
    canvas.curve(zip(at, (y(float(v)) for v in made.mean), strict=True), colour, 1.8, dash=dash)
    return canvas.figure(_describe_residuals(made), _list_residual_rows(made))


def _pad(low: float, high: float) -> tuple[float, float]:
    """Return ends a little beyond the data, which marks would else touch."""
    if not high > low:
        return round_out(low, high)
    room = 0.04 * (high - low)
    return low - room, high + room


def _thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    every = math.ceil(len(x) / MOST_POINTS)
    return x[::every], y[::every]


def _describe_residuals(made: Residuals) -> str:
    spread = float(np.std(made.residuals))
    said = f"{len(made.residuals):,} residuals with mean "
    said += f"{_shorten(float(made.residuals.mean()))} and standard deviation {_shorten(spread)}"
    if len(made.at):
        worst = float(made.mean[int(np.argmax(np.abs(made.mean)))])
        said += f"; the running mean is at most {_shorten(abs(worst))} away from 0"
    return said + "."


def _list_residual_rows(made: Residuals) -> list[tuple[str, ...]]:
    heads: tuple[str, ...] = (
        "Predicted",
        "Mean residual",
        "5\u00a0% lie below",
        "95\u00a0% lie below",
    )
    parts = zip(made.at, made.mean, made.low, made.high, strict=True)
    rows = [tuple(_shorten(float(v)) for v in row) for row in parts][::4]
    if not rows:
        heads = ("Predicted", "Residual")
        points = zip(made.fitted, made.residuals, strict=True)
        rows = [tuple(_shorten(float(v)) for v in row) for row in points]
    return [heads, *rows]


def _shorten(value: float) -> str:
    return f"{value:.3g}".replace("-", "\u2212")
