"""The cells, declared before any was run: python -m benchmarks.new_rows.grid writes cells.csv.

A search tries `n_configs` models on `n` cases in five folds; `by` chooses the winner, or an
ensemble where `rule` says so. In cells of `noise` no feature tells anything of the outcome, so that
the selection is all luck. `half` says which cells the method was settled on: the others were not
looked at before. The target: intervals and sets of `LEVELS` hold for at least this share less 0.02
of new rows, in every cell whose cases suffice for the level.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

CELLS = Path(__file__).parent / "cells.csv"
LEVELS = (0.8, 0.9, 0.95)
NUMBERS, CLASSES = ("noise", "linear", "heavy"), ("noise", "signal")


@dataclass(frozen=True)
class Cell:
    """One cell of the grid."""

    number: int
    half: str
    data: str
    task: str
    n: int
    n_configs: int
    by: str
    rule: str = ""


def list_cells() -> list[Cell]:
    """Return all cells."""
    rows: list[tuple[str, str, int, int, str, str]] = []
    for n in (30, 60, 150, 500):
        rows += [(data, "regression", n, 100, "rmse", "") for data in NUMBERS]
        rows += [(data, "binary", n, 200, "roc_auc", "") for data in CLASSES]
        rows += [(data, "binary", n, 200, "log_loss", "") for data in CLASSES]
        rows += [(data, "multiclass", n, 200, "log_loss", "") for data in CLASSES]
        rows += [("noise", "regression", n, 10, "mae", "")]
    for n in (60, 150):
        rows += [("groups", "regression", n, 50, "rmse", "")]
        rows += [(data, "regression", n, 50, "rmse", "greedy") for data in ("noise", "linear")]
        rows += [(data, "binary", n, 50, "log_loss", "greedy") for data in CLASSES]
        for table in ("breast_cancer", "wine", "digits"):
            task = "binary" if table == "breast_cancer" else "multiclass"
            rows += [(table, task, min(n, 100), 12, "log_loss", "")]
        rows += [("diabetes", "regression", n, 12, "rmse", "")]
    halves = ("seen", "unseen")
    return [Cell(k, halves[(k + k // 2) % 2], *row) for k, row in enumerate(rows)]


def read_cells() -> list[Cell]:
    """Return the cells as they were declared."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(list_cells(), CELLS)
