"""Limits from draws: against scipy.stats.bootstrap on its own draws, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from earnest.core import DrawnLimits, Side
from earnest.inference.general.draws import BCaLimits, PivotLimits, acceleration, bias_shift

SIDES = [
    (Side.TWO_SIDED, "two-sided"),
    (Side.LOWER, "greater"),
    (Side.UPPER, "less"),
]


def neighbours(draws: np.ndarray, end: float) -> tuple[float, float]:
    """Return the order statistics beside a limit: scipy interpolates between two of them."""
    ordered = np.sort(draws)
    at = np.searchsorted(ordered, end)
    return ordered[max(at - 2, 0)], ordered[min(at + 2, len(ordered) - 1)]


def close(draws: np.ndarray, ours: float, theirs: float) -> bool:
    if not math.isfinite(theirs):
        return ours == theirs
    low, high = neighbours(draws, theirs)
    return bool(low <= ours <= high)


@pytest.mark.parametrize(("side", "alternative"), SIDES)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_limits_of_a_mean_are_those_of_scipy(
    side: Side, alternative: str, level: float
) -> None:
    x = np.random.default_rng(5).exponential(size=40)
    made = stats.bootstrap(
        (x,),
        np.mean,
        n_resamples=999,
        method="BCa",
        confidence_level=level,
        alternative=alternative,
        rng=np.random.default_rng(1),
    )
    draws = made.bootstrap_distribution
    left = np.array([np.delete(x, i).mean() for i in range(40)])
    ours = BCaLimits(
        bias_shift(draws, x.mean()), acceleration([39 * (left.mean() - left)]), draws
    ).limits(level, side)
    assert close(draws, ours[0], made.confidence_interval.low)
    assert close(draws, ours[1], made.confidence_interval.high)


@pytest.mark.parametrize(("side", "alternative"), SIDES)
def test_basic_and_percentile_limits_are_those_of_scipy(side: Side, alternative: str) -> None:
    x = np.random.default_rng(6).exponential(size=40)
    for method, source in (
        ("basic", lambda draws: PivotLimits(x.mean(), 1.0, draws - x.mean())),
        ("percentile", DrawnLimits),
    ):
        made = stats.bootstrap(
            (x,), np.mean, n_resamples=999, method=method, alternative=alternative, rng=2
        )
        draws = made.bootstrap_distribution
        ours = source(draws).limits(0.95, side)
        seen = 2 * x.mean() - draws if method == "basic" else draws
        assert close(seen, ours[0], made.confidence_interval.low)
        assert close(seen, ours[1], made.confidence_interval.high)


def test_bca_without_shift_and_acceleration_is_the_percentile_interval() -> None:
    draws = np.random.default_rng(0).standard_normal(999)
    for side in (Side.TWO_SIDED, Side.LOWER, Side.UPPER):
        assert BCaLimits(0.0, 0.0, draws).limits(0.9, side) == DrawnLimits(draws).limits(0.9, side)


def test_bca_of_the_negative_statistic_is_the_mirror_image() -> None:
    draws = np.random.default_rng(0).exponential(size=999)
    low, high = BCaLimits(0.2, 0.1, draws).limits(0.95, Side.TWO_SIDED)
    assert BCaLimits(-0.2, -0.1, -draws).limits(0.95, Side.TWO_SIDED) == (-high, -low)


def test_a_level_beyond_the_pole_of_the_acceleration_is_the_extreme_draw() -> None:
    draws = np.arange(100.0)
    _, high = BCaLimits(0.0, 0.9, draws).limits(0.99, Side.TWO_SIDED)
    assert high == 99.0


def test_the_shift_counts_ties_half_and_is_infinite_on_one_side() -> None:
    assert bias_shift(np.array([2.0, 2.0]), 2.0) == 0.0
    assert bias_shift(np.array([3.0, 4.0]), 2.0) == -math.inf
    assert bias_shift(np.array([1.0, np.nan]), 2.0) == math.inf


def test_the_acceleration_of_no_spread_is_undefined() -> None:
    assert math.isnan(acceleration([np.zeros(4)]))


def test_sources_give_plain_data() -> None:
    draws = np.array([1.0, 2.0])
    assert "draws" not in BCaLimits(0.0, 0.0, draws).to_dict(draws=False)
    assert BCaLimits(0.0, 0.0, draws).to_dict(draws=True)["draws"] == [1.0, 2.0]
    assert PivotLimits(1.0, 2.0, draws).to_dict(draws=True)["pivots"] == [1.0, 2.0]
    assert PivotLimits(1.0, 2.0, draws).to_dict(draws=False)["error"] == 2.0
