"""How often tests of learners find a difference between learners that are equally good.

Two learners are the same rule on two sets of columns that have the same law, so that their mean
performance over training sets is the same, whatever the rule. The rates that papers report:
Dietterich 1998 (5x2 at or below the level, random splits far above it), Alpaydin 1999 (F at or
below it), Nadeau and Bengio 2003 (the corrected test at or below it). For rules that hang much on
their training cases the 5x2 tests are too eager here, which a test records.

The rules have closed forms, so that all splits of a run are fitted at once: the splits, the samples
and the tests are the product's own, and a test holds both ways to the same answers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit

import earnest as en
from earnest.comparison import TESTS, ReplicateQuestion
from earnest.core import Seeds
from earnest.metrics import metric as resolve_metric
from earnest.resampling import batches
from earnest.training import Splits, make_learner_splits, measure_overlap

pytestmark = pytest.mark.slow
LEVEL = 0.05
RUNS = 400
NOISE = 7  # columns without a signal beside the one with it
RANDOM = StratifiedShuffleSplit(30, test_size=1 / 3, random_state=0)
Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def decisions(rule: str, x: Floats, y: Labels, weights: Floats) -> Floats:
    """Return what the rule says of all cases (B, n) when trained with each row of weights (B, n).

    'mean' looks at one column and takes the nearer mean, which hardly hangs on the training cases.
    'linear' fits all columns by least squares, most of them noise. 'neighbour' looks at one
    column and takes the nearest training case.
    """
    if rule == "mean":
        low, high = ((weights * (y == k)) @ x[:, 0] / (weights @ (y == k)) for k in (0, 1))
        return (high - low)[:, None] * (2.0 * x[:, 0] - (low + high)[:, None])
    if rule == "neighbour":
        apart = np.abs(x[:, :1] - x[:, 0])  # (n, n): each case from each training case
        nearest = np.where(weights[:, None, :] > 0, apart, np.inf).argmin(axis=2)
        return y[nearest] - 0.5
    padded = np.column_stack([np.ones(len(x)), x])
    pairs = (padded[:, :, None] * padded[:, None, :]).reshape(len(x), -1)
    gram = (weights @ pairs).reshape(len(weights), padded.shape[1], -1)
    moment = weights @ (padded * (y - 0.5)[:, None])
    return np.linalg.solve(gram, moment[:, :, None])[:, :, 0] @ padded.T


class Half(ClassifierMixin, BaseEstimator):
    """A rule on one half of the columns, as a learner that can be trained."""

    def __init__(self, which: int = 0, rule: str = "mean") -> None:
        self.which = which
        self.rule = rule

    def fit(self, X: Floats, y: Labels) -> Half:
        self.classes_ = np.array([0, 1])
        self.cases_ = half(X, self.which), y
        return self

    def decision_function(self, X: Floats) -> Floats:
        x, y = self.cases_
        new = half(X, self.which)
        every, labels = np.vstack([x, new]), np.append(y, np.zeros(len(new), dtype=np.int64))
        weights = np.repeat([1.0, 0.0], [len(x), len(new)])[None]
        return decisions(self.rule, every, labels, weights)[0, len(x) :]

    def predict(self, X: Floats) -> Labels:
        return (self.decision_function(X) > 0).astype(np.int64)


def half(X: Floats, which: int) -> Floats:
    size = X.shape[1] // 2
    return X[:, size * which : size * (which + 1)]


def data(seed: int, n: int = 100) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    X = rng.standard_normal((n, 2 * (1 + NOISE)))
    X[:, [0, 1 + NOISE]] += 0.7 * y[:, None]
    return X, y


def splits_of(test: str, X: Floats, y: Labels, seed: int, cv: Any, n_repeats: Any) -> Splits:
    return make_learner_splits(
        TESTS[test].spec,
        X,
        y,
        cv=cv,
        n_repeats=n_repeats,
        groups=None,
        classifier=True,
        seeds=Seeds(seed),
    )


def predicted(rule: str, X: Floats, y: Labels, splits: Splits) -> en.Predictions:
    """Return the labels of both learners in every split, all splits fitted at once."""
    weights = np.zeros((len(splits), len(y)))
    for b, rows in enumerate(splits.train):
        weights[b, rows] = 1.0
    said = [decisions(rule, half(X, which), y, weights) > 0 for which in (0, 1)]  # (B, n) each
    labels = np.full((len(y), 2, splits.n_repeats), np.nan)
    for b, (rows, repeat) in enumerate(zip(splits.test, splits.repeat, strict=True)):
        for which in (0, 1):
            labels[rows, which, repeat] = said[which][b, rows]
    names = ("first", "second")
    return en.Predictions.from_arrays(y, labels, splits.fold_codes, response="label", configs=names)


@cache
def evidence(
    design: str, rule: str, runs: int, cv: Any = None, n_repeats: int | None = None
) -> list[tuple[en.Predictions, float | None]]:
    """Return the predictions of every run, and the ratio of its test to its training cases."""
    made = []
    for seed in range(runs):
        X, y = data(seed)
        splits = splits_of(design, X, y, seed, cv, n_repeats)
        made.append((predicted(rule, X, y, splits), measure_overlap(splits)))
    return made


def rate(test: str, rule: str, *, design: str, runs: int = RUNS, **splits: Any) -> float:
    """Return how often p is at most the level."""
    found = 0
    for pi, ratio in evidence(design, rule, runs, **splits):
        knobs = {"ratio": ratio} if test == "corrected_t" and ratio is not None else {}
        made = en.compare(pi, "first", "second", test=TESTS[test](**knobs), metric="accuracy")
        assert made.p_value is not None
        found += made.p_value <= LEVEL
    return found / runs


def at_most(runs: int = RUNS) -> float:
    """Return the level and four standard errors of a rate."""
    return LEVEL + 4 * float(np.sqrt(LEVEL * (1 - LEVEL) / runs))


@pytest.mark.parametrize("rule", ["mean", "linear", "neighbour"])
def test_all_splits_at_once_are_what_training_one_by_one_gives(rule: str) -> None:
    X, y = data(1)
    pair = ("first", Half(0, rule)), ("second", Half(1, rule))
    for test, splits in (("corrected_t", {}), ("five_by_two", {}), ("corrected_t", {"cv": RANDOM})):
        trained = en.compare_learners(*pair, X, y, test=test, metric="accuracy", rng=1, **splits)
        made = splits_of(test, X, y, 1, splits.get("cv"), None)
        knobs = {"ratio": measure_overlap(made)} if splits else {}
        pi = predicted(rule, X, y, made)
        told = en.compare(pi, "first", "second", test=TESTS[test](**knobs), metric="accuracy")
        assert told.p_value == pytest.approx(trained.p_value, rel=1e-9)
        assert told.difference == pytest.approx(trained.difference, abs=1e-12)


@pytest.mark.parametrize("rule", ["mean", "linear", "neighbour"])
def test_the_corrected_test_holds_its_size(rule: str) -> None:
    assert rate("corrected_t", rule, design="corrected_t") <= at_most()


@pytest.mark.parametrize("test", ["five_by_two", "five_by_two_f"])
def test_the_5x2_tests_hold_their_size_for_a_stable_rule(test: str) -> None:
    assert rate(test, "mean", design="five_by_two") <= at_most()


@pytest.mark.parametrize("rule", ["mean", "linear", "neighbour"])
def test_the_corrected_test_holds_its_size_on_many_random_splits(rule: str) -> None:
    assert rate("corrected_t", rule, design="corrected_t", runs=200, cv=RANDOM) <= at_most(200)


def test_the_test_of_random_splits_finds_differences_that_are_none() -> None:
    found = rate("resampled_t", "mean", design="resampled_t", runs=200, cv=3, n_repeats=30)
    assert found >= 0.2  # the level is .05


@pytest.mark.parametrize("rule", ["linear", "neighbour"])
def test_halves_that_judge_each_other_break_the_5x2_tests(rule: str) -> None:
    # Each half of a repeat judges the model of the other. How well two halves agree shows in both
    # scores, which are then alike, and their spread is too small.
    assert rate("five_by_two_f", rule, design="five_by_two") > at_most()


def replicates(rule: str, seed: int, count: int, drawn: str) -> tuple[en.Replicates, ...]:
    """Return what both learners say when trained on the same bootstrap samples."""
    X, y = data(seed)
    target = en.Target(y=y, task="binary", classes=(0, 1))
    resampler = {
        "case": en.resampling.CaseBootstrap(),
        "stratified": en.resampling.StratifiedBootstrap(),
    }[drawn]
    parts = [one.values for one in batches(resampler, target, count, Seeds(seed))]
    return trained_on(rule, X, y, np.concatenate(parts), drawn)


def trained_on(
    rule: str, X: Floats, y: Labels, counts: NDArray[Any], drawn: str
) -> tuple[en.Replicates, ...]:
    weights = np.vstack([counts, np.ones(len(y))]).astype(np.float64)
    every = [decisions(rule, half(X, which), y, weights) for which in (0, 1)]
    return tuple(
        en.Replicates(
            target=en.Target(y=y, task="binary", classes=(0, 1)),
            responses=said[:-1],
            counts=counts,
            apparent=said[-1],
            kind="decision",
            drawn=drawn,
        )
        for said in every
    )


def left_out(test: str, metric: str, both: tuple[en.Replicates, ...], seed: int) -> Any:
    measure = resolve_metric(metric).on("binary")
    question = ReplicateQuestion(replicates=both, metric=measure, seeds=Seeds(seed))
    return TESTS[test]().read(question).pair(0, 1)


SAMPLES = [("loob", "accuracy", "case"), ("lpob", "roc_auc", "stratified")]


@pytest.mark.parametrize("rule", ["mean", "linear"])
@pytest.mark.parametrize(("test", "metric", "drawn"), SAMPLES)
def test_all_samples_at_once_are_what_training_one_by_one_gives(
    test: str, metric: str, drawn: str, rule: str
) -> None:
    X, y = data(2)
    ask = {"metric": metric, "n_replicates": 40, "rng": 2}
    made = en.compare_learners(Half(0, rule), Half(1, rule), X, y, test=test, **ask)
    counts = en.bootstrap_train(Half(0, rule), X, y, **ask).counts
    told = left_out(test, metric, trained_on(rule, X, y, counts, drawn), 2)
    assert told.p_values["two-sided"] == pytest.approx(made.p_value, rel=1e-9)
    assert told.difference == pytest.approx(made.difference, abs=1e-12)


@pytest.mark.parametrize("rule", ["mean", "linear"])
@pytest.mark.parametrize(("test", "metric", "drawn"), SAMPLES)
def test_the_tests_of_bootstrap_samples_hold_their_size(
    test: str, metric: str, drawn: str, rule: str
) -> None:
    found = [
        left_out(test, metric, replicates(rule, seed, 200, drawn), seed).p_values["two-sided"]
        <= LEVEL
        for seed in range(100)
    ]
    assert np.mean(found) <= at_most(100)
