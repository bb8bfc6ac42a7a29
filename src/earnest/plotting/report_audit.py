"""Strips of the table of all configurations: the search score, and the folds behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from earnest.plotting.report_axes import Scale
from earnest.plotting.report_strips import HEIGHT, empty_strip, in_digits, places_between
from earnest.plotting.report_svg import DASH, Canvas, Figure
from earnest.plotting.report_text import SMALL


def score_strip(
    value: float | None,
    scale: Scale,
    *,
    name: str,
    interval: tuple[float, float] | None = None,
    winner: bool = False,
    height: float = HEIGHT,
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
    canvas, y = empty_strip(scale, name, height), height / 2
    if value is None or not math.isfinite(value):
        return canvas.figure("No score.", [])
    places = places_between((scale.low, scale.high))
    colour = "warn" if winner else "ink3"
    if not scale.holds(value):
        return _off_scale(canvas, scale, value, places)
    if interval is not None:
        low, high = scale(interval[0]), scale(interval[1])
        canvas.line((low, y), (high, y), colour, 1.8, dash=DASH if winner else "")
    canvas.diamond((scale(value), y), 5, colour)
    return canvas.figure(f"Score {in_digits(value, places)}, not corrected.", [])


def _off_scale(canvas: Canvas, scale: Scale, value: float, places: int) -> Figure:
    y, low = canvas.height / 2, value < scale.low
    said = f"{'<' if low else '>'} off scale"
    if low:
        canvas.text((4, y + 4), said, size=SMALL)
    else:
        canvas.text((canvas.width - 4, y + 4), said, anchor="end", size=SMALL)
    return canvas.figure(f"Score {in_digits(value, places)}, off the scale.", [])


def fold_dots(
    scores: Sequence[float | None],
    ends: tuple[float, float],
    *,
    name: str,
    width: float = 92,
    height: float = HEIGHT,
) -> Figure:
    """Draw the scores of the folds as dots, and a dash for a fold that was not run.

    Parameters
    ----------
    scores : sequence of float or None
        One a fold.
    ends : pair of float
        The scores at the bottom and at the top, the same for all rows.
    """
    canvas = Canvas(width, height, name)
    scale = Scale(*ends, height - 5, 5)
    step = (width - 8) / max(len(scores), 1)
    known, dots = [], []
    for fold, score in enumerate(scores):
        x = 4 + (fold + 0.5) * step
        if score is None or not math.isfinite(score):
            half = 0.32 * min(step, 12)
            canvas.line((x - half, height / 2), (x + half, height / 2), "ink3")
        else:
            known.append(score)
            dots.append((x, scale(score)))
    if dots:
        canvas.specks(dots, 1.8, "ink2", 1.0)
    ran = f"{len(known)} of {len(scores)} folds"
    places = places_between(ends)
    said = (
        f", from {in_digits(min(known), places)} to {in_digits(max(known), places)}"
        if known
        else ""
    )
    return canvas.figure(f"Scores of {ran}{said}.", [])
