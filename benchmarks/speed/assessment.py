"""The .632+ bootstrap of a learner, the whole job: training, the rate of no information, estimate.

mlxtend makes all pairs of an outcome and a prediction anew in every split, n² of them, so that a
few of its splits are timed and their time is scaled to all. Without mlxtend, which nothing else
here needs, only the share of the bare fits is told.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import earnest as en
from benchmarks.speed.timing import Row, best

CASES, REPLICATES, TIMED = 2000, 200, 3


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratio for the error rate of a learner that takes about a millisecond to train."""
    X, y = make_classification(CASES, 20, random_state=0)
    ours()(X[:100], y[:100])  # warm: imports and kernels
    if find_spec("mlxtend") is not None:
        mine = best(lambda: ours()(X, y), 1 if quick else 3)
        theirs = splits(X, y, TIMED) * REPLICATES / TIMED
        work = f".632+ of naive Bayes, n={CASES}, {REPLICATES} replicates"
        yield Row(work, mine, f"mlxtend, {TIMED} splits scaled", theirs, 20.0)
    yield from parts(X, y)


def ours() -> Any:
    """Return the whole job as a function of the data."""

    def job(X: Any, y: Any) -> object:
        made = en.bootstrap_train(
            GaussianNB(), X, y, n_replicates=REPLICATES, metric="accuracy", rng=0
        )
        return en.estimate(made, method=".632+", metric="accuracy")

    return job


def splits(X: Any, y: Any, count: int) -> float:
    """Return the seconds that mlxtend takes for so many splits."""
    from mlxtend.evaluate import bootstrap_point632_score

    start = time.perf_counter()
    bootstrap_point632_score(GaussianNB(), X, y, n_splits=count, method=".632+", random_seed=0)
    return time.perf_counter() - start


def parts(X: Any, y: Any) -> Iterator[Row]:
    """Yield what the job is made of: bare fits and predictions against all of it."""

    def bare() -> None:
        rng = np.random.default_rng(0)
        for _ in range(REPLICATES):
            drawn = rng.integers(0, CASES, CASES)
            GaussianNB().fit(X[drawn], y[drawn]).predict(X)

    mine = best(lambda: ours()(X, y), 1)
    yield Row(
        f".632+ of naive Bayes, n={CASES}, {REPLICATES} replicates",
        mine,
        "bare fits and predictions",
        best(bare, 1),
        None,
        more_is_better=False,
    )
