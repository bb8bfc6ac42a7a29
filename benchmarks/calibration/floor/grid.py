"""The tries that are simulated; `python -m benchmarks.calibration.floor.grid` writes `cells.csv`.

The file was committed before any of them was run. Nothing is fitted to them: all of them judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_120
LAWS = ("proportion", "mean", "skewed mean", "auc")
CASES, TRIES = (30, 100, 400), (2, 5, 30, 100)
CORRELATIONS = (0.0, 0.5, 0.8)
SPREADS = ("equal", "normal", "one better")
SIZE = 96


@dataclass(frozen=True)
class Cell:
    """A search: what is scored, on how many cases, how many tries, how they agree and differ.

    Attributes
    ----------
    centre : float
        The true score of most tries: a proportion or an area.
    """

    number: int
    law: str
    n: int
    tries: int
    correlation: float
    spread: str
    centre: float


def cells() -> list[Cell]:
    """Return the cells, sampled by the fixed seed."""
    rng = np.random.default_rng(SEED)
    every = list(product(LAWS, CASES, TRIES, CORRELATIONS, SPREADS, (0.6, 0.75, 0.92)))
    chosen = rng.choice(len(every), SIZE, replace=False).tolist()
    return [Cell(number, *every[place]) for number, place in enumerate(chosen)]


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
