"""Portfolios: the published grid exactly, an order that any budget may cut, pipelines that fit."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from skops import io as skops

import earnest as en
from earnest.errors import InputError, UnknownNameError
from earnest.learners import Inputs, load_portfolio
from earnest.training import PortfolioConfiguration, list_packaged

PLAIN = Inputs(tuple("abcdef"), (0,) * 6, (False,) * 6, n_cases=100)
MIXED = Inputs(tuple("abcdef"), (0, 0, 0, 0, 3, 5), (True, False) * 3, n_cases=100)
FAMILIES = {
    "elastic_net",
    "random_forest",
    "hist_gradient_boosting",
    "rbf_svm",
    "linear_svm",
    "polynomial_svm",
}


def grid(
    name: str = "default", task: str = "binary", **more: Any
) -> tuple[PortfolioConfiguration, ...]:
    inputs = more.pop("inputs", PLAIN)
    return load_portfolio(name).configurations(task, inputs, rng=0, **more)


def mixed_data(n: int = 100, seed: int = 0) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=(n, 4)), rng.integers(0, 3, size=n), rng.integers(0, 5, size=n)]
    )
    X[rng.random(X.shape) < [0.2, 0, 0.2, 0, 0.2, 0]] = np.nan
    return X


# ------------------------------------------------------------------------- the published grid


def test_the_published_grid_has_610_configurations_122_a_selection() -> None:
    made = grid("tsamardinos2018")
    assert len(made) == 610
    assert len({one.name for one in made}) == 610
    choice = Counter(
        (one.params["select"], one.params.get("ses_alpha"), one.params.get("ses_max_k"))
        for one in made
    )
    want = [("none", None, None), *(("ses", a, k) for a, k in product((0.05, 0.01), (2, 3)))]
    assert choice == dict.fromkeys(want, 122)
    for select in want:
        kinds = Counter(
            "svm" if one.family.endswith("svm") else one.family
            for one in made
            if (one.params["select"], one.params.get("ses_alpha"), one.params.get("ses_max_k"))
            == select
        )
        assert kinds == {"random_forest": 12, "svm": 80, "elastic_net_path": 30}


def test_the_published_grid_has_the_published_values() -> None:
    bare = [one.params for one in grid("tsamardinos2018") if one.params["select"] == "none"]

    def values(model: str, *names: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(p[n] for n in names) for p in bare if p["model"] == model)

    costs = gammas = (0.01, 0.1, 1.0, 10.0, 100.0)
    forests = values("random_forest", "trees", "min_leaf", "mtry")
    assert forests == sorted(product((1000,), (1, 3, 5), (0.5, 1.0, 1.5, 2.0)))
    assert values("linear_svm", "C") == [(c,) for c in costs]
    assert values("rbf_svm", "C", "gamma") == sorted(product(costs, gammas))
    polynomials = values("polynomial_svm", "degree", "C", "gamma")
    assert polynomials == sorted(product((2, 3), costs, gammas))
    nets = values("elastic_net_path", "alpha", "step", "steps")
    assert nets == sorted(product((0.001, 0.5, 1.0), range(1, 11), (10,)))


@pytest.mark.parametrize("task", ["multiclass", "regression", "survival"])
def test_the_published_grid_is_for_two_classes(task: str) -> None:
    with pytest.raises(InputError, match=r"binary.*'default'"):
        grid("tsamardinos2018", task)


def test_machines_of_the_published_grid_have_the_kernels_as_written() -> None:
    named = {one.name: one.estimator[-1] for one in grid("tsamardinos2018")}
    linear = named["linear SVM, C 10"]
    assert (linear.kernel, linear.C) == ("linear", 10.0)
    poly = named["polynomial SVM, degree 3, C 0.1, gamma 100"]
    assert (poly.kernel, poly.degree, poly.C, poly.gamma) == ("poly", 3, 0.1, 100.0)
    assert (poly.coef0, poly.relative) == (0.0, False)


# ---------------------------------------------------------------------------- set and order


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_default_has_some_hundreds_over_all_families(task: str) -> None:
    made = grid(task=task)
    assert 300 <= len(made) <= 600
    assert len({one.name for one in made}) == len(made)
    assert {one.family for one in made} == FAMILIES
    assert {one.params["select"] for one in made} == {"none", "ses", "univariate", "l1"}


@pytest.mark.parametrize("n", [6, 12, 24, 60])
def test_any_prefix_is_spread_over_the_families(n: int) -> None:
    made = grid(n=n)
    counts = Counter(one.family for one in made)
    assert set(counts) == FAMILIES
    assert max(counts.values()) - min(counts.values()) <= 1


def test_a_prefix_is_a_prefix_and_the_order_is_always_the_same() -> None:
    whole = [one.name for one in grid()]
    assert [one.name for one in grid(n=50)] == whole[:50]
    other = load_portfolio("default").configurations("binary", PLAIN, rng=99)
    assert [one.name for one in other] == whole


def test_each_family_begins_with_its_best_guess() -> None:
    first = [one.params for one in grid(n=6)]
    assert all(params["select"] == "none" for params in first)
    assert first[0]["C"] == 1.0


def test_the_seed_reaches_every_learner_that_has_one() -> None:
    for seed in (0, 1):
        made = load_portfolio("default").configurations(
            "binary", PLAIN, rng=seed, probabilities=True
        )
        params = [
            value
            for one in made
            for name, value in one.estimator.get_params().items()
            if name.endswith("random_state")
        ]
        assert {type(value) for value in params} == {int}
        assert len(set(params)) == 1


def test_params_are_plain_and_only_those_that_apply() -> None:
    for one in (*grid(), *grid("tsamardinos2018")):
        assert json.loads(json.dumps(one.params)) == one.params
        assert not {"encode", "impute"} & set(one.params)
        assert ("gamma" in one.params) == (one.family in ("rbf_svm", "polynomial_svm"))
        assert ("ses_alpha" in one.params) == (one.params["select"] == "ses")
        assert one.cost > 0.0
    mixed = grid(inputs=MIXED)
    assert all({"encode", "impute"} <= set(one.params) for one in mixed)
    boosted = [one.params for one in mixed if one.family == "hist_gradient_boosting"]
    assert {(p["select"] == "none", p["impute"]) for p in boosted} == {
        (True, "none"),
        (False, "median"),
    }


def test_large_tables_go_without_what_is_too_slow() -> None:
    large = Inputs(PLAIN.names, PLAIN.levels, PLAIN.missing, n_cases=50_000)
    made = grid(inputs=large)
    assert {one.family for one in made} == FAMILIES - {"rbf_svm", "polynomial_svm"} | {
        "extra_trees"
    }
    assert "ses" not in {one.params["select"] for one in made}


def test_few_columns_are_not_selected() -> None:
    few = Inputs(("a", "b"), (0, 0), (False, False), n_cases=100)
    assert {one.params["select"] for one in grid(inputs=few)} == {"none"}


def test_an_unknown_name_gets_the_nearest() -> None:
    assert list_packaged() == ("default", "tsamardinos2018")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'tsamardinos2018'\?"):
        load_portfolio("tsamardinos18")
    with pytest.raises(InputError, match="task"):
        grid(task="ranking")
    with pytest.raises(InputError, match="`n`"):
        grid(n=0)


# ------------------------------------------------------------------------------- pipelines


def one_of_each(made: tuple[PortfolioConfiguration, ...]) -> list[PortfolioConfiguration]:
    """Return the first configuration of every model with every selection."""
    return list({(one.family, one.params["select"]): one for one in reversed(made)}.values())


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_every_kind_of_configuration_fits_mixed_columns_with_gaps(task: str) -> None:
    X = mixed_data()
    signal = np.nan_to_num(X[:, 0]) + X[:, 1]
    y = {
        "binary": np.where(signal > 0, "b", "a"),
        "multiclass": np.digitize(signal, [-1, 1]),
        "regression": signal * 100,
    }[task]
    new = mixed_data(20, seed=1)
    new[:3, 5] = [9.0, np.nan, 7.0]  # levels that training never saw
    for one in one_of_each(grid(task=task, inputs=MIXED, n=150)):
        model = _fast(one.estimator).fit(X, y)
        assert model.predict(new).shape == (20,), one.name
        if task != "regression":
            ask = getattr(model, "decision_function", getattr(model, "predict_proba", None))
            assert ask is not None
            assert np.isfinite(ask(new)).all(), one.name


def _fast(pipe: Pipeline) -> Pipeline:
    """Return a copy with small ensembles."""
    names = [name for name in pipe.get_params() if name.endswith(("__trees", "__max_iter"))]
    return clone(pipe).set_params(**dict.fromkeys(names, 5))


def test_where_probabilities_are_needed_every_configuration_has_them() -> None:
    X = mixed_data()
    y = (X[:, 1] > 0).astype(int)
    for one in one_of_each(grid(inputs=MIXED, n=60, probabilities=True)):
        chance = _fast(one.estimator).fit(X, y).predict_proba(X)
        assert chance.sum(axis=1) == pytest.approx(1.0), one.name


@pytest.mark.slow
def test_models_are_saved_without_pickle() -> None:
    """By skops alone; tests/training/tune/test_model.py saves one of each kind as `tune` does."""
    X = mixed_data()
    y = (X[:, 1] > 0).astype(int)
    for one in one_of_each(grid(inputs=MIXED, n=100, probabilities=True)):
        model = _fast(one.estimator).fit(X, y)
        data = skops.dumps(model)
        found = skops.get_untrusted_types(data=data)
        again = skops.loads(data, trusted=found)
        assert (again.predict_proba(X) == model.predict_proba(X)).all(), one.name


def test_the_columns_that_a_model_sees_have_names() -> None:
    X = mixed_data()
    y = (X[:, 1] > 0).astype(int)
    for one in one_of_each(grid(inputs=MIXED, n=40)):
        model = _fast(one.estimator).fit(X, y)
        names = model[:-1].get_feature_names_out(list(MIXED.names))
        assert len(names) == model[-1].n_features_in_, one.name
        if one.params["select"] == "ses":
            assert "b" in names


# ---------------------------------------------------------------------------- in a search


def test_a_search_shows_the_plain_parameters(tmp_path: Path) -> None:
    X = mixed_data()
    y = (X[:, 1] + np.nan_to_num(X[:, 0]) > 0).astype(int)
    made = [one for one in grid(inputs=MIXED) if one.family in ("elastic_net", "linear_svm")][:12]
    store = tmp_path / "run.earnest"
    search = en.SearchCV(None, made, scoring="roc_auc", cv=3, store=store, random_state=0)
    search.fit(X, y)
    assert search.failures_ == ()
    assert search.cv_results_["params"] == [dict(one.params) for one in made]
    assert search.predictions_.configs.ids == tuple(one.name for one in made)
    assert search.predictions_.configs.params == tuple(dict(one.params) for one in made)
    assert search.best_params_ in search.cv_results_["params"]
    assert search.trials_[0].params == dict(made[0].params)
    from_file = en.trials_from(store)
    assert list(from_file.configs) == [dict(one.params) for one in made]
    assert str(from_file.space["l1_ratio"].condition) == "model is elastic_net"


def test_the_same_search_resumes_from_its_file(tmp_path: Path) -> None:
    X = mixed_data()
    y = (X[:, 1] > 0).astype(int)
    store = tmp_path / "run.earnest"

    def run() -> Any:
        made = [one for one in grid(inputs=MIXED) if one.family == "linear_svm"][:3]
        search = en.SearchCV(None, made, scoring="roc_auc", cv=3, store=store, random_state=0)
        return search.fit(X, y)

    first, again = run(), run()
    assert (first.cv_results_["mean_fit_time"] == again.cv_results_["mean_fit_time"]).all()


def test_a_matrix_describes_itself() -> None:
    found = Inputs.of([[1.0, 2.0], [np.nan, 0.0]], categorical=[1], names=["größe", "art"])
    assert found == Inputs(("größe", "art"), (0, 3), (True, False), n_cases=2)
    assert Inputs.of(np.full((3, 1), np.nan), categorical=[0]).levels == (1,)
    with pytest.raises(InputError, match="not a table"):
        Inputs.of(np.zeros((0, 2)))
    with pytest.raises(InputError, match="do not match"):
        Inputs(("a",), (0, 0), (False,), n_cases=1)
