"""The rounds of a booster as configurations: one fit, and the search of as many fits."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest import SearchCV
from earnest.core.data.stages import spread_rounds
from earnest.errors import InputError
from earnest.store import MemoryStore, read_run
from earnest.training.fit.stages import Rounds

ROUNDS = [4, 8, 12]
TABLE = make_classification(160, 6, n_informative=3, flip_y=0.2, random_state=3)
STOPPING: dict[str, Any] = {"early_stopping": True, "n_iter_no_change": 2, "tol": 0.05}


def boost(**params: Any) -> GradientBoostingClassifier:
    return GradientBoostingClassifier(n_estimators=12, random_state=0, **params)


# A learner, its number of rounds, what else is searched, the data and the score.
CASES: dict[str, tuple[Any, str, dict[str, list[Any]], Any, Any]] = {
    "gradient boosting": (boost(), "n_estimators", {"max_depth": [1, 3]}, TABLE, "roc_auc"),
    "its own score": (boost(), "n_estimators", {"max_depth": [1, 3]}, TABLE, None),
    "several scores": (
        boost(subsample=0.5),
        "n_estimators",
        {"learning_rate": [0.1, 0.5]},
        TABLE,
        ["accuracy", "neg_log_loss"],
    ),
    "many classes": (
        HistGradientBoostingClassifier(max_iter=12, random_state=0),
        "max_iter",
        {"learning_rate": [0.1, 0.5]},
        load_iris(return_X_y=True),
        "neg_log_loss",
    ),
    "early stopping": (
        HistGradientBoostingClassifier(max_iter=12, random_state=0, **STOPPING),
        "max_iter",
        {"learning_rate": [0.5, 1.0]},
        TABLE,
        "neg_brier_score",
    ),
    "a pipeline": (
        make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=12, random_state=0)),
        "adaboostclassifier__n_estimators",
        {"adaboostclassifier__learning_rate": [0.5, 1.0]},
        TABLE,
        "roc_auc",
    ),
    "numbers": (
        GradientBoostingRegressor(n_estimators=12, random_state=0),
        "n_estimators",
        {"max_depth": [1, 3]},
        make_regression(120, 5, noise=20, random_state=0),
        "neg_root_mean_squared_error",
    ),
}


def both(case: str, **options: Any) -> tuple[SearchCV, SearchCV]:
    """Return a search of stages, and one that fits a model for every number of rounds."""
    learner, name, grid, (X, y), scoring = CASES[case]
    refit = scoring[0] if isinstance(scoring, list) else True
    usual = {"scoring": scoring, "refit": refit, "cv": 3, "n_resamples": 100, "random_state": 5}
    staged = SearchCV(learner, grid, stages=3, **{**usual, **options}).fit(X, y)
    fresh = SearchCV(learner, {**grid, name: ROUNDS}, **{**usual, **options}).fit(X, y)
    return staged, fresh


@pytest.mark.parametrize("case", CASES)
def test_a_search_of_stages_equals_a_search_that_fits_each_number_of_rounds(case: str) -> None:
    staged, fresh = both(case, n_repeats=2, return_train_score=True)
    np.testing.assert_allclose(
        staged.predictions_.responses, fresh.predictions_.responses, rtol=1e-12, atol=1e-12
    )
    assert [*staged.cv_results_] == [*fresh.cv_results_]
    for name, column in fresh.cv_results_.items():
        if "_test_" in name or "_train_" in name:
            np.testing.assert_allclose(staged.cv_results_[name], column, rtol=1e-10, atol=1e-10)
    assert staged.cv_results_["params"] == fresh.cv_results_["params"]
    assert staged.best_params_ == fresh.best_params_
    # Rounding in the last digit breaks ties between equal scores otherwise.
    assert staged.estimate_.value == pytest.approx(fresh.estimate_.value, rel=1e-3)
    assert 3 * staged.n_fits_ == fresh.n_fits_
    assert staged.counts_ == fresh.counts_


def test_the_winner_is_refitted_with_the_winning_number_of_rounds() -> None:
    staged, fresh = both("gradient boosting")
    assert staged.best_estimator_.n_estimators == staged.best_params_["n_estimators"]
    assert len(staged.best_estimator_.estimators_) == staged.best_params_["n_estimators"]
    X = TABLE[0]
    np.testing.assert_array_equal(staged.predict_proba(X), fresh.predict_proba(X))


def test_predictions_are_those_of_staged_predict_proba() -> None:
    X, y = TABLE
    search = SearchCV(
        boost(), [boost(max_depth=2)], stages=3, cv=3, scoring="neg_log_loss", random_state=0
    ).fit(X, y)
    pi = search.predictions_
    for fold in range(3):
        test = pi.folds[:, 0] == fold
        model = boost(max_depth=2).fit(X[~test], y[~test])
        stages = list(model.staged_predict_proba(X[test]))
        for config, rounds in enumerate(ROUNDS):
            np.testing.assert_array_equal(pi.responses[test, config, 0], stages[rounds - 1][:, 1])


def test_dropped_stages_are_those_that_a_search_of_single_fits_drops() -> None:
    X, y = make_classification(400, 6, n_informative=4, class_sep=2, random_state=0)
    options: dict[str, Any] = {"cv": 8, "drop": "bced", "scoring": "roc_auc", "random_state": 1}
    learner = boost(learning_rate=0.02)
    grid = {"max_depth": [1, 3]}
    staged = SearchCV(learner, grid, stages=3, **options).fit(X, y)
    fresh = SearchCV(learner, {**grid, "n_estimators": ROUNDS}, **options).fit(X, y)
    assert len(staged.dropped_) > 0
    assert [drop.config for drop in staged.dropped_] != []
    np.testing.assert_allclose(
        staged.predictions_.responses, fresh.predictions_.responses, rtol=1e-12
    )
    assert staged.n_fits_ + staged.n_fits_saved_ == 2 * 8


def test_nested_cross_validation_chooses_among_stages() -> None:
    X, y = TABLE
    options: dict[str, Any] = {"scoring": "roc_auc", "cv": 3, "random_state": 0}
    staged = en.nested_cv(SearchCV(boost(), {"max_depth": [1, 3]}, stages=3, **options), X, y)
    grid = {"max_depth": [1, 3], "n_estimators": ROUNDS}
    fresh = en.nested_cv(SearchCV(boost(), grid, **options), X, y)
    np.testing.assert_allclose(staged.fold_scores, fresh.fold_scores, rtol=1e-12)
    assert staged.n_trained < fresh.n_trained


class Interrupting(GradientBoostingClassifier):
    """Is interrupted when it begins the fit that is one too many."""

    def fit(self, X: Any, y: Any, *args: Any, **more: Any) -> Any:
        left = int(os.environ["FITS_LEFT"])
        if left == 0:
            raise KeyboardInterrupt
        os.environ["FITS_LEFT"] = str(left - 1)
        return super().fit(X, y, *args, **more)


def test_an_interrupted_search_of_stages_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = TABLE

    def search(store: Path) -> SearchCV:
        learner = Interrupting(n_estimators=12, random_state=0)
        return SearchCV(
            learner, {"max_depth": [1, 3]}, stages=3, cv=3, store=store, n_resamples=50
        ).fit(X, y)

    monkeypatch.setenv("FITS_LEFT", "4")
    with pytest.raises(KeyboardInterrupt):
        search(tmp_path / "run.db")
    assert len(read_run(tmp_path / "run.db").outcomes) == 4 * 3
    monkeypatch.setenv("FITS_LEFT", "3")  # the rest, and the winner
    resumed = search(tmp_path / "run.db")
    monkeypatch.setenv("FITS_LEFT", "99")
    whole = search(tmp_path / "whole.db")
    np.testing.assert_array_equal(resumed.predictions_.responses, whole.predictions_.responses)
    assert resumed.estimate_.value == whole.estimate_.value
    assert resumed.n_fits_ == whole.n_fits_ == 6
    opened = en.estimate(tmp_path / "run.db", n_resamples=50)
    assert opened.winner == whole.estimate_.winner


def test_a_fit_of_which_only_some_stages_were_written_is_fitted_again() -> None:
    X, y = TABLE
    store = MemoryStore()
    options: dict[str, Any] = {"stages": 3, "cv": 3, "random_state": 0, "n_resamples": 50}
    whole = SearchCV(boost(), {"max_depth": [1]}, store=store, **options).fit(X, y)
    del store._outcomes[1, 0, 2]
    again = SearchCV(boost(), {"max_depth": [1]}, store=store, **options).fit(X, y)
    np.testing.assert_array_equal(again.predictions_.responses, whole.predictions_.responses)


def test_workers_give_the_same_stages() -> None:
    X, y = TABLE
    options: dict[str, Any] = {"stages": 3, "cv": 3, "random_state": 0}
    alone = SearchCV(boost(), {"max_depth": [1, 3]}, **options).fit(X, y)
    with joblib.parallel_config("threading"):
        many = SearchCV(boost(), {"max_depth": [1, 3]}, n_jobs=2, **options).fit(X, y)
    np.testing.assert_array_equal(alone.predictions_.responses, many.predictions_.responses)


class Failing(GradientBoostingClassifier):
    """Cannot be fitted with deep trees."""

    def fit(self, X: Any, y: Any, *args: Any, **more: Any) -> Any:
        if self.max_depth == 3:
            raise RuntimeError("too deep")
        return super().fit(X, y, *args, **more)


def test_a_failed_fit_fails_once_for_all_its_stages() -> None:
    X, y = TABLE
    learner = Failing(n_estimators=12, random_state=0)
    with pytest.warns(FitFailedWarning), pytest.warns(UserWarning, match="non-finite"):
        search = SearchCV(learner, {"max_depth": [1, 3]}, stages=3, cv=3).fit(X, y)
    assert len(search.failures_) == 3
    assert search.counts_.failed == 3
    assert search.counts_.complete == 3
    assert search.estimate_.winner.startswith("c0@")


def test_memory_holds_the_kept_stages_and_not_the_rounds() -> None:
    X, y = make_classification(3000, 4, n_informative=3, n_redundant=0, random_state=0)
    learner = GradientBoostingClassifier(n_estimators=300, max_depth=1, subsample=0.02)
    search = SearchCV(learner, {}, stages=3, cv=2, random_state=0, scoring="roc_auc", refit=False)
    search.fit(X[:100], y[:100])  # imports
    tracemalloc.start()
    search.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert search.predictions_.responses.nbytes == 3000 * 3 * 8
    assert peak < 3000 * 300 * 8 / 2  # half of what all rounds would take


def test_stages_are_spread_evenly_and_end_with_all_rounds() -> None:
    for count in (1, 2, 7, 20, 21, 100, 999):
        for stages in (2, 20, 50):
            rounds = spread_rounds(count, stages)
            assert rounds[-1] == count
            assert len(rounds) == min(count, stages)
            steps = np.diff((0, *rounds))
            assert steps.min() >= 1
            assert np.ptp(steps) <= 1
    assert len(SearchCV(boost(), {}, stages=True, cv=2).fit(*TABLE).cv_results_["params"]) == 12


def make_foreign(library: str, **params: Any) -> Any:
    """Return an estimator that says that it comes from a library for boosting."""

    class Foreign(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Any:
            return self

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return params

    Foreign.__module__ = f"{library}.sklearn"
    return Foreign()


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestClassifier(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_foreign("xgboost", n_estimators=10, early_stopping_rounds=3),
        make_foreign("xgboost", n_estimators=10, booster="dart"),
        make_foreign("lightgbm", n_estimators=10, boosting_type="dart"),
        make_foreign("catboost", iterations=10),
        boost(warm_start=True).set_params(n_estimators=0),
    ],
)
def test_learners_whose_stages_are_no_models_are_refused(learner: Any) -> None:
    with pytest.raises(InputError):
        Rounds.of(learner)


def test_the_rounds_of_each_library_are_read() -> None:
    assert Rounds.of(make_foreign("xgboost", n_estimators=None)) == Rounds("n_estimators", 100)
    assert Rounds.of(make_foreign("lightgbm", n_estimators=7)) == Rounds("n_estimators", 7)
    cat = make_foreign("catboost", num_trees=9, learning_rate=0.1)
    assert Rounds.of(cat) == Rounds("num_trees", 9)
    assert Rounds.of(make_foreign("catboost", learning_rate=0.1)) == Rounds("iterations", 1000)


@pytest.mark.parametrize("stages", [1, 0, -3, 2.5, "all"])
def test_a_wrong_number_of_stages_is_refused_before_any_fit(stages: Any) -> None:
    with pytest.raises(InputError):
        SearchCV(boost(), {"max_depth": [1]}, stages=stages).fit(*TABLE)


def test_stages_need_configurations_that_are_known_in_advance() -> None:
    from optuna.distributions import IntDistribution
    from optuna.samplers import RandomSampler

    candidates = en.optuna_candidates(
        {"max_depth": IntDistribution(1, 3)}, RandomSampler, n_trials=2
    )
    with pytest.raises(InputError):
        SearchCV(boost(), candidates, stages=True).fit(*TABLE)
