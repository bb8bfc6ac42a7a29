"""SearchCV against scikit-learn's own searches on the same inputs: the same numbers, exactly."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification, make_regression
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from earnest import SearchCV

Array = NDArray[Any]
X, Y = make_classification(n_samples=90, n_features=6, n_informative=4, random_state=3)
X3, Y3 = make_classification(
    n_samples=90, n_features=6, n_informative=4, n_classes=3, random_state=3
)
XR, YR = make_regression(n_samples=60, n_features=4, noise=20.0, random_state=1)
GROUPS = np.arange(90) % 9
FRAME = pd.DataFrame(X, columns=[f"f{i}" for i in range(6)])
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 4]}
ALPHAS = {"alpha": [0.01, 1.0, 100.0]}


class SometimesFails(ClassifierMixin, BaseEstimator):
    """A classifier whose `fit` fails for one value of its parameter."""

    def __init__(self, level: int = 0) -> None:
        self.level = level

    def fit(self, X: Array, y: Array) -> SometimesFails:
        if self.level == 1 or (self.level == 2 and X[0, 0] > 0):
            raise ValueError(f"level {self.level} fails")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Array) -> Array:
        return np.where(X[:, self.level % 2] > 0, self.classes_[1], self.classes_[0])


def fixed_choice(results: dict[str, Any]) -> int:
    return 2


def two_numbers(model: Any, X: Array, y: Array) -> dict[str, float]:
    return {"first": float(model.score(X, y)), "second": float(np.mean(model.predict(X) == 1))}


def own_scorer(model: Any, X: Array, y: Array) -> float:
    return float(np.mean(model.predict(X) == y)) - 0.1


CASES: dict[str, tuple[Any, Any, dict[str, Any], Any, Any, dict[str, Any]]] = {
    "binary": (TREE, DEPTHS, {"cv": None}, X, Y, {}),
    "auc": (LogisticRegression(), {"C": [0.01, 1.0]}, {"scoring": "roc_auc"}, X, Y, {}),
    "loss": (LogisticRegression(), {"C": [0.01, 1.0]}, {"scoring": "neg_log_loss"}, X, Y, {}),
    "multiclass": (TREE, DEPTHS, {"scoring": "f1_macro", "cv": 3}, X3, Y3, {}),
    "multiclass_auc": (TREE, DEPTHS, {"scoring": "roc_auc_ovr"}, X3, Y3, {}),
    "regression": (Ridge(), ALPHAS, {}, XR, YR, {}),
    "rmse": (Ridge(), ALPHAS, {"scoring": "neg_root_mean_squared_error", "cv": 4}, XR, YR, {}),
    "train_score": (TREE, DEPTHS, {"return_train_score": True}, X, Y, {}),
    "several": (
        TREE,
        DEPTHS,
        {"scoring": ["roc_auc", "accuracy"], "refit": "accuracy", "return_train_score": True},
        X,
        Y,
        {},
    ),
    "several_dict": (
        TREE,
        DEPTHS,
        {"scoring": {"a": "f1", "b": make_scorer(accuracy_score)}, "refit": "b"},
        X,
        Y,
        {},
    ),
    "several_unrefitted": (TREE, DEPTHS, {"scoring": ("f1", "recall"), "refit": False}, X, Y, {}),
    "several_callable": (TREE, DEPTHS, {"scoring": two_numbers, "refit": "second"}, X, Y, {}),
    "own_scorer": (TREE, DEPTHS, {"scoring": own_scorer}, X, Y, {}),
    "callable_refit": (TREE, DEPTHS, {"refit": fixed_choice}, X, Y, {}),
    "unrefitted": (TREE, DEPTHS, {"refit": False}, X, Y, {}),
    "list_of_grids": (
        SVC(),
        [{"C": [0.1, 1.0]}, {"kernel": ["poly"], "degree": [2, 3]}, {"gamma": ["scale", 0.1]}],
        {"scoring": "roc_auc"},
        X,
        Y,
        {},
    ),
    "pipeline": (
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": [0.1, 1.0], "standardscaler": [StandardScaler(), "passthrough"]},
        {},
        X,
        Y,
        {},
    ),
    "lists_as_values": (
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__metric_params": [None, {}], "standardscaler__with_mean": [True]},
        {},
        X,
        Y,
        {},
    ),
    "groups": (TREE, DEPTHS, {"cv": GroupKFold(3)}, X, Y, {"groups": GROUPS}),
    "splitter": (TREE, DEPTHS, {"cv": KFold(4, shuffle=True, random_state=5)}, X, Y, {}),
    "repeated": (
        TREE,
        DEPTHS,
        {"cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=1)},
        X,
        Y,
        {},
    ),
    "overlapping": (TREE, DEPTHS, {"cv": ShuffleSplit(4, random_state=2)}, X, Y, {}),
    "pairs": (TREE, DEPTHS, {"cv": list(KFold(3).split(X))}, X, Y, {}),
    "weights": (TREE, DEPTHS, {}, X, Y, {"sample_weight": 1.0 + np.arange(90) % 3}),
    "frame": (TREE, DEPTHS, {}, FRAME, pd.Series(Y), {}),
    "sparse": (LogisticRegression(), {"C": [0.1, 1.0]}, {}, sparse.csr_matrix(X), Y, {}),
    "list_outcome": (TREE, DEPTHS, {}, X.tolist(), Y.tolist(), {}),
    "text_labels": (TREE, DEPTHS, {"scoring": "roc_auc"}, X, np.array(["no", "yes"])[Y], {}),
    "object_labels": (
        TREE,
        DEPTHS,
        {},
        X,
        np.array(["no", "yes"], dtype=object)[Y],
        {},
    ),
    "precomputed": (SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, {}, X @ X.T, Y, {}),
    "several_outcomes": (Ridge(), ALPHAS, {}, XR, np.column_stack([YR, -YR]), {}),
    "unsupervised": (KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3]}, {}, X, None, {}),
    "transformer": (PCA(), {"n_components": [1, 2]}, {}, X, None, {}),
    "one_candidate": (TREE, {"max_depth": [2]}, {}, X, Y, {}),
    "no_parameter": (TREE, {}, {}, X, Y, {}),
    "array_of_values": (Ridge(), {"alpha": np.logspace(-2, 2, 3)}, {"cv": 3}, XR, YR, {}),
}


def both(
    name: str,
    ours: dict[str, Any] | None = None,
    theirs: Callable[..., Any] = GridSearchCV,
) -> tuple[Any, Any]:
    """Fit scikit-learn's search and ours on the same inputs."""
    estimator, grid, knobs, data, outcome, params = CASES[name]
    knobs = {"cv": 3, **knobs}
    fitted = []
    for make, more in ((theirs, {}), (SearchCV, ours or {})):
        search = make(clone(estimator), grid, **knobs, **more)
        fitted.append(search.fit(data, outcome, **params))
    return fitted[0], fitted[1]


def assert_same_table(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert list(theirs) == list(ours)
    for key, expected in theirs.items():
        found = ours[key]
        if key.endswith("_time"):
            assert found.dtype == expected.dtype
            assert (found >= 0).all()
        elif key == "params":
            assert str(found) == str(expected)
        elif key.startswith("param_"):
            assert isinstance(found, np.ma.MaskedArray)
            assert (found.mask == expected.mask).all()
            assert found.dtype == expected.dtype
            assert str(found.tolist()) == str(expected.tolist())
        else:
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected, err_msg=key)


def assert_same_search(theirs: Any, ours: Any) -> None:
    assert_same_table(theirs.cv_results_, ours.cv_results_)
    for name in ("n_splits_", "multimetric_", "best_index_", "best_score_"):
        assert hasattr(theirs, name) == hasattr(ours, name)
        if hasattr(theirs, name):
            assert getattr(theirs, name) == getattr(ours, name)
    assert str(getattr(theirs, "best_params_", None)) == str(getattr(ours, "best_params_", None))
    assert hasattr(theirs, "best_estimator_") == hasattr(ours, "best_estimator_")


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_grid_search_gives_the_very_numbers_of_scikit_learn(name: str) -> None:
    theirs, ours = both(name)
    assert_same_search(theirs, ours)
    data, outcome = CASES[name][3], CASES[name][4]
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        assert hasattr(theirs, method) == hasattr(ours, method)
        if hasattr(theirs, method):
            expected, found = (getattr(search, method)(data) for search in (theirs, ours))
            np.testing.assert_array_equal(found, expected)
    if theirs.refit is not False and not callable(theirs.refit):
        assert theirs.score(data, outcome) == ours.score(data, outcome)


@pytest.mark.parametrize("name", ["several", "weights"])
def test_two_processes_give_the_same_table_as_one(name: str) -> None:
    theirs, ours = both(name, {"n_jobs": 2})
    assert_same_search(theirs, ours)


@pytest.mark.parametrize("seed", [7, np.random.RandomState(3)])
def test_a_random_search_draws_the_candidates_of_scikit_learn(seed: Any) -> None:
    space = {"C": stats.loguniform(1e-3, 1e3), "fit_intercept": [True, False]}
    twin = pickle.loads(pickle.dumps(seed))
    knobs = {"n_iter": 4, "cv": 2}
    theirs = RandomizedSearchCV(LogisticRegression(), space, random_state=seed, **knobs).fit(X, Y)
    ours = SearchCV(LogisticRegression(), space, random_state=twin, **knobs).fit(X, Y)
    assert_same_search(theirs, ours)


def test_distributions_without_a_number_are_drawn_ten_times() -> None:
    space = {"C": stats.loguniform(1e-3, 1e3)}
    search = SearchCV(LogisticRegression(), space, cv=2, random_state=0)
    assert len(search.fit(X, Y).trials_) == 10


def test_a_grid_with_a_number_is_sampled_without_replacement() -> None:
    theirs = RandomizedSearchCV(TREE, {"max_depth": range(1, 9)}, n_iter=4, cv=2, random_state=2)
    ours = SearchCV(TREE, {"max_depth": range(1, 9)}, n_iter=4, cv=2, random_state=2)
    assert_same_search(theirs.fit(X, Y), ours.fit(X, Y))


@pytest.mark.parametrize("error_score", [np.nan, 0.0, -1.0])
def test_failing_fits_score_as_in_scikit_learn(error_score: float) -> None:
    fitted = []
    for make in (GridSearchCV, SearchCV):
        search = make(SometimesFails(), {"level": [0, 1, 2, 3]}, cv=3, error_score=error_score)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted.append(search.fit(X, Y))
        assert any(issubclass(w.category, FitFailedWarning) for w in caught)
    assert_same_search(*fitted)


def test_a_failure_is_raised_as_it_came_where_that_is_asked_for() -> None:
    search = SearchCV(SometimesFails(), {"level": [0, 1]}, error_score="raise")
    with pytest.raises(ValueError, match=r"^level 1 fails$"):
        search.fit(X, Y)


def broken_scorer(model: Any, X: Array, y: Array) -> float:
    if model.max_depth == 2:
        raise RuntimeError("no score")
    return float(model.score(X, y))


def test_failing_scores_are_replaced_as_in_scikit_learn() -> None:
    fitted = []
    for make in (GridSearchCV, SearchCV):
        with pytest.warns(UserWarning, match="Scoring failed"):
            fitted.append(make(TREE, DEPTHS, scoring=broken_scorer, error_score=0.0).fit(X, Y))
    assert_same_search(*fitted)
    with pytest.raises(RuntimeError, match="no score"):
        SearchCV(TREE, DEPTHS, scoring=broken_scorer, error_score="raise").fit(X, Y)


def test_weights_and_groups_are_routed_by_request() -> None:
    weights = 1.0 + np.arange(90) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        fitted = []
        for make, jobs in ((GridSearchCV, 1), (SearchCV, 1), (SearchCV, 2)):
            tree = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
            search = make(tree, DEPTHS, scoring=scorer, cv=GroupKFold(3), n_jobs=jobs)
            search.fit(X, Y, sample_weight=weights, groups=GROUPS)
            fitted.append(search)
        assert_same_search(fitted[0], fitted[1])
        assert_same_search(fitted[0], fitted[2])
        assert fitted[0].score(X, Y, sample_weight=weights) == fitted[1].score(
            X, Y, sample_weight=weights
        )
    assert fitted[1].estimate_.weighting is not None
    assert fitted[1].predictions_.target.groups is not None


def test_a_search_nests_in_pipelines_and_in_cross_validation() -> None:
    inner = SearchCV(TREE, DEPTHS, cv=3)
    pipe = make_pipeline(StandardScaler(), inner)
    expected = make_pipeline(StandardScaler(), GridSearchCV(TREE, DEPTHS, cv=3))
    np.testing.assert_array_equal(
        cross_val_score(pipe, X, Y, cv=3), cross_val_score(expected, X, Y, cv=3)
    )
    outer = SearchCV(pipe, {"searchcv__cv": [2, 3]}, cv=2).fit(X, Y)
    assert outer.best_params_["searchcv__cv"] in (2, 3)


def test_a_clone_has_the_knobs_and_nothing_that_was_learned() -> None:
    fitted = SearchCV(TREE, DEPTHS, cv=3, n_repeats=2, random_state=4).fit(X, Y)
    copy = clone(fitted)
    assert copy.get_params()["n_repeats"] == 2
    assert not hasattr(copy, "cv_results_")
    assert not hasattr(copy, "estimate_")
    with pytest.raises(NotFittedError):
        _ = copy.predictions_


def test_fitting_again_forgets_what_was_learned_before() -> None:
    search = SearchCV(TREE, DEPTHS, cv=3).fit(X, Y)
    first = search.estimate_
    search.set_params(refit=False, candidates={"max_depth": [1, 2]}).fit(X3, Y3)
    assert not hasattr(search, "best_estimator_")
    assert search.estimate_.n_configs == 2 != first.n_configs


def test_feature_names_and_counts_come_from_the_refitted_estimator() -> None:
    search = SearchCV(TREE, DEPTHS).fit(FRAME, Y)
    assert list(search.feature_names_in_) == list(FRAME.columns)
    assert search.n_features_in_ == 6
    assert search.refit_time_ >= 0


def test_an_estimator_without_a_score_needs_scoring() -> None:
    class Scoreless(BaseEstimator):
        def fit(self, X: Array, y: Array) -> Scoreless:
            return self

    with pytest.raises(TypeError, match="score"):
        SearchCV(Scoreless(), {}).fit(X, Y)


@pytest.mark.parametrize("bad", [-1, 3, 1.5, "c1"])
def test_a_refit_rule_that_names_no_configuration_is_refused(bad: Any) -> None:
    search = SearchCV(TREE, DEPTHS, refit=lambda results: bad)
    with pytest.raises((TypeError, IndexError), match="does not name a configuration"):
        search.fit(X, Y)


@pytest.mark.parametrize(
    "search",
    [
        SearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=2),
        pytest.param(  # most of what is checked is checked of a classifier
            SearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2, random_state=0), marks=pytest.mark.slow
        ),
        pytest.param(
            SearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0]}, cv=2, n_repeats=2),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["classifier", "regressor", "pipeline"],
)
@pytest.mark.filterwarnings("ignore")  # the checks feed data that no fit can take
def test_scikit_learns_own_checks_pass(search: SearchCV) -> None:
    results = check_estimator(search, on_skip=None)
    assert len(results) > 40
    assert not [one for one in results if one["status"] == "failed"]


def two_or_fail(model: Any, X: Array, y: Array) -> dict[str, float]:
    return {"one": float(np.mean(model.predict(X) == y)), "two": 1.0}


def test_a_callable_with_several_scores_and_failing_fits_is_as_in_scikit_learn() -> None:
    fitted = []
    for make in (GridSearchCV, SearchCV):
        search = make(
            SometimesFails(),
            {"level": [1, 0, 2]},
            scoring=two_or_fail,
            refit="one",
            error_score=-1.0,
        )
        with pytest.warns(FitFailedWarning):
            fitted.append(search.fit(X, Y))
    assert_same_search(*fitted)


def test_one_score_in_a_dict_is_still_several() -> None:
    knobs = {"scoring": {"score": "accuracy"}, "refit": "score"}
    theirs, ours = GridSearchCV(TREE, DEPTHS, **knobs), SearchCV(TREE, DEPTHS, **knobs)
    assert_same_search(theirs.fit(X, Y), ours.fit(X, Y))
    assert ours.multimetric_
