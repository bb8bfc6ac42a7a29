"""What all figures share: colours that stay apart for every sight, and quiet axes.

Blue, filled and solid is corrected for the search; orange, hollow and dashed is not. Shape and
dash say it without colour.
"""

from __future__ import annotations

from typing import Any

HONEST = "#0B5CA0"
NAIVE = "#A8420A"
OTHER = "#454C54"
INK = "#1A1E23"
LABEL = "#666D76"
GRID = "#E9EAE5"
SMALL, TINY = 9.4, 9.0  # points


def axes_or_new(ax: Any, size: tuple[float, float]) -> Any:
    """Return the given Axes, or those of a new figure that belongs to nobody else."""
    if ax is not None:
        return ax
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)  # so that it can be saved without a display
    return figure.add_subplot()


def quiet(ax: Any, label: str) -> None:
    """Leave only the x axis, with few round ticks."""
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LABEL)
    ax.tick_params(axis="x", colors=LABEL, labelsize=TINY)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(literal(label), color=INK, fontsize=SMALL)


def literal(text: str) -> str:
    """Return a user's text so that no `$` in it is read as mathematics."""
    return text.replace("$", r"\$")
