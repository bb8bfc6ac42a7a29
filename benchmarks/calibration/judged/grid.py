"""The judged prompts that of the study; `python -m benchmarks.calibration.judged.grid` lists them.

`cells.csv` was committed before any of them was run. Half of the cells are open, for working on the
method; the others were run once, after it was settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_121
QUALITIES, SHARES, PROMPTS, ITEMS = (0.0, 0.5, 0.9), (0.1, 0.3), (10, 60), (100, 250, 500)
CENTRES, SPREADS, DRAWN = (0.6, 0.85), (0.0, 0.05), ("items", "answers")


@dataclass(frozen=True)
class Cell:
    """Prompts that a judge and people score.

    Attributes
    ----------
    quality : float
        The share of answers of which the judge knows what a person would say; of the others it
        calls seven in ten right.
    share : float
        The share of items, or of answers, that people label.
    centre, spread : float
        The mean and the standard deviation of the true scores of prompts.
    drawn : str
        Whether people label all answers to some items, or some answers of each prompt.
    half : str
        'open' or 'closed'.
    """

    number: int
    quality: float
    share: float
    prompts: int
    n: int
    centre: float
    spread: float
    drawn: str
    half: str


def cells() -> list[Cell]:
    """Return the cells: all of the first four, with the others drawn by the fixed seed."""
    rng = np.random.default_rng(SEED)
    every = list(product(QUALITIES, SHARES, PROMPTS, ITEMS))
    halves = rng.permutation(["open", "closed"] * (len(every) // 2)).tolist()
    return [
        Cell(
            number,
            *each,
            centre=float(rng.choice(CENTRES)),
            spread=float(rng.choice(SPREADS)),
            drawn=str(rng.choice(DRAWN)),
            half=halves[number],
        )
        for number, each in enumerate(every)
    ]


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
