"""How often tests of learners find a difference between learners that are equally good.

Two learners are the same rule on two sets of columns that have the same law, so that their mean
performance over training sets is the same, whatever the rule. The rates that papers report:
Dietterich 1998 (5x2 at or below the level, random splits far above it), Alpaydin 1999 (F at or
below it), Nadeau and Bengio 2003 (the corrected test at or below it). For rules that hang much on
their training cases the 5x2 tests are too eager here, which a test records.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit

import earnest as en

pytestmark = pytest.mark.slow
LEVEL = 0.05
RUNS = 400
NOISE = 7  # columns without a signal beside the one with it
Floats = NDArray[np.float64]


class Half(ClassifierMixin, BaseEstimator):
    """A rule on one half of the columns.

    'mean' looks at one column and takes the nearer mean, which hardly hangs on the training cases.
    'linear' fits all columns by least squares, most of them noise. 'neighbour' looks at one
    column and takes the nearest training case.
    """

    def __init__(self, which: int = 0, rule: str = "mean") -> None:
        self.which = which
        self.rule = rule

    def fit(self, X: Floats, y: NDArray[np.int64]) -> Half:
        x = self._columns(X)
        self.classes_ = np.array([0, 1])
        if self.rule == "linear":
            self.weights_ = np.linalg.lstsq(self._padded(x), y - 0.5, rcond=None)[0]
        elif self.rule == "mean":
            self.ends_ = x[y == 0, 0].mean(), x[y == 1, 0].mean()
        else:
            self.cases_ = x[:, 0], y
        return self

    def decision_function(self, X: Floats) -> Floats:
        x = self._columns(X)
        if self.rule == "linear":
            return self._padded(x) @ self.weights_
        if self.rule == "mean":
            return np.abs(x[:, 0] - self.ends_[0]) - np.abs(x[:, 0] - self.ends_[1])
        nearest = np.abs(x[:, :1] - self.cases_[0]).argmin(axis=1)
        return self.cases_[1][nearest] - 0.5

    def predict(self, X: Floats) -> NDArray[np.int64]:
        return (self.decision_function(X) > 0).astype(np.int64)

    def _columns(self, X: Floats) -> Floats:
        half = X.shape[1] // 2
        return X[:, half * self.which : half * (self.which + 1)]

    @staticmethod
    def _padded(x: Floats) -> Floats:
        return np.column_stack([np.ones(len(x)), x])


def data(seed: int, n: int = 100) -> tuple[Floats, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    X = rng.standard_normal((n, 2 * (1 + NOISE)))
    X[:, [0, 1 + NOISE]] += 0.7 * y[:, None]
    return X, y


def rate(test: str, rule: str, *, runs: int = RUNS, **ask: object) -> float:
    """Return how often p is at most the level."""
    pair = ("first", Half(0, rule)), ("second", Half(1, rule))
    found = 0
    for seed in range(runs):
        made = en.compare_learners(*pair, *data(seed), test=test, rng=seed, **ask)
        assert made.p_value is not None
        found += made.p_value <= LEVEL
    return found / runs


def at_most(runs: int = RUNS) -> float:
    """Return the level and four standard errors of a rate."""
    return LEVEL + 4 * float(np.sqrt(LEVEL * (1 - LEVEL) / runs))


@pytest.mark.parametrize("rule", ["mean", "linear", "neighbour"])
def test_the_corrected_test_holds_its_size(rule: str) -> None:
    assert rate("corrected_t", rule, metric="accuracy") <= at_most()


@pytest.mark.parametrize("test", ["five_by_two", "five_by_two_f"])
def test_the_5x2_tests_hold_their_size_for_a_stable_rule(test: str) -> None:
    assert rate(test, "mean", metric="accuracy") <= at_most()


@pytest.mark.parametrize("rule", ["mean", "linear", "neighbour"])
def test_the_corrected_test_holds_its_size_on_many_random_splits(rule: str) -> None:
    splits = StratifiedShuffleSplit(30, test_size=1 / 3, random_state=0)
    assert rate("corrected_t", rule, runs=200, metric="accuracy", cv=splits) <= at_most(200)


def test_the_test_of_random_splits_finds_differences_that_are_none() -> None:
    found = rate("resampled_t", "mean", runs=200, metric="accuracy", cv=3, n_repeats=30)
    assert found >= 0.2  # the level is .05


@pytest.mark.parametrize("rule", ["linear", "neighbour"])
def test_halves_that_judge_each_other_break_the_5x2_tests(rule: str) -> None:
    # Each half of a repeat judges the model of the other. How well two halves agree shows in both
    # scores, which are then alike, and their spread is too small.
    assert rate("five_by_two_f", rule, metric="accuracy") > at_most()


@pytest.mark.parametrize("rule", ["mean", "linear"])
@pytest.mark.parametrize(("test", "metric"), [("loob", "accuracy"), ("lpob", "roc_auc")])
def test_the_tests_of_bootstrap_samples_hold_their_size(test: str, metric: str, rule: str) -> None:
    assert rate(test, rule, runs=100, metric=metric, n_replicates=200) <= at_most(100)
