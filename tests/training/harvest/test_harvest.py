"""A harvested search is fitted as by itself, and its predictions are those of its own folds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  # makes the next one exist
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.errors import EvidenceError, InputError, MetricError

X, Y = make_classification(120, 6, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4]}
HALVES = ("n_estimators", 9, 1)
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def same_results(one: Any, other: Any) -> bool:
    """Tell whether two fitted searches show the same but for times."""
    names = {name for name in one.cv_results_ if "time" not in name}
    assert names == {name for name in other.cv_results_ if "time" not in name}
    return all(
        np.array_equal(np.ma.getdata(one.cv_results_[n]), np.ma.getdata(other.cv_results_[n]))
        for n in names
    )


@pytest.mark.parametrize(
    "options",
    [
        {"scoring": "roc_auc"},
        {},
        {"scoring": "neg_log_loss", "refit": False},
        {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc"},
        {"scoring": {"hits": "accuracy"}, "refit": False},
        {"scoring": "roc_auc", "return_train_score": True},
        {"scoring": "roc_auc", "cv": TWICE},
        {"scoring": make_scorer(accuracy_score)},
        {"scoring": "accuracy", "refit": lambda results: 1},
        {"scoring": "roc_auc", "n_jobs": 2},
    ],
)  # fmt: skip
def test_the_search_is_fitted_as_by_itself(options: dict[str, Any]) -> None:
    mine = GridSearchCV(TREE, GRID, **{"cv": 4, **options})
    plain = clone(mine).fit(X, Y)
    parameters = mine.get_params()
    en.harvest(mine, X, Y)
    assert mine.get_params() == parameters
    assert same_results(mine, plain)
    for name in ("best_index_", "best_params_", "best_score_", "multimetric_", "n_splits_"):
        assert getattr(mine, name, None) == getattr(plain, name, None)
    assert hasattr(mine, "best_estimator_") == hasattr(plain, "best_estimator_")
    if options.get("refit", True):
        assert (mine.predict(X) == plain.predict(X)).all()
        assert mine.score(X, Y) == plain.score(X, Y)


def test_predictions_are_those_of_the_folds() -> None:
    pi = en.harvest(GridSearchCV(TREE, GRID, cv=4, scoring="roc_auc"), X, Y)
    for column, depth in enumerate(GRID["max_depth"]):
        model = clone(TREE).set_params(max_depth=depth)
        own = cross_val_predict(model, X, Y, cv=StratifiedKFold(4), method="predict_proba")
        assert np.array_equal(pi.responses[:, column, 0], own[:, 1])
    assert pi.configs.params == tuple({"max_depth": d} for d in GRID["max_depth"])


def test_a_harvest_is_what_our_own_search_keeps() -> None:
    theirs = en.harvest(GridSearchCV(TREE, GRID, cv=4, scoring="roc_auc"), X, Y)
    ours = en.SearchCV(TREE, GRID, cv=4, scoring="roc_auc").fit(X, Y).predictions_
    assert theirs.fingerprint == ours.fingerprint
    found = en.estimate(theirs, metric="roc_auc", rng=0)
    assert found.value == en.estimate(ours, metric="roc_auc", rng=0).value


def test_repeats_and_random_splits_are_repeats_of_the_predictions() -> None:
    assert en.harvest(GridSearchCV(TREE, GRID, cv=TWICE), X, Y).n_repeats == 2
    some = ShuffleSplit(5, test_size=0.3, random_state=0)
    pi = en.harvest(GridSearchCV(TREE, GRID, cv=some), X, Y)
    tests = [test for _, test in some.split(X)]
    assert pi.n_repeats == 5
    for repeat, test in enumerate(tests):
        assert set(np.flatnonzero(pi.folds[:, repeat] >= 0)) == set(test)


def test_a_harvest_knows_on_how_many_cases_each_fold_was_trained() -> None:
    some = ShuffleSplit(4, train_size=0.5, test_size=0.3, random_state=0)
    for cv, sizes in ((some, {60}), (TimeSeriesSplit(3), {30, 60, 90})):
        pi = en.harvest(GridSearchCV(TREE, GRID, cv=cv, scoring="accuracy"), X, Y)
        ours = en.SearchCV(TREE, GRID, cv=cv, scoring="accuracy").fit(X, Y).predictions_
        assert {size for repeat in pi.training_sizes for size in repeat} == sizes
        assert pi.training_sizes == ours.training_sizes


def test_many_classes_numbers_and_pipelines() -> None:
    three = np.arange(120) % 3
    pi = en.harvest(GridSearchCV(TREE, GRID, scoring="roc_auc_ovr"), X, three)
    assert pi.responses.shape == (120, 3, 1, 3)
    A, b = make_regression(80, 4, random_state=0)
    pipe = make_pipeline(StandardScaler(), Ridge())
    search = GridSearchCV(pipe, {"ridge__alpha": [0.1, 1.0]}, scoring="neg_mean_squared_error")
    pi = en.harvest(search, A, b)
    own = cross_val_predict(clone(pipe).set_params(ridge__alpha=0.1), A, b, cv=KFold(5))
    assert np.array_equal(pi.responses[:, 0, 0], own)


def test_a_random_search_names_what_it_drew() -> None:
    search = RandomizedSearchCV(TREE, {"max_depth": range(1, 9)}, n_iter=4, random_state=3)
    pi = en.harvest(search, X, Y)
    assert list(pi.configs.params) == search.cv_results_["params"]
    assert pi.configs.static


def test_groups_reach_the_splitter_and_the_result() -> None:
    groups = np.arange(120) // 4
    search = GridSearchCV(TREE, GRID, cv=GroupKFold(5))
    pi = en.harvest(search, X, Y, groups=groups)
    assert pi.target.groups is not None
    assert all(len(set(pi.folds[groups == g, 0])) == 1 for g in range(30))


def test_what_fit_is_given_reaches_those_who_requested_it() -> None:
    from sklearn import config_context

    weights = np.where(Y == 1, 5.0, 1.0)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"C": [0.01, 1.0]}, scoring=scorer)
        plain = clone(search).fit(X, Y, sample_weight=weights)
    pi = en.harvest(search, X, Y, sample_weight=weights)
    assert pi.target.weights is not None
    assert np.array_equal(pi.target.weights.values, weights)
    assert same_results(search, plain)


def test_what_nobody_requested_is_refused_with_a_cure() -> None:
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]})
    with pytest.raises(InputError, match="set_fit_request"):
        en.harvest(search, X, Y, sample_weight=np.ones(120))
    assert search.scoring is None


def test_groups_that_the_splitter_does_not_use_still_reach_the_result() -> None:
    groups = np.arange(120) // 4
    search = GridSearchCV(TREE, GRID, cv=4, scoring="roc_auc")
    pi = en.harvest(search, X, Y, groups=groups)
    assert pi.target.groups is not None
    assert len(set(pi.target.groups)) == 30
    alone = en.harvest(GridSearchCV(TREE, GRID, cv=4, scoring="roc_auc"), X, Y)
    assert np.array_equal(pi.responses, alone.responses)


def test_an_argument_that_nothing_knows_is_refused_before_any_fit() -> None:
    search = GridSearchCV(TREE, GRID)
    with pytest.raises(InputError, match="colour"):
        en.harvest(search, X, Y, colour="blue")
    assert not hasattr(search, "cv_results_")


class ProposingSearch(BaseSearchCV):
    """A search of the form of scikit-optimize's: proposes by scores, and passes groups on."""

    def __init__(self, estimator: Any, depths: Any, *, cv: Any = None, scoring: Any = None,
                 refit: Any = True) -> None:  # fmt: skip
        self.depths = depths
        super().__init__(estimator=estimator, cv=cv, scoring=scoring, refit=refit)

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, callback: Any = None,
            **fit_params: Any) -> Any:  # fmt: skip
        self.callback = callback
        return super().fit(X=X, y=y, groups=groups, **fit_params)

    def _run_search(self, evaluate_candidates: Any) -> None:
        for depth in self.depths:
            seen = evaluate_candidates([{"max_depth": depth}])
            scores = [name for name in seen if name.startswith("mean_test_")]
            name = scores[0] if len(scores) == 1 else f"mean_test_{self.refit}"
            best = int(np.argmax(seen[name]))
        evaluate_candidates([{"max_depth": seen["params"][best]["max_depth"] + 1}])
        if self.callback is not None:
            self.callback(self)

    def _check_refit_for_multimetric(self, scores: Any) -> None:
        if not (isinstance(self.refit, str) and self.refit in scores):
            raise ValueError("refit must be a scorer key")


def test_a_search_that_proposes_by_scores_is_harvested_and_not_static() -> None:
    search, called = ProposingSearch(TREE, [1, 2, 4], cv=4, scoring="roc_auc"), []
    plain = clone(search).fit(X, Y)
    pi = en.harvest(search, X, Y, callback=called.append)
    assert called == [search]
    assert same_results(search, plain)
    assert search.best_params_ == plain.best_params_
    assert not pi.configs.static
    for column, params in enumerate(pi.configs.params or ()):
        model = clone(TREE).set_params(**params)
        folds = cross_val_predict(model, X, Y, cv=StratifiedKFold(4), method="predict_proba")
        assert np.array_equal(pi.responses[:, column, 0], folds[:, 1])


def test_a_refit_that_the_search_does_not_take_is_refused_before_any_fit() -> None:
    search = ProposingSearch(TREE, [1, 2], scoring="roc_auc", refit=False)
    with pytest.raises(InputError, match="refit=False"):
        en.harvest(search, X, Y)
    assert search.refit is False
    assert not hasattr(search, "cv_results_")


class Moody(ClassifierMixin, BaseEstimator):
    """Fails, or predicts NaN, as it is told."""

    def __init__(self, mood: str = "good") -> None:
        self.mood = mood

    def fit(self, X: Any, y: Any) -> Moody:
        if self.mood == "bad":
            raise ValueError("not today")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan if self.mood == "blank" else 0.5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("error_score", [0.0, 1e6])
@pytest.mark.parametrize("mood", ["bad", "blank"])
def test_a_candidate_that_fails_has_no_predictions_and_harms_no_other(
    mood: str, error_score: float
) -> None:
    grid = {"mood": ["good", mood]}
    search = GridSearchCV(Moody(), grid, scoring="accuracy", error_score=error_score, refit=False)
    pi = en.harvest(search, X, Y, response="predict_proba")
    assert pi.complete.tolist() == [True, False]
    assert pi.n_folds == 5


def test_a_search_that_keeps_nothing_says_so() -> None:
    search = GridSearchCV(Moody("blank"), {"mood": ["blank"]}, scoring="accuracy")
    with pytest.raises(EvidenceError, match="kept no predictions"):
        en.harvest(search, X, Y, response="predict_proba")


def test_a_search_whose_fits_all_fail_raises_its_own_error_and_is_put_back() -> None:
    search = GridSearchCV(Moody(), {"mood": ["bad"]}, scoring="accuracy")
    with pytest.raises(ValueError, match="fits failed"):
        en.harvest(search, X, Y)
    assert search.scoring == "accuracy"
    assert search.refit is True


@pytest.mark.filterwarnings("ignore:The total space of parameters")
@pytest.mark.parametrize("kind", [HalvingGridSearchCV, HalvingRandomSearchCV])
def test_halving_over_a_parameter_keeps_every_candidate_of_every_round(kind: Any) -> None:
    resource, most, least = HALVES
    search = kind(
        RandomForestClassifier(random_state=0), GRID, resource=resource, cv=3,
        max_resources=most, min_resources=least, scoring="roc_auc", random_state=0,
    )  # fmt: skip
    pi = en.harvest(search, X, Y)
    assert not pi.configs.static
    assert pi.n_configs == len(search.cv_results_["params"])
    assert pi.complete.all()
    assert {one["n_estimators"] for one in pi.configs.params} == {1, 3}
    assert "EN006" in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}


def test_halving_over_cases_is_refused_before_any_fit() -> None:
    search = HalvingGridSearchCV(TREE, GRID)
    with pytest.raises(InputError, match=r"different cases.*bced"):
        en.harvest(search, X, Y)
    assert not hasattr(search, "cv_results_")


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        (en.SearchCV(TREE, GRID), "predictions_"),
        (TREE, "Use SearchCV"),
        (type("OptunaSearchCV", (), {})(), "optuna_candidates"),
    ],
)
def test_what_is_no_search_of_scikit_learn_is_refused(given: Any, cure: str) -> None:
    with pytest.raises(InputError, match=cure):
        en.harvest(given, X, Y)


def test_a_response_that_models_lack_is_refused_before_any_fit() -> None:
    search = GridSearchCV(TREE, GRID)
    with pytest.raises(MetricError, match="decision_function"):
        en.harvest(search, X, Y, response="decision_function")
    assert not hasattr(search, "cv_results_")


def test_a_class_in_place_of_a_search_is_told_of() -> None:
    with pytest.raises(InputError, match="the class GridSearchCV"):
        en.harvest(GridSearchCV, X, Y)


def test_a_failed_fit_is_warned_of_as_by_the_search_itself() -> None:
    def warned(fit: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            fit()
        return [str(one.message).splitlines()[0] for one in seen]

    grid = {"max_depth": [-1, 2]}
    alone = warned(lambda: GridSearchCV(TREE, grid, cv=3).fit(X, Y))
    harvested = warned(lambda: en.harvest(GridSearchCV(TREE, grid, cv=3), X, Y))
    assert len(alone) == 2
    assert harvested == alone


def test_a_tracker_that_scores_the_search_as_soon_as_it_is_fitted_gets_its_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MLflow's autologging patches `fit` so, and asks for the score on the training cases."""
    plain, seen = GridSearchCV.fit, []

    def fit(self: Any, X: Any, y: Any = None, **given: Any) -> Any:
        plain(self, X, y, **given)
        seen.append(self.score(X, y))
        return self

    monkeypatch.setattr(GridSearchCV, "fit", fit)
    search = GridSearchCV(TREE, GRID, scoring="roc_auc", cv=3)
    pi = en.harvest(search, X, Y)
    assert seen == [search.score(X, Y)]
    assert pi.n_configs == 3
