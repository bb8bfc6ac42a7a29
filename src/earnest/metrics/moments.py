"""What the moment metrics share: the feature 1, the mean, and the sum of squares about a mean."""

from __future__ import annotations

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target
from earnest.metrics.families import Array, ratio, share

# Sums of squares about a mean below this share of those about the common centre are rounding
# (n * eps with n = 10,000 cases is 2e-12): the values count as equal.
CONSTANT = 1e-12


def ones(target: Target) -> Numbers:
    """Return the shared feature 1, whose sum is the total weight: (1, n)."""
    return np.ones((1, target.n))


def mean(own: Array, shared: Array) -> Array:
    """Return the weighted mean of the first feature."""
    return ratio(own[0], shared[0])


def mean_share(own: Array, shared: Array) -> Array:
    """Return the weighted mean of the first feature, which lies in [0, 1]."""
    return share(own[0], shared[0])


def root_mean(own: Array, shared: Array) -> Array:
    """Return the root of the weighted mean of the first feature."""
    return np.sqrt(mean(own, shared))


def find_class_members(target: Target) -> Numbers:
    """Return the shared indicators of every class: (K, n)."""
    return np.asarray(target.y == np.arange(len(target.classes))[:, None])


def where_weighted(value: Array, total: Array) -> Array:
    """Return the value where any case has weight, NaN where none has."""
    return np.where(total > 0, value, np.nan)


def spread(total: Array, first: Array, second: Array) -> Array:
    """Return the sum of squares about the mean from the sums of x and x², exactly 0 if constant."""
    about_mean = second - ratio(np.square(first), total)
    return np.where(about_mean > CONSTANT * second, about_mean, 0.0)
