"""Ticks are round, few and told apart; numbers read as everywhere else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest.core.text.numbers import show_number
from earnest.plotting.svg.answer import estimate_density
from earnest.plotting.svg.canvas import (
    Axis,
    find_finite_ends,
    find_ticks,
    label_tick,
    label_ticks,
    round_out,
    space_labels,
)


@pytest.mark.parametrize("seed", range(20))
def test_an_axis_holds_its_data_with_two_to_six_round_ticks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-6, 7)
    low, high = np.sort(rng.standard_normal(2) * size).tolist()
    ends = round_out(low, high)
    assert ends[0] <= low + 1e-9 * size
    assert ends[1] >= high - 1e-9 * size
    ticks = find_ticks(Axis(*ends, 0, 100))
    assert 2 <= len(ticks) <= 6
    assert ticks == sorted(set(ticks))
    assert len(set(label_ticks(ticks))) == len(ticks)


def test_ends_never_leave_the_range_of_the_metric() -> None:
    assert round_out(0.93, 0.9999, (0.0, 1.0))[1] == 1.0
    assert round_out(0.0, 0.004, (0.0, math.inf))[0] == 0.0


@pytest.mark.parametrize("value", [0.0, 1.0, 0.5, -3.0, 1e-12, 1e12])
def test_a_single_value_has_an_axis_around_it(value: float) -> None:
    low, high = round_out(value, value)
    assert low <= value <= high
    assert high > low


def test_a_single_value_at_the_limit_has_an_axis_within_it() -> None:
    low, high = round_out(1.0, 1.0, (0.0, 1.0))
    assert high == 1.0
    assert low < 1.0


def test_a_value_beyond_the_end_is_drawn_at_it_and_free_is_not() -> None:
    scale = Axis(0.0, 1.0, 100.0, 0.0)
    assert scale(2.0) == 0.0
    assert scale.free(2.0) == -100.0
    assert math.isnan(scale(math.nan))
    assert scale.holds(1.0)
    assert not scale.holds(1.1)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.001, 1.0), ["0.001", "0.01", "0.1", "1"]),
        ((0.01, 1000.0), ["0.01", "0.1", "1", "10", "100", "1000"]),
        ((1e-8, 1e8), ["1e−8", "1e−5", "0.01", "10", "1e4", "1e7"]),
        ((2.0, 7.0), ["2", "5"]),
        ((3.0, 4.0), ["3", "4"]),
    ],
)
def test_a_log_axis_has_powers_of_ten(ends: tuple[float, float], words: list[str]) -> None:
    assert [label_tick(v) for v in find_ticks(Axis(*ends, 0, 100, log=True))] == words


def test_labels_that_would_touch_are_thinned() -> None:
    assert [v for v, _ in space_labels(Axis(0.0, 5e6, 0, 600))] == [1e6 * k for k in range(6)]
    assert [v for v, _ in space_labels(Axis(0.0, 5e6, 0, 220))] == [0.0, 2e6, 4e6]
    assert [w for _, w in space_labels(Axis(1e-4, 1.0, 0, 120, log=True))] == [
        "0.0001",
        "0.01",
        "1",
    ]
    assert len(space_labels(Axis(0.0, 5e6, 0, 10))) == 1


def test_whole_numbers_have_no_ticks_between_them() -> None:
    assert [w for _, w in space_labels(Axis(1.0, 3.0, 0, 300), whole=True)] == ["1", "2", "3"]


def test_labels_have_the_decimals_that_tell_them_apart() -> None:
    assert label_ticks([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert label_ticks([-0.01, 0.0, 0.01]) == ["−0.01", "0.00", "0.01"]
    assert label_ticks([0.0, 0.1], percent=True) == ["0\u00a0%", "10\u00a0%"]
    assert label_ticks([0.0, 2e8]) == ["0", "2e8"]
    assert label_ticks([]) == []


def test_a_number_that_is_not_one_is_not_printed_as_one() -> None:
    assert show_number(0.99999, 3) == "> 0.999"
    assert show_number(0.00001, 3) == "< 0.001"
    assert show_number(-0.5, 2, (-1.0, 1.0)) == "−0.50"


def test_what_is_not_known_has_no_say_in_an_axis() -> None:
    assert find_finite_ends([None, math.nan, math.inf, 2.0, 1.0]) == (1.0, 2.0)
    assert find_finite_ends([None]) == (0.0, 1.0)


def test_a_density_folds_back_at_the_limit_and_knows_equal_draws() -> None:
    draws = 1.0 - np.abs(np.random.default_rng(0).standard_normal(2000)) * 0.01
    _, heights = estimate_density(draws, 0.95, 1.0, (0.0, 1.0))
    assert heights.max() == 1.0
    assert heights[-1] > 0.9  # a half normal is highest at its edge; unfolded it would be 0.5
    assert estimate_density(np.full(50, 0.7), 0.6, 0.8, (0.0, 1.0)) is None
    assert estimate_density([0.7], 0.6, 0.8, (0.0, 1.0)) is None
    assert estimate_density([0.65, 0.7], 0.6, 0.8, (0.0, 1.0)) is not None


def test_the_density_of_many_draws_is_that_of_the_kernels_sum() -> None:
    draws = np.random.default_rng(1).normal(0.5, 0.1, 300)
    grid, heights = estimate_density(draws, 0.0, 1.0, (-math.inf, math.inf))
    quarter = np.subtract(*np.percentile(draws, [75, 25])) / 1.34
    width = 0.9 * min(draws.std(ddof=1), quarter) * 300**-0.2
    plain = np.exp(-0.5 * ((grid[:, None] - draws) / width) ** 2).sum(axis=1)
    # Counting in cells moves a draw by half a cell, 1/1500: under 2 % of this bandwidth.
    np.testing.assert_allclose(heights, plain / plain.max(), atol=0.01)
