"""The same metric with the other sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, cast

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

F = TypeVar("F", bound=Callable[..., object])


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
    made = replace(
        metric,
        name=f"minus_{metric.name}",
        title=f"minus {metric.title}",
        greater_is_better=not metric.greater_is_better,
        limits=(0.0 - high, 0.0 - low),  # never -0.0
        aliases=(),
    )
    if isinstance(made, MomentMetric):
        return _mirror_moments(made)
    if isinstance(made, RankMetric):
        return replace(made, combine=_negate(made.combine))
    if isinstance(made, CallableMetric):
        return replace(made, function=_negate(made.function))
    raise InputError("this metric is of no known family", got=type(metric).__name__)


def _negate(function: F) -> F:
    def negative(*args: object, **options: object) -> object:
        return -function(*args, **options)  # type: ignore[operator]  # arrays and numbers

    return cast(F, negative)


def _mirror_moments(metric: MomentMetric) -> MomentMetric:
    if not metric.mean_of_cases:
        return replace(metric, combine=_negate(metric.combine))

    # A mean of cases must stay one, so the numbers of the cases change their sign.
    def features(target: Target, response: NDArray[np.generic], centre: float) -> Moments:
        given = metric.features(target, response, centre)
        own: Array = -np.asarray(given.own, dtype=np.float64)
        return Moments(own, given.shared)

    def mean(own: Array, shared: Array) -> Array:
        return ratio(own[0], shared[0])

    return replace(metric, features=features, combine=mean)
