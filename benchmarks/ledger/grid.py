"""The cells of the study of ledgers, and the file that declares them: `cells.csv`.

python -m benchmarks.ledger.grid
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_120


@dataclass(frozen=True)
class Cell:
    """One kind of work with a ledger.

    Attributes
    ----------
    half : str
        'open' cells may be looked at while the method is settled, 'closed' ones are the check.
    evidence : str
        'roc_auc': predictions of a linear rule. 'items': scores of 0 and 1 of a prompt.
    signal : str
        'none', 'weak' or 'strong': what can be learned at all.
    n, tries : int
        Cases or items, and tries of all agents together.
    runs : int
        How many samples are declared; a study that is cut short has fewer in every cell.
    """

    number: int
    half: str
    evidence: str
    signal: str
    n: int
    tries: int
    runs: int


def cells() -> list[Cell]:
    """Return the declared cells: every combination, the halves like a chessboard."""
    axes = (("roc_auc", "items"), ("none", "weak", "strong"), (60, 100, 300, 1000), (20, 100, 500))
    places = product(*(enumerate(axis) for axis in axes))
    return [
        Cell(
            number,
            "open" if sum(at for at, _ in place) % 2 == 0 else "closed",
            *(value for _, value in place),  # type: ignore[arg-type]  # a product of lists
            runs=300,
        )
        for number, place in enumerate(places)
    ]


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
