"""Metrics of labels and of probabilities: accuracy, those of the positive class, Brier, log loss.

Where a denominator is 0 (nothing predicted positive, no positive case) the value is 0, as with
scikit-learn's `zero_division=0`; where no case has weight it is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError
from earnest.core.data.target import Target, Task
from earnest.core.results.readings import Reading
from earnest.metrics.families import (
    BINARY,
    CLASSES,
    EPS,
    Array,
    MomentMetric,
    Moments,
    Need,
    divide,
    find_class_members,
    mean_metric,
    one_per_case,
    ratio,
    register,
    share_metric,
    where_weighted,
)
from earnest.metrics.resolve import check_positive_number, name_with_knobs, pair, register_factory


def hits(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return 1 where the label is right."""
    return one_per_case(target, labels == target.y[:, None])


def misses(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return 1 where the label is wrong."""
    return one_per_case(target, labels != target.y[:, None])


def positives(target: Target, labels: Numbers, centre: object, *, code: int = 1) -> Moments:
    """Return the true positives and the predicted ones; shared: 1 and the positive class.

    With `code` 0 the negative class takes the part of the positive one.
    """
    predicted = labels == code
    real = target.y == code
    features = np.stack([predicted & real[:, None], predicted])
    return Moments(features, np.stack([np.ones(target.n), real]))


def recognised(target: Target, labels: Numbers, centre: object, *, code: int) -> Moments:
    """Return the hits of one class; shared: 1 and that class."""
    real = target.y == code
    return Moments(((labels == code) & real[:, None])[None], np.stack([np.ones(target.n), real]))


def errors_by_class(target: Target, labels: Numbers, centre: object) -> Moments:
    """Return the false negatives and the false positives; shared: the two classes."""
    real = (target.y == 1)[:, None]
    features = np.stack([(labels == 0) & real, (labels == 1) & ~real])
    return Moments(features, np.stack([target.y == 1, target.y == 0]))


def paid_of_cases(
    target: Target, labels: Numbers, centre: object, *, costs: tuple[float, float]
) -> Moments:
    """Return what a wrong label costs."""
    missed, alarm = errors_by_class(target, labels, centre).own
    return one_per_case(target, costs[0] * missed + costs[1] * alarm)


def share_or_zero(count: Array, whole: Array, total: Array) -> Array:
    """Return the part of a whole, 0 where the whole is 0 and NaN where no case has weight."""
    return where_weighted(divide(count, whole, undefined=0.0), total)


def precision_of(sums: Array, shared: Array) -> Array:
    """Return the share of the predicted positives that are positive."""
    return share_or_zero(sums[0], sums[1], shared[0])


def cases_of_class(sums: Array, shared: Array) -> Array:
    """Return the weight of a class: what a recall is the share of."""
    return np.broadcast_to(shared[1], sums[0].shape)


def predicted_cases(sums: Array, shared: Array) -> Array:
    """Return the weight of the cases that were predicted: what a precision is the share of."""
    return np.asarray(sums[1])


def recall_of(sums: Array, shared: Array) -> Array:
    """Return the share of a class that was recognised."""
    return share_or_zero(sums[0], shared[1], shared[0])


def f_beta_of(sums: Array, shared: Array, *, beta: float) -> Array:
    """Return the harmonic mean of precision and recall, recall counting `beta` times as much."""
    square = beta * beta
    return share_or_zero((1.0 + square) * sums[0], sums[1] + square * shared[1], shared[0])


def risk_of(
    sums: Array, shared: Array, *, costs: tuple[float, float], priors: tuple[float, float]
) -> Array:
    """Return R = c12 P1 e1 + c21 P2 e2 (Yousef 2022, eq. 1c)."""
    misses, alarms = ratio(sums[0], shared[0]), ratio(sums[1], shared[1])
    return costs[0] * priors[0] * misses + costs[1] * priors[1] * alarms


_of_labels = partial(share_metric, limits=(0.0, 1.0), needs=Need.LABEL, tasks=CLASSES)
# Scores that count labels, and those of them that say nothing where a class is missing.
label_score = partial(
    MomentMetric, greater_is_better=True, limits=(0.0, 1.0), needs=Need.LABEL, whole=True
)
_of_classes = partial(label_score, tasks=BINARY, needs_all_classes=True)

accuracy = register(
    _of_labels(
        name="accuracy",
        title="accuracy",
        reading=Reading.RIGHT,
        greater_is_better=True,
        # with one label per case the micro averages are the accuracy
        aliases=("accuracy_score", "f1_micro", "precision_micro", "recall_micro"),
        features=hits,
    )
)

error_rate = register(
    _of_labels(
        name="error_rate",
        title="error rate",
        reading=Reading.WRONG,
        greater_is_better=False,
        aliases=("zero_one_loss", "misclassification_rate"),
        features=misses,
    )
)

precision = register(
    _of_classes(
        name="precision",
        title="precision",
        reading=Reading.ALARMS_RIGHT,
        aliases=("precision_score", "positive_predictive_value", "ppv"),
        features=positives,
        combine=precision_of,
        trials=predicted_cases,
    )
)

recall = register(
    _of_classes(
        name="recall",
        title="recall",
        reading=Reading.POSITIVES_FOUND,
        aliases=("recall_score", "sensitivity", "sens", "true_positive_rate", "tpr"),
        features=partial(recognised, code=1),
        combine=recall_of,
        trials=cases_of_class,
    )
)

specificity = register(
    _of_classes(
        name="specificity",
        title="specificity",
        reading=Reading.NEGATIVES_CLEARED,
        aliases=("spec", "true_negative_rate", "tnr"),
        features=partial(recognised, code=0),
        combine=recall_of,
        trials=cases_of_class,
    )
)

npv = register(
    _of_classes(
        name="npv",
        title="negative predictive value",
        reading=Reading.CLEARANCES_RIGHT,
        aliases=("negative_predictive_value",),
        features=partial(positives, code=0),
        combine=precision_of,
        trials=predicted_cases,
    )
)

f1 = register(
    _of_classes(
        name="f1",
        title="F1",
        aliases=("f1_score", "f_score", "f_meas"),
        features=positives,
        combine=partial(f_beta_of, beta=1.0),
    )
)


@register_factory
def f_beta(beta: float = 2.0) -> MomentMetric:
    """Return the F measure in which recall counts `beta` times as much as precision.

    Examples
    --------
    >>> from earnest.metrics.classification import f_beta
    >>> f_beta(beta=0.5).name
    'f_beta(beta=0.5)'
    """
    beta = check_positive_number("beta", beta)
    return _of_classes(
        name=name_with_knobs("f_beta", {"beta": beta}, {"beta": 2.0}),
        title=f"F-beta (beta = {beta:g})",
        aliases=("fbeta", "fbeta_score") if beta == 2.0 else (),
        knobs={"beta": beta},
        features=positives,
        combine=partial(f_beta_of, beta=beta),
    )


@register_factory
def risk(
    costs: Sequence[float] = (1.0, 1.0), priors: Sequence[float] | None = None
) -> MomentMetric:
    """Return the risk: what wrong labels cost on average (Yousef 2022, eq. 1c).

    Parameters
    ----------
    costs : pair of float
        What a missed positive (c12) and a false alarm (c21) cost.
    priors : pair of float, optional
        How frequent the positive and the negative class are where the model will be used; None
        takes the frequencies of the cases, under their weights. With unit costs that is the
        error rate.

    Examples
    --------
    >>> from earnest.metrics.classification import risk
    >>> risk(costs=(5, 1)).limits
    (0.0, 5.0)
    """
    paid = pair("costs", costs)
    chances = None if priors is None else pair("priors", priors)
    if chances is not None and not math.isclose(sum(chances), 1.0, abs_tol=1e-9):
        raise InputError("`priors` do not sum to 1", got=check.show(chances))
    knobs = {"costs": paid, "priors": chances}
    name = name_with_knobs("risk", knobs, {"costs": (1.0, 1.0), "priors": None})
    metric = mean_metric(
        name=name,
        title="risk",
        greater_is_better=False,
        limits=(0.0, max(paid)),
        needs=Need.LABEL,
        tasks=BINARY,
        knobs=knobs,
        features=partial(paid_of_cases, costs=paid),
        whole=set(paid) <= {0.0, 1.0},
    )
    if chances is None:
        return metric
    return replace(
        metric,
        limits=(0.0, paid[0] * chances[0] + paid[1] * chances[1]),
        needs_all_classes=True,
        features=errors_by_class,
        combine=partial(risk_of, costs=paid, priors=chances),
        whole=True,
        mean_of_cases=False,
    )


def square_errors(target: Target, probability: Numbers, centre: object) -> Moments:
    """Return the squared distance between a case's probabilities and the truth.

    (y - p)² for two classes, in [0, 1]; the sum over the classes for more, in [0, 2].
    """
    if target.task is Task.BINARY:
        distance = np.subtract(probability, target.y[:, None], dtype=np.float64)
        return one_per_case(target, np.square(distance, out=distance))
    truth = target.y[:, None] == np.arange(probability.shape[2])  # (n, K)
    distance = np.subtract(probability, truth[:, None, :], dtype=np.float64)
    return one_per_case(target, np.square(distance, out=distance).sum(axis=2))


def square_errors_and_classes(target: Target, probability: Numbers, centre: object) -> Moments:
    """Return the squared distance from the truth; shared: 1 and the classes."""
    squares = square_errors(target, probability, centre).own
    return Moments(squares, np.concatenate([np.ones((1, target.n)), find_class_members(target)]))


def brier_skill_of(sums: Array, shared: Array) -> Array:
    """Return 1 less the Brier score over that of the shares of the classes."""
    total, classes = shared[0], shared[1:]
    shares = ratio(classes, total)
    apart = total * (1.0 - np.square(shares).sum(axis=0))  # over all classes: twice that of two
    apart = apart / 2.0 if len(classes) == 2 else apart
    return 1.0 - ratio(sums[0], np.where(apart > EPS * total, apart, 0.0))


def surprises(target: Target, probability: Numbers, centre: object) -> Moments:
    """Return -log of the probability that was given to the class of a case, never infinite."""
    chance = np.clip(of_true_class(target, probability), EPS, 1.0 - EPS)
    return one_per_case(target, -np.log(chance))


def of_true_class(target: Target, probability: Numbers) -> Array:
    """Return the probability that was given to the class of a case: (n, C)."""
    if target.task is Task.BINARY:
        positive = probability.astype(np.float64)
        return np.where(target.y[:, None] == 1, positive, 1.0 - positive)
    return probability[np.arange(target.n), :, target.y].astype(np.float64)


_loss_of_chances = partial(
    mean_metric, greater_is_better=False, needs=Need.PROBABILITY, tasks=CLASSES
)

brier = register(
    _loss_of_chances(
        name="brier",
        title="Brier score",
        limits=(0.0, 2.0),
        by_task={Task.BINARY: {"limits": (0.0, 1.0)}},
        aliases=("brier_score", "brier_score_loss", "neg_brier_score"),
        features=square_errors,
    )
)

brier_skill = register(
    MomentMetric(
        name="brier_skill",
        title="Brier skill score",
        reading=Reading.EXPLAINED,
        greater_is_better=True,
        limits=(-np.inf, 1.0),
        needs=Need.PROBABILITY,
        tasks=CLASSES,
        needs_all_classes=True,
        aliases=("brier_skill_score", "scaled_brier"),
        features=square_errors_and_classes,
        combine=brier_skill_of,
    )
)

log_loss = register(
    _loss_of_chances(
        name="log_loss",
        title="log loss",
        limits=(0.0, np.inf),
        aliases=("neg_log_loss", "cross_entropy", "mn_log_loss"),
        features=surprises,
    )
)
