"""The searches of the study; `python -m benchmarks.calibration.default.grid` writes them.

The file was committed before any of them was run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.calibration.default.populations import OF_CLASSES
from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
METRICS_OF_CLASSES = ("accuracy", "roc_auc", "balanced_accuracy", "f1", "brier", "log_loss")
METRICS_OF_NUMBERS = ("mae", "r2")
# Population, cases, folds, repeats and configurations: 14 populations with classes, 5 with numbers.
ONE_EACH = (
    ("slope", 40, 5, 1, 32),
    ("tails", 60, 5, 1, 34),
    ("steps", 80, 5, 1, 31),
    ("waves", 100, 10, 1, 33),
    ("spirals", 120, 5, 1, 34),
    ("sphere", 150, 5, 1, 32),
    ("spreads", 200, 10, 1, 31),
    ("marks", 100, 5, 1, 33),
    ("quarter", 80, 5, 1, 34),
    ("mislabelled", 300, 5, 1, 32),
    ("clear", 60, 5, 1, 33),
    ("wide", 400, 5, 1, 31),
    ("nothing", 100, 5, 1, 34),
    ("wine", 60, 5, 1, 32),
    ("line", 40, 5, 1, 33),
    ("bumps", 100, 5, 1, 31),
    ("counts", 150, 10, 1, 32),
    ("skewed", 200, 5, 1, 34),
    ("diabetes", 80, 5, 1, 33),
)
REPEATED = (
    ("slope", 100, 5, 3, 32),
    ("waves", 60, 5, 5, 33),
    ("clear", 100, 5, 5, 33),
    ("nothing", 60, 5, 3, 34),
    ("skewed", 80, 5, 3, 34),
)
IN_GROUPS = (
    ("sites", 80, 5, 1, 32),
    ("sites", 200, 5, 1, 33),
    ("sites", 400, 10, 1, 31),
    ("sites", 150, 5, 3, 34),
    ("measured sites", 150, 5, 1, 33),
)


@dataclass(frozen=True)
class Cell:
    """A search: its population, cases, folds, repeats and number of configurations."""

    number: int
    population: str
    n: int
    folds: int
    repeats: int
    configs: int

    @property
    def is_classified(self) -> bool:
        """Whether the outcome is a class."""
        return self.population in OF_CLASSES

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics by which a winner is chosen, each by itself."""
        return METRICS_OF_CLASSES if self.is_classified else METRICS_OF_NUMBERS


def cells() -> list[Cell]:
    """Return all cells."""
    return [Cell(number, *row) for number, row in enumerate((*ONE_EACH, *REPEATED, *IN_GROUPS))]


def read() -> list[Cell]:
    """Read the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
