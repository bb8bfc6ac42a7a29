"""Figure 2 (tightness relative to BBC) and figure 3 (running times), from the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.papers.agreement import read_published
from benchmarks.papers.drawing import add_legend, save, set_plain
from benchmarks.papers.reproduce import read_results
from benchmarks.papers.study import facts_of
from earnest.plotting.figures.style import HONEST, NAIVE, OTHER, TINY, new_figure

NAME = "paraschakis2024"


def draw_all(folder: Path) -> None:
    """Draw both figures from the tables of a folder, and put them there."""
    if (folder / "table2.csv").is_file():
        save(draw_ratios(read_results(NAME, "table2", folder)), folder / "figure2.svg")
    if (folder / "table3.csv").is_file():
        lines = [*read_results(NAME, "table3", folder), *list_published("table3")]
        save(draw_ratios(lines), folder / "figure2_real.svg")
    if (folder / "figure3.csv").is_file():
        save(draw_times(read_results(NAME, "figure3", folder)), folder / "figure3.svg")


TICKS = {"samples": (50, 500, 5000), "configs": (5, 20, 100), "folds": (3, 5, 10, 20, 50)}


def list_published(table: str) -> list[dict[str, str]]:
    """Return the published numbers of a table as lines without any of ours."""
    every = read_published(Path(__file__).parent / "expected.csv")
    return [
        {
            "row": row,
            "quantity": quantity,
            "published": str(one.value),
            "published_runs": str(one.runs),
            "ours": "",
        }
        for (name, row, quantity), one in every.items()
        if name == table
    ]


def draw_ratios(lines: list[dict[str, str]]) -> Any:
    """Draw tightness over that of BBC by method, published and ours, in colour if inclusion fell.

    As in the paper, only settings in which all methods have an answer count.
    """
    from scipy.stats import binom

    figure = new_figure((9.6, 3.6))
    axes = figure.subplots(1, 2, sharey=True)
    for ax, column in zip(axes, ("published", "ours"), strict=True):
        cells: dict[str, dict[str, dict[str, float]]] = {}
        for line in lines:
            if line[column]:
                place, _, method = line["row"].rpartition(" method=")
                own = cells.setdefault(place, {}).setdefault(method, {})
                own[line["quantity"]] = float(line[column])
                own["runs"] = float(line["published_runs" if column == "published" else "runs"])
        most = max(len(cell) for cell in cells.values())
        whole = [cell for cell in cells.values() if len(cell) == most]
        methods = [name for name in whole[0] if name != "bbc"]
        for at, name in enumerate(methods):
            for turn, cell in enumerate(whole):
                one, runs = cell[name], cell[name]["runs"]
                rejected = binom.cdf(round(one["inclusion"] * runs), runs, 0.95) <= 0.05
                ratio = one["tightness"] / cell["bbc"]["tightness"]
                look = NAIVE if rejected else HONEST
                ax.plot(at + 0.05 * (turn - len(whole) / 2), ratio, "o", ms=3.5, color=look)
        ax.axhline(1.0, color=OTHER, lw=0.8, ls=":")
        ax.set_xticks(range(len(methods)), [m.replace("_", "\n") for m in methods], fontsize=TINY)
        set_plain(ax, title=column)
    set_plain(axes[0], y="tightness / that of bbc")
    return figure


def draw_times(lines: list[dict[str, str]]) -> Any:
    """Draw median seconds against cases, configurations and folds, published and ours."""
    figure = new_figure((9.6, 3.4))
    axes = figure.subplots(1, 3, sharey=True)
    for ax, axis in zip(axes, ("samples", "configs", "folds"), strict=True):
        for method, color in (("bbc", NAIVE), ("bbc_fold", HONEST)):
            mine = [
                line
                for line in lines
                if line["quantity"] == method and facts_of(line["row"])["axis"] == axis
            ]
            places = [int(facts_of(line["row"])["at"]) for line in mine]
            for column, style in (("published", "--"), ("ours", "-")):
                values = [float(line[column]) for line in mine]
                label = f"{method}, {column}"
                ax.plot(places, values, style, color=color, marker="o", ms=3, label=label)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(*(2 * [TICKS[axis]]))
        ax.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        ax.minorticks_off()
        set_plain(ax, x={"samples": "cases", "configs": "configurations"}.get(axis, axis))
    set_plain(axes[0], y="median seconds")
    add_legend(figure, axes[0])
    return figure
