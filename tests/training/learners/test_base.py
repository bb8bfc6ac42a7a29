"""Forests, machines and calibration: what they hand on, and what they choose themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import check_estimator

from earnest.training import CalibratedClassifier, KernelClassifier
from earnest.training.learners.base import ForestClassifier, ForestRegressor, count_tried_columns
from earnest.training.learners.svm import KernelRegressor, LinearClassifier, LinearRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 9))
NUMBERS = X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.normal(size=120)
CLASSES = np.where(NUMBERS > 1, "yes", "no")
THREE = np.digitize(NUMBERS, [0.3, 1.5])


@pytest.mark.parametrize(
    ("mtry", "count", "tried"), [(1.0, 9, 3), (0.5, 9, 2), (2.0, 9, 6), (2.0, 2, 2), (0.5, 1, 1)]
)
def test_a_forest_looks_at_a_multiple_of_the_root_of_its_columns(
    mtry: float, count: int, tried: int
) -> None:
    assert count_tried_columns(mtry, count) == tried


def test_forests_are_those_of_scikit_learn() -> None:
    ours = ForestClassifier(20, min_leaf=3, mtry=2.0, random_state=1).fit(X, CLASSES)
    theirs = RandomForestClassifier(20, min_samples_leaf=3, max_features=6, random_state=1)
    assert ours.predict_proba(X) == pytest.approx(theirs.fit(X, CLASSES).predict_proba(X))
    assert ours.classes_.tolist() == ["no", "yes"]
    number = ForestRegressor(20, min_leaf=3, mtry=2.0, random_state=1).fit(X, NUMBERS)
    plain = RandomForestRegressor(20, min_samples_leaf=3, max_features=6, random_state=1)
    assert number.predict(X) == pytest.approx(plain.fit(X, NUMBERS).predict(X))


def test_a_relative_gamma_is_in_units_of_the_columns() -> None:
    ours = KernelClassifier("rbf", gamma=1.0).fit(X, CLASSES)
    theirs = SVC(gamma="scale").fit(X, CLASSES)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X))
    own = KernelClassifier("poly", gamma=0.2, degree=2, relative=False, coef0=0.0).fit(X, CLASSES)
    plain = SVC(kernel="poly", gamma=0.2, degree=2, coef0=0.0).fit(X, CLASSES)
    assert own.decision_function(X) == pytest.approx(plain.decision_function(X))


def test_machines_of_numbers_do_not_depend_on_the_unit() -> None:
    for made in (KernelRegressor(), LinearRegressor()):
        small = made.fit(X, NUMBERS).predict(X)
        assert made.fit(X, 1000 * NUMBERS - 3).predict(X) == pytest.approx(1000 * small - 3)
    scaled = (NUMBERS - NUMBERS.mean()) / NUMBERS.std()
    want = SVR(gamma="scale").fit(X, scaled).predict(X) * NUMBERS.std() + NUMBERS.mean()
    assert KernelRegressor().fit(X, NUMBERS).predict(X) == pytest.approx(want)


def test_a_machine_that_stops_short_says_nothing() -> None:
    hard = KernelClassifier("poly", C=100.0, gamma=100.0, relative=False, coef0=0.0, max_steps=5)
    assert hard.fit(X, CLASSES).decision_function(X).shape == (120,)


def test_machines_have_decisions_and_forests_have_chances() -> None:
    assert not hasattr(KernelClassifier(), "predict_proba")
    assert not hasattr(ForestClassifier(), "decision_function")
    assert KernelClassifier().fit(X, THREE).decision_function(X).shape == (120, 3)


def test_calibration_keeps_the_order_and_gives_chances_that_mean_something() -> None:
    rng = np.random.default_rng(1)
    many = rng.normal(size=(600, 4))
    y = (many[:, 0] + rng.logistic(size=600) > 0).astype(int)
    made = CalibratedClassifier(KernelClassifier("rbf"), random_state=0).fit(many[:400], y[:400])
    chance = made.predict_proba(many[400:])[:, 1]
    order = made.decision_function(many[400:])
    assert roc_auc_score(y[400:], chance) == roc_auc_score(y[400:], order)
    # Better than what is told without looking at a case: the share of a class.
    assert brier_score_loss(y[400:], chance) < y[:400].mean() * (1 - y[:400].mean())


def test_calibration_takes_several_classes_and_classes_with_few_cases() -> None:
    made = CalibratedClassifier(LinearClassifier(), random_state=0).fit(X, THREE)
    assert made.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    few = np.append(np.zeros(118, dtype=int), [1, 1])
    assert CalibratedClassifier(RidgeClassifier(), random_state=0).fit(X, few).predict_proba(
        X
    ).shape == (
        120,
        2,
    )


def test_the_class_of_a_calibrated_machine_is_that_of_its_largest_probability() -> None:
    rare = (X[:, 0] > np.quantile(X[:, 0], 0.85)).astype(int)  # where a machine's border is another
    for y in (rare, THREE):
        made = CalibratedClassifier(LinearClassifier(), random_state=0).fit(X, y)
        assert (made.predict(X) == made.classes_[made.predict_proba(X).argmax(axis=1)]).all()


def test_calibration_with_one_seed_is_always_the_same() -> None:
    first, again = (
        CalibratedClassifier(LinearClassifier(), random_state=3).fit(X, CLASSES).predict_proba(X)
        for _ in range(2)
    )
    assert (first == again).all()


@pytest.mark.parametrize(
    "made",
    [
        ForestClassifier(2, random_state=0),
        ForestRegressor(2, random_state=0),
        KernelClassifier(),
        KernelRegressor(),
        LinearClassifier(),
        LinearRegressor(),
    ],
)
def test_they_keep_the_contract_of_scikit_learn(made: Any) -> None:
    found = check_estimator(made, on_fail=None, on_skip=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
