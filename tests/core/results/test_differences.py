"""The difference of two values: alternatives, range, and sources of limits."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import t as student

from earnest.core import (
    Alternative,
    ExactLimits,
    FlippedLimits,
    LimitSource,
    NormalLimits,
    Scale,
    Side,
    StudentLimits,
    alpha_of,
    difference_limits,
    make_difference_interval,
    source_from_dict,
)
from earnest.errors import EvidenceError, InputError

SHARE = Scale("accuracy", True, (0.0, 1.0))


def test_less_bounds_from_above_and_greater_from_below() -> None:
    assert Alternative.of("less").side is Side.UPPER
    assert Alternative.of("greater").side is Side.LOWER
    assert Alternative.of(Alternative.TWO_SIDED).side is Side.TWO_SIDED
    with pytest.raises(InputError, match="alternative"):
        Alternative.of("bigger")


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_student_limits_are_those_of_scipy(level: float) -> None:
    law, source = student(3, 0.2, 0.1), StudentLimits(0.2, 0.1, 3)
    assert source.limits(level, Side.TWO_SIDED) == pytest.approx(law.interval(level))
    assert source.limits(level, Side.UPPER) == (-math.inf, pytest.approx(law.ppf(level)))
    assert source.limits(level, Side.LOWER) == (pytest.approx(law.ppf(1 - level)), math.inf)


def test_what_is_known_has_no_width() -> None:
    assert ExactLimits(0.0).limits(0.9, Side.TWO_SIDED) == (0.0, 0.0)
    assert ExactLimits(0.0).limits(0.9, Side.LOWER) == (0.0, math.inf)


@pytest.mark.parametrize("side", [Side.LOWER, Side.UPPER, Side.TWO_SIDED])
def test_flipped_limits_exclude_0_exactly_where_the_p_value_is_at_most_the_tail(
    side: Side,
) -> None:
    for seed in range(30):
        means = np.random.default_rng(seed).normal(0.8, 1.0, 99)
        for level in (0.8, 0.9, 0.95, 0.99):
            low, high = FlippedLimits(means).limits(level, side)
            tail = alpha_of(level) / (2 if side is Side.TWO_SIDED else 1)
            greater = (1 + (means <= 0).sum()) / 100
            less = (1 + (means >= 0).sum()) / 100
            if side is not Side.UPPER:
                assert (low > 0) == (greater <= tail + 1e-12)
            if side is not Side.LOWER:
                assert (high < 0) == (less <= tail + 1e-12)


def test_too_few_flips_leave_the_limits_open() -> None:
    assert FlippedLimits(np.ones(7)).limits(0.95, Side.TWO_SIDED) == (-math.inf, math.inf)


def test_a_difference_has_the_width_of_the_range_to_both_sides() -> None:
    assert difference_limits(Scale("mcc", True, (-1.0, 1.0))) == (-2.0, 2.0)
    assert difference_limits(Scale("mse", False, (0.0, math.inf))) == (-math.inf, math.inf)


def test_intervals_stay_within_the_range() -> None:
    made = make_difference_interval(NormalLimits(0.9, 1.0), 0.95, Alternative.TWO_SIDED, SHARE)
    assert made is not None
    assert (made.low, made.high) == (-1.0, 1.0)
    assert make_difference_interval(None, 0.95, Alternative.LESS, SHARE) is None


def test_alpha_is_free_of_rounding() -> None:
    assert alpha_of(0.95) == 0.05  # 1 - .95 is not
    assert alpha_of(0.9) == 0.1


@pytest.mark.parametrize(
    "source",
    [
        StudentLimits(0.2, 0.1, 3),
        ExactLimits(0.0),
        FlippedLimits(np.linspace(-1, 1, 199)),
        NormalLimits(0.1, 0.2),
    ],
)
def test_a_source_survives_json(source: LimitSource) -> None:
    data = json.loads(json.dumps(source.to_dict(draws=True)))
    again = source_from_dict(data)
    assert again is not None
    for side in Side:
        assert again.limits(0.9, side) == source.limits(0.9, side)
    assert source_from_dict(None) is None


def test_flips_that_were_not_kept_are_missed_with_a_cure() -> None:
    data = FlippedLimits(np.ones(3)).to_dict(draws=False)
    source = source_from_dict(data)
    assert source is not None
    with pytest.raises(EvidenceError, match="draws=True"):
        source.limits(0.9, Side.LOWER)
