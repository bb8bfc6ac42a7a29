"""Intervals and where they come from."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import earnest as en
from earnest.core import (
    Ask,
    DrawnLimits,
    EqualCaseLimits,
    NormalLimits,
    Side,
    quantile_limits,
    source_from_dict,
)
from earnest.errors import InputError
from earnest.results import Interval

LEVELS = st.floats(0.01, 0.99)
DRAWS = st.lists(st.floats(-5, 5), min_size=1, max_size=60).map(np.array)


@pytest.mark.parametrize(
    ("size", "level", "k"),
    [
        (1000, 0.95, 50),
        (500, 0.9, 50),
        (1000, 0.99, 10),
        (3005, 0.95, 150),
        (20, 0.95, 1),
        (7, 0.95, 0),
    ],
)
def test_one_sided_limits_are_the_k_plus_first_order_statistics(
    size: int, level: float, k: int
) -> None:
    draws = np.random.default_rng(0).permutation(size).astype(float)
    assert quantile_limits(draws, level, Side.LOWER) == (k, math.inf)
    assert quantile_limits(draws, level, Side.UPPER) == (-math.inf, size - 1 - k)


def test_two_sided_limits_take_half_the_tail_at_each_end() -> None:
    assert quantile_limits(np.arange(1000.0), 0.9, Side.TWO_SIDED) == (50, 949)


@pytest.mark.parametrize("level", [0.1, 0.3, 0.49])
def test_one_sided_limits_below_one_half_pass_the_median(level: float) -> None:
    draws = np.arange(1000.0)
    k = math.floor((1 - level) * 1000 + 1e-9)
    assert quantile_limits(draws, level, Side.LOWER)[0] == k
    assert quantile_limits(draws, level, Side.UPPER)[1] == 999 - k


@given(DRAWS, LEVELS)
@settings(max_examples=60)
def test_limits_of_the_negated_draws_are_mirrored(draws: np.ndarray, level: float) -> None:
    for side, other in (
        (Side.TWO_SIDED, Side.TWO_SIDED),
        (Side.LOWER, Side.UPPER),
        (Side.UPPER, Side.LOWER),
    ):
        low, high = quantile_limits(draws, level, side)
        assert quantile_limits(-draws, level, other) == (-high, -low)


@given(DRAWS, LEVELS, LEVELS)
@settings(max_examples=60)
def test_limits_are_ordered_draws_and_levels_nest(
    draws: np.ndarray, first: float, second: float
) -> None:
    inner = quantile_limits(draws, min(first, second), Side.TWO_SIDED)
    outer = quantile_limits(draws, max(first, second), Side.TWO_SIDED)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]
    assert set(inner) <= set(draws.tolist())


def test_undefined_draws_are_left_out() -> None:
    draws = np.append(np.arange(100.0), [np.nan] * 50)
    assert quantile_limits(draws, 0.9, Side.TWO_SIDED) == (5, 94)
    assert all(map(math.isnan, quantile_limits(np.full(3, np.nan), 0.9, Side.LOWER)))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_normal_limits_are_centre_and_quantile(level: float) -> None:
    source = NormalLimits(0.7, 0.1)
    two = NormalDist().inv_cdf(0.5 + level / 2) * 0.1
    one = NormalDist().inv_cdf(level) * 0.1
    assert source.limits(level, Side.TWO_SIDED) == pytest.approx((0.7 - two, 0.7 + two))
    assert source.limits(level, Side.LOWER) == (pytest.approx(0.7 - one), math.inf)
    assert source.limits(level, Side.UPPER) == (-math.inf, pytest.approx(0.7 + one))


@pytest.mark.parametrize("n", [1, 40, 10**9])
def test_limits_of_equal_cases_are_the_exact_ones_of_no_event(n: int) -> None:
    from scipy.stats import beta

    _, high = EqualCaseLimits(0.0, n, 0.0, 1.0).limits(0.95, Side.UPPER)
    assert high == pytest.approx(beta.ppf(0.95, 1, n), rel=1e-7)  # Clopper and Pearson
    low, high = EqualCaseLimits(0.0, n, 0.0, 1.0).limits(0.95, Side.TWO_SIDED)
    assert low == 0.0
    assert high == pytest.approx(beta.ppf(0.975, 1, n), rel=1e-7)


@given(LEVELS, LEVELS, st.integers(1, 500), st.floats(-1, 1))
def test_limits_of_equal_cases_nest_mirror_and_stay_in_range(
    first: float, second: float, n: int, centre: float
) -> None:
    source, other = EqualCaseLimits(centre, n, -1.0, 1.0), EqualCaseLimits(-centre, n, -1.0, 1.0)
    inner, outer = (source.limits(c, Side.TWO_SIDED) for c in sorted((first, second)))
    assert -1.0 <= outer[0] <= inner[0] <= centre <= inner[1] <= outer[1] <= 1.0
    low, high = other.limits(first, Side.TWO_SIDED)
    assert (-high, -low) == pytest.approx(source.limits(first, Side.TWO_SIDED), abs=1e-15)


@pytest.mark.parametrize(
    "source",
    [
        DrawnLimits(np.array([0.1, np.nan, 0.3])),
        NormalLimits(0.5, 0.1),
        EqualCaseLimits(0.0, 40, 0.0, 1.0),
        EqualCaseLimits(0.3, 7, 0.0, math.inf),
        EqualCaseLimits(0.3, 7, -math.inf, 1.0),
        None,
    ],
)
def test_sources_survive_json(source: DrawnLimits | NormalLimits | EqualCaseLimits | None) -> None:
    data = None if source is None else source.to_dict(draws=True)
    back = source_from_dict(json.loads(json.dumps(data, allow_nan=False)))
    assert type(back) is type(source)
    if source is not None and back is not None:
        for side in (Side.TWO_SIDED, Side.LOWER):
            assert back.limits(0.9, side) == source.limits(0.9, side)


def test_a_source_without_its_draws_refuses_another_level() -> None:
    source = source_from_dict(DrawnLimits(np.arange(5.0)).to_dict(draws=False))
    assert source is not None
    with pytest.raises(en.errors.EvidenceError, match="not kept") as refusal:
        source.limits(0.9, Side.LOWER)
    assert "draws=True" in refusal.value.cure


def test_an_interval_contains_its_ends_and_numbers_of_any_type() -> None:
    interval = Interval(0.25, 0.75, 0.95, "two-sided")
    assert 0.25 in interval
    assert np.float64(0.5) in interval
    assert np.float32(0.5) in interval
    assert np.int64(1) not in interval
    assert Interval(0, 2, 0.9, "two-sided").__contains__(np.int64(1))
    assert "0.5" not in interval
    assert interval.width == 0.5


def test_an_interval_survives_json_with_open_ends() -> None:
    for interval in (Interval(-math.inf, 2.0, 0.9, "upper"), Interval(0.1, math.inf, 0.9, "lower")):
        data = json.loads(json.dumps(interval.to_dict(), allow_nan=False))
        assert Interval.from_dict(data) == interval


def test_pessimistic_is_the_bad_end_of_the_metric() -> None:
    ask = Ask.of(0.9, "pessimistic")
    assert ask.resolved(greater_is_better=True) is Side.LOWER
    assert ask.resolved(greater_is_better=False) is Side.UPPER
    assert Ask.of(0.9, Side.UPPER).resolved(greater_is_better=True) is Side.UPPER


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "much", None])
def test_a_level_is_a_share(level: object) -> None:
    with pytest.raises(en.errors.InputError, match="confidence_level"):
        Ask.of(level, "lower")


def test_a_side_may_be_any_object_and_is_refused_in_words() -> None:
    endless: list[object] = []
    for _ in range(5_000):
        endless = [endless]
    with pytest.raises(InputError):
        Ask.of(0.95, endless)  # type: ignore[arg-type]
