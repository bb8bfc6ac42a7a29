"""Leave-one-out and leave-pair-out estimates of a metric, whatever its family.

A mean over cases has its losses. A function of sums is taken of the mean moments of cases left
out, and linearised there (the delta method). The AUC and the concordance index are means over
pairs of cases left out together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.replicates import Replicates
from earnest.core.data.target import Target, Task
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import slope
from earnest.inference.left_out.leave_one_out import (
    LeftOutEstimate,
    leave_one_out,
    nothing_left_out,
)
from earnest.inference.left_out.leave_pair_out import leave_pair_out, pairs_of
from earnest.inference.left_out.scores import features
from earnest.metrics.families import Array, Metric, MomentMetric, RankMetric
from earnest.metrics.survival import concordance_scan


def has_cases(metric: Metric) -> bool:
    """Tell whether a metric is a mean over cases or a function of sums."""
    return isinstance(metric, MomentMetric)


def has_pairs(metric: Metric, target: Target) -> bool:
    """Tell whether a metric is a mean over pairs: the AUC of two classes, or a concordance."""
    if target.task is Task.BINARY:
        return metric.area
    if target.task is not Task.SURVIVAL:
        return False
    return isinstance(metric, RankMetric) and metric.scan is concordance_scan


def need_cases(metric: Metric) -> MomentMetric:
    """Return a metric that is a mean over cases or a function of sums, and refuse another."""
    if not isinstance(metric, MomentMetric):
        raise MetricError(
            f"metric {metric.name!r} has no value for a single case",
            needs="a mean over cases such as 'accuracy', or a function of sums such as 'f1'",
            got=metric.name,
            cure=f"Use {arg('method', 'lpob')} for the AUC and the concordance index, otherwise "
            "'err_star'.",
        )
    return metric


def need_pairs(metric: Metric, target: Target) -> RankMetric:
    """Return a metric that is a mean over pairs of cases, and refuse another."""
    if not isinstance(metric, RankMetric) or not has_pairs(metric, target):
        raise MetricError(
            f"metric {metric.name!r} is not a mean over pairs of cases",
            needs="'roc_auc' of two classes, or 'concordance'",
            got=metric.name,
            cure=f"Use {arg('method', 'loob')} for means over cases and functions of sums, "
            "otherwise "
            "'err_star'.",
        )
    return metric


def cases_left_out(replicates: Replicates, metric: Metric) -> LeftOutEstimate:
    """Return the metric by models that did not see the case, with its influences."""
    metric = need_cases(metric)
    value, terms = case_terms(replicates, metric)
    estimate = leave_one_out(
        terms, replicates.counts, strata=replicates.strata, groups=replicates.groups
    )
    return estimate if value is None else replace(estimate, value=value)


def case_terms(replicates: Replicates, metric: MomentMetric) -> tuple[float | None, Array]:
    """Return what a case adds under each replicate (B, n); for a function of sums its value too.

    The mean over cases of the mean over the replicates that left a case out is the metric.
    """
    terms = np.empty((replicates.n_replicates, replicates.n_cases))
    if metric.mean_of_cases:
        for block, numbers, _ in features(replicates, metric):
            terms[block] = numbers[0].T
        return None, terms
    middle, common = _average_moments(replicates, metric)
    value = float(metric.combine(middle, common)[0, 0])
    if np.isnan(value):
        raise EvidenceError(
            f"metric {metric.name!r} is undefined on the cases left out",
            needs="left-out cases on which the metric has a value",
            cure="Train more replicates, or choose another metric.",
        )
    out = replicates.out_of_bag()
    # So little weight that every case and replicate has it, and no sum leaves what could be.
    parts = replicates.n_cases * int(out.sum(axis=0).max())
    for block, numbers, shared in features(replicates, metric):
        apart = out[block].T  # what a model saw does not count, and need not be possible
        away = np.where(apart, numbers.astype(np.float64) - middle, 0.0)
        aside = np.where(apart, shared.astype(np.float64)[:, :, None] - common, 0.0)

        def moved(step: float, away: Array = away, aside: Array = aside) -> Array:
            return metric.combine(middle + step * away, common + step * aside)

        moves, rounding = slope(moved, parts)
        moves[np.abs(moves) <= rounding] = 0.0
        terms[block] = value + moves.T
    return value, terms


def _average_moments(replicates: Replicates, metric: MomentMetric) -> tuple[Array, Array]:
    """Return the mean moments of cases left out, (m, 1, 1) and (s, 1, 1)."""
    out = replicates.out_of_bag()
    times = out.sum(axis=0)
    seen = times > 0
    if not seen.any():
        raise nothing_left_out()
    total, common = np.zeros((1, len(times))), np.empty(0)
    for block, numbers, shared in features(replicates, metric):
        for b, left in enumerate(out[block]):  # one by one, whatever the block
            total = total + np.where(left, numbers[:, :, b], 0.0)
        common = shared[:, seen].astype(np.float64).mean(axis=1)
    means = (total[:, seen] / times[seen]).mean(axis=1)
    return means[:, None, None], common[:, None, None]


def pairs_left_out(
    replicates: Replicates, metric: Metric, *, other: Replicates | None = None
) -> LeftOutEstimate:
    """Return the mean over pairs by models that saw neither case, with its influences.

    With another learner on the same draws it is the difference of the two.
    """
    metric = need_pairs(metric, replicates.target)
    estimate = leave_pair_out(
        replicates.responses.astype(np.float64),
        replicates.counts,
        pairs_of(replicates.target),
        other=None if other is None else other.responses.astype(np.float64),
        strata=replicates.strata,
        groups=replicates.groups,
    )
    return _convert_to_units(estimate, metric, difference=other is not None)


def unit_score(metric: RankMetric, share: float) -> float:
    """Return a share of pairs in order in the units of a metric, which may be a loss."""
    return float(metric.combine(np.full((1, 1, 1), share), np.ones((1, 1)))[0, 0])


def _convert_to_units(
    estimate: LeftOutEstimate, metric: RankMetric, *, difference: bool
) -> LeftOutEstimate:
    zero = unit_score(metric, 0.0)
    scale, start = unit_score(metric, 1.0) - zero, 0.0 if difference else zero
    if (start, scale) == (0.0, 1.0):
        return estimate
    return replace(
        estimate,
        value=start + scale * estimate.value,
        per_case=start + scale * estimate.per_case,
        influence=scale * estimate.influence,
        raw_variance=scale**2 * estimate.raw_variance,
        noise_variance=scale**2 * estimate.noise_variance,
        case_variance=scale**2 * estimate.case_variance,
    )
