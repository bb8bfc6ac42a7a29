"""Run searches with real learners, and keep what their fold scores say of the winner.

python -m benchmarks.calibration.folds.run [--out FILE] [--processes 16] [--minutes 4]

Each search writes a line per metric, from which `summary.py` reads what every rule would have said.
Blocks of all cells are run in random order until the time is over; what comes out depends on the
numbers of cell and search alone.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.calibration.folds.grid import HERE, SEED, Cell, read
from benchmarks.calibration.real.grid import Cell as Design
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import NAMES, Population
from benchmarks.calibration.real.populations import population as older
from benchmarks.calibration.real.run import draw_folds, true_scores
from benchmarks.calibration.tighter.populations import population as newer
from earnest.kernels.score import fold_repeats, fold_scores

RAW = HERE / "raw.npz"
BLOCK, SEARCHES = 5, 1_000
NEW_CASES = 4_000, 20_000  # that tell the truth: 40 for each case, within these
ALL_CONFIGS = 40
OFTEN = 12.0  # seconds after which the file is written
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """What the fold scores of one search say, as gains: greater is better.

    Attributes
    ----------
    truth : float
        The mean score of the winner's fold models on new cases.
    naive, tibshirani, bbc_fold : float
        The three values.
    q025, q05, q95, q975 : float
        Quantiles of the draws of `bbc_fold`.
    within : float
        The variance of the winner's scores about the mean of their repeat, unbiased.
    between : float
        That of all of them.
    worst, best : float
        The ends of the winner's fold scores.
    folds, defined : int
        The folds of all repeats, and those in which the metric is defined.
    refit : float
        The score of the winner, refitted on all cases, on new ones.
    """

    cell: int
    run: int
    metric: int
    truth: float
    naive: float
    tibshirani: float
    bbc_fold: float
    q025: float
    q05: float
    q95: float
    q975: float
    within: float
    between: float
    worst: float
    best: float
    folds: int
    defined: int
    refit: float


NAMES_OF_COLUMNS = tuple(each.name for each in fields(Row))


def find_population(name: str) -> Population:
    """Return a population of either study."""
    source = older(name) if name in NAMES else newer(name)
    assert source is not None
    return source


def search_once(cell: Cell, run: int) -> list[Row]:
    """Return what one search says by each of its metrics."""
    source = find_population(cell.population)
    rng = np.random.default_rng([SEED, cell.number, run])
    rows = source.draw(cell.n, rng)
    y = source.y[rows]
    design = Design(20_000 + cell.number, cell.population, cell.n, cell.folds, cell.repeats)
    fold = draw_folds(y, None, design, source.is_classified, run)
    search = Search(source.X[rows], y, fold, source.is_classified)
    configs = np.sort(rng.permutation(ALL_CONFIGS)[: cell.configs])
    pi = en.Predictions.from_arrays(
        y.astype(int) if source.is_classified else y,
        search.out_of_sample()[:, configs],
        fold,
        response="probability" if source.is_classified else "value",
    )
    least, most = NEW_CASES
    new = source.fresh(min(max(40 * cell.n, least), most), rng)
    answers: dict[int, Floats] = {}
    result = []
    for place, name in enumerate(cell.metrics):
        metric = en.metric(name)
        table = fold_scores(pi, metric)[:, 0]
        usable = ~np.isnan(table).all(axis=1)
        try:
            corrected = en.estimate(pi, method="bbc_fold", metric=name, rng=run)
            shifted = en.estimate(pi, method="tibshirani", metric=name)
        except en.errors.EarnestError:
            continue
        winner = pi.configs.ids.index(str(corrected.winner))
        if winner not in answers:
            answers[winner] = search.of_new(int(configs[winner]), source.X[new])
        truth = true_scores(source.y[new], answers[winner], name)
        sign, mine = metric.sign, metric.sign * table[usable, winner]
        repeats = fold_repeats(pi)[usable]
        spreads = [np.var(mine[repeats == r], ddof=1) for r in np.unique(repeats)]
        drawn = corrected.draws
        ends = [np.nan] * 4
        if drawn is not None:
            ends = np.nanquantile(sign * drawn, [0.025, 0.05, 0.95, 0.975]).tolist()
        of_folds = truth.of_folds
        if name == "f1":
            of_folds = mean_f1(answers[winner][:-1], source.y[new])
        result.append(
            Row(
                cell.number,
                run,
                place,
                sign * of_folds,
                float(mine.mean()),
                sign * shifted.value,
                sign * corrected.value,
                *ends,
                float(np.mean(spreads)),
                float(np.var(mine, ddof=1)),
                float(mine.min()),
                float(mine.max()),
                len(table),
                int(usable.sum()),
                sign * truth.of_refit,
            )
        )
    return result


def mean_f1(said: Floats, y: Floats) -> float:
    """Return the mean F1 of the fold models, which is what a mean of folds estimates."""
    called = said > 0.5
    hits = (called & (y == 1)).sum(axis=1)
    return float(np.mean(2 * hits / np.maximum(called.sum(axis=1) + y.sum(), 1)))


def simulate(cell: Cell, first: int) -> list[Row]:
    """Return a block of searches of a cell."""
    return [row for run in range(first, first + BLOCK) for row in search_once(cell, run)]


def save(rows: list[Row], path: Path) -> None:
    """Write all rows as one table of 32-bit floats."""
    table = np.array([[getattr(row, name) for name in NAMES_OF_COLUMNS] for row in rows])
    np.savez_compressed(path, table=table.astype(np.float32), columns=np.array(NAMES_OF_COLUMNS))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RAW)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first search")
    parser.add_argument("--seed", type=int, default=SEED, help="of the order of the blocks")
    asked = parser.parse_args(arguments)
    tasks = [
        (cell, first)
        for first in range(asked.first, asked.first + SEARCHES, BLOCK)
        for cell in read()
    ]
    rows: list[Row] = []
    written = monotonic()
    blocks = run_blocks(
        simulate, tasks, processes=asked.processes, minutes=asked.minutes, seed=asked.seed
    )
    for _, block in blocks:
        rows += block
        if monotonic() - written > OFTEN:
            save(rows, asked.out)
            written = monotonic()
    save(rows, asked.out)


if __name__ == "__main__":
    main()
