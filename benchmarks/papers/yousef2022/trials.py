"""One trial: a training set, models of its bootstrap samples, and the truth of its model."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.yousef2022.discriminants import RULES
from earnest import Replicates, StratifiedBootstrap, Target
from earnest.core.base.rng import Seeds
from earnest.core.data.target import Task
from earnest.resampling.bootstrap import batches

HERE = Path(__file__).parent
KEPT = Path("build") / "yousef2022"  # trials that are done, so that a run goes on
TESTERS = 20_000  # of each class, the same for all trials
Floats = NDArray[np.float64]


def draw(rng: np.random.Generator, n: int, p: int, c: float) -> tuple[Floats, NDArray[np.int64]]:
    """Return n cases of each class, normal with unit covariance, the means c apart in all p."""
    y = np.repeat([0, 1], n)
    return c * y[:, None] + rng.standard_normal((2 * n, p)), y


def replicates(
    rule: str, X: Floats, y: NDArray[np.int64], n_replicates: int, seed: int
) -> Replicates:
    """Return what the rule says of all cases when trained on stratified bootstrap samples."""
    target = Target(y=y, task=Task.BINARY, classes=(0, 1))
    drawn = batches(StratifiedBootstrap(), target, n_replicates, Seeds(seed))
    counts = np.concatenate([part.values for part in drawn])
    whole = np.ones((1, len(y)))
    return Replicates(
        target=target,
        responses=RULES[rule](X, y, counts.astype(np.float64), X),
        counts=counts,
        apparent=RULES[rule](X, y, whole, X)[0],
        kind="decision",
        drawn="stratified",
        learner=rule,
        seed=seed,
    )


def truth(rule: str, X: Floats, y: NDArray[np.int64], c: float) -> float:
    """Return the AUC of the model of all cases on many new ones."""
    new, labels = testers(X.shape[1], c)
    return auc(RULES[rule](X, y, np.ones((1, len(y))), new)[0], labels)


@cache
def testers(p: int, c: float) -> tuple[Floats, NDArray[np.int64]]:
    """Return the cases that all models are tested on.

    Means and covariances of each class are made exact: else the luck of the testers would shift all
    truths alike, by about .003 for as many, and by .01 for the 1000 of a class of the chapter.
    """
    X, y = draw(np.random.default_rng(1), TESTERS, p, 0.0)
    for label in (0, 1):
        mine = X[y == label] - X[y == label].mean(axis=0)
        spread = np.linalg.cholesky(mine.T @ mine / TESTERS)
        X[y == label] = np.linalg.solve(spread, mine.T).T + c * label
    return X, y


def auc(score: Floats, y: NDArray[np.int64]) -> float:
    """Return the AUC by ranks; scores of continuous cases have no ties."""
    ranks = np.empty(len(score))
    ranks[np.argsort(score)] = np.arange(1, len(score) + 1)
    positives = int(y.sum())
    above = ranks[y == 1].sum() - positives * (positives + 1) / 2
    return float(above / (positives * (len(y) - positives)))


def kept(name: str, columns: int) -> Floats:
    """Return the trials that are done, one a row."""
    path = KEPT / f"{name}.npy"
    return np.load(path) if path.is_file() else np.empty((0, columns))


def keep(name: str, rows: Floats) -> None:
    """Write the trials that are done."""
    KEPT.mkdir(parents=True, exist_ok=True)
    np.save(KEPT / f"{name}.npy", rows)
