"""Populations that searches are drawn from, and that tell the truth of the models.

Simulated ones have 100,000 cases. A real table is a population itself: cases are drawn from it with
replacement, so that they are independent, and its own cases tell the truth. Any of them can be
shuffled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import load_digits

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
SIZE = 100_000
IN_A_GROUP = 5
SEED = 20_261_116
FEWEST_OF_A_CLASS = 2
WIDEST, COMPONENTS = 70, 30
TABLES = ("spambase", "coil2000")  # Parquet files with a column `target`, from a folder
SIMULATED = (
    *("clouds", "rings", "sparse", "minority", "visits"),
    *("linear", "friedman", "heavy", "measured visits"),
)
NAMES = (*SIMULATED, "digits", *TABLES)
SHUFFLED = "shuffled "  # before a name: outcomes in random order, nothing to be learned


@dataclass(frozen=True, eq=False)
class Population:
    """Cases to draw from.

    Attributes
    ----------
    name : str
        Which population.
    X : ndarray, shape (N, p)
        Features of mean 0 and spread 1, made so in the population: that is no part of the learner.
    y : ndarray, shape (N,)
        The outcome: 0 and 1, or a number.
    grouped : bool
        Whether every five cases in a row belong together.
    """

    name: str
    X: Floats
    y: Floats
    grouped: bool = False

    @property
    def is_classified(self) -> bool:
        """Whether the outcome is a class."""
        return bool(np.isin(self.y, (0, 1)).all())

    def draw(self, n: int, rng: np.random.Generator) -> Rows:
        """Return the rows of a sample of n, whole groups, with at least two cases of each class."""
        while True:
            rows = self.fresh(n, rng)
            fewest = min(self.y[rows].sum(), (1 - self.y[rows]).sum())
            if not self.is_classified or fewest >= FEWEST_OF_A_CLASS:
                return rows

    def fresh(self, count: int, rng: np.random.Generator) -> Rows:
        """Return rows that are drawn with replacement, groups as a whole."""
        if not self.grouped:
            return rng.integers(0, len(self.y), count)
        first = IN_A_GROUP * rng.integers(0, len(self.y) // IN_A_GROUP, count // IN_A_GROUP)
        return (first[:, None] + np.arange(IN_A_GROUP)).ravel()


@lru_cache(maxsize=16)
def population(name: str, folder: Path | None = None) -> Population | None:
    """Return a population by its name; None for a table where there is no folder with its file."""
    if name in TABLES:
        path = (folder or Path()) / f"{name}.parquet"
        return read_table(path) if folder is not None and path.exists() else None
    if name.startswith(SHUFFLED):
        base = population(name.removeprefix(SHUFFLED), folder)
        rng = np.random.default_rng([SEED, len(NAMES)])
        return None if base is None else replace(base, name=name, y=rng.permutation(base.y))
    rng = np.random.default_rng([SEED, NAMES.index(name)])
    makers = {
        "clouds": _clouds,
        "rings": _rings,
        "sparse": _sparse,
        "minority": _minority,
        "visits": _visits,
        "linear": _linear,
        "friedman": _friedman,
        "heavy": _heavy,
        "measured visits": _measured_visits,
    }
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return Population(name, _standard(X), (y % 2).astype(np.float64))
    X, y = makers[name](rng)
    return Population(name, _standard(X), y, grouped=name.endswith("visits"))


def read_table(path: Path) -> Population:
    """Return a Parquet file as a population: categories apart, gaps by the median.

    Of more than seventy columns the thirty principal components are taken.
    """
    import pandas as pd

    table = pd.read_parquet(path)
    wide = pd.get_dummies(table.drop(columns="target"), drop_first=True, dtype=float).astype(float)
    X = _standard(wide.fillna(wide.median()).to_numpy())
    if X.shape[1] > WIDEST:
        X = _standard(X @ np.linalg.eigh(X.T @ X)[1][:, -COMPONENTS:])
    return Population(path.stem, X, table["target"].to_numpy(np.float64))


def _standard(X: Floats) -> Floats:
    spread = X.std(axis=0)
    return np.asarray((X[:, spread > 0] - X[:, spread > 0].mean(axis=0)) / spread[spread > 0])


def _clouds(rng: np.random.Generator, share: float = 0.5) -> tuple[Floats, Floats]:
    """Two normal classes in ten dimensions, five of which differ."""
    y = (rng.random(SIZE) < share).astype(np.float64)
    shift = np.r_[np.full(5, 0.6), np.zeros(5)]
    return y[:, None] * shift + rng.standard_normal((SIZE, 10)), y


def _minority(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the clouds with one positive in ten, further apart."""
    X, y = _clouds(rng, 0.1)
    return X + 0.5 * y[:, None] * (np.arange(10) < 5), y


def _rings(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Classes by a product and a distance from the middle, in eight dimensions."""
    X = rng.standard_normal((SIZE, 8))
    odds = 1.5 * X[:, 0] * X[:, 1] + 1.2 * (X[:, 2] ** 2 - 1) + 0.5 * X[:, 3]
    return X, (rng.random(SIZE) < expit(odds)).astype(np.float64)


def _sparse(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Three of forty features matter."""
    X = rng.standard_normal((SIZE, 40))
    return X, (rng.random(SIZE) < expit(X[:, :3] @ [1.5, -1.0, 1.0])).astype(np.float64)


def _visits(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Five visits of a patient, who has features and a leaning of his own."""
    X, leaning = _of_patients(rng)
    odds = X[:, :4] @ [0.8, -0.8, 0.5, 0.5] + 1.5 * leaning
    return X, (rng.random(SIZE) < expit(odds)).astype(np.float64)


def _of_patients(rng: np.random.Generator) -> tuple[Floats, Floats]:
    patients = SIZE // IN_A_GROUP
    own = rng.standard_normal((patients, 9)).repeat(IN_A_GROUP, axis=0)
    return 0.8 * own[:, 1:] + 0.6 * rng.standard_normal((SIZE, 8)), own[:, 0]


def _linear(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return a linear outcome of five of fifteen features; the best R² is 1/2."""
    X = rng.standard_normal((SIZE, 15))
    return X, X[:, :5] @ np.full(5, 0.2**0.5) + rng.standard_normal(SIZE)


def _friedman(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Friedman's function of five of ten features, with noise of a third of its spread."""
    X = rng.random((SIZE, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, signal + 10 * X[:, 3] + 5 * X[:, 4] + 1.6 * rng.standard_normal(SIZE)


def _heavy(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the linear outcome with errors of a t law with three degrees of freedom."""
    X = rng.standard_normal((SIZE, 15))
    return X, X[:, :5] @ np.full(5, 0.2**0.5) + rng.standard_t(3, SIZE) / 3**0.5


def _measured_visits(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Five visits of a patient, with a number as the outcome."""
    X, leaning = _of_patients(rng)
    return X, X[:, :4] @ np.full(4, 0.5) + leaning + rng.standard_normal(SIZE)
