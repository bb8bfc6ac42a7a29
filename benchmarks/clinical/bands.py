"""What makes bands of thresholds miss: choice, models of folds, or the bands themselves.

`python -m benchmarks.clinical.bands SECONDS` goes round the cells and writes bands.csv: how often
the 95 % band of a measure held at all thresholds from .02 to .9 at once. A table is of one strength
of regularisation fixed beforehand ("one"), of the winner of eight by log loss ("many"), or of the
same models as "one" where each judges new cases instead of its own fold ("fresh"): then no case
that is judged trained any model, and the counts are binomial. The truth is that of the five fold
models on 10,000 new cases.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import earnest as en
from benchmarks.clinical.run import FOLDS, RESAMPLES, ROUNDING, STRENGTHS, draw
from earnest.results import Thresholds

Array = NDArray[np.float64]
RESULTS = Path(__file__).with_name("bands.csv")
HEAD = ("events", "prevalence", "signal", "table", "measure", "searches", "held")
CELLS = ((20, 0.3, 0.7), (50, 0.3, 0.7), (150, 0.3, 0.7), (20, 0.1, 1.5), (50, 0.1, 1.5))
MEASURES = ("sensitivity", "specificity", "net_benefit", "standardized_net_benefit")
NEW, FIXED = 10_000, 3  # new cases, and the place of the one strength


def judge_search(
    cell: tuple[int, float, float], rep: int, tables: tuple[str, ...] = ("fresh", "one", "many")
) -> dict[tuple[str, str], bool]:
    """Return for each table and measure whether its band held in one search."""
    events, prevalence, signal = cell
    rng = np.random.default_rng([91, events, round(prevalence * 10), rep])
    n = round(events / prevalence)
    while True:
        X, y = draw(rng, n, prevalence, signal)
        if FOLDS <= y.sum() <= n - FOLDS:
            break
    new, outcome = draw(rng, NEW, prevalence, signal)
    p, fresh = np.empty((n, len(STRENGTHS))), np.empty((n, len(STRENGTHS)))
    ahead = np.empty((FOLDS, NEW, len(STRENGTHS)))
    fold = np.empty(n, dtype=int)
    for k, (train, test) in enumerate(
        StratifiedKFold(FOLDS, shuffle=True, random_state=rep).split(X, y)
    ):
        fold[test] = k
        for c, strength in enumerate(STRENGTHS):
            model = LogisticRegression(C=strength, max_iter=500).fit(X[train], y[train])
            p[test, c] = model.predict_proba(X[test])[:, 1]
            ahead[k, :, c] = model.predict_proba(new)[:, 1]
        for label in (0, 1):
            rows = test[y[test] == label]
            others = rng.choice(np.flatnonzero(outcome == label), len(rows), replace=False)
            fresh[rows] = ahead[k, others]
    scores = {"fresh": fresh[:, [FIXED]], "one": p[:, [FIXED]], "many": p}
    held = {}
    for name in tables:
        table = en.thresholds(
            en.Predictions.from_arrays(y, scores[name], fold),
            metric="log_loss",
            n_resamples=RESAMPLES,
            rng=rep,
        )
        config = int(table.winner[1:]) if name == "many" else FIXED
        truth = find_truth(ahead[:, :, config], outcome, np.array(table.thresholds))
        held |= {(name, measure): holds(table, measure, truth[measure]) for measure in MEASURES}
    return held


def find_truth(ahead: Array, outcome: NDArray[np.int64], cuts: Array) -> dict[str, Array]:
    """Return the measures of fold models (folds, new cases) at every threshold."""
    hits, alarms = (
        1.0 - np.searchsorted(np.sort(ahead[:, outcome == label].ravel()), cuts, "right")
        / (len(ahead) * (outcome == label).sum())
        for label in (1, 0)
    )  # fmt: skip
    share, odds = outcome.mean(), cuts / (1.0 - cuts)
    benefit = share * hits - odds * (1.0 - share) * alarms
    return dict(zip(MEASURES, (hits, 1.0 - alarms, benefit, benefit / share), strict=True))


def holds(table: Thresholds, measure: str, truth: Array) -> bool:
    """Tell whether a band holds the truth at all thresholds from .02 to .9."""
    cuts = np.array(table.thresholds)
    low, high = (
        np.array(getattr(table.curves[measure], end), dtype=float) for end in ("low", "high")
    )
    inside = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    return bool(inside[(cuts >= 0.02) & (cuts <= 0.9)].all())


def main() -> None:
    """Run until the time is over, and write the counts after every round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    end = time.monotonic() + parser.parse_args().seconds
    searches: Counter[tuple[int, float, float]] = Counter()
    held: Counter[tuple[object, ...]] = Counter()
    for rep in count():
        for cell in CELLS:
            searches[cell] += 1
            for key, inside in judge_search(cell, rep).items():
                held[(*cell, *key)] += inside
        with RESULTS.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEAD)
            writer.writerows((*key, searches[key[:3]], n) for key, n in held.items())  # type: ignore[index]
        if time.monotonic() > end:
            return


if __name__ == "__main__":
    main()
