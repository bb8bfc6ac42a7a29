"""What a search gained: the naive and the corrected score over the configurations tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from earnest.core.results.gain import Gain
from earnest.core.text.estimate import percent
from earnest.core.text.gain import headline
from earnest.plotting.figures.style import GRID, HONEST, LABEL, NAIVE, SMALL, get_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_gain(made: Gain, ax: Axes | None = None) -> Axes:
    """Draw what a search would have reported, and what to expect, over the configurations tried.

    Parameters
    ----------
    made : Gain
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 3.6))
    naive, corrected, low, high = (
        np.array([row[key] for row in made.rows()], dtype=float)
        for key in ("naive", "corrected", "low", "high")
    )
    level = percent(made.confidence_level)
    ax.fill_between(made.marks, low, high, color=HONEST, alpha=0.14, linewidth=0)
    ax.plot(
        made.marks,
        naive,
        "D--",
        color=NAIVE,
        markerfacecolor="white",
        markersize=5,
        linewidth=1.4,
        label="what the search would have reported",
    )
    ax.plot(
        made.marks,
        corrected,
        "o-",
        color=HONEST,
        markersize=4,
        linewidth=1.8,
        label=f"what to expect of that winner, {level}",
    )
    ax.set_xscale("log")
    ax.set_xlim(0.93, max(made.n_configs, 2) * 1.07)
    stops = [k for k in made.marks if _is_round(k)]
    ax.set_xticks([*stops, made.n_configs], [f"{k:,}" for k in [*stops, made.n_configs]])
    ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    order = "in the order tried" if made.order == "tried" else "mean over orders"
    quiet(ax, f"configurations tried ({order})", ticks=None)
    ax.set_ylabel(made.metric, color=LABEL, fontsize=SMALL)
    ax.set_title(headline(made), fontsize=SMALL, loc="left", wrap=True)
    ax.legend(frameon=False, fontsize=SMALL)
    return ax


def _is_round(k: int) -> bool:
    return str(k).rstrip("0") in ("1", "2", "5")
