"""How well each class is told from the rest: one row a class, corrected beside as searched."""

from __future__ import annotations

from earnest.core.sentences import percent
from earnest.inference.curves import MeanCurve
from earnest.inference.curves_classes import ClassCurves
from earnest.plotting.report_axes import Scale, rounded_out, shown, spaced, x_axis, x_grid
from earnest.plotting.report_svg import DOTS, Canvas, Figure
from earnest.plotting.report_text import SMALL, text_width, told_apart

ROW, TOP = 24.0, 24.0


def class_areas(made: ClassCurves, *, name: str, width: float = 500, places: int = 3) -> Figure:
    """Draw the area under the ROC curve of each class against the rest, the smallest first.

    A blue dot with its interval is corrected for the search, a hollow diamond is the winner's own;
    the dotted line is the mean over the classes.

    Parameters
    ----------
    made : ClassCurves
        Of `class_curves`.
    places : int
        The decimals of the areas.
    """
    order = made.by_area
    words = [f"{made.names[k]} ({made.cases[k]:,})" for k in order]
    room = min(0.36 * width, 10 + max(text_width(word) for word in words))
    bottom = TOP + ROW * len(order)
    canvas = Canvas(width, bottom + 44, name)
    x = Scale(*_ends(made), room, width - 52)
    labels = spaced(x, 5)
    x_grid(canvas, x, TOP - 6, bottom, [value for value, _ in labels])
    at = x(made.mean.area)
    canvas.line((at, TOP - 6), (at, bottom), "accent", dash=DOTS)
    head = f"mean {shown(made.mean.area, places)}"
    place = min(at, width - 0.5 * text_width(head))
    canvas.text((place, TOP - 10), head, "accent", anchor="middle")
    for i, (k, word) in enumerate(zip(order, told_apart(words, room - 10), strict=True)):
        _row(canvas, made.classes[k], x, TOP + (i + 0.5) * ROW, word, places)
    x_axis(canvas, x, bottom, title="Area under the ROC curve", labels=labels)
    return canvas.figure(_said(made, places), _rows(made, places))


def _row(canvas: Canvas, curve: MeanCurve, x: Scale, y: float, word: str, places: int) -> None:
    low, high = curve.area_limits
    canvas.text((0, y + 4), word, "ink2")
    canvas.line((x(low), y), (x(high), y), "accent", 2)
    if curve.several:
        canvas.diamond((x(curve.own_area), y), 5)
    canvas.dot((x(curve.area), y), 4.5, "accent")
    words = shown(curve.area, places)
    canvas.text((canvas.width, y + 4), words, "accent", anchor="end", size=SMALL)


def _ends(made: ClassCurves) -> tuple[float, float]:
    values = [end for one in made.classes for end in (*one.area_limits, one.own_area)]
    return rounded_out(min(values), max(values), (0.0, 1.0), 5)


def _said(made: ClassCurves, places: int) -> str:
    order = made.by_area
    lowest, highest = (
        f"{made.names[k]} {shown(made.classes[k].area, places)}" for k in (order[0], order[-1])
    )
    kind = "corrected for the search" if made.mean.several else "of the one configuration"
    return (
        f"Area under the ROC curve of each of {len(made.names)} classes against the rest, {kind}: "
        f"from {lowest} to {highest}, mean {shown(made.mean.area, places)}."
    )


def _rows(made: ClassCurves, places: int) -> list[tuple[str, ...]]:
    level = percent(made.mean.confidence_level)
    own = ("Winner's own",) if made.mean.several else ()
    rows: list[tuple[str, ...]] = [("Class", "Cases", "Area", f"{level} interval", *own)]
    named = [(made.names[k], f"{made.cases[k]:,}", made.classes[k]) for k in made.by_area]
    for word, cases, curve in [*named, ("mean", "", made.mean)]:
        low, high = (shown(end, places) for end in curve.area_limits)
        mine = (shown(curve.own_area, places),) if own else ()
        rows.append((word, cases, shown(curve.area, places), f"{low} to {high}", *mine))
    return rows
