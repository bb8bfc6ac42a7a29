"""Metrics of probabilities: Brier score and log loss.

Probabilities are taken as they are: rows that do not add up to 1 are not rescaled, as in
scikit-learn, and everything is computed in float64, whatever type they were stored in.
"""

from __future__ import annotations

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target, Task
from earnest.metrics.families import CLASSES, Array, MomentMetric, Moments, Need, register
from earnest.metrics.moments import mean, ones

EPS = float(np.finfo(np.float64).eps)  # scikit-learn's clip, so that the loss stays finite


def squared_distances(target: Target, probability: Numbers, centre: object) -> Moments:
    """Return the squared distance between a case's probabilities and the truth.

    (y - p)² for two classes, in [0, 1]; the sum over the classes for more, in [0, 2].
    """
    if target.task is Task.BINARY:
        distance = np.subtract(probability, target.y[:, None], dtype=np.float64)
        return Moments(np.square(distance, out=distance)[None], ones(target))
    truth = target.y[:, None] == np.arange(probability.shape[2])  # (n, K)
    distance = np.subtract(probability, truth[:, None, :], dtype=np.float64)
    return Moments(np.square(distance, out=distance).sum(axis=2)[None], ones(target))


def surprises(target: Target, probability: Numbers, centre: object) -> Moments:
    """Return -log of the probability that was given to the class of a case."""
    chance = np.clip(of_true_class(target, probability), EPS, 1.0 - EPS)
    return Moments(-np.log(chance)[None], ones(target))


def of_true_class(target: Target, probability: Numbers) -> Array:
    """Return the probability that was given to the class of a case: (n, C)."""
    if target.task is Task.BINARY:
        given = probability.astype(np.float64)
        return np.where(target.y[:, None] == 1, given, 1.0 - given)
    return probability[np.arange(target.n), :, target.y].astype(np.float64)


brier = register(
    MomentMetric(
        name="brier",
        title="Brier score",
        greater_is_better=False,
        limits=(0.0, 2.0),
        by_task={Task.BINARY: {"limits": (0.0, 1.0)}},
        needs=Need.PROBABILITY,
        tasks=CLASSES,
        aliases=("brier_score", "brier_score_loss", "neg_brier_score"),
        features=squared_distances,
        combine=mean,
        mean_of_cases=True,
    )
)

log_loss = register(
    MomentMetric(
        name="log_loss",
        title="log loss",
        greater_is_better=False,
        limits=(0.0, np.inf),
        needs=Need.PROBABILITY,
        tasks=CLASSES,
        aliases=("neg_log_loss", "cross_entropy", "mn_log_loss"),
        features=surprises,
        combine=mean,
        mean_of_cases=True,
    )
)
