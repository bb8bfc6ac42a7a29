"""Coverage of the intervals of Bayle et al. 2020, where the truth of every fitted model is known.

The truth is the average performance of the k models, in closed form (see `known_truth`). Counts of
intervals that hold are judged by the binomial law: a correct interval leaves its central 99.9 %
once in a thousand tests.

The theorem is about many cases. A normal interval from n fresh cases of a fixed model already
misses 95 % for small n, because losses are discrete or skew; from a cross-validation it can miss
`UNSTABLE` more, as models fitted on few cases change with each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from earnest import estimate
from tests.validity.known_truth import CrossValidated, logistic, ridge

METHODS = ("bayle_within_fold", "bayle_all_pairs")
LEVEL = 0.95
UNSTABLE = 0.015
SURE = 0.001  # the chance that a correct interval fails a test
SEED = 2020

Make = Callable[[np.random.Generator], CrossValidated]


def runs_of(n: int) -> int:
    return 1000 if n < 1000 else 500


def coverage(make: Make, metric: str, runs: int, seed: int, side: str = "two-sided") -> list[int]:
    """Return how often the interval of each method holds the truth."""
    held = [0, 0]
    for run in range(runs):
        made = make(np.random.default_rng([SEED, seed, run]))
        for turn, method in enumerate(METHODS):
            answer = estimate(made.predictions, method=method, metric=metric, side=side)
            assert answer.interval is not None
            held[turn] += made.truth[metric] in answer.interval
    return held


def fresh(metric: str, n: int) -> float:
    """Return the coverage of mean ± 1.96 sd / sqrt(n) of n fresh losses; 40,000 runs, seed 0."""
    rng = np.random.default_rng(0)
    if metric == "error_rate":
        share = rng.binomial(n, 0.2, 40_000) / n
        away, error = share - 0.2, np.sqrt(share * (1 - share) / n)
    else:  # squares of normal residuals
        losses = [rng.standard_normal((4_000, n)) ** 2 for _ in range(10)]
        away = np.concatenate([part.mean(axis=1) for part in losses]) - 1.0
        error = np.concatenate([part.std(axis=1) for part in losses]) / np.sqrt(n)
    return float(np.mean(np.abs(away) <= 1.959964 * error))


def require_level(held: int, runs: int, low: float = LEVEL, high: float = LEVEL) -> None:
    """Hold a count to the central part of the binomial laws from `low` to `high`."""
    least, most = binom.ppf(SURE / 2, runs, low), binom.ppf(1 - SURE / 2, runs, high)
    assert least <= held <= most, f"{held} of {runs} intervals hold, not {least:g} to {most:g}"


@cache
def simulated(learner: str, n: int) -> list[int]:
    make: Make = {
        "logistic": lambda rng: logistic(rng, n, 10),
        "ridge": lambda rng: ridge(rng, n, 10),
    }[learner]
    return coverage(make, "error_rate" if learner == "logistic" else "mse", runs_of(n), n)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1000, 2000])
@pytest.mark.parametrize("learner", ["logistic", "ridge"])
def test_with_many_cases_intervals_hold_at_their_level(learner: str, n: int, method: str) -> None:
    held = simulated(learner, n)[METHODS.index(method)]
    require_level(held, runs_of(n), low=LEVEL - UNSTABLE / 2)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("learner", ["logistic", "ridge"])
def test_with_few_cases_they_hold_nearly_as_those_of_fresh_cases(
    learner: str, n: int, method: str
) -> None:
    held = simulated(learner, n)[METHODS.index(method)]
    metric = "error_rate" if learner == "logistic" else "mse"
    require_level(held, runs_of(n), low=fresh(metric, n) - UNSTABLE)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("learner", ["logistic", "ridge"])
def test_one_sided_bounds_hold_at_their_level(learner: str, side: str) -> None:
    # 1000 cases: the skew of a squared error still shifts 1 % from one side to the other
    make: Make = (
        (lambda rng: logistic(rng, 1000, 10))
        if learner == "logistic"
        else (lambda rng: ridge(rng, 1000, 10))
    )
    metric = "error_rate" if learner == "logistic" else "mse"
    for held in coverage(make, metric, 400, 7, side):
        require_level(held, 400, low=LEVEL - 0.01 - UNSTABLE / 2, high=LEVEL + 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 1000])
@pytest.mark.parametrize("metric", ["f1", "roc_auc", "rmse"])
def test_beyond_means_over_cases_intervals_hold_too(metric: str, n: int) -> None:
    make: Make = (
        (lambda rng: ridge(rng, n, 10))
        if metric == "rmse"
        else (lambda rng: logistic(rng, n, 10, balanced=metric == "roc_auc"))
    )
    for held in coverage(make, metric, 500, 11 + n):
        require_level(held, 500, low=LEVEL - UNSTABLE, high=LEVEL + 0.01)


@pytest.mark.slow
def test_unequal_folds_and_few_of_them_change_nothing() -> None:
    for held in coverage(lambda rng: logistic(rng, 500, 3), "error_rate", 1000, 13):
        require_level(held, 1000, low=LEVEL - UNSTABLE)


@pytest.mark.slow
def test_repeats_hold_at_least_at_their_level() -> None:
    for held in coverage(lambda rng: ridge(rng, 300, 10, repeats=5), "mse", 500, 17):
        require_level(held, 500, low=LEVEL - UNSTABLE, high=1.0)


@pytest.mark.slow
def test_grouped_cases_need_the_variance_of_groups() -> None:
    # 100 groups of ten, half of the noise shared: as skew as a hundred cases. Without `groups` the
    # same cases undercover.
    def make(rng: np.random.Generator) -> CrossValidated:
        return ridge(rng, 1000, 10, group=10)

    for held in coverage(make, "mse", 500, 19):
        require_level(held, 500, low=LEVEL - 2 * UNSTABLE)

    def ungrouped(rng: np.random.Generator) -> CrossValidated:
        made = make(rng)
        pi = made.predictions
        plain = type(pi).from_arrays(
            pi.target.y, pi.responses[:, 0, 0], pi.folds[:, 0], task="regression"
        )
        return CrossValidated(plain, made.truth)

    assert max(coverage(ungrouped, "mse", 500, 19)) < binom.ppf(SURE, 500, LEVEL)


def test_the_truth_of_the_generators_is_that_of_many_fresh_cases() -> None:
    # 400,000 fresh cases, seed 5: an error of 0.2 has sd 0.0006, an AUC and an F1 at most 0.001
    rng = np.random.default_rng(5)
    from tests.validity import known_truth as known

    models = rng.normal([0.1, *known.SHIFT], 0.2, (1, 1 + known.FEATURES))
    y = rng.integers(0, 2, 400_000)
    x = (2 * y - 1)[:, None] * known.SHIFT + rng.standard_normal((len(y), known.FEATURES))
    score = models[0, 0] + x @ models[0, 1:]
    truth = known.classifier_truth(models, np.ones(1))
    said = score > 0
    assert truth["error_rate"] == pytest.approx(np.mean(said != y), abs=4 * 0.0007)
    f1 = 2 * np.sum(said & (y == 1)) / (said.sum() + y.sum())
    assert truth["f1"] == pytest.approx(f1, abs=4 * 0.001)
    low, high = np.sort(score[y == 0]), score[y == 1]
    auc = (np.searchsorted(low, high) / len(low)).mean()
    assert truth["roc_auc"] == pytest.approx(auc, abs=4 * 0.001)
