"""The error of repeated cross-validation by its influence function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.inference.cases.case_values import CaseValues
from earnest.inference.cases.fold_variance import Variance, variance_of_mean
from earnest.metrics.families import Array


@dataclass(frozen=True)
class InfluenceVariance:
    """The variance of repeated cross-validation, and what it is made of.

    Attributes
    ----------
    total : float
        The variance that is used: the sum less the noise, but never under the tests' own.
    tested : float
        The part of what cases add where they are tested.
    trained : float
        What the part of training sets adds, less its noise; may be negative. With lone cases of a
        class, what one partition varies more than the mean over repeats.
    noise : float
        What few repeats alone would show of the part of training sets.
    """

    total: float
    tested: float
    trained: float
    noise: float


def influence_variance(made: CaseValues) -> InfluenceVariance:
    """Return the variance of the mean over cases and repeats of one configuration.

    A case i moves the result in two ways. Where it is tested it adds E_i, the mean of its terms
    over repeats. Where it trains it changes the terms of others: with T_i = 1 where it trains, the
    regression of what a split adds on T_i tells by how much, and a little more weight on the case
    moves the result by n f times that slope, f being the share of cases that train. Together

        U_i = (E_i - s) - (1 / R) sum_m (n / n_im) sum_j (h_jm - E_j),      Var = sum_i U_i² / n²,

    where j runs over the cases tested beside i in repeat m, n_im of them with i. Taking each case
    from its own mean E_j leaves out which cases happen to lie in a fold. The second part stands on
    R repeats, and what noise alone would make of it is subtracted. What is left is not allowed to
    make the variance smaller than that of the first part alone.

    The noise of a case is the variance over repeats of what is averaged, divided by R, times
    (R - 1)(1 - q) / (R - 1 + q), where q is the share of the others that a fold holds: distances
    from a mean over repeats sum to 0, so that repeats are not independent.

    With groups the U_i of a group are summed before they are squared, times G / (G - 1).

    Where a fold has one case of a class, how all others of its fold fare beside that case is its
    own doing, which hides what it does where it trains. The variance is then that of one partition,
    by its pooled terms, as the mean over repeats: a mean over partitions varies less than one.
    """
    terms, folds = made.spread[:, 0], made.folds  # (n, R) both
    tested = folds >= 0
    counts = np.maximum(tested.sum(axis=1), 1)
    own = np.where(tested, terms, 0.0).sum(axis=1) / counts  # E_i
    units = np.arange(len(own)) if made.groups is None else made.groups
    summed = _sums(units, own - own.mean())
    scale = _scale(made.groups) / len(own) ** 2
    alone = scale * float(np.square(summed).sum())
    if made.pooled is not None:
        each = variance_of_repeats(made)
        return InfluenceVariance(max(each, alone), alone, max(each - alone, 0.0), 0.0)
    away = np.where(tested, terms - own[:, None], 0.0)
    others = np.stack([_beside(away[:, r], folds[:, r]) for r in range(folds.shape[1])], axis=1)
    trained = np.stack([_sums(units, -others[:, r]) for r in range(folds.shape[1])], axis=1)
    noise = scale * float(trained.var(axis=1, ddof=1).sum()) * _shrunk(folds)
    both = scale * float(np.square(summed + trained.mean(axis=1)).sum())
    return InfluenceVariance(max(both - noise, alone), alone, both - noise - alone, noise)


def variance_of_repeats(made: CaseValues) -> float:
    """Return the variance over all pairs of one partition, as the mean over the repeats."""
    every = [
        variance_of_mean(
            made.spread[:, 0, r : r + 1], made.folds[:, r : r + 1], made.groups, Variance.ALL_PAIRS
        )
        for r in range(made.folds.shape[1])
        if (made.folds[:, r] >= 0).any()
    ]
    return float(np.mean(every))


def _shrunk(folds: Numbers) -> float:
    """Return what turns the variance over repeats into that of their mean, for noise alone."""
    repeats, n = folds.shape[1], len(folds)
    sizes = [np.bincount(code[code >= 0]) for code in folds.T]
    others = np.mean([(size**2).sum() / max(1, size.sum()) - 1.0 for size in sizes])
    share = float(others) / max(1, n - 1)  # of the other cases that lie beside one
    return float((repeats - 1.0) * (1.0 - share) / (repeats - 1.0 + share) / repeats)


def _beside(away: Array, folds: Numbers) -> Array:
    """Return for each case (n / n_k) times the sum over the other cases of its fold: (n,)."""
    used = folds >= 0
    out = np.zeros(len(away))
    sums = np.bincount(folds[used], weights=away[used])
    sizes = np.bincount(folds[used])
    mine = folds[used]
    out[used] = used.sum() / sizes[mine] * (sums[mine] - away[used])
    return out


def _sums(units: Numbers, values: Array) -> Array:
    codes = np.unique(units, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.bincount(codes, weights=values), dtype=np.float64)


def _scale(groups: Numbers | None) -> float:
    if groups is None:
        return 1.0
    count = len(np.unique(groups))
    return count / (count - 1)
