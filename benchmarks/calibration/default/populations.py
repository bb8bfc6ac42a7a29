"""Populations that no other study here draws from, which tell the truth of the models."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import load_diabetes, load_wine

from benchmarks.calibration.real.populations import IN_A_GROUP, Population

Floats = NDArray[np.float64]
Table = tuple[Floats, Floats]  # features and outcomes of all cases of a population
SEED = 20_261_120
SIZE = 60_000


@lru_cache(maxsize=4)
def population(name: str) -> Population:
    """Return a population by its name, with features of mean 0 and spread 1."""
    X, y = MAKERS[name](np.random.default_rng([SEED, list(MAKERS).index(name)]))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Population(name, X, y.astype(np.float64), grouped=name in GROUPED)


def _draw(odds: Floats, rng: np.random.Generator) -> Floats:
    return (rng.random(len(odds)) < expit(odds)).astype(np.float64)


def _flip(y: NDArray[np.bool_], share: float, rng: np.random.Generator) -> Floats:
    return np.where(rng.random(len(y)) < share, ~y, y).astype(np.float64)


def _slope(rng: np.random.Generator) -> Table:
    """Twelve features that all matter a little."""
    X = rng.standard_normal((SIZE, 12))
    return X, _draw(0.35 * X.sum(axis=1), rng)


def _tails(rng: np.random.Generator) -> Table:
    """Features with heavy tails, of which three matter."""
    X = rng.standard_t(3, (SIZE, 8))
    return X, _draw(X[:, :3] @ [0.9, -0.6, 0.4], rng)


def _steps(rng: np.random.Generator) -> Table:
    """Classes by how many of five features are positive, one case in ten wrong."""
    X = rng.standard_normal((SIZE, 10))
    return X, _flip((X[:, :5] > 0.0).sum(axis=1) >= 3, 0.1, rng)


def _waves(rng: np.random.Generator) -> Table:
    """Classes by a wave in one feature and a line in another."""
    X = rng.uniform(-2.0, 2.0, (SIZE, 6))
    return X, _draw(2.5 * np.sin(2.0 * X[:, 0]) + X[:, 1], rng)


def _spirals(rng: np.random.Generator) -> Table:
    """Two spirals in a plane, and two features of no use."""
    y = rng.integers(0, 2, SIZE)
    turn = rng.uniform(0.5, 2.5, SIZE) * np.pi
    radius = turn * (2.0 * y - 1.0)
    plane = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    noise = rng.standard_normal((SIZE, 4))
    return np.hstack([plane + 0.5 * noise[:, :2], noise[:, 2:]]), y.astype(np.float64)


def _sphere(rng: np.random.Generator) -> Table:
    """Classes by the distance from the middle in four of six dimensions."""
    X = rng.standard_normal((SIZE, 6))
    return X, _draw(1.2 * (np.square(X[:, :4]).sum(axis=1) - 3.4), rng)


def _spreads(rng: np.random.Generator) -> Table:
    """Two normal classes with one middle and unlike spreads."""
    y = (rng.random(SIZE) < 0.5).astype(np.float64)
    return rng.standard_normal((SIZE, 5)) * (1.0 + 0.8 * y[:, None]), y


def _marks(rng: np.random.Generator) -> Table:
    """Fifteen features of 0 and 1, of which five matter."""
    X = (rng.random((SIZE, 15)) < 0.3).astype(np.float64)
    return X, _draw(X[:, :5] @ [2.0, -2.0, 1.5, 1.5, -1.0] - 0.5, rng)


def _quarter(rng: np.random.Generator) -> Table:
    """One positive in four, shifted in three of ten dimensions."""
    y = (rng.random(SIZE) < 0.25).astype(np.float64)
    return rng.standard_normal((SIZE, 10)) + 0.9 * y[:, None] * (np.arange(10) < 3), y


def _mislabelled(rng: np.random.Generator) -> Table:
    """Two clear classes, with a quarter of the labels wrong."""
    X = rng.standard_normal((SIZE, 7))
    return X, _flip(X[:, :3].sum(axis=1) > 0.0, 0.25, rng)


def _clear(rng: np.random.Generator) -> Table:
    """Two clear classes, with one label in fifty wrong."""
    y = rng.random(SIZE) < 0.5
    X = rng.standard_normal((SIZE, 5)) + 2.2 * y[:, None] * (np.arange(5) < 3)
    return X, _flip(y, 0.02, rng)


def _wide(rng: np.random.Generator) -> Table:
    """Sixty features, of which five matter."""
    X = rng.standard_normal((SIZE, 60))
    return X, _draw(X[:, :5].sum(axis=1), rng)


def _nothing(rng: np.random.Generator) -> Table:
    """Nothing to be learned from eight features, two positives in five."""
    return rng.standard_normal((SIZE, 8)), (rng.random(SIZE) < 0.4).astype(np.float64)


def _wine(rng: np.random.Generator) -> Table:
    """Return wines, of the second grower or not, by three features that are hard to use."""
    X, y = load_wine(return_X_y=True)
    return X[:, [2, 3, 7]], (y == 1).astype(np.float64)


def _sites(rng: np.random.Generator) -> Table:
    """Five cases of a site that share a shift of their features and a leaning."""
    shift = rng.standard_normal((SIZE // IN_A_GROUP, 7)).repeat(IN_A_GROUP, axis=0)
    X = rng.standard_normal((SIZE, 6)) + shift[:, 1:]
    return X, _draw(X[:, :3] @ [0.8, -0.6, 0.5] + shift[:, 0], rng)


def _line(rng: np.random.Generator) -> Table:
    """Eight of twenty features matter, with as much noise as signal."""
    X = rng.standard_normal((SIZE, 20))
    return X, X[:, :8].sum(axis=1) / 8**0.5 + rng.standard_normal(SIZE)


def _bumps(rng: np.random.Generator) -> Table:
    """Two bumps in a plane and a line, of six features."""
    X = rng.uniform(-2.0, 2.0, (SIZE, 6))
    bump = np.exp(-np.square(X[:, :2]).sum(axis=1)) - np.exp(-np.square(X[:, :2] - 1).sum(axis=1))
    return X, 3.0 * bump + 0.5 * X[:, 2] + 0.5 * rng.standard_normal(SIZE)


def _counts(rng: np.random.Generator) -> Table:
    """Poisson counts whose logarithm is a line."""
    X = rng.standard_normal((SIZE, 8))
    return X, rng.poisson(np.exp(0.5 + X[:, :3] @ [0.5, -0.4, 0.3])).astype(np.float64)


def _skewed(rng: np.random.Generator) -> Table:
    """Outcomes with a long tail, as costs have."""
    X = rng.standard_normal((SIZE, 8))
    return X, np.exp(X[:, :3] @ [0.5, 0.3, -0.3] + 0.6 * rng.standard_normal(SIZE))


def _diabetes(rng: np.random.Generator) -> Table:
    """Return the 442 patients with diabetes, in units of the spread of the outcome."""
    X, y = load_diabetes(return_X_y=True)
    return X, y / y.std()


def _measured_sites(rng: np.random.Generator) -> Table:
    """Five cases of a site that share a shift of their features and of a number."""
    shift = rng.standard_normal((SIZE // IN_A_GROUP, 7)).repeat(IN_A_GROUP, axis=0)
    X = rng.standard_normal((SIZE, 6)) + shift[:, 1:]
    return X, X[:, :3] @ [0.8, -0.6, 0.5] + 0.7 * shift[:, 0] + rng.standard_normal(SIZE)


OF_CLASSES: dict[str, Callable[[np.random.Generator], Table]] = {
    "slope": _slope,
    "tails": _tails,
    "steps": _steps,
    "waves": _waves,
    "spirals": _spirals,
    "sphere": _sphere,
    "spreads": _spreads,
    "marks": _marks,
    "quarter": _quarter,
    "mislabelled": _mislabelled,
    "clear": _clear,
    "wide": _wide,
    "nothing": _nothing,
    "wine": _wine,
    "sites": _sites,
}
OF_NUMBERS: dict[str, Callable[[np.random.Generator], Table]] = {
    "line": _line,
    "bumps": _bumps,
    "counts": _counts,
    "skewed": _skewed,
    "diabetes": _diabetes,
    "measured sites": _measured_sites,
}
MAKERS = OF_CLASSES | OF_NUMBERS
GROUPED = ("sites", "measured sites")
