"""Selections by strength: their definitions, and never without a column."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_selection import f_classif, f_regression
from sklearn.utils.estimator_checks import check_estimator

from earnest.training import Lasso, UnivariateSelection, score_by_cox

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 8))
Y = X[:, 2] - X[:, 5] + 0.5 * RNG.normal(size=100)


@pytest.mark.parametrize(("share", "count"), [(0.01, 1), (0.25, 2), (0.26, 3), (1.0, 8)])
def test_the_share_of_the_strongest_stays(share: float, count: int) -> None:
    kept = UnivariateSelection(share).fit(X, Y).support_
    assert kept.sum() == count
    order = np.argsort(-f_regression(X, Y)[0])
    assert set(np.flatnonzero(kept)) == set(order[:count])
    classes = (Y > 0).astype(int)
    best = int(f_classif(X, classes)[0].argmax())
    assert UnivariateSelection(0.01).fit(X, classes).support_[best]


def test_counts_are_numbers_where_that_is_said() -> None:
    counts = np.round(Y).astype(int)
    made = UnivariateSelection(0.5, outcome="numbers").fit(X, counts)
    assert made.strengths_ == pytest.approx(f_regression(X, counts)[0])


@pytest.mark.parametrize("outcome", [Y, (Y > 0).astype(int), np.digitize(Y, [-1, 1])])
def test_a_lasso_keeps_what_tells_something(outcome: np.ndarray) -> None:
    made = Lasso(0.4).fit(X, outcome)
    assert set(np.argsort(-made.strengths_)[:2]) == {2, 5}
    assert made.support_.sum() < 8


def test_a_strong_penalty_keeps_one_column() -> None:
    assert Lasso(0.999999).fit(X, Y).support_.sum() == 1
    assert Lasso(0.5).fit(np.ones((10, 3)), np.arange(10) % 2).support_.tolist() == [True, 0, 0]


@pytest.mark.parametrize("made", [UnivariateSelection(0.5), Lasso(0.5)])
def test_constant_columns_and_one_class_do_not_crash(made: object) -> None:
    assert made.fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1]).support_.any()  # type: ignore[attr-defined]
    assert made.fit(np.ones((6, 2)), np.full(6, 0.5)).support_.any()  # type: ignore[attr-defined]


def test_cox_scores_are_the_score_test_by_plain_loops() -> None:
    rng = np.random.default_rng(4)
    time, event = np.ceil(rng.exponential(5, size=40)), rng.random(40) < 0.7
    table = rng.normal(size=(40, 3))
    for column, found in zip(table.T, score_by_cox(table, time, event), strict=True):
        score = variance = 0.0
        for i in np.flatnonzero(event):
            at_risk = column[time >= time[i]]
            score += column[i] - at_risk.mean()
            variance += at_risk.var()
        assert found == pytest.approx(score**2 / variance)


def test_survival_is_selected_by_its_scores() -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(size=(200, 4))
    y = np.empty(200, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = True, rng.exponential(np.exp(-table[:, 1]))
    assert UnivariateSelection(0.25).fit(table, y).support_.tolist() == [False, True, False, False]


@pytest.mark.parametrize("made", [UnivariateSelection(), Lasso()])
def test_they_keep_the_contract_of_scikit_learn(made: object) -> None:
    found = check_estimator(made, on_fail=None, on_skip=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
