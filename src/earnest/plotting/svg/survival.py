"""Survival of cases by thirds of their predicted risk."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from earnest.core.text.numbers import percent
from earnest.inference.curves.winner import RiskGroups, SurvivalCurve
from earnest.plotting.svg.canvas import (
    DASH,
    Canvas,
    Figure,
    Scale,
    draw_x_axis,
    draw_y_grid,
    fit_words,
    measure_text,
    short,
    space_labels,
)

TOP = 24.0
MOST_STEPS = 200
BAND_STEPS = 90  # of each band: what would be seen of more is less than a pixel
FAINT = 0.13  # opacity of a band, of which three may lie over each other
CLOSE = 15.0  # pixels under which two labels touch

_LOOKS = {  # colour, width, dash: lowest risk first
    "lowest third": ("ink3", 1.6, ""),
    "middle third": ("ink2", 1.8, DASH),
    "highest third": ("ink", 2.2, ""),
    "lower half": ("ink3", 1.6, ""),
    "higher half": ("ink", 2.2, ""),
    "all": ("ink", 2.2, ""),
}


def kaplan_meier(made: RiskGroups, *, name: str, width: float = 420, time: str = "Time") -> Figure:
    """Draw the survival of cases by predicted risk with pointwise bands, the numbers at risk below.

    Parameters
    ----------
    time : str
        The words for the axis.
    """
    latest = _find_latest(made)
    room = max(measure_text(word) for word in made.names) + 10
    left, bottom = max(room, 40.0), 190.0
    aside = max(measure_text(_format_brief(word)) for word in made.names) + 8
    x = Scale(0.0, latest or 1.0, left, width - aside)
    y = Scale(0.0, 1.0, bottom, TOP)
    labels = space_labels(x, 5)
    ticks = [value for value, _ in labels]
    canvas = Canvas(width, bottom + 66 + 17 * len(made.names), name)
    draw_y_grid(canvas, y, left, x.end, title="Share without event", ticks=(0, 0.25, 0.5, 0.75, 1))
    draw_x_axis(canvas, x, bottom, title=fit_words(time, width - 40), labels=labels)
    for word, curve in zip(made.names, made.curves, strict=True):
        canvas.band(*_step_band(curve, x, y), _LOOKS[word][0], FAINT)
    for word, curve in zip(made.names, made.curves, strict=True):
        colour, thick, dash = _LOOKS[word]
        canvas.curve(_list_stairs(curve, x, y), colour, thick, dash=dash)
    _group_names(canvas, made, x, y)
    canvas.text((0, bottom + 58), "At risk", "ink2")
    for i, (word, curve) in enumerate(zip(made.names, made.curves, strict=True)):
        row = bottom + 75 + 17 * i
        canvas.text((0, row), word, _LOOKS[word][0])
        for tick in ticks:
            canvas.text((x(tick), row), f"{curve.at_risk(tick):,}", "ink2", anchor="middle")
    return canvas.figure(_describe_survival(made, latest), _list_survival_rows(made, ticks))


def _find_latest(made: RiskGroups) -> float:
    """Return where the axis ends: when a tenth of the cases is left, for what follows is noise."""
    observed = np.sort(np.concatenate([curve.observed for curve in made.curves]))
    left = max(1, len(observed) // 10)
    return float(observed[len(observed) - left])


def _list_stairs(curve: SurvivalCurve, x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return the corners of a step function, to the last time that a case was followed."""
    shown_until = min(float(curve.observed[-1]), x.high)
    inside = curve.times <= shown_until
    steps = list(zip(curve.times[inside].tolist(), curve.survival[inside].tolist(), strict=True))
    every = max(1, math.ceil(len(steps) / MOST_STEPS))
    kept = steps[::-1][::every][::-1]  # the last one always
    points, level = [(x(0.0), y(1.0))], 1.0
    for time, share in kept:
        points += [(x(time), y(level)), (x(time), y(share))]
        level = share
    return [*points, (x(shown_until), y(level))]


def _step_band(
    curve: SurvivalCurve, x: Scale, y: Scale
) -> tuple[list[float], list[float], list[float]]:
    """Return places and both ends of the band as steps; NaN once nobody is left."""
    until = min(float(curve.observed[-1]), x.high)
    kept = np.flatnonzero(curve.times <= until)
    kept = kept[::-1][:: max(1, math.ceil(len(kept) / BAND_STEPS))][::-1]
    times = [*curve.times[kept].tolist(), until]
    edges = []
    for end in (curve.low, curve.high):
        steps = [y(float(share)) for share in end[kept]]
        edges.append([level for level in steps for _ in (0, 1)])
    return [x(t) for a, b in pairwise(times) for t in (a, b)], edges[0], edges[1]


def _find_survival(curve: SurvivalCurve, time: float) -> float:
    place = int(np.searchsorted(curve.times, time, side="right")) - 1
    return 1.0 if place < 0 else float(curve.survival[place])


def _group_names(canvas: Canvas, made: RiskGroups, x: Scale, y: Scale) -> None:
    """Name each line at its right end, apart where they are close."""
    places = [y(_find_survival(curve, x.high)) + 4.5 for curve in made.curves]
    above = -math.inf
    for i in np.argsort(places, kind="stable"):
        places[i] = above = max(places[i], above + CLOSE)
    over = max(0.0, above - y.start - 2)  # pushed out at the bottom: all move up
    for word, place in zip(made.names, places, strict=True):
        canvas.text((x.end + 6, place - over), _format_brief(word), _LOOKS[word][0])


def _format_brief(word: str) -> str:
    return word.split()[0]


def _describe_survival(made: RiskGroups, latest: float) -> str:
    half = latest / 2
    parts = [
        f"{word} {percent(round(_find_survival(curve, half), 2))}"
        for word, curve in zip(made.names, made.curves, strict=True)
    ]
    return f"Share without event at time {short(half)}, by predicted risk: {', '.join(parts)}."


def _describe_interval(curve: SurvivalCurve, time: float) -> str:
    """Return the interval at a time in words; none before the first event, and after the last."""
    place = int(np.searchsorted(curve.times, time, side="right")) - 1
    if place < 0 or math.isnan(curve.low[place]):
        return "–"
    return f"{curve.low[place]:.3f} to {curve.high[place]:.3f}"


def _list_survival_rows(made: RiskGroups, ticks: list[float]) -> list[tuple[str, ...]]:
    level = percent(made.confidence_level)
    rows: list[tuple[str, ...]] = [
        ("Risk", "Time", "Share without event", f"{level} interval", "At risk")
    ]
    for word, curve in zip(made.names, made.curves, strict=True):
        for tick in ticks:
            share = f"{_find_survival(curve, tick):.3f}"
            rows.append(
                (
                    word,
                    short(tick),
                    share,
                    _describe_interval(curve, tick),
                    f"{curve.at_risk(tick):,}",
                )
            )
    return rows
