"""Hold the default interval, and those that it comes from, against the truth of searches.

python -m benchmarks.calibration.default.run [--processes 16] [--minutes 6] [--first 1000]
    [--out FILE]

Blocks of searches are run cell after cell in turn until the time is over; what comes out depends on
the numbers of cell and search alone. Each line of the file has the sums of a cell, for one metric
and one method, over the searches from `--first` on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.calibration.default.grid import HERE, Cell, read
from benchmarks.calibration.default.populations import SEED, population
from benchmarks.calibration.real.grid import Cell as Design
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import IN_A_GROUP
from benchmarks.calibration.real.run import draw_folds, true_scores
from benchmarks.rows import write_rows
from earnest.metrics import metric as resolve_metric

RESULTS = HERE / "results.csv"
SEARCHES, BLOCK, RESAMPLES, LEVEL = 2_000, 5, 500, 0.95
FIRST = 1_000  # the seed of the first search; smaller ones tried the script
OFTEN = 30  # blocks after which the file is written
NEW_CASES = 6_000
METHODS: dict[str, en.Method] = {
    "default": en.methods.BBC(n_resamples=RESAMPLES),
    "drawn": en.methods.BBC(n_resamples=RESAMPLES, limits="drawn"),
    "near_winner": en.methods.NearWinner(n_resamples=RESAMPLES),
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over the searches of a cell, for one metric and one method.

    Pessimistic 95 % bounds that hold and the distances from the truth to them; two-sided 95 %
    intervals that hold, truths that are better than their good end, and their widths.
    """

    cell: int
    first: int
    metric: str
    method: str
    searches: int
    held: int
    slack: float
    two: int
    better: int
    width: float

    def plus(self, other: Row) -> Row:
        """Return the sums over the searches of both."""
        names = ("searches", "held", "slack", "two", "better", "width")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})


def draw_search(cell: Cell, number: int) -> tuple[en.Predictions, Callable[[int, str], float]]:
    """Return the predictions of a search, and the true score of a configuration by a metric."""
    source, classified = population(cell.population), cell.is_classified
    rng = np.random.default_rng([SEED, cell.number, number])
    rows = source.draw(cell.n, rng)
    groups = np.arange(cell.n) // IN_A_GROUP if source.grouped else None
    y = source.y[rows]
    design = Design(50_000 + cell.number, cell.population, cell.n, cell.folds, cell.repeats)
    fold = draw_folds(y, groups, design, classified, number)
    search = Search(source.X[rows], y, fold, classified)
    responses = search.out_of_sample()
    configs = np.sort(rng.permutation(responses.shape[1])[: cell.configs])
    pi = en.Predictions.from_arrays(
        y.astype(int) if classified else y,
        responses[:, configs],
        fold,
        groups=groups,
        response="probability" if classified else "value",
    )
    new = source.fresh(NEW_CASES, rng)
    answers: dict[int, Floats] = {}

    def find_truth(config: int, metric: str) -> float:
        if config not in answers:
            answers[config] = search.of_new(int(configs[config]), source.X[new])
        return true_scores(source.y[new], answers[config], metric).of_folds

    return pi, find_truth


def simulate(cell: Cell, start: int, first: int) -> list[Row]:
    """Return the sums over the block of searches of a cell that begins with a number."""
    sums: dict[tuple[str, str], Row] = {}
    for number in range(start, start + BLOCK):
        pi, find_truth = draw_search(cell, number)
        for metric in cell.metrics:
            for name, method in METHODS.items():
                try:
                    estimate = en.estimate(pi, method=method, metric=metric, rng=number)
                except en.errors.EarnestError:  # no method for this metric or these cases
                    continue
                truth = find_truth(pi.configs.ids.index(str(estimate.winner)), metric)
                row = Row(cell.number, first, metric, name, 1, *judge(estimate, truth))
                key = metric, name
                sums[key] = sums[key].plus(row) if key in sums else row
    return list(sums.values())


def judge(estimate: en.results.Estimate, truth: float) -> tuple[int, float, int, int, float]:
    """Return what a row counts, of one search."""
    sign = 1.0 if resolve_metric(estimate.metric).greater_is_better else -1.0
    bound = estimate.at(confidence_level=LEVEL, side="pessimistic").interval
    both = estimate.at(confidence_level=LEVEL, side="two-sided").interval
    assert bound is not None
    assert both is not None
    slack = sign * (truth - (bound.low if sign > 0 else bound.high))
    beyond = sign * (truth - (both.high if sign > 0 else both.low))
    held = both.low <= truth <= both.high
    return int(slack >= 0), slack, int(held), int(beyond > 0), both.high - both.low


def run(cells: list[Cell], first: int, path: Path, minutes: float, processes: int) -> None:
    """Run block after block, all cells in turn, until the time is over, and sum them by cell."""
    end = monotonic() + 60.0 * minutes
    starts = range(first, first + SEARCHES, BLOCK)
    tasks = iter([(cell, start, first) for start in starts for cell in cells])
    sums: dict[tuple[int, str, str], Row] = {}
    count = 0
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(simulate, *task) for task in islice(tasks, 2 * processes)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                for row in future.result():
                    key = row.cell, row.metric, row.method
                    sums[key] = sums[key].plus(row) if key in sums else row
                count += 1
                if count % OFTEN == 0:
                    write_rows([sums[key] for key in sorted(sums)], path)
                task = next(tasks, None) if monotonic() < end else None
                if task is not None:
                    running.add(pool.submit(simulate, *task))
    write_rows([sums[key] for key in sorted(sums)], path)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=FIRST, help="the seed of the first search")
    parser.add_argument("--minutes", type=float, default=6.0, help="stop after so long")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--cell", type=int, action="append", help="only this one; repeat for more")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    chosen = [cell for cell in read() if options.cell is None or cell.number in options.cell]
    run(chosen, options.first, options.out, options.minutes, options.processes)


if __name__ == "__main__":
    main()
