"""How far beyond its training outcomes may a regression of the portfolio predict? A study.

python -m benchmarks.portfolio.margin [--splits 10] [--turns 2]

The first configurations of each family are fitted to half of each table without bounds, and what
they predict for the other half is cut at several margins.
"""

from __future__ import annotations

import argparse
import gzip
import io
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes

from earnest.training.learners.portfolio import PortfolioConfiguration, load_portfolio
from earnest.training.learners.preprocessing import Inputs
from earnest.training.tables.table import read_training_table

MARGINS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, math.inf)
SHOWN = ("elastic_net", "polynomial_svm")  # forests and boosting stay inside by themselves
OUTCOME, CASES, SEED = "outcome", 600, 20
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """What one configuration predicts for the second half of a table, without bounds."""

    table: str
    family: str
    trained: Array  # the outcomes it was fitted to
    truth: Array
    values: Array

    def errors(self, margin: float) -> Array:
        """Return the squared errors of the predictions, cut at a margin."""
        least, greatest = self.trained.min(), self.trained.max()
        room = margin * (greatest - least)
        return np.asarray((np.clip(self.values, least - room, greatest + room) - self.truth) ** 2)


def read_diabetes(rng: np.random.Generator) -> pd.DataFrame:
    """Return the progression of diabetes by ten measurements, in random order."""
    frame = load_diabetes(as_frame=True).frame.rename(columns={"target": OUTCOME})
    return frame.sample(frac=1.0, random_state=rng)


def read_credit(rng: np.random.Generator) -> pd.DataFrame:
    """Return the amounts of the packaged German credits: skewed, and by categories for the most."""
    packed = (files("earnest") / "data" / "german_credit.csv.gz").read_bytes()
    frame = pd.read_csv(io.BytesIO(gzip.decompress(packed))).rename(
        columns={"credit_amount": OUTCOME}
    )
    return frame.sample(CASES, random_state=rng)


def simulate_prices(rng: np.random.Generator) -> pd.DataFrame:
    """Return outcomes that are products of skewed measurements, such as prices of stones."""
    size, grade = rng.lognormal(0, 0.5, CASES), rng.integers(1, 6, CASES)
    noise = rng.lognormal(0, 0.15, CASES)
    side = size[:, None] ** (1 / 3) * rng.lognormal(0, 0.02, (CASES, 3))
    frame = pd.DataFrame(side, columns=["x", "y", "z"]).assign(size=size, grade=grade)
    return frame.assign(**{OUTCOME: 1000 * size**1.7 * (1 + 0.1 * grade) * noise})


def simulate_misprints(rng: np.random.Generator) -> pd.DataFrame:
    """Return the prices, with a decimal point at the wrong place in one measurement of 200."""
    frame = simulate_prices(rng)
    shape = frame[["x", "y", "z"]].shape
    return frame.assign(**(frame[["x", "y", "z"]] * np.where(rng.random(shape) < 0.005, 10, 1)))


def simulate_line(rng: np.random.Generator) -> pd.DataFrame:
    """Return a line in a column with a heavy tail: the largest outcomes are far beyond others."""
    x = np.column_stack([rng.lognormal(0, 1, CASES), rng.normal(size=(CASES, 4))])
    return _name(x).assign(**{OUTCOME: 2 * x[:, 0] + x[:, 1] + rng.normal(0, 1, CASES)})


def simulate_shift(rng: np.random.Generator) -> pd.DataFrame:
    """Return a line whose second half goes on where the first half ends, half as far again."""
    x = rng.normal(size=(CASES, 5))
    half = CASES // 2
    x[:half, 0] = rng.uniform(0, 1, half)
    x[half:, 0] = rng.uniform(0, 1.5, CASES - half)
    return _name(x).assign(**{OUTCOME: 10 * x[:, 0] + x[:, 1] + rng.normal(0, 0.5, CASES)})


def _name(x: Array) -> pd.DataFrame:
    return pd.DataFrame(x, columns=list("abcdefgh")[: x.shape[1]])


TABLES: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "diabetes": read_diabetes,
    "credit amounts": read_credit,
    "prices": simulate_prices,
    "prices, misprints": simulate_misprints,
    "line, heavy tail": simulate_line,
    "line that goes on": simulate_shift,
}


def predict_halves(name: str, splits: int, turns: int) -> Iterator[Prediction]:
    """Yield what the first configurations of each family predict for the second half of a table."""
    for split in range(splits):
        frame = TABLES[name](np.random.default_rng([SEED, split])).reset_index(drop=True)
        table = read_training_table(frame, target=OUTCOME, task="regression")
        train, test = np.array_split(np.arange(len(frame)), 2)
        y = np.asarray(table.y, dtype=np.float64)
        for config in _list_first(table.inputs, turns):
            fitted = config.estimator.fit(table.X[train], y[train])
            values = fitted[-1].estimator_.predict(fitted[:-1].transform(table.X[test]))
            yield Prediction(name, config.family, y[train], y[test], np.asarray(values))


def _list_first(inputs: Inputs, turns: int) -> Iterator[PortfolioConfiguration]:
    seen: dict[str, int] = {}
    for config in load_portfolio("default").configurations("regression", inputs, rng=SEED):
        seen[config.family] = seen.get(config.family, 0) + 1
        if seen[config.family] <= turns:
            yield config


def compare_margins(predictions: list[Prediction]) -> list[float]:
    """Return the root mean squared error at each margin, as a multiple of that without bounds."""
    totals = [np.mean([one.errors(margin).mean() for one in predictions]) for margin in MARGINS]
    return [math.sqrt(total / totals[-1]) for total in totals]


def main() -> None:
    """Print a table in Markdown: a row for each family of each table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.portfolio.margin")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--turns", type=int, default=2, help="configurations of each family")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | family |", " | ".join(f"{margin:g}" for margin in MARGINS[:-1]), "|")
    print("| --- " * (len(MARGINS) + 1) + "|")
    for name in TABLES:
        made = list(predict_halves(name, asked.splits, asked.turns))
        for family in ("all", *SHOWN):
            some = [one for one in made if family in ("all", one.family)]
            cells = " | ".join(f"{ratio:.3f}" for ratio in compare_margins(some)[:-1])
            print(f"| {name} | {family} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
