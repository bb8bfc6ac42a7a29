"""Which parameters matter: shares of the variance with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.core.text.numbers import percent
from earnest.explanation.importance import Importance
from earnest.plotting.figures.style import (
    GRID,
    HONEST,
    LABEL,
    OTHER,
    SMALL,
    TINY,
    get_axes,
    literal,
    quiet,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

MOST = 20


def plot_importance(importance: Importance, ax: Axes | None = None) -> Axes:
    """Draw the share of each parameter as a dot with its interval, from 0 on.

    A filled dot is the parameter alone, a hollow one together with all others.

    Parameters
    ----------
    importance : Importance
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    names = importance.ranking[:MOST]
    ax = get_axes(ax, (6.0, 0.9 + 0.36 * len(names)))
    for row, name in enumerate(names):
        ax.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        for share, shift, colour, fill in (
            (importance.main[name], -0.1, HONEST, HONEST),
            (importance.total[name], 0.16, OTHER, "white"),
        ):
            ends = [100 * share.low, 100 * share.high]
            ax.plot(ends, [row + shift] * 2, color=colour, linewidth=1.8)
            ax.plot(
                100 * share.value,
                row + shift,
                "o",
                color=colour,
                markerfacecolor=fill,
                markersize=6,
                clip_on=False,
                zorder=4,
            )
    ax.set_yticks(range(len(names)), [literal(shorten(name)) for name in names], fontsize=SMALL)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(left=0)
    level = percent(importance.confidence_level)
    quiet(ax, f"Share of the objective's variation, in % ({level} interval)")
    ax.set_title("filled: alone; hollow: with all others", loc="left", fontsize=TINY, color=LABEL)
    return ax
