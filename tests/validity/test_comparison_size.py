"""Tests reject a true null hypothesis as often as they promise, on simulated data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

import earnest as en

ALPHA = 0.05
DOUBT = 0.001  # the chance that a sound test fails here, each
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray, float]]


def bounds(runs: int, share: float = ALPHA) -> tuple[int, int]:
    """The counts that a test of exactly that size leaves with probability DOUBT."""
    law = binom(runs, share)
    return int(law.ppf(DOUBT / 2)), int(law.ppf(1 - DOUBT / 2))


def folds_of(n: int, k: int = 10) -> np.ndarray:
    return np.arange(n) % k


def ridge_losses(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Squared errors of two ridge regressions in ten folds, and their true mean difference.

    x is standard normal in five dimensions and y = x b + noise of variance 1, so a model with
    weights w has the error 1 + |w - b|².
    """
    beta = np.array([1.0, 0.5, 0.0, 0.0, -0.5])
    x = rng.standard_normal((n, 5))
    y = x @ beta + rng.standard_normal(n)
    fold, losses, truth = folds_of(n), np.empty((n, 2)), np.zeros(2)
    for k in range(10):
        train, test = fold != k, fold == k
        for m, penalty in enumerate((1.0, 0.3 * n)):
            gram = x[train].T @ x[train] + penalty * np.eye(5)
            weights = np.linalg.solve(gram, x[train].T @ y[train])
            losses[test, m] = np.square(y[test] - x[test] @ weights)
            truth[m] += (1 + np.square(weights - beta).sum()) * test.sum() / n
    return losses[:, 0], losses[:, 1], truth[0] - truth[1]


def logistic_losses(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Zero-one losses of two logistic regressions in ten folds, and their true mean difference.

    Classes are N(-m, I) and N(m, I), so a rule w x + c > 0 errs with Phi(-(w m + c) / |w|) in one
    class and Phi(-(w m - c) / |w|) in the other.
    """
    from sklearn.linear_model import LogisticRegression

    mean = np.array([0.6, 0.3, 0.0, 0.0])
    y = rng.integers(0, 2, n)
    x = (2 * y - 1)[:, None] * mean + rng.standard_normal((n, 4))
    fold, losses, truth = folds_of(n), np.empty((n, 2)), np.zeros(2)
    for k in range(10):
        train, test = fold != k, fold == k
        for m, features in enumerate((slice(0, 4), slice(0, 1))):
            model = LogisticRegression(C=1.0, max_iter=50, tol=1e-3).fit(
                x[train, features], y[train]
            )
            losses[test, m] = model.predict(x[test, features]) != y[test]
            w, c = model.coef_[0], model.intercept_[0]
            reach = w @ mean[features]
            errors = norm.cdf(np.array([-(reach + c), -(reach - c)]) / np.linalg.norm(w))
            truth[m] += errors.mean() * test.sum() / n
    return losses[:, 0], losses[:, 1], truth[0] - truth[1]


def rejected(draw: Draw, n: int, runs: int, seed: int, **ask: object) -> int:
    """Count the runs in which a test rejects the true difference, moved to 0."""
    rng, count = np.random.default_rng(seed), 0
    for _ in range(runs):
        a, b, truth = draw(rng, n)
        given = en.Scores(
            {"a": a - truth, "b": b},
            fold=folds_of(n),
            limits=(-np.inf, np.inf),
            greater_is_better=False,
        )
        p = en.compare(given, "a", "b", **ask).p_value
        count += p is not None and p <= ALPHA
    return count


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 2000])
@pytest.mark.parametrize("draw", [ridge_losses, logistic_losses], ids=["ridge", "logistic"])
def test_bayle_rejects_the_truth_in_five_percent(draw: Draw, n: int) -> None:
    # seed 20 + n; the tolerance is that of the exact binomial law of 600 runs
    runs = 600
    count = rejected(draw, n, runs, seed=20 + n)
    low, high = bounds(runs)
    print(f"bayle {draw.__name__} n={n}: {count}/{runs} = {count / runs:.3f} [{low}, {high}]")
    assert low <= count <= high


@pytest.mark.slow
@pytest.mark.parametrize("draw", [ridge_losses, logistic_losses], ids=["ridge", "logistic"])
def test_bayle_on_a_hundred_cases_rejects_the_truth_in_less_than_nine_percent(draw: Draw) -> None:
    # seed 120; the theorem is about many cases: with 100 the ridge differences, which are skewed,
    # are rejected in 7 to 8 % (1500 runs of another seed gave 7.6 %)
    runs = 600
    count = rejected(draw, 100, runs, seed=120)
    low, high = bounds(runs)[0], bounds(runs, 0.09)[1]
    print(f"bayle {draw.__name__} n=100: {count}/{runs} = {count / runs:.3f} [{low}, {high}]")
    assert low <= count <= high


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_bayle_rejects_the_truth_in_five_percent(alternative: str) -> None:
    # seed 7, ridge, n = 400, 600 runs
    count = rejected(ridge_losses, 400, 600, seed=7, alternative=alternative)
    low, high = bounds(600)
    print(f"bayle ridge {alternative}: {count}/600 = {count / 600:.3f} [{low}, {high}]")
    assert low <= count <= high


def equal_scores(rng: np.random.Generator, n: int, positives: float) -> en.Predictions:
    """Two scores of the same AUC, correlated by one half, as of two fixed models."""
    y = (np.arange(n) < positives * n).astype(int)
    common = rng.standard_normal((n, 1))
    scores = y[:, None] * 1.0 + np.sqrt(0.5) * (common + rng.standard_normal((n, 2)))
    return en.Predictions.from_arrays(y, scores, configs=["a", "b"])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "positives"), [(100, 0.5), (400, 0.2), (2000, 0.1)])
def test_delong_rejects_equal_areas_in_five_percent(n: int, positives: float) -> None:
    # seed 40 + n; the tolerance is that of the exact binomial law of 2000 runs
    rng, runs = np.random.default_rng(40 + n), 2000
    made = (
        en.compare(equal_scores(rng, n, positives), "a", "b", test="delong", metric="roc_auc")
        for _ in range(runs)
    )
    count = sum(bool(each.shown) for each in made)
    low, high = bounds(runs)
    print(
        f"delong n={n} positives={positives}: {count}/{runs} = {count / runs:.4f} [{low}, {high}]"
    )
    assert low <= count <= high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "n"),
    [
        (en.comparison.SignFlipTest(n_resamples=999), 40),
        (en.comparison.BootstrapTest(n_resamples=999), 200),
    ],
    ids=["sign_flip", "bootstrap"],
)
def test_resampling_tests_reject_equal_models_in_five_percent(test: object, n: int) -> None:
    # seed 60; differences of losses are symmetric about 0; exact binomial law of 1000 runs
    rng, runs, count = np.random.default_rng(60), 1000, 0
    for run in range(runs):
        losses = rng.exponential(1.0, (n, 1)) + rng.exponential(1.0, (n, 2))
        given = en.Scores({"a": losses[:, 0], "b": losses[:, 1]}, greater_is_better=False)
        count += bool(en.compare(given, "a", "b", test=test, rng=run).shown)
    low, high = bounds(runs)
    print(f"{test}: {count}/{runs} = {count / runs:.3f} [{low}, {high}]")
    assert low <= count <= high


@pytest.mark.slow
def test_the_exact_sign_flip_and_mcnemar_never_exceed_their_level() -> None:
    # seed 61; 2000 runs each of ten and sixty cases; both are exact, so at most five percent
    rng, runs = np.random.default_rng(61), 2000
    flips = hits = 0
    for _ in range(runs):
        losses = rng.exponential(1.0, (10, 1)) + rng.exponential(1.0, (10, 2))
        given = en.Scores({"a": losses[:, 0], "b": losses[:, 1]}, greater_is_better=False)
        flips += bool(en.compare(given, "a", "b", test="sign_flip").shown)
        right = (rng.random((60, 2)) < 0.7).astype(float)
        given = en.Scores(
            {"a": right[:, 0], "b": right[:, 1]}, limits=(0, 1), greater_is_better=False
        )
        hits += bool(en.compare(given, "a", "b", test="mcnemar").shown)
    _, high = bounds(runs)
    print(f"sign_flip exact {flips}/{runs}, mcnemar exact {hits}/{runs}, at most {high}")
    assert max(flips, hits) <= high


@pytest.mark.slow
@pytest.mark.parametrize("test", ["bayle", "bootstrap"])
def test_the_set_holds_a_true_best_as_often_as_it_promises(test: str) -> None:
    # seed 62; ten equal configurations of 200 cases, so that each is a true best: the hardest case
    rng, runs, kept = np.random.default_rng(62), 400, 0
    for run in range(runs):
        losses = rng.exponential(1.0, (200, 1)) + rng.exponential(1.0, (200, 10))
        given = en.Scores(
            {f"c{i}": losses[:, i] for i in range(10)}, fold=folds_of(200), greater_is_better=False
        )
        many = en.compare_many(given, test=test, rng=run)
        kept += "c3" in many.not_worse
    low, _ = bounds(runs, 0.95)
    print(f"the set by {test} holds a true best in {kept}/{runs} = {kept / runs:.3f}, least {low}")
    assert kept >= low
