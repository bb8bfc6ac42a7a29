"""How often the interval of a search's gain holds the true one, where the true one is known.

The truth is the mean true score of the winner that cross-validation chooses, over samples, less
that of the first configuration, or in the mean over orders less the mean of all. The band of a
curve is held to the mean true score of the winner of each prefix by `simulate_band`.
`python -m benchmarks.calibration.gain [SAMPLES]` writes gain.csv, one row per cell, and goes on
where it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import earnest as en
from benchmarks.calibration.grid import write_rows
from earnest.core.base.rng import Seeds
from earnest.core.results.interval import Ask
from earnest.inference.curves.corrected import ResampledSelection
from earnest.inference.curves.gain import gain_of
from earnest.inference.curves.prefixes import Order

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_name("gain.csv")
SAMPLES, RESAMPLES = 150, 200
TRUTHS = ("equal", "dominant", "clustered", "ramp")
SIZES = ((40, 10, 0.0), (40, 200, 0.5), (100, 50, 0.5))
TIE = 1e-12


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: how many cases and configurations, and how these are correlated."""

    metric: str
    truth: str
    n: int
    configs: int
    correlation: float
    order: str = "tried"


@dataclass(frozen=True)
class Row:
    """What a cell gave: the true gain, what was estimated, and how intervals hold the truth.

    `below` and `above` are the shares of intervals on one side of the true gain, `normal` is the
    coverage of plus and minus 1.96 errors, `shown` the share of samples with a gain shown.
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
    width: float
    coverage: float
    below: float
    above: float
    normal: float
    shown: float


def grid() -> Iterator[Cell]:
    """Yield the cells."""
    for (n, configs, rho), metric, truth in product(SIZES, ("accuracy", "roc_auc"), TRUTHS):
        yield Cell(metric, truth, n, configs, rho)
    for metric, truths in (("accuracy", TRUTHS), ("roc_auc", TRUTHS[:2])):  # these take minutes
        for truth in truths:
            yield Cell(metric, truth, 400, 50, 0.0)
    for truth in TRUTHS:
        yield Cell("accuracy", truth, 100, 50, 0.0, "mean")


def true_scores(truth: str, configs: int) -> Floats:
    """Return the true score (C,) of every configuration, the first one among the lower ones."""
    if truth == "equal":
        return np.full(configs, 0.75)
    if truth == "dominant":
        return np.where(np.arange(configs) == configs // 2, 0.85, 0.75)
    if truth == "clustered":
        return np.where(np.arange(configs) % 2 == 1, 0.8, 0.65)
    return np.asarray(np.random.default_rng(1).permutation(np.linspace(0.65, 0.85, configs)))


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


def simulate(cell: Cell, samples: int = SAMPLES, resamples: int = RESAMPLES) -> Row:
    """Return what the intervals of a cell do."""
    rng = np.random.default_rng([len(cell.truth), cell.n, cell.configs, len(cell.metric)])
    truth, order = true_scores(cell.truth, cell.configs), Order(cell.order)
    metric = en.metric(cell.metric)
    found, won = [], []
    for seed in range(samples):
        pi = draw(cell, truth, rng)
        selection = ResampledSelection(Seeds(seed), n_resamples=resamples)
        own = metric.on(pi.target.task)
        made = gain_of(pi, own, selection, order=order, ask=Ask(), marks=[])
        whole = en.kernels.score_table(pi, own, np.ones((1, cell.n), dtype=np.uint8))[0]
        best = np.flatnonzero(whole >= whole.max() - TIE)
        won.append(truth[best[0]] if order is Order.TRIED else truth[best].mean())
        assert made.interval is not None
        assert made.standard_error is not None
        found.append([made.value, made.standard_error, made.interval.low, made.interval.high])
    value, error, low, high = np.array(found).T
    start = truth[0] if order is Order.TRIED else truth.mean()
    gain = float(np.mean(won) - start)
    return Row(
        **asdict(cell),
        samples=samples,
        gain=gain,
        mean=float(value.mean()),
        deviation=float(value.std(ddof=1)),
        error=float(np.sqrt(np.mean(np.square(error)))),
        width=float((high - low).mean()),
        coverage=float(((low <= gain) & (gain <= high)).mean()),
        below=float((high < gain).mean()),
        above=float((low > gain).mean()),
        normal=float((np.abs(value - gain) <= 1.96 * error).mean()),
        shown=float((low > 0).mean()),
    )


@dataclass(frozen=True)
class BandRow:
    """How the band of a cell holds at one prefix: the truth there, and the shares of samples."""

    configs: int
    truth: float
    coverage: float
    below: float
    above: float
    width: float


def simulate_band(
    cell: Cell, marks: tuple[int, ...], samples: int = SAMPLES, resamples: int = RESAMPLES
) -> list[BandRow]:
    """Return how often the limits at each prefix hold the mean true score of its winner.

    In the mean over orders the winner of a prefix is that of a random one, drawn for the truth.
    """
    rng = np.random.default_rng([2, len(cell.truth), cell.n, cell.configs, len(cell.metric)])
    truth, order = true_scores(cell.truth, cell.configs), Order(cell.order)
    metric = en.metric(cell.metric)
    ends, won = [], []
    for seed in range(samples):
        pi = draw(cell, truth, rng)
        own = metric.on(pi.target.task)
        selection = ResampledSelection(Seeds(seed), n_resamples=resamples)
        made = gain_of(pi, own, selection, order=order, ask=Ask(), marks=marks)
        assert made.marks == marks
        ends.append([made.low, made.high])
        whole = en.kernels.score_table(pi, own, np.ones((1, cell.n), dtype=np.uint8))[0]
        taken = rng.permutation(cell.configs) if order is Order.MEAN else np.arange(cell.configs)
        won.append([truth[taken[int(np.argmax(whole[taken[:k]]))]] for k in marks])
    low, high = np.array(ends, dtype=np.float64).transpose(1, 0, 2)  # (samples, marks) each
    goal = np.mean(won, axis=0)
    return [
        BandRow(
            configs=k,
            truth=float(goal[i]),
            coverage=float(((low[:, i] <= goal[i]) & (goal[i] <= high[:, i])).mean()),
            below=float((high[:, i] < goal[i]).mean()),
            above=float((low[:, i] > goal[i]).mean()),
            width=float((high[:, i] - low[:, i]).mean()),
        )
        for i, k in enumerate(marks)
    ]


def main() -> None:
    """Run the grid, and write one row per cell as it comes; rows that are there already stay."""
    write_rows(RESULTS, Row, grid(), simulate, SAMPLES)


if __name__ == "__main__":
    main()
