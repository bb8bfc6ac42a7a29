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
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import EqualCaseLimits, LimitSource
from earnest.core.results.limits import ShareLimits, WidenedLimits, best_of, draws_of
from earnest.core.results.specs import Side
from earnest.inference.cases.case_values import case_values
from earnest.inference.limits.no_spread import limits_without_spread
from earnest.kernels.score import score_selected
from earnest.metrics.families import Metric

LEVEL = 0.95  # at which limits that are a point are replaced, whatever level is asked for
ROUNDING = 1e-9  # of the size of the values
FEWEST = 40  # draws that leave one beyond each end at that level
MOSTLY = 0.9  # a share of equal draws that is worth a caution


def with_spread(
    source: LimitSource, one: Predictions, metric: Metric, *, rivals: int = 1
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return limits that do not take a sample without spread for certainty, and what to say of it.

    Parameters
    ----------
    source : LimitSource
        The limits so far; they stay where a two-sided 95 % interval has a width.
    one : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured.
    rivals : int
        From how many configurations it was chosen on these cases: the bad end of the wider limits
        is read at Sidak's level for them.
    """
    if has_width(source):
        return source, tuple(_mostly_equal(draws_of(source)))
    floor, remark = unseen_limits(one, metric)
    floor = best_of(floor, rivals, metric.greater_is_better)
    return WidenedLimits(source, floor), (remark if rivals == 1 else _of_the_best(remark, rivals),)


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
            "The interval has no width, as published: nothing else was seen, which does not mean "
            "that there is nothing else.",
            "Leave `variant` out, which gives limits for what went unseen.",
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
    cure = "Only more cases can tell more."
    if not np.isfinite([low, high]).all():
        return EqualCaseLimits(value, one.n_cases, low, high), Caution(
            "EN035",
            "Every resample gives the same value.",
            "Cases that went unseen could move the metric anywhere in its range, and so do the "
            "limits.",
            cure,
        )
    return ShareLimits(value, pairs, low, high, exact=True), Caution(
        "EN035",
        "Every resample gives the same value.",
        "The limits are not those of the resamples but the exact ones of Clopper and Pearson for "
        f"{'one pair' if pairs == 1 else f'{pairs} pairs'} of cases.",
        cure,
    )


def disjoint_pairs(target: Target) -> int:
    """Return how many independent pairs of comparable cases there are, at least 1.

    Of classes these are pairs of a case of the rarest one with another. Of survival times about
    the share of all pairs that can be compared, of the pairs made by chance.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.limits.drawn_spread import disjoint_pairs
    >>> disjoint_pairs(en.Predictions.from_arrays([0, 1, 0, 1, 0], [0.1] * 5).target)
    2
    """
    units = target.n if target.groups is None else len(np.unique(target.groups))
    most = units // 2
    if target.event is not None:
        most = min(most, int(most * _comparable(np.asarray(target.y, dtype=float), target.event)))
    elif len(target.classes):
        most = min(most, int(np.bincount(target.y, minlength=len(target.classes)).min()))
    return max(1, most)


def _comparable(time: NDArray[np.float64], event: NDArray[np.bool_]) -> float:
    """Return the share of pairs of which the earlier case had its event."""
    later = len(time) - np.searchsorted(np.sort(time), time[event], side="right")
    return float(later.sum()) / max(1, len(time) * (len(time) - 1) // 2)


def _of_the_best(remark: Caution, rivals: int) -> Caution:
    return Caution(
        remark.code,
        remark.what,
        f"{remark.consequence} The bad end is read at Sidak's level for {rivals} configurations.",
        remark.cure,
        remark.severity,
    )


def _mostly_equal(draws: NDArray[np.float64] | None) -> Iterator[Caution]:
    valid = np.empty(0) if draws is None else draws[~np.isnan(draws)]
    if len(valid) == 0:
        return
    _, counts = np.unique(valid, return_counts=True)
    if counts.max() >= MOSTLY * len(valid):
        yield Caution(
            "EN035",
            f"{counts.max() / len(valid):.0%} of the resamples give the same value.",
            "The limits rest on the few others, and are rough; at a lower level they are a point.",
            "Only more cases can tell more.",
        )
