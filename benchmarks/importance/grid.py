"""The cells, declared before any was run: python -m benchmarks.importance.grid writes cells.csv.

Every cell is a search of real learners on studies drawn from a known population, whose winner is
explained. `size` are its cases, `together` how many of them make up a group of like cases. `half`
says which cells the method was settled on: the others were not looked at before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

CELLS = Path(__file__).parent / "cells.csv"
METRICS = {
    "classes": ("roc_auc", "log_loss", "accuracy", "average_precision"),
    "numbers": ("r2", "mean_absolute_error"),
}
LEARNERS = ("linear", "trees", "forest")
SIZES = (100, 300, 1000)


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: searches whose winners are explained by all metrics of the task."""

    number: int
    half: str
    task: str
    learner: str
    size: int
    together: int
    n_permutations: int


def declare_cells() -> list[Cell]:
    """Return all cells."""
    cells: list[Cell] = []
    for i, task in enumerate(METRICS):
        for j, learner in enumerate(LEARNERS):
            for k, size in enumerate(SIZES):
                half = "seen" if (i + j + k) % 2 == 0 else "unseen"
                together = 5 if (i + 2 * j + k) % 4 == 3 else 1
                count = (8, 3, 5)[(j + k) % 3]
                cells.append(Cell(len(cells), half, task, learner, size, together, count))
    return cells


def read_cells() -> list[Cell]:
    """Return the cells as they were declared."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(declare_cells(), CELLS)
