"""A run file holds the trials of its search: explained from the file alone, it is the same."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import loguniform, randint
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.adapters.trials.run_file import _read_name
from tests.snapshots import Golden

X, Y = make_classification(90, 6, flip_y=0.1, random_state=3)
SLOPE = X @ np.arange(6.0) + np.random.default_rng(0).normal(size=90)
CS = np.logspace(-3, 2, 11)


def searched(path: Path | None = None, model: Any = None, grid: Any = None, **knobs: Any) -> Any:
    model = LogisticRegression() if model is None else model
    grid = {"C": CS} if grid is None else grid
    knobs = {"scoring": "roc_auc", "cv": 2, "random_state": 5, "n_resamples": 20, **knobs}
    y = knobs.pop("y", Y)
    return en.SearchCV(model, grid, store=path, **knobs).fit(X, y)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A search that nobody changes, and its file."""
    path = tmp_path_factory.mktemp("kept") / "run.db"
    return searched(path), path


@pytest.fixture
def usual(kept: tuple[Any, Path], tmp_path: Path) -> tuple[Any, Path]:
    """That search, and a copy of its file."""
    search, path = kept
    return search, Path(shutil.copy(path, tmp_path))


def same(first: en.Trials, second: en.Trials) -> None:
    assert first.configs == second.configs
    assert first.space == second.space
    assert (first.direction, first.objective_name) == (second.direction, second.objective_name)
    assert (first.n_failed, first.n_pruned) == (second.n_failed, second.n_pruned)
    assert first.cautions == second.cautions
    np.testing.assert_array_equal(first.objective, second.objective)
    np.testing.assert_array_equal(first.standard_error, second.standard_error)


def both(path: Path, *args: Any, **knobs: Any) -> en.Trials:
    """Return the trials of a search, which those of its file are too."""
    search = searched(path, *args, **knobs)
    trials = en.trials_from(search)
    same(en.trials_from(path), trials)
    return trials


PIPE = Pipeline([("scale", StandardScaler()), ("clf", SVC())])
GRIDS = [
    {
        "scale": [StandardScaler(), MinMaxScaler(), "passthrough"],
        "clf": [SVC()],
        "clf__C": np.array([0.1, 1.0, 10.0]),
    },
    {"clf": [DecisionTreeClassifier(random_state=0)], "clf__max_depth": np.arange(1, 4)},
]


def test_explaining_the_file_is_explaining_the_search(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    search = searched(path, PIPE, GRIDS)
    knobs: dict[str, Any] = {"rng": 1, "n_points": 40, "regions": 2}
    made, read = en.explain(search, **knobs), en.explain(str(path), **knobs)
    there = read.to_dict() | {"provenance": made.to_dict()["provenance"]}
    assert json.dumps(there) == json.dumps(made.to_dict())
    assert read.provenance["source"] == "run file 'run.db'"


def test_conditional_grids_of_a_pipeline_keep_numbers_and_name_objects(tmp_path: Path) -> None:
    trials = both(tmp_path / "run.db", PIPE, GRIDS)
    assert trials.space["scale"].choices == ("MinMaxScaler()", "StandardScaler()", "passthrough")
    assert trials.space["clf__C"].numeric  # numpy's numbers are numbers in the file too
    assert str(trials.space["clf__C"].condition) == "clf is SVC()"
    assert trials.space["clf__max_depth"].kind == "int"


def test_objectives_are_those_of_the_search(tmp_path: Path) -> None:
    search = searched(tmp_path / "run.db", n_repeats=2)
    trials = en.trials_from(tmp_path / "run.db")
    np.testing.assert_allclose(trials.objective, search.cv_results_["mean_test_score"], rtol=1e-12)
    listed = [trial.standard_error for trial in search.trials_]
    np.testing.assert_allclose(trials.standard_error, listed, rtol=1e-12)
    assert (trials.direction, trials.objective_name) == ("maximize", "roc_auc")


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        ("neg_mean_squared_error", "mean_squared_error"),
        ("rmse", "rmse"),
        (make_scorer(mean_absolute_error, greater_is_better=False), "mean_absolute_error"),
    ],
)
def test_a_loss_is_told_as_itself_and_minimised(tmp_path: Path, scoring: Any, name: str) -> None:
    path = tmp_path / "run.db"
    trials = both(path, Ridge(), {"alpha": CS}, scoring=scoring, y=SLOPE)
    assert (trials.direction, trials.objective_name) == ("minimize", name)
    assert (trials.objective > 0).all()
    search = searched(path, Ridge(), {"alpha": CS}, scoring=scoring, y=SLOPE)
    assert trials.best_config == search.best_params_
    with pytest.raises(en.errors.InputError, match="lower is better"):
        en.trials_from(path, direction="maximize")


def test_of_several_scores_the_refitted_one_is_the_objective_or_another_by_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.db"
    scoring = ["accuracy", "neg_log_loss"]
    trials = both(path, scoring=scoring, refit="neg_log_loss")
    assert (trials.objective_name, trials.direction) == ("log_loss", "minimize")
    for objective in ("log_loss", "neg_log_loss"):
        same(en.trials_from(path, objective=objective), trials)
    assert en.trials_from(path, objective="accuracy").direction == "maximize"
    with pytest.raises(en.errors.InputError, match="Did you mean 'accuracy'"):
        en.trials_from(path, objective="acuracy")


def test_without_a_refitted_score_one_must_be_named(tmp_path: Path) -> None:
    search = searched(tmp_path / "run.db", scoring=["accuracy", "roc_auc"], refit=False)
    for source in (search, tmp_path / "run.db"):
        with pytest.raises(en.errors.InputError, match="one of accuracy, roc_auc"):
            en.trials_from(source)


def test_scores_that_only_a_call_names_are_those_that_came_out(tmp_path: Path) -> None:
    def several(model: Any, X: Any, y: Any) -> dict[str, float]:
        return {"hits": model.score(X, y), "neg_misses": model.score(X, y) - 1}

    trials = both(tmp_path / "run.db", scoring=several, refit="neg_misses", response="predict")
    assert (trials.objective_name, trials.direction) == ("misses", "minimize")


def test_ranges_of_a_random_search_are_in_the_file(tmp_path: Path) -> None:
    space = {"C": loguniform(1e-4, 1e4), "max_iter": randint(200, 400)}
    trials = both(tmp_path / "run.db", grid=space, n_iter=12)
    assert (trials.space["C"].low, trials.space["C"].high) == (1e-4, 1e4)
    assert (trials.space["max_iter"].low, trials.space["max_iter"].high) == (200, 399)
    listed = both(tmp_path / "list.db", grid=[space, {"C": loguniform(1e-4, 1e4)}], n_iter=14)
    assert (listed.space["C"].low, listed.space["C"].high) == (1e-4, 1e4)


def test_a_list_of_estimators_is_one_category_by_their_names(tmp_path: Path) -> None:
    models = [DecisionTreeClassifier(max_depth=d, random_state=0) for d in range(1, 7)]
    named = [(f"logistic {c:g}", LogisticRegression(C=c)) for c in CS[:5]]
    pairs = [(f"tree {i}", model) for i, model in enumerate(models)]
    trials = both(tmp_path / "run.db", grid=[*named, *pairs])
    assert trials.space.names == ("estimator",)
    assert set(trials.space["estimator"].choices) == {name for name, _ in [*named, *pairs]}
    plain = both(tmp_path / "plain.db", grid=[*models, *(model for _, model in named)])
    assert "DecisionTreeClassifier-1" in plain.space["estimator"].choices


def test_dropped_configurations_inform_by_the_splits_that_they_had(tmp_path: Path) -> None:
    depths = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 30, 60]}
    tree = DecisionTreeClassifier(random_state=0)
    trials = both(tmp_path / "run.db", tree, depths, cv=10, drop="bced")
    assert trials.counts.pruned_used > 0
    assert trials.counts.used == len(trials) == 18
    assert trials.pruned is not None
    assert not trials.pruned[trials.best]
    assert (trials.added_sd[trials.pruned] > 0).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_configurations_that_failed_are_counted_and_left_out(
    tmp_path: Path, error_score: float
) -> None:
    grid = {"C": [*CS, -1.0]}
    trials = both(tmp_path / "run.db", grid=grid, error_score=error_score)
    assert (len(trials), trials.n_failed) == (11, 1)


def test_a_run_that_goes_on_is_read_as_far_as_it_got(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    searched(path, grid={"C": np.logspace(-3, 2, 14)})
    with closing(sqlite3.connect(path)) as base:
        base.execute("DELETE FROM outcome WHERE key = '12,0,1' OR key LIKE '13,%'")
        base.commit()
    trials = en.trials_from(path)
    assert (trials.counts.complete, trials.n_pruned, trials.n_failed) == (12, 1, 0)


def test_an_optuna_search_is_its_own_trials(tmp_path: Path) -> None:
    import optuna

    space = {
        "C": optuna.distributions.FloatDistribution(1e-4, 1e4, log=True),
        "max_iter": optuna.distributions.IntDistribution(200, 400, step=50),
        "fit_intercept": optuna.distributions.CategoricalDistribution([True, False]),
    }
    candidates = en.optuna_candidates(space, n_trials=14, batch=7)
    trials = both(tmp_path / "run.db", grid=candidates)
    c, steps = trials.space["C"], trials.space["max_iter"]
    assert (c.low, c.high, c.log) == (1e-4, 1e4, True)
    assert (steps.low, steps.high, steps.step) == (200, 400, 50)
    assert trials.space["fit_intercept"].choices == (False, True)


def test_a_conditional_optuna_search_is_explained_end_to_end(tmp_path: Path) -> None:
    def space(trial: Any) -> dict[str, Any]:
        kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
        params = {"kernel": kernel, "C": trial.suggest_float("C", 0.01, 100, log=True)}
        if kernel == "rbf":
            params["gamma"] = trial.suggest_float("gamma", 0.001, 1, log=True)
        return params

    search = searched(None, SVC(), en.optuna_candidates(space, n_trials=24))
    found = en.explain(search, rng=0, n_points=40)
    assert set(found.effects) == {"kernel", "C", "gamma"}
    assert found.effects["gamma"].where == "kernel is rbf"


def documents(path: Path, **texts: str | None) -> None:
    with closing(sqlite3.connect(path)) as base:
        for name, text in texts.items():
            base.execute("DELETE FROM document WHERE name = ?", (name,))
            if text is not None:
                base.execute("INSERT INTO document VALUES (?, ?)", (name, text))
        base.commit()


def test_a_file_that_does_not_tell_of_its_scores_is_read_by_what_came_out(
    usual: tuple[Any, Path],
) -> None:
    search, path = usual
    documents(path, search=None)
    trials = en.trials_from(path)
    assert (trials.objective_name, trials.direction) == ("score", "maximize")
    documents(path, search='{"version": 1, "scores": {}, "objective": ["score"], "ranges": {}}')
    assert en.trials_from(path).objective_name == "score"  # a list names no score
    np.testing.assert_array_equal(trials.objective, en.trials_from(search).objective)


def test_what_is_not_a_search_is_refused(usual: tuple[Any, Path], golden: Golden) -> None:
    path = usual[1]
    documents(path, search='{"version": 2, "scores": {}}')
    with pytest.raises(en.errors.FormatError, match="newer version of earnest"):
        en.trials_from(path)
    documents(path, search="[")
    with golden.raises(en.errors.FormatError, hide="got .*"):
        en.trials_from(path)
    documents(path, search=None, configs='["a"]')
    with golden.raises(en.errors.FormatError, hide="got .*"):
        en.trials_from(path)
    documents(path, configs=None)
    with pytest.raises(en.errors.FormatError, match="without configurations"):
        en.trials_from(path)


def test_a_search_that_is_not_fitted_is_told_so() -> None:
    with pytest.raises(en.errors.InputError, match="Call its `fit` first"):
        en.trials_from(en.SearchCV(LogisticRegression(), {"C": CS}))


def test_the_run_of_a_nested_cross_validation_is_refused_by_name(tmp_path: Path) -> None:
    search = en.SearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3, random_state=0)
    en.nested_cv(search, X, Y, store=tmp_path / "nested.db")
    with pytest.raises(en.errors.FormatError, match="got nested cross-validation"):
        en.trials_from(tmp_path / "nested.db")


def test_options_that_mean_nothing_for_a_run_file_are_refused(usual: tuple[Any, Path]) -> None:
    search, path = usual
    trials = en.trials_from(search)
    same(en.trials_from(path), trials)
    with pytest.raises(en.errors.InputError, match="`study` does not apply"):
        en.trials_from(path, study="tuning")
    wide = en.Space((replace(trials.space["C"], low=1e-6),))
    assert en.trials_from(path, space=wide).space == wide


@pytest.mark.parametrize(("name", "sign"), [(1.5, 1.0), ("auc", None), ("auc", 0.0)])
def test_a_score_without_a_name_or_a_sign_is_none(name: object, sign: object) -> None:
    with pytest.raises(TypeError, match="with the sign"):
        _read_name(name, sign)
