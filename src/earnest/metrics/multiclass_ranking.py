"""The AUC of more than two classes: each against the rest, or each against each other.

With a class that has no weight they are as in scikit-learn (given all labels): the mean over
`ovr` is undefined, the weighted mean and the means over pairs are of the classes that are there.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from earnest.core.target import Target
from earnest.metrics.families import (
    MULTICLASS,
    Array,
    Need,
    RankMetric,
    View,
    ratio,
    register,
)
from earnest.metrics.ranking import auc_scan


def one_against_rest(target: Target) -> tuple[View, ...]:
    """Return a view a class: its score, its cases against all others."""
    return tuple(
        View((target.y == k).astype(np.int8), column=k, mass=target.y == k)
        for k in range(len(target.classes))
    )


def one_against_one(target: Target) -> tuple[View, ...]:
    """Return a view an ordered pair of classes: the score of the first, the cases of both."""
    views = []
    for first, second in permutations(range(len(target.classes)), 2):
        truth = np.full(target.n, -1, dtype=np.int8)
        truth[target.y == first], truth[target.y == second] = 1, 0
        views.append(View(truth, column=first, mass=truth >= 0))
    return tuple(views)


def mean_of_views(values: Array, masses: Array) -> Array:
    """Return the mean over views, undefined where one is."""
    return np.asarray(values.mean(axis=2))


def mean_of_defined_views(values: Array, masses: Array) -> Array:
    """Return the mean over the views that are defined."""
    return mass_weighted_views(values, np.ones_like(masses))


def mass_weighted_views(values: Array, masses: Array) -> Array:
    """Return the mean over the views that are defined, weighted by their cases."""
    defined = ~np.isnan(values)
    weights = masses[:, None, :] * defined
    return ratio((weights * np.where(defined, values, 0.0)).sum(axis=2), weights.sum(axis=2))


def _area(name: str, title: str, views: Any, combine: Any) -> RankMetric:
    return register(
        RankMetric(
            name=name,
            title=title,
            greater_is_better=True,
            limits=(0.0, 1.0),
            needs=Need.SCORE,
            tasks=MULTICLASS,
            views=views,
            scan=auc_scan,
            combine=combine,
            kernel="roc_auc",
            needs_all_classes=True,
        )
    )


roc_auc_ovr = _area(
    "roc_auc_ovr",
    "ROC AUC, one against the rest",
    one_against_rest,
    mean_of_views,
)
roc_auc_ovr_weighted = _area(
    "roc_auc_ovr_weighted",
    "ROC AUC, one against the rest, weighted by class",
    one_against_rest,
    mass_weighted_views,
)
roc_auc_ovo = _area(
    "roc_auc_ovo",
    "ROC AUC, one against one",
    one_against_one,
    mean_of_defined_views,
)
roc_auc_ovo_weighted = _area(
    "roc_auc_ovo_weighted",
    "ROC AUC, one against one, weighted by pair",
    one_against_one,
    mass_weighted_views,
)
