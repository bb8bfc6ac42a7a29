"""Probabilities from decision values: they keep the order, and Platt's curve is the best one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest.inference import calibration
from earnest.training import (
    KNEE,
    MODELS,
    CalibratedClassifier,
    compute_probabilities,
    fit_curve,
)
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
    slope, offset, middle, spread = fit_curve(values, positive)
    z = np.clip((values - middle) / spread, -KNEE, KNEE)

    def loss(at):
        score = at[0] * z + at[1]
        return (np.logaddexp(0.0, score) - target * score).sum()

    best = minimize(loss, [1.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
    # The minimiser stops at a gradient of 1e-9 and loses half of the digits.
    assert slope == pytest.approx(best[0], rel=1e-5)
    assert offset == pytest.approx(best[1], rel=1e-5)
    assert middle == pytest.approx(np.median(values))


def test_on_average_probabilities_are_the_share_of_the_class():
    values, positive = drawn(2000, 5)
    made = compute_probabilities(values, fit_curve(values, positive))
    np.testing.assert_allclose(made.sum(axis=1), 1.0)
    # Drawn-in targets move the mean by less than one case in a class.
    assert made[:, 1].mean() == pytest.approx(positive.mean(), abs=2 / 2000)


def test_classes_that_are_separated_give_a_finite_curve():
    values = np.array([-2.0, -1.5, -1.0, 1.0, 1.5, 2.0])
    made = compute_probabilities(values, fit_curve(values, values > 0))
    assert np.isfinite(made).all()
    assert made[0, 1] < 0.25 < 0.75 < made[-1, 1]


@pytest.mark.parametrize("values", [np.zeros(8), np.array([3.0, 3, 2, 2, 1, 1, 0, 0])])
def test_values_that_tell_nothing_or_the_contrary_have_no_rising_curve(values):
    curve = fit_curve(values, np.array([0, 0, 0, 0, 0, 0, 1, 1]) == 1)
    assert curve is None or curve.slope < 0.0


@pytest.mark.parametrize("seed", range(5))
def test_a_few_outlying_values_leave_the_slope_and_every_auc(seed):
    """Five of 200 cases of the wrong class lie at a million; with mean and SD the slope is 0."""
    rng = np.random.default_rng(seed)
    positive = rng.random(200) < 0.4
    values = rng.normal(size=200) + positive
    clean = fit_curve(values, positive)
    values[np.flatnonzero(~positive)[:5]] = 1e6 * (1 + np.arange(5))
    found = fit_curve(values, positive)
    assert found is not None
    # Five cases at three spreads against 195: the slope falls by less than half.
    assert found.slope > clean.slope / 2
    made = compute_probabilities(values, found)[:, 1]
    assert roc_auc_score(positive, made) == roc_auc_score(positive, values)
    assert np.ptp(made[np.abs(values) < 1e3]) > 0.3


numbers = st.one_of(
    st.integers(-300, 300).map(lambda k: k / 100),
    st.sampled_from([-4e6, -1e6, 1e6, 3e6, 1e9]),
    st.sampled_from([0.0, 1.0]),
)


class Given:
    """A classifier whose decision values are its first columns, or one of them."""

    def __init__(self, columns=1):
        self.columns = columns

    def get_params(self, deep=True):
        return {"columns": self.columns}

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0] if self.columns == 1 else X[:, : self.columns]


@settings(max_examples=40)  # each is several fits
@given(st.lists(st.tuples(numbers, st.booleans()), min_size=8, max_size=60))
def test_calibrated_probabilities_keep_the_order_whatever_the_held_out_cases_show(cases):
    values = np.array([value for value, _ in cases])
    y = np.array([0, 0, 0, 1, 1, 1, *(int(label) for _, label in cases[6:])])
    made = CalibratedClassifier(Given(), random_state=0).fit(values[:, None], y)
    different = np.unique(values)
    assert (np.diff(made.predict_proba(different[:, None])[:, 1]) > 0.0).all()


@settings(max_examples=40)  # each is several fits
@given(st.lists(st.tuples(numbers, numbers, numbers, st.integers(0, 2)), min_size=10, max_size=40))
def test_a_temperature_keeps_the_likeliest_class(cases):
    values = np.array([case[:3] for case in cases])
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, *(case[3] for case in cases[9:])])
    made = CalibratedClassifier(Given(3), random_state=0).fit(values, y)
    chance = made.predict_proba(values)
    assert chance.sum(axis=1) == pytest.approx(1.0)
    np.testing.assert_array_equal(values.argmax(axis=1), made.predict(values))


def test_calibration_of_ten_classes_costs_no_accuracy_and_little_log_loss():
    """Digits; a table of weights on a third of the rows lost .05 of accuracy here."""
    from sklearn.datasets import load_digits
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split
    from sklearn.svm import SVC, LinearSVC

    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=1, test_size=0.4)
    scale = StandardScaler().fit(train)
    train, test = scale.transform(train), scale.transform(test)
    for plain, most in ((SVC(C=10.0), 0.16), (LinearSVC(C=0.1), 0.16)):
        made = CalibratedClassifier(plain, random_state=0).fit(train, y_train)
        values = plain.fit(train, y_train).decision_function(test)
        assert made.score(test, y_test) == (values.argmax(axis=1) == y_test).mean()
        # Of 719 cases; .134 and .126 were seen, with .188 and .145 before.
        assert log_loss(y_test, made.predict_proba(test)) < most


def with_outliers(n=80):
    """A table in which few rows of one column lie far out, against what the others tell."""
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], n // 2)
    x = rng.normal(size=(n, 3)) + 0.8 * y[:, None]
    x[np.flatnonzero(y == 0)[:2], 0] = 1e6
    return pa.table({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})


KNOBS = {
    "rbf_svm": "C = 1.0\ngamma = 1.0\n",
    "polynomial_svm": "C = 1.0\ngamma = 1.0\ndegree = 2\n",
    "random_forest": "trees = 5\n",
}


NATIVE = sorted(  # what others need is tested with their packages
    name for name in MODELS if "binary" in MODELS[name].tasks and not MODELS[name].package
)


@pytest.mark.parametrize("model", NATIVE)
@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_a_delivered_model_of_any_learner_keeps_the_order_of_its_decision_values(
    model, metric, tmp_path
):
    path = tmp_path / "one.toml"
    path.write_text(f'format = 1\n[[model]]\nmodel = "{model}"\n' + KNOBS.get(model, ""))
    table = with_outliers()
    asked = {"target": "y", "portfolio": str(path), "folds": 3, "rng": 7, "n_jobs": 1}
    found = en.tune(table, metric=metric, n_configs=1, **asked)
    forecast = found.model.predict(table)
    model = found.model.estimator
    chance = forecast.scores[:, 1]
    assert len(np.unique(chance)) > 1
    if hasattr(model, "decision_function"):
        value = model.decision_function(found.model.schema.read(_columns(table)).X)
        order = np.argsort(value, kind="stable")
        # Equal decision values of equal rows aside, rounding may tie but never turns two around.
        assert (np.diff(chance[order]) >= 0.0).all()
        assert roc_auc_score(table["y"], chance) == pytest.approx(
            roc_auc_score(table["y"], value), abs=1e-9
        )


def test_a_winner_without_a_rising_curve_says_so(tmp_path):
    """Noise of seed 3, on which decision values of held-out cases point the wrong way."""
    path = tmp_path / "svm.toml"
    path.write_text('format = 1\n[[model]]\nmodel = "linear_svm"\nC = [1.0]\n')
    rng = np.random.default_rng(3)
    noise = {"a": rng.normal(size=30), "b": rng.normal(size=30), "y": np.tile([0, 1], 15)}
    asked = {"target": "y", "portfolio": str(path), "folds": 5, "rng": 7, "n_jobs": 1}
    found = en.tune(pa.table(noise), **asked)
    assert "no_probabilities" in {caution.kind for caution in found.estimate.cautions}
    chance = found.model.predict(pa.table(noise)).scores[:, 1]
    assert np.abs(chance - 0.5).max() < 0.01


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
    assert label.model.predict(of("relapse")).columns == ("p_no", "p_yes")


def test_the_probabilities_judged_are_those_of_the_delivered_pipeline_in_each_fold(tmp_path):
    """A clone of the delivered pipeline, its curve included, is fitted in each fold."""
    path = tmp_path / "svm.toml"
    path.write_text('format = 1\n[[model]]\nmodel = "linear_svm"\nC = [1.0, 0.1]\n')
    table = of("relapse")
    found = en.tune(table, target="relapse", portfolio=str(path), folds=3, rng=7, n_jobs=1)
    pi, pipeline = found.predictions, found.model.estimator
    X, y, folds = found.model.schema.read(_columns(table)).X, pi.target.y, pi.folds[:, 0]
    chances = np.empty(len(y))
    for fold in np.unique(folds):
        inside, outside = folds != fold, folds == fold
        chances[outside] = clone(pipeline).fit(X[inside], y[inside]).predict_proba(X[outside])[:, 1]
    plain = en.Predictions.from_arrays(y, chances, folds, response="probability")
    judged, (expected,) = found.calibration.classes[0], calibration(plain, 0).classes
    assert judged.test.statistic == pytest.approx(expected.test.statistic, rel=1e-6)
    assert judged.slope.value == pytest.approx(expected.slope.value, rel=1e-6)
    assert found.model.predict(table).columns == ("p_no", "p_yes")


def _columns(table):
    from earnest.core import Columns

    return Columns.of(table)
