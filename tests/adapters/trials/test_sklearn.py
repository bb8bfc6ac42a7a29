"""scikit-learn: fitted searches and their results."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform, randint, uniform
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import earnest as en
from earnest.core import ParameterKind

X, Y = make_classification(80, 5, random_state=0)


@pytest.fixture(scope="module")
def search() -> Any:
    """A list of grids: gamma is there for one kernel only."""
    grids = [
        {"kernel": ["rbf"], "C": [0.01, 0.1, 1.0, 10.0], "gamma": [0.01, 0.1]},
        {"kernel": ["linear"], "C": [0.01, 0.1, 1.0, 10.0]},
    ]
    return GridSearchCV(SVC(), grids, cv=4).fit(X, Y)


def test_a_list_of_grids_is_a_conditional_space(search: Any) -> None:
    trials = en.trials_from(search)
    assert str(trials.space["gamma"].condition) == "kernel is rbf"
    assert trials.space["C"].log
    assert trials.direction == "maximize"
    assert trials.best_config == search.best_params_


def test_standard_errors_are_those_of_the_mean_over_splits(search: Any) -> None:
    results = search.cv_results_
    splits = np.array([results[f"split{i}_test_score"] for i in range(4)])
    trials = en.trials_from(results)
    np.testing.assert_allclose(trials.standard_error, splits.std(axis=0, ddof=1) / 2, rtol=1e-12)
    np.testing.assert_allclose(trials.objective, splits.mean(axis=0), rtol=1e-12)


def test_a_frame_of_the_results_reads_the_same(search: Any) -> None:
    found = en.trials_from(pd.DataFrame(search.cv_results_))
    np.testing.assert_array_equal(found.objective, search.cv_results_["mean_test_score"])
    assert set(found.space.names) == {"kernel", "C", "gamma"}


def test_a_random_search_has_the_ranges_of_its_distributions() -> None:
    space = {"C": loguniform(1e-3, 1e3), "class_weight": [None, "balanced"], "tol": [1e-4]}
    search = RandomizedSearchCV(LogisticRegression(), space, n_iter=12, cv=3, random_state=0)
    trials = en.trials_from(search.fit(X, Y))
    c = trials.space["C"]
    assert (c.low, c.high, c.log) == (1e-3, 1e3, True)  # of the search, not of its trials
    assert trials.space["class_weight"].choices == ("balanced", None)
    assert trials.space["class_weight"].condition is None
    assert trials.space["tol"].kind == ParameterKind.FIXED
    assert "never_varied" in {caution.kind for caution in trials.cautions}


def test_whole_numbers_of_a_random_search_are_whole_and_halving_adds_its_resources() -> None:
    configs = [{"depth": 2 + i % 5, "a": 0.1 * i} for i in range(12)]
    results = {"params": configs, "mean_test_score": np.arange(12.0), "n_resources": [1, 2] * 6}
    given = {"depth": randint(1, 9), "a": uniform(0, 2)}
    trials = en.trials_from(SimpleNamespace(cv_results_=results, param_distributions=given))
    depth, a = trials.space["depth"], trials.space["a"]
    assert (depth.kind, depth.low, depth.high) == (ParameterKind.INT, 1, 8)
    assert (a.low, a.high, a.log) == (0, 2, False)
    assert trials.space.names == ("depth", "a", "n_resources")


def test_candidates_that_failed_are_left_out_and_said(search: Any) -> None:
    results = dict(search.cv_results_)
    results["mean_test_score"] = np.where(np.arange(12) == 3, np.nan, results["mean_test_score"])
    trials = en.trials_from(results)
    assert (len(trials), trials.n_failed) == (11, 1)


def test_one_of_several_scores_must_be_named_unless_it_was_refitted() -> None:
    search = GridSearchCV(
        LogisticRegression(),
        {"C": np.logspace(-3, 3, 10)},
        scoring=["accuracy", "roc_auc"],
        refit="roc_auc",
        cv=3,
    ).fit(X, Y)
    assert en.trials_from(search).objective_name == "roc_auc"
    assert en.trials_from(search, objective="accuracy").objective_name == "accuracy"
    with pytest.raises(en.errors.InputError, match="one of accuracy, roc_auc"):
        en.trials_from(search.cv_results_)
    with pytest.raises(en.errors.InputError, match="Did you mean 'accuracy'"):
        en.trials_from(search, objective="acuracy")


def test_unlike_resources_of_a_halving_search_are_a_parameter() -> None:
    results = {
        "params": [{"a": i % 6} for i in range(12)],
        "mean_test_score": np.linspace(0, 1, 12),
        "n_resources": [10] * 6 + [20] * 6,
    }
    assert en.trials_from(results).space.names == ("a", "n_resources")


def test_a_minimised_score_of_scikit_learn_is_refused(search: Any) -> None:
    with pytest.raises(en.errors.InputError, match="greater is better"):
        en.trials_from(search, direction="minimize")


@pytest.mark.parametrize(
    ("scoring", "refit"),
    [
        ("neg_log_loss", True),
        (make_scorer(log_loss, greater_is_better=False, response_method="predict_proba"), True),
        (["neg_log_loss", "accuracy"], "neg_log_loss"),
    ],
)
def test_a_score_that_was_negated_is_told_as_itself(scoring: Any, refit: Any) -> None:
    grid = {"C": np.logspace(-3, 3, 10)}
    search = GridSearchCV(LogisticRegression(), grid, scoring=scoring, refit=refit, cv=3).fit(X, Y)
    trials = en.trials_from(search)
    assert (trials.objective_name, trials.direction) == ("log_loss", "minimize")
    assert trials.best_config == search.best_params_
    assert float(trials.objective.min()) == pytest.approx(-search.best_score_, abs=1e-15)


def test_estimators_in_a_grid_are_shown_by_what_they_print() -> None:
    pipe = Pipeline([("scale", StandardScaler()), ("clf", SVC())])
    grid = {"scale": [StandardScaler(), "passthrough"], "clf__C": np.logspace(-2, 2, 6)}
    trials = en.trials_from(GridSearchCV(pipe, grid, cv=3).fit(X, Y))
    assert trials.space["scale"].choices == ("StandardScaler()", "passthrough")
    assert set(en.explain(trials, rng=0, n_points=30).effects) == {"scale", "clf__C"}


def test_an_object_with_trials_is_read_by_protocol() -> None:
    listed = [
        {"params": {"a": i}, "score": float(i), "standard_error": 0.1, "status": "complete"}
        for i in range(12)
    ]
    listed[3] |= {"status": "failed", "score": None}
    listed[4] |= {"status": "dropped"}
    source = SimpleNamespace(
        trials_=listed, trials_direction_="minimize", trials_objective_="rmse", cv_results_={}
    )
    trials = en.trials_from(source)
    assert (len(trials), trials.n_failed, trials.n_pruned) == (10, 1, 1)
    assert (trials.direction, trials.objective_name) == ("minimize", "rmse")
    assert trials.standard_error is not None
    assert en.trials_from(SimpleNamespace(trials_=trials)) is trials


@pytest.mark.parametrize("objective", [None, "mean_test_score", "score"])
def test_results_on_disk_are_read_with_the_index_that_pandas_wrote(
    tmp_path: Path, search: Any, objective: str | None
) -> None:
    path = tmp_path / "cvres.csv"
    pd.DataFrame(search.cv_results_).to_csv(path)
    trials = en.trials_from(path, objective=objective)
    memory = en.trials_from(search.cv_results_)
    assert trials.direction == "maximize"
    assert trials.objective_name == "mean_test_score"
    np.testing.assert_allclose(trials.objective, memory.objective, rtol=1e-12)
    assert [dict(one) for one in trials.configs] == [dict(one) for one in memory.configs]


def test_one_of_several_metrics_on_disk_is_chosen_by_either_name(
    tmp_path: Path, search: Any
) -> None:
    path = tmp_path / "cvres.csv"
    frame = pd.DataFrame(search.cv_results_).rename(columns={"mean_test_score": "mean_test_auc"})
    frame.assign(mean_test_f1=frame["mean_test_auc"] / 2).to_csv(path)
    for name in ("f1", "mean_test_f1"):
        trials = en.trials_from(path, objective=name)
        np.testing.assert_allclose(trials.objective, frame["mean_test_auc"] / 2, rtol=1e-12)
        assert set(trials.space.names) == set(en.trials_from(search).space.names)
    with pytest.raises(en.errors.InputError, match="`objective` is not given"):
        en.trials_from(path)
