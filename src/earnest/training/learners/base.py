"""Learners whose parameters depend on the number of columns, after any selection."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    is_classifier,
    is_regressor,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base.rng import RngLike
from earnest.training.protocols import Classifier, Estimator, Predictor

Array = NDArray[np.float64]
E = TypeVar("E", bound=Estimator)


def fit_quietly(model: E, X: Array, y: NDArray[np.generic], **params: object) -> E:
    """Fit a model without the warning that it has not converged.

    Among hundreds of models some always stop early; they are judged by their predictions.
    """
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, **params)
    return model


class OuterLearner(BaseEstimator):
    """A learner around others: it takes them unfitted, and keeps fitted copies of them.

    Once it is fitted, it is saved without the unfitted ones. What is loaded has the fitted ones in
    their place, so that it can still be cloned and fitted again.
    """

    inner_parameter: ClassVar[str] = "estimator"  # with an underscore behind it, the fitted ones

    def __getstate__(self) -> dict[str, object]:
        state = dict(super().__getstate__())
        if f"{self.inner_parameter}_" in state:
            state.pop(self.inner_parameter, None)
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        fitted = f"{self.inner_parameter}_"
        before = {self.inner_parameter: state[fitted]} if fitted in state else {}
        super().__setstate__({**before, **state})


class InnerLearner(BaseEstimator):
    """A learner that makes another one in `fit`, once the number of columns is known."""

    inner_: Predictor

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        """Return the learner inside, unfitted."""
        raise NotImplementedError

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Fit the learner inside."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=is_regressor(self))
        if is_classifier(self):
            check_classification_targets(y)
        self.inner_ = fit_quietly(self._make_inner(X, y), X, y)
        return self

    def _check_input(self, X: Array) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64))

    def predict(self, X: Array) -> NDArray[np.generic]:
        """Predict with the learner inside."""
        X = self._check_input(X)
        return np.asarray(self.inner_.predict(X))


class ClassLearner(ClassifierMixin, InnerLearner):
    """A learner of classes."""

    inner_: Classifier

    @property
    def classes_(self) -> NDArray[np.generic]:
        """The classes of training."""
        check_is_fitted(self)
        return np.asarray(self.inner_.classes_)


class NumberLearner(RegressorMixin, InnerLearner):
    """A learner of numbers, scaled to mean 0 and standard deviation 1.

    So penalties and tolerances do not depend on the unit of the outcome.
    """

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Fit the learner inside to the scaled outcome."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        numbers = np.asarray(y, dtype=np.float64)
        self.center_, spread = float(numbers.mean()), float(numbers.std())
        self.unit_ = spread if spread > 0.0 else 1.0
        scaled = (numbers - self.center_) / self.unit_
        self.inner_ = fit_quietly(self._make_inner(X, scaled), X, scaled)
        return self

    def predict(self, X: Array) -> NDArray[np.generic]:
        """Predict in the unit of the outcome."""
        scaled = np.asarray(super().predict(X), dtype=np.float64)
        return np.asarray(scaled * self.unit_ + self.center_)


class _Forest(InnerLearner):
    """A random forest whose splits consider a multiple of the root of the number of columns.

    Parameters
    ----------
    trees : int
        The number of trees.
    min_leaf : int
        The fewest cases in a leaf.
    mtry : float
        How many columns each split considers, as a multiple of the root of their number.
    rows : float
        The share of the cases that each tree draws, with replacement.
    random_state : int, optional
        The seed.
    """

    def __init__(
        self,
        trees: int = 500,
        *,
        min_leaf: int = 1,
        mtry: float = 1.0,
        rows: float = 1.0,
        random_state: RngLike = None,
    ) -> None:
        self.trees = trees
        self.min_leaf = min_leaf
        self.mtry = mtry
        self.rows = rows
        self.random_state = random_state

    def _choose_kind(self) -> Callable[..., Predictor]:
        """Return the class of the learner inside."""
        raise NotImplementedError

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        drawn = {} if self.rows == 1.0 else {"max_samples": self.rows}
        return self._choose_kind()(
            n_estimators=self.trees,
            min_samples_leaf=self.min_leaf,
            max_features=count_tried_columns(self.mtry, X.shape[1]),
            random_state=self.random_state,
            **drawn,
        )


def count_tried_columns(mtry: float, count: int) -> int:
    """Return a multiple of the root of a number of columns, as a number from 1 to all."""
    return min(max(round(mtry * math.sqrt(count)), 1), count)


class ForestClassifier(ClassLearner, _Forest):
    """A random forest of classes; see `_Forest` for its knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier

    def predict_proba(self, X: Array) -> Array:
        """Return the mean of the trees' probabilities."""
        X = self._check_input(X)
        return np.asarray(self.inner_.predict_proba(X))


class ForestRegressor(RegressorMixin, _Forest):
    """A random forest of numbers; see `_Forest` for its knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor


class _ExtraTrees(InnerLearner):
    """Trees that are split at random cuts, each grown on all cases.

    Parameters
    ----------
    trees : int
        The number of trees.
    min_leaf : int
        The fewest cases in a leaf.
    mtry : float
        How many columns each split considers, as a multiple of the root of their number.
    random_state : int, optional
        The seed.
    """

    def __init__(
        self,
        trees: int = 200,
        *,
        min_leaf: int = 1,
        mtry: float = 1.0,
        random_state: RngLike = None,
    ) -> None:
        self.trees = trees
        self.min_leaf = min_leaf
        self.mtry = mtry
        self.random_state = random_state

    def _choose_kind(self) -> Callable[..., Predictor]:
        """Return the class of the learner inside."""
        raise NotImplementedError

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        return self._choose_kind()(
            n_estimators=self.trees,
            min_samples_leaf=self.min_leaf,
            max_features=count_tried_columns(self.mtry, X.shape[1]),
            random_state=self.random_state,
        )


class ExtraTreesClassifier(ClassLearner, _ExtraTrees):
    """Extremely randomised trees of classes; see `_ExtraTrees` for the knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.ensemble import ExtraTreesClassifier as Trees

        return Trees

    def predict_proba(self, X: Array) -> Array:
        """Return the mean of the trees' probabilities."""
        X = self._check_input(X)
        return np.asarray(self.inner_.predict_proba(X))


class ExtraTreesRegressor(RegressorMixin, _ExtraTrees):
    """Extremely randomised trees of numbers; see `_ExtraTrees` for the knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.ensemble import ExtraTreesRegressor as Trees

        return Trees
