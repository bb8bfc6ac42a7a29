"""The methods once more, slowly: loops over resamples, rows repeated, scores by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from earnest import Predictions
from earnest.core import Seeds
from earnest.resampling import Accept, CaseBootstrap, Resampler, batches

Floats = NDArray[np.float64]
Score = Callable[[NDArray[np.generic], Floats], float]  # outcome, one column of scores

TIE = 1e-12  # scores this near are tied, and the first wins


def auc(y: NDArray[np.generic], score: Floats) -> float:
    """Return the share of pairs of a case of each class that are ranked rightly; ties are half."""
    above, below = score[y == 1][:, None], score[y == 0]
    return float(np.mean((above > below) + 0.5 * (above == below)))


def accuracy(y: NDArray[np.generic], score: Floats) -> float:
    """Return the share of decision values on the right side of 0."""
    return float(np.mean(y == (score > 0)))


def minus_mse(y: NDArray[np.generic], score: Floats) -> float:
    """Return the negative mean squared error, so that greater is better."""
    return -float(np.mean((y - score) ** 2))


def first_best(gains: list[float]) -> int:
    """Return the first position of the best value."""
    return next(i for i, gain in enumerate(gains) if gain >= max(gains) - TIE)


def counts_of(
    pi: Predictions,
    n_resamples: int,
    seed: int,
    accept: Accept | None,
    resampler: Resampler | None = None,
) -> NDArray[np.uint8]:
    """Return the same draws (B, n) that a method with this seed makes."""
    drawer = CaseBootstrap() if resampler is None else resampler
    parts = batches(drawer, pi.target, n_resamples, Seeds.of(seed), accept=accept)
    return np.concatenate([part.values for part in parts])


def bbc(
    y: NDArray[np.generic], scores: Floats, counts: NDArray[np.uint8], score: Score
) -> tuple[Floats, list[int]]:
    """Algorithm 5 of Tsamardinos et al. 2018, resample by resample: draws (B,) and winners."""
    draws, winners = [], []
    for count in counts:
        inside = np.repeat(np.arange(len(y)), count)  # the drawn indices, with their repetitions
        outside = np.array([i for i in range(len(y)) if i not in set(inside.tolist())])
        gains = [score(y[inside], scores[inside, c]) for c in range(scores.shape[1])]
        best = first_best(gains)
        winners.append(best)
        draws.append(score(y[outside], scores[outside, best]))
    return np.array(draws), winners


def fold_table(
    y: NDArray[np.generic], scores: Floats, fold: NDArray[np.generic], score: Score
) -> Floats:
    """Return the score (K, C) of every fold and configuration."""
    return np.array(
        [
            [score(y[fold == k], scores[fold == k, c]) for c in range(scores.shape[1])]
            for k in np.unique(fold)
        ]
    )


def all_fold_draws(table: Floats) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield every draw of K folds that leaves some out, and those."""
    folds = len(table)
    for drawn in product(range(folds), repeat=folds):
        left_out = [k for k in range(folds) if k not in drawn]
        if left_out:
            yield drawn, left_out


def bbc_fold(table: Floats) -> Floats:
    """Algorithm 1 of Paraschakis et al. 2024 over all K**K - K! draws."""
    draws = []
    for drawn, left_out in all_fold_draws(table):
        gains = [float(np.mean([table[k, c] for k in drawn])) for c in range(table.shape[1])]
        best = first_best(gains)
        draws.append(float(np.mean([table[k, best] for k in left_out])))
    return np.array(draws)


def tibshirani(table: Floats) -> float:
    """Return 2 G - mean of every fold's own best gain, for gains (K, C)."""
    folds, configs = table.shape
    means = [sum(table[k, c] for k in range(folds)) / folds for c in range(configs)]
    own = sum(max(table[k, c] for c in range(configs)) for k in range(folds)) / folds
    return 2 * max(means) - own


def one_standard_error(table: Floats, simplicity: list[int]) -> int:
    """Return the simplest configuration within the best's standard error."""
    folds, configs = table.shape
    means = [sum(table[k, c] for k in range(folds)) / folds for c in range(configs)]
    best = first_best(means)
    squares = sum((table[k, best] - means[best]) ** 2 for k in range(folds))
    error = (squares / (folds - 1) / folds) ** 0.5
    return next(c for c in simplicity if means[c] >= means[best] - error - TIE)
