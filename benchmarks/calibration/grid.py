"""The cells that are simulated: `python -m benchmarks.calibration.grid` writes them to a file.

They are sampled from the factorial below, and dealt at random into an open half, on which a method
may be worked out, and a frozen half, on which it is judged once. The file is committed before
either is run; the seed is fixed, so that writing it again changes nothing.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import Field, asdict, astuple, dataclass, fields
from itertools import islice, product
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar

import numpy as np

T = TypeVar("T")
HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_251_115

# How many cells of each metric, and the levels of its factors.
SIZES = {
    "accuracy": 200,
    "accuracy, repeats": 80,
    "balanced_accuracy": 80,
    "recall": 40,
    "precision": 60,
    "roc_auc": 160,
}
CASES = {"accuracy": (20, 50, 100, 500), "accuracy, repeats": (20, 50, 100, 500)}
OTHER_CASES = (50, 100, 200, 500)
CONFIGS = (1, 2, 5, 20, 50, 100, 500)
TRUTHS = ("eq.7", "eq.9", "eq.97", "b9_6", "b24_6", "b54_6", "dom", "clu")
DEPENDENCE = ("0", ".3", ".7", ".95", "block")
POSITIVES = (0.1, 0.3, 0.5)
SPREADS = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Cell:
    """One setting of the simulation.

    Attributes
    ----------
    number : int
        Its number, which seeds it.
    half : {'open', 'frozen'}
        Where it was dealt.
    metric : str
        What is measured.
    n, configs, repeats : int
        Cases, configurations and repeats of the cross-validation.
    truth : str
        The true performances: all equal ('eq.9'), drawn from a Beta law ('b24_6'), one better than
        all others ('dom'), or half at .85 and half at .6 ('clu').
    dependence : str
        The correlation of what two configurations make of a case, or ten blocks of .9 ('block').
    positives : float
        The share of the positive class; .5 where it does not matter.
    spread : float
        The spread of the positives' scores over that of the negatives', for the AUC.
    """

    number: int
    half: str
    metric: str
    n: int
    configs: int
    repeats: int
    truth: str
    dependence: str
    positives: float
    spread: float


def factorial(kind: str) -> Iterator[tuple[int, int, int, str, str, float, float]]:
    """Yield all cells of a kind: (n, configs, repeats, truth, dependence, positives, spread)."""
    repeats = (5,) if kind.endswith("repeats") else (1,)
    positives = (0.5,) if kind.startswith("accuracy") else POSITIVES
    spreads = SPREADS if kind == "roc_auc" else (1.0,)
    cases = CASES.get(kind, OTHER_CASES)
    every = product(cases, CONFIGS, repeats, TRUTHS, DEPENDENCE, positives, spreads)
    for cell in every:
        alone = cell[1] == 1 and (cell[3] in ("dom", "clu") or cell[4] != "0")  # said by another
        if not alone:
            yield cell


def cells() -> list[Cell]:
    """Return the cells, sampled and dealt by the fixed seed."""
    rng = np.random.default_rng(SEED)
    made: list[Cell] = []
    for kind, size in SIZES.items():
        every = list(factorial(kind))
        chosen = rng.choice(len(every), size, replace=False)
        halves = rng.permutation(np.repeat(["open", "frozen"], size // 2)).tolist()
        metric = kind.partition(",")[0]
        for half, place in zip(halves, chosen.tolist(), strict=True):
            n, configs, repeats, truth, dependence, positives, spread = every[place]
            number = len(made)
            made.append(
                Cell(
                    number, half, metric, n, configs, repeats, truth, dependence, positives, spread
                )
            )
    return made


def read(path: Path = CELLS) -> list[Cell]:
    """Read the cells of a file."""
    kinds = {"number": int, "n": int, "configs": int, "repeats": int}
    kinds |= {"positives": float, "spread": float}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [Cell(**{k: kinds.get(k, str)(v) for k, v in row.items()}) for row in rows]


def write(path: Path = CELLS) -> None:
    """Write the cells to a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Cell)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(cell) for cell in cells())


class CellRow(Protocol):
    """A dataclass with what a cell gave."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]


def write_rows(
    path: Path,
    kind: type[CellRow],
    cells: Iterable[T],
    simulate: Callable[[T, int], CellRow],
    samples: int,
) -> None:
    """Write one row per cell as it comes; rows that are there already stay.

    How many samples a cell has may be said on the command line.
    """
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else samples
    done = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if done == 0:
            writer.writerow([one.name for one in fields(kind)])
        for cell in islice(cells, max(done - 1, 0), None):
            row = astuple(simulate(cell, samples))
            words = [f"{one:.4f}" if isinstance(one, float) else one for one in row]
            writer.writerow(words)
            file.flush()
            print(*words, flush=True)


if __name__ == "__main__":
    write()
