"""The bands of a surrogate hold the truth about as often as they say, given enough trials."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.explanation import ForestSurrogate, GaussianProcess, Surrogate
from tests.explanation.problems import cube, smooth

REPLICATIONS = 30


def simulated(surrogate: Surrogate, n: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of 200 points in bands of 95 %, and R², for each replication."""
    inside, explained = [], []
    for seed in range(REPLICATIONS):
        rng = np.random.default_rng(seed)
        codes = cube(4).sample(n, rng)
        noisy = smooth(codes) + noise * rng.standard_normal(n)
        fitted = surrogate.fit(cube(4), codes, noisy, rng=rng)
        new = cube(4).sample(200, rng)
        mean, sd = fitted.posterior(new)
        errors = mean - smooth(new)
        inside.append(np.mean(np.abs(errors) <= 1.96 * sd))
        explained.append(1 - np.mean(errors**2) / np.var(smooth(new)))
    return np.array(inside), np.array(explained)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "noise"), [(40, 0.2), (100, 0.05)])
def test_bands_of_a_process_hold_the_truth_as_often_as_they_say(n: int, noise: float) -> None:
    # within 4 standard errors of the mean over 30 replications, or above
    inside, _ = simulated(GaussianProcess(), n, noise)
    assert inside.mean() > 0.95 - 4 * inside.std(ddof=1) / np.sqrt(REPLICATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 20])
def test_the_weak_prior_gains_where_trials_are_few_and_noisy(n: int) -> None:
    # pairs on the same 30 data sets, seeds 0 to 29: more than 2 standard errors of the difference
    with_prior = simulated(GaussianProcess(), n, 0.2)
    without = simulated(GaussianProcess(prior=False), n, 0.2)
    gained = with_prior[1] - without[1]
    assert gained.mean() > 2 * gained.std(ddof=1) / np.sqrt(REPLICATIONS)
    assert with_prior[0].mean() > without[0].mean()


@pytest.mark.slow
def test_the_weak_prior_costs_next_to_nothing_where_there_is_hardly_any_noise() -> None:
    # the same pairs: R² fell by 0.006 in 30 replications; a fiftieth would be worth knowing
    with_prior = simulated(GaussianProcess(), 20, 0.02)
    without = simulated(GaussianProcess(prior=False), 20, 0.02)
    assert (with_prior[1] - without[1]).mean() > -0.02
    assert with_prior[0].mean() > without[0].mean() - 0.01


@pytest.mark.slow
def test_the_total_variance_of_a_forest_holds_the_truth() -> None:
    # 30 replications of 40 trials, on the wide side: noise is within it
    inside, _ = simulated(ForestSurrogate(n_trees=50), 40, 0.2)
    assert inside.mean() > 0.9


def held(surrogate: Surrogate, n: int, noise: float) -> float:
    """Return how often an interval of two sd by equation 4 holds the true curve, at 5 values."""
    values, inside = np.linspace(0, 1, 5), []
    for seed in range(REPLICATIONS):
        rng = np.random.default_rng(seed)
        codes = cube(4).sample(n, rng)
        noisy = smooth(codes) + noise * rng.standard_normal(n)
        points = cube(4).sample(200, rng)
        sums = surrogate.fit(cube(4), codes, noisy, rng=rng).effect(points, 0, values)
        moved = [np.column_stack([np.full(200, v), points[:, 1:]]) for v in values]
        errors = sums.mean - [smooth(each).mean() for each in moved]
        inside.append(np.mean(np.abs(errors) <= 1.96 * sums.sd_of_mean))
    return float(np.mean(inside))


@pytest.mark.slow
def test_curves_of_a_process_are_held_more_often_than_those_of_a_forest() -> None:
    # 30 replications of 40 trials with noise 0.2, seeds 0 to 29
    process, forest = held(GaussianProcess(), 40, 0.2), held(ForestSurrogate(n_trees=50), 40, 0.2)
    assert process > 0.8
    assert forest < process
