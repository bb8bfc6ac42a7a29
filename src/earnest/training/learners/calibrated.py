"""Probabilities for classifiers that only give decision values, for one more fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from earnest.core.base.rng import RngLike
from earnest.training.protocols import Estimator
from earnest.training.tune.meaning import (
    KNEE,
    LEAST_SLOPE,
    Curve,
    compute_probabilities,
    fit_curve,
    scale_of,
    scale_values,
)

HELD_OUT = 1 / 3  # of the cases, for the calibration
FEWEST = 3  # cases of a class for some of it to be held out
MOST_SLOPE = 1e3  # per spread, of what temperatures are looked for


class CalibratedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier with probabilities that were learned on cases it was not trained on.

    A first fit on two thirds of the cases gives decision values of the rest, which tell what they
    mean. A second fit on all cases predicts, and its decision values are read in the same way: two
    fits, where five-fold calibration takes six.

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
        The seed of the cases that are held out.

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
        rows = self._hold_out(y)
        model = self.estimator_
        if len(rows) < len(y):
            rest = np.setdiff1d(np.arange(len(y)), rows)
            model = clone(self.estimator).fit(X[rest], y[rest])
        values = np.asarray(model.decision_function(X[rows]), dtype=np.float64)
        curve = _fit_curve(values, np.searchsorted(self.classes_, y[rows]))
        self.rises_ = curve.slope >= LEAST_SLOPE
        self.curve_ = list(curve._replace(slope=max(curve.slope, LEAST_SLOPE)))
        return self

    def _hold_out(self, y: NDArray[np.generic]) -> NDArray[np.intp]:
        """Return rows of every class, all rows where a class has too few."""
        from sklearn.utils import check_random_state

        draw = check_random_state(self.random_state)
        parts = [np.flatnonzero(y == label) for label in self.classes_]
        if min(map(len, parts)) < FEWEST:
            return np.arange(len(y))
        counts = [max(round(HELD_OUT * len(part)), 1) for part in parts]
        chosen = [draw.permutation(p)[:c] for p, c in zip(parts, counts, strict=True)]
        return np.sort(np.concatenate(chosen))

    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the decision values mean."""
        curve, values = Curve(*self.curve_), self.decision_function(X)
        if values.ndim == 1:
            return compute_probabilities(values, curve)
        from scipy.special import softmax

        scores = curve.slope * scale_values(values, curve.middle, curve.spread)
        return np.asarray(softmax(scores, axis=1))

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.generic]:
        """Return the class of the largest probability, so that both always agree."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _fit_curve(values: NDArray[np.float64], codes: NDArray[np.intp]) -> Curve:
    """Return the curve of two classes, or the temperature of several; flat where none is found."""
    scale = scale_of(values.ravel())
    if scale is None:  # the classifier tells no case from another
        middle = float(values.flat[0]) if values.size else 0.0
        share = (codes.sum() + 1.0) / (len(codes) + 2.0)
        return Curve(0.0, float(np.log(share / (1.0 - share))) if values.ndim == 1 else 0.0,
                     middle, 1.0)  # fmt: skip
    if values.ndim == 1:
        found = fit_curve(values, codes == 1)
        assert found is not None  # both classes are among the held-out cases, and values differ
        return found
    return Curve(_find_temperature(values, codes, scale), 0.0, *scale)


def _find_temperature(
    values: NDArray[np.float64], codes: NDArray[np.intp], scale: tuple[float, float]
) -> float:
    """Return the inverse temperature of least log loss, 0 where a rising one is worse than none.

    One more case of which nothing is known keeps it finite where classes are separated. The loss
    is convex in the inverse temperature, so that its slope changes sign once.
    """
    from scipy.optimize import brentq
    from scipy.special import softmax

    z = np.clip(scale_values(values, *scale), -KNEE, KNEE)
    unknown = 1.0 / (len(codes) + 1.0)
    target = (1.0 - unknown) * np.eye(values.shape[1])[codes] + unknown / values.shape[1]

    def slope(steep: float) -> float:
        return float(((softmax(steep * z, axis=1) - target) * z).sum())

    if slope(0.0) >= 0.0:
        return 0.0
    return float(brentq(slope, 0.0, MOST_SLOPE)) if slope(MOST_SLOPE) > 0.0 else MOST_SLOPE
