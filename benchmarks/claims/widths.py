"""Measure the intervals of studies that `plan` sized, beside the width that was planned.

python -m benchmarks.claims.widths [--pilots 8] [--studies 2] [--out widths.csv]

A pilot is drawn, `plan` names the items for an interval half as wide as that of such pilots, and
studies of so many new items are drawn and estimated. A row is a size of the pilot, a number of
configurations and a metric. Pilots have the seeds (SEED, place of the row, number).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import earnest as en
from benchmarks.claims.grid import HERE, SEED
from benchmarks.rows import write_rows

SIZES, CONFIGS = (30, 60, 120), (1, 10, 60)
METRICS = ("accuracy", "roc_auc", "mae")
ALIKE = 0.5  # the correlation of the errors of two configurations
SPREAD = 0.1  # of how far apart classes are, or of the errors, among configurations


@dataclass(frozen=True)
class Width:
    """The mean of achieved over planned widths over pilots, and its standard error."""

    n: int
    configs: int
    metric: str
    pilots: int
    ratio: float
    error: float


def draw(n: int, configs: int, metric: str, rng: np.random.Generator) -> en.Predictions:
    """Return predictions of configurations that differ a little, and make errors together."""
    skill = SPREAD * np.linspace(-1.0, 1.0, configs) if configs > 1 else np.zeros(1)
    shared = rng.standard_normal((n, 1))
    noise = ALIKE**0.5 * shared + (1 - ALIKE) ** 0.5 * rng.standard_normal((n, configs))
    fold = np.arange(n) // 2 % 5
    if metric == "mae":
        y = rng.standard_normal(n)
        guesses = y[:, None] + noise * (1.0 - skill)
        return en.Predictions.from_arrays(y, guesses, fold, task="regression")
    y = np.arange(n) % 2
    scores = (2 * y[:, None] - 1) * (0.8 + skill) + noise
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-2 * scores)), fold)


def typical_width(n: int, configs: int, metric: str) -> float:
    """Return the mean width of the interval of ten pilots."""
    widths = []
    for number in range(10):
        rng = np.random.default_rng([SEED, 99, number])
        interval = en.estimate(draw(n, configs, metric, rng), metric=metric, rng=number).interval
        assert interval is not None
        widths.append(interval.width)
    return float(np.mean(widths))


def measure(n: int, configs: int, metric: str, pilots: int, studies: int, place: int) -> Width:
    """Return how wide studies are beside the plan."""
    goal = float(f"{typical_width(n, configs, metric) / 2:.2g}")
    ratios = []
    for number in range(pilots):
        rng = np.random.default_rng([SEED, place, number])
        pilot = draw(n, configs, metric, rng)
        needed = en.plan(pilot, width=goal, metric=metric, rng=number).n_items
        assert needed is not None
        widths = []
        for study in range(studies):
            drawn = draw(needed, configs, metric, rng)
            interval = en.estimate(drawn, metric=metric, rng=study).interval
            assert interval is not None
            widths.append(interval.width)
        ratios.append(np.mean(widths) / goal)
    error = float(np.std(ratios, ddof=1)) / pilots**0.5
    return Width(n, configs, metric, pilots, float(np.mean(ratios)), error)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "widths.csv")
    parser.add_argument("--pilots", type=int, default=8)
    parser.add_argument("--studies", type=int, default=2)
    asked = parser.parse_args(arguments)
    rows = []
    for place, (n, configs, metric) in enumerate(product(SIZES, CONFIGS, METRICS)):
        rows.append(measure(n, configs, metric, asked.pilots, asked.studies, place))
        print(rows[-1], flush=True)
        write_rows(rows, asked.out)


if __name__ == "__main__":
    main()
