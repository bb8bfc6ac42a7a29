"""Metrics of regression that need an order: Spearman's correlation, the median error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.target import Target
from earnest.metrics.families import REGRESSION, Array, Need, RankMetric, View, ratio, register
from earnest.metrics.ranking import one_view, tie_groups


def outcome_view(target: Target) -> tuple[View, ...]:
    """Return the one view of a regression: the outcome itself."""
    return (View(target.y),)


def weighted_ranks(values: NDArray[Any], weights: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the mean rank (B, n) of every case, and whether a resample has two values (B,).

    Ranks are the weight below plus half the weight alike, which is the mean rank of repeated rows
    less one half.
    """
    order, starts = tie_groups(values)
    masses = np.add.reduceat(np.take(weights, order, axis=1), starts, axis=1)  # (B, G)
    middle = np.cumsum(masses, axis=1) - 0.5 * masses
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    return np.take(middle, group, axis=1), (masses > 0).sum(axis=1) > 1


def spearman_scan(score: NDArray[Any], truth: NDArray[Any], weights: NDArray[Any]) -> Array:
    """Return Pearson's correlation of the mean ranks, NaN where one of them is constant."""
    heavy = weights.astype(np.float64)
    first, first_varies = weighted_ranks(score, heavy)
    second, second_varies = weighted_ranks(truth, heavy)
    total = heavy.sum(axis=1, keepdims=True)
    first -= ratio((heavy * first).sum(axis=1, keepdims=True), total)
    second -= ratio((heavy * second).sum(axis=1, keepdims=True), total)
    together = (heavy * first * second).sum(axis=1)
    apart = np.sqrt((heavy * first**2).sum(axis=1) * (heavy * second**2).sum(axis=1))
    value = np.clip(ratio(together, apart), -1.0, 1.0)
    return np.where(first_varies & second_varies, value, np.nan)


def median_error_scan(score: NDArray[Any], truth: NDArray[Any], weights: NDArray[Any]) -> Array:
    """Return the weighted median of |y - p|; the mean of two where half the weight lies between."""
    error = np.abs(truth - score.astype(np.float64))
    order = np.argsort(error, kind="stable")
    below = np.cumsum(weights[:, order], axis=1, dtype=np.float64)  # (B, n)
    half = 0.5 * below[:, -1:]
    ranked = error[order]
    last = len(ranked) - 1
    low = ranked[np.minimum((below < half).sum(axis=1), last)]
    high = ranked[np.minimum((below <= half).sum(axis=1), last)]
    return np.where(half[:, 0] > 0, 0.5 * (low + high), np.nan)


spearman = register(
    RankMetric(
        name="spearman",
        title="Spearman correlation",
        greater_is_better=True,
        limits=(-1.0, 1.0),
        needs=Need.VALUE,
        tasks=REGRESSION,
        aliases=("spearmanr",),
        views=outcome_view,
        scan=spearman_scan,
        combine=one_view,
    )
)

median_absolute_error = register(
    RankMetric(
        name="median_absolute_error",
        title="median absolute error",
        greater_is_better=False,
        limits=(0.0, np.inf),
        needs=Need.VALUE,
        tasks=REGRESSION,
        aliases=("neg_median_absolute_error", "medae"),
        views=outcome_view,
        scan=median_error_scan,
        combine=one_view,
    )
)
