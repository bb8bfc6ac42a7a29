"""An estimate with its draws, and several estimates side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from earnest.core.results.estimate import Estimate
from earnest.core.results.estimate_table import Estimates
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.estimate import flatters, percent, printed
from earnest.plotting.figures.style import GRID, HONEST, NAIVE, SMALL, get_axes, literal, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    shown = printed(estimate)
    _draw_interval(ax, estimate, -0.14, HONEST)
    ax.plot(estimate.value, -0.14, "o", color=HONEST, markersize=8, zorder=4)
    ax.annotate(
        f"{estimate.method} {shown.value}",
        (estimate.value, -0.14),
        xytext=(0, -15),
        textcoords="offset points",
        ha="center",
        color=HONEST,
        fontsize=SMALL,
    )
    if estimate.naive is not None and estimate.n_configs > 1:
        _draw_naive(ax, estimate)
    ax.set_ylim(-0.78, 1.08)
    ax.set_yticks([])
    quiet(ax, f"{estimate.metric} ({_say_better(estimate)})")
    return ax


def plot_estimates(estimates: Estimates, ax: Axes | None = None) -> Axes:
    """Draw several estimates as a forest plot, grouped by what they estimate.

    Those that are not corrected for the search (EN022) are hollow and dotted.

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
    ordered = sorted(
        estimates, key=lambda e: [other.estimand for other in estimates].index(e.estimand)
    )
    ax = get_axes(ax, (6.4, 0.9 + 0.38 * len(ordered)))
    for row, estimate in enumerate(ordered):
        honest = not any(caution.code == "EN022" for caution in estimate.cautions)
        colour = HONEST if honest else NAIVE
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
    ax.set_yticks(range(len(ordered)), [literal(e.method) for e in ordered], fontsize=SMALL)
    ax.set_ylim(len(ordered) - 0.5, -0.5)
    quiet(ax, f"{ordered[0].metric} ({_say_better(ordered[0])})")
    return ax


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
    for part, alpha in ((inside, 0.30), (~inside, 0.12)):
        ax.bar(
            middles[part],
            heights[part] / max(1, int(heights.max())),
            width=np.diff(edges)[part],
            color=HONEST,
            alpha=alpha,
            linewidth=0,
        )


def _draw_interval(
    ax: Axes, estimate: Estimate, y: float, colour: str, *, dashed: bool = False
) -> None:
    """Draw a bar with end ticks; an open end has an arrow in place of a tick."""
    interval = estimate.interval
    if interval is None:
        return
    low, high = _find_drawn_ends(estimate, interval)
    ax.plot([low, high], [y, y], color=colour, linewidth=2.5, linestyle=":" if dashed else "-")
    for end, is_open, arrow in (
        (low, interval.side == Side.UPPER, "<"),
        (high, interval.side == Side.LOWER, ">"),
    ):
        ax.plot(end, y, arrow if is_open else "|", color=colour, markersize=8, markeredgewidth=1.6)


def _find_drawn_ends(estimate: Estimate, interval: Interval) -> tuple[float, float]:
    """Return the ends as drawn: an infinite one a little beyond the draws or the value."""
    known = [estimate.value, *(v for v in (interval.low, interval.high) if np.isfinite(v))]
    if estimate.draws is not None:
        known += [float(np.nanmin(estimate.draws)), float(np.nanmax(estimate.draws))]
    low = interval.low if np.isfinite(interval.low) else min(known)
    return low, interval.high if np.isfinite(interval.high) else max(known)


def _draw_naive(ax: Axes, estimate: Estimate) -> None:
    """Draw the naive score as a hollow diamond, with an arrow to the honest value."""
    shown, naive = printed(estimate), estimate.naive
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
    ax.annotate(
        f"naive {shown.naive}{gap}",
        (naive, -0.5),
        xytext=(0, -15),
        textcoords="offset points",
        ha="center",
        color=NAIVE,
        fontsize=SMALL,
    )


def _say_better(estimate: Estimate) -> str:
    better = "higher is better" if estimate.scale.greater_is_better else "lower is better"
    if estimate.interval is None:
        return better
    return (
        f"{better}; {percent(estimate.interval.confidence_level)} {_name_side(estimate.interval)}"
    )


def _name_side(interval: Interval) -> str:
    return "interval" if interval.side == Side.TWO_SIDED else f"{interval.side} bound"
