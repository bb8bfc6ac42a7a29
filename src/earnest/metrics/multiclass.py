"""Metrics over all classes: macro averages, Matthews correlation, kappa, and AUCs.

Those of labels have scikit-learn's value on the cases that have weight. A class that neither the
truth nor the predictions contain does not count; a recall or a precision that is 0 / 0 is 0.

The AUC of more than two classes is of each against the rest, or of each against each other. With a
class that has no weight they are as in scikit-learn (given all labels): the mean over `ovr` is
undefined, the weighted mean and the means over pairs are of the classes that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target, Task
from earnest.core.results.readings import Reading
from earnest.metrics.classification import label_score
from earnest.metrics.families import (
    CLASSES,
    MULTICLASS,
    Array,
    Moments,
    TaskFields,
    View,
    divide,
    find_class_members,
    ratio,
    register,
    where_weighted,
)
from earnest.metrics.ranking import auc_scan, class_order


def class_hits(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return the hits of every class (K, n, C); shared: the classes."""
    members = find_class_members(target)
    right = labels == target.y[:, None]
    return Moments(members[:, :, None] & right, members)


def count_hits(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return hits and predictions of every class (2K, n, C); shared: the classes."""
    moments = class_hits(target, labels, centre)
    return Moments(np.concatenate([moments.own, class_predictions(target, labels)]), moments.shared)


def agreements(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return the hits and the predictions of every class (1 + K, n, C); shared: the classes."""
    return with_predictions(target, labels, labels == target.y[:, None])


def distances(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return squared distances and predictions of classes (1 + K, n, C); shared: the classes."""
    far = np.square(labels.astype(np.float64) - target.y[:, None])
    return with_predictions(target, labels, far)


def with_predictions(target: Target, labels: Numbers, values: Numbers) -> Moments:
    """Return a number per case and the predictions of every class; shared: the classes."""
    features = np.concatenate([values[None], class_predictions(target, labels)])
    return Moments(features, find_class_members(target))


def class_predictions(target: Target, labels: Numbers) -> NDArray[np.bool_]:
    """Return the indicators of every predicted class: (K, n, C)."""
    codes = np.arange(len(target.classes))
    return np.asarray(labels == codes[:, None, None])


def mean_recall(sums: Array, shared: Array) -> Array:
    """Return the mean recall of the classes that have weight, NaN where fewer than two have."""
    present = shared > 0
    count = present.sum(axis=0)
    recalls = divide(sums, shared, undefined=0.0).sum(axis=0)
    return ratio(np.where(count > 1, recalls, np.nan), count)


def precision_by_class(hits: Array, predicted: Array, true: Array) -> Array:
    """Return the precision of every class (K, B, C)."""
    return divide(hits, predicted, undefined=0.0)


def recall_by_class(hits: Array, predicted: Array, true: Array) -> Array:
    """Return the recall of every class (K, B, C)."""
    return divide(hits, true, undefined=0.0)


def f1_by_class(hits: Array, predicted: Array, true: Array) -> Array:
    """Return the F1 of every class (K, B, C)."""
    return divide(2.0 * hits, predicted + true, undefined=0.0)


def macro_mean(sums: Array, shared: Array, *, of: Callable[[Array, Array, Array], Array]) -> Array:
    """Return the mean of one value per class, over the classes that are true or predicted."""
    hits, predicted = np.split(sums, 2)
    values = of(hits, predicted, shared)
    return ratio(values.sum(axis=0), (predicted + shared > 0).sum(axis=0))


def weighted_f1(sums: Array, shared: Array) -> Array:
    """Return the mean F1 of the classes, each weighted by its cases."""
    hits, predicted = np.split(sums, 2)
    values = f1_by_class(hits, predicted, shared)
    return divide((values * shared).sum(axis=0), shared.sum(axis=0))


def matthews(sums: Array, shared: Array) -> Array:
    """Return the correlation of truth and prediction (Gorodkin 2004), 0 where one is constant."""
    hits, predicted = sums[0], sums[1:]
    total = shared.sum(axis=0)
    together = hits * total - (predicted * shared).sum(axis=0)
    product = np.sqrt(off_diagonal(predicted, predicted) * off_diagonal(shared, shared))
    return where_weighted(np.clip(ratio(together, product, undefined=0.0), -1.0, 1.0), total)


def kappa(sums: Array, shared: Array) -> Array:
    """Return the agreement beyond chance (Cohen 1960), NaN where chance agrees always."""
    hits, predicted = sums[0], sums[1:]
    total = shared.sum(axis=0)
    by_chance = off_diagonal(predicted, shared)  # total² times the chance of disagreement
    return np.clip(1.0 - ratio((total - hits) * total, by_chance), -1.0, 1.0)


def squared_kappa(sums: Array, shared: Array) -> Array:
    """Return kappa with squared distances between codes, NaN where chance agrees always."""
    seen, predicted = sums[0], sums[1:]
    codes = np.arange(len(shared), dtype=np.float64)
    far = np.square(codes[:, None] - codes)  # (K, K)
    by_chance = (np.tensordot(far, predicted, axes=1) * shared).sum(axis=0)
    return np.clip(1.0 - ratio(seen * shared.sum(axis=0), by_chance), -1.0, 1.0)


def off_diagonal(first: Array, second: Array) -> Array:
    """Return the sum of first[i] second[j] over i ≠ j, exactly 0 where one class has it all."""
    return np.asarray(((first.sum(axis=0) - first) * second).sum(axis=0))


_over_classes = partial(label_score, tasks=CLASSES, features=count_hits)
# with two classes, cases of one class alone do not show how well the classes are separated
TWO_CLASSES: Mapping[Task, TaskFields] = {Task.BINARY: {"needs_all_classes": True}}
_correlation = partial(_over_classes, limits=(-1.0, 1.0), by_task=TWO_CLASSES)

balanced_accuracy = register(
    _over_classes(
        name="balanced_accuracy",
        title="balanced accuracy",
        reading=Reading.RIGHT_IF_EVEN,
        aliases=("balanced_accuracy_score", "bal_accuracy"),
        by_task=TWO_CLASSES,
        features=class_hits,
        combine=mean_recall,
    )
)
f1_macro = register(
    _over_classes(name="f1_macro", title="macro F1", combine=partial(macro_mean, of=f1_by_class))
)
f1_weighted = register(_over_classes(name="f1_weighted", title="weighted F1", combine=weighted_f1))
precision_macro = register(
    _over_classes(
        name="precision_macro",
        title="macro precision",
        combine=partial(macro_mean, of=precision_by_class),
    )
)
recall_macro = register(
    _over_classes(
        name="recall_macro", title="macro recall", combine=partial(macro_mean, of=recall_by_class)
    )
)
mcc = register(
    _correlation(
        name="mcc",
        title="Matthews correlation",
        aliases=("matthews_corrcoef",),
        features=agreements,
        combine=matthews,
    )
)
cohen_kappa = register(
    _correlation(
        name="cohen_kappa",
        title="Cohen's kappa",
        aliases=("cohen_kappa_score", "kappa", "kap"),
        features=agreements,
        combine=kappa,
    )
)
quadratic_kappa = register(
    _correlation(
        name="quadratic_kappa",
        title="quadratic weighted kappa",
        aliases=("quadratic_weighted_kappa", "qwk"),
        features=distances,
        combine=squared_kappa,
    )
)


def one_against_rest(target: Target) -> tuple[View, ...]:
    """Return one view per class: its score, its cases against all others."""
    return tuple(
        View((target.y == k).astype(np.int8), column=k, mass=target.y == k)
        for k in range(len(target.classes))
    )


def one_against_one(target: Target) -> tuple[View, ...]:
    """Return one view per ordered pair of classes: the score of the first, the cases of both."""
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


_area = partial(class_order, tasks=MULTICLASS, scan=auc_scan, kernel="roc_auc")

roc_auc_ovr = register(
    _area(
        name="roc_auc_ovr",
        title="ROC AUC, one against the rest",
        views=one_against_rest,
        combine=mean_of_views,
    )
)
roc_auc_ovr_weighted = register(
    _area(
        name="roc_auc_ovr_weighted",
        title="ROC AUC, one against the rest, weighted by class",
        views=one_against_rest,
        combine=mass_weighted_views,
    )
)
roc_auc_ovo = register(
    _area(
        name="roc_auc_ovo",
        title="ROC AUC, one against one",
        views=one_against_one,
        combine=mean_of_defined_views,
    )
)
roc_auc_ovo_weighted = register(
    _area(
        name="roc_auc_ovo_weighted",
        title="ROC AUC, one against one, weighted by pair",
        views=one_against_one,
        combine=mass_weighted_views,
    )
)
