"""What more configurations gave, and what more training cases: scores over their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.gain import Gain, Improvement, LearningCurve
from earnest.core.text import gain as gain_text
from earnest.core.text import learning as learning_text
from earnest.core.text.numbers import percent
from earnest.plotting.figures.style import GRID, HONEST, LABEL, NAIVE, SMALL, get_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

SIZE = (6.4, 3.6)  # inches


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
    ax = get_axes(ax, SIZE)
    naive, corrected, low, high = _read_columns(made, "naive", "corrected", "low", "high")
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
    stops = [*(k for k in made.marks if _is_round(k)), made.n_configs]
    order = "in the order tried" if made.order == "tried" else "mean over orders"
    _finish(ax, made, stops, f"configurations tried ({order})", gain_text.headline(made))
    ax.set_xlim(0.93, max(made.n_configs, 2) * 1.07)
    return ax


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
    ax = get_axes(ax, SIZE)
    scores, low, high = _read_columns(made, "score", "low", "high")
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
    _finish(ax, made, made.sizes, "training cases (log scale)", learning_text.headline(made))
    return ax


def _read_columns(made: Improvement, *names: str) -> list[NDArray[np.float64]]:
    rows = made.rows()
    return [np.array([row[name] for row in rows], dtype=np.float64) for name in names]


def _finish(ax: Axes, made: Improvement, stops: Sequence[int], label: str, title: str) -> None:
    """Number a log axis by hand, and say what is drawn."""
    ax.set_xscale("log")
    ax.set_xticks(stops, [f"{stop:,}" for stop in stops])
    ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    quiet(ax, label, ticks=None)
    ax.set_ylabel(made.metric, color=LABEL, fontsize=SMALL)
    ax.set_title(title, fontsize=SMALL, loc="left", wrap=True)
    ax.legend(frameon=False, fontsize=SMALL)


def _is_round(k: int) -> bool:
    return str(k).rstrip("0") in ("1", "2", "5")
