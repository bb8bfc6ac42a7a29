"""Finite populations: cases are drawn from them with replacement, and the truth is exact.

A population is a list of feature vectors, each as likely as the others, with the law of the outcome
given the features. For made-up ones that law is known; for real data it is the one outcome that the
row has. So the cases of a sample are independent and the error of any model is a mean over the
list, without a second sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
ROWS = 4096  # of the made-up ones
BINS = 32  # that the stumps of a forest may cut between


@dataclass(frozen=True, eq=False)
class Population:
    """Feature vectors (N, p), the mean outcome of each (N,), and the spread about it.

    For classes the mean is the probability of class 1, and the spread follows from it.
    """

    name: str
    task: str
    X: Floats
    mean: Floats
    noise: float = 0.0

    @property
    def metric(self) -> str:
        """The loss of the poster: zero-one for classes, squared for numbers."""
        return "error_rate" if self.task == "binary" else "mse"

    @cached_property
    def bins(self) -> NDArray[np.uint8]:
        """The features cut at their quantiles: (N, p)."""
        out = np.empty(self.X.shape, dtype=np.uint8)
        for j, column in enumerate(self.X.T):
            cuts = np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1]))
            out[:, j] = np.searchsorted(cuts, column, side="left")
        return out

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, Floats]:
        """Return the rows of n independent cases, and their outcomes."""
        rows = rng.integers(0, len(self.X), n)
        if self.task == "binary":
            return rows, (rng.random(n) < self.mean[rows]).astype(np.float64)
        return rows, self.mean[rows] + self.noise * rng.standard_normal(n)

    def truth(self, said: Floats) -> Floats:
        """Return the expected loss of models that say this of every row: (S, N) to (S,)."""
        if self.task == "binary":
            return np.asarray((self.mean + said * (1 - 2 * self.mean)).mean(axis=1))
        return np.asarray(np.square(said - self.mean).mean(axis=1) + self.noise**2)


def classes() -> Population:
    """Return two classes that a curved boundary parts a little better than a straight one."""
    X = np.random.default_rng(2020).standard_normal((ROWS, 8))
    slopes = np.array([0.9, -0.7, 0.5, 0.4, 0.0, 0.0, 0.0, 0.0])
    logit = X @ slopes + 0.9 * X[:, 0] * X[:, 1] + 0.4 * np.abs(X[:, 2])
    logit -= np.median(logit)  # classes of nearly the same size
    return Population("classes", "binary", X, 1 / (1 + np.exp(-logit)))


def values() -> Population:
    """Return an outcome that is linear in the features and mostly noise."""
    X = np.random.default_rng(2021).standard_normal((ROWS, 8))
    slopes = np.array([0.14, -0.12, 0.1, 0.08, 0.06, 0.0, 0.0, 0.0])
    return Population("values", "regression", X, X @ slopes, noise=1.0)


def phoneme(folder: Path) -> Population:
    """Return nasal and oral vowels: 5404 rows, five features."""
    table = pd.read_parquet(folder / "phoneme.parquet")
    outcome = table.pop("target").to_numpy(np.float64)
    return Population("phoneme", "binary", _numbers(table), outcome)


def satisfaction(folder: Path) -> Population:
    """Return how satisfied developers are, from 0 to 10: 5594 rows of `stackoverflow`."""
    table = pd.read_parquet(folder / "stackoverflow.parquet").drop(columns="target")
    outcome = table.pop("CareerSatisfaction").to_numpy(np.float64)
    return Population("satisfaction", "regression", _numbers(table), outcome)


def populations(folder: Path | None, only: list[str] | None = None) -> Iterator[Population]:
    """Yield the made-up populations, and the real ones where a folder is given."""
    for name, make in {"classes": classes, "values": values}.items():
        if only is None or name in only:
            yield make()
    for name, read in {"phoneme": phoneme, "satisfaction": satisfaction}.items():
        if folder is not None and (only is None or name in only):
            yield read(folder)


def _numbers(table: pd.DataFrame) -> Floats:
    wide = pd.get_dummies(table, drop_first=True, dtype=float).to_numpy(np.float64)
    return np.asarray((wide - wide.mean(axis=0)) / wide.std(axis=0))
