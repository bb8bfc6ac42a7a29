"""How the winner did in each fold, and what is left of the outcome beside its predictions.

Both are of the winner as it was searched, on the cases that chose it, and not corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.kernels.score import fold_repeats, fold_scores
from earnest.metrics.families import Metric

Floats = NDArray[np.float64]
WINDOWS = 40  # places at which a running band is told
LEAST = 20  # cases of a window at least
BAND = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """The score of the winner in each fold; NaN where the metric is undefined there.

    Attributes
    ----------
    scores : ndarray of shape (F,)
        One a fold, the folds of a repeat together.
    names : tuple of str
        Their names.
    repeats : ndarray of shape (F,)
        The repeat of each.
    cases, positives : ndarray of shape (F,)
        Cases of each fold, and those of the positive class or with an event; None without classes.
    marked : str
        What those cases are: 'positive', or 'with an event'.
    """

    scores: Floats
    names: tuple[str, ...]
    repeats: NDArray[np.intp]
    cases: NDArray[np.int64]
    positives: NDArray[np.int64] | None
    marked: str = "positive"


@dataclass(frozen=True, eq=False)
class Residuals:
    """What is left of the outcome, beside what was predicted; the mean over repeats.

    Attributes
    ----------
    fitted, residuals : ndarray of shape (n,)
        In the order of the fitted value.
    at, mean, low, high : ndarray of shape (W,)
        The running mean and the ends between which nine of ten residuals lie; empty with few cases.
    """

    fitted: Floats
    residuals: Floats
    at: Floats
    mean: Floats
    low: Floats
    high: Floats


def winner_folds(pi: Predictions, metric: Metric, winner: int | str) -> FoldScores:
    """Return the score of the winner in every fold, with the size of the fold."""
    pi = pi.usable()
    mine = pi.select(winner)
    scores = fold_scores(mine, metric)[:, 0, 0]
    repeats = fold_repeats(mine)
    target = pi.target
    marked = target.y == 1 if target.task is Task.BINARY else target.event
    names, cases, positives = [], [], []
    for repeat in range(mine.n_repeats):
        for fold in np.flatnonzero(mine.cells[repeat].any(axis=1)):
            held = mine.folds[:, repeat] == fold
            names.append(mine.fold_names[repeat][fold])
            cases.append(int(held.sum()))
            positives.append(0 if marked is None else int(marked[held].sum()))
    return FoldScores(
        scores=scores,
        names=tuple(names),
        repeats=repeats,
        cases=np.array(cases),
        positives=None if marked is None else np.array(positives),
        marked="positive" if target.event is None else "with an event",
    )


def residuals(pi: Predictions, winner: int | str) -> Residuals:
    """Return the residuals of the winner in the order of what was predicted, with a running band.

    Around each place the band looks at a tenth of the cases, at least 20.
    """
    if pi.target.task is not Task.REGRESSION:
        raise EvidenceError("there are no residuals", got=f"task {pi.target.task}")
    pi = pi.usable()
    column = pi.configs.index(winner)
    fitted = np.nanmean(pi.responses[:, column, :].astype(np.float64), axis=1)
    order = np.argsort(fitted, kind="stable")
    left = (pi.target.y - fitted)[order]
    return Residuals(fitted[order], left, *running(fitted[order], left))


def running(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return place, mean and the 5 % and 95 % quantiles of windows along a sorted x."""
    n = len(x)
    size = max(LEAST, n // 10)
    if n < 2 * LEAST:
        return (np.empty(0),) * 4
    starts = np.unique(np.linspace(0, n - size, min(WINDOWS, n - size + 1)).round().astype(int))
    windows = [slice(a, a + size) for a in starts]
    ends = np.array([np.quantile(y[w], BAND) for w in windows])
    at, mean = (np.array([v[w].mean() for w in windows]) for v in (x, y))
    return at, mean, ends[:, 0], ends[:, 1]
