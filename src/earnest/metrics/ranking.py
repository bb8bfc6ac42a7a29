"""Metrics of order: the area under the ROC curve and its relatives.

A rank metric is one function of one column, its `scan`: scores (n,), truth (n,) and the weights of
all resamples (B, n) in, one value per resample (B,) out. Cases of equal score form a group; every
curve goes from group to group, so that ties need no rule of their own. To add a metric, write its
scan from the groups' weights and register it; a compiled kernel may follow, with the scan as its
oracle.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target, Task
from earnest.core.results.readings import Reading
from earnest.metrics.families import (
    BINARY,
    Array,
    Metric,
    Need,
    RankMetric,
    View,
    divide,
    ratio,
    register,
)
from earnest.metrics.resolve import name_with_knobs, register_factory


def positives_against_negatives(target: Target) -> tuple[View, ...]:
    """Return the one view of a binary target: 1 for the positive class, 0 for the other."""
    return (View(target.y.astype(np.int8)),)


def find_tie_groups(score: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of rising scores, and where each group of equal scores begins in it."""
    order = np.argsort(score, kind="stable")
    ranked = score[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    return order, starts


def weighted_quantile(values: Array, weights: Numbers, level: float) -> Array:
    """Return the weighted quantile (B,) of values (n,), NaN where a resample has no weight.

    Where the level lies between two values it is their mean.
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[:, order], axis=1, dtype=np.float64)  # (B, n)
    total = below[:, -1:]
    # level times total may miss a sum of weights by rounding
    slack = max(1e-12, len(values) * np.finfo(np.float64).eps) * total
    ranked, last = values[order], len(values) - 1
    low = ranked[np.minimum((below < level * total - slack).sum(axis=1), last)]
    high = ranked[np.minimum((below <= level * total + slack).sum(axis=1), last)]
    return np.where(total[:, 0] > 0, 0.5 * (low + high), np.nan)


def group_masses(score: Numbers, truth: Numbers, weights: Numbers) -> tuple[Array, Array]:
    """Return the positive and negative weight (B, G) of every group of equal scores, rising."""
    used = truth >= 0
    if not used.any():
        nothing = np.zeros((len(weights), 1))
        return nothing, nothing
    rows = np.flatnonzero(used)
    order, starts = find_tie_groups(score[rows])
    rows = rows[order]
    # (B, n), a resample's weights side by side: else their sums would depend on the number of rows
    ordered = np.take(weights, rows, axis=1).astype(np.float64)
    positive = ordered * (truth[rows] == 1)
    negative = ordered * (truth[rows] == 0)
    if len(starts) == len(rows):  # no ties: every case is a group, and there is nothing to add
        return positive, negative
    return np.add.reduceat(positive, starts, axis=1), np.add.reduceat(negative, starts, axis=1)


def sum_falling_masses(score: Numbers, truth: Numbers, weights: Numbers) -> tuple[Array, Array]:
    """Return the weights of the groups from the highest score down, as a threshold meets them."""
    positive, negative = group_masses(score, truth, weights)
    return positive[:, ::-1], negative[:, ::-1]


def sum_in_order(parts: Array) -> Array:
    """Return the sums of the rows, added from left to right as a compiled scan adds them.

    `sum` adds in pairs, which differs in the last bit; results must not depend on the path taken.
    """
    return np.asarray(np.cumsum(parts, axis=1)[:, -1])


def auc_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Weighted Mann-Whitney: the share of (positive, negative) pairs in order, ties one half."""
    positive, negative = group_masses(score, truth, weights)
    below = np.cumsum(negative, axis=1) - negative
    twice = (positive * (2.0 * below + negative)).sum(axis=1)  # exact for counts below 2**53
    return divide(twice, 2.0 * positive.sum(axis=1) * negative.sum(axis=1))


def average_precision_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the mean over positives of the precision at their score, NaN without positives."""
    positive, negative = sum_falling_masses(score, truth, weights)
    hits = np.cumsum(positive, axis=1)
    precision = ratio(hits, hits + np.cumsum(negative, axis=1), undefined=0.0)
    return divide(sum_in_order(positive * precision), positive.sum(axis=1))


def ks_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the largest distance between the score distributions of the two classes."""
    positive, negative = group_masses(score, truth, weights)
    total, other = positive.sum(axis=1, keepdims=True), negative.sum(axis=1, keepdims=True)
    lead = np.cumsum(positive, axis=1) * other - np.cumsum(negative, axis=1) * total
    return divide(np.abs(lead).max(axis=1), (total * other)[:, 0])


def partial_auc_scan(score: Numbers, truth: Numbers, weights: Numbers, *, max_fpr: float) -> Array:
    """Return the area left of `max_fpr`, scaled so that chance is 1/2 and the best is 1.

    The scale is McClish's (1989): (1 + (area - least) / (most - least)) / 2, where most is
    `max_fpr` and least the triangle below the diagonal.
    """
    positive, negative = sum_falling_masses(score, truth, weights)
    limit = max_fpr * negative.sum(axis=1, keepdims=True)
    reached = np.minimum(np.cumsum(negative, axis=1), limit)
    width = np.diff(reached, axis=1, prepend=0.0)  # what of a group lies left of the limit
    before = np.cumsum(positive, axis=1) - positive
    twice = width * (2.0 * before + ratio(width, negative, undefined=0.0) * positive)
    area = ratio(sum_in_order(twice), 2.0 * positive.sum(axis=1) * negative.sum(axis=1))
    least, most = 0.5 * max_fpr**2, max_fpr
    scaled = 0.5 * (1.0 + (area - least) / (most - least))
    return np.clip(scaled, *partial_limits(max_fpr))


def partial_limits(max_fpr: float) -> tuple[float, float]:
    """Return the standardised value of an area of 0, and of the largest one."""
    return (1.0 - max_fpr) / (2.0 - max_fpr), 1.0


# How well scores put the cases of classes in order, and that of two classes.
class_order = partial(
    RankMetric,
    greater_is_better=True,
    limits=(0.0, 1.0),
    needs=Need.SCORE,
    needs_all_classes=True,
)
_of_two_classes = partial(class_order, tasks=BINARY, views=positives_against_negatives)

roc_auc = register(
    _of_two_classes(
        name="roc_auc",
        title="ROC AUC",
        reading=Reading.PAIRS,
        aliases=("auc", "roc_auc_score", "auroc", "auc_roc", "roc", "c_statistic"),
        scan=auc_scan,
        kernel="roc_auc",
    )
)

average_precision = register(
    _of_two_classes(
        name="average_precision",
        title="average precision",
        aliases=("average_precision_score", "pr_auc", "auprc", "auc_pr"),
        scan=average_precision_scan,
        kernel="average_precision",
    )
)

ks = register(
    _of_two_classes(
        name="ks",
        title="Kolmogorov-Smirnov distance",
        aliases=("ks_statistic", "kolmogorov_smirnov"),
        scan=ks_scan,
        kernel="ks",
    )
)


@register_factory
def partial_roc_auc(max_fpr: float = 0.1) -> RankMetric:
    """Return the standardised AUC of the false positive rates up to `max_fpr`.

    It is scikit-learn's `roc_auc_score(max_fpr=...)`: 1/2 for chance, 1 for the best.

    Examples
    --------
    >>> from earnest.metrics.ranking import partial_roc_auc
    >>> partial_roc_auc(max_fpr=0.2).name
    'partial_roc_auc(max_fpr=0.2)'
    """
    if max_fpr != 1:
        max_fpr = check.check_share("max_fpr", max_fpr)
    max_fpr = float(max_fpr)
    return _of_two_classes(
        name=name_with_knobs("partial_roc_auc", {"max_fpr": max_fpr}, {"max_fpr": 0.1}),
        title=f"partial ROC AUC (false positive rate up to {max_fpr:g})",
        limits=partial_limits(max_fpr),
        aliases=("pauc",) if max_fpr == 0.1 else (),
        knobs={"max_fpr": max_fpr},
        scan=partial(partial_auc_scan, max_fpr=max_fpr),
        kernel="partial_roc_auc",
    )


def is_auc(metric: Metric, target: Target) -> bool:
    """Tell whether a metric is the AUC of two classes, as a score or as a loss."""
    return metric.area and target.task is Task.BINARY


def line_of(metric: Metric) -> tuple[float, float]:
    """Return a and b of `metric = a + b * AUC`: an AUC of 0 is its worst value, one of 1 its best.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.metrics.ranking import line_of
    >>> line_of(en.metric("roc_auc"))
    (0.0, 1.0)
    """
    worst, best = metric.limits if metric.greater_is_better else metric.limits[::-1]
    return worst, best - worst
