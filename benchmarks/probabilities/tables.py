"""Twenty tables to draw cases from: simulated ones, and real ones whose other rows are new data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits

from benchmarks.calibration.real.populations import IN_A_GROUP, SIZE, population

SIMULATED = ("clouds", "rings", "sparse", "minority", "visits", "noise", "weak", "wide")
BUNDLED = ("breast_cancer", "even_digits", "nines", "german_credit")
GIVEN = (
    *("spambase", "phoneme", "coil2000", "credit_data"),
    *("stackoverflow", "phishing_river", "pima", "saheart"),
)
TARGET, GROUP = "target", "patient"
NEW = 20_000  # cases that tell the truth, where there are so many
SEED = 20_261_204


@dataclass(frozen=True, eq=False)
class Source:
    """A table with a column `target` of 0 and 1; with `group`, rows of a group go together."""

    frame: pd.DataFrame
    group: str | None = None

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return n rows with at least ten of each class, and others that they do not hold."""
        size = 1 if self.group is None else IN_A_GROUP
        units = len(self.frame) // size
        while True:
            order = rng.permutation(units)
            rows, others = (
                (size * each[:, None] + np.arange(size)).ravel()
                for each in (order[: n // size], order[n // size : (n + NEW) // size])
            )
            chosen = self.frame.iloc[rows]
            if chosen[TARGET].value_counts().reindex([0, 1], fill_value=0).min() >= 10:
                return chosen.reset_index(drop=True), self.frame.iloc[others]


def count_rows(name: str) -> int:
    """Return how many rows a table has, without reading it."""
    known = {"breast_cancer": 569, "even_digits": 1797, "nines": 1797, "german_credit": 1000}
    known |= {"spambase": 4601, "phoneme": 5404, "coil2000": 9822, "credit_data": 4454}
    known |= {"stackoverflow": 5594, "phishing_river": 1250, "pima": 768, "saheart": 462}
    return known.get(name, SIZE)


@lru_cache(maxsize=3)
def read_source(name: str, folder: Path | None = None) -> Source | None:
    """Return a table by its name; None for a given one where there is no folder with it."""
    if name in GIVEN:
        path = (folder or Path()) / f"{name}.parquet"
        return Source(pd.read_parquet(path)) if folder is not None and path.exists() else None
    if name == "german_credit":
        with files("earnest").joinpath("data", "german_credit.csv.gz").open("rb") as stream:
            frame = pd.read_csv(stream, compression="gzip")
        bad = (frame.pop("risk") == "bad").astype(int)
        return Source(frame.assign(**{TARGET: bad}))
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return Source(_as_frame(X, y))
    if name in ("even_digits", "nines"):
        X, y = load_digits(return_X_y=True)
        return Source(_as_frame(X, y % 2 == 0 if name == "even_digits" else y == 9))
    return _simulate(name)


def _simulate(name: str) -> Source:
    rng = np.random.default_rng([SEED, SIMULATED.index(name)])
    if name == "noise":
        return Source(_as_frame(rng.standard_normal((SIZE, 10)), rng.random(SIZE) < 0.4))
    if name == "weak":  # fifteen features that all matter little, with heavy tails
        X = rng.standard_t(4, (SIZE, 15)) / np.sqrt(2.0)
        return Source(_as_frame(X, rng.random(SIZE) < expit(X @ np.full(15, 0.2) - 0.8)))
    if name == "wide":  # ten of a hundred and fifty
        X = rng.standard_normal((SIZE, 150)).astype(np.float32)
        return Source(_as_frame(X, rng.random(SIZE) < expit(X[:, :10] @ np.full(10, 0.5))))
    drawn = population(name)
    assert drawn is not None
    frame = _as_frame(drawn.X, drawn.y)
    if not drawn.grouped:
        return Source(frame)
    return Source(frame.assign(**{GROUP: np.arange(len(frame)) // IN_A_GROUP}), GROUP)


def _as_frame(X: NDArray[Any], y: NDArray[Any]) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    return frame.assign(**{TARGET: np.asarray(y).astype(int)})
