"""Does the limit of one configuration hold that was fixed beforehand? Cross-validated, no choice.

python -m benchmarks.calibration.real.fixed

Every one of the forty configurations is held against the truth of its own fold models. What the
intervals of winners add to their luck in being chosen is not in it: where the exact limits of a
share fail here, a cross-validated score is no share of independent trials. Each line of
`results_fixed.csv` is a cell.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtri

from benchmarks.calibration.real.grid import HERE, Cell, read
from benchmarks.calibration.real.populations import Population, population
from benchmarks.calibration.real.run import LEVEL, Sample

FIXED = HERE / "results_fixed.csv"
RUNS = 40
POPULATIONS = ("clouds", "rings", "sparse", "digits")
DESIGN = 100, 5, 1  # cases, folds, repeats


@dataclass(frozen=True)
class Row:
    """The accuracy of configurations fixed beforehand, over all of them and all samples.

    Attributes
    ----------
    held : float
        The share of exact one-sided 95 % bounds (Clopper and Pearson's) that hold.
    spread : float
        The root mean square of score - truth, in standard errors of a share of n trials.
    bias : float
        The mean of score - truth.
    far : float
        How often the score exceeds the truth by more than 3 such errors, for 1.35 in 1000.
    """

    cell: int
    replications: int
    held: float
    spread: float
    bias: float
    far: float


def judge_fixed(cell: Cell, source: Population, runs: int = RUNS) -> Row:
    """Return how the accuracy of fixed configurations varies about its truth."""
    held, errors, biases = [], [], []
    for number in range(runs):
        sample = Sample(cell, source, 10_000 + number)
        pi = sample.predictions
        said = pi.responses[:, :, 0]  # (n, C)
        right = ((said > 0.5) == (pi.target.y == 1)[:, None]).sum(axis=0)
        truth = np.array(
            [sample.truth(config, "accuracy").of_folds for config in range(pi.n_configs)]
        )
        low = exact_low(right, cell.n)
        held.append(low <= truth)
        biases.append(right / cell.n - truth)
        errors.append(biases[-1] / np.sqrt(truth * (1 - truth) / cell.n))
    every = np.array(errors)
    return Row(
        cell.number,
        runs,
        round(float(np.mean(held)), 4),
        round(float(np.sqrt(np.mean(np.square(every)))), 4),
        round(float(np.mean(biases)), 4),
        round(float(np.mean(every > 3)), 5),
    )


def exact_low(right: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return Clopper and Pearson's lower bounds of shares."""
    inside = np.maximum(right, 1)
    return np.where(right > 0, bdtri(inside - 1, n, LEVEL), 0.0)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=FIXED)
    asked = parser.parse_args(arguments)
    with asked.out.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        table.writeheader()
        for cell in read():
            design = cell.n, cell.folds, cell.repeats
            if design != DESIGN or cell.population not in POPULATIONS:
                continue
            source = population(cell.population)
            assert source is not None
            table.writerow(asdict(judge_fixed(cell, source, asked.runs)))
            file.flush()


if __name__ == "__main__":
    main()
