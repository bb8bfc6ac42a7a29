"""Curves of a classifier: ROC, precision and recall, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.core.results.calibration import CalibrationCurve, ClassCalibration, SmoothCurve
from earnest.core.text.numbers import percent, show_number
from earnest.inference.curves.corrected import ClassCurves, MeanCurve
from earnest.plotting.svg.canvas import (
    DOTS,
    SMALL,
    Axis,
    Canvas,
    Figure,
    RowKind,
    cut_apart,
    draw_x_axis,
    draw_x_grid,
    draw_y_grid,
    fit_words,
    measure_text,
    round_out,
    space_labels,
)

# How well each class is told from the rest: one row per class, corrected beside as searched.


CLASS_ROW, CLASS_TOP = 24.0, 24.0


def class_areas(areas: ClassCurves, *, name: str, width: float = 500, places: int = 3) -> Figure:
    """Draw the area under the ROC curve of each class against the rest, the smallest first.

    A blue dot with its interval is corrected for the search, a hollow diamond is the winner's own;
    the dotted line is the mean over the classes.

    Parameters
    ----------
    areas : ClassCurves
        Of `class_curves`.
    places : int
        The decimals of the areas.
    """
    order = areas.by_area
    words = [f"{areas.names[k]} ({areas.cases[k]:,})" for k in order]
    room = min(0.36 * width, 10 + max(measure_text(word) for word in words))
    bottom = CLASS_TOP + CLASS_ROW * len(order)
    canvas = Canvas(width, bottom + 44, name)
    x = Axis(*_find_ends(areas), room, width - 52)
    labels = space_labels(x, 5)
    draw_x_grid(canvas, x, CLASS_TOP - 6, bottom, [value for value, _ in labels])
    at = x(areas.mean.area)
    canvas.line((at, CLASS_TOP - 6), (at, bottom), "accent", dash=DOTS)
    head = f"mean {show_number(areas.mean.area, places)}"
    middle = min(at, width - 0.5 * measure_text(head))
    canvas.text((middle, CLASS_TOP - 10), head, "accent", anchor="middle")
    for i, (k, word) in enumerate(zip(order, cut_apart(words, room - 10), strict=True)):
        _draw_row(canvas, areas.classes[k], x, CLASS_TOP + (i + 0.5) * CLASS_ROW, word, places)
    draw_x_axis(canvas, x, bottom, title="Area under the ROC curve", labels=labels)
    return canvas.figure(_describe(areas, places), _list_rows(areas, places), RowKind.ITEMS)


def _draw_row(canvas: Canvas, curve: MeanCurve, x: Axis, y: float, word: str, places: int) -> None:
    low, high = curve.area_limits
    canvas.text((0, y + 4), word, "ink2")
    canvas.line((x(low), y), (x(high), y), "accent", 2)
    if curve.several:
        canvas.diamond((x(curve.own_area), y), 5)
    canvas.dot((x(curve.area), y), 4.5, "accent")
    words = show_number(curve.area, places)
    canvas.text((canvas.width, y + 4), words, "accent", anchor="end", size=SMALL)


def _find_ends(areas: ClassCurves) -> tuple[float, float]:
    values = [end for curve in areas.classes for end in (*curve.area_limits, curve.own_area)]
    return round_out(min(values), max(values), (0.0, 1.0), 5)


def _describe(areas: ClassCurves, places: int) -> str:
    order = areas.by_area
    lowest, highest = (
        f"{areas.names[k]} {show_number(areas.classes[k].area, places)}"
        for k in (order[0], order[-1])
    )
    kind = "corrected for the search" if areas.mean.several else "of the one configuration"
    return (
        f"Area under the ROC curve of each of {len(areas.names)} classes against the rest, {kind}: "
        f"from {lowest} to {highest}, mean {show_number(areas.mean.area, places)}."
    )


def _list_rows(areas: ClassCurves, places: int) -> list[tuple[str, ...]]:
    level = percent(areas.mean.confidence_level)
    head = ("Winner's own",) if areas.mean.several else ()
    rows: list[tuple[str, ...]] = [("Class", "Cases", "Area", f"{level} interval", *head)]
    named = [(areas.names[k], f"{areas.cases[k]:,}", areas.classes[k]) for k in areas.by_area]
    for word, cases, curve in [*named, ("mean", "", areas.mean)]:
        low, high = (show_number(end, places) for end in curve.area_limits)
        mine = (show_number(curve.own_area, places),) if head else ()
        rows.append((word, cases, show_number(curve.area, places), f"{low} to {high}", *mine))
    return rows


QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
WORDS = ("0", "0.25", "0.5", "0.75", "1")
LEFT, RIGHT, TOP, UNDER = 36.0, 14.0, 24.0, 44.0
ROW = 17.0  # of the words that name the lines


@dataclass(frozen=True)
class SquarePlot:
    """A square plot from 0 to 1 in both directions."""

    canvas: Canvas
    x: Axis
    y: Axis

    @classmethod
    def of(cls, name: str, width: float, titles: tuple[str, str], more: float = 0.0) -> SquarePlot:
        """Draw the grid and the axes, with more room below."""
        side = width - LEFT - RIGHT
        canvas = Canvas(width, TOP + side + UNDER + more, name)
        x = Axis(0.0, 1.0, LEFT, LEFT + side)
        y = Axis(0.0, 1.0, TOP + side, TOP)
        draw_x_grid(canvas, x, TOP, TOP + side, QUARTERS)
        draw_y_grid(canvas, y, LEFT, LEFT + side, title=titles[1], ticks=QUARTERS, words=WORDS)
        under = fit_words(titles[0], width - 8)
        labels = tuple(zip(QUARTERS, WORDS, strict=True))
        draw_x_axis(canvas, x, TOP + side, title=under, labels=labels, marks=False)
        return cls(canvas, x, y)

    def points(self, xs: Iterable[float], ys: Iterable[float]) -> list[tuple[float, float]]:
        """Return where points stand on the canvas."""
        return [(self.x(float(a)), self.y(float(b))) for a, b in zip(xs, ys, strict=True)]


def roc(curve: MeanCurve, *, name: str, width: float = 270, places: int = 3) -> Figure:
    """Draw the corrected ROC curve with its band, and the winner's own curve dashed.

    Parameters
    ----------
    curve : MeanCurve
        Of `mean_curves(...).roc`.
    places : int
        The decimals of the areas.
    """
    plot = SquarePlot.of(name, width, ("False positive rate", "True positive rate"))
    canvas = plot.canvas
    canvas.line((plot.x(0), plot.y(0)), (plot.x(1), plot.y(1)), "ink3", dash=DOTS)
    _draw_both(plot, curve, start=True)
    canvas.text((plot.x(0.62) + 6, plot.y(0.54) + 4), "chance")
    corrected, naive = (show_number(area, places) for area in (curve.area, curve.own_area))
    spots = [(0.99, 0.22), (0.99, 0.3), (0.98, 0.42), (0.75, 0.93)]
    _name_lines(plot, curve, (f"AUC {corrected}", f"AUC {naive}"), spots)
    sentence = f"ROC curve with area {corrected}."
    if curve.several:
        naive_area = f"; the winner's own, {naive}."
        sentence = f"ROC curve corrected for the search with area {corrected}{naive_area}"
    return canvas.figure(
        sentence, _list_curve_rows(curve, "False positive rate", "True positive rate")
    )


def precision_recall(curve: MeanCurve, *, name: str, width: float = 270, places: int = 3) -> Figure:
    """Draw the corrected precision-recall curve with its band, and the winner's own dashed.

    Parameters
    ----------
    curve : MeanCurve
        Of `mean_curves(...).precision_recall`.
    places : int
        The decimals of the average precisions.
    """
    plot = SquarePlot.of(name, width, ("Recall", "Precision"))
    canvas, level = plot.canvas, plot.y(curve.chance)
    canvas.line((plot.x(0), level), (plot.x(1), level), "ink3", dash=DOTS)
    _draw_both(plot, curve, start=False)
    under = curve.chance > 0.9 or curve.mean[:60].min() < curve.chance + 0.08
    words, base = f"prevalence {curve.chance:.2f}", 15 if under and curve.chance > 0.1 else -5
    canvas.text((plot.x(0) + 5, level + base), words)
    room = int(measure_text(words)) + 8
    taken = [(plot.x(0) + x, level + base - y) for x in range(0, room, 4) for y in (0, 5, 10)]
    corrected, naive = (show_number(area, places) for area in (curve.area, curve.own_area))
    heights = (0.68, 0.75, 0.62, 0.25, 0.95, 0.85, 0.5, 0.4, 0.33)
    spots = [(0.94, height) for height in heights]
    _name_lines(plot, curve, (f"AP {corrected}", f"AP {naive}"), spots, taken)
    ends = f"prevalence {curve.chance:.2f}."
    sentence = f"Precision and recall with average precision {corrected}; {ends}"
    if curve.several:
        kind = "Precision and recall corrected for the search"
        sentence = f"{kind} with average precision {corrected}; the winner's own, {naive}; {ends}"
    return canvas.figure(sentence, _list_curve_rows(curve, "Recall", "Precision"))


def _draw_both(plot: SquarePlot, curve: MeanCurve, *, start: bool) -> None:
    """Draw band, corrected and own curve; a ROC curve starts in the corner."""
    xs = [plot.x(float(v)) for v in curve.x]
    ends = ([plot.y(float(v)) for v in edge] for edge in (curve.low, curve.high))
    low, high = ends
    plot.canvas.band(xs, low, high)
    corner = [(plot.x(0.0), plot.y(0.0))] if start else []
    if curve.several:
        winner = plot.points(curve.x, curve.own)
        plot.canvas.curve([*corner, *winner], "warn", 1.5, dash="4 2.5")
    plot.canvas.curve([*corner, *plot.points(curve.x, curve.mean)], "accent", 1.9)


def _name_lines(
    plot: SquarePlot,
    curve: MeanCurve,
    areas: tuple[str, str],
    spots: Sequence[tuple[float, float]],
    taken: Sequence[tuple[float, float]] = (),
) -> None:
    """Name both lines where they leave most room: right end and upper edge in plot units.

    `taken` are pixels that other words stand on.
    """
    words = (f"corrected, {areas[0]}", f"naive, {areas[1]}") if curve.several else areas[:1]
    size = (26 + max(measure_text(word, bold=True) for word in words), 2 * ROW)
    lines = [
        np.array(plot.points(curve.x, edge))
        for edge in (curve.mean, curve.low, curve.high, curve.own)
    ]
    if curve.chance != 0.5 or taken:  # under a ROC curve it is no line
        lines.append(np.array(plot.points(curve.x, np.full(len(curve.x), curve.chance))))
    lines += [np.array(taken)] if taken else []

    def hidden(spot: tuple[float, float]) -> int:
        right, top = plot.x(spot[0]), plot.y(spot[1])
        return sum(
            int(
                (
                    (line[:, 0] > right - size[0])
                    & (line[:, 0] < right)
                    & (line[:, 1] > top - 4)
                    & (line[:, 1] < top + size[1] + 2)
                ).sum()
            )
            for line in lines
        )

    best = min(spots, key=hidden)
    left, top = max(plot.x(best[0]) - size[0], plot.x(0) + 2), plot.y(best[1])
    for i, (word, colour) in enumerate(zip(words, ("accent", "warn"), strict=False)):
        y = top + (i + 0.5) * ROW
        canvas = plot.canvas
        canvas.line((left, y), (left + 18, y), colour, 2, dash="" if i == 0 else "4 2.5")
        canvas.text((left + 24, y + 4.5), word, colour, bold=True)


def _list_curve_rows(curve: MeanCurve, x: str, y: str) -> list[tuple[str, ...]]:
    level = percent(curve.confidence_level)
    kind, head = (f"{y}, corrected", ("Winner's own",)) if curve.several else (y, ())
    heads = (x, kind, f"Low end, {level}", f"High end, {level}", *head)
    lines = [curve.mean, curve.low, curve.high, *([curve.own] if curve.several else [])]
    shown_at = range(0, len(curve.x), 10)
    return [heads, *((f"{curve.x[i]:.2f}", *(f"{v[i]:.3f}" for v in lines)) for i in shown_at)]


def calibration(
    judged: ClassCalibration, *, name: str, width: float = 270, alone: bool = False
) -> Figure:
    """Draw what was promised against what came true, with a strip of how many cases.

    Beside the groups of cases a flexible curve with its band. Hollow diamonds: it is the winner as
    searched, not corrected. Where it stood alone nothing was selected, and dots are blue.
    """
    groups, strip = judged.curve, 58.0
    level = percent(judged.ratio.interval.confidence_level)
    title = f"Predicted probability of {judged.label}"
    plot = SquarePlot.of(name, width, (title, "Observed share"), more=strip)
    canvas = plot.canvas
    canvas.line((plot.x(0), plot.y(0)), (plot.x(1), plot.y(1)), "ink3", dash=DOTS)
    if groups.smooth is not None:
        _draw_smooth(plot, groups.smooth, "accent" if alone else "warn")
    _name_diagonal(plot, groups, "perfect")
    for x, share in zip(groups.predicted, groups.observed, strict=True):
        at = plot.x(float(x))
        ends = (at, plot.y(share.low)), (at, plot.y(share.high))
        canvas.line(*ends, "accent" if alone else "warn", 1.8)
    for x, share in zip(groups.predicted, groups.observed, strict=True):
        canvas.own_score((plot.x(float(x)), plot.y(share.value)), alone=alone)
    _draw_counts(canvas, plot.x, groups.spread, canvas.height - 4)
    sentence = (
        f"In {groups.n_outside} of {len(groups.observed)} groups of cases the observed share of "
        f"{judged.label} differs from the predicted probability by more than its {level} interval "
        "allows."
    )
    return canvas.figure(sentence, _list_calibration_rows(groups, level))


def _draw_smooth(plot: SquarePlot, curve: SmoothCurve, colour: str) -> None:
    """Draw a flexible curve over its band."""
    lines = [
        [(plot.x(p), plot.y(q)) for p, q in zip(curve.predicted, line, strict=True)]
        for line in (curve.low, curve.high, curve.observed)
    ]
    low, high, middle = lines
    plot.canvas.area([*high, *low[::-1]], colour, 0.12)
    plot.canvas.curve(middle, colour, 1.2)


def _name_diagonal(plot: SquarePlot, groups: CalibrationCurve, word: str) -> None:
    """Write a word beside the diagonal, over or under it, where no bar or curve crosses it."""
    room = measure_text(word)
    bars = [
        (plot.x(float(x)), plot.y(share.high) - 8, plot.y(share.low) + 8)
        for x, share in zip(groups.predicted, groups.observed, strict=True)
    ]
    if groups.smooth is not None:
        line = zip(groups.smooth.predicted, groups.smooth.observed, strict=True)
        bars += [(plot.x(p), plot.y(q) - 5, plot.y(q) + 5) for p, q in line]

    def spot(at: float, side: int) -> tuple[float, float]:
        x, y = plot.x(at), plot.y(at)
        return (x - room - 8, y + 2) if side < 0 else (x + 8, y + 8)

    def hidden(position: tuple[float, float]) -> int:
        left, base = position
        words = (left - 5, left + room + 5)
        return sum(
            words[0] < x < words[1] and top < base and bottom > base - 10 for x, top, bottom in bars
        )

    spots = [spot(at, side) for at in (0.4, 0.3, 0.5, 0.6, 0.7, 0.2, 0.8) for side in (-1, 1)]
    plot.canvas.text(min(spots, key=hidden), word)


def _draw_counts(canvas: Canvas, x: Axis, spread: Sequence[int], base: float) -> None:
    """Draw a small histogram of the predictions."""
    width = (x.end - x.start) / len(spread)
    tallest = max(*spread, 1)
    for i, count in enumerate(spread):
        height = 28 * count / tallest
        if count:
            corner = (x.start + i * width + 0.5, base - max(height, 1.0))
            canvas.box(corner, (width - 1, max(height, 1.0)), "ink3", 0.55)
    canvas.line((x.start, base), (x.end, base), "ink3")
    canvas.text((x.start, base - 34), "how many cases")


def _list_calibration_rows(groups: CalibrationCurve, level: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("Predicted", "Observed", f"Low end, {level}", f"High end, {level}", "Predictions")
    ]
    for x, share, count in zip(groups.predicted, groups.observed, groups.counts, strict=True):
        values = (float(x), share.value, share.low, share.high)
        rows.append((*(f"{v:.3f}" for v in values if not math.isnan(v)), f"{int(count):,}"))
    return rows
