"""Draw the picture of the winner's curse that the README and the explanation show.

Run `python docs/figures.py` after a change; it writes docs/_static/winners-curse.svg, and beside it
the same for dark pages and for phones.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import earnest as en

HERE = Path(__file__).parent
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200)
RUNS, CASES, TRUTH = 60, 100, 0.68


@dataclass(frozen=True)
class Theme:
    """The colours of a page: of the honest line, the naive one, the text, and behind them."""

    accent: str
    warn: str
    ink: str
    paper: str


THEMES = {
    "winners-curse.svg": Theme("#0B5CA0", "#A8420A", "#454C54", "#FFFFFF"),
    "winners-curse-dark.svg": Theme("#79B8FF", "#FFA268", "#C9D1D9", "#14181E"),
}


def scores_of_searches() -> tuple[list[float], list[float]]:
    """Return the mean naive and the mean corrected AUC for each number of equal configurations."""
    naive, honest = [], []
    y = np.tile([0, 1], CASES // 2)
    for count in COUNTS:
        both = []
        for run in range(RUNS):
            rng = np.random.default_rng([count, run])
            scores = y[:, None] + 1.5 * rng.standard_normal((CASES, count))
            pi = en.Predictions.from_arrays(y, scores, np.arange(CASES) // 2 % 10)
            found = en.estimate(pi, metric="roc_auc", n_resamples=200, rng=run)
            both.append((found.naive, found.value))
        means = np.mean(both, axis=0)
        naive.append(float(means[0]))
        honest.append(float(means[1]))
    return naive, honest


def draw(naive: list[float], honest: list[float], theme: Theme, *, narrow: bool) -> Figure:
    """Draw both lines in the colours of a theme, with their names beside or, narrow, above them."""
    size = (4.6, 3.6) if narrow else (7.2, 3.4)
    figure, axes = plt.subplots(figsize=size, layout="constrained", facecolor=theme.paper)
    axes.set_facecolor(theme.paper)
    axes.axhline(TRUTH, color=theme.ink, lw=1, ls=":")
    axes.plot(COUNTS, naive, color=theme.warn, ls="--", marker="D", mfc=theme.paper)
    axes.plot(COUNTS, honest, color=theme.accent, marker="o")
    axes.set_xscale("log")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.tick_params(colors=theme.ink)
    axes.set_xlabel("configurations tried, all equally good", color=theme.ink)
    axes.set_title("ROC AUC of the winner, 100 cases", loc="left", fontsize=11, color=theme.ink)
    end = COUNTS[-1] if narrow else 1.15 * COUNTS[-1]
    side = "right" if narrow else "left"
    lift, above = (0.008, "bottom") if narrow else (0, "center")
    axes.text(end, naive[-1] + lift, "what a search reports", color=theme.warn, va=above, ha=side)
    lower = honest[-1] - (0.006 if narrow else 0.002)
    axes.text(end, lower, "what earnest reports", color=theme.accent, va="top", ha=side)
    axes.text(end, TRUTH + 0.002, "the truth", color=theme.ink, va="bottom", ha=side)
    axes.set_xlim(0.9, 240 if narrow else 1200)
    axes.set_ylim(0.65, 0.83)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(theme.ink)
    return figure


def main() -> None:
    """Draw and write the pictures."""
    naive, honest = scores_of_searches()
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "earnest", "font.size": 11})
    for name, theme in THEMES.items():
        for narrow in (False, True):
            called = name.replace("curse", "curse-phone") if narrow else name
            figure = draw(naive, honest, theme, narrow=narrow)
            figure.savefig(HERE / "_static" / called, metadata={"Date": None, "Creator": None})
    print([round(value, 3) for value in naive], [round(value, 3) for value in honest])


if __name__ == "__main__":
    main()
