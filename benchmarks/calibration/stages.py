"""Hold the score of the best of many rounds, and its interval, against the truth.

python -m benchmarks.calibration.stages [--out FILE] [--processes 16] [--minutes 2] [--first 0]

Every cell draws tables, searches depths of trees and 20 numbers of rounds of each at once, and
compares the estimates with what the winner's models of the folds are worth: exactly one half where
the outcome is a coin, and otherwise their mean accuracy on 4,000 further cases.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.rows import write_rows

RESULTS = Path(__file__).with_name("stages.csv")
SEARCHES, BLOCK, FURTHER, FOLDS = 1_000, 4, 4_000, 5


@dataclass(frozen=True)
class Cell:
    """A learner, the share of the outcome that features explain, and the number of cases."""

    learner: str
    signal: float
    n: int
    seed: int


# Declared before any cell was run; the last four were not looked at until then.
CELLS = (
    Cell("gradient boosting", 0.0, 60, 1),
    Cell("gradient boosting", 1.0, 120, 2),
    Cell("histograms", 0.0, 120, 3),
    Cell("histograms", 1.0, 60, 4),
    Cell("gradient boosting", 0.0, 120, 5),
    Cell("gradient boosting", 1.0, 60, 6),
    Cell("histograms", 0.0, 60, 7),
    Cell("histograms", 1.0, 120, 8),
)
LEARNERS: dict[str, tuple[Any, dict[str, list[int]]]] = {
    "gradient boosting": (
        GradientBoostingClassifier(n_estimators=40, learning_rate=0.3, random_state=0),
        {"max_depth": [1, 2, 3]},
    ),
    "histograms": (
        HistGradientBoostingClassifier(
            max_iter=40, learning_rate=0.3, min_samples_leaf=5, random_state=0
        ),
        {"max_leaf_nodes": [2, 4, 8]},
    ),
}


@dataclass(frozen=True)
class Row:
    """Sums over the searches of a cell: by how much scores are too good, and what held.

    Attributes
    ----------
    corrected, squared : float
        Of the corrected score less the truth, and of its square.
    naive : float
        Of the winner's own score less the truth.
    bounds, intervals : int
        Pessimistic 95 % bounds and 95 % intervals that hold the truth.
    """

    cell: int
    searches: int
    corrected: float
    squared: float
    naive: float
    bounds: int
    intervals: int

    @property
    def bias(self) -> float:
        """The mean error of the corrected score."""
        return self.corrected / self.searches

    @property
    def noise(self) -> float:
        """The standard error of that mean."""
        return float(((self.squared / self.searches - self.bias**2) / self.searches) ** 0.5)

    @property
    def optimism(self) -> float:
        """The mean error of the winner's own score."""
        return self.naive / self.searches


def draw(n: int, signal: float, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return features, and outcomes that two of them and their product tell."""
    X = rng.normal(size=(n, 5))
    score = signal * (X[:, 0] + X[:, 1] * X[:, 2])
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def judge_search(number: int, run: int) -> Row:
    """Return the row of one search."""
    cell = CELLS[number]
    rng = np.random.default_rng([cell.seed, run])
    X, y = draw(cell.n, cell.signal, rng)
    learner, grid = LEARNERS[cell.learner]
    search = en.SearchCV(learner, grid, stages=20, cv=FOLDS, scoring="accuracy", random_state=run)
    search.set_params(refit=cell.signal > 0).fit(X, y)
    estimate = en.estimate(search.predictions_, metric="accuracy", rng=run, n_resamples=200)
    truth = 0.5
    if cell.signal:
        others = draw(FURTHER, cell.signal, rng)
        folds = search.predictions_.folds[:, 0]
        model = search.best_estimator_
        truth = 0.0
        for k in range(FOLDS):
            model.fit(X[folds != k], y[folds != k])
            truth += float(np.mean(model.predict(others[0]) == others[1])) / FOLDS
    bound = estimate.at(confidence_level=0.95, side="pessimistic").interval
    both = estimate.at(confidence_level=0.95, side="two-sided").interval
    assert bound is not None
    assert both is not None
    error = estimate.value - truth
    held = int(bound.low <= truth), int(both.low <= truth <= both.high)
    return Row(number, 1, error, error**2, estimate.naive - truth, *held)


def add_rows(rows: list[Row]) -> Row:
    """Return the sums over rows of one cell."""
    names = [each.name for each in fields(Row) if each.name != "cell"]
    return Row(rows[0].cell, **{name: sum(getattr(row, name) for row in rows) for name in names})


def simulate(number: int, first: int) -> Row:
    """Return the sums over a block of searches of a cell."""
    return add_rows([judge_search(number, run) for run in range(first, first + BLOCK)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first search")
    options = parser.parse_args()
    starts = range(options.first, options.first + SEARCHES, BLOCK)
    tasks = [(number, first) for first in starts for number in range(len(CELLS))]
    blocks: dict[int, list[Row]] = defaultdict(list)
    done = run_blocks(simulate, tasks, processes=options.processes, minutes=options.minutes, seed=0)
    for (number, _), row in done:
        blocks[number].append(row)
        write_rows([add_rows(blocks[key]) for key in sorted(blocks)], options.out)


if __name__ == "__main__":
    main()
