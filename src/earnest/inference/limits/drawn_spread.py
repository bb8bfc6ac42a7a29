"""Limits where resampled values all but agree, so that their quantiles are a point.

Twenty separated cases give an AUC of 1 in every resample. That nothing else was seen is no proof
that there is nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.interval import (
    EqualCaseLimits,
    LimitSource,
    ShareLimits,
    WidenedLimits,
    best_of,
    draws_of,
)
from earnest.core.results.specs import Side
from earnest.inference.cases.case_values import case_values
from earnest.inference.limits.ceiling import (
    Contest,
    bad_end,
    disjoint_pairs,
    is_perfect,
    limits_near_best,
    never_beyond_perfect,
    no_error,
)
from earnest.inference.limits.no_spread import limits_without_spread
from earnest.inference.limits.winner_law import in_range
from earnest.kernels.score import score_selected
from earnest.metrics.families import Metric

LEVEL = 0.95  # at which limits that are a point are replaced, whatever level is asked for
ROUNDING = 1e-9  # of the size of the values
FEWEST = 40  # draws that leave one beyond each end at that level
NEAR_BEST = 0.9  # of the range of a metric
MOSTLY = 0.9  # a share of equal draws that is worth a caution


def with_spread(
    source: LimitSource,
    one: Predictions,
    metric: Metric,
    *,
    value: float,
    contest: Contest | None = None,
    by_law: bool = True,
    by_fold: bool = False,
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return limits that do not take few errors for certainty, and what to say of them.

    Near the best score the bad end is the outer one of the resampled limit and of that by the law
    of the score; see `earnest.inference.limits.ceiling`. Draws that agree elsewhere have the
    limits of what went unseen.

    Parameters
    ----------
    source : LimitSource
        The limits so far.
    one : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float
        The corrected value.
    contest : Contest, optional
        From what it was chosen on these cases, so that the bad end holds for whoever won.
    by_law : bool
        Whether the law counts for any number of errors; else no limit is nearer to the best than
        that of a perfect score.
    by_fold : bool
        Without a contest: whether the value is a mean over folds.
    """
    width = has_width(source)
    if by_law:
        near = limits_near_best(one, metric, value, contest, source if width else None)
        made = source if near is None else WidenedLimits(source, near, bad_end(metric))
    else:
        made = never_beyond_perfect(source, one, metric, value, by_fold=by_fold)
    if width:
        return made, (*_mostly_equal(draws_of(source), made), *_near_best(made, metric, value))
    if made is not source and is_perfect(metric, value):
        return made, (no_error(metric, one.target, contest),)
    floor, remark = unseen_limits(one, metric)
    rivals = 1 if contest is None or made is not source else contest.pi.n_configs
    floor = best_of(floor, rivals, metric.greater_is_better)
    return WidenedLimits(made, floor), (remark if rivals == 1 else _of_the_best(remark, rivals),)


def has_width(source: LimitSource) -> bool:
    """Tell whether a two-sided 95 % interval is more than a point.

    A single draw tells nothing of the spread, so that its interval is not for us to judge.
    """
    draws = draws_of(source)
    if draws is not None and np.count_nonzero(~np.isnan(draws)) < FEWEST:
        low, high = (float(end) for end in (np.nanmin(draws), np.nanmax(draws)))
        return len(draws) < 2 or not _same(low, high)
    return not _same(*source.limits(LEVEL, Side.TWO_SIDED))


def no_width(source: LimitSource) -> Iterator[Caution]:
    """Yield a caution where limits that stay as published are a point."""
    if not has_width(source):
        yield Caution(
            "EN035",
            "The resamples give the same value.",
            "The interval has no width, as published. That nothing else was seen does not mean "
            "that there is nothing else.",
            "Leave `variant` out to get limits that allow for unseen cases.",
        )


def _same(low: float, high: float) -> bool:
    return high - low <= ROUNDING * max(abs(low), abs(high))


def unseen_limits(one: Predictions, metric: Metric) -> tuple[LimitSource, Caution]:
    """Return what can be said of a metric where the cases of one configuration show no spread."""
    try:
        made = case_values(one, metric)
    except EarnestError:  # a metric that no case has a part of, or too few cases for its parts
        return _pair_limits(one, metric)
    units = one.n_cases if made.groups is None else len(np.unique(made.groups))
    return limits_without_spread(one, made, metric, units)


def _pair_limits(one: Predictions, metric: Metric) -> tuple[LimitSource, Caution]:
    """Return the exact limits of pairs that share no case, or open ones without a finite range."""
    pairs = disjoint_pairs(one.target)
    ones = Weights.ones(one.n_cases)
    value = float(score_selected(one, metric, ones, np.zeros(1, dtype=np.intp))[0])
    low, high = metric.limits
    cure = "Only more cases can tell you more."
    if not np.isfinite([low, high]).all():
        return EqualCaseLimits(value, one.n_cases, low, high), Caution(
            "EN035",
            "Every resample gives the same value.",
            "Unseen cases could move the metric anywhere in its range, so the limits are that "
            "range.",
            cure,
        )
    return ShareLimits(value, pairs, low, high, exact=True), Caution(
        "EN035",
        "Every resample gives the same value.",
        "The limits do not come from the resamples: they are the exact limits of Clopper and "
        f"Pearson for {'one pair' if pairs == 1 else f'{pairs} pairs'} of cases.",
        cure,
    )


def _of_the_best(remark: Caution, rivals: int) -> Caution:
    return Caution(
        remark.code,
        remark.what,
        f"{remark.consequence} The pessimistic end is read at Sidak's level for {rivals} "
        "configurations.",
        remark.cure,
        remark.severity,
    )


def _mostly_equal(draws: NDArray[np.float64] | None, made: LimitSource) -> Iterator[Caution]:
    valid = np.empty(0) if draws is None else draws[~np.isnan(draws)]
    if len(valid) == 0 or isinstance(made, WidenedLimits):
        return
    _, counts = np.unique(valid, return_counts=True)
    if counts.max() >= MOSTLY * len(valid):
        yield Caution(
            "EN035",
            f"{counts.max() / len(valid):.0%} of the resamples give the same value.",
            "The limits depend on the few others and are rough; at a lower level they are a "
            "single point.",
            "Only more cases can tell you more.",
        )


def _near_best(made: LimitSource, metric: Metric, value: float) -> Iterator[Caution]:
    """Yield a note if few errors would put the pessimistic limit too close to the score."""
    if not isinstance(made, WidenedLimits) or not made.decides(LEVEL, Side.TWO_SIDED):
        return
    place = 0 if metric.greater_is_better else 1
    end = made.drawn.limits(LEVEL, Side.TWO_SIDED)[place]
    if float(in_range(metric, np.array(value))) >= NEAR_BEST and np.isfinite(end):
        yield Caution(
            "EN155",
            "The score is close to the best possible, with few errors.",
            f"Resamples of so few put the end of a 95 % interval at {end:.3g}, too close to the "
            "score. You get the limit from the distribution of the score, which is further away.",
            severity=Severity.NOTE,
        )
