"""Run the study of confident winners.

python -m benchmarks.calibration.confident.run [--processes 2] [--minutes 7] [--first 0]
    [--half odd] [--out FILE]

Blocks of all cells are run in random order until the time is over; what comes out of a search
depends on the numbers of cell and search alone. Each line of the file is a cell and a metric.
'draws alone' has the bounds that `bbc` would have without limits for unseen errors, 'average cost'
those of an earlier allowance, which let all unseen errors befall cases of average confidence.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.calibration.confident.grid import HERE, METRICS, Cell, read
from benchmarks.calibration.real.grid import Cell as Design
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import IN_A_GROUP, Population
from benchmarks.calibration.real.populations import population as first_population
from benchmarks.calibration.real.run import draw_folds
from benchmarks.calibration.tighter.populations import NAMES
from benchmarks.calibration.tighter.populations import population as second_population
from benchmarks.rows import write_rows
from earnest.core import Side
from earnest.core.results.interval import NearWinnerLimits, ShareLimits, WidenedLimits
from earnest.inference import ErrorCosts

RESULTS = HERE / "results.csv"
SEED = 20_261_119
OFTEN = 20  # blocks after which the file is written
SEARCHES, BLOCK, RESAMPLES, LEVEL = 400, 5, 500, 0.95
METHOD = en.methods.BBC(n_resamples=RESAMPLES)
NEW_CASES = 5_000
CONFIGS, SPREAD, APART = 10, 0.3, 0.05  # of log odds, within and between configurations
UNCERTAIN = 0.7  # the confidence of the other cases of mixed cells, which are right as often
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over some searches: upper 95 % bounds that hold, their distances from the truth."""

    cell: int
    metric: str
    method: str
    searches: int
    held: int
    slack: float

    def plus(self, other: Row) -> Row:
        """Return the sums over the searches of both."""
        return replace(
            self,
            searches=self.searches + other.searches,
            held=self.held + other.held,
            slack=self.slack + other.slack,
        )


class Simulated:
    """Ten configurations of about one confidence, wrong at one rate, at least in some cases."""

    def __init__(self, cell: Cell, number: int) -> None:
        rng = np.random.default_rng([SEED, cell.number, number])
        y = np.arange(cell.n) % 2
        self.cell, self.apart = cell, APART * rng.standard_normal(CONFIGS)
        odds = self.apart + SPREAD * rng.standard_normal((cell.n, CONFIGS))
        wrong = rng.random((cell.n, 1 if cell.shared else CONFIGS))
        certain = rng.random((cell.n, 1)) < cell.certain
        rate = np.where(certain, cell.rate, 1.0 - UNCERTAIN)
        right = expit(odds + logit(np.where(certain, cell.confidence, UNCERTAIN)))
        response = np.where((wrong < rate) == (y[:, None] == 1), 1.0 - right, right)
        fold = rng.permutation(cell.n) % 5
        self.predictions = en.Predictions.from_arrays(y, response, fold, response="probability")

    def truth(self, config: int, metric: str) -> float:
        """Return the loss on new cases, over 200 quantiles of the log odds."""
        cell, odds = self.cell, self.apart[config] + SPREAD * ndtri((np.arange(200) + 0.5) / 200)

        def mean_loss(confidence: float, rate: float) -> float:
            level = logit(confidence) + odds
            right, wrong = (_loss(expit(sign * level), metric) for sign in (1.0, -1.0))
            return float(((1.0 - rate) * right + rate * wrong).mean())

        certain = mean_loss(cell.confidence, cell.rate)
        return cell.certain * certain + (1.0 - cell.certain) * mean_loss(UNCERTAIN, 1.0 - UNCERTAIN)


class Trained:
    """A cross-validated search with forty learners."""

    def __init__(self, cell: Cell, number: int) -> None:
        source = _population(cell.population)
        rng = np.random.default_rng([SEED, cell.number, number])
        rows = source.draw(cell.n, rng)
        groups = np.arange(cell.n) // IN_A_GROUP if source.grouped else None
        y = source.y[rows]
        design = Design(cell.number, cell.population, cell.n, 5, cell.repeats)
        fold = draw_folds(y, groups, design, classified=True, seed=SEED + number)
        self.search = Search(source.X[rows], y, fold, classified=True)
        self.predictions = en.Predictions.from_arrays(
            y.astype(int),
            self.search.out_of_sample(),
            fold,
            groups=groups,
            response="probability",
        )
        new = source.fresh(NEW_CASES, rng)
        self.new, self.new_y = source.X[new], source.y[new]
        self.said: dict[int, Floats] = {}

    def truth(self, config: int, metric: str) -> float:
        """Return the mean loss of the fold models on new cases."""
        if config not in self.said:
            self.said[config] = self.search.of_new(config, self.new)[:-1]
        said = np.where(self.new_y == 1, self.said[config], 1.0 - self.said[config])
        return float(_loss(said, metric).mean())


def _population(name: str) -> Population:
    source = second_population(name) if name in NAMES else first_population(name)
    assert source is not None
    return source


def _loss(right: Floats, metric: str) -> Floats:
    """Return the losses by the probability of what happened."""
    return np.asarray(-np.log(right) if metric == "log_loss" else np.square(1.0 - right))


def simulate(cell: Cell, first: int) -> list[Row]:
    """Return a block of searches of a cell."""
    found: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    for number in range(first, first + BLOCK):
        made: Simulated | Trained
        made = Simulated(cell, number) if cell.rate else Trained(cell, number)
        pi = made.predictions
        for metric in METRICS:
            answer = en.estimate(pi, method=METHOD, metric=metric, rng=number)
            truth = made.truth(pi.configs.ids.index(str(answer.winner)), metric)
            found[metric, "bbc"].append(_judge(answer, truth))
            assert isinstance(answer.source, WidenedLimits)
            drawn = replace(answer, source=answer.source.drawn)
            found[metric, "draws alone"].append(_judge(drawn, truth))
            wider = replace(answer, source=_with_average_cost(answer, pi))
            found[metric, "average cost"].append(_judge(wider, truth))
    return [
        Row(
            cell.number,
            *key,
            len(rows),
            sum(held for held, _ in rows),
            round(sum(slack for _, slack in rows), 6),
        )
        for key, rows in found.items()
    ]


def _with_average_cost(answer: en.results.Estimate, pi: en.Predictions) -> WidenedLimits:
    """Return the limits of an estimate, widened to those of an earlier allowance."""
    source = answer.source
    assert isinstance(source, WidenedLimits)
    near = source.floors[0]
    assert isinstance(near, NearWinnerLimits)
    alone = pi.select(pi.configs.ids.index(str(answer.winner)))
    metric = en.metric(answer.metric).on(alone.target.task)
    costs = ErrorCosts.of(alone, metric)
    if costs.n != costs.units or not costs.unseen > 0.0:  # groups had no such allowance
        return source
    low = costs.loss - float(costs.wrong.mean()) * costs.unseen
    share = ShareLimits(
        costs.loss,
        costs.n,
        low,
        low + costs.unseen,
        exact=True,
        crossed=float(costs.n) if alone.n_folds > 1 else None,
        loss=True,
    )
    return WidenedLimits(source, (replace(near, inner=share),), Side.UPPER)


def _judge(answer: en.results.Estimate, truth: float) -> tuple[bool, float]:
    bound = answer.at(confidence_level=LEVEL, side="upper").interval
    assert bound is not None
    return bool(bound.high >= truth), bound.high - truth


def run(cells: list[Cell], numbers: range, path: Path, minutes: float, processes: int) -> None:
    """Run blocks of all cells in random order until the time is over, and sum them by cell."""
    tasks = [(cell, first) for first in numbers for cell in cells]
    sums: dict[tuple[int, str, str], Row] = {}
    blocks = run_blocks(simulate, tasks, processes=processes, minutes=minutes, seed=SEED)
    for number, (_, rows) in enumerate(blocks, 1):
        for row in rows:
            key = row.cell, row.metric, row.method
            sums[key] = row.plus(sums[key]) if key in sums else row
        if number % OFTEN == 0:
            write_rows([sums[key] for key in sorted(sums)], path)
    write_rows([sums[key] for key in sorted(sums)], path)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=SEARCHES)
    parser.add_argument("--minutes", type=float, default=7.0, help="stop after so long")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first search")
    parser.add_argument("--half", choices=("even", "odd"), help="only cells of such numbers")
    parser.add_argument("--cell", type=int, action="append", help="only this one; repeat for more")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    chosen = [cell for cell in read() if asked.cell is None or cell.number in asked.cell]
    if asked.half is not None:
        chosen = [cell for cell in chosen if cell.number % 2 == (asked.half == "odd")]
    numbers = range(asked.first, asked.first + asked.searches, BLOCK)
    run(chosen, numbers, asked.out, asked.minutes, asked.processes)


if __name__ == "__main__":
    main()
