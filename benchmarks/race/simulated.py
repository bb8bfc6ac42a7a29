"""Simulated tables of any length, with what learners differ in: lines, steps, waves and gaps.

Their best possible score is not 1, and no family of models is right for all of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.race.tables import TARGET, Table, let_train_on, make_table

Array = NDArray[np.float64]


def _smooth(x: Array, rng: np.random.Generator) -> Array:
    """A line, an interaction and a wave."""
    return 0.8 * x[:, 0] - 0.6 * x[:, 1] + x[:, 2] * x[:, 3] + np.sin(2.5 * x[:, 4])


def _steps(x: Array, rng: np.random.Generator) -> Array:
    """Rectangles, as trees like them."""
    total = np.zeros(len(x))
    for _ in range(8):
        first, second = rng.choice(x.shape[1] // 2, 2, replace=False)
        cut = rng.normal(0.0, 0.7, 2)
        total += rng.normal(0.0, 1.0) * ((x[:, first] > cut[0]) & (x[:, second] < cut[1]))
    return 2.0 * total


def _lines(x: Array, rng: np.random.Generator) -> Array:
    """Many weak effects."""
    return np.asarray(x @ rng.normal(0.0, 1.2 / np.sqrt(x.shape[1]), x.shape[1]))


SHAPES: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "smooth": _smooth,
    "steps": _steps,
    "lines": _lines,
}


def simulate_table(shape: str, n: int, seed: int, *, n_columns: int = 16) -> pd.DataFrame:
    """Return a table of `n` rows with a binary outcome in the column `target`.

    Numbers with equal correlations of .2, two categories of which one has an effect, and one
    value in twenty missing.
    """
    rng = np.random.default_rng([seed, sum(map(ord, shape))])
    common = rng.normal(size=(n, 1))
    x = np.sqrt(0.8) * rng.normal(size=(n, n_columns)) + np.sqrt(0.2) * common
    places = rng.integers(0, 12, n)
    effects = np.random.default_rng([seed, 7]).normal(0.0, 0.7, 12)
    log_odds = SHAPES[shape](x, np.random.default_rng([seed, 8])) + effects[places] - 0.5
    y = (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)
    x[rng.random(x.shape) < 0.05] = np.nan
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(n_columns)])
    frame["place"] = np.array([f"p{i:02d}" for i in range(12)])[places]
    frame["colour"] = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    frame[TARGET] = y
    return frame


SIZES = (500, 4000, 15_000, 100_000)  # rows to train on
HELD_OUT = 0.25  # of all rows


def simulate_visits(n: int, seed: int) -> pd.DataFrame:
    """Return a table as people have them: dates, a note, a city of hundreds, a postal code."""
    rng = np.random.default_rng([seed, 11])
    words = np.array([f"word{i:02d}" for i in range(60)])
    picks = rng.integers(0, 60, (n, 8))
    city, worth = rng.integers(0, 400, n), np.random.default_rng([seed, 12]).normal(size=400)
    when = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900 * 24, n), unit="h")
    age = rng.normal(50.0, 15.0, n)
    log_odds = (
        0.03 * (age - 50.0)
        + 1.2 * (picks < 4).any(axis=1)
        + 0.8 * worth[city]
        + 0.7 * (when.dayofweek >= 5)
        + 0.05 * (when.hour - 12)
        - 1.0
    )
    y = (rng.random(n) < 1 / (1 + np.exp(-np.asarray(log_odds, dtype=float)))).astype(int)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "note": [" ".join(words[row]) for row in picks],
            "city": [f"city {c}" for c in city],
            "zip": [f"{(c * 37) % 90_000:05d}" for c in city],
            "seen": when,
            TARGET: y,
        }
    )


def list_simulated(sizes: tuple[int, ...] = SIZES, seed: int = 1) -> list[Table]:
    """Return simulated tables of every size: a shape each, and visits."""
    tables = []
    for n in sizes:
        rows = round(n / (1.0 - HELD_OUT)) + 5000
        frames = {shape: simulate_table(shape, rows, seed) for shape in SHAPES}
        frames["visits"] = simulate_visits(rows, seed)
        tables += [let_train_on(make_table(name, frame), n) for name, frame in frames.items()]
    return tables
