"""Run the blind test of the tighter limits of `bbc` and `near_winner`.

python -m benchmarks.calibration.tighter.run [--processes 2] [--minutes 7] [--out FILE]

Blocks of searches are run cell after cell in turn until the time is over; what comes out depends on
the numbers of cell and search alone. Each line of the file is a block of a cell, for one metric.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.calibration.real.grid import Cell as Design
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import IN_A_GROUP
from benchmarks.calibration.real.run import draw_folds, true_scores
from benchmarks.calibration.tighter.grid import HERE, METRICS, Cell, read
from benchmarks.calibration.tighter.populations import SEED, population

RESULTS = HERE / "results.csv"
SEARCHES, BLOCK, RESAMPLES, LEVEL = 1_000, 10, 500, 0.95
FIRST = 1_000  # the seed of the first search; smaller ones tried the script
NEW_CASES = 5_000
NARROW, WIDE = 40, 100  # configurations of a search, of which a cell draws its own
METHODS: dict[str, en.Method] = {
    "bbc": en.methods.BBC(n_resamples=RESAMPLES, limits="drawn"),
    "near_winner": en.methods.NearWinner(n_resamples=RESAMPLES),
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over a block of searches of a cell, for one metric.

    For each method, and for the tighter of both: lower 95 % bounds that hold and the distances from
    the truth to them, two-sided 95 % intervals that hold, truths above their upper end, and their
    widths.
    """

    cell: int
    first: int
    metric: str
    searches: int
    bbc_held: int
    bbc_slack: float
    bbc_two: int
    bbc_above: int
    bbc_width: float
    near_winner_held: int
    near_winner_slack: float
    near_winner_two: int
    near_winner_above: int
    near_winner_width: float
    tighter_held: int
    tighter_slack: float
    tighter_two: int
    tighter_above: int
    tighter_width: float


def replicate(cell: Cell, number: int) -> dict[str, Floats]:
    """Return (bbc, near_winner, tighter) x (held, slack, two, above, width) by metric."""
    source, wide = population(cell.population), cell.configs > NARROW
    rng = np.random.default_rng([SEED, cell.number, number])
    rows = source.draw(cell.n, rng)
    groups = np.arange(cell.n) // IN_A_GROUP if source.grouped else None
    y = source.y[rows]
    design = Design(cell.number, cell.population, cell.n, cell.folds, cell.repeats)
    fold = draw_folds(y, groups, design, True, number)
    search = Search(source.X[rows], y, fold, True, wide=wide)
    configs = np.sort(rng.permutation(WIDE if wide else NARROW)[: cell.configs])
    pi = en.Predictions.from_arrays(
        y.astype(int),
        search.out_of_sample()[:, configs],
        fold,
        groups=groups,
        response="probability",
    )
    new = source.fresh(NEW_CASES, rng)
    answers: dict[int, Floats] = {}

    def find_truth(config: int, metric: str) -> float:
        if config not in answers:
            answers[config] = search.of_new(int(configs[config]), source.X[new])
        return true_scores(source.y[new], answers[config], metric).of_folds

    return {metric: _judge(metric, pi, find_truth, number) for metric in METRICS}


def _judge(
    metric: str, pi: en.Predictions, find_truth: Callable[[int, str], float], number: int
) -> Floats:
    ends, truth = [], 0.0
    for method in METHODS.values():
        made = en.estimate(pi, method=method, metric=metric, rng=number)
        truth = find_truth(pi.configs.ids.index(str(made.winner)), metric)
        bound = made.at(confidence_level=LEVEL, side="lower").interval
        both = made.at(confidence_level=LEVEL, side="two-sided").interval
        assert bound is not None
        assert both is not None
        ends.append((bound.low, both.low, both.high))
    lower, low, high = np.array(ends).T
    ends.append((float(lower.max()), float(low.max()), float(high.min())))
    return np.array(
        [
            (lower <= truth, truth - lower, low <= truth <= high, truth > high, high - low)
            for lower, low, high in ends
        ],
        dtype=np.float64,
    )


def simulate(cell: Cell, first: int) -> list[Row]:
    """Return the block of searches of a cell that begins with a number."""
    every = [replicate(cell, number) for number in range(first, first + BLOCK)]
    rows = []
    for metric in METRICS:
        sums = np.sum([found[metric] for found in every], axis=0)
        numbers = [
            int(v) if i % 5 in (0, 2, 3) else round(float(v), 6) for i, v in enumerate(sums.ravel())
        ]
        rows.append(Row(cell.number, first, metric, BLOCK, *numbers))
    return rows


def run(cells: list[Cell], searches: int, path: Path, minutes: float, processes: int) -> None:
    """Run block after block, all cells in turn, until the time is over."""
    end = monotonic() + 60.0 * minutes
    numbers = range(FIRST, FIRST + searches, BLOCK)
    work = [(cell, first) for first in numbers for cell in cells]
    with (
        path.open("w", encoding="utf-8", newline="") as file,
        ProcessPoolExecutor(processes) as pool,
    ):
        table = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        table.writeheader()
        tasks = iter(work)
        running = {pool.submit(simulate, *task) for task in islice(tasks, 2 * processes)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                table.writerows(asdict(row) for row in future.result())
                file.flush()
                task = next(tasks, None) if monotonic() < end else None
                if task is not None:
                    running.add(pool.submit(simulate, *task))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=SEARCHES)
    parser.add_argument("--minutes", type=float, default=7.0, help="stop after so long")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--cell", type=int, action="append", help="only this one; repeat for more")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    chosen = [cell for cell in read() if asked.cell is None or cell.number in asked.cell]
    run(chosen, asked.searches, asked.out, asked.minutes, asked.processes)


if __name__ == "__main__":
    main()
