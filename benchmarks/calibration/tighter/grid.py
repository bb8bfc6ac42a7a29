"""The searches of the blind test; `python -m benchmarks.calibration.tighter.grid` writes them.

The file was committed before any of them was run.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
METRICS = ("accuracy", "roc_auc", "balanced_accuracy")
# n, folds, repeats, configurations and the populations
DESIGNS = (
    ((40, 5, 1, 40), ("correlated", "islands", "noise", "easy", "tumours")),
    ((40, 5, 1, 100), ("board", "islands")),
    ((60, 5, 3, 20), ("correlated", "tumours")),
    ((80, 5, 1, 5), ("correlated", "board", "easy")),
    ((80, 5, 1, 40), ("rare", "patients", "noise")),
    ((100, 10, 1, 40), ("islands", "clinics")),
    ((100, 5, 5, 40), ("board", "patients", "rare")),
    ((150, 5, 1, 100), ("correlated", "tumours", "noise")),
    ((200, 5, 1, 40), ("clinics", "board", "easy")),
    ((400, 5, 1, 40), ("islands", "rare", "patients")),
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


def cells() -> list[Cell]:
    """Return all cells."""
    every = [(name, *design) for design, names in DESIGNS for name in names]
    return [Cell(number, *each) for number, each in enumerate(every)]


def read(path: Path = CELLS) -> list[Cell]:
    """Read the cells of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{k: v if k == "population" else int(v) for k, v in row.items()})
            for row in csv.DictReader(file)
        ]


def write(path: Path = CELLS) -> None:
    """Write the cells to a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Cell)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(cell) for cell in cells())


if __name__ == "__main__":
    write()
