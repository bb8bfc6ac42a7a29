"""Simulate tries, and hold what `floor` says of the best of them against the truth.

python -m benchmarks.calibration.floor.run [--out FILE] [--processes 16] [--minutes 2]
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.calibration.floor.grid import HERE, SEED, Cell, read
from benchmarks.rows import write_rows

RESULTS = HERE / "results.csv"
RUNS, BLOCK = 2_000, 100
APART = 0.5  # of a standard error of a score: the spread of true scores
AHEAD = 2.0  # of these: how much one is better
SHARE = 0.3  # of positives
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over the runs of a cell.

    Attributes
    ----------
    held, above : int
        Intervals that hold the true score of the winner, and truths above them.
    called : int
        Leads that luck is said not to explain.
    naive, corrected_low, corrected_high : float
        By how much these are too good, at the least and the most agreement that is assumed.
    width : float
        The widths of the intervals.
    luck_low, luck_high, luck : float
        The luck that is named for equal tries, and what the best was too good by.
    """

    cell: int
    runs: int
    held: int
    above: int
    called: int
    naive: float
    corrected_low: float
    corrected_high: float
    width: float
    luck_low: float
    luck_high: float
    luck: float


def draw_truths(cell: Cell, error: float, rng: np.random.Generator) -> Floats:
    """Return how good the tries are, on the scale of their scores."""
    truths = np.full(cell.tries, cell.centre)
    if cell.spread == "normal":
        truths = truths + APART * error * rng.standard_normal(cell.tries)
    elif cell.spread == "one better":
        truths[rng.integers(cell.tries)] += AHEAD * error
    return np.asarray(np.clip(truths, 0.02, 0.98) if cell.law != "mean" else truths)


def draw_scores(cell: Cell, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return truths and scores (k,) of one search."""
    shared = np.sqrt(cell.correlation) * rng.standard_normal((cell.n, 1))
    noise = shared + np.sqrt(1 - cell.correlation) * rng.standard_normal((cell.n, cell.tries))
    if cell.law == "proportion":
        error = np.sqrt(cell.centre * (1 - cell.centre) / cell.n)
        truths = draw_truths(cell, float(error), rng)
        return truths, (noise <= ndtri(truths)).mean(axis=0)
    if cell.law == "auc":
        truths = draw_truths(cell, float(np.sqrt(cell.centre * (1 - cell.centre) / cell.n)), rng)
        y = np.arange(cell.n) < round(SHARE * cell.n)
        said = noise + y[:, None] * np.sqrt(2.0) * ndtri(truths)
        ranks = rankdata(said, axis=0)[y].sum(axis=0)
        m = int(y.sum())
        return truths, (ranks - m * (m + 1) / 2) / (m * (cell.n - m))
    if cell.law == "skewed mean":  # of a law with a tail: -log(1 - u), mean 1, spread 1
        noise = -np.log1p(-np.clip(ndtr(noise), 0, 1 - 1e-12)) - 1.0
    truths = draw_truths(cell, float(1 / np.sqrt(cell.n)), rng)
    return truths, truths + noise.mean(axis=0)


def simulate(cell: Cell, first: int) -> Row:
    """Return the sums over a block of runs."""
    sums = np.zeros(10)
    for run in range(first, first + BLOCK):
        rng = np.random.default_rng([SEED, cell.number, run])
        truths, scores = draw_scores(cell, rng)
        if cell.law == "auc":
            how = {"metric": "roc_auc", "positives": round(SHARE * cell.n)}
        elif cell.law == "proportion":
            how = {"metric": "accuracy"}
        else:
            how = {"metric": "mean", "deviation": 1.0}
        found = en.floor(scores, n=cell.n, **how)
        truth = float(truths[int(np.argmax(scores))])
        interval = found.interval
        sums += [
            interval.low <= truth <= interval.high,
            truth > interval.high,
            not found.by_luck,
            found.best - truth,
            found.corrected[0] - truth,
            found.corrected[1] - truth,
            interval.high - interval.low,
            *found.luck,
            found.best - truth,
        ]
    counts = [int(value) for value in sums[:3]]
    return Row(cell.number, BLOCK, *counts, *(float(value) for value in sums[3:]))


def add_rows(rows: list[Row]) -> Row:
    """Return the sums over blocks of a cell."""
    names = [name for name in Row.__dataclass_fields__ if name != "cell"]
    return Row(rows[0].cell, **{name: sum(getattr(row, name) for row in rows) for name in names})


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--minutes", type=float, default=2.0)
    asked = parser.parse_args(arguments)
    tasks = [(cell, first) for first in range(0, RUNS, BLOCK) for cell in read()]
    blocks: dict[int, list[Row]] = defaultdict(list)
    done = run_blocks(simulate, tasks, processes=asked.processes, minutes=asked.minutes, seed=SEED)
    for number, ((cell, _), row) in enumerate(done):
        blocks[cell.number].append(row)
        if number % 100 == 99:
            write_rows([add_rows(blocks[key]) for key in sorted(blocks)], asked.out)
    write_rows([add_rows(blocks[key]) for key in sorted(blocks)], asked.out)


if __name__ == "__main__":
    main()
