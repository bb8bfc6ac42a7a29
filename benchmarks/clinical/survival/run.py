"""How often intervals of survival metrics hold, in real searches with few events.

`python -m benchmarks.clinical.survival.run OUT SECONDS [--closed] [--processes 16]`

One search of a cell: six ridges of Cox's model in five folds, the winner by concordance. A metric
is about the time by which two in five had their event, or about all times up to then. Its truth is
that of the winner's five fold models on uncensored new cases, all five together. A row is written
for each metric: whether the 95 % interval holds it, and on which side it lies if not, or that the
metric is undefined for the winner.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from functools import cache
from itertools import count
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

import earnest as en
from benchmarks.clinical.survival.grid import CELLS
from earnest.errors import EarnestError
from earnest.kernels import score_table
from earnest.training import CoxRegressor

Array = NDArray[np.float64]
METRICS = (
    *("uno_c(tau={})", "survival_auc(at={})", "survival_brier(at={})"),
    *("integrated_brier(until={})", "rmst_error(until={})", "d_calibration(until={})"),
    *("survival_ici(at={})", "survival_ratio(at={})", "survival_slope(at={})"),
)
PENALTIES = tuple(10.0**k for k in np.linspace(-3, 0.5, 6))
FEATURES, FOLDS, NEW, NEW_PAIRS, RESAMPLES, STEPS = 10, 5, 8_000, 1_000, 200, 20
HEAD = ("cell", "rep", "metric", "value", "naive", "low", "high", "truth", "side")


def draw_lives(
    rng: np.random.Generator, n: int, signal: float, shape: float
) -> tuple[Array, Array]:
    """Return features and uncensored lives."""
    X = rng.standard_normal((n, FEATURES))
    slopes = np.zeros(FEATURES)
    slopes[: FEATURES // 2] = signal / np.sqrt(FEATURES // 2)
    return X, (rng.exponential(size=n) * np.exp(-(X @ slopes))) ** (1.0 / shape)


@cache
def find_rate(signal: float, shape: float, censored: float) -> float:
    """Return the rate of censoring by which a share is censored, of 200,000 cases drawn once."""
    rng = np.random.default_rng(11)
    _, lives = draw_lives(rng, 200_000, signal, shape)
    ends = rng.exponential(size=len(lives))
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if (ends * np.exp(-middle) < lives).mean() < censored else (low, middle)
        )
    return float(np.exp(low))


@cache
def find_time(signal: float, shape: float) -> float:
    """Return the time by which two in five had their event, of 200,000 cases drawn once."""
    _, lives = draw_lives(np.random.default_rng(12), 200_000, signal, shape)
    return float(f"{np.quantile(lives, 0.4):.3g}")


def run_search(job: tuple[dict[str, str], int]) -> list[tuple[object, ...]]:
    """Return the rows of one search."""
    cell, rep = job
    signal, shape, censored = (float(cell[key]) for key in ("signal", "shape", "censored"))
    rng = np.random.default_rng([365, int(cell["cell"]), rep])
    n = round(int(cell["events"]) / (1.0 - censored))
    rate = find_rate(signal, shape, censored)
    at = find_time(signal, shape)
    while True:
        X, lives = draw_lives(rng, n, signal, shape)
        ends = rng.exponential(1.0 / rate, n)
        event, last = lives <= ends, np.minimum(lives, ends)
        if (
            min(event.sum(), n - event.sum()) >= FOLDS
            and (last > at).sum() >= FOLDS
            and (event & (last <= at)).any()
        ):
            break
    times = at * np.arange(1, STEPS + 1) / STEPS
    times[-1] = at
    new, truth = draw_lives(rng, NEW, signal, shape)
    answers = np.empty((n, len(PENALTIES), 1, 1 + STEPS))
    ahead = np.empty((FOLDS, NEW, len(PENALTIES), 1, 1 + STEPS))
    fold = np.empty(n, dtype=int)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=rep)
    for k, (train, test) in enumerate(splits.split(X, event)):
        fold[test] = k
        for c, penalty in enumerate(PENALTIES):
            model = CoxRegressor(penalizer=penalty).fit(X[train], (event[train], last[train]))
            ahead[k, :, c, 0, 0] = model.predict(new)
            ahead[k, :, c, 0, 1:] = model.predict_survival(new, times)
            answers[test, c, 0, 0] = model.predict(X[test])
            answers[test, c, 0, 1:] = model.predict_survival(X[test], times)
    pi = make_predictions((last, event), answers, times, fold)
    names = [name.format(at) for name in METRICS]
    rows: list[tuple[object, ...]] = []
    for metric in names:
        try:
            estimate = en.estimate(
                pi, metric=metric, method="bbc", select_by="concordance",
                n_resamples=RESAMPLES, rng=rep,
            )  # fmt: skip
        except EarnestError as error:
            rows.append((cell["cell"], rep, metric.split("(")[0], *[""] * 5, type(error).__name__))
            continue
        some = NEW_PAIRS if metric.startswith("uno") else NEW
        seen = np.ones(some * FOLDS, dtype=bool)
        winner = pi.configs.index(estimate.winner or 0)
        stacked = make_predictions(
            (np.tile(truth[:some], FOLDS), seen),
            ahead[:, :some, [winner]].reshape(some * FOLDS, 1, 1, 1 + STEPS),
            times,
        )
        value = float(score_table(stacked, metric, np.ones((1, some * FOLDS), np.uint8))[0, 0])
        assert estimate.interval is not None
        low, high = estimate.interval.low, estimate.interval.high
        side = "low" if value < low else "high" if value > high else "held"
        numbers = (estimate.value, estimate.naive, low, high, value)
        rows.append((cell["cell"], rep, metric.split("(")[0], *(f"{x:.5g}" for x in numbers), side))
    return rows


def make_predictions(
    outcome: tuple[Array, NDArray[np.bool_]],
    answers: Array,
    times: Array,
    fold: NDArray[np.int64] | None = None,
) -> en.Predictions:
    """Return predictions of risks with survival at times behind them."""
    pi = en.Predictions.from_arrays(outcome, answers[..., 1:], fold, times=times)
    whole = pi.responses.copy()
    whole[..., 0] = answers[..., 0]
    return en.Predictions(
        target=pi.target, configs=pi.configs, responses=whole, folds=pi.folds,
        fold_names=pi.fold_names, kind=pi.kind,
    )  # fmt: skip


def list_jobs(closed: bool) -> Iterator[tuple[dict[str, str], int]]:
    """Yield one search of every cell, then the next of every cell."""
    with CELLS.open() as file:
        cells = [cell for cell in csv.DictReader(file) if cell["closed"] == str(int(closed))]
    for rep in count():
        yield from ((cell, rep) for cell in cells)


def main() -> None:
    """Run until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--closed", action="store_true")
    parser.add_argument("--processes", type=int, default=16)
    asked = parser.parse_args()
    end = time.monotonic() + asked.seconds
    with Pool(asked.processes) as pool, asked.out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        waiting = []
        jobs = list_jobs(asked.closed)
        while time.monotonic() < end:
            while len(waiting) < 2 * asked.processes:
                waiting.append(pool.apply_async(run_search, (next(jobs),)))
            ready = [task for task in waiting if task.ready()]
            for task in ready:
                writer.writerows(task.get())
                waiting.remove(task)
            file.flush()
            time.sleep(0.02)
        pool.terminate()


if __name__ == "__main__":
    main()
