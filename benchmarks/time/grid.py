"""The cells, declared before any was run: python -m benchmarks.time.grid writes cells.csv.

A cell is a series of `n` times and eight forecasters, half of whose errors are common to all. The
errors of a forecaster are normal with variance 1, and follow an autoregression of one time
(`autoregression`, with coefficient `strength`) or of a season of twelve (`season`), or are those of
a random walk `strength` steps ahead (`steps`), or are independent with a spread that follows a
season of twelve (`spread`). In cells with a `gap` every forecaster is by that share worse than the
one before. `half` says which cells the method was settled on: the others were not looked at before.

`found` holds for `bbc` in cells whose losses are worth 20 independent ones or more, for every
metric: it must be at least .94 over all, and at least .93 in each cell within two standard errors.
The width is held against that of the oracle: the same limits with the true dependence, that is the
autocorrelations of the losses, in place of what the series tells of it. It must be at most 1.15
times as large in the median cell.

R² first had the quantiles of its draws, which held in .90 of the cells of either half. It has its
own distribution since, and was run again with other seeds on fewer series; no half of its cells is
unseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

CELLS = Path(__file__).parent / "cells.csv"
METRICS = ("mse", "mae", "r2")
SIZES = (100, 200, 500, 2000)
PROCESSES = (
    *(("autoregression", strength) for strength in (0.0, 0.3, 0.6, 0.9)),
    *(("steps", float(steps)) for steps in (2, 4, 12)),
    ("season", 0.6),
    ("spread", 0.5),
)


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: series that are judged by all of `METRICS`."""

    number: int
    half: str
    process: str
    strength: float
    n: int
    gap: float


def declare_cells() -> list[Cell]:
    """Return all cells."""
    cells: list[Cell] = []
    for k, (process, strength) in enumerate(PROCESSES):
        for j, n in enumerate(SIZES):
            half = "seen" if (k + j) % 2 == 0 else "unseen"
            cells.append(Cell(len(cells), half, process, strength, n, 0.0))
    for j, n in enumerate(SIZES):
        half = "seen" if j % 2 else "unseen"
        cells.append(Cell(len(cells), half, "autoregression", 0.6, n, 0.05))
    return cells


def read_cells() -> list[Cell]:
    """Return the cells as they were declared."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(declare_cells(), CELLS)
