"""An ensemble as one model: the weighted average of several models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from earnest.core.base.errors import InputError
from earnest.core.base.threads import each
from earnest.training.fit.response import count_rows
from earnest.training.learners.base import OuterLearner
from earnest.training.protocols import Classifier, Estimator, Predictor


class AveragedModel(OuterLearner):
    """What averages of classifiers and of regressors share.

    Parameters
    ----------
    estimators : sequence of estimator
        The members, unfitted; each is fitted to all cases.
    shares : sequence of float
        The share of each in the prediction; they sum to 1.
    """

    inner_parameter: ClassVar[str] = "estimators"
    estimators_: list[Estimator]

    def __init__(self, estimators: Sequence[Estimator], shares: Sequence[float]) -> None:
        self.estimators = estimators
        self.shares = shares

    def fit(self, X: object, y: object, *, n_jobs: int = 1, **params: object) -> Self:
        """Fit every member, so many at once in threads."""
        if len(self.estimators) != len(self.shares) or not len(self.shares):
            raise InputError(
                "`estimators` and `shares` do not match",
                needs="one share for each member, and one member at least",
                got=f"{len(self.estimators)} members, {len(self.shares)} shares",
            )

        def fit_member(member: Estimator) -> Estimator:
            model = clone(member)
            model.fit(X, y, **params)
            return model

        self.estimators_ = each(fit_member, self.estimators, n_jobs)
        first = self.estimators_[0]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")


class AveragedClassifier(ClassifierMixin, AveragedModel):
    """The average of the probabilities of several classifiers.

    Parameters
    ----------
    estimators : sequence of classifier
        The members, unfitted, each with `predict_proba`.
    shares : sequence of float
        The share of each in the probabilities; they sum to 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from earnest.training.learners.averaged import AveragedClassifier
    >>> members = [GaussianNB(), DecisionTreeClassifier(random_state=0)]
    >>> model = AveragedClassifier(members, [0.75, 0.25]).fit(*load_iris(return_X_y=True))
    >>> model.predict(load_iris().data[:2]).tolist()
    [0, 0]
    """

    def fit(self, X: object, y: object, *, n_jobs: int = 1, **params: object) -> Self:
        """Fit every member, so many at once in threads."""
        super().fit(X, y, n_jobs=n_jobs, **params)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Return the averaged probabilities: (n, K)."""
        check_is_fitted(self)
        total = np.zeros((count_rows(X), len(self.classes_)))
        for member, share in zip(self.estimators_, self.shares, strict=True):
            classifier = cast(Classifier, member)
            probabilities = np.asarray(classifier.predict_proba(X), dtype=np.float64)
            total[:, np.searchsorted(self.classes_, classifier.classes_)] += share * probabilities
        return total

    def predict(self, X: object) -> NDArray[np.generic]:
        """Return the likeliest class of each case."""
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


class AveragedRegressor(RegressorMixin, AveragedModel):
    """The average of the predictions of several regressors.

    Parameters
    ----------
    estimators : sequence of regressor
        The members, unfitted.
    shares : sequence of float
        The share of each in the prediction; they sum to 1.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from earnest.training.learners.averaged import AveragedRegressor
    >>> members = [DummyRegressor(strategy="constant", constant=c) for c in (0.0, 4.0)]
    >>> AveragedRegressor(members, [0.75, 0.25]).fit([[0], [1]], [0, 4]).predict([[5]])
    array([1.])
    """

    def predict(self, X: object) -> NDArray[np.float64]:
        """Return the averaged prediction of each case."""
        check_is_fitted(self)
        total = np.zeros(count_rows(X))
        for member, share in zip(self.estimators_, self.shares, strict=True):
            total += share * np.asarray(cast(Predictor, member).predict(X), dtype=np.float64)
        return total


def join_members(
    members: Sequence[Estimator], shares: Sequence[float], *, classes: bool
) -> Estimator:
    """Return the unfitted model of an ensemble; a single member is its own model."""
    if len(members) == 1:
        return members[0]
    kind = AveragedClassifier if classes else AveragedRegressor
    return kind(list(members), [float(share) for share in shares])
