"""Figure 1 (bias of five protocols) and figure 6 (coverage by level), from the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.papers.drawing import save, set_plain
from benchmarks.papers.reproduce import read_results
from benchmarks.papers.study import facts_of
from earnest.plotting.figures.style import HONEST, INK, NAIVE, OTHER, TINY, new_figure

NAME = "tsamardinos2018"
TITLES = {"cvt": "CVT", "tt": "TT", "ncv": "NCV", "bbc": "BBC", "bced": "BCED"}
LOOKS = {"bbc": (HONEST, "o"), "bced": (OTHER, "s"), "bbc10": (NAIVE, "^")}


def draw_all(folder: Path) -> None:
    """Draw both figures from the tables of a folder, and put them there."""
    if (folder / "figure1.csv").is_file():
        save(draw_bias(read_results(NAME, "figure1", folder)), folder / "figure1.svg")
    if (folder / "figure6.csv").is_file():
        save(draw_coverage(read_results(NAME, "figure6", folder)), folder / "figure6.svg")


def draw_bias(lines: list[dict[str, str]]) -> Any:
    """Draw a panel a protocol: bias against cases for Beta(9, 6), a line a number of configs."""
    figure = new_figure((10.4, 3.0))
    axes = figure.subplots(1, len(TITLES), sharey=True)
    shown = [(facts_of(line["row"]), line) for line in lines]
    shown = [(facts, line) for facts, line in shown if facts["alpha"] == "9"]
    counts = list(dict.fromkeys(int(facts["configs"]) for facts, _ in shown))
    for ax, (name, title) in zip(axes, TITLES.items(), strict=True):
        for turn, count in enumerate(counts):
            mine = [
                (int(facts["cases"]), float(line["ours"]))
                for facts, line in shown
                if line["quantity"] == name and int(facts["configs"]) == count
            ]
            color = (HONEST, NAIVE, OTHER, INK)[turn % 4]
            ax.plot(*zip(*mine, strict=True), "o-", ms=3, color=color, label=f"{count} configs")
        ax.axhline(0.0, color=INK, lw=0.8, ls=":")
        ax.set_xscale("log")
        set_plain(ax, title=title, x="cases")
    set_plain(axes[0], y="bias of the accuracy")
    axes[-1].legend(frameon=False, fontsize=TINY)
    return figure


def draw_coverage(lines: list[dict[str, str]]) -> Any:
    """Draw a panel a size: how often intervals of each level held, over all data sets."""
    sizes = list(dict.fromkeys(facts_of(line["row"])["cases"] for line in lines))
    figure = new_figure((8.4, 3.2))
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    for ax, size in zip(axes, sizes, strict=True):
        for name, (color, marker) in LOOKS.items():
            mine = [
                (float(facts_of(line["row"])["level"]), float(line["ours"]))
                for line in lines
                if line["quantity"] == name and facts_of(line["row"])["cases"] == size
            ]
            ax.plot(*zip(*mine, strict=True), marker=marker, ms=3, lw=1, color=color, label=name)
        ax.plot([0.5, 1], [0.5, 1], color=INK, lw=0.8, ls=":")
        set_plain(ax, title=f"{size} cases", x="level")
    set_plain(axes[0], y="share that held")
    axes[0].legend(frameon=False, fontsize=TINY)
    return figure
