"""What all figures share: colours that stay apart for every sight, and quiet axes.

Blue, filled and solid is corrected for the search; orange, hollow and dashed is not. Shape and
dash say it without colour.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.cleaning import clean_text
from earnest.core.text.numbers import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HONEST = "#0B5CA0"
NAIVE = "#A8420A"
OTHER = "#454C54"
INK = "#1A1E23"
LABEL = "#666D76"
GRID = "#E9EAE5"
SMALL, TINY = 9.4, 9.0  # points
PAGE = 9.2  # inches of a printed page that a figure may be high


def get_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given Axes, or those of a new figure."""
    return new_figure(size).add_subplot() if ax is None else ax


def new_figure(
    size: tuple[float, float], layout: Literal["constrained"] | None = "constrained"
) -> Figure:
    """Return a new figure of pyplot, so that a notebook shows it and `plt.show()` does.

    Without a display matplotlib takes a backend that only saves.
    """
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout=layout)


def fit_rows(count: int, around: float, each: float) -> float:
    """Return the inches of so many rows, closer together where they would not fit a page.

    Parameters
    ----------
    count : int
        The number of rows.
    around : float
        The inches that the figure needs besides.
    each : float
        The inches of a row where there is room.
    """
    return min(each * count, PAGE - around)


def quiet(ax: Axes, label: str, *, ticks: int | None = 6) -> None:
    """Leave only the x axis, with at most that many round ticks; with None those that it has."""
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LABEL)
    ax.tick_params(axis="x", colors=LABEL, labelsize=TINY)
    ax.tick_params(axis="y", length=0)
    if ticks is not None:
        ax.locator_params(axis="x", nbins=ticks)
    ax.set_xlabel(literal(label), color=INK, fontsize=SMALL)


def draw_interval(
    ax: Axes,
    interval: Interval,
    ends: tuple[float, float],
    y: float,
    colour: str,
    *,
    width: float = 2.4,
    dashed: bool = False,
) -> None:
    """Draw a bar with end ticks; an open end has an arrow in place of a tick."""
    low, high = ends
    style = ":" if dashed else "-"
    ax.plot([low, high], [y, y], color=colour, linewidth=width, linestyle=style, zorder=2)
    for end, is_open, arrow in zip(ends, find_open_ends(interval), "<>", strict=True):
        mark = arrow if is_open else "|"
        ax.plot(end, y, mark, color=colour, markersize=7.5, markeredgewidth=1.5)


def find_open_ends(interval: Interval) -> tuple[bool, bool]:
    """Tell whether an interval has no lower, and no upper end."""
    low = interval.side == Side.UPPER or math.isinf(interval.low)
    return low, interval.side == Side.LOWER or math.isinf(interval.high)


def name_interval(interval: Interval) -> str:
    """Return the level of an interval, and whether it is one or a bound."""
    kind = "interval" if interval.side == Side.TWO_SIDED else f"{interval.side} bound"
    return f"{percent(interval.confidence_level)} {kind}"


def literal(text: str) -> str:
    """Return a user's text so that no `$` in it is read as mathematics, nor a sign obeyed."""
    return clean_text(text).replace("$", r"\$")


def shorten(text: str, most: int = 32) -> str:
    """Return the end of a long name, by which those of a pipeline differ."""
    return text if len(text) <= most else "…" + text[1 - most :]
