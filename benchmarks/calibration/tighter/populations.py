"""Populations that no earlier study here drew from, which tell the truth of the models."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import load_breast_cancer

from benchmarks.calibration.real.populations import IN_A_GROUP, Population

Floats = NDArray[np.float64]
SEED = 20_261_118
SIZE = 60_000
NAMES = (
    "correlated",
    "board",
    "islands",
    "rare",
    "noise",
    "easy",
    "patients",
    "clinics",
    "tumours",
)
GROUPED = ("patients", "clinics")


@lru_cache(maxsize=2)
def population(name: str) -> Population:
    """Return a population by its name, with features of mean 0 and spread 1."""
    rng = np.random.default_rng([SEED, NAMES.index(name)])
    makers = {
        "correlated": _correlated,
        "board": _board,
        "islands": _islands,
        "rare": _rare,
        "noise": _noise,
        "easy": _easy,
        "patients": _patients,
        "clinics": _clinics,
        "tumours": _tumours,
    }
    X, y = makers[name](rng)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Population(name, X, y.astype(np.float64), grouped=name in GROUPED)


def _drawn(odds: Floats, rng: np.random.Generator) -> Floats:
    return (rng.random(len(odds)) < expit(odds)).astype(np.float64)


def _correlated(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Twenty features of correlation .6, of which four matter, with both signs."""
    X = 0.6**0.5 * rng.standard_normal((SIZE, 1)) + 0.4**0.5 * rng.standard_normal((SIZE, 20))
    return X, _drawn(X[:, :4] @ [1.5, -1.5, 1.0, -0.5], rng)


def _board(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Classes by the product of two of six features, with one case in ten wrong."""
    X = rng.uniform(-1.0, 1.0, (SIZE, 6))
    y = X[:, 0] * X[:, 1] > 0.0
    return X, np.where(rng.random(SIZE) < 0.1, ~y, y)


def _islands(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Six islands of normal cases in five dimensions, three of each class."""
    place = rng.integers(0, 6, SIZE)
    X = 1.5 * rng.standard_normal((6, 5))[place] + rng.standard_normal((SIZE, 5))
    return X, (place % 2).astype(np.float64)


def _rare(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """One positive in six, with more spread than the negatives."""
    y = (rng.random(SIZE) < 1.0 / 6.0).astype(np.float64)
    X = rng.standard_normal((SIZE, 8)) * (1.0 + 0.4 * y[:, None])
    return X + 0.7 * y[:, None] * (np.arange(8) < 3), y


def _noise(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Nothing to be learned from ten features."""
    return rng.standard_normal((SIZE, 10)), (rng.random(SIZE) < 0.5).astype(np.float64)


def _easy(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two normal classes that hardly overlap."""
    y = (rng.random(SIZE) < 0.5).astype(np.float64)
    return rng.standard_normal((SIZE, 6)) + 1.8 * y[:, None] * (np.arange(6) < 4), y


def _patients(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Groups of five visits that share most of their features and a leaning."""
    people = SIZE // IN_A_GROUP
    own = rng.standard_normal((people, 7)).repeat(IN_A_GROUP, axis=0)
    X = 0.9 * own[:, 1:] + 0.4 * rng.standard_normal((SIZE, 6))
    return X, _drawn(X[:, :3] @ [1.0, -1.0, 0.7] + own[:, 0], rng)


def _clinics(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Groups of five cases that share a leaning only, which no feature tells."""
    own = rng.standard_normal(SIZE // IN_A_GROUP).repeat(IN_A_GROUP)
    X = rng.standard_normal((SIZE, 8))
    return X, _drawn(1.5 * X[:, 0] - X[:, 1] * X[:, 2] + 0.8 * own, rng)


def _tumours(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the 569 cases of the breast cancer table, with four features that are hard to use."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, [4, 8, 14, 18]], y
