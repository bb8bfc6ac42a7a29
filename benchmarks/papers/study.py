"""What the reproduction of a paper is made of: cells, replications, and what they show.

Every paper has a folder with a module `study`:

- `grid(scale, data)` lists the cells of all its tables;
- `run(cell, rng)` returns the numbers of one replication, and depends on nothing else;
- `find(done)` turns the replications of all cells into numbers that can be held to published ones;
- `expected.csv` has the published numbers, by table, row and quantity;
- `REASONS` says why a cell is known to differ; what differs without one is unexplained.

`benchmarks.papers.reproduce` runs any of them.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Fact = str | int | float
Floats = NDArray[np.float64]
PAPERS = ("tsamardinos2018", "paraschakis2024", "bayle2020", "yousef2022", "moosbauer2021")


class Scale(StrEnum):
    """How much of a paper is run."""

    SMOKE = "smoke"  # a few replications of cheap cells: seconds, in the ordinary tests
    SMALL = "small"  # all tables with fewer replications: minutes
    FULL = "full"  # as many replications as the paper, or more


@dataclass(frozen=True)
class Cell:
    """One setting of one experiment, and how often it is replicated.

    Parameters
    ----------
    table : str
        The table or figure that it belongs to.
    facts : tuple of pairs
        What distinguishes it from the other cells of the table.
    runs : int
        The number of replications.
    data : Path, optional
        A folder with data sets, for cells that need one.
    exact : bool
        Whether a replication is a function of its seed; a measured time is not.
    """

    table: str
    facts: tuple[tuple[str, Fact], ...]
    runs: int
    data: Path | None = None
    exact: bool = True

    @classmethod
    def of(
        cls,
        table: str,
        runs: int,
        data: Path | None = None,
        exact: bool = True,
        **facts: Fact,
    ) -> Cell:
        """Return a cell with its facts by name."""
        return cls(table, tuple(facts.items()), runs, data, exact)

    def __getitem__(self, name: str) -> Fact:
        return dict(self.facts)[name]

    def number(self, name: str) -> int:
        """Return a fact that is a whole number."""
        return int(self[name])

    @property
    def name(self) -> str:
        """The facts in a line: 'cases=50 configs=100'."""
        return " ".join(f"{name}={value}" for name, value in self.facts)

    def rng(self, replication: int) -> np.random.Generator:
        """Return the random numbers of one replication, the same at every scale."""
        return np.random.default_rng(
            [zlib.crc32(f"{self.table} {self.name}".encode()), replication]
        )


def seed_words(rng: np.random.Generator) -> list[int]:
    """Return what a stream was seeded with, one word of which is the number of the replication."""
    seeded = rng.bit_generator.seed_seq
    assert isinstance(seeded, np.random.SeedSequence)
    words = seeded.entropy
    assert words is not None
    return [words] if isinstance(words, int) else [int(word) for word in words]


def facts_of(row: str) -> dict[str, str]:
    """Return the facts of a row by name; a row without any is its own."""
    parts = re.split(r" (?=[A-Za-z_]+=)", row)
    if "=" not in parts[0]:
        return {"claim": row}
    return {name: value for name, _, value in (part.partition("=") for part in parts)}


@dataclass(frozen=True)
class Done:
    """The replications of a cell: a column per quantity."""

    cell: Cell
    names: tuple[str, ...]
    values: Floats  # (runs, quantities)
    seconds: float

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self.values[:, self.names.index(name)])

    def __contains__(self, name: object) -> bool:
        return name in self.names


class Kind(StrEnum):
    """What a number is, which says by which test it is held to the published one."""

    SHARE = "share"  # of independent replications: Fisher's exact test, or the binomial one
    MEAN = "mean"  # over replications: Student's t test
    SD = "sd"  # over replications: the F test
    CORRELATION = "correlation"  # Fisher's z
    SINGLE = "single"  # the published one is a single replication: Student's t for a new one
    EXACT = "exact"  # without chance: equal in the digits that are published
    SHOWN = "shown"  # beside the published one, without a test


@dataclass(frozen=True)
class Finding:
    """A number of ours, and what a test needs to know of it."""

    row: str
    quantity: str
    kind: Kind
    value: float
    runs: int
    spread: float = math.nan  # the standard deviation of single replications

    @classmethod
    def mean(cls, row: str, quantity: str, values: Floats, kind: Kind = Kind.MEAN) -> Finding:
        """Return the mean of replications."""
        spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
        return cls(row, quantity, kind, float(values.mean()), len(values), spread)

    @classmethod
    def share(cls, row: str, quantity: str, hits: NDArray[np.bool_]) -> Finding:
        """Return how often something happened."""
        return cls(row, quantity, Kind.SHARE, float(np.mean(hits)), len(hits))

    @classmethod
    def sd(cls, row: str, quantity: str, values: Floats) -> Finding:
        """Return the standard deviation of replications."""
        return cls(row, quantity, Kind.SD, float(values.std(ddof=1)), len(values))


@dataclass(frozen=True)
class Reason:
    """Why some cells of a table differ from the published ones, as far as it is known."""

    table: str
    pattern: str  # of 'row quantity'
    words: str

    def fits(self, table: str, finding: Finding) -> bool:
        """Tell whether it is about this number."""
        place = f"{finding.row} {finding.quantity}"
        return table == self.table and re.search(self.pattern, place) is not None


class Study(Protocol):
    """The module `study` of a paper."""

    NAME: str
    REASONS: Sequence[Reason]
    TOLERANCE: float  # within which a replication that is repeated agrees, on any machine

    def grid(self, scale: Scale, data: Path | None) -> list[Cell]:
        """List the cells of all tables."""

    def run(self, cell: Cell, rng: np.random.Generator) -> Mapping[str, float]:
        """Return the numbers of one replication."""

    def find(self, done: Mapping[str, Sequence[Done]]) -> Mapping[str, list[Finding]]:
        """Return what the replications show, by table."""
