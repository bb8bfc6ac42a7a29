"""How often intervals of calibration hold, in real searches with few events.

`python -m benchmarks.clinical.run OUT SECONDS [--closed] [--processes 16]`

One search of a cell: eight logistic regressions in five folds, the winner by log loss. The truth of
a metric is that of the winner's five fold models on 20,000 new cases, all five together. A row is
written for each metric: whether the 95 % interval holds it, and on which side it lies if not, or
that the metric is undefined for the winner.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from itertools import count
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import earnest as en
from benchmarks.clinical.grid import CELLS
from earnest.errors import EvidenceError
from earnest.kernels import score_table

Array = NDArray[np.float64]
METRICS = (
    *("calibration_intercept", "calibration_slope", "expected_observed"),
    *("ici", "ece", "brier_skill"),
)
CURVES = ("net_benefit", "standardized_net_benefit", "sensitivity")
STRENGTHS = tuple(10.0**k for k in np.linspace(-3, 1, 8))
FEATURES, FOLDS, NEW, RESAMPLES = 10, 5, 20_000, 200
ROUNDING = 1e-6  # less than one of the new cases
HEAD = ("cell", "rep", "metric", "value", "naive", "low", "high", "truth", "side")


def draw(
    rng: np.random.Generator, n: int, prevalence: float, signal: float
) -> tuple[Array, NDArray[np.int64]]:
    """Return features and outcomes; the intercept is that of a normal approximation."""
    X = rng.standard_normal((n, FEATURES))
    slopes = np.zeros(FEATURES)
    slopes[: FEATURES // 2] = signal / np.sqrt(FEATURES // 2)
    level = np.log(prevalence / (1 - prevalence)) * np.sqrt(1 + 0.35 * signal**2)
    y = rng.random(n) < 1 / (1 + np.exp(-(level + X @ slopes)))
    return X, y.astype(np.int64)


def run_search(job: tuple[dict[str, str], int]) -> list[tuple[object, ...]]:
    """Return the rows of one search."""
    cell, rep = job
    events, prevalence = int(cell["events"]), float(cell["prevalence"])
    rng = np.random.default_rng([46, int(cell["cell"]), rep])
    n = round(events / prevalence)
    while True:
        X, y = draw(rng, n, prevalence, float(cell["signal"]))
        if FOLDS <= y.sum() <= n - FOLDS:
            break
    new, outcome = draw(rng, NEW, prevalence, float(cell["signal"]))
    p, ahead = np.empty((n, len(STRENGTHS))), np.empty((FOLDS, NEW, len(STRENGTHS)))
    fold = np.empty(n, dtype=int)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=rep)
    for k, (train, test) in enumerate(splits.split(X, y)):
        fold[test] = k
        for c, strength in enumerate(STRENGTHS):
            model = LogisticRegression(C=strength, max_iter=500).fit(X[train], y[train])
            p[test, c] = model.predict_proba(X[test])[:, 1]
            ahead[k, :, c] = model.predict_proba(new)[:, 1]
    pi = en.Predictions.from_arrays(y, p, fold)
    stacked = en.Predictions.from_arrays(np.tile(outcome, FOLDS), ahead.reshape(-1, len(STRENGTHS)))
    rows: list[tuple[object, ...]] = []
    for metric in METRICS:
        try:
            made = en.estimate(
                pi, metric=metric, select_by="log_loss", n_resamples=RESAMPLES, rng=rep
            )
        except EvidenceError:  # all predictions of the winner are one number
            rows.append((cell["cell"], rep, metric, *[""] * 5, "undefined"))
            continue
        alone = stacked.select(made.winner or 0)
        truth = float(score_table(alone, metric, np.ones((1, len(outcome) * FOLDS)))[0, 0])
        assert made.interval is not None
        low, high = made.interval.low, made.interval.high
        side = "low" if truth < low else "high" if truth > high else "held"
        numbers = (made.value, made.naive, low, high, truth)
        rows.append((cell["cell"], rep, metric, *(f"{x:.5g}" for x in numbers), side))
    return rows + judge_curves(pi, stacked, cell["cell"], rep)


def judge_curves(
    pi: en.Predictions, stacked: en.Predictions, cell: str, rep: int
) -> list[tuple[object, ...]]:
    """Return whether the bands of decision curves hold at all thresholds from .02 to .9 at once.

    The curves are written as the largest distance of the truth from its band, 0 where it holds.
    """
    rows: list[tuple[object, ...]] = []
    first = None
    for against in ("treat_all", pi.configs.ids[-1]):
        table = en.thresholds(
            pi, metric="log_loss", against=against, n_resamples=RESAMPLES, rng=rep
        )
        truth = en.thresholds(
            stacked.select(table.winner), metric="brier", n_resamples=2, rng=0,
            thresholds=list(table.thresholds),
        )  # fmt: skip
        other = None
        if against != "treat_all":
            other = en.thresholds(
                stacked.select(against), metric="brier", n_resamples=2, rng=0,
                thresholds=list(table.thresholds),
            )  # fmt: skip
        some = [t for t in table.thresholds if 0.02 <= t <= 0.9]
        assert table.against is not None
        named = {f"against_{'all' if other is None else 'config'}": table.against.curve}
        if first is None:
            named |= {name: table.curves[name] for name in CURVES}
            first = table
        for name, curve in named.items():
            beyond, side = ROUNDING, "held"
            for t in some:
                true = truth.curves[name if name in CURVES else "net_benefit"].naive[
                    truth.thresholds.index(t)
                ]
                assert true is not None
                if name == "against_all":
                    true -= truth.treat_all(t) or 0.0
                if name == "against_config":
                    assert other is not None
                    true -= other.curves["net_benefit"].naive[other.thresholds.index(t)] or 0.0
                rate = curve.at(table.thresholds.index(t))
                assert rate.low is not None
                assert rate.high is not None
                away = max(rate.low - true, true - rate.high)
                if away > beyond:
                    beyond, side = away, "low" if true < rate.low else "high"
            rows.append((cell, rep, name, *(f"{beyond * (side != 'held'):.4g}",) * 5, side))
    return rows


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
        jobs = (job for job in list_jobs(asked.closed))
        for rows in pool.imap_unordered(run_search, _until(jobs, end, asked.processes)):
            writer.writerows(rows)
            file.flush()
            if time.monotonic() > end:
                pool.terminate()
                break


def _until(
    jobs: Iterator[tuple[dict[str, str], int]], end: float, processes: int
) -> Iterator[tuple[dict[str, str], int]]:
    """Yield jobs a little ahead of their processes, until the time is over."""
    start = time.monotonic()
    for given, job in enumerate(jobs):
        while given > processes * (2 + (time.monotonic() - start)):  # at most one a second each
            time.sleep(0.05)
        if time.monotonic() > end:
            return
        yield job


if __name__ == "__main__":
    main()
