"""What the decision values of a model mean: probabilities that keep the order of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.training.protocols import Estimator

Array = NDArray[np.float64]
STEPS = 100
CLOSE = 1e-10
KNEE = 3.0  # spreads from the middle beyond which a decision value counts by its logarithm
STEEP = 20.0  # log odds beyond which they do, so that no probability is rounded to 1
LEAST_SLOPE = 1e-3  # per spread; a flatter curve would lose the order of cases to rounding
SPREAD = 0.6745  # the median distance from the middle of a normal law, in standard deviations


class Curve(NamedTuple):
    """A rising curve from decision values to log odds.

    A decision value is measured from `middle` in units of `spread`, both of which outlying values
    hardly move; beyond `KNEE` units only its logarithm counts. The log odds are `slope` times that
    plus `offset`.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tune.meaning import Curve, compute_probabilities
    >>> curve = Curve(slope=2.0, offset=0.0, middle=10.0, spread=5.0)
    >>> compute_probabilities(np.array([5.0, 10.0, 15.0]), curve)[:, 1].round(2).tolist()
    [0.12, 0.5, 0.88]
    """

    slope: float
    offset: float
    middle: float
    spread: float

    @classmethod
    def from_numbers(cls, numbers: Sequence[float]) -> Curve:
        """Return the curve that a file holds, or raise ValueError where it holds none."""
        made = cls(*map(float, numbers)) if len(numbers) == len(cls._fields) else None
        if made is None or not np.isfinite(made).all() or min(made.slope, made.spread) <= 0.0:
            raise ValueError("the calibration needs four numbers, its slope and spread above 0")
        return made

    def log_odds(self, values: Array) -> Array:
        """Return the log odds of decision values, in their order."""
        return _bend(
            self.slope * scale_values(values, self.middle, self.spread) + self.offset, STEEP
        )


def find_meaning(winner: str, estimator: Estimator, pi: Predictions) -> Curve | None:
    """Return the curve that makes probabilities of a winner's decision values.

    None where the model has probabilities of its own, where there are not two classes, where the
    search kept classes and no decision values, or where no rising curve fits. It costs no fit: the
    decision values of the search are of cases that the models were not trained on, and the curve
    keeps their order, so that an AUC is what it was.
    """
    if not is_meaning_needed(estimator, pi):
        return None
    values = np.asarray(pi.responses[:, pi.configs.ids.index(winner)], dtype=np.float64)
    y = np.broadcast_to(np.asarray(pi.target.y)[:, None], values.shape)
    known = np.isfinite(values)
    return compute_sigmoid(values[known], y[known] == 1)


def is_meaning_needed(estimator: Estimator, pi: Predictions) -> bool:
    """Tell whether there are decision values of two classes and no probabilities."""
    decided = pi.kind is ResponseKind.DECISION and pi.target.task is Task.BINARY
    return decided and not hasattr(estimator, "predict_proba")


def compute_sigmoid(values: Array, positive: NDArray[np.bool_]) -> Curve | None:
    """Return the logistic curve through decision values, None where no rising one fits.

    Platt (1999): logistic regression on targets that are drawn in from 0 and 1 as if each class
    had one case more than it has, so that the curve stays flat enough where classes are separated.
    Values beyond `KNEE` spreads are brought to it for the fit: otherwise a few outlying ones
    decide the slope for all. A curve that falls would contradict the model, and a flat one would
    lose the order of the cases, so both are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tune.meaning import compute_sigmoid
    >>> values = np.array([-2.0, -1.0, 0.5, 1.0])
    >>> compute_sigmoid(values, np.array([0, 0, 1, 1]) == 1).slope > 0
    True
    >>> compute_sigmoid(values, np.array([1, 1, 0, 0]) == 1) is None
    True
    """
    found = fit_curve(values, positive)
    return found if found is not None and found.slope >= LEAST_SLOPE else None


def fit_curve(values: Array, positive: NDArray[np.bool_]) -> Curve | None:
    """Return the best logistic curve, be it rising or not; None for values that are all equal."""
    many, few = int(positive.sum()), int((~positive).sum())
    scale = scale_of(values)
    if scale is None or not many or not few:
        return None
    target = np.where(positive, (many + 1.0) / (many + 2.0), 1.0 / (few + 2.0))
    z = np.clip(scale_values(values, *scale), -KNEE, KNEE)
    slope, offset = _fit(z, target, float(np.log((many + 1.0) / (few + 1.0))))
    return Curve(slope, offset, *scale)


def scale_of(values: Array) -> tuple[float, float] | None:
    """Return the middle and the spread of values, None where they are all equal.

    The spread is that of the values that differ from the middle, so that ties there do not make
    it 0.
    """
    if not values.size:
        return None
    middle = float(np.median(values))
    away = np.abs(values - middle)
    away = away[away > 0.0]
    spread = float(np.median(away)) / SPREAD if away.size else 0.0
    return (middle, spread) if spread > 0.0 and np.isfinite([middle, spread]).all() else None


def scale_values(values: Array, middle: float, spread: float) -> Array:
    """Return values in units of their spread, far ones by their logarithm."""
    with np.errstate(over="ignore"):
        return _bend((values - middle) / spread, KNEE)


def _bend(values: Array, knee: float) -> Array:
    """Return values as they are up to a knee, and beyond it growing as a logarithm does."""
    beyond = np.maximum(np.abs(values) - knee, 0.0)
    return np.asarray(np.clip(values, -knee, knee) + np.sign(values) * np.log1p(beyond))


def compute_probabilities(values: Array, meaning: Curve) -> Array:
    """Return the probabilities (n, 2) that decision values stand for."""
    score = meaning.log_odds(values)
    return np.column_stack([_compute_expit(-score), _compute_expit(score)])


def _fit(z: Array, target: Array, level: float) -> tuple[float, float]:
    """Return slope and offset of greatest likelihood, by Newton's steps that never go up."""
    design = np.column_stack([z, np.ones_like(z)])
    found = np.array([0.0, level])
    loss = _compute_loss(design, target, found)
    for _ in range(STEPS):
        p = _compute_expit(design @ found)
        slopes = design.T @ (p - target)
        bend = (design * (p * (1.0 - p))[:, None]).T @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slopes)
        while _compute_loss(design, target, found - step) > loss and np.abs(step).max() > CLOSE:
            step = step / 2.0
        found = found - step
        loss = _compute_loss(design, target, found)
        if np.abs(step).max() <= CLOSE:
            break
    return float(found[0]), float(found[1])


def _compute_loss(design: Array, target: Array, at: Array) -> float:
    score = design @ at
    return float((np.logaddexp(0.0, score) - target * score).sum())


def _compute_expit(score: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(score))
