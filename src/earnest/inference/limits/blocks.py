"""Limits of a score of cases in time order, whose losses depend on each other."""

from __future__ import annotations

import numpy as np

from earnest.core.results.interval import (
    BlockLimits,
    LimitSource,
    LossLimits,
)
from earnest.inference.cases.dependence import is_unexplained
from earnest.metrics.families import Metric, MomentMetric, root_mean


def limit_in_blocks(
    drawn: LimitSource, metric: Metric, value: float, error: float | None, df: int
) -> LimitSource:
    """Return limits with a standard error that allows for dependence, known with so few degrees.

    A mean of losses, its root, and 1 less a ratio of losses have a Gamma distribution. Other scores
    keep the form of their draws, whose distances from the value are multiplied so that they have
    this standard error.

    Parameters
    ----------
    drawn : LimitSource
        The limits of resamples of blocks.
    metric : Metric
        What is measured.
    value, error : float
        The corrected score and its standard error.
    df : int
        The degrees of freedom of the error.
    """
    draws = drawn.draws
    if error is None or not error > 0.0 or draws is None:
        return drawn
    spread = float(np.nanstd(draws, ddof=1))
    if not spread > 0.0:
        return drawn
    power, law = find_power(metric), None
    if is_unexplained(metric) and value < 1.0:
        law = LossLimits(1.0 - value, ((1.0 - value) / error) ** 2, 1.0, -1.0)
    elif power is not None and value > 0.0:
        shape = (power * value / error) ** 2
        law = LossLimits(value ** (1.0 / power), shape, power=power)
    return BlockLimits(drawn, value, error / spread, df, law)


def find_power(metric: Metric) -> float | None:
    """Return the power that makes a metric of a mean of losses from 0 up; None for others."""
    if not isinstance(metric, MomentMetric) or metric.greater_is_better:
        return None
    if metric.limits[0] != 0.0 or np.isfinite(metric.limits[1]):
        return None
    if metric.combine is root_mean:
        return 0.5
    return 1.0 if metric.mean_of_cases else None
