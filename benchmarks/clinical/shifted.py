"""How often the location-shifted interval of Harrell's correction holds: logistic regression.

`python -m benchmarks.clinical.shifted RUNS` writes `shifted.csv`. 100 cases with five normal
features, about 10 or 30 of them events; the truth is the score of the model of all cases on 20,000
new ones; 100 bootstrap samples.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import earnest as en
from earnest.kernels import score_table

Array = NDArray[np.float64]
CASES, SAMPLES, NEW, FEWEST = 100, 100, 20_000, 6
SHARES, METRICS = (0.3, 0.1), ("roc_auc", "brier")
SLOPES = np.array([0.8, 0.5, 0.3, 0.0, 0.0])
RIDGE = 1e-4
HEAD = ("prevalence", "metric", "runs", "held", "truth_below", "truth_above", "bias", "width")


def fit(X: Array, y: Array, weights: Array) -> Array:
    """Return the coefficients of a logistic regression with a trace of a ridge."""
    design = np.column_stack([np.ones(len(X)), X])
    beta = np.zeros(design.shape[1])
    for _ in range(12):
        p = expit(np.clip(design @ beta, -30, 30))
        slopes = design.T @ (weights * (y - p)) - RIDGE * beta
        curve = (design.T * (weights * p * (1 - p))) @ design + RIDGE * np.eye(len(beta))
        step = np.linalg.solve(curve, slopes)
        beta = beta + step * min(1.0, 5.0 / max(np.abs(step).max(), 1e-9))
        if np.abs(step).max() < 1e-8:
            break
    return beta


def predict(X: Array, beta: Array) -> Array:
    """Return probabilities."""
    return np.asarray(expit(np.clip(np.column_stack([np.ones(len(X)), X]) @ beta, -30, 30)))


def draw(rng: np.random.Generator, n: int, share: float) -> tuple[Array, Array]:
    """Return features and outcomes."""
    X = rng.standard_normal((n, len(SLOPES)))
    return X, (rng.random(n) < expit(1.15 * logit(share) + X @ SLOPES)).astype(float)


def main(runs: int) -> None:
    """Run studies of both shares in turn, and write the counts."""
    rng = np.random.default_rng(46)
    counts = {(share, metric): np.zeros(5) for share in SHARES for metric in METRICS}
    for run in range(runs):
        share = SHARES[run % 2]
        X, y = draw(rng, CASES, share)
        if y.sum() < FEWEST:
            continue
        new, outcome = draw(rng, NEW, share)
        samples = rng.multinomial(CASES, np.full(CASES, 1 / CASES), SAMPLES)
        samples = samples[(samples * y).sum(axis=1) > 2]
        answers = np.array([predict(X, fit(X, y, row.astype(float))) for row in samples])
        beta = fit(X, y, np.ones(CASES))
        made = en.Replicates.from_arrays(y.astype(int), answers, samples, predict(X, beta))
        ahead = en.Predictions.from_arrays(outcome.astype(int), predict(new, beta))
        for metric in METRICS:
            found = en.estimate(made, method="refined(interval='shifted')", metric=metric)
            truth = score_table(ahead, metric, np.ones((1, NEW)))[0, 0]
            assert found.interval is not None
            low, high = found.interval.low, found.interval.high
            counts[share, metric] += (1, truth < low, truth > high, found.value - truth, high - low)
    with (Path(__file__).parent / "shifted.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for (share, metric), (n, below, above, bias, width) in counts.items():
            held = 1 - (below + above) / n
            numbers = (f"{held:.3f}", int(below), int(above), f"{bias / n:.4f}", f"{width / n:.3f}")
            writer.writerow((share, metric, int(n), *numbers))


if __name__ == "__main__":
    main(int(sys.argv[1]))
