"""The cells of the simulation of claims, and the file that declares them: `cells.csv`.

python -m benchmarks.claims.grid
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_118
BLOCK = 10  # runs of a task
KINDS = ("noise", "equal", "gap", "search", "chance")


@dataclass(frozen=True)
class Cell:
    """One design.

    Attributes
    ----------
    kind : str
        'noise': forty configurations, outcomes of no use. 'equal': ten learners of one rule, each
        on eight columns of its own with the same law. 'gap': the same, but five have less signal.
        'search': forty configurations and a signal, for the truth over training sets. 'chance':
        as 'noise', for intervals alone, since some tests have no answer with 12 groups.
    source : str
        The rule of 'equal' and 'gap', the population of 'search', the task of 'noise'.
    signal : float
        How many standard deviations the classes lie apart in the columns of a learner.
    n, folds, repeats, group : int
        Cases, folds, repeats, and cases in a group.
    runs : int
        How many samples.
    """

    number: int
    kind: str
    source: str
    signal: float
    n: int
    folds: int
    repeats: int
    group: int
    runs: int


def cells() -> list[Cell]:
    """Return the declared cells."""
    designs: list[tuple[str, str, float, int, int, int, int, int]] = [
        ("noise", "classes", 0.0, n, 5, 1, 1, 800) for n in (60, 100, 200, 400)
    ]
    designs += [
        ("noise", "classes", 0.0, 100, 10, 1, 1, 800),
        ("noise", "classes", 0.0, 100, 5, 3, 1, 240),
        ("noise", "classes", 0.0, 200, 5, 1, 5, 800),
        ("noise", "numbers", 0.0, 100, 5, 1, 1, 800),
    ]
    designs += [
        ("equal", rule, signal, n, 5, 1, 1, 700)
        for rule in ("logistic", "neighbours", "tree")
        for signal in (0.5, 1.5)
        for n in (60, 100, 200, 400)
    ]
    designs += [
        ("equal", "logistic", 0.5, 100, 10, 1, 1, 700),
        ("equal", "logistic", 0.5, 100, 5, 3, 1, 300),
    ]
    designs += [("gap", "logistic", 1.5, n, 5, 1, 1, 240) for n in (100, 200, 400)]
    designs += [
        ("search", name, 0.0, n, 5, 1, 1, 300)
        for name, n in (
            *(("clouds", 100), ("minority", 200), ("rings", 100)),
            *(("exclusive or", 100), ("exclusive or", 400), ("linear", 100), ("friedman", 100)),
        )
    ]
    designs += [  # searches of noise once more: repeats, groups and both
        ("chance", source, 0.0, n, 5, repeats, group, 400)
        for source, n, repeats, group in (
            *(("classes", n, 3, 1) for n in (60, 200, 400)),
            ("classes", 100, 10, 1),
            *(("classes", n, 1, 5) for n in (60, 100, 400)),
            ("classes", 200, 1, 20),
            *(("classes", n, 3, 5) for n in (100, 200)),
            *(("numbers", 100, repeats, group) for repeats, group in ((3, 1), (1, 5))),
            *(("numbers", 200, repeats, group) for repeats, group in ((1, 1), (3, 1), (3, 5))),
        )
    ]
    return [Cell(number, *design) for number, design in enumerate(designs)]


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
