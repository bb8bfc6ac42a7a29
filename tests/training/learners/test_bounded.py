"""Regressions of the portfolio predict near the range of their training outcomes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline

import earnest as en
from earnest.learners import Inputs, load_portfolio
from earnest.training import MARGIN, BoundedRegressor, join_members, list_packaged

RUNAWAY = """
format = 1
tasks = ["regression"]

[[model]]
model = "polynomial_svm"
degree = 3
C = [1.0, 10.0]
gamma = 1.0
coef0 = 1.0

[[model]]
model = "elastic_net"
C = 10.0
l1_ratio = 0.0
"""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 6))
Y = 100 + 10 * X[:, 0] + 5 * X[:, 1] ** 2 + RNG.normal(size=60)
FAR = np.concatenate([X, 50 * X, -50 * X])


def find_bounds(outcomes: np.ndarray) -> tuple[float, float]:
    room = MARGIN * np.ptp(outcomes)
    return outcomes.min() - room, outcomes.max() + room


def list_models(task: str) -> list[Pipeline]:
    """Return the unfitted pipelines of the first configurations of each packaged portfolio."""
    contents = {name: load_portfolio(name) for name in list_packaged()}
    usable = [one for one in contents.values() if task in one.contents.tasks]
    return [
        config.estimator
        for portfolio in usable
        for config in portfolio.configurations(task, Inputs.of(X), n=14, rng=0, probabilities=True)
    ]


@pytest.fixture(scope="module")
def fitted() -> list[Pipeline]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [make_small(model).fit(X, Y) for model in list_models("regression")]


def make_small(model: Any) -> Any:
    names = [name for name in model.get_params() if name.endswith(("__trees", "__max_iter"))]
    return clone(model).set_params(**dict.fromkeys(names, 10))


def test_every_regression_of_the_portfolios_stays_within_the_widened_range(
    fitted: list[Pipeline],
) -> None:
    low, high = find_bounds(Y)
    ran_away = 0
    for model in fitted:
        values = model.predict(FAR)
        assert values.min() >= low - 1e-9
        assert values.max() <= high + 1e-9
        free = model[-1].estimator_.predict(model[:-1].transform(FAR))
        np.testing.assert_allclose(values, np.clip(free, low, high), rtol=1e-12)
        ran_away += int(free.min() < low or free.max() > high)
    assert 0 < ran_away < len(fitted)  # lines and polynomials do, trees do not


def test_an_ensemble_stays_within_the_range_of_its_members(fitted: list[Pipeline]) -> None:
    low, high = find_bounds(Y)
    shares = np.full(len(fitted), 1 / len(fitted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = join_members(fitted, shares, classes=False).fit(X, Y)
    values = model.predict(FAR)  # type: ignore[attr-defined]
    assert low - 1e-9 <= values.min() < Y.min()
    assert Y.max() < values.max() <= high + 1e-9


def test_a_line_may_go_on_within_the_margin() -> None:
    model = BoundedRegressor(LinearRegression()).fit([[0.0], [1.0]], [0.0, 10.0])
    inside, at_the_ends = [[-MARGIN / 2], [1 + MARGIN / 2]], [[-9.0], [9.0]]
    np.testing.assert_allclose(model.predict(inside), [-5 * MARGIN, 10 + 5 * MARGIN])
    np.testing.assert_allclose(model.predict(at_the_ends), [-10 * MARGIN, 10 + 10 * MARGIN])


def test_equal_outcomes_are_predicted_for_every_row() -> None:
    model = BoundedRegressor(LinearRegression()).fit([[0.0], [1.0]], [3.0, 3.0])
    np.testing.assert_array_equal(model.predict([[-9.0], [9.0]]), [3.0, 3.0])


@pytest.mark.parametrize("task", ["binary", "multiclass", "survival"])
def test_classes_and_risks_have_no_bounds(task: str) -> None:
    models = list_models(task)
    assert models
    assert not any(isinstance(model[-1], BoundedRegressor) for model in models)


@pytest.fixture
def runaway(tmp_path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table with a row far from the others, where polynomials run away that never saw it."""
    x = X.copy()
    x[5, 2] = 400.0
    path = tmp_path / "runaway.toml"
    path.write_text(RUNAWAY, encoding="utf-8")
    asked = {"target": "y", "portfolio": str(path), "n_configs": 3, "folds": 4, "rng": 7}
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=Y), {**asked, "n_jobs": 1}


@pytest.mark.parametrize("ensemble", ["none", "greedy"])
def test_predictions_that_are_judged_keep_the_bounds_of_their_fold_and_delivered_ones_of_all(
    runaway: tuple[pd.DataFrame, dict[str, Any]], tmp_path: Path, ensemble: str
) -> None:
    table, asked = runaway
    tuned = en.tune(table, ensemble=ensemble, out=tmp_path / "run", **asked)
    pi, at_an_end = tuned.predictions, 0
    y, fold = np.asarray(pi.target.y, dtype=float), pi.folds[:, 0]
    for k in np.unique(fold):
        low, high = find_bounds(y[fold != k])
        values = pi.responses[fold == k, :, 0]
        assert values.min() >= low - 1e-9
        assert values.max() <= high + 1e-9
        at_an_end += int(np.isclose(values, low).sum() + np.isclose(values, high).sum())
    assert at_an_end > 0
    low, high = find_bounds(y)
    far = table.assign(c=1e4 * table["c"])
    kept = en.load_model(tmp_path / "run").predict(far).scores
    assert low - 1e-9 <= kept.min() <= kept.max() <= high + 1e-9
    np.testing.assert_allclose(kept, tuned.model.predict(far).scores, rtol=1e-10)
