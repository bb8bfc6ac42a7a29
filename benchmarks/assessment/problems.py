"""Data sets as populations: training sets are drawn from them, and they tell the truth.

Cases are drawn with replacement, and the truth is the score on the whole population. So the cases
of a training set are independent, and the truth is exact. Without replacement a training set of
easy cases would leave the hard ones for the truth, and correlations would come out too low.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TARGET = "target"
MOST = 6000  # cases of a population; of a larger data set some are taken
SHARE = 5  # times the training set, at least: copies of a case stay few
FEWEST = 10  # of the rarer class in a training set: one for every fold
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """A population: its name, its standardised features (N, p), and its outcome (N,)."""

    name: str
    X: Floats
    y: Codes

    def holds(self, n: int) -> bool:
        """Tell whether training sets of n have both classes for ten folds, and few copies."""
        rarer = round(n * min(self.y.mean(), 1.0 - self.y.mean()))
        return rarer >= FEWEST and len(self.y) >= SHARE * n

    def draw(self, n: int, rng: np.random.Generator) -> Codes:
        """Return the rows of a training set, each class in its share, with replacement."""
        positives = round(n * self.y.mean())
        parts = [
            rng.choice(np.flatnonzero(self.y == label), count)
            for label, count in ((0, n - positives), (1, positives))
        ]
        return rng.permutation(np.concatenate(parts))


def problems(folder: Path, only: list[str] | None = None) -> Iterator[Problem]:
    """Yield the data sets of a folder of Parquet files with a binary column `target`."""
    for path in sorted(folder.glob("*.parquet")):
        if only and path.stem not in only:
            continue
        table = pd.read_parquet(path)
        if TARGET in table and sorted(table[TARGET].unique()) == [0, 1]:
            yield prepared(path.stem, table)


def prepared(name: str, table: pd.DataFrame) -> Problem:
    """Return a table as numbers: categories apart, gaps by the median, every column with spread 1.

    This is done once, to the population and without its outcome: it is a part of the data here,
    not of the learner.
    """
    if len(table) > MOST:
        table = table.sample(MOST, random_state=0)
    features = table.drop(columns=TARGET)
    wide = pd.get_dummies(features, drop_first=True, dtype=float).astype(float)
    X = wide.fillna(wide.median()).to_numpy()
    spread = X.std(axis=0)
    X = (X[:, spread > 0] - X[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    return Problem(name, X, table[TARGET].to_numpy(np.int64))


def synthetic(n: int = 700, seed: int = 0) -> Problem:
    """Return a population of two normal classes, for trying things out."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 5 < 2).astype(np.int64)
    return Problem("synthetic", 0.8 * y[:, None] + rng.standard_normal((n, 4)), y)
