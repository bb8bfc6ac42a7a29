"""Probabilities from decision values: Platt's curve, against a plain minimiser, and its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import earnest as en
from earnest.training.tune.meaning import probabilities, sigmoid
from tests.training.tune_tables import of


def drawn(n: int, seed: int):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    return 50.0 + 20.0 * (rng.normal(size=n) + positive), positive


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_curve_has_the_greatest_likelihood_of_targets_drawn_in(seed):
    values, positive = drawn(200, seed)
    many, few = positive.sum(), (~positive).sum()
    target = np.where(positive, (many + 1) / (many + 2), 1 / (few + 2))
    z = (values - 50.0) / 20.0  # the minimiser needs numbers near one

    def loss(at):
        score = at[0] * z + at[1]
        return (np.logaddexp(0.0, score) - target * score).sum()

    best = minimize(loss, [1.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
    slope, offset = sigmoid(values, positive)
    # The minimiser stops at a gradient of 1e-9 and loses half of the digits.
    assert slope == pytest.approx(best[0] / 20.0, rel=1e-5)
    assert offset == pytest.approx(best[1] - best[0] * 50.0 / 20.0, rel=1e-5)


def test_on_average_probabilities_are_the_share_of_the_class():
    values, positive = drawn(2000, 5)
    made = probabilities(values, sigmoid(values, positive))
    np.testing.assert_allclose(made.sum(axis=1), 1.0)
    # Drawn-in targets move the mean by less than one case in a class.
    assert made[:, 1].mean() == pytest.approx(positive.mean(), abs=2 / 2000)


def test_classes_that_are_separated_give_a_finite_curve():
    values = np.array([-2.0, -1.5, -1.0, 1.0, 1.5, 2.0])
    made = probabilities(values, sigmoid(values, values > 0))
    assert np.isfinite(made).all()
    assert made[0, 1] < 0.25 < 0.75 < made[-1, 1]


@pytest.mark.parametrize("values", [np.zeros(8), np.array([3.0, 3, 2, 2, 1, 1, 0, 0])])
def test_values_that_tell_nothing_or_the_contrary_give_the_share_of_the_class(values):
    positive = np.array([0, 0, 0, 0, 0, 0, 1, 1]) == 1
    slope, offset = sigmoid(values, positive)
    assert slope == 0.0
    assert probabilities(values, (slope, offset))[:, 1] == pytest.approx(3 / 10)


def test_a_machine_that_wins_gives_probabilities_in_the_order_of_its_decisions(tmp_path):
    path = tmp_path / "svm.toml"
    path.write_text('format = 1\n[[model]]\nmodel = "linear_svm"\nC = [1.0, 0.1]\n')
    asked = {"target": "relapse", "portfolio": str(path), "folds": 3, "rng": 7, "n_jobs": 1}
    found = en.tune(of("relapse"), out=tmp_path / "run", **asked)
    forecast = en.load_model(tmp_path / "run").predict(of("relapse"))
    assert forecast.columns == ("p_no", "p_yes")
    X = found.model.schema.read(_columns(of("relapse"))).X
    value = found.model.estimator.decision_function(X)
    np.testing.assert_array_equal(np.argsort(value), np.argsort(forecast.scores[:, 1]))
    label = en.tune(of("relapse"), metric="accuracy", **asked)
    assert label.model.meaning is None
    assert label.model.predict(of("relapse")).columns == ("score_yes",)


def _columns(table):
    from earnest.core.tables.columns import Columns

    return Columns.of(table)
