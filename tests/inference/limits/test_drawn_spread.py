"""Limits where resampled values all but agree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest.core import (
    AreaLimits,
    DrawnLimits,
    NormalLimits,
    Side,
    WidenedLimits,
    source_from_dict,
)
from earnest.inference import disjoint_pairs, with_spread

METHODS = ["bbc", "bbc_fold", "naive_bootstrap", "holdout"]


def separated(n: int, configs: int) -> en.Predictions:
    y = np.arange(n) % 2
    noise = 0.3 * np.random.default_rng(0).random((n, configs))
    return en.Predictions.from_arrays(y, 0.6 * y[:, None] + noise, np.arange(n) // 2 % 5)


def of_values(n: int, configs: int, error: float) -> en.Predictions:
    y = np.random.default_rng(0).standard_normal(n)
    return en.Predictions.from_arrays(
        y, np.repeat(y[:, None] + error, configs, 1), np.arange(n) % 5
    )


def of_times(n: int, configs: int, risk: NDArray[np.float64] | None) -> en.Predictions:
    time = np.random.default_rng(1).exponential(size=n) + 0.01
    y = np.array(
        list(zip(np.ones(n, bool), time, strict=True)), dtype=[("event", bool), ("time", float)]
    )
    shown = -time if risk is None else risk
    return en.Predictions.from_arrays(y, np.repeat(shown[:, None], configs, 1), np.arange(n) % 5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("configs", [1, 3])
@pytest.mark.parametrize("n", [10, 20, 80])
def test_no_interval_is_a_point(method: str, configs: int, n: int) -> None:
    flat = np.zeros(n)
    asked = [
        (separated(n, configs), "roc_auc"),
        (separated(n, configs), "accuracy"),
        (separated(n, configs), "f1"),
        (separated(n, configs), "average_precision"),
        (of_values(n, configs, 0.0), "mse"),
        (of_values(n, configs, 1.0), "mse"),
        (of_times(n, configs, None), "concordance_index"),
        (of_times(n, configs, flat), "concordance_index"),
    ]
    for pi, metric in asked:
        made = en.estimate(pi, method=method, metric=metric, rng=0, n_resamples=100)
        assert made.interval is not None
        assert made.interval.width > 0.01, (metric, made.interval)
        assert made.value in made.interval
        assert "EN035" in {caution.code for caution in made.cautions}
        assert made.standard_error is None or made.standard_error > 0.0


def test_the_limit_of_a_separated_winner_is_the_exact_one_for_what_went_unseen() -> None:
    one = en.estimate(separated(20, 1), metric="roc_auc", rng=0)
    five = en.estimate(separated(20, 5), metric="roc_auc", rng=0)
    cases = en.estimate(separated(20, 1), metric="accuracy", rng=0)
    assert one.interval is not None
    assert five.interval is not None
    assert cases.interval is not None
    # Ten cases of each class, and twenty cases; all five are perfect, so that any could have won.
    law = AreaLimits(1.0, 10, 10)
    assert one.interval.low == pytest.approx(law.limits(0.95, Side.TWO_SIDED)[0], rel=1e-9)
    bonferroni = law.limits(1.0 - 0.025 / 5, Side.LOWER)[0]
    assert bonferroni <= five.interval.low < one.interval.low
    assert cases.interval.low == pytest.approx(0.025**0.05, rel=1e-12)


@pytest.mark.parametrize("method", ["bbc", "bbc_fold"])
def test_wider_limits_nest_and_survive_being_written_down(method: str) -> None:
    made = en.estimate(separated(20, 5), method=method, metric="roc_auc", rng=0)
    lows = []
    for level in (0.5, 0.8, 0.95, 0.99):
        interval = made.at(confidence_level=level, side="lower").interval
        assert interval is not None
        lows.append(interval.low)
    assert lows == sorted(lows, reverse=True)
    assert len(set(lows)) == len(lows)
    again = en.results.Estimate.from_dict(made.to_dict(draws=True))
    assert again.interval == made.interval
    assert again.at(side="lower").interval == made.at(side="lower").interval


def test_the_wider_of_both_is_taken_at_each_end() -> None:
    source = WidenedLimits(NormalLimits(0.0, 1.0), (NormalLimits(1.0, 1.0),))
    low, high = source.limits(0.95, Side.TWO_SIDED)
    assert (round(low, 3), round(high, 3)) == (-1.96, 2.96)
    again = source_from_dict(source.to_dict(draws=True))
    assert again is not None
    assert again.limits(0.95, Side.TWO_SIDED) == (low, high)


def test_draws_that_vary_are_left_alone_and_few_unlike_ones_are_told() -> None:
    pi = separated(20, 1)
    measure = en.metric("roc_auc")
    varied = DrawnLimits(np.linspace(0.0, 1.0, 100))
    source, remarks = with_spread(varied, pi, measure, value=0.75)
    assert source.limits(0.95, Side.TWO_SIDED) == varied.limits(0.95, Side.TWO_SIDED)
    assert remarks == ()
    pi, measure = of_values(40, 1, 1.0), en.metric("mse")  # whose range has no end
    mostly = DrawnLimits(np.r_[np.full(94, 1.0), np.linspace(0.8, 0.9, 6)])
    source, remarks = with_spread(mostly, pi, measure, value=0.99)
    assert source is mostly
    assert [caution.code for caution in remarks] == ["EN035"]
    assert "94%" in remarks[0].what


def test_a_width_of_rounding_is_none_and_a_single_draw_tells_nothing() -> None:
    assert not DrawnLimits(1.0 + 1e-15 * np.arange(100.0)).has_width
    assert DrawnLimits(1e-12 * np.arange(100.0)).has_width
    assert DrawnLimits(np.array([1.0])).has_width
    assert not DrawnLimits(np.array([1.0, 1.0])).has_width
    assert DrawnLimits(np.array([1.0, 0.9])).has_width
    assert not NormalLimits(1.0, 0.0).has_width


def test_pairs_share_no_case() -> None:
    assert disjoint_pairs(separated(20, 1).target) == 10
    rare = en.Predictions.from_arrays([0] * 9 + [1], [0.1] * 10).target
    assert disjoint_pairs(rare) == 1
    three = en.Predictions.from_arrays(list("aaabbbccc"), np.full((9, 1, 1, 3), 1 / 3)).target
    assert disjoint_pairs(three) == 3
    assert disjoint_pairs(of_values(9, 1, 0.0).target) == 4
    assert disjoint_pairs(of_times(20, 1, None).target) == 10  # all pairs can be compared
