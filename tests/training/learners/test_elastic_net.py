"""Elastic nets: the optimum, the path of penalties, and the contract of an estimator."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.utils.estimator_checks import check_estimator

from earnest.errors import InputError
from earnest.training.learners.elastic_net import (
    ElasticNetClassifier,
    ElasticNetRegressor,
    PathClassifier,
    fit_logistic_net,
    fit_multinomial_net,
    make_penalty_path,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 6))
Y = (X[:, 0] - X[:, 1] + RNG.logistic(size=120) > 0).astype(int)


def slopes(coef: NDArray[np.float64], intercept: float, y: NDArray[np.float64]) -> NDArray:
    chance = 1.0 / (1.0 + np.exp(-(X @ coef + intercept)))
    return np.append(X.T @ (y - chance) / len(X), (y - chance).mean())


@pytest.mark.parametrize("l1_ratio", [0.001, 0.5, 1.0])
@pytest.mark.parametrize("penalty", [0.001, 0.02, 0.1])
def test_the_optimum_has_the_slopes_that_the_penalty_allows(
    l1_ratio: float, penalty: float
) -> None:
    coef, intercept = fit_logistic_net(X, Y.astype(float), penalty, l1_ratio)
    found = slopes(coef, intercept, Y.astype(float))
    pull = found[:-1] - penalty * (1.0 - l1_ratio) * coef
    kept = coef != 0.0
    # The subgradient: exactly the L1 penalty in the coefficient's direction, or less at 0. An
    # objective within 1e-9 of its least value, as the optimiser ends, has slopes within 1e-4.
    assert pull[kept] == pytest.approx(penalty * l1_ratio * np.sign(coef[kept]), abs=1e-4)
    assert (np.abs(pull[~kept]) <= penalty * l1_ratio + 1e-4).all()
    assert found[-1] == pytest.approx(0.0, abs=1e-4)


def test_ridge_is_that_of_scikit_learn() -> None:
    ours = ElasticNetClassifier(C=0.5, l1_ratio=0.0).fit(X, Y)
    theirs = LogisticRegression(C=0.5, max_iter=1000).fit(X, Y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-4)


def test_the_largest_penalty_of_a_path_leaves_no_coefficient_and_the_next_some() -> None:
    for alpha in (0.5, 1.0):
        path = make_penalty_path(X, Y.astype(float), alpha, 10)
        assert path[-1] == pytest.approx(1e-4 * path[0])
        assert np.diff(np.log(path)) == pytest.approx(np.log(1e-4) / 9)
        assert not fit_logistic_net(X, Y.astype(float), path[0], alpha)[0].any()
        assert fit_logistic_net(X, Y.astype(float), path[0] * 0.98, alpha)[0].any()


def test_a_wide_table_has_a_shorter_path_and_a_small_share_starts_as_at_the_floor() -> None:
    few = X[:5]
    y = np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    path = make_penalty_path(few, y, 1.0, 4)
    assert path[-1] == pytest.approx(1e-2 * path[0])
    assert make_penalty_path(few, y, 1e-6, 4) == pytest.approx(make_penalty_path(few, y, 0.001, 4))


def test_a_place_on_the_path_is_the_net_at_that_penalty() -> None:
    made = PathClassifier(alpha=0.5, step=4, steps=10).fit(X, Y)
    want = fit_logistic_net(
        X, Y.astype(float), make_penalty_path(X, Y.astype(float), 0.5, 10)[3], 0.5
    )
    assert made.coef_[0] == pytest.approx(want[0])
    with pytest.raises(InputError, match="step"):
        PathClassifier(step=11).fit(X, Y)


def test_several_classes_have_one_model() -> None:
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    made = ElasticNetClassifier(C=10.0).fit(X, three)
    assert made.decision_function(X).shape == (120, 3)
    assert made.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert (made.predict(X) == three).mean() > 0.6


@pytest.mark.parametrize("l1_ratio", [0.0, 0.001, 0.5, 1.0])
@pytest.mark.parametrize("penalty", [0.003, 0.03])
def test_the_optimum_of_several_classes_has_the_slopes_that_the_penalty_allows(
    l1_ratio: float, penalty: float
) -> None:
    outcome = np.eye(3)[np.digitize(X[:, 0] + 0.5 * RNG.normal(size=120), [-0.5, 0.5])]
    coef, intercept = fit_multinomial_net(X, outcome, penalty, l1_ratio)
    score = X @ coef.T + intercept
    chance = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    pull = (outcome - chance).T @ X / 120 - penalty * (1.0 - l1_ratio) * coef
    kept = coef != 0.0
    # An objective within 1e-6 of its least value, as the optimiser ends, has slopes within 2e-3.
    assert pull[kept] == pytest.approx(penalty * l1_ratio * np.sign(coef[kept]), abs=2e-3)
    assert (np.abs(pull[~kept]) <= penalty * l1_ratio + 2e-3).all()
    assert (outcome - chance).mean(axis=0) == pytest.approx(0.0, abs=2e-3)


def test_several_classes_are_fitted_together_on_digits() -> None:
    """A model for each class against the rest has log losses of .148 and .141 here."""
    from sklearn.datasets import load_digits
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split

    digits, y = load_digits(return_X_y=True)
    parts = train_test_split(digits, y, stratify=y, random_state=0, test_size=0.4)
    train, test, y_train, y_test = parts
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread[spread == 0.0] = 1.0
    train, test = (train - mean) / spread, (test - mean) / spread
    for l1_ratio in (0.0, 0.5):  # .101 and .097 were seen
        made = ElasticNetClassifier(C=1.0, l1_ratio=l1_ratio).fit(train, y_train)
        assert log_loss(y_test, made.predict_proba(test)) < 0.12


def test_the_path_of_several_classes_begins_where_no_coefficient_is_left() -> None:
    outcome = np.eye(3)[np.digitize(X[:, 0], [-0.5, 0.5])]
    largest = make_penalty_path(X, outcome, 1.0, 10)[0]
    assert not fit_multinomial_net(X, outcome, largest, 1.0)[0].any()
    assert fit_multinomial_net(X, outcome, 0.95 * largest, 1.0)[0].any()


def test_separated_classes_are_fitted() -> None:
    made = ElasticNetClassifier(C=1e6, l1_ratio=1.0).fit(X, (X[:, 0] > 0).astype(int))
    assert np.isfinite(made.coef_).all()
    assert made.score(X, X[:, 0] > 0) > 0.95


def test_numbers_are_fitted_in_any_unit() -> None:
    y = X[:, 0] + 0.1 * RNG.normal(size=120)
    scaled = (y - y.mean()) / y.std()
    net = ElasticNet(alpha=1 / (2.0 * 120), l1_ratio=0.5).fit(X, scaled)
    ours = ElasticNetRegressor(C=2.0).fit(X, 1000 * y + 5)
    want = (net.predict(X) * y.std() + y.mean()) * 1000 + 5
    assert ours.predict(X) == pytest.approx(want)
    ridge = Ridge(alpha=0.5).fit(X, scaled)
    made = ElasticNetRegressor(C=2.0, l1_ratio=0.0).fit(X, y)
    assert made.predict(X) == pytest.approx(ridge.predict(X) * y.std() + y.mean())
    assert ElasticNetRegressor().fit(X, np.full(120, 3.0)).predict(X) == pytest.approx(3.0)


@pytest.mark.parametrize(
    "made",
    [
        ElasticNetClassifier(),
        ElasticNetRegressor(C=100.0),
        pytest.param(PathClassifier(), marks=pytest.mark.slow),  # the first, but for its penalty
    ],
)
def test_they_keep_the_contract_of_scikit_learn(made: object) -> None:
    found = check_estimator(made, on_fail=None, on_skip=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
