"""Figure 3: what the estimators say of 15 training sets, beside the truth of these sets.

python -m benchmarks.papers.yousef2022.figure3

Reads the trials that `table2` keeps, writes `figure3.csv` and `figure3.svg`.
"""

from __future__ import annotations

import argparse
import csv

import numpy as np

from benchmarks.papers.yousef2022.table2 import NAMES
from benchmarks.papers.yousef2022.trials import HERE, Floats, kept

TRIALS = 15
SHOWN = {"star": "AUC(*)", ".632": ".632", ".632+": ".632+"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20)
    size = parser.parse_args().size
    done = kept(f"table2_n{size}", len(NAMES))
    with (HERE / "figure3.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["trial", "true", *SHOWN])
        for trial, row in enumerate(done[:TRIALS]):
            values = [row[0], *(row[NAMES.index(name)] for name in SHOWN)]
            writer.writerow([trial, *(f"{value:.4f}" for value in values)])
    draw(done)


def draw(done: Floats) -> None:
    """Draw a panel an estimator: lines from what it says to the truth, and the correlation."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "earnest", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(SHOWN), figsize=(7.5, 3.2), sharey=True)
    true = done[:, 0]
    for ax, (name, title) in zip(axes, SHOWN.items(), strict=True):
        found = done[:, NAMES.index(name)]
        for start, end in zip(found[:TRIALS], true[:TRIALS], strict=True):
            ax.plot([0, 1], [start, end], color="0.4", linewidth=0.8, marker="o", markersize=2.5)
        ax.axhline(true.mean(), color="0.8", linewidth=0.8, zorder=0)
        rho = np.corrcoef(found, true)[0, 1]
        ax.set_title(f"{title}: correlation {rho:.2f}", fontsize=9)
        ax.set_xticks([0, 1], ["estimate", "truth"])
    axes[0].set_ylabel("AUC")
    figure.tight_layout()
    figure.savefig(HERE / "figure3.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
