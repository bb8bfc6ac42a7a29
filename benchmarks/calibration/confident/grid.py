"""The cells of the study; `python -m benchmarks.calibration.confident.grid` writes them.

The file was committed before any of them was run. In simulated cells ten configurations state about
one confidence and are wrong at one rate, all in the same cases or each in its own. In mixed ones,
which were declared later, only a part of the cases is like that, and the others are uncertain. In
the others forty real learners are cross-validated.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
METRICS = ("log_loss", "brier")
SIZES = (40, 80, 200, 500, 1_000)
RATES = (0.005, 0.01, 0.02, 0.05)
CONFIDENCES = (0.9, 0.98, 0.999)
LEARNERS = (
    *product(("clouds", "rings", "sparse", "digits", "minority", "visits"), (40, 100, 400), (1,)),
    *product(("easy", "islands", "tumours", "clinics"), (40, 80, 200), (1,)),
    *product(("clouds", "digits", "visits", "easy"), (100,), (5,)),
    *product(("shuffled clouds", "shuffled sparse"), (40, 100), (1,)),
)
MIXED = product((80, 200, 500), (0.01, 0.05), (0.98, 0.999), (0, 1), (0.2, 0.5))


@dataclass(frozen=True)
class Cell:
    """A search that is repeated: simulated probabilities, or learners on a population.

    In mixed ones, `certain` is the share of cases that have the confidence and the rate of errors.
    """

    number: int
    population: str
    n: int
    repeats: int
    rate: float
    confidence: float
    shared: int
    certain: float = 1.0


def cells() -> list[Cell]:
    """Return all cells."""
    drawn = [
        ("simulated", n, 1, rate, confidence, shared)
        for n, rate, confidence, shared in product(SIZES, RATES, CONFIDENCES, (0, 1))
    ]
    trained = [(name, n, repeats, 0.0, 0.0, 0) for name, n, repeats in LEARNERS]
    mixed = [
        ("mixed", n, 1, rate, confidence, shared, certain)
        for n, rate, confidence, shared, certain in MIXED
    ]
    return [Cell(number, *each) for number, each in enumerate([*trained, *drawn, *mixed])]


def read(path: Path = CELLS) -> list[Cell]:
    """Read the cells of a file."""
    kinds = {"population": str, "rate": float, "confidence": float, "certain": float}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{name: kinds.get(name, int)(value) for name, value in row.items()})
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
