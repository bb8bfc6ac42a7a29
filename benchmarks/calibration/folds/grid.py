"""The searches of which only fold scores are read; `python -m benchmarks.calibration.folds.grid`.

It writes `cells.csv`, which was committed before any of them was run. Rules are settled on the
open half; the frozen half judges them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_119
WITH_CLASSES = ("clouds", "rings", "minority", "correlated", "islands", "noise", "easy", "tumours")
WITH_NUMBERS = ("linear", "friedman", "heavy")
EVERY = (*WITH_CLASSES, *WITH_NUMBERS)
CASES = (60, 150, 500)
SPLITS = ((3, 1), (5, 1), (10, 1), (3, 5), (5, 3), (10, 2))  # folds and repeats
CONFIGS = (5, 40)
PER_SPLIT = 16  # cells of each kind of splits


@dataclass(frozen=True)
class Cell:
    """A search: its half, population, cases, folds, repeats and number of configurations."""

    number: int
    half: str
    population: str
    n: int
    folds: int
    repeats: int
    configs: int

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics by which a winner is chosen, each by itself."""
        if self.population in WITH_NUMBERS:
            return ("r2", "mae")
        return ("accuracy", "roc_auc", "f1", "log_loss")


def cells() -> list[Cell]:
    """Return the cells, sampled and dealt by the fixed seed."""
    rng = np.random.default_rng(SEED)
    every: list[Cell] = []
    for folds, repeats in SPLITS:
        designs = list(product(EVERY, CASES, CONFIGS))
        chosen = rng.choice(len(designs), PER_SPLIT, replace=False)
        halves = rng.permutation(np.repeat(["open", "frozen"], PER_SPLIT // 2)).tolist()
        for half, place in zip(halves, chosen.tolist(), strict=True):
            name, n, configs = designs[place]
            every.append(Cell(len(every), half, name, n, folds, repeats, configs))
    return every


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
