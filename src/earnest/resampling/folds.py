"""Resamples of folds: K folds drawn with replacement, never a permutation of all."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

MOST_EXACT = 50_000  # K**K up to here is enumerated: K <= 6


def enumerable(folds: int) -> bool:
    """Tell whether all draws of so many folds are few enough to go through."""
    return bool(folds**folds <= MOST_EXACT)


def draw_folds(folds: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each fold was drawn: (count, K), redrawn while nothing is left out."""
    out = np.empty((count, folds), dtype=np.int64)
    pending = np.arange(count)
    while len(pending):
        drawn = rng.integers(0, folds, (len(pending), folds))
        out[pending] = (drawn[:, :, None] == np.arange(folds)).sum(axis=1)
        pending = pending[(out[pending] > 0).all(axis=1)]
    return out


def all_fold_draws(folds: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every draw that leaves a fold out: counts (M, K), and in how many orders it comes.

    The orders sum to K**K - K!.

    Examples
    --------
    >>> from earnest.resampling.folds import all_fold_draws
    >>> all_fold_draws(2)
    (array([[2, 0],
           [0, 2]]), array([1, 1]))
    >>> int(all_fold_draws(5)[1].sum())
    3005
    """
    bags = np.array(list(combinations_with_replacement(range(folds), folds)))  # (M, K)
    counts = (bags[:, :, None] == np.arange(folds)).sum(axis=1)
    orders = [math.factorial(folds) // math.prod(map(math.factorial, row)) for row in counts]
    keep = (counts == 0).any(axis=1)
    return counts[keep], np.array(orders)[keep]
