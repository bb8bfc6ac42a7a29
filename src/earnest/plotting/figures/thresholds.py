"""What to expect at every decision threshold, with bands that hold at all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from earnest.core.base import check
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.numbers import percent
from earnest.core.text.thresholds import TITLES, word_headline
from earnest.plotting.figures.style import (
    GRID,
    HONEST,
    INK,
    LABEL,
    OTHER,
    SMALL,
    get_axes,
    quiet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

BOTH = ("sensitivity", "specificity")
STYLES = ((HONEST, "-"), (INK, "--"), (OTHER, "-."), (LABEL, (0, (4, 1))))


def plot_thresholds(
    analysis: Thresholds, ax: Axes | None = None, *, measures: tuple[str, ...] | None = None
) -> Axes:
    """Draw measures over the thresholds.

    Parameters
    ----------
    analysis : Thresholds
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    measures : tuple of str, optional
        Up to four of them; sensitivity and specificity by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 3.8))
    wanted = BOTH if measures is None else tuple(measures)
    level = percent(analysis.confidence_level)
    for name, (colour, dash) in zip(wanted, STYLES, strict=False):
        check.one_of("measures", name, analysis.measures)
        curve = analysis.curves[name]
        value, low, high = (
            np.array(edge, dtype=float) for edge in (curve.value, curve.low, curve.high)
        )
        ax.fill_between(analysis.thresholds, low, high, color=colour, alpha=0.14, linewidth=0)
        label = f"{TITLES[name].lower()}, {level} at once"
        ax.plot(
            analysis.thresholds, value, linestyle=dash, color=colour, linewidth=1.8, label=label
        )
    if "standardized_net_benefit" in wanted:
        ax.axhline(0.0, color=LABEL, linewidth=0.8)
        ax.set_ylim(-0.25, 1.02)
    elif "net_benefit" in wanted:
        every = np.array(
            [analysis.treat_all(threshold) for threshold in analysis.thresholds], dtype=float
        )
        ax.plot(analysis.thresholds, every, ":", color=LABEL, label="calling every case positive")
        ax.axhline(0.0, color=LABEL, linewidth=0.8)
        top = max(
            analysis.prevalence,
            float(np.nanmax(np.array(analysis.curves["net_benefit"].value, float))),
        )
        ax.set_ylim(-0.25 * top, 1.25 * top)
    else:
        ax.set_ylim(0.0, 1.02)
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    quiet(ax, "threshold: scores above it are called positive")
    ax.set_title(word_headline(analysis), fontsize=SMALL, loc="left", wrap=True)
    ax.legend(frameon=False, fontsize=SMALL)
    return ax
