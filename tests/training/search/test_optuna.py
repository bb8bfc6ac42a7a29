"""Candidates that Optuna proposes."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import optuna
import pytest
from joblib import parallel_config
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.samplers import CmaEsSampler, GridSampler, RandomSampler, TPESampler
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from earnest import SearchCV, optuna_candidates
from earnest.errors import InputError
from earnest.store import MemoryStore
from earnest.training import DynamicSearch, MissingOptunaError, OptunaCandidates

DATA = (np.arange(40.0).reshape(20, 2), np.tile([0, 1], 10))
SPACE = {"C": FloatDistribution(0.01, 100, log=True), "gamma": FloatDistribution(0.001, 1)}


def conditional(trial: Any) -> dict[str, Any]:
    kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
    params = {"kernel": kernel, "C": trial.suggest_float("C", 0.01, 100, log=True)}
    if kernel == "rbf":
        params["gamma"] = trial.suggest_float("gamma", 0.001, 1, log=True)
    return params


def score_of(params: dict[str, Any]) -> float:
    """A smooth score with its best at C = 1."""
    return -abs(float(np.log10(params["C"])))


def gone_through(candidates: OptunaCandidates, seed: int = 0) -> list[list[dict[str, Any]]]:
    """Return the batches of a whole search."""
    asker, batches = candidates.start(seed), []
    while batch := list(asker.ask()):
        batches.append(batch)
        asker.tell([score_of(params) for params in batch])
    return batches


def problem(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], n // 2)
    return y[:, None] + rng.standard_normal((n, 2)), y


def test_it_is_a_dynamic_search_with_a_limit() -> None:
    made = optuna_candidates(SPACE, n_trials=7)
    assert isinstance(made, DynamicSearch)
    assert made.limit() == 7


def test_batches_have_a_fixed_size_and_the_last_is_what_is_left() -> None:
    sizes = [len(batch) for batch in gone_through(optuna_candidates(SPACE, n_trials=7, batch=3))]
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("space", [SPACE, conditional], ids=["distributions", "function"])
def test_the_same_seed_and_scores_give_the_same_batches(space: Any) -> None:
    made = optuna_candidates(space, n_trials=25, batch=5)
    first = gone_through(made, seed=4)
    assert gone_through(made, seed=4) == first
    assert gone_through(made, seed=5) != first


def test_the_sampler_learns_from_scores_but_only_after_the_batch() -> None:
    made = optuna_candidates(SPACE, n_trials=30, batch=10)
    asker, other = made.start(0), made.start(0)
    batch = list(asker.ask())
    assert batch == list(other.ask())
    asker.tell([score_of(params) for params in batch])
    other.tell([-score_of(params) for params in batch])
    assert list(asker.ask()) != list(other.ask())


def test_conditional_parameters_are_there_only_where_they_count() -> None:
    every = [p for b in gone_through(optuna_candidates(conditional, n_trials=20)) for p in b]
    assert {len(params) for params in every} == {2, 3}
    assert all(("gamma" in params) == (params["kernel"] == "rbf") for params in every)


def test_a_function_that_returns_nothing_means_what_it_suggested() -> None:
    def space(trial: Any) -> None:
        trial.suggest_float("C", 1, 2)

    (batch,) = gone_through(optuna_candidates(space, n_trials=2, batch=2))
    assert [set(params) for params in batch] == [{"C"}, {"C"}]


def test_failures_are_told_and_do_not_end_the_search() -> None:
    asker = optuna_candidates(SPACE, n_trials=30, batch=10).start(0)
    for _ in range(3):
        batch = asker.ask()
        assert len(batch) == 10
        asker.tell([np.nan] * 10)
    states = [trial.state.name for trial in asker._study.trials]
    assert states == ["FAIL"] * 30
    assert list(asker.ask()) == []


def test_pruned_combinations_are_passed_over() -> None:
    def space(trial: Any) -> dict[str, Any]:
        c = trial.suggest_float("C", 0, 1)
        if c < 0.5:
            raise optuna.TrialPruned
        return {"C": c}

    batches = gone_through(optuna_candidates(space, RandomSampler, n_trials=8, batch=4), seed=1)
    assert [len(batch) for batch in batches] == [4, 4]
    assert all(params["C"] >= 0.5 for batch in batches for params in batch)


def test_a_space_that_refuses_everything_is_refused() -> None:
    def space(trial: Any) -> dict[str, Any]:
        trial.suggest_categorical("C", [1, 2])
        raise optuna.TrialPruned

    with pytest.raises(InputError, match="1000 trials pruned"):
        optuna_candidates(space, RandomSampler, n_trials=2).start(0).ask()


def test_samplers_may_be_classes_functions_or_instances() -> None:
    plain = gone_through(optuna_candidates(SPACE, RandomSampler, n_trials=4), seed=2)
    made = gone_through(optuna_candidates(SPACE, lambda seed: RandomSampler(seed), n_trials=4), 2)
    assert made == plain
    own = optuna_candidates(SPACE, RandomSampler(seed=11), n_trials=4)
    assert gone_through(own, seed=1) == gone_through(own, seed=2)  # it brings its own seed


def test_a_sampler_whose_package_is_missing_is_refused_before_any_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("earnest.training.search.optuna.find_spec", lambda name: None)
    space = {"x": FloatDistribution(0.0, 1.0)}
    candidates = optuna_candidates(space, CmaEsSampler, n_trials=20, batch=5)
    with pytest.raises(MissingOptunaError, match="package cmaes"):
        candidates.start(0)


def test_a_search_that_looks_at_no_score_is_static() -> None:
    assert optuna_candidates(SPACE, RandomSampler).static
    assert optuna_candidates(SPACE, RandomSampler(seed=1)).static
    assert optuna_candidates(SPACE, lambda seed: RandomSampler(seed)).static
    assert not optuna_candidates(SPACE).static
    assert not optuna_candidates(SPACE, TPESampler).static

    class Mine(RandomSampler):
        """It may look at anything."""

    assert not optuna_candidates(SPACE, Mine).static


def test_a_grid_ends_when_it_is_gone_through() -> None:
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
    candidates = optuna_candidates(SPACE, GridSampler(grid, seed=0), n_trials=50, batch=4)
    every = [tuple(p.values()) for batch in gone_through(candidates) for p in batch]
    assert sorted(every) == sorted((c, g) for c in grid["C"] for g in grid["gamma"])


def test_brute_force_ends_when_it_is_gone_through() -> None:
    space = {"C": CategoricalDistribution([0.1, 1.0, 10.0])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        candidates = optuna_candidates(
            space, lambda seed: optuna.samplers.BruteForceSampler(seed=seed), n_trials=9, batch=2
        )
        every = [params["C"] for batch in gone_through(candidates) for params in batch]
    assert sorted(every) == [0.1, 1.0, 10.0]


def test_optuna_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    level = optuna.logging.get_verbosity()
    gone_through(optuna_candidates(SPACE, n_trials=4))
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == level


# ---- in a search


def search(**knobs: Any) -> SearchCV:
    candidates = optuna_candidates(conditional, n_trials=12, batch=4)
    about = {"cv": 3, "scoring": "roc_auc", "random_state": 1, **knobs}
    return SearchCV(SVC(), candidates, **about)


def test_the_number_of_workers_does_not_matter() -> None:
    X, y = problem()
    one = search(n_jobs=1).fit(X, y)
    with parallel_config(backend="threading"):
        two = search(n_jobs=2).fit(X, y)
    assert one.cv_results_["params"] == two.cv_results_["params"]
    assert one.predictions_.fingerprint == two.predictions_.fingerprint
    assert one.estimate_ == two.estimate_


def test_what_is_stored_is_asked_for_again_and_found() -> None:
    X, y = problem()
    store = MemoryStore()
    whole = search(store=store).fit(X, y)
    resumed = search(store=store).fit(X, y)
    assert resumed.predictions_.fingerprint == whole.predictions_.fingerprint
    assert len(store.done()) == 12 * 3


def test_a_learning_sampler_is_cautioned_of_and_a_random_one_is_not() -> None:
    X, y = problem()
    dynamic = search().fit(X, y)
    assert not dynamic.predictions_.configs.static
    assert "EN006" in {caution.code for caution in dynamic.estimate_.cautions}
    random = optuna_candidates(SPACE, RandomSampler, n_trials=5)
    fixed = SearchCV(SVC(), random, cv=3, random_state=1).fit(X, y)
    assert fixed.predictions_.configs.static
    assert "EN006" not in {caution.code for caution in fixed.estimate_.cautions}


def test_a_search_with_it_can_be_cloned_and_fitted_twice_alike() -> None:
    X, y = problem()
    made = search()
    first = made.fit(X, y).cv_results_["params"]
    assert clone(made).fit(X, y).cv_results_["params"] == first
    assert made.fit(X, y).cv_results_["params"] == first


def test_candidates_that_fail_are_recorded() -> None:
    X, y = problem()

    def space(trial: Any) -> dict[str, Any]:
        return {"C": trial.suggest_float("C", -1.0, 1.0)}  # a negative C is refused by SVC

    made = SearchCV(SVC(), optuna_candidates(space, n_trials=8, batch=4), cv=3, random_state=0)
    with pytest.warns((FitFailedWarning, UserWarning), match="failed|non-finite"):
        made.fit(X, y)
    assert made.failures_
    assert made.best_params_["C"] > 0


# ---- what is refused


@pytest.mark.parametrize(
    "space", [{}, {"C": [1, 2]}, [1, 2], None, {"C": FloatDistribution(0, 1), "gamma": 3}]
)
def test_what_is_no_space_is_refused(space: Any) -> None:
    with pytest.raises(InputError, match="`space`"):
        optuna_candidates(space)


def test_a_function_that_gives_no_parameters_is_refused() -> None:
    def space(trial: Any) -> Any:
        return [trial.suggest_float("C", 1, 2)]

    with pytest.raises(InputError, match="does not return hyperparameters"):
        optuna_candidates(space).start(0).ask()
    with pytest.raises(InputError, match="SearchCV does the training"):  # an objective in its place
        optuna_candidates(lambda trial: trial.suggest_float("C", 1, 2)).start(0).ask()
    with pytest.raises(InputError, match="predictions_from"):
        optuna_candidates(optuna.create_study())


def test_a_space_of_optuna_as_it_is_is_sent_here() -> None:
    space = {"C": optuna.distributions.FloatDistribution(0.1, 1.0)}
    with pytest.raises(InputError, match=r"optuna_candidates\(space, n_trials"):
        SearchCV(SVC(), space).fit(*DATA)


def test_a_parameter_without_its_step_is_found_in_the_pipeline() -> None:
    pipe = make_pipeline(SVC())
    with pytest.raises(InputError, match="Did you mean 'svc__C'"):
        SearchCV(pipe, {"C": [1.0]}).fit(*DATA)


def test_bad_knobs_are_refused() -> None:
    for knobs in ({"n_trials": 0}, {"batch": 0}, {"n_trials": 2.5}):
        with pytest.raises(InputError, match=next(iter(knobs))):
            optuna_candidates(SPACE, **knobs)
    with pytest.raises(InputError, match="`sampler`"):
        optuna_candidates(SPACE, "tpe")


def test_without_optuna_the_error_tells_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingOptunaError, match=r"pip install '\.\[optuna\]'"):
        optuna_candidates(SPACE)
    assert issubclass(MissingOptunaError, ImportError)


def test_a_space_with_a_parameter_that_the_estimator_lacks_is_refused_before_any_fit() -> None:
    space = {"C": FloatDistribution(0.1, 1.0), "gama": FloatDistribution(0.1, 1.0)}
    store = MemoryStore()
    search = SearchCV(SVC(), optuna_candidates(space, n_trials=4), store=store, random_state=0)
    with pytest.raises(InputError, match="Did you mean 'gamma'"):
        search.fit(np.random.default_rng(0).standard_normal((20, 2)), np.tile([0, 1], 10))
    assert "configs" not in store.documents()
