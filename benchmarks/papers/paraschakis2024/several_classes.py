"""Bounds of searches with several classes, beside the four sets that the paper omits.

python -m benchmarks.papers.paraschakis2024.several_classes [--runs 100]

The summaries in the authors' repository have four sets with 6 or 10 classes that the paper does not
show. One of them is optdigits, of which scikit-learn has a part. As for table 3, we cross-validate
43 fast configurations, one class against the rest, and score the refitted winner on other cases.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

import earnest as en
from benchmarks.papers.tsamardinos2018.fast_grid import NAMES, Grid
from benchmarks.rows import write_rows

RESULTS = Path(__file__).parent / "results" / "several_classes.csv"
SEED = 20_261_119
METRIC = "roc_auc_ovr"
SIZES = ((6, 50), (10, 50), (10, 150))  # classes, cases
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One method on samples of one size: how often its lower 95 % bound held, and means."""

    classes: int
    cases: int
    method: str
    runs: int
    held: int
    truth: float
    bound: float


def run(classes: int, cases: int, number: int) -> tuple[float, dict[str, float]]:
    """Return the AUC of the refitted winner on held-out cases, and lower bounds by method."""
    X, y = load_digits(n_class=classes, return_X_y=True)
    seed = int(np.random.default_rng([SEED, classes, cases, number]).integers(2**31))
    rows, others = train_test_split(
        np.arange(len(y)), train_size=cases, stratify=y, random_state=seed
    )
    scaler = StandardScaler().fit(X[rows])
    known, new = scaler.transform(X[rows]), scaler.transform(X[others])
    searches = [Grid(known, (y[rows] == label).astype(float)) for label in range(classes)]
    fold, scores = np.empty(cases, dtype=np.intp), np.empty((cases, len(NAMES), classes))
    folds = min(10, int(np.bincount(y[rows]).min()))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for place, (train, test) in enumerate(splitter.split(known, y[rows])):
        fold[test] = place
        for label, search in enumerate(searches):
            scores[test, :, label] = search.scores(train, test)
    pi = en.Predictions.from_arrays(
        y[rows], scores[:, :, None, :], fold, configs=NAMES, response="decision"
    )
    bounds: dict[str, float] = {}
    truth = np.nan
    for method in ("bbc", "bbc_fold"):
        estimate = en.estimate(pi, method=method, metric=METRIC, side="lower", rng=seed)
        assert estimate.interval is not None
        bounds[method] = estimate.interval.low
        if method == "bbc":
            winner = NAMES.index(str(estimate.winner))
            said = np.stack([search.scores_of_new(new)[:, winner] for search in searches], axis=1)
            truth = float(
                np.mean([roc_auc_score(y[others] == k, said[:, k]) for k in range(classes)])
            )
    return truth, bounds


def summarize(classes: int, cases: int, runs: int) -> list[Row]:
    """Return the rows of one size."""
    answers = [run(classes, cases, number) for number in range(runs)]
    truths = np.array([truth for truth, _ in answers])
    rows = []
    for method in answers[0][1]:
        bounds = np.array([bound[method] for _, bound in answers])
        held = int((bounds <= truths).sum())
        means = round(float(truths.mean()), 4), round(float(bounds.mean()), 4)
        rows.append(Row(classes, cases, method, runs, held, *means))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    asked = parser.parse_args()
    write_rows([row for size in SIZES for row in summarize(*size, asked.runs)], RESULTS)


if __name__ == "__main__":
    main()
