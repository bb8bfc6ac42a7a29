"""Probabilities for classifiers that only give decision values, for one more fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

HELD_OUT = 1 / 3  # of the cases, for the sigmoid
FEWEST = 3  # cases of a class for some of it to be held out


class Calibrated(ClassifierMixin, BaseEstimator):
    """A classifier with probabilities that were learned on cases it was not trained on.

    A first fit on two thirds of the cases gives decision values of the rest, on which a logistic
    regression learns what they mean (Platt 1999). A second fit on all cases predicts, and its
    decision values are read by that regression: two fits, where five-fold calibration takes six.
    The order of cases is that of the decision values, so that an AUC is the same as without.

    Where a class has fewer than three cases, decision values of training take their place.

    Parameters
    ----------
    estimator : classifier
        One with `decision_function`.
    random_state : int, optional
        The seed of the cases that are held out.
    """

    def __init__(self, estimator: Any, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Calibrated:
        """Fit the classifier, and what its decision values mean."""
        X, y = np.asarray(X), np.asarray(y)
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = np.asarray(self.estimator_.classes_)
        rows = self._held_out(y)
        model = self.estimator_
        if len(rows) < len(y):
            rest = np.setdiff1d(np.arange(len(y)), rows)
            model = clone(self.estimator).fit(X[rest], y[rest])
        self.meaning_ = _meaning(_columns(model.decision_function(X[rows])), y[rows])
        return self

    def _held_out(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """Return rows of every class, all rows where a class has too few."""
        from sklearn.utils import check_random_state

        draw = check_random_state(self.random_state)
        parts = [np.flatnonzero(y == label) for label in self.classes_]
        if min(map(len, parts)) < FEWEST:
            return np.arange(len(y))
        counts = [max(round(HELD_OUT * len(part)), 1) for part in parts]
        chosen = [draw.permutation(p)[:c] for p, c in zip(parts, counts, strict=True)]
        return np.sort(np.concatenate(chosen))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return what the decision values mean."""
        return np.asarray(self.meaning_.predict_proba(_columns(self.decision_function(X))))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest probability, so that both always agree."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _columns(scores: Any) -> NDArray[np.float64]:
    scores = np.asarray(scores, dtype=np.float64)
    return np.asarray(scores.reshape(len(scores), -1))


def _meaning(scores: NDArray[np.float64], y: NDArray[Any]) -> Any:
    """Return a logistic regression on decision values, which may be of any size."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from earnest.training.learners.base import fit_quietly

    return fit_quietly(make_pipeline(StandardScaler(), LogisticRegression(C=10.0)), scores, y)
