"""Metrics of survival: Harrell's concordance index.

A pair (i, j) is comparable where case i had the event and case j was seen without it for longer,
or was censored at the very time: event_i and (time_i < time_j, or time_i = time_j and not
event_j). It is concordant where case i has the higher risk, and counts one half where the risks are
equal (Harrell, Lee and Mark 1996). A pair weighs what its cases weigh together, w_i w_j.
"""

from __future__ import annotations

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.sums import weighted_sums
from earnest.core.data.target import Target
from earnest.core.results.readings import Reading
from earnest.metrics.families import SURVIVAL, Array, Need, RankMetric, View, divide, register

PAIRS = 1 << 22  # pairs of cases compared at a time


def times_and_events(target: Target) -> tuple[View, ...]:
    """Return the one view of a survival target: times and events (n, 2)."""
    assert target.event is not None  # Target has events for this task
    return (View(np.column_stack([target.y, target.event.astype(np.float64)])),)


def concordance_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the share of comparable pairs in which the earlier event has the higher risk."""
    whole = weights.dtype.kind in "ui"
    heavy = weights.astype(np.float64)
    time, event = truth[:, 0], truth[:, 1] > 0
    earlier = np.flatnonzero(event)
    twice, pairs = np.zeros(len(heavy)), np.zeros(len(heavy))
    step = max(1, PAIRS // len(time))
    for start in range(0, len(earlier), step):
        i = earlier[start : start + step, None]  # against every j
        comparable = (time[i] < time) | ((time[i] == time) & ~event)
        credit = comparable * (2.0 * (score[i] > score) + (score[i] == score))
        weight = np.take(heavy, i[:, 0], axis=1)
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
