"""A difference with its interval, and all configurations against one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.specs import Standing
from earnest.plotting.figures.style import (
    GRID,
    HONEST,
    LABEL,
    OTHER,
    SMALL,
    TINY,
    draw_interval,
    find_open_ends,
    fit_rows,
    get_axes,
    literal,
    name_interval,
    quiet,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

MOST_ROWS = 40  # the nearest rivals; more cannot be read
WIDEST = 45  # characters of a label beside which its interval still has room


def plot_comparison(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw a difference and its interval beside 0, with who is better on which side.

    Parameters
    ----------
    comparison : Comparison
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 1.5))
    _draw_zero(ax)
    _draw_row(ax, comparison, 0.0, filled=True)
    ax.set_ylim(0.9, -0.9)
    ax.set_yticks([])
    _write_sides(ax, comparison, -0.62)
    quiet(ax, _make_label(comparison, f"{comparison.a} - {comparison.b}"))
    return ax


def plot_comparisons(results: Comparisons, ax: Axes | None = None) -> Axes:
    """Draw the reference against the nearest rivals, the nearest on top.

    A filled dot is a configuration that is not shown to be worse, a hollow one is; that is written
    at the right, too. Forty rows fit a page. The bars are the
    intervals that belong to the adjusted p-values: for all comparisons at once, unless another
    rule than 'simultaneous' was asked for.

    Parameters
    ----------
    results : Comparisons
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    results, at_once = results.as_shown()
    rows = [comparison for comparison, _ in results.ranked()][:MOST_ROWS]
    ax = get_axes(ax, (6.8, 1.1 + fit_rows(len(rows), 1.1, 0.3)))
    _draw_zero(ax)
    standings = results.standings
    for row, comparison in enumerate(rows):
        ax.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        standing = standings[comparison.b]
        beside = standing is not Standing.WORSE
        _draw_row(ax, comparison, row, filled=beside)
        _write_verdict(ax, str(standing), row, not_worse=beside)
    names = [literal(shorten(comparison.b)) for comparison in rows]
    ax.set_yticks(range(len(rows)), names, fontsize=SMALL)
    for tick, comparison in zip(ax.get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if comparison.b == results.cheapest else "normal")
    ax.set_ylim(len(rows) - 0.4, -1.2)
    _write_sides(ax, rows[0], -0.8, others="other")
    more = len(results) - len(rows)
    note = f"\n{more} more not shown" if more > 0 else ""
    quiet(ax, _make_label(rows[0], f"{shorten(results.reference)} - other", at_once=at_once) + note)
    return ax


def _write_verdict(ax: Axes, words: str, row: int, *, not_worse: bool) -> None:
    ax.annotate(
        words,
        (1.0, row),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color=HONEST if not_worse else LABEL,
        fontsize=TINY,
        annotation_clip=False,
    )


def _draw_zero(ax: Axes) -> None:
    ax.axvline(0.0, color=LABEL, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)


def _draw_row(ax: Axes, comparison: Comparison, y: float, *, filled: bool) -> None:
    """Draw a bar with end ticks, an arrow at an open end, and the difference as a dot."""
    colour = HONEST if filled else OTHER
    if comparison.interval is not None:
        draw_interval(ax, comparison.interval, _find_drawn_ends(comparison), y, colour)
    face = colour if filled else "white"
    ax.plot(
        comparison.difference, y, "o", color=colour, markerfacecolor=face, markersize=7, zorder=4
    )


def _find_drawn_ends(comparison: Comparison) -> tuple[float, float]:
    """Return the ends as drawn: an open one a little beyond the difference."""
    interval, middle = comparison.interval, comparison.difference
    assert interval is not None
    finite = [e for e in (interval.low, interval.high) if np.isfinite(e)]
    reach = max([abs(end - middle) for end in finite if end not in comparison.limits], default=1.0)
    open_low, open_high = find_open_ends(interval)
    low = middle - 0.5 * reach if open_low else interval.low
    return low, middle + 0.5 * reach if open_high else interval.high


def _write_sides(ax: Axes, comparison: Comparison, y: float, others: str | None = None) -> None:
    """Write who is better on which side of 0."""
    names: Sequence[str] = (others or comparison.b, comparison.a)
    left, right = names if comparison.scale.greater_is_better else reversed(list(names))
    for name, where, shift in ((left, "right", -6), (right, "left", 6)):
        ax.annotate(
            f"{literal(shorten(name))} better",
            (0.0, y),
            xytext=(shift, 0),
            textcoords="offset points",
            ha=where,
            va="center",
            color=LABEL,
            fontsize=SMALL,
        )


def _make_label(comparison: Comparison, pair: str, *, at_once: bool = False) -> str:
    label = f"difference in {comparison.metric}, {pair}"
    if comparison.interval is None:
        return label
    whole = " for all at once" * at_once
    apart = " " if len(label) < WIDEST else "\n"
    return f"{label}{apart}({name_interval(comparison.interval)}{whole})"
