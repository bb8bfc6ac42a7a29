"""The splits of a sample, by the procedures that need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.papers.bayle2020.populations import Codes

FOLDS = 10


@dataclass(frozen=True, eq=False)
class Design:
    """The splits of n cases: ten folds in a row, ten random test sets of a tenth, five halvings."""

    folds: Codes  # (n,)
    tested: Codes  # (n, 10): 0 where a random test set has the case, else -1
    halves: Codes  # (n, 5)
    most: Codes  # (20, .9 n): training cases of the folds, then of the random test sets
    half: Codes  # (10, .5 n): training cases of the halves, two of a halving in a row


@cache
def design(n: int) -> Design:
    """Return the splits, the same for all samples of a size, as in the authors' code."""
    rng = np.random.default_rng(n)
    folds = np.arange(n) * FOLDS // n
    tested = np.full((n, 10), -1)
    for j in range(10):
        tested[rng.permutation(n)[: n // FOLDS], j] = 0
    halves = np.stack([rng.permutation(np.arange(n) % 2) for _ in range(5)], axis=1)
    most = [np.flatnonzero(folds != k) for k in range(FOLDS)]
    most += [np.flatnonzero(tested[:, j] < 0) for j in range(10)]
    half = [np.flatnonzero(halves[:, r] != k) for r in range(5) for k in range(2)]
    return Design(folds, tested, halves, np.stack(most), np.stack(half))
