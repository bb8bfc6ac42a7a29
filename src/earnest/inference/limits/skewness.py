"""Limits of a mean loss of numbers that allow for its skewness.

Most losses of numbers are small and a few are large. A sample with too few large ones has a low
mean and a small spread as well, so that the quantiles of its resamples end too early. A Gamma
distribution, whose spread grows with its mean, does not.
"""

from __future__ import annotations

import numpy as np

from earnest.core.data.predictions import Predictions
from earnest.core.results.interval import FewUnitsLimits, LimitSource, LossLimits, WidenedLimits
from earnest.inference.cases.case_values import case_values
from earnest.inference.limits.ceiling import bad_end
from earnest.metrics.families import Metric, MomentMetric, Need

ROUNDING = 1e-12  # of a loss, by which equal losses may differ


def allow_for_skewness(
    source: LimitSource, pi: Predictions, metric: Metric, value: float
) -> LimitSource:
    """Return limits whose bad end is at least that of a Gamma distribution.

    Parameters
    ----------
    source : LimitSource
        The limits so far.
    pi : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured; limits of anything but a mean loss of numbers stay as they are.
    value : float
        What the limits are laid around.
    """
    if not (is_loss_of_numbers(metric) and metric.sign * value < 0.0):
        return source
    terms = np.nanmean(case_values(pi, metric).terms[:, 0], axis=1)
    away, groups = terms - terms.mean(), pi.target.groups
    if groups is not None:  # a group is one unit
        sums = np.bincount(np.unique(groups, return_inverse=True)[1].reshape(-1), weights=away)
        away = sums * (len(sums) / len(away))
    units, variance = len(away), float(np.square(away).sum())
    if units < 2 or not variance > (ROUNDING * value * units) ** 2:
        return source
    variance /= units * (units - 1)
    power = 1.0 if isinstance(metric, MomentMetric) and metric.mean_of_cases else 0.5
    law: LimitSource = LossLimits(
        abs(value) ** (1.0 / power), power**2 * value**2 / variance, slope=-metric.sign, power=power
    )
    if groups is not None:
        law = FewUnitsLimits(law, units - 1)
    return WidenedLimits.of(source, law, end=bad_end(metric))


def is_loss_of_numbers(metric: Metric) -> bool:
    """Tell whether a metric is a mean of losses of numbers from 0 up, or the root of one.

    Its negation, from 0 down, is one too.
    """
    if not isinstance(metric, MomentMetric) or metric.needs is not Need.VALUE:
        return False
    return metric.limits in ((0.0, np.inf), (-np.inf, 0.0))
