"""Draw the picture of the winner's curse that the README and the explanation show.

Run `python docs/figures.py` after a change; it writes docs/_static/winners-curse.svg.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import earnest as en

HERE = Path(__file__).parent
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200)
RUNS, CASES, TRUTH = 60, 100, 0.68
ACCENT, WARN, INK = "#0B5CA0", "#A8420A", "#454C54"


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


def main() -> None:
    """Draw and write the picture."""
    naive, honest = scores_of_searches()
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "earnest", "font.size": 11})
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    axes.axhline(TRUTH, color=INK, lw=1, ls=":")
    axes.plot(COUNTS, naive, color=WARN, ls="--", marker="D", mfc="white", label="naive")
    axes.plot(COUNTS, honest, color=ACCENT, marker="o", label="honest")
    axes.set_xscale("log")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.set_xlabel("configurations tried, all equally good")
    axes.set_title("ROC AUC of the winner, 100 cases", loc="left", fontsize=11)
    beside = 1.15 * COUNTS[-1]
    axes.text(beside, naive[-1], "what a search reports", color=WARN, va="center")
    axes.text(beside, honest[-1] - 0.002, "what earnest reports", color=ACCENT, va="top")
    axes.text(beside, TRUTH + 0.002, "the truth", color=INK, va="bottom")
    axes.set_xlim(0.9, 1200)
    axes.set_ylim(0.65, 0.83)
    axes.spines[["top", "right"]].set_visible(False)
    path = HERE / "_static" / "winners-curse.svg"
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    print(path.name, [round(v, 3) for v in naive], [round(v, 3) for v in honest])


if __name__ == "__main__":
    main()
