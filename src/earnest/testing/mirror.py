"""The same metric with the other sign."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.data.target import Target
from earnest.metrics.families import (
    Array,
    CallableMetric,
    Metric,
    MomentMetric,
    Moments,
    RankMetric,
    ratio,
)


def mirrored(metric: Metric) -> Metric:
    """Return the negation of a metric: a score becomes a loss and a loss a score.

    A method must give the mirrored value and limits for it.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.testing import mirrored
    >>> loss = mirrored(en.metric("roc_auc"))
    >>> loss.name, loss.greater_is_better, loss.limits
    ('minus_roc_auc', False, (-1.0, 0.0))
    """
    low, high = metric.limits
    common: dict[str, Any] = {
        "name": f"minus_{metric.name}",
        "title": f"minus {metric.title}",
        "greater_is_better": not metric.greater_is_better,
        "limits": (0.0 - high, 0.0 - low),  # never -0.0
        "aliases": (),
    }
    if isinstance(metric, MomentMetric):
        return _moments(metric, common)
    if isinstance(metric, RankMetric):
        return replace(metric, **common, combine=_negative(metric.combine))
    if isinstance(metric, CallableMetric):
        return replace(metric, **common, function=_negative(metric.function))
    raise InputError("this metric is of no known family", got=type(metric).__name__)


def _negative(function: Any) -> Any:
    def negative(*args: Any, **options: Any) -> Any:
        return -function(*args, **options)

    return negative


def _moments(metric: MomentMetric, common: dict[str, Any]) -> MomentMetric:
    if not metric.mean_of_cases:
        return replace(metric, **common, combine=_negative(metric.combine))

    # A mean of cases must stay one, so the numbers of the cases change their sign.
    def features(target: Target, response: NDArray[Any], centre: Any) -> Moments:
        given = metric.features(target, response, centre)
        own: Array = -np.asarray(given.own, dtype=np.float64)
        return Moments(own, given.shared)

    def mean(own: Array, shared: Array) -> Array:
        return ratio(own[0], shared[0])

    return replace(metric, **common, features=features, combine=mean)
