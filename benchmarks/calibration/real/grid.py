"""The searches that are repeated; `python -m benchmarks.calibration.real.grid` writes a file.

The file was committed before any was run; shuffled outcomes were added later, before these were.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"

WITH_CLASSES = ("clouds", "rings", "sparse", "spambase", "digits")
RARE = ("minority", "coil2000")  # a tenth or fewer are positive
VISITS = ("visits", "measured visits")
WITH_NUMBERS = ("linear", "friedman", "heavy")
EVERY = (*WITH_CLASSES, *RARE, *VISITS, *WITH_NUMBERS)
# n, folds, repeats and the populations, in the order in which they are run
DESIGNS = (
    ((100, 5, 1), EVERY),
    ((40, 5, 1), (*WITH_CLASSES, *WITH_NUMBERS)),
    ((400, 5, 1), ("clouds", "rings", "spambase", *RARE, *VISITS, *WITH_NUMBERS)),
    ((100, 5, 5), ("clouds", "spambase", "minority", "visits", "linear")),
    ((100, 10, 1), ("clouds", "rings", "spambase", "linear", "friedman")),
    ((100, 5, 5), ("rings", "sparse", "digits", "coil2000", "friedman")),
    ((400, 10, 5), ("clouds",)),
    ((100, 5, 1), tuple(f"shuffled {name}" for name in (*WITH_CLASSES[:4], *RARE[:1], "linear"))),
    ((40, 5, 1), ("shuffled clouds", "shuffled sparse", "shuffled spambase")),
    ((400, 5, 1), ("shuffled clouds", "shuffled spambase", "shuffled minority")),
    ((100, 10, 1), ("shuffled clouds",)),
    ((100, 5, 5), ("shuffled clouds",)),
)
CLASSES = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "log_loss", "brier")
NUMBERS = ("r2", "mae")


@dataclass(frozen=True)
class Cell:
    """A search that is repeated: from which population, how many cases, folds and repeats."""

    number: int
    population: str
    n: int
    folds: int
    repeats: int

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics by which a winner is chosen, each by itself."""
        name = self.population.removeprefix("shuffled ")
        return NUMBERS if name in (*WITH_NUMBERS, "measured visits") else CLASSES


def cells() -> list[Cell]:
    """Return all cells."""
    every = [(name, *design) for design, names in DESIGNS for name in names]
    return [Cell(number, *one) for number, one in enumerate(every)]


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
