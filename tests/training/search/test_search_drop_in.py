"""Where a call of scikit-learn's searches is kept as it is: the odd inputs, and what they give."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn.base
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from earnest import SearchCV
from earnest.engine import count_ahead
from earnest.errors import InputError, MetricError
from earnest.training import NoEstimateError

Array = NDArray[Any]
X, Y = make_classification(n_samples=90, n_features=6, n_informative=4, random_state=3)
X3, Y3 = make_classification(
    n_samples=90, n_features=6, n_informative=4, n_classes=3, random_state=3
)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 4]}
THIRTY = {"max_depth": list(range(1, 11)), "min_samples_leaf": [1, 2, 3]}


def codes(search: SearchCV) -> set[str]:
    return {caution.kind for caution in search.estimate_.cautions}


def fit_both(
    estimator: Any, grid: Any, data: Array = X, outcome: Array = Y, **knobs: Any
) -> tuple[Any, SearchCV, list[set[type[Warning]]]]:
    """Fit scikit-learn's grid search and ours, and tell which kinds of warnings each gave."""
    fitted, kinds, knobs = [], [], {"cv": 3, **knobs}
    for make in (GridSearchCV, SearchCV):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted.append(make(estimator, grid, **knobs).fit(data, outcome))
        kinds.append({warning.category for warning in caught})
    return fitted[0], fitted[1], kinds


def assert_same_scores(theirs: Any, ours: SearchCV) -> None:
    for key, expected in theirs.cv_results_.items():
        if "test_" in key:
            np.testing.assert_array_equal(ours.cv_results_[key], expected, err_msg=key)
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.best_score_, theirs.best_score_)


# ------------------------------------------------------------------------------- candidates


def test_lists_given_as_distributions_are_drawn_ten_times_without_replacement() -> None:
    theirs = RandomizedSearchCV(TREE, THIRTY, cv=2, random_state=5).fit(X, Y)
    ours = SearchCV(TREE, param_distributions=THIRTY, cv=2, random_state=5).fit(X, Y)
    assert len(ours.cv_results_["params"]) == 10
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert_same_scores(theirs, ours)


def test_the_same_lists_as_candidates_or_grid_are_all_tried() -> None:
    for knobs in ({"candidates": THIRTY}, {"param_grid": THIRTY}):
        assert len(SearchCV(TREE, cv=2, **knobs).fit(X, Y).trials_) == 30


def test_fewer_than_ten_points_are_drawn_in_the_order_of_scikit_learn_without_a_warning() -> None:
    with pytest.warns(UserWarning, match="smaller than n_iter"):
        theirs = RandomizedSearchCV(TREE, DEPTHS, random_state=5).fit(X, Y)
    ours = SearchCV(TREE, param_distributions=DEPTHS, random_state=5).fit(X, Y)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    with pytest.warns(UserWarning, match="smaller than n_iter"):
        SearchCV(TREE, param_distributions=DEPTHS, n_iter=5, random_state=5).fit(X, Y)


@pytest.mark.parametrize("values", [1, "1,2,3", None, {1, 2}])
def test_values_that_are_no_sequence_are_a_type_error_as_in_scikit_learn(values: Any) -> None:
    for make, kind in ((GridSearchCV, TypeError), (SearchCV, TypeError), (SearchCV, InputError)):
        with pytest.raises(kind):
            make(TREE, {"max_depth": values}).fit(X, Y)


@pytest.mark.parametrize("values", [[], np.ones((3, 2))])
def test_a_sequence_that_cannot_be_tried_is_a_value_error_as_in_scikit_learn(values: Any) -> None:
    for make in (GridSearchCV, SearchCV):
        with pytest.raises(ValueError, match="max_depth") as caught:
            make(TREE, {"max_depth": values}).fit(X, Y)
        assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("grid", [3, "max_depth", [1, 2]])
def test_a_grid_that_is_none_is_a_type_error(grid: Any) -> None:
    with pytest.raises(TypeError):
        GridSearchCV(TREE, grid).fit(X, Y)
    kind = InputError if isinstance(grid, list) else TypeError  # a list may hold estimators
    with pytest.raises(kind):
        SearchCV(TREE, param_grid=grid).fit(X, Y)


# ----------------------------------------------------------------------------- pre_dispatch


@pytest.mark.parametrize(("given", "sent"), [(1, 1), ("all", "all"), ("3*n_jobs", 6), (None, 4)])
def test_pre_dispatch_reaches_joblib_and_changes_no_number(
    given: Any, sent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    class Watched(joblib.Parallel):  # type: ignore[misc]  # joblib is not typed
        def __init__(self, *args: Any, **knobs: Any) -> None:
            seen.append(knobs["pre_dispatch"])
            super().__init__(*args, **knobs)

    knobs = {} if given is None else {"pre_dispatch": given}
    plain = SearchCV(TREE, DEPTHS, random_state=0).fit(X, Y)
    monkeypatch.setattr(joblib, "Parallel", Watched)
    with joblib.parallel_config(backend="threading"):
        ours = SearchCV(TREE, DEPTHS, n_jobs=2, random_state=0, **knobs).fit(X, Y)
    assert set(seen) == {sent}
    assert_same_scores(plain, ours)
    assert ours.estimate_ == plain.estimate_


@pytest.mark.parametrize("bad", [0, -1, None, 1.5, True, "", "many", "2**3", "n_jobs/0", "'2'"])
def test_a_pre_dispatch_that_is_no_number_is_refused_before_any_fit(bad: Any) -> None:
    with pytest.raises(InputError, match="pre_dispatch"):
        SearchCV(TREE, DEPTHS, pre_dispatch=bad).fit(X, Y)


def test_at_least_one_parcel_is_sent_ahead() -> None:
    assert [count_ahead(given, 4) for given in ("n_jobs//8", "n_jobs - 9", "2.5", 7)] == [
        1,
        1,
        2,
        7,
    ]


# -------------------------------------------------------------------------------- callbacks


class Noting:
    """A callback of scikit-learn 1.9 that writes the hooks into a file, from any process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _note(self, *words: Any) -> None:
        with self.path.open("a") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def setup(self, estimator: Any, context: Any) -> None:
        self._note("setup", type(estimator).__name__)

    def teardown(self, estimator: Any, context: Any) -> None:
        self._note("teardown", type(estimator).__name__)

    def on_fit_task_begin(
        self, estimator: Any, context: Any, *, X: Any = None, metadata: Any = None
    ) -> None:
        weighed = 0 if metadata is None else len(metadata["sample_weight"])
        self._note("begin", context.task_name, 0 if X is None else len(X), weighed)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        self._note("end", context.task_name)

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines()


HAS_CALLBACKS = hasattr(GridSearchCV, "set_callbacks")  # from scikit-learn 1.9 on


def test_there_are_callbacks_where_scikit_learn_has_them() -> None:
    assert hasattr(SearchCV, "set_callbacks") == HAS_CALLBACKS


if HAS_CALLBACKS:

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_callbacks_are_told_of_every_fit(jobs: int, tmp_path: Path) -> None:
        told = []
        for make, more in ((GridSearchCV, {}), (SearchCV, {"store": str(tmp_path / "run.db")})):
            callback = Noting(tmp_path / make.__name__)
            search = make(TREE, DEPTHS, cv=3, n_jobs=jobs, **more).set_callbacks(callback)
            search.fit(X, Y, sample_weight=np.ones(90))
            told.append(callback.lines())
        assert sorted(told[0])[1:-2] == sorted(told[1])[1:-2]  # but for the names of the searches
        assert told[1][0] == "setup SearchCV"
        assert told[1][-1] == "teardown SearchCV"
        assert told[1].count("begin candidate-split-evaluation 60 60") == 9
        assert told[1].count("end candidate-split-evaluation") == 9
        assert told[1].count("begin refit-with-best-params 90 90") == 1

    def test_a_callback_is_torn_down_where_the_search_fails(tmp_path: Path) -> None:
        callback = Noting(tmp_path / "notes")
        search = SearchCV(TREE, {"max_depth": [-1]}, error_score="raise").set_callbacks(callback)
        with pytest.raises(ValueError, match="max_depth"):
            search.fit(X, Y)
        assert callback.lines()[-1] == "teardown SearchCV"
        assert callback.lines().count("begin candidate-split-evaluation 72 0") >= 1
        search.set_callbacks().set_params(candidates=DEPTHS).fit(X, Y)  # without any, as before
        assert callback.lines()[-1] == "teardown SearchCV"

    def test_fits_read_from_a_store_are_not_told_of_again(tmp_path: Path) -> None:
        callback = Noting(tmp_path / "notes")
        knobs = {"store": str(tmp_path / "run.db"), "cv": 3, "refit": False}
        SearchCV(TREE, DEPTHS, **knobs).fit(X, Y)
        SearchCV(TREE, DEPTHS, **knobs).set_callbacks(callback).fit(X, Y)
        assert [line.split()[0] for line in callback.lines()] == [
            "setup",
            "begin",
            "begin",
            "end",
            "end",
            "teardown",
        ]


# ------------------------------------------------------------------------- how it is shown


def test_a_fitted_search_is_shown_with_the_estimator_that_it_refitted() -> None:
    pipe = Pipeline([("scale", StandardScaler()), ("clf", DummyClassifier())])
    grid = {"clf": [DummyClassifier(), LogisticRegression()]}
    shown = [SearchCV(pipe, grid)._repr_html_(), SearchCV(pipe, grid, refit=False).fit(X, Y)]
    for html in (shown[0], shown[1]._repr_html_()):
        assert "DummyClassifier</div>" in html
        assert "best_estimator_" not in html
    search = SearchCV(pipe, grid, n_resamples=50, random_state=0).fit(X, Y)
    html = search._repr_html_()
    assert "best_estimator_: Pipeline" in html
    assert "LogisticRegression</div>" in html
    assert "DummyClassifier</div>" not in html
    assert f"{search.estimate_.value:.2f}" in html  # and how good it really is


def test_a_search_without_an_estimator_can_be_shown() -> None:
    listed = SearchCV(None, [("tree", TREE), ("line", LogisticRegression())])
    assert "DecisionTreeClassifier" in listed._repr_html_()
    assert "SearchCV" in SearchCV(None)._repr_html_()


# --------------------------------------------------------------------- winners and weights


def test_the_type_of_the_winner_is_that_of_scikit_learn() -> None:
    rules = (True, lambda table: 1, lambda table: np.int32(1), lambda table: np.uint8(2))
    for rule in rules:
        theirs, ours, _ = fit_both(TREE, DEPTHS, refit=rule)
        assert type(ours.best_index_) is type(theirs.best_index_)
        assert ours.best_index_ == theirs.best_index_
        assert ours.estimate_.winner == f"c{theirs.best_index_}"


def without_weights(truth: Array, predicted: Array) -> float:
    return float(np.mean(truth == predicted))


def test_each_of_several_scores_that_takes_no_weights_is_warned_of() -> None:
    scoring = {"plain": make_scorer(without_weights), "accuracy": "accuracy", "ks": "f1"}
    found, tables = [], []
    for make in (GridSearchCV, SearchCV):
        search = make(TREE, DEPTHS, scoring=scoring, refit=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, Y, sample_weight=1.0 + np.arange(90) % 3)
        told = [one for one in caught if "does not support sample_weight" in str(one.message)]
        found.append([str(one.message).split("=")[0] for one in told])
        tables.append(search.cv_results_)
    assert found[0] == found[1]
    weighs = hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")
    assert found[1] == (["The scoring plain"] if weighs else [])
    for name in scoring:
        np.testing.assert_array_equal(*(table[f"mean_test_{name}"] for table in tables))


def test_a_metric_of_this_package_among_several_scores_goes_with_weights() -> None:
    scoring = {"ks": "ks", "accuracy": "accuracy"}
    search = SearchCV(TREE, DEPTHS, scoring=scoring, refit="accuracy", random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, Y, sample_weight=1.0 + np.arange(90) % 3)
    assert caught == []  # it takes them, too
    plain = sklearn.base.clone(search).fit(X, Y).cv_results_["mean_test_ks"]
    weighs = hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")
    assert (search.cv_results_["mean_test_ks"] != plain).any() == weighs


# ------------------------------------------------------------------------- scores that are NaN


def test_where_all_scores_are_nan_the_winner_is_that_of_scikit_learn_with_a_caution() -> None:
    grid = {"max_depth": [1, 2, 4]}
    knobs = {"scoring": "roc_auc", "cv": LeaveOneOut()}
    theirs, ours, kinds = fit_both(TREE, grid, X[:16], Y[:16], **knobs)
    assert kinds[0] == kinds[1]
    assert_same_scores(theirs, ours)
    assert ours.best_index_ == 0
    assert ours.estimate_.winner == "c0"
    assert "no_mean_scores" in codes(ours)
    own = ours.predictions_.select(0)
    assert ours.estimate_.naive == pytest.approx(_pooled_auc(own), abs=1e-12)


def _pooled_auc(pi: Any) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(pi.target.y, pi.responses[:, 0, 0]))


def test_a_mean_score_that_is_there_brings_no_such_caution() -> None:
    assert "no_mean_scores" not in codes(SearchCV(TREE, DEPTHS, random_state=0).fit(X, Y))


CANNOT = {
    "no probabilities": (LinearSVC(), {"C": [0.1, 1.0]}, "neg_log_loss", X, Y),
    "three classes": (TREE, DEPTHS, "roc_auc", X3, Y3),
    "three classes, labels": (TREE, DEPTHS, "precision", X3, Y3),
}


@pytest.mark.parametrize("name", CANNOT)
def test_a_scorer_that_cannot_score_warns_and_gives_nan(name: str) -> None:
    estimator, grid, scoring, data, outcome = CANNOT[name]
    theirs, ours, kinds = fit_both(estimator, grid, data, outcome, scoring=scoring)
    assert kinds[0] == kinds[1] == {UserWarning}
    assert_same_scores(theirs, ours)
    assert np.isnan(ours.cv_results_["mean_test_score"]).all()
    assert {failure.note for failure in ours.failures_} == {"scoring failed"}
    assert not hasattr(ours, "estimate_")
    with pytest.raises(NoEstimateError) as caught:
        _ = ours.estimate_
    missing = "predict_proba" if name == "no probabilities" else "multiclass"
    assert missing in caught.value.got
    assert ours.predictions_.n_configs == len(ours.trials_)  # and can be judged by something else
    np.testing.assert_array_equal(ours.predict(data), theirs.predict(data))


@pytest.mark.parametrize("name", CANNOT)
def test_a_scorer_that_cannot_score_is_raised_where_that_is_asked_for(name: str) -> None:
    estimator, grid, scoring, data, outcome = CANNOT[name]
    for knobs in ({"scoring": scoring, "error_score": "raise"}, {"metric": _metric(scoring)}):
        with pytest.raises(MetricError):
            SearchCV(estimator, grid, **knobs).fit(data, outcome)


def _metric(scoring: str) -> str:
    return {"neg_log_loss": "log_loss"}.get(scoring, scoring)


def test_a_scorer_that_gives_no_number_is_an_error_as_in_scikit_learn() -> None:
    for make in (GridSearchCV, SearchCV):
        with pytest.raises(ValueError, match="number"):
            make(TREE, DEPTHS, scoring=_text).fit(X, Y)


def _text(model: Any, X: Array, y: Array) -> Any:
    return "good"


# ------------------------------------------------------------------------------- odd splits

HALF, REST, NOTHING = np.arange(45), np.arange(45, 90), np.array([], dtype=int)
ODD = {
    "a row twice": ([(HALF, np.r_[REST, REST[:15]]), (REST, HALF)], "1 of 2"),
    "all rows twice": ([(HALF, np.r_[REST, REST]), (REST, np.r_[HALF, HALF])], "2 of 2"),
    "an empty test": ([(HALF, REST), (REST, NOTHING)], "1 of 2"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_test_rows_have_the_numbers_of_scikit_learn_and_no_estimate(name: str) -> None:
    splits, count = ODD[name]
    theirs, ours, kinds = fit_both(TREE, DEPTHS, cv=splits)
    assert kinds[0] == kinds[1]
    assert_same_scores(theirs, ours)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for attribute in ("estimate_", "predictions_"):
        assert not hasattr(ours, attribute)
        with pytest.raises(NoEstimateError) as caught:
            getattr(ours, attribute)
        assert caught.value.got.startswith(count)


def test_odd_test_rows_in_two_processes_and_in_a_run_file(tmp_path: Path) -> None:
    splits, _ = ODD["a row twice"]
    theirs = GridSearchCV(TREE, DEPTHS, cv=splits).fit(X, Y)
    for _again in range(2):
        ours = SearchCV(TREE, DEPTHS, cv=splits, n_jobs=2, store=str(tmp_path / "run.db"))
        assert_same_scores(theirs, ours.fit(X, Y))


def test_odd_test_rows_cannot_be_dropped_by() -> None:
    with pytest.raises(InputError, match="drop"):
        SearchCV(TREE, DEPTHS, cv=ODD["a row twice"][0], drop="bced").fit(X, Y)


def test_an_empty_training_part_is_a_fit_that_fails() -> None:
    theirs, ours, kinds = fit_both(TREE, DEPTHS, cv=[(HALF, REST), (NOTHING, HALF)])
    assert FitFailedWarning in kinds[0] & kinds[1]
    assert_same_scores(theirs, ours)


class Promising(KFold):
    """A splitter that says one split and gives three."""

    def get_n_splits(self, *given: Any, **more: Any) -> int:
        return 1


def test_a_splitter_that_gives_another_number_than_it_says_is_refused() -> None:
    for make in (GridSearchCV, SearchCV):
        with pytest.raises(ValueError, match="get_n_splits"):
            make(TREE, DEPTHS, cv=Promising(3)).fit(X, Y)


class Failing(ClassifierMixin, BaseEstimator):
    """Fails in every fit if told so."""

    def __init__(self, fail: bool = False) -> None:
        self.fail = fail

    def fit(self, X: Array, y: Array) -> Failing:
        if self.fail:
            raise RuntimeError("told to fail")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Array) -> Array:
        return np.zeros(len(X), dtype=int)


@pytest.mark.filterwarnings("ignore")
def test_a_first_configuration_that_cannot_be_fitted_fails_the_refit_as_in_scikit_learn() -> None:
    for make in (GridSearchCV, SearchCV):
        search = make(Failing(), {"fail": [True, False]}, scoring="roc_auc", cv=LeaveOneOut())
        with pytest.raises(RuntimeError, match="told to fail"):
            search.fit(X[:20], Y[:20])
        assert sklearn.base.clone(search).get_params()["scoring"] == "roc_auc"
