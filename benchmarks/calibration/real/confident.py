"""Which intervals for log loss fail? Those of winners whose probabilities are confident.

python -m benchmarks.calibration.real.confident

The spread of a winner is the standard deviation of its log odds for what happened, over cases.
Winners are counted by it: those below `CONFIDENT`, at which the caution on the log loss begins, and
those above. That number was chosen on replications 1000 to 1079 of some of these cells and of
others; the replications here were not looked at. Each line of `results_confident.csv` is a cell and
one of the two kinds.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import earnest as en
from benchmarks.calibration.real.grid import HERE, Cell, read
from benchmarks.calibration.real.populations import Population, population
from benchmarks.calibration.real.run import METHODS, Judged, Sample, judge
from benchmarks.rows import write_rows
from earnest.inference.remarks import CONFIDENT, spread_of_log_odds

RESULTS = HERE / "results_confident.csv"
RUNS = 40
FIRST = 20_000  # the seeds are none of the study's
POPULATIONS = ("clouds", "rings", "sparse", "digits", "minority")


@dataclass(frozen=True)
class Row:
    """The winners of one kind in the searches of a cell.

    `held` counts one-sided 95 % bounds of `bbc` that hold, `two` two-sided intervals.
    """

    cell: int
    population: str
    n: int
    folds: int
    confident: int
    searches: int
    held: int
    two: int


def judge_winners(cell: Cell, source: Population, runs: int = RUNS) -> list[Row]:
    """Return what the bounds of winners did, of those that are not confident and those that are."""
    found: dict[bool, list[Judged]] = defaultdict(list)
    for number in range(FIRST, FIRST + runs):
        sample = Sample(cell, source, number)
        pi = sample.predictions
        made = en.estimate(pi, method=METHODS["bbc"], metric="log_loss", rng=number)
        spread = spread_of_log_odds(pi, pi.configs.ids.index(str(made.winner)))
        found[spread > CONFIDENT].append(judge(sample, made, 0.0))
    return [
        Row(
            cell.number,
            cell.population,
            cell.n,
            cell.folds,
            int(kind),
            len(found[kind]),
            sum(one.held for one in found[kind]),
            sum(one.two for one in found[kind]),
        )
        for kind in (False, True)
        if found[kind]
    ]


def declared() -> list[Cell]:
    """Return the cells without repeats of populations that need no folder."""
    return [
        cell
        for cell in read()
        if cell.population.removeprefix("shuffled ") in POPULATIONS and cell.repeats == 1
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    rows: list[Row] = []
    for cell in declared():
        source = population(cell.population)
        assert source is not None
        rows += judge_winners(cell, source, asked.runs)
        print(f"{cell.population}, n={cell.n}: done", flush=True)
        write_rows(rows, asked.out)


if __name__ == "__main__":
    main()
