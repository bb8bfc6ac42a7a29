"""How often the interval of a search's gain holds the true one, where the true one is known.

The truth is the mean true score of the winner that cross-validation chooses, over samples, less
that of the first configuration, or less the mean of all. `python -m benchmarks.calibration.gain`
writes gain.csv, one row a cell.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import earnest as en

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_name("gain.csv")
SAMPLES, RESAMPLES = 400, 200
TRUTHS = ("equal", "dominant", "clustered", "ramp")


@dataclass(frozen=True)
class Cell:
    """One cell of the grid."""

    metric: str
    truth: str
    n: int
    configs: int
    correlation: float
    order: str = "tried"


@dataclass(frozen=True)
class Row:
    """What a cell gave: the true gain, the mean of estimates, and how intervals hold the truth.

    `band` is the share of samples in which the limits of the last corrected score hold the true
    one; `below` and `above` are the shares of intervals that lie on one side of the true gain.
    """

    metric: str
    truth: str
    n: int
    configs: int
    correlation: float
    order: str
    samples: int
    gain: float
    mean: float
    deviation: float
    error: float
    coverage: float
    below: float
    above: float
    drawn: float
    shown: float
    band: float


def grid() -> Iterator[Cell]:
    """Yield the cells."""
    for metric, truth, n, configs, rho in product(
        ("accuracy", "roc_auc"), TRUTHS, (40, 100, 400), (10, 50, 200), (0.0, 0.5)
    ):
        if n * configs <= 20_000:
            yield Cell(metric, truth, n, configs, rho)
    for truth, n, rho in product(TRUTHS, (40, 100), (0.0, 0.5)):
        yield Cell("accuracy", truth, n, 50, rho, "mean")


def true_scores(truth: str, configs: int) -> Floats:
    """Return the true score (C,) of every configuration, the first one among the lower ones."""
    if truth == "equal":
        return np.full(configs, 0.75)
    if truth == "dominant":
        return np.where(np.arange(configs) == configs // 2, 0.85, 0.75)
    if truth == "clustered":
        return np.where(np.arange(configs) % 2 == 1, 0.8, 0.65)
    ramp = np.linspace(0.65, 0.85, configs)
    return np.roll(np.random.default_rng(1).permutation(ramp), 0)


def draw(cell: Cell, truth: Floats, rng: np.random.Generator) -> en.Predictions:
    """Return the predictions of one sample: labels, or scores of two normal laws."""
    n, configs = cell.n, cell.configs
    y = np.arange(n) % 2
    shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, configs))
    noise = np.sqrt(cell.correlation) * shared + np.sqrt(1 - cell.correlation) * own
    if cell.metric == "roc_auc":
        scores = np.sqrt(2.0) * ndtri(truth) * y[:, None] + noise
        return en.Predictions.from_arrays(y, scores, response="decision")
    said = np.where(noise < ndtri(truth), y[:, None], 1 - y[:, None])
    return en.Predictions.from_arrays(y, said, response="label", positive=1)


def simulate(cell: Cell, samples: int = SAMPLES) -> Row:
    """Return what the intervals of a cell do."""
    rng = np.random.default_rng([len(cell.truth), cell.n, cell.configs, len(cell.metric)])
    truth = true_scores(cell.truth, cell.configs)
    found, won = [], []
    for seed in range(samples):
        pi = draw(cell, truth, rng)
        made = en.gain(pi, metric=cell.metric, order=cell.order, n_resamples=RESAMPLES, rng=seed)
        whole = en.score_table(pi, cell.metric, np.ones((1, cell.n), dtype=np.uint8))[0]
        won.append(
            truth[whole >= whole.max() - 1e-12].mean()
            if cell.order == "mean"
            else truth[int(np.argmax(whole >= whole.max() - 1e-12))]
        )
        assert made.interval is not None
        assert made.standard_error is not None
        found.append(
            [
                made.value,
                made.standard_error,
                made.interval.low,
                made.interval.high,
                made.low[-1],
                made.high[-1],
            ]
        )
    table, winner = np.array(found, dtype=float), float(np.mean(won))
    gain = winner - (truth[0] if cell.order == "tried" else truth.mean())
    value, error, low, high, band_low, band_high = table.T
    return Row(
        **asdict(cell),
        samples=samples,
        gain=gain,
        mean=float(value.mean()),
        deviation=float(value.std(ddof=1)),
        error=float(np.sqrt(np.mean(np.square(error)))),
        coverage=float(((low <= gain) & (gain <= high)).mean()),
        below=float((high < gain).mean()),
        above=float((low > gain).mean()),
        drawn=0.0,
        shown=float((low > 0).mean()),
        band=float(((band_low <= winner) & (winner <= band_high)).mean()),
    )


def main() -> None:
    """Run the grid, and write a row a cell as it comes."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([one.name for one in fields(Row)])
        for cell in grid():
            row = simulate(cell, samples)
            words = [f"{one:.4f}" if isinstance(one, float) else one for one in astuple(row)]
            writer.writerow(words)
            file.flush()
            print(*words, flush=True)


if __name__ == "__main__":
    main()
