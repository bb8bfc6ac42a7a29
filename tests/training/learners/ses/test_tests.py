"""The tests of independence, against their definitions by least squares and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, norm
from sklearn.linear_model import LogisticRegression

from earnest.training import LikelihoodRatio, PartialCorrelation, maximise_likelihoods

Array = NDArray[np.float64]


def plain_partial(X: Array, y: Array, column: int, given: tuple[int, ...]) -> float:
    """Correlate the residuals of two regressions, and test by Fisher's z."""
    Z = np.column_stack([np.ones(len(X)), X[:, list(given)]])
    left = X[:, column] - Z @ np.linalg.lstsq(Z, X[:, column], rcond=None)[0]
    rest = y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
    r = (left @ rest) / np.sqrt((left @ left) * (rest @ rest))
    z = np.arctanh(r) * np.sqrt(len(X) - len(given) - 3)
    return float(2.0 * norm.sf(abs(z)))


def plain_ratio(X: Array, y: Array, column: int, given: tuple[int, ...]) -> float:
    """Compare two logistic models without a penalty, of scikit-learn."""

    def likelihood(columns: list[int]) -> float:
        if not columns:
            shares = np.unique(y, return_counts=True)[1]
            return float((shares * np.log(shares / len(y))).sum())
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
        chance = model.fit(X[:, columns], y).predict_log_proba(X[:, columns])
        return float(chance[np.arange(len(y)), y].sum())

    gain = 2.0 * (likelihood([*given, column]) - likelihood(list(given)))
    return float(chi2.sf(gain, y.max()))


@pytest.fixture(name="table")
def made_table() -> Array:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 5)) * [1.0, 100.0, 0.01, 1.0, 3.0]
    X[:, 3] += X[:, 0]
    return X


SETS = [(), (0,), (3, 1), (4, 0, 1)]


@pytest.mark.parametrize("given", SETS)
def test_partial_correlations_are_correlations_of_residuals(
    table: Array, given: tuple[int, ...]
) -> None:
    y = table[:, 0] + np.random.default_rng(4).normal(size=80)
    columns = np.array([i for i in range(5) if i not in given])
    found = PartialCorrelation(table, y).log_p(columns, given)
    want = [plain_partial(table, y, c, given) for c in columns]
    assert np.exp(found) == pytest.approx(want, rel=1e-8)


# scikit-learn 1.8 alone warns of C=inf, which every version takes.
@pytest.mark.filterwarnings("ignore:Setting penalty=None will ignore")
@pytest.mark.parametrize("given", SETS)
@pytest.mark.parametrize("classes", [2, 3])
def test_likelihood_ratios_are_those_of_nested_logistic_models(
    table: Array, given: tuple[int, ...], classes: int
) -> None:
    rng = np.random.default_rng(5)
    noisy = table[:, 0] + rng.normal(size=80)
    y = np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))
    scaled = table / table.std(axis=0)
    columns = np.array([i for i in range(5) if i not in given])
    found = LikelihoodRatio(scaled, y).log_p(columns, given)
    want = [plain_ratio(scaled, y, c, given) for c in columns]
    # Both optimisers stop a little short of the maximum: about 1e-5 of a log likelihood.
    assert np.exp(found) == pytest.approx(want, rel=1e-3, abs=1e-9)


def test_batches_do_not_change_a_ratio(table: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    y = (table[:, 0] > 0).astype(np.intp)
    whole = LikelihoodRatio(table, y).log_p(np.arange(5), ())
    monkeypatch.setattr("earnest.training.learners.ses.ROOM", 1)
    assert LikelihoodRatio(table, y).log_p(np.arange(5), ()) == pytest.approx(whole, rel=1e-12)


def test_a_column_that_separates_the_classes_is_as_significant_as_can_be() -> None:
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y + 0.0, np.tile([0.0, 1.0], 20)])
    found = LikelihoodRatio(X, y).log_p(np.arange(2), ())
    # The supremum of the likelihood is 1: the statistic is -2 log of the null's.
    assert found[0] == pytest.approx(chi2.logsf(2 * 40 * np.log(2.0), 1), rel=1e-4)
    assert found[1] == pytest.approx(0.0, abs=1e-6)


def test_given_what_separates_nothing_is_left_to_tell() -> None:
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y + 0.0, np.random.default_rng(0).normal(size=40)])
    assert np.exp(LikelihoodRatio(X, y).log_p(np.array([1]), (0,)))[0] > 0.99


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_constant_columns_and_copies_tell_nothing(kind: str) -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(size=30)
    X = np.column_stack([one, np.full(30, 7.0), -2.0 * one + 5.0])
    y = one + rng.normal(size=30)
    test = PartialCorrelation(X, y)
    made = test if kind == "numbers" else LikelihoodRatio(X, (y > 0).astype(np.intp))
    assert np.exp(made.log_p(np.array([1]), ()))[0] == 1.0
    assert np.exp(made.log_p(np.array([2]), (0,)))[0] == pytest.approx(1.0, abs=1e-3)


def test_few_cases_leave_no_degrees_of_freedom() -> None:
    X = np.arange(8.0).reshape(4, 2)
    test = PartialCorrelation(X, np.arange(4.0))
    assert test.most_given == 0
    assert test.log_p(np.array([0]), (1,)).tolist() == [0.0]


def test_one_class_cannot_be_told_from_another() -> None:
    test = LikelihoodRatio(np.random.default_rng(0).normal(size=(9, 2)), np.zeros(9, dtype=np.intp))
    assert test.log_p(np.arange(2), ()).tolist() == [0.0, 0.0]


def test_newton_reaches_the_closed_form_of_a_rate() -> None:
    hits = np.repeat([[1.0], [0.0]], [30, 10], axis=0)
    coef, value = maximise_likelihoods(np.ones((1, 40, 1)), hits, np.zeros((1, 1, 1)))
    assert coef[0, 0, 0] == pytest.approx(np.log(3.0), abs=1e-6)
    assert value[0] == pytest.approx(30 * np.log(0.75) + 10 * np.log(0.25))
