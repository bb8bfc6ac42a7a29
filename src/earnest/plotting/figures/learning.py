"""A learning curve: the score of a learner over the number of its training cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from earnest.core.results.learning import LearningCurve
from earnest.core.text.estimate import percent
from earnest.core.text.learning import headline
from earnest.plotting.figures.style import GRID, HONEST, LABEL, SMALL, get_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning(made: LearningCurve, ax: Axes | None = None) -> Axes:
    """Draw the score at each size, with its limits.

    Parameters
    ----------
    made : LearningCurve
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 3.6))
    scores, low, high = (
        np.array([row[key] for row in made.rows()], dtype=float) for key in ("score", "low", "high")
    )
    level = percent(made.confidence_level)
    ends = np.abs(np.stack([scores - low, high - scores]))
    ax.errorbar(
        made.sizes,
        scores,
        yerr=np.nan_to_num(ends),
        fmt="o-",
        color=HONEST,
        markersize=5,
        linewidth=1.8,
        elinewidth=1.2,
        capsize=3,
        label=f"score on the same test cases, {level} for each alone",
    )
    ax.set_xscale("log")
    ax.set_xticks(made.sizes, [f"{size:,}" for size in made.sizes])
    ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    quiet(ax, "training cases (log scale)", ticks=None)
    ax.set_ylabel(made.metric, color=LABEL, fontsize=SMALL)
    ax.set_title(headline(made), fontsize=SMALL, loc="left", wrap=True)
    ax.legend(frameon=False, fontsize=SMALL)
    return ax
