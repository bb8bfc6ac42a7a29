"""Cox's model: the partial likelihood, the direction of the risk, and a missing extra."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

import earnest as en
from earnest.errors import InputError
from earnest.learners import Inputs, load_portfolio
from earnest.training import CoxRegressor, MissingLifelinesError
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
    assert {one.family for one in grid} == {"cox"}
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


def test_without_lifelines_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("lifelines"):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    X, y = lives(20)
    with pytest.raises(MissingLifelinesError, match=r"pip install '\.\[survival\]'"):
        CoxRegressor().fit(X, y)
