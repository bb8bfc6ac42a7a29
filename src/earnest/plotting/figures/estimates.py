"""An estimate with its draws, and several estimates side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.interval import Interval
from earnest.core.text.estimate import flatters, print_numbers, word_direction
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
    name_interval,
    quiet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

BINS = 40


def plot_estimate(estimate: Estimate, ax: Axes | None = None) -> Axes:
    """Draw the draws, the interval and the value of an estimate, and the naive score beside it.

    Parameters
    ----------
    estimate : Estimate
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 2.6))
    if estimate.draws is not None:
        _draw_density(ax, estimate)
    shown = print_numbers(estimate)
    _draw_interval(ax, estimate, -0.14, HONEST)
    ax.plot(estimate.value, -0.14, "o", color=HONEST, markersize=8, zorder=4)
    _write_under(ax, f"{estimate.method} {shown.value}", (estimate.value, -0.14), HONEST)
    if estimate.naive is not None and estimate.n_configs > 1:
        _draw_naive(ax, estimate)
    ax.set_ylim(-0.78, 1.08)
    ax.set_yticks([])
    quiet(ax, f"{estimate.metric} ({_say_better(estimate)})")
    return ax


def plot_estimates(estimates: Estimates, ax: Axes | None = None) -> Axes:
    """Draw several estimates as a forest plot, grouped by what they estimate, as in a report.

    The groups have the report's order and colours: blue is the reported quantity, corrected for
    the search; grey is corrected, but of another quantity; orange, hollow and dotted is not
    corrected.

    Parameters
    ----------
    estimates : Estimates
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    groups = _group_estimates(estimates)
    rows = sum(len(group) + 1 for _, group, _ in groups)
    ax = get_axes(ax, (6.4, 0.9 + fit_rows(rows, 0.9, 0.32)))
    labels: list[tuple[int, str]] = []
    row = 0
    for words, group, colour in groups:
        ax.annotate(
            literal(words),
            (0.0, row + 0.12),
            xycoords=("axes fraction", "data"),
            va="center",
            color=LABEL,
            fontsize=TINY - 0.5,
        )
        honest = colour != NAIVE
        for estimate in group:
            row += 1
            ax.axhline(row, color=GRID, linewidth=0.8, zorder=0)
            _draw_interval(ax, estimate, row, colour, dashed=not honest)
            ax.plot(
                estimate.value,
                row,
                "o" if honest else "D",
                color=colour,
                markerfacecolor=colour if honest else "white",
                markersize=7,
                zorder=4,
            )
            labels.append((row, estimate.method))
        row += 1
    places, names = zip(*labels, strict=True)
    ax.set_yticks(places, [literal(name) for name in names], fontsize=SMALL)
    ax.set_ylim(row - 0.5, -0.5)
    first = next(iter(estimates))
    quiet(ax, f"{first.metric} ({_say_better(first)})")
    return ax


def _group_estimates(estimates: Estimates) -> list[tuple[str, list[Estimate], str]]:
    """Return what each group estimates, its rows and its colour; the uncorrected ones last."""
    fair = [row for row in estimates if row.honest]
    raw = [row for row in estimates if not row.honest]
    groups: list[tuple[str, list[Estimate], str]] = []
    for estimand in dict.fromkeys(row.estimand for row in fair):
        rows = [row for row in fair if row.estimand == estimand]
        groups.append((_shorten(estimand), rows, OTHER if groups else HONEST))
    if raw:
        groups.append(("not corrected for the search", raw, NAIVE))
    return groups


def _shorten(estimand: str, most: int = 78) -> str:
    """Return what is estimated up to its first stop, cut at a word where it is too long."""
    words = estimand.partition(";")[0].partition(",")[0]
    return words if len(words) <= most else words[:most].rpartition(" ")[0] + " …"


def _draw_density(ax: Axes, estimate: Estimate) -> None:
    """Draw a histogram of the draws, darker inside the interval."""
    draws = estimate.draws
    assert draws is not None
    valid = draws[~np.isnan(draws)]
    heights, edges = np.histogram(valid, bins=min(BINS, max(1, len(np.unique(valid)))))
    middles = 0.5 * (edges[1:] + edges[:-1])
    interval = estimate.interval
    inside = np.ones(len(heights), dtype=bool)
    if interval is not None:
        inside = (middles >= interval.low) & (middles <= interval.high)
    for bars, alpha in ((inside, 0.30), (~inside, 0.12)):
        ax.bar(
            middles[bars],
            heights[bars] / max(1, int(heights.max())),
            width=np.diff(edges)[bars],
            color=HONEST,
            alpha=alpha,
            linewidth=0,
        )


def _draw_interval(
    ax: Axes, estimate: Estimate, y: float, colour: str, *, dashed: bool = False
) -> None:
    """Draw the interval of an estimate, where it has one."""
    if estimate.interval is not None:
        ends = _find_drawn_ends(estimate, estimate.interval)
        draw_interval(ax, estimate.interval, ends, y, colour, dashed=dashed)


def _find_drawn_ends(estimate: Estimate, interval: Interval) -> tuple[float, float]:
    """Return the ends as drawn: an infinite one a little beyond the draws or the value."""
    finite = [estimate.value, *(v for v in (interval.low, interval.high) if np.isfinite(v))]
    if estimate.draws is not None:
        finite += [float(np.nanmin(estimate.draws)), float(np.nanmax(estimate.draws))]
    low = interval.low if np.isfinite(interval.low) else min(finite)
    return low, interval.high if np.isfinite(interval.high) else max(finite)


def _draw_naive(ax: Axes, estimate: Estimate) -> None:
    """Draw the naive score as a hollow diamond, with an arrow to the honest value."""
    shown, naive = print_numbers(estimate), estimate.naive
    assert naive is not None
    ax.plot(naive, -0.5, "D", color=NAIVE, markerfacecolor="white", markersize=7, zorder=4)
    sure = flatters(estimate)
    if sure:
        ax.annotate(
            "",
            (estimate.value, -0.5),
            xytext=(naive, -0.5),
            arrowprops={"arrowstyle": "->", "color": NAIVE, "linestyle": "--", "shrinkA": 6},
        )
    word = "too high" if estimate.scale.greater_is_better else "too low"
    gap = f", {shown.optimism} {word}" if sure else ""
    _write_under(ax, f"naive {shown.naive}{gap}", (naive, -0.5), NAIVE)


def _write_under(ax: Axes, words: str, at: tuple[float, float], colour: str) -> None:
    """Write words under a mark."""
    ax.annotate(
        words,
        at,
        xytext=(0, -15),
        textcoords="offset points",
        ha="center",
        color=colour,
        fontsize=SMALL,
    )


def _say_better(estimate: Estimate) -> str:
    better = word_direction(estimate.scale)
    if estimate.interval is None:
        return better
    return f"{better}; {name_interval(estimate.interval)}"
