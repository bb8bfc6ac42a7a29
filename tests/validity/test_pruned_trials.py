"""What a pruner of Optuna leaves of the optimism, as the caution EN051 says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import earnest as en

pytestmark = pytest.mark.slow

CASES, CONFIGS, FOLDS, STARTUP, REPETITIONS = 200, 40, 5, 5, 150
TRUTH = float(norm.cdf(0.5 / 1.5))  # the accuracy of every configuration


def simulated(rng: np.random.Generator, *, prune: bool) -> tuple[float, float]:
    """Return the errors of the corrected and of the naive score, all configurations alike.

    The pruner is Optuna's median rule: a trial ends whose best mean so far is below the median of
    the completed trials at the same fold, once there are five of them.
    """
    y = rng.integers(0, 2, CASES)
    scores = y[:, None] + 1.5 * rng.standard_normal((CASES, CONFIGS)) - 0.5
    fold = np.arange(CASES) % FOLDS
    hits = (scores > 0) == y[:, None]
    each = np.array([hits[fold == k].mean(axis=0) for k in range(FOLDS)])  # (K, C)
    running = np.cumsum(each, axis=0) / np.arange(1, FOLDS + 1)[:, None]
    done: list[int] = []
    for config in range(CONFIGS):
        ended = None
        if prune and len(done) >= STARTUP:
            best = np.maximum.accumulate(running[:-1, config])
            below = best < np.median(running[:-1, done], axis=1)
            ended = int(below.argmax()) if below.any() else None
        if ended is None:
            done.append(config)
        else:
            scores[fold > ended, config] = np.nan
    pi = en.Predictions.from_arrays(y, 1 / (1 + np.exp(-scores)), fold)
    made = en.estimate(pi, metric="accuracy", rng=int(rng.integers(1 << 20)), n_resamples=200)
    assert made.naive is not None
    return made.value - TRUTH, made.naive - TRUTH


def test_little_luck_stays_where_a_pruner_ended_trials() -> None:
    rng = np.random.default_rng(11)  # seed 11
    plain = np.array([simulated(rng, prune=False) for _ in range(REPETITIONS)])
    pruned = np.array([simulated(rng, prune=True) for _ in range(REPETITIONS)])
    error = 4 * pruned[:, 0].std() / np.sqrt(REPETITIONS)  # four standard errors
    assert abs(plain[:, 0].mean()) < error
    assert pruned[:, 0].mean() == pytest.approx(0.011, abs=error)
    assert pruned[:, 0].mean() < pruned[:, 1].mean() / 3
