"""Limits of estimates from bootstrap-trained models, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from earnest.core.cautions import of_limits
from earnest.core.data.replicates import Replicates
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    EqualCaseLimits,
    LimitSource,
    LogitLimits,
    NormalLimits,
    ShareLimits,
)
from earnest.inference.left_out.estimates import (
    cases_left_out,
    has_cases,
    has_pairs,
    pairs_left_out,
)
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.inference.limits.unseen_errors import allow_for_unseen_errors
from earnest.inference.remarks import few_for_an_auc, few_groups_in_variance
from earnest.metrics.families import Metric

FEW_CASES = 30  # under which a mean is far from normal
FEWEST = 10  # replicates, under which they do not tell their own noise
USUAL = 200  # replicates; fewer are never advised
NOISY = 0.1  # the share by which noise of the replicates may leave a standard error open
FLAT = 1e-12  # a spread below this share of the values is rounding


@dataclass(frozen=True)
class ReplicateLimits:
    """Where limits come from, and what to be careful about; no source where there are none."""

    source: LimitSource | None
    cautions: tuple[Caution, ...]


def find_replicate_limits(
    replicates: Replicates,
    metric: Metric,
    estimate: LeftOutEstimate,
    *,
    value: float | None = None,
    ratio: float = 1.0,
) -> ReplicateLimits:
    """Return the limits of a leave-one-out or leave-pair-out estimate.

    With a `value` they are laid around that one, with `ratio` times the standard error.
    """
    pairs = has_pairs(metric, replicates.target)
    value = estimate.value if value is None else value
    if _flat(estimate):
        source, remark = _without_spread(replicates, metric, value, pairs)
        remarks = (*warn_of_unseen(estimate, pairs=pairs), remark)
    else:
        source = _lay_around(metric, value, estimate.standard_error * ratio, pairs)
        remarks = tuple(_remarks(replicates, metric, estimate, pairs))
    source = allow_for_unseen_errors(source, replicates.left_out, metric, value=value)
    return ReplicateLimits(source, remarks)


def scaled_limits(
    replicates: Replicates, metric: Metric, value: float, *, of: str, scaled: bool = True
) -> ReplicateLimits:
    """Return limits of a related estimate: the standard error of the form that has one, scaled.

    The error of an error rate goes with its size, so that of the leave-one-out error is scaled by
    the ratio of the two estimates. A score is scaled by the ratio of its distances from the best
    possible one, so that accuracy and error rate have the same standard error.

    Parameters
    ----------
    replicates, metric
        The evidence, and what is measured.
    value : float
        The estimate that the limits are put around.
    of : str
        Its name.
    scaled : bool
        Whether it is scaled; an average of the same losses in another order is not.
    """
    pairs = has_pairs(metric, replicates.target)
    if not pairs and not has_cases(metric):
        remark = of_limits.no_influence_function(metric.title)
        return ReplicateLimits(None, (remark,))
    estimate = pairs_left_out(replicates, metric) if pairs else cases_left_out(replicates, metric)
    ratio = _ratio(metric, value, estimate.value) if scaled else 1.0
    limits = find_replicate_limits(replicates, metric, estimate, value=value, ratio=ratio)
    if _flat(estimate):
        return limits
    note = of_limits.error_of_related(of, pairs=pairs, ratio=ratio if scaled else None)
    return ReplicateLimits(limits.source, (*limits.cautions, note))


def _lay_around(metric: Metric, value: float, error: float, pairs: bool) -> LimitSource:
    low, high = metric.limits
    if pairs and low < value < high:
        return LogitLimits(value, error, low, high)
    return NormalLimits(value, error)


def _ratio(metric: Metric, value: float, base: float) -> float:
    """Return the distance of a value from the best possible one, against that of another."""
    best = metric.limits[1] if metric.greater_is_better else metric.limits[0]
    if not math.isfinite(best) or base == best:
        return 1.0
    return abs((best - value) / (best - base))


def _flat(estimate: LeftOutEstimate) -> bool:
    size = float(np.nanmax(np.abs(estimate.per_case)))
    return estimate.raw_variance <= (FLAT * size) ** 2 or estimate.variance <= 0.0


def _without_spread(
    replicates: Replicates, metric: Metric, value: float, pairs: bool
) -> tuple[LimitSource, Caution]:
    """Return limits if no case differs from another, although unseen ones may."""
    target = replicates.target
    units = target.n if replicates.groups is None else len(np.unique(replicates.groups))
    if pairs:
        count = int(target.event.sum()) if target.event is not None else int((target.y == 1).sum())
        few = max(1, min(count, target.n - count if target.event is None else count, units // 2))
        return ShareLimits(value, few, *metric.limits, exact=True), of_limits.pairs_ordered_alike(
            few
        )
    low, high = metric.limits if metric.pointwise else (-math.inf, math.inf)
    return EqualCaseLimits(value, units, low, high), of_limits.cases_equal()


def _remarks(
    replicates: Replicates, metric: Metric, estimate: LeftOutEstimate, pairs: bool
) -> Iterator[Caution]:
    yield from warn_of_unseen(estimate, pairs=pairs)
    yield from noise_remarks(estimate)
    yield from few_groups_in_variance(replicates.groups)
    yield from few_for_an_auc(replicates.resubstituted, metric)
    if not pairs and replicates.groups is None and replicates.n_cases < FEW_CASES:
        yield of_limits.few_for_normal_limits(replicates.n_cases, unlike=None)


def noise_remarks(estimate: LeftOutEstimate) -> Iterator[Caution]:
    """Yield a caution where the finite number of replicates shows in the standard error."""
    count = estimate.n_replicates
    if count < FEWEST:
        yield of_limits.few_replicates(count, USUAL)
    elif estimate.drowned:
        yield of_limits.replicates_drowned(count, _round_up(4 * count))
    elif estimate.noise_error > NOISY:
        yield of_limits.replicates_noisy(
            count, estimate.noise_error, _round_up(count * _count_needed(estimate))
        )


def _count_needed(estimate: LeftOutEstimate) -> float:
    """Return how many times as many replicates bring the noise down to what is allowed."""
    allowed = 4.0 * NOISY**2 * len(estimate.influence)  # of 2 r² + 4 r, r the noise's share
    return estimate.noise_variance / estimate.variance / (math.sqrt(1.0 + allowed / 2.0) - 1.0)


def _round_up(count: float) -> int:
    """Return a number that is easy to type, no smaller, and none that is known to be too small."""
    count = max(count, USUAL)
    unit = 10 ** max(0, int(math.log10(count)) - 1)
    return int(math.ceil(count / unit) * unit)


def warn_of_unseen(estimate: LeftOutEstimate, *, pairs: bool) -> Iterator[Caution]:
    """Yield a caution where no replicate left out some cases, or pairs of cases."""
    if estimate.n_unseen:
        yield of_limits.never_left_out(
            estimate.n_unseen, pairs=pairs, replicates=estimate.n_replicates
        )
