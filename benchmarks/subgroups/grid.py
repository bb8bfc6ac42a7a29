"""The cells, declared before any was run: python -m benchmarks.subgroups.grid writes cells.csv.

Every cell is a search of real learners on studies drawn from a known population. `sizes` are the
cases of each subgroup. In cells of `equal` all subgroups have one truth; in the others the outcome
is easier to predict in some than in others. `half` says which cells the method was settled on: the
others were not looked at before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

CELLS = Path(__file__).parent / "cells.csv"
METRICS = ("roc_auc", "accuracy", "log_loss")
LAYOUTS = {
    "two": (50, 50),
    "two unlike": (10, 300),
    "five unlike": (10, 20, 50, 100, 200),
    "three large": (100, 100, 500),
    "twelve": (30,) * 12,
    "thirty small": (10,) * 30,
    "thirty unlike": (10,) * 20 + (30,) * 10,
}
SEARCHES = (("bayes", 200), ("discriminant", 60), ("trees", 12))


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: searches that are judged by all of `METRICS`."""

    number: int
    half: str
    layout: str
    sizes: str
    equal: int
    learner: str
    n_configs: int

    @property
    def counts(self) -> tuple[int, ...]:
        """The cases of each subgroup."""
        return tuple(map(int, self.sizes.split()))


def declare_cells() -> list[Cell]:
    """Return all cells."""
    cells: list[Cell] = []
    for equal in (1, 0):
        for k, (layout, sizes) in enumerate(LAYOUTS.items()):
            learner, n_configs = SEARCHES[(k + equal) % len(SEARCHES)]
            half = "seen" if (k + equal) % 2 == 0 else "unseen"
            text = " ".join(map(str, sizes))
            cells.append(Cell(len(cells), half, layout, text, equal, learner, n_configs))
    return cells


def read_cells() -> list[Cell]:
    """Return the cells as they were declared."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(declare_cells(), CELLS)
