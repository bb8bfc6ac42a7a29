"""The cells, declared before any was run: python -m benchmarks.weights.grid writes cells.csv.

Every cell is a search of real learners on samples of a known population. In `chances` a case is
drawn with a probability that depends on its outcome and on how easy it is; in `strata` five strata
of unlike size and difficulty give as many cases each, in primary sampling units whose cases are
alike; in `shift` the features of the sample lie elsewhere, and weights are ratios of densities.
`strong` designs have weights that vary more, or fewer units. `half` says which cells the method was
settled on: the others were not looked at before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

CELLS = Path(__file__).parent / "cells.csv"
METRICS = ("roc_auc", "accuracy", "log_loss")
DESIGNS = ("chances", "strata", "shift")
SIZES = (120, 360, 960)
SEARCHES = (("bayes", 100), ("discriminant", 30))


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: searches that are judged by all of `METRICS`."""

    number: int
    half: str
    design: str
    strong: int
    n: int
    learner: str
    n_configs: int


def declare_cells() -> list[Cell]:
    """Return all cells."""
    cells: list[Cell] = []
    for design in DESIGNS:
        for strong in (0, 1):
            for k, n in enumerate(SIZES):
                number = len(cells)
                learner, n_configs = SEARCHES[(k + strong) % len(SEARCHES)]
                half = "seen" if number % 2 == 0 else "unseen"
                cells.append(Cell(number, half, design, strong, n, learner, n_configs))
    return cells


def read_cells() -> list[Cell]:
    """Return the cells as they were declared."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(declare_cells(), CELLS)
