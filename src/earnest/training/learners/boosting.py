"""Boosted trees of LightGBM and XGBoost as scikit-learn estimators, kept as plain arrays.

The packages grow the trees; they are kept as arrays that NumPy walks through. So a model file
contains none of their types and nothing that compiled code reads, and predicting needs neither.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.extras import tell_install

Array = NDArray[np.float64]
HELD_OUT = 0.15  # of the training cases, by which early stopping decides
AS_ZERO, GOES_LEFT, GOES_RIGHT = 0, 1, 2  # what becomes of a missing value at a split
COLUMNS = ("feature", "threshold", "left", "right", "missing", "value")  # of a node


def flatten_trees(trees: Sequence[Mapping[str, Any]]) -> tuple[Array, NDArray[np.int64]]:
    """Return the nodes of dumped trees (N, 6) and the place of each root (T,).

    The columns are those of `COLUMNS`; a leaf has feature -1. Children come after their parent.
    """
    rows: list[list[float]] = []
    roots = []
    for tree in trees:
        roots.append(len(rows))
        waiting = [(tree["tree_structure"], -1, 0)]
        while waiting:
            node, parent, column = waiting.pop()
            start = len(rows)
            if parent >= 0:
                rows[parent][column] = start
            if "split_feature" not in node:
                rows.append([-1, 0, 0, 0, AS_ZERO, float(node["leaf_value"])])
                continue
            if node["decision_type"] != "<=":
                raise FormatError("a tree splits categories", needs="splits of numbers")
            missing = AS_ZERO
            if node["missing_type"] == "NaN":
                missing = GOES_LEFT if node["default_left"] else GOES_RIGHT
            rows.append([node["split_feature"], float(node["threshold"]), 0, 0, missing, 0])
            waiting.append((node["right_child"], start, COLUMNS.index("right")))
            waiting.append((node["left_child"], start, COLUMNS.index("left")))
    return np.array(rows, dtype=np.float64), np.array(roots, dtype=np.int64)


def add_trees(nodes: Array, roots: NDArray[np.int64], X: Array, outputs: int) -> Array:
    """Return the sums of leaves (n, outputs); trees take turns over the outputs."""
    feature, left, right, missing = (nodes[:, i].astype(np.int64) for i in (0, 2, 3, 4))
    inner = np.flatnonzero(feature >= 0)
    children = np.stack([left[inner], right[inner]])
    inside = (children > inner).all() and (children < len(nodes)).all()
    if not inside or (feature >= X.shape[1]).any() or ((roots < 0) | (roots >= len(nodes))).any():
        raise FormatError("the trees of the model do not fit together")
    gaps = np.isnan(X)
    filled = np.where(gaps, 0.0, X)
    rows = np.arange(len(X))
    out = np.zeros((len(X), outputs))
    for turn, root in enumerate(roots):
        node = np.full(len(X), root)
        while True:  # ends, as children come after their parent
            column = feature[node]
            split = column >= 0
            if not split.any():
                break
            at = np.maximum(column, 0)
            goes = filled[rows, at] <= nodes[node, 1]
            is_present = ~gaps[rows, at] | (missing[node] == AS_ZERO)
            goes = np.where(is_present, goes, missing[node] == GOES_LEFT)
            node = np.where(split, np.where(goes, left[node], right[node]), node)
        out[:, turn % outputs] += nodes[node, 5]
    return out


class _Boosting(BaseEstimator):
    """Boosted trees grown leaf by leaf.

    Parameters
    ----------
    rounds : int
        How many rounds at most.
    learning_rate : float
        By which share a tree counts.
    max_leaf_nodes, min_leaf : int
        The most leaves of a tree, and the fewest cases in one.
    l2 : float
        The penalty of squared leaves.
    columns, rows : float
        The share of the columns, and of the cases, that each tree sees.
    patience : int, optional
        After how many rounds without a better loss on a held-out part of the training cases
        training ends; None takes all rounds and holds out nothing.
    random_state : int, optional
        The seed.
    """

    def __init__(
        self,
        rounds: int = 150,
        *,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 24,
        min_leaf: int = 20,
        l2: float = 0.0,
        columns: float = 1.0,
        rows: float = 1.0,
        patience: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_leaf = min_leaf
        self.l2 = l2
        self.columns = columns
        self.rows = rows
        self.patience = patience
        self.random_state = random_state

    def _grow(self, X: Array, y: NDArray[np.generic], objective: dict[str, Any]) -> None:
        """Grow the trees, and keep them as arrays."""
        lightgbm = import_lightgbm()
        options = {
            **objective,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaf_nodes,
            "min_data_in_leaf": self.min_leaf,
            "lambda_l2": self.l2,
            "feature_fraction": self.columns,
            "bagging_fraction": self.rows,
            "bagging_freq": int(self.rows < 1.0),
            "seed": 0 if self.random_state is None else int(self.random_state),
            "deterministic": True,
            "force_col_wise": True,
            "feature_pre_filter": False,
            "num_threads": 1,
            "verbosity": -1,
        }
        train, beside = hold_out(y, self.patience, self.random_state, classes=is_classifier(self))
        data = lightgbm.Dataset(X[train], y[train], free_raw_data=False)
        more: dict[str, Any] = {}
        if len(beside):
            more["valid_sets"] = [lightgbm.Dataset(X[beside], y[beside], reference=data)]
            more["callbacks"] = [lightgbm.early_stopping(self.patience, verbose=False)]
        booster = lightgbm.train(options, data, num_boost_round=self.rounds, **more)
        dumped = booster.dump_model(num_iteration=booster.best_iteration or None)
        self.nodes_, self.roots_ = flatten_trees(dumped["tree_info"])

    def _add(self, X: Array, outputs: int) -> Array:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return add_trees(self.nodes_, self.roots_, X, outputs)


class LightGBMClassifier(ClassifierMixin, _Boosting):
    """Boosted trees of classes; see `_Boosting` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for the log loss."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        count = len(self.classes_)
        if count < 2:
            raise InputError("there is one class", needs="at least two classes")
        several = {"objective": "multiclass", "num_class": count}
        self._grow(X, codes, {"objective": "binary"} if count == 2 else several)
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of the classes."""
        check_is_fitted(self)
        if len(self.classes_) == 2:
            chance = expit(self._add(X, 1)[:, 0])
            return np.column_stack([1.0 - chance, chance])
        return np.asarray(softmax(self._add(X, len(self.classes_)), axis=1))

    def predict(self, X: Array) -> NDArray[np.generic]:
        """Return the class with the highest probability."""
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


class LightGBMRegressor(RegressorMixin, _Boosting):
    """Boosted trees of numbers; see `_Boosting` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for squared errors."""
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True
        )
        self._grow(X, np.asarray(y, dtype=np.float64), {"objective": "regression"})
        return self

    def predict(self, X: Array) -> Array:
        """Return the sums of leaves."""
        return self._add(X, 1)[:, 0]


def read_trees(trees: Sequence[Mapping[str, Any]]) -> tuple[Array, NDArray[np.int64]]:
    """Return the nodes of trees of XGBoost (N, 6) and the place of each root (T,).

    XGBoost asks whether a number of single precision is below a threshold: it is at most the next
    smaller number then.
    """
    parts, roots, start = [], [], 0
    for tree in trees:
        if tree.get("categories_nodes"):
            raise FormatError("a tree splits categories", needs="splits of numbers")
        left = np.array(tree["left_children"], dtype=np.int64)
        right = np.array(tree["right_children"], dtype=np.int64)
        numbers = np.array(tree["split_conditions"], dtype=np.float32)
        leaf = left < 0
        side = np.where(np.array(tree["default_left"], dtype=bool), GOES_LEFT, GOES_RIGHT)
        below = np.nextafter(numbers, np.float32(-np.inf)).astype(np.float64)
        columns = (
            np.where(leaf, -1, np.array(tree["split_indices"], dtype=np.int64)),
            np.where(leaf, 0.0, below),
            np.where(leaf, 0, start + left),
            np.where(leaf, 0, start + right),
            np.where(leaf, AS_ZERO, side),
            np.where(leaf, numbers, 0.0),
        )
        parts.append(np.column_stack(columns).astype(np.float64))
        roots.append(start)
        start += len(left)
    return np.concatenate(parts), np.array(roots, dtype=np.int64)


class _XGBoost(BaseEstimator):
    """Boosted trees grown level by level.

    Parameters
    ----------
    rounds : int
        How many rounds at most.
    learning_rate : float
        By which share a tree counts.
    depth : int
        How many levels a tree has at most.
    min_weight : float
        The fewest cases in a leaf, weighted by their curvature.
    l2 : float
        The penalty of squared leaves.
    columns, rows : float
        The share of the columns, and of the cases, that each tree sees.
    patience : int, optional
        After how many rounds without a better loss on a held-out part of the training cases
        training ends; None takes all rounds and holds out nothing.
    random_state : int, optional
        The seed.
    """

    def __init__(
        self,
        rounds: int = 200,
        *,
        learning_rate: float = 0.1,
        depth: int = 6,
        min_weight: float = 1.0,
        l2: float = 1.0,
        columns: float = 1.0,
        rows: float = 1.0,
        patience: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.depth = depth
        self.min_weight = min_weight
        self.l2 = l2
        self.columns = columns
        self.rows = rows
        self.patience = patience
        self.random_state = random_state

    def _grow(self, X: Array, y: NDArray[np.generic], objective: dict[str, Any]) -> None:
        """Grow the trees, and keep them as arrays."""
        xgboost = import_xgboost()
        options = {
            **objective,
            "learning_rate": self.learning_rate,
            "max_depth": self.depth,
            "min_child_weight": self.min_weight,
            "reg_lambda": self.l2,
            "colsample_bytree": self.columns,
            "subsample": self.rows,
            "seed": 0 if self.random_state is None else int(self.random_state) % 2**31,
            "tree_method": "hist",
            "nthread": 1,
            "verbosity": 0,
        }
        train, beside = hold_out(y, self.patience, self.random_state, classes=is_classifier(self))
        data = xgboost.DMatrix(X[train], y[train], nthread=1)
        more: dict[str, Any] = {}
        if len(beside):
            more["evals"] = [(xgboost.DMatrix(X[beside], y[beside], nthread=1), "beside")]
            more["early_stopping_rounds"] = self.patience
            more["verbose_eval"] = False
        booster = xgboost.train(options, data, num_boost_round=self.rounds, **more)
        if len(beside):
            booster = booster[: booster.best_iteration + 1]
        dumped = json.loads(booster.save_raw("json"))
        self.nodes_, self.roots_ = read_trees(
            dumped["learner"]["gradient_booster"]["model"]["trees"]
        )
        some = xgboost.DMatrix(X[:1], nthread=1)
        sums = booster.predict(some, output_margin=True).reshape(1, -1).astype(np.float64)
        outputs = sums.shape[1]
        self.bias_ = sums[0] - add_trees(self.nodes_, self.roots_, _round(X[:1]), outputs)[0]

    def _add(self, X: Array) -> Array:
        """Return the sums of leaves: (n, K)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return self.bias_ + add_trees(self.nodes_, self.roots_, _round(X), len(self.bias_))


def _round(X: Array) -> Array:
    """Return numbers as single precision has them."""
    with np.errstate(over="ignore"):
        return X.astype(np.float32).astype(np.float64)


class XGBoostClassifier(ClassifierMixin, _XGBoost):
    """Boosted trees of classes; see `_XGBoost` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for the log loss."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        count = len(self.classes_)
        if count < 2:
            raise InputError("there is one class", needs="at least two classes")
        several = {"objective": "multi:softprob", "num_class": count}
        self._grow(X, codes, {"objective": "binary:logistic"} if count == 2 else several)
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


class XGBoostRegressor(RegressorMixin, _XGBoost):
    """Boosted trees of numbers; see `_XGBoost` for the knobs."""

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Grow trees for squared errors."""
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True
        )
        self._grow(X, np.asarray(y, dtype=np.float64), {"objective": "reg:squarederror"})
        return self

    def predict(self, X: Array) -> Array:
        """Return the sums of leaves."""
        return self._add(X)[:, 0]


def hold_out(
    y: NDArray[np.generic], patience: int | None, seed: int | None, *, classes: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the cases that grow trees, and those that say when to stop, spread by class."""
    if patience is None:
        return np.arange(len(y)), np.arange(0)
    order = np.random.default_rng(seed).permutation(len(y))
    if classes:
        order = order[np.argsort(y[order], kind="stable")]
    every = max(2, round(1 / HELD_OUT))
    held = np.zeros(len(y), dtype=bool)
    held[order[every // 2 :: every]] = True
    return np.flatnonzero(~held), np.flatnonzero(held)


def import_lightgbm() -> ModuleType:
    """Return the package, or say how to install it."""
    try:
        import lightgbm
    except ImportError as error:
        raise InputError(
            "LightGBM is not installed",
            needs="the extra 'lightgbm'",
            cure=tell_install("lightgbm"),
        ) from error
    return cast(ModuleType, lightgbm)


def import_xgboost() -> ModuleType:
    """Return the package, or say how to install it."""
    try:
        import xgboost
    except ImportError as error:
        raise InputError(
            "XGBoost is not installed", needs="xgboost", cure=tell_install("xgboost")
        ) from error
    return cast(ModuleType, xgboost)
