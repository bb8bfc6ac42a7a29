"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.core.wording import decimals, number


@pytest.mark.parametrize(
    ("error", "places"),
    [
        (0.5, 1),
        (0.2, 1),
        (0.1, 2),
        (0.19, 2),
        (0.03, 2),
        (0.01, 3),
        (0.001, 4),
        (0.002, 3),
        (3.0, 0),
        (1.5, 1),
        (15.0, 0),
        (120.0, 0),
        (1e-8, 8),
        (1e-12, 3),
        (0.0, 3),
        (-1.0, 3),
        (math.nan, 3),
        (math.inf, 3),
        (None, 3),
    ],
)
def test_decimals_follow_the_first_digit_of_the_standard_error(
    error: float | None, places: int
) -> None:
    assert decimals(error) == places


@given(st.floats(1e-7, 1e4))
@settings(max_examples=100)
def test_a_rounding_step_is_between_a_twentieth_and_the_whole_of_the_standard_error(
    error: float,
) -> None:
    step = 10.0 ** -decimals(error)
    assert step <= error * (1 + 1e-9) or decimals(error) == 0
    assert step >= error / 20 or decimals(error) == 0


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.8612, 3, "0.861"),
        (0.99999, 3, "> 0.999"),
        (1.0, 3, "1.000"),
        (1.00001, 3, "1.000"),
        (0.00001, 3, "< 0.001"),
        (0.0, 3, "0.000"),
        (-0.00001, 3, "0.000"),
        (-0.5, 2, "-0.50"),
        (12.7, 0, "13"),
        (0.4, 0, "0"),
        (math.inf, 3, "inf"),
        (-math.inf, 3, "-inf"),
        (math.nan, 3, "nan"),
    ],
)
def test_numbers_never_round_to_certainty(value: float, places: int, text: str) -> None:
    assert number(value, places) == text
