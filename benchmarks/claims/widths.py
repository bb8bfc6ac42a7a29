"""Measure the intervals of studies that `plan` sized, beside the width that was planned.

python -m benchmarks.claims.widths [--processes 2] [--minutes 7] [--pilots 200] [--out widths.csv]

A pilot is drawn, `plan` names the items for an interval half as wide as that of such pilots, and
studies of so many new items are drawn and estimated. A row is a size of the pilot, a number of
configurations, a metric, and how far the models of folds lie apart. Pilots have the seeds (SEED,
place of the row, number); blocks of them are run in random order until the time is over.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.claims.grid import HERE, SEED
from benchmarks.rows import write_rows

SIZES, CONFIGS = (30, 60, 120), (1, 10, 60)
METRICS = ("accuracy", "roc_auc", "mae")
APART = 0.5  # the standard deviation of what the models of folds add, in some cells
CELLS = (
    *((*cell, 0.0) for cell in product(SIZES, CONFIGS, METRICS)),
    *((*cell, APART) for cell in product(SIZES[1:], CONFIGS[1:], METRICS)),
)
PILOTS, BLOCK, STUDIES = 200, 5, 2
ALIKE = 0.5  # the correlation of the errors of two configurations
SPREAD = 0.1  # of how far apart classes are, or of the errors, among configurations


@dataclass(frozen=True)
class Width:
    """The mean of achieved over planned widths over pilots, and its standard error."""

    n: int
    configs: int
    metric: str
    apart: float
    pilots: int
    ratio: float
    error: float


def draw(
    n: int, configs: int, metric: str, rng: np.random.Generator, apart: float = 0.0
) -> en.Predictions:
    """Return predictions of configurations that differ a little, and make errors together."""
    skill = SPREAD * np.linspace(-1.0, 1.0, configs) if configs > 1 else np.zeros(1)
    shared = rng.standard_normal((n, 1))
    noise = ALIKE**0.5 * shared + (1 - ALIKE) ** 0.5 * rng.standard_normal((n, configs))
    fold = np.arange(n) // 2 % 5
    if apart:
        noise = noise + apart * rng.standard_normal((5, configs))[fold]
    if metric == "mae":
        y = rng.standard_normal(n)
        guesses = y[:, None] + noise * (1.0 - skill)
        return en.Predictions.from_arrays(y, guesses, fold, task="regression")
    y = np.arange(n) % 2
    scores = (2 * y[:, None] - 1) * (0.8 + skill) + noise
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-2 * scores)), fold)


@cache
def typical_width(n: int, configs: int, metric: str, apart: float = 0.0) -> float:
    """Return the mean width of the interval of ten pilots."""
    widths = []
    for number in range(10):
        rng = np.random.default_rng([SEED, 99, number])
        pilot = draw(n, configs, metric, rng, apart)
        interval = en.estimate(pilot, metric=metric, rng=number).interval
        assert interval is not None
        widths.append(interval.width)
    return float(np.mean(widths))


def measure(place: int, first: int, pilots: int = BLOCK, studies: int = STUDIES) -> list[float]:
    """Return by pilot how wide studies are beside the plan, in the cell at a place."""
    n, configs, metric, apart = CELLS[place]
    goal = float(f"{typical_width(n, configs, metric, apart) / 2:.2g}")
    ratios = []
    for number in range(first, first + pilots):
        rng = np.random.default_rng([SEED, place, number])
        pilot = draw(n, configs, metric, rng, apart)
        needed = en.plan(pilot, width=goal, metric=metric, rng=number).n_items
        assert needed is not None
        widths = []
        for study in range(studies):
            drawn = draw(needed, configs, metric, rng, apart)
            interval = en.estimate(drawn, metric=metric, rng=study).interval
            assert interval is not None
            widths.append(interval.width)
        ratios.append(float(np.mean(widths)) / goal)
    return ratios


def summarise(place: int, ratios: list[float]) -> Width:
    """Return the row of a cell."""
    error = float(np.std(ratios, ddof=1)) / len(ratios) ** 0.5
    return Width(*CELLS[place], len(ratios), float(np.mean(ratios)), error)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "widths.csv")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--pilots", type=int, default=PILOTS)
    asked = parser.parse_args(arguments)
    ratios: dict[int, list[float]] = defaultdict(list)
    tasks = [
        (place, first) for place in range(len(CELLS)) for first in range(0, asked.pilots, BLOCK)
    ]
    blocks = run_blocks(measure, tasks, processes=asked.processes, minutes=asked.minutes, seed=SEED)
    for (place, _), block in blocks:
        ratios[place] += block
        write_rows([summarise(cell, ratios[cell]) for cell in sorted(ratios)], asked.out)


if __name__ == "__main__":
    main()
