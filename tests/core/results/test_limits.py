"""Limits on the logit scale, of shares, and adjusted for a choice."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest

from earnest.core import (
    LimitSource,
    LogitLimits,
    NormalLimits,
    ShareLimits,
    SidakLimits,
    Side,
    best_of,
    limit_remarks,
    sidak,
    source_from_dict,
)

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.999)
SOURCES: dict[str, LimitSource] = {
    "logit": LogitLimits(0.9, 0.04),
    "logit of a loss": LogitLimits(-0.9, 0.04, -1.0, 0.0),
    "wilson": ShareLimits(0.8, 25),
    "wilson of all": ShareLimits(1.0, 25),
    "exact": ShareLimits(0.8, 25, exact=True),
    "exact of none": ShareLimits(0.0, 7, exact=True),
    "exact of ties": ShareLimits(0.5, 7, exact=True),
    "exact of a loss": ShareLimits(-1.0, 7, -1.0, 0.0, exact=True),
    "sidak": SidakLimits(NormalLimits(0.7, 0.1), 4, Side.LOWER),
    "sidak of a loss": SidakLimits(LogitLimits(0.7, 0.1), 4, Side.UPPER),
}


@pytest.mark.parametrize("name", SOURCES)
def test_levels_nest_and_sides_open_an_end(name: str) -> None:
    source = SOURCES[name]
    found = [source.limits(level, Side.TWO_SIDED) for level in LEVELS]
    lows, highs = np.array(found).T
    assert (np.diff(lows) <= 0).all()
    assert (np.diff(highs) >= 0).all()
    for level in (0.9, 0.95):
        lower, upper = source.limits(level, Side.LOWER), source.limits(level, Side.UPPER)
        both = source.limits(1 - 2 * (1 - level), Side.TWO_SIDED)
        assert lower[1] == math.inf
        assert upper[0] == -math.inf
        assert (lower[0], upper[1]) == pytest.approx(both, abs=1e-12)


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_survives_json(name: str) -> None:
    data = json.loads(json.dumps(SOURCES[name].to_dict(draws=True), allow_nan=False))
    back = source_from_dict(data)
    assert back is not None
    assert back.limits(0.9, Side.TWO_SIDED) == SOURCES[name].limits(0.9, Side.TWO_SIDED)


def test_logit_limits_are_normal_on_the_logit_scale_and_stay_inside() -> None:
    def logit(share: float) -> float:
        return math.log(share / (1 - share))

    low, high = LogitLimits(0.9, 0.04).limits(0.95, Side.TWO_SIDED)
    reach = NormalDist().inv_cdf(0.975) * 0.04 / (0.9 * 0.1)
    assert logit(low) == pytest.approx(logit(0.9) - reach, abs=1e-12)
    assert logit(high) == pytest.approx(logit(0.9) + reach, abs=1e-12)
    low, high = LogitLimits(0.999, 0.3).limits(0.999, Side.TWO_SIDED)
    assert 0.0 <= low < high <= 1.0


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.93, 1.0])
def test_wilson_limits_are_where_the_score_test_just_rejects(share: float) -> None:
    z = NormalDist().inv_cdf(0.95)
    low, high = ShareLimits(share, 40).limits(0.9, Side.TWO_SIDED)
    for end in (low, high):
        if 0 < end < 1:
            assert abs(share - end) == pytest.approx(z * math.sqrt(end * (1 - end) / 40), abs=1e-12)
    assert (low == 0.0) == (share == 0.0)
    assert (high == 1.0) == (share == 1.0)


@pytest.mark.parametrize("won", [0, 1, 5, 11, 12])
def test_exact_limits_are_where_the_binomial_tail_is_the_level(won: int) -> None:
    trials, tail = 12, 0.05

    def at_least(k: int, p: float) -> float:
        return sum(math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(k, 13))

    source = ShareLimits(won / trials, trials, exact=True)
    low, high = source.limits(1 - 2 * tail, Side.TWO_SIDED)
    assert low == 0.0 if won == 0 else at_least(won, low) == pytest.approx(tail, abs=1e-10)
    top = 1 - at_least(won + 1, high)
    assert high == 1.0 if won == trials else top == pytest.approx(tail, abs=1e-10)


def test_limits_of_shares_mirror_in_another_range() -> None:
    for exact in (False, True):
        low, high = ShareLimits(0.8, 9, exact=exact).limits(0.9, Side.TWO_SIDED)
        mirrored = ShareLimits(-0.8, 9, -1.0, 0.0, exact=exact).limits(0.9, Side.TWO_SIDED)
        assert mirrored == pytest.approx((-high, -low), abs=1e-12)


def test_sidaks_level_makes_independent_limits_hold_together() -> None:
    for m in (1, 2, 50):
        assert (1 - sidak(0.05, m)) ** m == pytest.approx(0.95, abs=1e-12)
    assert sidak(0.05, 1) == pytest.approx(0.05, abs=1e-15)


def test_sidak_moves_the_bad_end_only() -> None:
    plain = NormalLimits(0.7, 0.1)
    low, high = SidakLimits(plain, 5, Side.LOWER).limits(0.9, Side.TWO_SIDED)
    assert high == pytest.approx(plain.limits(0.9, Side.TWO_SIDED)[1], abs=1e-12)
    assert low == pytest.approx(plain.limits(1 - sidak(0.05, 5), Side.LOWER)[0], abs=1e-12)
    assert best_of(plain, 1, True) is plain
    loss = best_of(plain, 5, False).limits(0.9, Side.TWO_SIDED)
    assert loss == pytest.approx((1.4 - high, 1.4 - low), abs=1e-12)


def test_sidak_passes_on_standard_error_and_has_nothing_to_remark() -> None:
    source = SidakLimits(NormalLimits(0.7, 0.1), 5, Side.LOWER)
    assert source.standard_error == 0.1
    assert source.draws is None
    assert list(limit_remarks(source, 0.95, Side.TWO_SIDED)) == []
