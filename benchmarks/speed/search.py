"""The cost of being honest: SearchCV.fit against GridSearchCV.fit and against nested CV."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import earnest as en
from benchmarks.speed.timing import Row

CASES, CANDIDATES, FOLDS = 1000, 200, 5


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios: alone, with storing, with the estimate too, and nested CV."""
    X, y = make_classification(CASES, 20, random_state=0)
    candidates, times = (40, 3) if quick else (CANDIDATES, 7)
    for n_jobs in (1,) if quick else (1, 2):
        yield from against_grid_search(X, y, candidates, times, n_jobs)
    yield against_nested(X, y, 10 if quick else 40)


def against_grid_search(X: Any, y: Any, candidates: int, times: int, n_jobs: int) -> Iterator[Row]:
    """Time in turns, and compare the medians: a busy moment hits both."""
    model, grid = LogisticRegression(), {"C": np.logspace(-3, 3, candidates).tolist()}
    knobs: dict[str, Any] = {"scoring": "roc_auc", "cv": FOLDS, "n_jobs": n_jobs}
    where = Path(tempfile.mkdtemp())
    counter = iter(range(1000))

    def theirs() -> object:
        return GridSearchCV(model, grid, **knobs).fit(X, y)

    def plain() -> object:
        return en.SearchCV(model, grid, random_state=0, **knobs).fit(X, y)

    def stored() -> object:
        path = where / f"run{next(counter)}.db"
        return en.SearchCV(model, grid, random_state=0, store=path, **knobs).fit(X, y)

    def estimated() -> object:
        return stored().estimate_  # type: ignore[attr-defined]

    estimated()  # warm: kernels compiled, workers started
    taken = [[_seconds(f) for f in (theirs, plain, stored, estimated)] for _ in range(times)]
    work = f"n={CASES}, {candidates} candidates, {FOLDS} folds, n_jobs={n_jobs}"
    base = median(row[0] for row in taken)
    for column, words, target in (
        (1, "SearchCV.fit", None),
        (2, "SearchCV.fit, storing", 1.05 if candidates == CANDIDATES else None),
        (3, "SearchCV.fit and its estimate, storing", None),
    ):
        ours = base * median(row[column] / row[0] for row in taken)
        yield Row(f"{words}, {work}", ours, "GridSearchCV.fit", base, target, more_is_better=False)


def against_nested(X: Any, y: Any, candidates: int) -> Row:
    """Time the search with its estimate against nested cross-validation of the same search."""
    grid = {"C": np.logspace(-3, 3, candidates).tolist()}
    search = en.SearchCV(LogisticRegression(), grid, scoring="roc_auc", cv=FOLDS, random_state=0)
    ours = _seconds(lambda: clone(search).fit(X, y).estimate_)
    theirs = _seconds(lambda: en.nested_cv(clone(search), X, y))
    return Row(
        f"SearchCV.fit and its estimate, n={CASES}, {candidates} candidates, {FOLDS} folds",
        ours,
        "nested CV",
        theirs,
        None,
    )


def _seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
