"""Simulate judged prompts, and hold the winner's interval against its true score.

python -m benchmarks.calibration.judged.run [--half closed] [--out FILE] [--runs 200]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import earnest as en
from benchmarks.calibration.judged.grid import HERE, SEED, Cell, read
from benchmarks.rows import write_rows

RESULTS = HERE / "results.csv"
RUNS, BLOCK, RESAMPLES = 200, 25, 300
AGREEMENT = 0.4  # of answers to one item, on a normal scale
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over the runs of a cell.

    Attributes
    ----------
    held, above, below : int
        Intervals of `near_winner` that hold the winner's true score; truths above and below them.
    held_bbc : int
        Intervals of `bbc` that hold it.
    held_judge : int
        Intervals of the judge's scores alone that hold the true score of their winner.
    width, width_labels, width_all : float
        Widths of the intervals of marks, of labels alone, and with labels of all answers.
    error, error_labels : float
        Squared errors of one prompt's mean: of its marks, and of its labels.
    bias : float
        The mean of the marks of one prompt less its truth.
    """

    cell: int
    runs: int
    held: int
    above: int
    below: int
    held_bbc: int
    held_judge: int
    width: float
    width_labels: float
    width_all: float
    error: float
    error_labels: float
    bias: float


def draw(cell: Cell, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the true scores (C,), what people would say (n, C), the judge's scores, and labels."""
    shape = (cell.n, cell.prompts)
    truths = np.clip(cell.centre + cell.spread * rng.standard_normal(cell.prompts), 0.05, 0.97)
    shared = np.sqrt(AGREEMENT) * rng.standard_normal((cell.n, 1))
    right = ndtr(shared + np.sqrt(1.0 - AGREEMENT) * rng.standard_normal(shape)) <= truths
    knows = rng.random(shape) < cell.quality
    judge = np.where(knows, right, rng.random(shape) < 0.7).astype(np.float64)
    count = round(cell.share * cell.n)
    order = rng.random((cell.n, 1 if cell.drawn == "items" else cell.prompts)).argsort(axis=0)
    labelled = np.broadcast_to(order.argsort(axis=0) < count, shape)
    return truths, right.astype(np.float64), judge, np.where(labelled, right, np.nan)


def simulate(cell: Cell, first: int) -> Floats:
    """Return the sums over a block of runs."""
    sums = np.zeros(11)
    for run in range(first, first + BLOCK):
        rng = np.random.default_rng([SEED, cell.number, run])
        truths, right, judge, human = draw(cell, rng)
        marks = en.Scores(judge, human=human)
        how = {"rng": run, "n_resamples": RESAMPLES}
        estimate = en.estimate(marks, method="near_winner", **how)
        truth = truths[marks.configs.ids.index(estimate.winner)]
        low, high = estimate.interval.low, estimate.interval.high
        other = en.estimate(marks, method="bbc", **how).interval
        alone = en.estimate(en.Scores(judge), method="near_winner", **how)
        of_judge = truths[marks.configs.ids.index(alone.winner)]
        labels = np.nanmean(human[:, 0])
        sums += [
            low <= truth <= high,
            truth > high,
            truth < low,
            other.low <= truth <= other.high,
            alone.interval.low <= of_judge <= alone.interval.high,
            high - low,
            _measure_width(en.Scores(human, incomplete="items"), how)
            if cell.drawn == "items"
            else np.nan,
            _measure_width(en.Scores(right), how),
            (marks.values[:, 0, 0].mean() - truths[0]) ** 2,
            (labels - truths[0]) ** 2,
            marks.values[:, 0, 0].mean() - truths[0],
        ]
    return sums


def _measure_width(scores: en.Scores, how: dict[str, int]) -> float:
    interval = en.estimate(scores, method="near_winner", **how).interval
    return float(interval.high - interval.low)


def main() -> None:
    """Run the cells of a half block by block, and write the sums as they grow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="closed", choices=("open", "closed"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--minutes", type=float, default=10.0)
    asked = parser.parse_args()
    cells = [cell for cell in read() if cell.half == asked.half]
    sums = {cell.number: np.zeros(11) for cell in cells}
    ends = time.monotonic() + 60.0 * asked.minutes
    runs = dict.fromkeys(sums, 0)
    for first in range(0, asked.runs, BLOCK):
        for cell in cells:
            if time.monotonic() > ends:
                sys.exit(f"stopped after {asked.minutes:g} minutes")
            sums[cell.number] += simulate(cell, first)
            runs[cell.number] += BLOCK
            rows = [
                Row(number, runs[number], *(int(v) for v in totals[:5]), *totals[5:].tolist())
                for number, totals in sums.items()
                if runs[number]
            ]
            write_rows(rows, asked.out)


if __name__ == "__main__":
    main()
