"""Figures 2 and 3, from the results."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

from benchmarks.papers.bayle2020.trial import PAIRS
from benchmarks.papers.drawing import save, set_plain
from benchmarks.papers.study import facts_of
from earnest.plotting.figures.style import (
    HONEST,
    INK,
    NAIVE,
    OTHER,
    SMALL,
    TINY,
    new_figure,
)

LEAST = 700  # the smallest size of the authors' code; smaller ones are in the tables
SHOWN = {
    "classes": "logistic",
    "values": "forest",
    "phoneme": "logistic",
    "satisfaction": "forest",
}
TESTED = {
    name: PAIRS["binary" if name in ("classes", "phoneme") else "regression"] for name in SHOWN
}
Panel = tuple[str, str, tuple[float, float | None], float | None]  # quantity, label, limits, level
INTERVALS: tuple[Panel, ...] = (
    ("coverage", "coverage of 95 % intervals", (0.75, 1.0), 0.95),
    ("width", "width", (0.0, None), None),
)
TESTS: tuple[Panel, ...] = (
    ("size", "size, level 0.05", (-0.006, 0.2), 0.05),
    ("power", "power", (0.0, 1.02), None),
)
LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "bayle_all_pairs": ("CV CLT (all pairs)", {"color": HONEST, "lw": 2.2, "marker": "o"}),
    "holdout": ("hold-out", {"color": OTHER, "ls": "--", "marker": "s"}),
    "cv_t": ("CV t", {"color": OTHER, "ls": "-.", "marker": "^"}),
    "resampled_t": ("repeated train-validation t", {"color": NAIVE, "ls": "--", "marker": "D"}),
    "corrected_t": ("the same, corrected", {"color": NAIVE, "ls": "-.", "marker": "v"}),
    "five_by_two": ("5x2 CV", {"color": OTHER, "ls": ":", "marker": "P"}),
}


def draw_all(folder: Path) -> None:
    """Draw both figures from the tables of a folder, and put them there."""
    two = wide(folder / "figure2.csv", "procedure")
    three = wide(folder / "figure3.csv", "test")
    columns = {
        f"{learner}, {name}": [
            row for row in two if (row["population"], row["learner"]) == (name, learner)
        ]
        for name, learner in SHOWN.items()
    }
    save(draw(_some(columns), "procedure", INTERVALS), folder / "figure2.svg")
    columns = {}
    for name, (first, second) in TESTED.items():
        rows = [row for row in three if row["population"] == name]
        columns[f"{first} and {second}, {name}"] = rows
    save(draw(_some(columns), "test", TESTS), folder / "figure3.svg")


def _some(columns: dict[str, list[dict[str, str]]]) -> dict[str, list[dict[str, str]]]:
    """Return the columns that have results."""
    return {title: rows for title, rows in columns.items() if rows}


def wide(path: Path, key: str) -> list[dict[str, str]]:
    """Return a line for each cell and procedure, with Wilson's limits of every share."""
    out: dict[str, dict[str, str]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            facts, _, name = line["row"].rpartition(f" {key}=")
            row = out.setdefault(line["row"], {key: name})
            row.update(facts_of(facts))
            row["n"] = row["cases"]
            row[line["quantity"]] = line["ours"]
            if line["kind"] == "share":
                low, high = wilson(float(line["ours"]), int(line["runs"]))
                row[f"{line['quantity']}_low"], row[f"{line['quantity']}_high"] = low, high
    return list(out.values())


def wilson(part: float, count: int) -> tuple[str, str]:
    """Return Wilson's 95 % limits of a share."""
    z2 = NormalDist().inv_cdf(0.975) ** 2
    middle = (part + z2 / (2 * count)) / (1 + z2 / count)
    reach = math.sqrt(z2 * (part * (1 - part) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return f"{middle - reach:.4g}", f"{middle + reach:.4g}"


def draw(columns: dict[str, list[dict[str, str]]], key: str, panels: Sequence[Panel]) -> Any:
    """Draw a column per population and a row per quantity, a line per procedure."""
    figure = new_figure((10.4, 5.6))
    axes = figure.subplots(len(panels), len(columns), squeeze=False)
    for row, (quantity, label, limits, level) in enumerate(panels):
        for ax, (title, rows) in zip(axes[row], columns.items(), strict=True):
            _panel(ax, rows, key, quantity)
            ax.set_ylim(*limits)
            if level is not None:
                ax.axhline(level, color=INK, lw=0.8, ls=":", zorder=1)
            if row == 0:
                ax.set_title(title, color=INK, fontsize=SMALL)
            else:
                ax.set_xlabel("cases", color=INK, fontsize=SMALL)
        axes[row, 0].set_ylabel(label, color=INK, fontsize=SMALL)
    handles, names = axes[0, 0].get_legend_handles_labels()
    look = {"frameon": False, "fontsize": TINY, "handlelength": 3}
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), **look)
    return figure


def _panel(ax: Any, rows: list[dict[str, str]], key: str, quantity: str) -> None:
    sizes = sorted({int(row["n"]) for row in rows if int(row["n"]) >= LEAST})
    for turn, (name, (label, look)) in enumerate(LOOKS.items()):
        mine = {
            int(row["n"]): row
            for row in rows
            if row[key] == name and int(row["n"]) in sizes and row.get(quantity)
        }
        places = [n * 1.02 ** (turn - 2.5) for n in sorted(mine)]  # bars do not hide each other
        values = [float(mine[n][quantity]) for n in sorted(mine)]
        look = {"lw": 1.2, "ms": 4, **look}
        line = {**look, "mfc": look["color"] if name == "bayle_all_pairs" else "white"}
        ax.plot(places, values, label=label, zorder=3 if name == "bayle_all_pairs" else 2, **line)
        if mine and all(f"{quantity}_low" in row for row in mine.values()):
            low = [float(mine[n][f"{quantity}_low"]) for n in sorted(mine)]
            high = [float(mine[n][f"{quantity}_high"]) for n in sorted(mine)]
            ax.vlines(places, low, high, color=look["color"], lw=0.7, zorder=1)
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.minorticks_off()
    set_plain(ax)
