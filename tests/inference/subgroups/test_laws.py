"""Limits of scores on few cases: exact ones, known formulas, and levels that hold at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, norm, t

import earnest as en
from earnest.core import Seeds
from earnest.inference import (
    LossPool,
    ResampledSelection,
    ScoreLimits,
    correlate,
    find_tail,
    limit_difference,
    score_masks,
)


def limits_of(y: np.ndarray, p: np.ndarray, metric: str, **more: object) -> ScoreLimits:
    pi = en.Predictions.from_arrays(y, p, **more)
    measure = en.metric(metric).on(pi.target.task)
    every = np.ones(pi.n_cases, dtype=bool)
    score = score_masks(pi, measure, 0, ResampledSelection(Seeds(0)), [every]).scores[0]
    return ScoreLimits(score=score, metric=measure)


@pytest.mark.parametrize(("right", "n"), [(0, 12), (7, 12), (12, 12), (45, 50)])
def test_a_share_has_the_exact_binomial_limits(right: int, n: int) -> None:
    y = np.tile([0, 1], n // 2)
    label = np.where(np.arange(n) < right, y, 1 - y)
    limits = limits_of(y, label, "accuracy", response="label")
    low, high = limits.limit(0.004)
    assert low == pytest.approx(beta.ppf(0.004, right, n - right + 1) if right else 0.0)
    assert high == pytest.approx(beta.ppf(0.996, right + 1, n - right) if right < n else 1.0)


def test_a_mean_has_students_limits() -> None:
    """Without a pool of all cases there is no skewness and no other spread; seed 1."""
    rng = np.random.default_rng(1)
    y = rng.standard_normal(30)
    p = y + rng.standard_normal(30)
    low, high = limits_of(y, p, "mse").limit(0.01)
    losses = np.square(y - p)
    reach = t.ppf(0.99, 29) * losses.std(ddof=1) / np.sqrt(30)
    assert (low, high) == pytest.approx((max(losses.mean() - reach, 0), losses.mean() + reach))


def test_a_pool_widens_limits_where_few_losses_look_alike() -> None:
    """Ten losses that are equal by luck do not make a limit of no width; seed 3."""
    rng = np.random.default_rng(3)
    y, codes = rng.standard_normal(200), np.repeat([0, 1], [10, 190])
    p = y + np.where(codes == 0, 0.5, rng.standard_normal(200) ** 2)
    pi = en.Predictions.from_arrays(y, p)
    measure = en.metric("mse").on("regression")
    score = score_masks(pi, measure, 0, ResampledSelection(Seeds(0)), [codes == 0]).scores[0]
    pool = LossPool.of(pi, measure, 0, codes)
    assert pool is not None
    assert pool.skewness > 1.0
    alone = ScoreLimits(score=score, metric=measure).limit(0.01)
    pooled = ScoreLimits(score=score, metric=measure, pool=pool).limit(0.01)
    assert alone[1] - alone[0] < 1e-6
    assert pooled[0] < score.value < pooled[1]
    assert pooled[1] - score.value > score.value - pooled[0]  # the long side of skewed losses


def test_limits_of_an_auc_never_beat_the_smallest_class() -> None:
    """A perfect order of five and five is worth five cases at most."""
    limits = limits_of(np.repeat([0, 1], 5), np.arange(10) / 10, "roc_auc")
    low, high = limits.limit(0.025)
    assert high == 1.0
    assert low <= beta.ppf(0.025, 5, 1)


def test_a_difference_of_shares_has_newcombes_hybrid_limits() -> None:
    """By the formula: with symmetric limits and no correlation it is the root of two squares."""
    low, high = limit_difference((0.6, (0.5, 0.7)), (0.5, (0.3, 0.6)), 0.0)
    assert (low, high) == pytest.approx((0.1 - np.hypot(0.1, 0.1), 0.1 + np.hypot(0.1, 0.2)))
    near = limit_difference((0.6, (0.5, 0.7)), (0.5, (0.4, 0.6)), 1.0)
    assert near == pytest.approx((0.1, 0.1))


def test_the_tail_is_sidaks_for_independent_errors_and_one_for_equal_ones() -> None:
    rng = np.random.default_rng(0)
    assert find_tail(np.eye(8), 0.05, rng) == pytest.approx((1 - 0.95**0.125) / 2)
    assert find_tail(np.ones((8, 8)), 0.05, rng) == pytest.approx(0.025, abs=0.002)


@pytest.mark.parametrize("shared", [0.2, 0.7])
def test_limits_at_the_tail_hold_at_once(shared: float) -> None:
    """20,000 fresh errors, seed 9: the share outside is .05 within four standard errors, twice."""
    units = np.random.default_rng(7).standard_normal((400, 6))
    units += np.sqrt(shared / (1 - shared)) * np.random.default_rng(8).standard_normal((400, 1))
    tail = find_tail(correlate(units), 0.05, np.random.default_rng(1))
    assert 0.05 / 12 < tail < 0.025
    fresh = np.random.default_rng(9).standard_normal((20_000, 400)) @ units
    fresh /= np.sqrt(np.square(units).sum(axis=0))
    outside = float(np.mean(np.abs(fresh).max(axis=1) > norm.isf(tail)))
    assert outside == pytest.approx(0.05, abs=2 * 4 * np.sqrt(0.05 * 0.95 / 20_000))
