"""The bias of five protocols where predictions are right by chance alone (section 6.1, figure 1).

python -m benchmarks.papers.tsamardinos2018.simulate --repeats 500
"""

from __future__ import annotations

import argparse
import csv
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.tsamardinos2018.replay import replay
from earnest import BCED, Predictions, estimate
from earnest.core.base.rng import Seeds

FOLDS = 10
PROTOCOLS = ("cvt", "tt", "ncv", "bbc", "bced")
RESULTS = Path(__file__).with_name("simulation.csv")
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, nargs="*", default=[20, 40, 60, 100, 500])
    parser.add_argument("--configs", type=int, nargs="*", default=[50, 200, 1000])
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    rows = []
    for cases, configs in product(asked.cases, asked.configs):
        runs = [one(cases, configs, seed, asked.resamples) for seed in range(asked.repeats)]
        rows.append(summary(cases, configs, np.array(runs)))
        print(rows[-1], flush=True)
        with asked.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def summary(cases: int, configs: int, runs: Floats) -> dict[str, object]:
    """Return the mean bias of each protocol with its standard error."""
    row: dict[str, object] = {"cases": cases, "configs": configs, "repeats": len(runs)}
    for name, bias in zip(PROTOCOLS, runs.T, strict=True):
        row[name] = f"{bias.mean():.4f}"
        row[f"{name}_error"] = f"{bias.std(ddof=1) / np.sqrt(len(bias)):.4f}"
    return row


def one(cases: int, configs: int, seed: int, resamples: int) -> list[float]:
    """Return by how much each protocol is too good, for true accuracies drawn from Beta(9, 6)."""
    rng = np.random.default_rng([seed, cases, configs])
    truth = rng.beta(9, 6, configs)
    right = rng.random((cases, configs)) < truth  # a number of its own for each configuration
    y, folds = np.tile([0, 1], cases // 2), np.arange(cases) % FOLDS
    labels = np.where(right, y[:, None], 1 - y[:, None])
    pi = Predictions.from_arrays(y, labels, folds, response="label")
    scores = np.array([right[folds == k].mean(axis=0) for k in range(FOLDS)])  # (K, C)
    best = int(scores.mean(axis=0).argmax())
    found = [scores[:, best].mean(), _corrected(scores), nested(scores)]
    biases = [float(value - truth[best]) for value in found]
    made = estimate(pi, metric="accuracy", n_resamples=resamples, rng=seed)
    done = replay(pi, "accuracy", BCED(), Seeds(seed)).pi
    early = estimate(done, metric="accuracy", n_resamples=resamples, rng=seed)
    chosen = [truth[pi.configs.index(str(e.winner))] for e in (made, early)]
    return [*biases, float(made.value - chosen[0]), float(early.value - chosen[1])]


def _corrected(scores: Floats) -> float:
    """Return the estimate of Tibshirani and Tibshirani from gains (K, C)."""
    best = scores.mean(axis=0).max()
    return float(2 * best - scores.max(axis=1).mean())


def nested(scores: Floats) -> float:
    """Return the nested estimate from gains (K, C): each fold by the winner of the others."""
    others = scores.sum(axis=0) - scores  # (K, C)
    winners = others.argmax(axis=1)
    return float(scores[np.arange(len(scores)), winners].mean())


if __name__ == "__main__":
    main()
