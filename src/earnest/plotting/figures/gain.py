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


def plot_gain(gain: Gain, ax: Axes | None = None) -> Axes:
    """Draw what a search would have reported, and what to expect, over the configurations tried.

    Parameters
    ----------
    gain : Gain
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, SIZE)
    naive, corrected, low, high = _read_columns(gain, "naive", "corrected", "low", "high")
    level = percent(gain.confidence_level)
    ax.fill_between(gain.marks, low, high, color=HONEST, alpha=0.14, linewidth=0)
    ax.plot(
        gain.marks,
        naive,
        "D--",
        color=NAIVE,
        markerfacecolor="white",
        markersize=5,
        linewidth=1.4,
        label="what the search would have reported",
    )
    ax.plot(
        gain.marks,
        corrected,
        "o-",
        color=HONEST,
        markersize=4,
        linewidth=1.8,
        label=f"what to expect of that winner, {level}",
    )
    stops = [*(k for k in gain.marks if _is_round(k)), gain.n_configs]
    order = "in the order tried" if gain.order == "tried" else "mean over orders"
    _finish_axes(ax, gain, stops, f"configurations tried ({order})", gain_text.word_headline(gain))
    ax.set_xlim(0.93, max(gain.n_configs, 2) * 1.07)
    return ax


def plot_learning(curve: LearningCurve, ax: Axes | None = None) -> Axes:
    """Draw the score at each size, with its limits.

    Parameters
    ----------
    curve : LearningCurve
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, SIZE)
    scores, low, high = _read_columns(curve, "score", "low", "high")
    level = percent(curve.confidence_level)
    ends = np.abs(np.stack([scores - low, high - scores]))
    ax.errorbar(
        curve.sizes,
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
    _finish_axes(
        ax, curve, curve.sizes, "training cases (log scale)", learning_text.word_headline(curve)
    )
    return ax


def _read_columns(improvement: Improvement, *names: str) -> list[NDArray[np.float64]]:
    rows = improvement.rows()
    return [np.array([row[name] for row in rows], dtype=np.float64) for name in names]


def _finish_axes(
    ax: Axes, improvement: Improvement, stops: Sequence[int], label: str, title: str
) -> None:
    """Number a log axis by hand, and say what is drawn."""
    ax.set_xscale("log")
    ax.set_xticks(stops, [f"{stop:,}" for stop in stops])
    ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    quiet(ax, label, ticks=None)
    ax.set_ylabel(improvement.metric, color=LABEL, fontsize=SMALL)
    ax.set_title(title, fontsize=SMALL, loc="left", wrap=True)
    ax.legend(frameon=False, fontsize=SMALL)


def _is_round(k: int) -> bool:
    return str(k).rstrip("0") in ("1", "2", "5")
