"""The forest plot of subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.core.results.interval import Interval
from earnest.core.results.subgroups import Subgroups, SubgroupStanding
from earnest.core.text.numbers import percent
from earnest.core.text.subgroups import show_limits, show_value
from earnest.plotting.figures.style import (
    GRID,
    HONEST,
    LABEL,
    NAIVE,
    OTHER,
    SMALL,
    TINY,
    draw_interval,
    fit_rows,
    get_axes,
    literal,
    quiet,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib


def plot_subgroups(groups: Subgroups, ax: Axes | None = None) -> Axes:
    """Draw the score of every subgroup with its limits, and a dotted line at that of all cases.

    Orange is shown to be worse than the other cases; a subgroup without limits has a word instead.

    Parameters
    ----------
    groups : Subgroups
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 0.9 + fit_rows(len(groups), 0.9, 0.32)))
    centre = 0.0 if groups.baseline is not None else groups.value
    if centre is not None:
        ax.axvline(centre, color=OTHER, linestyle=":", linewidth=1.0, zorder=1)
    for row, each in enumerate(groups):
        ax.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        words = f"n={each.n_cases:,}  {show_value(groups, each)} {show_limits(groups, each)}"
        ax.annotate(
            literal(words),
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            color=LABEL,
            fontsize=TINY,
        )
        if each.value is None or each.low is None or each.high is None:
            continue
        colour = NAIVE if each.standing is SubgroupStanding.WORSE else HONEST
        interval = Interval(each.low, each.high, groups.confidence_level, "two-sided")
        draw_interval(ax, interval, (each.low, each.high), row, colour)
        ax.plot(each.value, row, "o", color=colour, markersize=6, zorder=4)
    names = [literal(shorten(each.name)) for each in groups]
    ax.set_yticks(range(len(groups)), names, fontsize=SMALL)
    ax.set_ylim(len(groups) - 0.5, -0.5)
    what = groups.metric if groups.baseline is None else f"{groups.metric} less {groups.baseline}"
    quiet(ax, f"{what} ({percent(groups.confidence_level)} intervals hold at once)")
    return ax
