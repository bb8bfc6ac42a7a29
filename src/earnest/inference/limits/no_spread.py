"""Limits where the sample shows no spread, so that no normal law applies.

All labels are right, all losses are equal, the classes are separated: the variance is 0, which says
that nothing else was seen, not that there is nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import EqualCaseLimits, LimitSource, NormalLimits, ShareLimits
from earnest.inference.cases.case_values import CaseValues, mean_moments
from earnest.inference.cases.fold_variance import Variance, variance_of_mean
from earnest.inference.limits.ceiling import is_perfect, no_error, perfect_limits
from earnest.metrics.families import Metric, MomentMetric, Need

TAIL = 0.025  # of the level at which the slope of a function of sums is taken


def limits_without_spread(
    pi: Predictions, made: CaseValues, metric: Metric, units: int
) -> tuple[LimitSource, Caution]:
    """Return limits and a caution where the variance of one configuration is 0.

    Where cases vary after all, between folds or within groups, their variance over all pairs is
    used. Else the limits say how large a share of `units` like it may have gone unseen, and what
    these would do to the metric.
    """
    value = float(made.value[0])
    for groups in (made.groups, None):
        variance = variance_of_mean(made.spread, made.folds, groups, Variance.ALL_PAIRS)[0]
        if variance > 0.0:
            return NormalLimits(value, float(variance) ** 0.5), _remark(
                "The variance is 0, although cases vary.",
                f"The variance over all pairs of {'cases' if groups is None else 'groups'} is used "
                "instead.",
            )
    by_fold = len(np.unique(made.folds[made.folds >= 0])) > 1
    if made.kind == "placements" and is_perfect(metric, value):
        return perfect_limits(pi, metric, by_fold=by_fold), no_error(metric, pi.target)
    if made.kind == "placements":
        pairs = max(1, min(independent_pairs(pi, made), units // 2))
        return ShareLimits(value, pairs, *metric.limits, exact=True), _remark(
            "The order of the classes is the same in every fold.",
            "The limits are not normal: they are the exact limits of Clopper and Pearson for "
            f"{pairs} independent pairs of cases.",
        )
    low, high = metric.limits if made.kind == "pointwise" else reach(pi, metric, value, units)
    return EqualCaseLimits(value, units, low, high), _remark(
        "All cases contribute the same.",
        "The limits are not normal: they show how large a share of different cases may have "
        "gone unseen, and what these could do to the metric (the rule of three).",
    )


def _remark(what: str, consequence: str) -> Caution:
    return Caution("EN035", what, consequence, "Only more cases can tell you more.")


def independent_pairs(pi: Predictions, made: CaseValues) -> int:
    """Return how many pairs of unlike class can be made in folds without using a case twice.

    Such pairs are independent, and each is in order with the AUC of its fold as its probability.
    """
    fewest = pi.n_cases
    for folds in made.folds.T:
        members = [
            np.bincount(folds[(pi.target.y == code) & (folds >= 0)], minlength=folds.max() + 1)
            for code in range(len(pi.target.classes))
        ]
        fewest = min(fewest, int(np.min(members, axis=0).sum()))
    return fewest


def reach(pi: Predictions, metric: Metric, value: float, units: int) -> tuple[float, float]:
    """Return where a metric would be if all weight were as harmful, or as useful, as a little.

    The little is the share of cases that may have gone unseen at 95 %, and each pair of a true and
    a predicted class is tried for them. Nothing bounds what an unseen value of a regression does.
    """
    assert isinstance(metric, MomentMetric)
    if metric.needs is not Need.LABEL or metric.centre is not None:
        return -np.inf, np.inf
    share = 1.0 - TAIL ** (1.0 / units)
    moved = [_with_unlike(pi, metric, repeat, share) for repeat in range(pi.n_repeats)]
    slopes = (np.mean(moved, axis=0) - value) / share
    return value + float(min(slopes.min(), 0.0)), value + float(max(slopes.max(), 0.0))


def _with_unlike(
    pi: Predictions, metric: MomentMetric, repeat: int, share: float
) -> NDArray[np.float64]:
    """Return the metric with a share of the weight on each pair of true and predicted class."""
    own, shared = mean_moments(pi, metric, repeat)
    count = len(pi.target.classes)
    truth, said = np.divmod(np.arange(count**2), count)
    target = Target(y=truth, task=pi.target.task, classes=pi.target.classes)
    unlike = metric.features(target, said[:, None], None)
    kept = 1.0 - share
    return np.asarray(
        metric.combine(
            kept * own + share * unlike.own.astype(np.float64),
            kept * shared + share * np.atleast_2d(unlike.shared).astype(np.float64)[:, :, None],
        )[:, 0]
    )
