"""Limits of any estimate that allow for unseen errors, and those of scores that show no spread.

Where all draws are equal, or the variance of a score is 0, only the number of cases limits how many
unlike ones may have gone unseen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    WIDTH_LEVEL,
    EqualCaseLimits,
    LimitSource,
    NormalLimits,
    ShareLimits,
    WidenedLimits,
    best_of,
)
from earnest.core.results.specs import Side
from earnest.inference.cases.case_values import CaseValues, case_values, mean_moments
from earnest.inference.cases.fold_variance import Variance, variance_of_mean
from earnest.inference.limits.ceiling import (
    TAIL,
    bad_end,
    disjoint_pairs,
    is_best_possible,
    limits_near_best,
    make_outcome_features,
    never_beyond_perfect,
    no_error,
    perfect_limits,
    score_one,
)
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.skewness import allow_for_skewness
from earnest.inference.limits.unseen_errors import ErrorCosts, is_loss_of_chances
from earnest.inference.limits.winner_law import in_range
from earnest.metrics.families import Metric, MomentMetric, Need

NEAR_BEST = 0.9  # of the range of a metric
MOSTLY = 0.9  # a share of equal draws that is worth a caution


def with_spread(
    source: LimitSource,
    pi: Predictions,
    metric: Metric,
    *,
    value: float,
    contest: Contest | None = None,
    by_law: bool = True,
    by_fold: bool = False,
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return limits that allow for unseen errors, and what to say about them.

    Near the best score, and for mean losses of numbers, the pessimistic end is the outer one of
    the resampled limit and the limit by the distribution of the score. If the draws are all equal
    elsewhere, the limits are those for unseen cases.

    Parameters
    ----------
    source : LimitSource
        The limits so far.
    pi : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float
        The corrected value.
    contest : Contest, optional
        What it was chosen from on these cases, so that the pessimistic end holds for whichever won.
    by_law : bool
        Whether to use the distribution for any number of errors; otherwise no limit is closer to
        the best than that of a perfect score.
    by_fold : bool
        Without a contest: whether the value is a mean over folds.
    """
    width = source.has_width
    if by_law:
        near = limits_near_best(pi, metric, value, contest, source if width else None)
        widened = source if near is None else WidenedLimits(source, (near,), bad_end(metric))
    else:
        widened = never_beyond_perfect(source, pi, metric, value, by_fold=by_fold)
    if width:
        remarks = (*_mostly_equal(source.draws, widened), *_near_best(widened, metric, value))
        return allow_for_skewness(widened, pi, metric, value) if by_law else widened, remarks
    if widened is not source and is_best_possible(metric, value):
        rivals = 1 if contest is None else contest.pi.n_configs
        return widened, (no_error(metric, pi.target, rivals),)
    rivals = 1 if contest is None or widened is not source else contest.pi.n_configs
    floor, remark = unseen_limits(pi, metric, rivals)
    floor = best_of(floor, rivals, metric.greater_is_better)
    return WidenedLimits(widened, (floor,)), (remark,)


def unseen_limits(pi: Predictions, metric: Metric, rivals: int = 1) -> tuple[LimitSource, Caution]:
    """Return what can be said of a metric where the cases of one configuration show no spread.

    The limits are those of the one; the caution counts the rivals that it was chosen from.
    """
    try:
        cases = case_values(pi, metric)
    except EarnestError:  # a metric that no case has a part of, or too few cases for its parts
        return _pair_limits(pi, metric, rivals)
    return limits_without_spread(pi, cases, metric, rivals)


def _pair_limits(pi: Predictions, metric: Metric, rivals: int) -> tuple[LimitSource, Caution]:
    """Return the exact limits of pairs that share no case, or open ones without a finite range."""
    pairs = disjoint_pairs(pi.target)
    value = score_one(pi, metric)
    low, high = metric.limits
    if not np.isfinite([low, high]).all():
        return EqualCaseLimits(value, pi.n_cases, low, high), of_limits.draws_equal(None, rivals)
    return ShareLimits(value, pairs, low, high, exact=True), of_limits.draws_equal(pairs, rivals)


def _mostly_equal(draws: NDArray[np.float64] | None, limits: LimitSource) -> Iterator[Caution]:
    valid = np.empty(0) if draws is None else draws[~np.isnan(draws)]
    if len(valid) == 0 or isinstance(limits, WidenedLimits):
        return
    _, counts = np.unique(valid, return_counts=True)
    if counts.max() >= MOSTLY * len(valid):
        yield of_limits.draws_mostly_equal(float(counts.max() / len(valid)))


def _near_best(limits: LimitSource, metric: Metric, value: float) -> Iterator[Caution]:
    """Yield a note if few errors would put the pessimistic limit too close to the score."""
    if not isinstance(limits, WidenedLimits) or not limits.decides(WIDTH_LEVEL, Side.TWO_SIDED):
        return
    side = 0 if metric.greater_is_better else 1
    end = limits.drawn.limits(WIDTH_LEVEL, Side.TWO_SIDED)[side]
    if float(in_range(metric, np.array(value))) >= NEAR_BEST and np.isfinite(end):
        yield of_limits.near_best(float(end))


def limits_without_spread(
    pi: Predictions, cases: CaseValues, metric: Metric, rivals: int = 1
) -> tuple[LimitSource, Caution]:
    """Return limits and a caution where the variance of one configuration is 0.

    If cases do vary, between folds or within groups, their variance over all pairs is used.
    Otherwise the limits say how large a share of different cases (or groups) may have gone unseen,
    and what these would do to the metric.
    """
    value, units = float(cases.value[0]), min(cases.n_units, pi.target.labelled_units)
    for groups in (cases.groups, None):
        variance = variance_of_mean(cases.spread, cases.folds, groups, Variance.ALL_PAIRS)[0]
        if variance > 0.0:
            return NormalLimits(value, float(variance) ** 0.5), of_limits.spread_elsewhere(
                "case" if groups is None else "group", rivals
            )
    by_fold = len(np.unique(cases.folds[cases.folds >= 0])) > 1
    if cases.kind == "placements" and is_best_possible(metric, value):
        return perfect_limits(pi, metric, by_fold=by_fold), no_error(metric, pi.target, rivals)
    if cases.kind == "placements":
        pairs = max(1, min(independent_pairs(pi, cases), units // 2))
        return ShareLimits(value, pairs, *metric.limits, exact=True), of_limits.order_in_every_fold(
            pairs, rivals
        )
    low, high = metric.limits if cases.kind == "pointwise" else reach(pi, metric, value, units)
    source = EqualCaseLimits(value, units, low, high)
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        costs = ErrorCosts.of(pi, metric)
        source = costs.without_errors() if costs.unseen > 0.0 else source
    return source, of_limits.cases_equal(rivals)


def independent_pairs(pi: Predictions, cases: CaseValues) -> int:
    """Return how many pairs of unlike class can be made in folds without using a case twice.

    Such pairs are independent, and each is in order with the AUC of its fold as its probability.
    """
    fewest = pi.n_cases
    for folds in cases.folds.T:
        members = [
            np.bincount(folds[(pi.target.y == code) & (folds >= 0)], minlength=folds.max() + 1)
            for code in range(len(pi.target.classes))
        ]
        fewest = min(fewest, int(np.min(members, axis=0).sum()))
    return fewest


def reach(pi: Predictions, metric: Metric, value: float, units: int) -> tuple[float, float]:
    """Return where the metric would be if all cases were as bad, or as good, as unseen ones may be.

    The share of unseen cases is that of a 95 % limit, and each pair of a true and a predicted class
    is tried for them. Nothing bounds what an unseen value of a regression does.
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
    terms, shared = mean_moments(pi, metric, repeat)
    unlike, common = make_outcome_features(metric, pi.target)
    weight = 1.0 - share
    return metric.combine(weight * terms + share * unlike, weight * shared + share * common)[:, 0]
