"""Upper limits of mean losses of numbers allow for the skewness of the losses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, gamma, t
from scipy.stats import norm as normal

import earnest as en
from earnest.core import NormalLimits, Side
from earnest.inference.limits.skewness import allow_for_skewness
from earnest.metrics import metric as resolve_metric

# A target of exponential numbers, mean 1, for which everything predicts 0: the MAE is 1.
N, TRUTH = 40, 1.0
NARROW = NormalLimits(1.0, 1e-9)


def draw(seed: int, configs: int = 1, groups: int | None = None) -> en.Predictions:
    rng = np.random.default_rng([62, seed])
    labels = None if groups is None else np.arange(N) % groups
    y = rng.exponential(size=N)
    return en.Predictions.from_arrays(y, np.zeros((N, configs)), groups=labels)


def find_upper(pi: en.Predictions, metric: str, value: float, level: float) -> float:
    source = allow_for_skewness(NARROW, pi, resolve_metric(metric), value)
    return float(source.limits(level, Side.UPPER)[1])


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_upper_limit_is_that_of_the_gamma_distribution(level: float) -> None:
    pi = draw(0)
    for metric, losses in (("mae", pi.target.y), ("mse", np.square(pi.target.y))):
        value = 1.1 * float(losses.mean())  # a corrected value is not the mean itself
        shape = value**2 / (losses.var(ddof=1) / N)
        expected = value * shape / gamma.ppf(1 - level, shape)
        assert find_upper(pi, metric, value, level) == pytest.approx(expected, rel=1e-9)
    root = float(np.sqrt(np.square(pi.target.y).mean()))
    assert find_upper(pi, "rmse", root, level) ** 2 == pytest.approx(
        find_upper(pi, "mse", root**2, level), rel=1e-9
    )


def test_a_group_is_one_unit_and_few_of_them_widen_the_tail() -> None:
    pi = draw(1, groups=8)
    means = pi.target.y.reshape(-1, 8).mean(axis=0)
    value = float(means.mean())
    shape = value**2 / (means.var(ddof=1) / 8)
    tail = float(normal.sf(t.isf(0.05, 7)))
    expected = value * shape / gamma.ppf(tail, shape)
    assert find_upper(pi, "mae", value, 0.95) == pytest.approx(expected, rel=1e-9)


def test_only_the_upper_limits_of_losses_of_numbers_are_widened() -> None:
    pi = draw(0, configs=3)
    mae, r2 = resolve_metric("mae"), resolve_metric("r2")
    assert allow_for_skewness(NARROW, pi, r2, 0.5) is NARROW
    low, _ = allow_for_skewness(NARROW, pi, mae, 1.0).limits(0.95, Side.LOWER)
    assert low == NARROW.limits(0.95, Side.LOWER)[0]
    y = np.tile([0.0, 2.0], N // 2)
    equal = en.Predictions.from_arrays(y, np.ones((N, 3)), task="regression")
    assert allow_for_skewness(NARROW, equal, mae, 1.0) is NARROW  # losses do not vary


@pytest.mark.slow
@pytest.mark.parametrize("groups", [None, 20])
def test_bounds_for_skewed_losses_hold(groups: int | None) -> None:
    # 1,000 samples, seeds [62, 0..999]. A Gamma distribution with estimated spread holds in .937
    # of 4,000 such samples, draws alone in .907; fewer than 913 of 1,000 at .937: probability .001.
    held = 0
    for seed in range(1000):
        estimate = en.estimate(draw(seed, groups=groups), metric="mae", rng=seed, n_resamples=400)
        interval = estimate.at(confidence_level=0.95, side="pessimistic").interval
        assert interval is not None
        held += interval.high >= TRUTH
    assert binom.cdf(held, 1000, 0.937) > 0.001, held
