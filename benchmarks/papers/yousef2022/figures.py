"""Figures 2 and 3, from the results: estimates by sample size, and beside the truth of each set."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from benchmarks.papers.drawing import save, set_plain
from earnest.plotting.figures.style import HONEST, INK, LABEL, NAIVE, OTHER, SMALL, new_figure

LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "true": ("true AUC", {"color": INK, "lw": 1.6, "marker": "o"}),
    "star": ("AUC(*)", {"color": OTHER, "ls": "--", "marker": "s"}),
    ".632": (".632", {"color": NAIVE, "ls": "-.", "marker": "^"}),
    ".632+": (".632+", {"color": HONEST, "lw": 1.6, "marker": "D"}),
}


def draw_all(folder: Path) -> None:
    """Draw both figures from the tables of a folder, and put them there."""
    save(draw_means(read(folder / "figure2.csv")), folder / "figure2.svg")
    save(draw_trials(read(folder / "figure3.csv")), folder / "figure3.svg")


def read(path: Path) -> list[dict[str, str]]:
    """Return the lines of a table."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw_means(lines: list[dict[str, str]]) -> Any:
    """Draw mean estimates against 1/n, ours and the published ones side by side."""
    figure = new_figure((8.4, 3.6))
    axes = figure.subplots(1, 2, sharey=True)
    for ax, column, title in zip(axes, ("published", "ours"), ("published", "ours"), strict=True):
        for name, (label, look) in LOOKS.items():
            mine = [line for line in lines if line["quantity"] == name and line[column]]
            places = [1 / int(line["row"].removeprefix("n=")) for line in mine]
            values = [float(line[column]) for line in mine]
            ax.plot(places, values, label=label, ms=4, mfc="white", **look)
        set_plain(ax, title=title, x="1 / n of each class")
    set_plain(axes[0], y="mean AUC")
    axes[0].legend(frameon=False, fontsize=SMALL)
    return figure


def draw_trials(lines: list[dict[str, str]]) -> Any:
    """Draw a panel per estimator: lines from what it says of a training set to the truth of it."""
    figure = new_figure((7.5, 3.2))
    axes = figure.subplots(1, 3, sharey=True)
    by = {(line["row"], line["quantity"]): float(line["ours"]) for line in lines}
    trials = sorted({row for row, _ in by})
    for ax, name in zip(axes, ("star", ".632", ".632+"), strict=True):
        for trial in trials:
            ends = [by[trial, name], by[trial, "true"]]
            ax.plot([0, 1], ends, color=LABEL, lw=0.8, marker="o", ms=2.5)
        ax.set_xticks([0, 1], ["estimate", "truth"])
        set_plain(ax, title=LOOKS[name][0])
    set_plain(axes[0], y="AUC")
    return figure
