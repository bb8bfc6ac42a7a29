"""Does the limit of one configuration hold that was fixed beforehand? Cross-validated, no choice.

python -m benchmarks.calibration.real.fixed

Every one of the forty configurations is held against the truth of its own fold models, so that no
luck of being chosen is in it. Where limits for independent cases fail here, a cross-validated score
is no share of independent trials. Each line of `results_fixed.csv` is a cell and a metric.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.calibration.real.grid import HERE, Cell, read
from benchmarks.calibration.real.populations import SHUFFLED, Population, population
from benchmarks.calibration.real.run import LEVEL, Sample
from benchmarks.rows import write_rows
from earnest.core.data.weights import Weights
from earnest.core.results.interval import AreaLimits, ShareLimits, binormal_variance
from earnest.core.results.specs import Side
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric

FIXED = HERE / "results_fixed.csv"
RUNS = 60
POPULATIONS = ("clouds", "rings", "sparse", "digits")
DESIGN = 100, 5, 1  # cases, folds, repeats
METRICS = ("accuracy", "roc_auc")


@dataclass(frozen=True)
class Row:
    """The scores of configurations fixed beforehand, over all of them and all samples.

    Attributes
    ----------
    independent, crossed : float
        The shares of one-sided 95 % bounds that hold: as if cases were independent, and with the
        term of cases that trained each other's models.
    spread : float
        The root mean square of score - truth, in standard errors of independent cases.
    bias : float
        The mean of score - truth.
    """

    cell: int
    metric: str
    replications: int
    independent: float
    crossed: float
    spread: float
    bias: float


def judge_fixed(cell: Cell, source: Population, metric: str, runs: int = RUNS) -> Row:
    """Return how the score of fixed configurations varies about its truth, and what limits do."""
    held, errors, biases = [], [], []
    for number in range(runs):
        sample = Sample(cell, source, 10_000 + number)
        pi = sample.predictions
        scores = score_table(pi, resolve_metric(metric), Weights.ones(cell.n))[0]
        truth = np.array([sample.truth(c, metric).of_folds for c in range(pi.n_configs)])
        counts = np.bincount(pi.target.y)
        for score, true in zip(scores.tolist(), truth.tolist(), strict=True):
            alone = (
                ShareLimits(score, cell.n, exact=True)
                if metric == "accuracy"
                else AreaLimits(score, float(counts[1]), float(counts[0]))
            )
            laws = alone, replace(alone, crossed=float(cell.n))
            held.append([law.limits(LEVEL, Side.LOWER)[0] <= true for law in laws])
        variance = (
            truth * (1 - truth) / cell.n
            if metric == "accuracy"
            else binormal_variance(np.clip(truth, 1e-6, 1 - 1e-6), *counts[::-1].tolist())
        )
        biases.append(scores - truth)
        errors.append(biases[-1] / np.sqrt(variance))
    independent, crossed = np.mean(held, axis=0).tolist()
    spread = float(np.sqrt(np.mean(np.square(errors))))
    return Row(cell.number, metric, runs, independent, crossed, spread, float(np.mean(biases)))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=FIXED)
    asked = parser.parse_args(arguments)
    rows = []
    for cell in read():
        design = cell.n, cell.folds, cell.repeats
        if design == DESIGN and cell.population.removeprefix(SHUFFLED) in POPULATIONS:
            source = population(cell.population)
            assert source is not None
            rows += [judge_fixed(cell, source, metric, asked.runs) for metric in METRICS]
            write_rows(rows, asked.out)


if __name__ == "__main__":
    main()
