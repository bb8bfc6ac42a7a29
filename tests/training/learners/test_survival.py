"""Learners of survival: the partial likelihood, its peers, and survival at times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest.errors import InputError, MetricError
from earnest.learners import Inputs, load_portfolio
from earnest.training import BoostedCoxRegressor, CoxRegressor, ask_survival
from earnest.training.learners.survival.hazards import PartialLikelihood
from tests.snapshots import Golden


def lives(n: int = 150, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    death, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, size=n)
    y = np.empty(n, dtype=[("event", bool), ("time", np.float64)])
    y["event"], y["time"] = death < end, np.minimum(death, end)
    return X, y


def test_coefficients_maximise_the_partial_likelihood() -> None:
    X, y = lives()

    def loss(coef: NDArray[np.float64]) -> float:
        risk = X @ coef
        terms = [
            risk[i] - np.log(np.exp(risk[y["time"] >= y["time"][i]]).sum())
            for i in np.flatnonzero(y["event"])
        ]
        return -float(np.sum(terms))

    want = minimize(loss, np.zeros(3), tol=1e-10).x
    found = CoxRegressor(penalizer=1e-9).fit(X, y).coef_
    assert found == pytest.approx(want, abs=1e-3)


def test_a_greater_prediction_is_a_greater_risk() -> None:
    X, y = lives()
    made = CoxRegressor().fit(X, y)
    assert np.corrcoef(made.predict(X), X[:, 0])[0, 1] > 0.8
    assert made.score(X, y) > 0.7
    pi = en.Predictions.from_arrays(
        (y["event"], y["time"]), made.predict(X)[:, None], fold=np.arange(150) % 5
    )
    value = en.estimate(pi, metric="concordance", method="naive").value
    assert value == pytest.approx(made.score(X, y), abs=0.03)  # fold by fold, not all at once


GOLDEN = Path(__file__).parents[2] / "metrics" / "golden"
OF_R: list[dict[str, Any]] = json.loads((GOLDEN / "survival_r.json").read_text())
OF_PYTHON: list[dict[str, Any]] = json.loads((GOLDEN / "survival_peers.json").read_text())
SAME = 1e-9


@pytest.mark.parametrize("case", OF_R, ids=["60", "60 tied", "300", "300 tied"])
def test_coefficients_ridges_and_survival_are_those_of_coxph_of_r(case: dict[str, Any]) -> None:
    rows = np.repeat(np.arange(len(case["w"])), np.array(case["w"], dtype=int))
    X = np.column_stack([case["a"], case["b"]])[rows]
    y = np.array(case["event"])[rows] > 0, np.array(case["time"])[rows]
    plain = CoxRegressor(penalizer=0).fit(X, y)
    np.testing.assert_allclose(plain.coef_, case["cox"], atol=SAME)
    survival = plain.predict_survival(np.array([[0.0, 0.0], [1.0, -1.0]]), case["times"])
    np.testing.assert_allclose(survival.T.ravel(), case["cox_survival"], atol=SAME)
    for theta in (1, 20):
        ridge = CoxRegressor(penalizer=theta / len(X)).fit(X, y)
        np.testing.assert_allclose(ridge.coef_, case[f"ridge_{theta}"], atol=SAME)
        nearly = CoxRegressor(penalizer=theta / len(X), l1_ratio=1e-12).fit(X, y)  # by gradients
        np.testing.assert_allclose(nearly.coef_, case[f"ridge_{theta}"], atol=1e-6)


@pytest.mark.parametrize("case", OF_PYTHON, ids=["80", "80 tied", "300"])
def test_coefficients_are_those_of_scikit_survival_and_lifelines(case: dict[str, Any]) -> None:
    X, y = np.array(case["x"]), (np.array(case["event"]), np.array(case["time"]))
    ridge = CoxRegressor(penalizer=3 / len(X)).fit(X, y)
    np.testing.assert_allclose(ridge.coef_, case["sksurv_ridge"], atol=SAME)
    scale = X.std(axis=0, ddof=1)  # lifelines penalises columns of one scale
    scaled = (X - X.mean(axis=0)) / scale
    model = CoxRegressor(penalizer=0.1).fit(scaled, y)
    np.testing.assert_allclose(model.coef_ / scale, case["lifelines_coef"], atol=SAME)
    if set(case["times"]) <= set(case["time"]):  # elsewhere lifelines interpolates its steps
        survival = model.predict_survival(scaled[:3], case["times"])
        np.testing.assert_allclose(survival, case["lifelines_survival"], atol=SAME)


def test_the_likelihood_and_its_derivatives_are_those_of_the_plain_sums() -> None:
    """Efron's sum, event by event; derivatives by differences of 1e-6, so to 1e-5 (seed 3)."""
    rng = np.random.default_rng(3)
    time, event = np.ceil(rng.exponential(3.0, 40)), rng.random(40) < 0.7
    X, w = rng.normal(size=(40, 2)), np.array([0.4, -0.3])
    likelihood = PartialLikelihood.of(time, event)

    def plain(coef: NDArray[np.float64]) -> float:
        total, hazards = 0.0, X @ coef
        for when in np.unique(time[event]):
            tied = np.flatnonzero(event & (time == when))
            risk, own = np.exp(hazards[time >= when]).sum(), np.exp(hazards[tied]).sum()
            for k, i in enumerate(tied):
                total += hazards[i] - np.log(risk - k / len(tied) * own)
        return float(total)

    value, expected, _ = likelihood.evaluate(X @ w)
    assert value == pytest.approx(plain(w), rel=1e-12)
    steps = 1e-6 * np.eye(2)
    slopes = [(plain(w + s) - plain(w - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(X.T @ (event - expected), slopes, atol=1e-5)
    bends = [
        (X.T @ (likelihood.evaluate(X @ (w - s))[1] - likelihood.evaluate(X @ (w + s))[1])) / -2e-6
        for s in steps
    ]
    np.testing.assert_allclose(likelihood.curve(X, X @ w, expected), bends, atol=1e-5)


def test_an_elastic_net_meets_the_conditions_of_its_optimum() -> None:
    """Where a coefficient is not 0 the slope is the penalty; elsewhere it is smaller."""
    X, y = lives(120, seed=2)
    X = np.column_stack([X, np.random.default_rng(7).normal(size=(120, 8))])
    model = CoxRegressor(penalizer=0.08, l1_ratio=0.7).fit(X, y)
    likelihood = PartialLikelihood.of(y["time"], y["event"])
    expected = likelihood.evaluate((X - X.mean(axis=0)) @ model.coef_)[1]
    slope = (X - X.mean(axis=0)).T @ (y["event"] - expected) / 120 - 0.024 * model.coef_
    used = model.coef_ != 0
    assert 0 < used.sum() < len(used)
    np.testing.assert_allclose(slope[used], 0.056 * np.sign(model.coef_[used]), atol=1e-5)
    assert (np.abs(slope[~used]) <= 0.056 + 1e-6).all()


def test_boosted_trees_find_what_no_line_does() -> None:
    """By seed 4: a risk that depends on |x|, of 300 new cases; half is chance."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(600, 3))
    life, end = rng.exponential(np.exp(-2.0 * np.abs(X[:, 0]))), rng.exponential(1.0, 600)
    y = np.empty(600, dtype=[("event", bool), ("time", np.float64)])
    y["event"], y["time"] = life <= end, np.minimum(life, end)
    trees = BoostedCoxRegressor(rounds=60, rows=0.7, random_state=0).fit(X[:300], y[:300])
    line = CoxRegressor().fit(X[:300], y[:300])
    assert trees.score(X[300:], y[300:]) > 0.65 > 0.6 > line.score(X[300:], y[300:])
    again = BoostedCoxRegressor(rounds=60, rows=0.7, random_state=0).fit(X[:300], y[:300])
    np.testing.assert_array_equal(again.predict(X), trees.predict(X))
    survival = trees.predict_survival(X, [0.1, 0.5, 50.0])
    assert (np.diff(survival, axis=1) <= 0).all()
    assert ((survival >= 0) & (survival <= 1)).all()


class Steps:
    """A learner that predicts step functions, as scikit-survival's do."""

    def __init__(self, model: CoxRegressor) -> None:
        self.model = model

    def predict_survival_function(self, X: NDArray[np.float64]) -> list[Any]:
        """Return one function per row, known between the first and the last event."""
        grid = self.model.times_
        rows = self.model.predict_survival(X, grid)

        def step(row: NDArray[np.float64]) -> Any:
            def curve(t: NDArray[np.float64]) -> NDArray[np.float64]:
                assert (t >= grid[0]).all()
                assert (t <= grid[-1]).all()
                return row[np.searchsorted(grid, t, side="right") - 1]

            curve.x = grid  # type: ignore[attr-defined]
            return curve

        return [step(row) for row in rows]


def test_survival_is_asked_of_step_functions_pipelines_and_searches() -> None:
    X, y = lives(80)
    model = CoxRegressor().fit(X, y)
    times = [1e-9, 0.3, 1.0, 99.0]
    expected = model.predict_survival(X, times)
    stepped: Any = Steps(model)
    np.testing.assert_array_equal(ask_survival(stepped, X, times), expected)
    pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), CoxRegressor()).fit(X, y)
    np.testing.assert_allclose(ask_survival(pipe, X, times), expected, atol=SAME)
    search = en.SearchCV(CoxRegressor(), {"penalizer": [0.1]}, cv=3, scoring="integrated_brier")
    search.fit(X, y)
    np.testing.assert_allclose(ask_survival(search, X, times), expected, atol=SAME)


def test_a_search_scores_survival_at_the_times_it_is_asked_about() -> None:
    X, y = lives(120)
    grid = {"penalizer": [0.01, 1.0]}
    search = en.SearchCV(CoxRegressor(), grid, scoring="survival_brier(at=0.4321)", cv=3)
    search.fit(X, y)
    pi = search.predictions_
    assert pi.kind == "survival"
    assert 0.4321 in pi.target.times
    assert search.estimate_.value < 0.25
    folds = [search.cv_results_[f"split{k}_test_score"][search.best_index_] for k in range(3)]
    kept = en.kernels.fold_scores(pi, "survival_brier(at=0.4321)")[:, 0, search.best_index_]
    np.testing.assert_allclose(np.negative(folds), kept, atol=1e-9)
    by_default = en.SearchCV(CoxRegressor(), grid, scoring="integrated_brier", cv=3).fit(X, y)
    folds = [by_default.cv_results_[f"split{k}_test_score"][0] for k in range(3)]
    kept = en.kernels.fold_scores(by_default.predictions_, "integrated_brier")[:, 0, 0]
    np.testing.assert_allclose(np.negative(folds), kept, atol=1e-9)  # one horizon for all folds


def test_a_learner_of_risks_alone_is_refused_where_survival_is_scored() -> None:
    X, y = lives(60)

    class Risks(BaseEstimator):
        """Predicts a risk and nothing else."""

        def fit(self, X: Any, y: Any) -> Risks:
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    search = en.SearchCV(Risks(), {}, scoring="integrated_brier", cv=3, error_score="raise")
    with pytest.raises(MetricError):
        search.fit(X, y)
    ranked = en.SearchCV(Risks(), {}, scoring="uno_c", cv=3).fit(X, y)
    assert ranked.predictions_.kind == "risk"
    assert ranked.estimate_.value > 0.6


def test_an_l1_penalty_removes_columns() -> None:
    X, y = lives()
    coef = CoxRegressor(penalizer=0.2, l1_ratio=1.0).fit(X, y).coef_
    assert abs(coef[0]) > 0.05
    assert np.abs(coef[1:]).max() < 0.01


def test_constant_columns_more_columns_than_cases_and_pairs_are_taken() -> None:
    X, y = lives(30)
    wide = np.column_stack([X, np.ones(30), np.random.default_rng(1).normal(size=(30, 40))])
    made = CoxRegressor(penalizer=0.5).fit(wide, (y["event"], y["time"]))
    assert made.coef_[3] == 0.0
    assert np.isfinite(made.predict(wide)).all()
    assert CoxRegressor().fit(np.ones((30, 1)), y).predict(np.ones((2, 1))).tolist() == [0.0, 0.0]


def test_a_search_takes_the_portfolio_of_survival() -> None:
    X, y = lives(90)
    X[::9, 1] = np.nan
    inputs = Inputs(("a", "b", "c"), (0, 0, 0), (False, True, False), 90)
    grid = load_portfolio("default").configurations("survival", inputs, n=3, rng=0)
    assert {one.family for one in grid} == {"cox", "boosted_cox"}
    search = en.SearchCV(None, grid, scoring="concordance", cv=3, random_state=0).fit(X, y)
    assert search.estimate_.value > 0.6
    assert search.failures_ == ()


def test_without_events_or_with_other_outcomes_it_refuses(golden: Golden) -> None:
    X, y = lives(20)
    y["event"] = False
    with golden.raises(InputError):
        CoxRegressor().fit(X, y)
    with golden.raises(InputError):
        CoxRegressor().fit(X, np.arange(20.0))
