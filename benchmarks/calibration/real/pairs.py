"""How often do tests find a difference where there is none? Real learners, outcomes of no use.

python -m benchmarks.calibration.real.pairs

Pairs of configurations that were fixed beforehand are compared on cross-validated predictions of
shuffled outcomes. All have the same truth, so a test at 5 % should reject in 5 %. Each line of
`results_pairs.csv` is a population and a test.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import earnest as en
from benchmarks.calibration.real.grid import HERE, Cell, read
from benchmarks.calibration.real.populations import SHUFFLED, Population, population
from benchmarks.calibration.real.run import Sample
from benchmarks.rows import write_rows

PAIRS = HERE / "results_pairs.csv"
RUNS = 200
LEVEL = 0.05
POPULATIONS = ("clouds", "rings", "sparse")
DESIGN = 100, 5, 1  # cases, folds, repeats
CONFIGS = (2, 14, 22, 26, 30, 38)  # of linear, wave, neighbour, tree, logistic and Bayes models
TESTS = (
    ("bayle", "accuracy"),
    ("mcnemar", "accuracy"),
    ("corrected_t", "accuracy"),
    ("bayle", "roc_auc"),
    ("delong", "roc_auc"),
    ("corrected_t", "roc_auc"),
)


@dataclass(frozen=True)
class Row:
    """What a test did for all pairs on all samples: how often it was asked and rejected."""

    cell: int
    test: str
    metric: str
    replications: int
    asked: int
    rejected: int


def count_rejections(cell: Cell, source: Population, runs: int = RUNS) -> list[Row]:
    """Return how often the tests reject that two configurations are equally good."""
    asked: dict[tuple[str, str], int] = defaultdict(int)
    rejected: dict[tuple[str, str], int] = defaultdict(int)
    for number in range(runs):
        pi = Sample(cell, source, 20_000 + number).predictions
        for a, b in combinations(CONFIGS, 2):
            for test, metric in TESTS:
                made = en.compare(pi.select([a, b]), 0, 1, test=test, metric=metric, rng=number)
                asked[test, metric] += 1
                rejected[test, metric] += made.p_value is not None and made.p_value < LEVEL
    return [Row(cell.number, *key, runs, asked[key], rejected[key]) for key in TESTS]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=PAIRS)
    asked = parser.parse_args(arguments)
    rows: list[Row] = []
    for cell in read():
        design = cell.n, cell.folds, cell.repeats
        name = cell.population.removeprefix(SHUFFLED)
        if design == DESIGN and cell.population != name and name in POPULATIONS:
            source = population(cell.population)
            assert source is not None
            rows += count_rejections(cell, source, asked.runs)
            write_rows(rows, asked.out)


if __name__ == "__main__":
    main()
