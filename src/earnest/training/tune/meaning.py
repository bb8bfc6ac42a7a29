"""What the decision values of a winner mean: probabilities, told by its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task

Array = NDArray[np.float64]
STEPS = 100
CLOSE = 1e-10


def meaning_of(winner: str, estimator: Any, pi: Predictions) -> tuple[float, float] | None:
    """Return the slope and the offset that make probabilities of a winner's decision values.

    None where the model has probabilities of its own, where there are not two classes, or where
    the search kept classes and no decision values. It costs no fit: the decision values of the
    search are of cases that the models were not trained on, and the map keeps their order, so
    that an AUC is what it was.
    """
    decided = pi.kind is ResponseKind.DECISION and pi.target.task is Task.BINARY
    if not decided or hasattr(estimator, "predict_proba"):
        return None
    values = np.asarray(pi.responses[:, pi.configs.ids.index(winner)], dtype=np.float64)
    y = np.broadcast_to(np.asarray(pi.target.y)[:, None], values.shape)
    known = np.isfinite(values)
    return sigmoid(values[known], y[known] == 1)


def sigmoid(values: Array, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the slope and offset of the logistic curve through decision values.

    Platt (1999): logistic regression on targets that are drawn in from 0 and 1 as if each class
    had one case more than it has, so that the curve stays flat enough where classes are separated.
    A slope below 0 would contradict the model, so there it is 0: all cases then have the share of
    the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tune.meaning import sigmoid
    >>> slope, offset = sigmoid(np.array([-2.0, -1.0, 0.5, 1.0]), np.array([0, 0, 1, 1]) == 1)
    >>> slope > 0
    True
    """
    many, few = int(positive.sum()), int((~positive).sum())
    target = np.where(positive, (many + 1.0) / (many + 2.0), 1.0 / (few + 2.0))
    spread = float(values.std())
    level = float(np.log((many + 1.0) / (few + 1.0)))
    if spread == 0.0:
        return 0.0, level
    middle = float(values.mean())
    slope, offset = _fitted((values - middle) / spread, target, level)
    if slope <= 0.0:
        return 0.0, level
    return slope / spread, offset - slope * middle / spread


def probabilities(values: Array, meaning: tuple[float, float]) -> Array:
    """Return the probabilities (n, 2) that decision values stand for."""
    score = meaning[0] * values + meaning[1]
    return np.column_stack([_expit(-score), _expit(score)])


def _fitted(z: Array, target: Array, level: float) -> tuple[float, float]:
    """Return slope and offset of greatest likelihood, by Newton's steps that never go up."""
    design = np.column_stack([z, np.ones_like(z)])
    found = np.array([0.0, level])
    loss = _loss(design, target, found)
    for _ in range(STEPS):
        p = _expit(design @ found)
        slopes = design.T @ (p - target)
        bend = (design * (p * (1.0 - p))[:, None]).T @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slopes)
        while _loss(design, target, found - step) > loss and np.abs(step).max() > CLOSE:
            step = step / 2.0
        found = found - step
        loss = _loss(design, target, found)
        if np.abs(step).max() <= CLOSE:
            break
    return float(found[0]), float(found[1])


def _loss(design: Array, target: Array, at: Array) -> float:
    score = design @ at
    return float((np.logaddexp(0.0, score) - target * score).sum())


def _expit(score: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(score))
