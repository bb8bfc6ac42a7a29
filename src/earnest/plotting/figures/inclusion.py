"""How often limits held the truth, beside the level at which they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.core.text.numbers import percent
from earnest.decision.inclusion import Holding, Inclusions
from earnest.plotting.figures.style import (
    HONEST,
    INK,
    LABEL,
    NAIVE,
    SMALL,
    fit_rows,
    get_axes,
    literal,
    quiet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

COLOURS = {Holding.HOLDS: HONEST, Holding.FAILS: NAIVE}


def plot_inclusions(result: Inclusions, ax: Axes | None = None) -> Axes:
    """Draw the inclusion of each method's limits with two standard errors, and the level.

    Parameters
    ----------
    result : Inclusions
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    rows = [(row.method, limits) for row in result.methods for limits in row.limits]
    ax = get_axes(ax, (6.4, 0.8 + fit_rows(max(len(rows), 1), 0.8, 0.35)))
    for at, (_, limits) in enumerate(rows):
        ax.errorbar(
            limits.share,
            -at,
            xerr=2 * limits.standard_error,
            color=COLOURS.get(limits.verdict, LABEL),
            marker="o",
            markersize=4,
        )
    ax.axvline(result.confidence_level, color=LABEL, linewidth=0.8)
    ax.set_yticks([-at for at in range(len(rows))])
    ax.set_yticklabels(
        [literal(f"{method}, {limits.side}") for method, limits in rows], fontsize=SMALL, color=INK
    )
    quiet(ax, literal(f"held the truth; level {percent(result.confidence_level)}"))
    return ax
