"""Probabilities from decision values: a rising curve, and a classifier that learns one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from earnest.core.base.rng import RngLike
from earnest.training.learners.base import OuterLearner
from earnest.training.protocols import Estimator

Array = NDArray[np.float64]
STEPS = 100
CLOSE = 1e-10
KNEE = 3.0  # spreads from the middle beyond which a decision value counts by its logarithm
STEEP = 20.0  # log odds beyond which they do, so that no probability is rounded to 1
LEAST_SLOPE = 1e-3  # per spread; a flatter curve would lose the order of cases to rounding
SPREAD = 0.6745  # the median distance from the middle of a normal law, in standard deviations
PARTS = 3  # that are held out in turn for the calibration; a class needs a case for each
MOST_SLOPE = 1e3  # per spread, of what temperatures are looked for


class Curve(NamedTuple):
    """A rising curve from decision values to log odds.

    A decision value is measured from `middle` in units of `spread`, both of which outlying values
    hardly move; beyond `KNEE` units only its logarithm counts. The log odds are `slope` times that
    plus `offset`.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.calibrated import Curve, compute_probabilities
    >>> curve = Curve(slope=2.0, offset=0.0, middle=10.0, spread=5.0)
    >>> compute_probabilities(np.array([5.0, 10.0, 15.0]), curve)[:, 1].round(2).tolist()
    [0.12, 0.5, 0.88]
    """

    slope: float
    offset: float
    middle: float
    spread: float

    def log_odds(self, values: Array) -> Array:
        """Return the log odds of decision values, in their order."""
        return _bend(
            self.slope * scale_values(values, self.middle, self.spread) + self.offset, STEEP
        )


def fit_curve(values: Array, positive: NDArray[np.bool_]) -> Curve | None:
    """Return the best logistic curve, be it rising or not; None for values that are all equal.

    Platt (1999): logistic regression on targets that are drawn in from 0 and 1 as if each class
    had one case more than it has, so that the curve stays flat enough where classes are separated.
    Values beyond `KNEE` spreads are brought to it for the fit: otherwise a few outlying ones
    decide the slope for all.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.calibrated import fit_curve
    >>> values = np.array([-2.0, -1.0, 0.5, 1.0])
    >>> fit_curve(values, np.array([0, 0, 1, 1]) == 1).slope > 0
    True
    >>> fit_curve(values, np.array([1, 1, 0, 0]) == 1).slope > 0
    False
    """
    many, few = int(positive.sum()), int((~positive).sum())
    scale = scale_of(values)
    if scale is None or not many or not few:
        return None
    target = np.where(positive, (many + 1.0) / (many + 2.0), 1.0 / (few + 2.0))
    z = np.clip(scale_values(values, *scale), -KNEE, KNEE)
    slope, offset = _fit_logistic(z, target, float(np.log((many + 1.0) / (few + 1.0))))
    return Curve(slope, offset, *scale)


def scale_of(values: Array) -> tuple[float, float] | None:
    """Return the middle and the spread of values, None if they are all equal.

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
    return np.column_stack([expit(-score), expit(score)])


def _fit_logistic(z: Array, target: Array, level: float) -> tuple[float, float]:
    """Return slope and offset of greatest likelihood, by Newton's steps that never go up."""
    design = np.column_stack([z, np.ones_like(z)])
    coefficients = np.array([0.0, level])
    loss = _compute_loss(design, target, coefficients)
    for _ in range(STEPS):
        p = expit(design @ coefficients)
        slopes = design.T @ (p - target)
        bend = (design * (p * (1.0 - p))[:, None]).T @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slopes)
        while (
            _compute_loss(design, target, coefficients - step) > loss and np.abs(step).max() > CLOSE
        ):
            step = step / 2.0
        coefficients = coefficients - step
        loss = _compute_loss(design, target, coefficients)
        if np.abs(step).max() <= CLOSE:
            break
    return float(coefficients[0]), float(coefficients[1])


def _compute_loss(design: Array, target: Array, at: Array) -> float:
    score = design @ at
    return float((np.logaddexp(0.0, score) - target * score).sum())


class CalibratedClassifier(ClassifierMixin, OuterLearner):
    """A classifier with probabilities that were learned on cases it was not trained on.

    Three fits, each on two thirds of the cases, give decision values of the others, which tell what
    they mean. A fourth fit on all cases predicts, and its decision values are read in the same way.
    Decision values of all cases make the curve three times as certain as those of one third would.

    **Two classes**: the logistic curve of Platt (1999), fitted so that outlying values do not
    decide its slope. It always rises, so that the order of cases, and with it an AUC, is that of
    the decision values. **Several classes**: one temperature for all (Guo et al. 2017), which
    leaves the class with the largest decision value the likeliest one. Where the held-out cases
    show no rising curve, the flattest one that keeps the order is taken, and `rises_` is False:
    the probabilities are then about the shares of the classes.

    Where a class has fewer than three cases, decision values of training take their place.

    Parameters
    ----------
    estimator : classifier
        One with `decision_function`.
    random_state : int, optional
        The seed of the parts that are held out.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import LinearSVC
    >>> from earnest.training.learners.calibrated import CalibratedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(0)) / X.std(0)
    >>> model = CalibratedClassifier(LinearSVC(), random_state=0).fit(X, y)
    >>> model.rises_, model.predict_proba(X[:1]).round(1).tolist()
    (True, [[1.0, 0.0]])
    """

    def __init__(self, estimator: Estimator, *, random_state: RngLike = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[np.generic]) -> CalibratedClassifier:
        """Fit the classifier, and what its decision values mean."""
        X, y = np.asarray(X), np.asarray(y)
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = np.asarray(self.estimator_.classes_)
        curve = _calibrate(self._decide_held_out(X, y), np.searchsorted(self.classes_, y))
        self.rises_ = curve.slope >= LEAST_SLOPE
        self.curve_ = list(curve._replace(slope=max(curve.slope, LEAST_SLOPE)))
        return self

    def _decide_held_out(self, X: Array, y: NDArray[np.generic]) -> Array:
        """Return decision values of cases out of training, of training where a class has few."""
        parts = self._draw_parts(y)
        values = np.asarray(self.estimator_.decision_function(X), dtype=np.float64)
        if parts is None:
            return values
        for number in range(PARTS):
            rows = parts == number
            model = clone(self.estimator).fit(X[~rows], y[~rows])
            values[rows] = model.decision_function(X[rows])
        return values

    def _draw_parts(self, y: NDArray[np.generic]) -> NDArray[np.intp] | None:
        """Return the part of each case, each class spread evenly; None where a class has few."""
        from sklearn.utils import check_random_state

        draw = check_random_state(self.random_state)
        layers = [np.flatnonzero(y == label) for label in self.classes_]
        if min(map(len, layers)) < PARTS:
            return None
        order = np.concatenate([draw.permutation(layer) for layer in layers])
        parts = np.empty(len(y), dtype=np.intp)
        parts[order] = np.arange(len(y)) % PARTS
        return parts

    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the decision values mean."""
        curve, values = Curve(*self.curve_), self.decision_function(X)
        if values.ndim == 1:
            return compute_probabilities(values, curve)
        scores = curve.slope * scale_values(values, curve.middle, curve.spread)
        return np.asarray(softmax(scores, axis=1))

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.generic]:
        """Return the class of the largest probability, so that both always agree."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _calibrate(values: NDArray[np.float64], codes: NDArray[np.intp]) -> Curve:
    """Return the curve of two classes, or the temperature of several; flat where none is found."""
    scale = scale_of(values.ravel())
    if scale is None:  # the classifier tells no case from another
        middle = float(values.flat[0]) if values.size else 0.0
        share = (codes.sum() + 1.0) / (len(codes) + 2.0)
        return Curve(0.0, float(np.log(share / (1.0 - share))) if values.ndim == 1 else 0.0,
                     middle, 1.0)  # fmt: skip
    if values.ndim == 1:
        curve = fit_curve(values, codes == 1)
        assert curve is not None  # both classes are among the held-out cases, and values differ
        return curve
    return Curve(_find_temperature(values, codes, scale), 0.0, *scale)


def _find_temperature(
    values: NDArray[np.float64], codes: NDArray[np.intp], scale: tuple[float, float]
) -> float:
    """Return the inverse temperature of least log loss, 0 where a rising one is worse than none.

    One more case of which nothing is known keeps it finite where classes are separated. The loss
    is convex in the inverse temperature, so that its slope changes sign once.
    """
    from scipy.optimize import brentq

    z = np.clip(scale_values(values, *scale), -KNEE, KNEE)
    unknown = 1.0 / (len(codes) + 1.0)
    target = (1.0 - unknown) * np.eye(values.shape[1])[codes] + unknown / values.shape[1]

    def slope(steep: float) -> float:
        return float(((softmax(steep * z, axis=1) - target) * z).sum())

    if slope(0.0) >= 0.0:
        return 0.0
    return float(brentq(slope, 0.0, MOST_SLOPE)) if slope(MOST_SLOPE) > 0.0 else MOST_SLOPE
