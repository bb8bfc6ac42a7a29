"""Metrics of survival that judge the order of risks: Harrell's and Uno's C, the AUC at a time.

A pair (i, j) is comparable where case i had the event and case j was seen without it for longer,
or was censored at the very time: event_i and (time_i < time_j, or time_i = time_j and not
event_j). It is concordant where case i has the higher risk, and counts one half where the risks are
equal (Harrell, Lee and Mark 1996). A pair weighs what its cases weigh together, w_i w_j; in Uno's
C that over G(time_i -)², where G is the share not yet censored.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError
from earnest.core.base.sums import weighted_sums
from earnest.core.data.target import Target
from earnest.core.results.readings import Reading
from earnest.core.text.doors import arg
from earnest.metrics.censoring import Censoring
from earnest.metrics.families import SURVIVAL, Array, Need, RankMetric, View, divide, register
from earnest.metrics.resolve import name_with_knobs, register_factory

PAIRS = 1 << 22  # pairs of cases compared at a time


def times_and_events(target: Target) -> tuple[View, ...]:
    """Return the one view of a survival target: times and events (n, 2)."""
    assert target.event is not None  # Target has events for this task
    return (View(np.column_stack([target.y, target.event.astype(np.float64)])),)


def concordance_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the share of comparable pairs in which the earlier event has the higher risk."""
    return _compare_pairs(score, truth, weights, weights.astype(np.float64))


def _compare_pairs(score: Numbers, truth: Numbers, weights: Numbers, credits: Array) -> Array:
    """Return the share of concordant pairs, where a case weighs its credit as the earlier one."""
    whole = weights.dtype.kind in "ui"
    heavy = weights.astype(np.float64)
    time, event = truth[:, 0], truth[:, 1] > 0
    earlier = np.flatnonzero(event)  # whatever the weights of a block, so that bits stay
    twice, pairs = np.zeros(len(heavy)), np.zeros(len(heavy))
    step = max(1, PAIRS // len(time))
    for start in range(0, len(earlier), step):
        i = earlier[start : start + step, None]  # against every j
        comparable = (time[i] < time) | ((time[i] == time) & ~event)
        credit = comparable * (2.0 * (score[i] > score) + (score[i] == score))
        weight = np.take(credits, i[:, 0], axis=1)
        for total, won in ((twice, credit), (pairs, comparable.astype(np.float64))):
            beyond = heavy @ won.T if whole else weighted_sums(heavy, won.T)  # exact for counts
            total += (weight * beyond).sum(axis=1)
    return divide(twice, 2.0 * pairs)


concordance = register(
    RankMetric(
        name="concordance",
        title="concordance index",
        reading=Reading.EVENT_PAIRS,
        greater_is_better=True,
        limits=(0.0, 1.0),
        needs=Need.RISK,
        tasks=SURVIVAL,
        aliases=(
            "c_index",
            "cindex",
            "concordance_index",
            "concordance_index_censored",
            "harrell_c",
        ),
        views=times_and_events,
        scan=concordance_scan,
        kernel="concordance",
    )
)


def uno_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return Uno's C: pairs weigh the inverse squared share that is not yet censored."""
    time, event, tau = truth[:, 0], truth[:, 1] > 0, float(truth[0, 2])
    censoring = Censoring.of(time, event, weights)
    credits = weights.astype(np.float64) * censoring.square(tau)
    return _compare_pairs(score, truth, weights, credits)


def area_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the AUC of cases with an event by a time against those followed beyond it."""
    time, event, at = truth[:, 0], truth[:, 1] > 0, float(truth[0, 2])
    inverse = Censoring.of(time, event, weights).weigh(at)
    _, levels = np.unique(score, return_inverse=True)
    order = np.argsort(levels.reshape(-1), kind="stable")
    starts = np.searchsorted(levels.reshape(-1)[order], np.arange(levels.max() + 1))
    ranked, later = inverse[:, order], (time > at)[order]
    cases, controls = (np.add.reduceat(ranked * which, starts, axis=1) for which in (~later, later))
    below = np.cumsum(controls, axis=1) - controls
    twice = (cases * (2.0 * below + controls)).sum(axis=1)
    return divide(twice, 2.0 * cases.sum(axis=1) * controls.sum(axis=1))


def truth_until(target: Target, *, until: float | None, middle: bool = False) -> tuple[View, ...]:
    """Return times, events and a time (n, 3): the one asked for, the middle one, or the horizon."""
    (view,) = times_and_events(target)
    time = find_time(target, until, middle=middle)
    return (View(np.column_stack([view.truth, np.full(target.n, time)])),)


def find_time(target: Target, at: float | None, *, middle: bool = False) -> float:
    """Return the time a metric is about; NaN where nothing was ever followed."""
    if at is not None:
        return at
    if not target.times:
        return float("nan")
    return target.times[len(target.times) // 2 if middle else -1]


def check_time(name: str, time: float | None) -> float | None:
    """Return a time of a metric as a number above 0, None as it is."""
    if time is None:
        return None
    value = check.read_number(time)
    if not 0.0 < value < np.inf:
        raise InputError(
            f"{arg(name)} is not a time", needs="a finite number above 0", got=check.show(time)
        )
    return value


_of_ranks = partial(
    RankMetric, greater_is_better=True, limits=(0.0, 1.0), needs=Need.RISK, tasks=SURVIVAL
)


@register_factory
def uno_c(tau: float | None = None) -> RankMetric:
    """Return Uno's concordance, which does not depend on the censoring; events count before tau.

    By default tau is the horizon, when a tenth of the cases is still followed (Uno et al. 2011).

    Examples
    --------
    >>> from earnest.metrics.survival import uno_c
    >>> uno_c(tau=365).name
    'uno_c(tau=365)'
    """
    tau = check_time("tau", tau)
    return _of_ranks(
        name=name_with_knobs("uno_c", {"tau": tau}, {"tau": None}),
        title="Uno's concordance" if tau is None else f"Uno's concordance before {tau:g}",
        aliases=("uno", "concordance_index_ipcw") if tau is None else (),
        reading=Reading.EVENT_PAIRS,
        knobs={} if tau is None else {"tau": tau},
        views=partial(truth_until, until=tau),
        scan=uno_scan,
    )


@register_factory
def survival_auc(at: float | None = None) -> RankMetric:
    """Return the cumulative/dynamic AUC: events by a time against cases followed beyond it.

    Cases with an event weigh by the inverse share not yet censored (Uno et al. 2007). By default
    the time is the middle one of those at which survival is predicted.

    Examples
    --------
    >>> from earnest.metrics.survival import survival_auc
    >>> survival_auc(at=365).knobs
    {'at': 365.0}
    """
    at = check_time("at", at)
    return _of_ranks(
        name=name_with_knobs("survival_auc", {"at": at}, {"at": None}),
        title="AUC at a time" if at is None else f"AUC at {at:g}",
        aliases=("cumulative_dynamic_auc",) if at is None else (),
        knobs={} if at is None else {"at": at},
        views=partial(truth_until, until=at, middle=True),
        scan=area_scan,
    )
