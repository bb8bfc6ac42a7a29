"""Boosted trees of CatBoost as scikit-learn estimators, kept as plain arrays.

A tree of CatBoost asks the same question at all nodes of a level, so that a case's leaf is a number
whose bits are the answers. A model file holds questions and leaves, and predicting does not need
CatBoost.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.extras import tell_install
from earnest.training.learners.boosting import hold_out

Array = NDArray[np.float64]


class _CatBoost(BaseEstimator):
    """Boosted trees with one question for each level.

    Parameters
    ----------
    rounds : int
        How many rounds at most.
    learning_rate : float
        By which share a tree counts.
    depth : int
        How many questions each tree asks.
    l2 : float
        The penalty of squared leaves.
    patience : int, optional
        After how many rounds without a better loss on a held-out part of the training cases
        training ends; None takes all rounds and holds out nothing.
    random_state : int, optional
        The seed.
    """

    def __init__(
        self,
        rounds: int = 1000,
        *,
        learning_rate: float = 0.1,
        depth: int = 6,
        l2: float = 3.0,
        patience: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.depth = depth
        self.l2 = l2
        self.patience = patience
        self.random_state = random_state

    def _grow(self, X: Array, y: NDArray[np.generic], loss: str) -> None:
        """Grow the trees, and keep their questions and leaves."""
        catboost = import_catboost()
        options = {
            "loss_function": loss,
            "iterations": self.rounds,
            "learning_rate": self.learning_rate,
            "depth": self.depth,
            "l2_leaf_reg": self.l2,
            "random_seed": 0 if self.random_state is None else int(self.random_state) % 2**31,
            "thread_count": 1,
            "verbose": False,
            "allow_writing_files": False,
        }
        train, beside = hold_out(y, self.patience, self.random_state, classes=is_classifier(self))
        more: dict[str, Any] = {}
        if len(beside):
            more["eval_set"] = catboost.Pool(X[beside], y[beside])
            more["early_stopping_rounds"] = self.patience
        model = catboost.CatBoost(options)
        model.fit(catboost.Pool(X[train], y[train]), **more)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            model.save_model(str(path), format="json")
            self._keep(json.loads(path.read_text(encoding="utf-8")))

    def _keep(self, model: Mapping[str, Any]) -> None:
        """Keep a dumped model: questions (T, D), NaN and -1 where there are fewer, and leaves."""
        features, trees = model["features_info"]["float_features"], model["oblivious_trees"]
        positions = [feature["flat_feature_index"] for feature in features]
        last = {feature["nan_value_treatment"] for feature in features}
        if "AsTrue" in last:
            raise FormatError("a tree takes gaps for large numbers", needs="gaps that are small")
        scale, bias = model["scale_and_bias"]
        outputs = len(bias)
        levels = max((len(tree["splits"] or ()) for tree in trees), default=0)
        self.columns_ = np.full((len(trees), levels), -1, dtype=np.int64)
        self.borders_ = np.full((len(trees), levels), np.inf, dtype=np.float32)
        self.leaves_ = np.zeros((len(trees), 1 << levels, outputs))
        for index, tree in enumerate(trees):
            for level, split in enumerate(tree["splits"] or ()):
                if split["split_type"] != "FloatFeature":
                    raise FormatError("a tree splits categories", needs="splits of numbers")
                self.columns_[index, level] = positions[split["float_feature_index"]]
                self.borders_[index, level] = split["border"]
            values = np.asarray(tree["leaf_values"], dtype=np.float64).reshape(-1, outputs)
            self.leaves_[index, : len(values)] = float(scale) * values
        self.bias_ = np.asarray(bias, dtype=np.float64)

    def _add(self, X: Array) -> Array:
        """Return the sums of leaves: (n, K)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        with np.errstate(over="ignore"):
            numbers = np.ascontiguousarray(X.astype(np.float32))
        bits = 1 << np.arange(self.columns_.shape[1])
        total = np.tile(self.bias_, (len(X), 1))
        for columns, borders, leaves in zip(
            self.columns_, self.borders_, self.leaves_, strict=True
        ):
            above = numbers[:, columns] > borders  # a gap is never above
            total += leaves[above @ bits]
        return total


class CatBoostClassifier(ClassifierMixin, _CatBoost):
    """Boosted trees of classes; see `_CatBoost` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for the log loss."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("there is one class", needs="at least two classes")
        self._grow(X, codes, "Logloss" if len(self.classes_) == 2 else "MultiClass")
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of the classes."""
        sums = self._add(X)
        if len(self.classes_) == 2:
            chance = expit(sums[:, 0])
            return np.column_stack([1.0 - chance, chance])
        return np.asarray(softmax(sums, axis=1))

    def predict(self, X: Array) -> NDArray[np.generic]:
        """Return the class with the highest probability."""
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


class CatBoostRegressor(RegressorMixin, _CatBoost):
    """Boosted trees of numbers; see `_CatBoost` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for squared errors."""
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True
        )
        self._grow(X, np.asarray(y, dtype=np.float64), "RMSE")
        return self

    def predict(self, X: Array) -> Array:
        """Return the sums of leaves."""
        return self._add(X)[:, 0]


def import_catboost() -> Any:
    """Return the package, or say how to install it."""
    try:
        import catboost
    except ImportError as error:
        raise InputError(
            "CatBoost is not installed", needs="catboost", cure=tell_install("catboost")
        ) from error
    return catboost
