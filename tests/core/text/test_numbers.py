"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.core import decimals, find_shared_places, number, print_number


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


@pytest.mark.parametrize(
    ("error", "value", "places"),
    [
        (0.0064, 0.98, 3),
        (1e-12, 1e-11, 13),
        (3e-12, 1e-11, 12),
        (1e-12, 0.5, 3),
        (1e-12, 0.0, 3),
        (1e-8, 0.5, 8),
        (1e-10, 0.05, 8),
        (1e-21, 1e-11, 13),
        (None, 0.5, 3),
        (None, 0.001, 3),
        (None, 0.000456, 6),
        (0.0, -0.000456, 6),
        (None, 0.0, 3),
        (None, math.nan, 3),
        (0.02, math.nan, 2),
        (3000.0, 23452.0, 0),
    ],
)
def test_a_standard_error_is_judged_beside_its_value(
    error: float | None, value: float, places: int
) -> None:
    assert decimals(error, value) == places


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
        (0.4, 0, "0.4"),
        (math.inf, 3, "inf"),
        (-math.inf, 3, "-inf"),
        (math.nan, 3, "nan"),
    ],
)
def test_numbers_never_round_to_certainty(value: float, places: int, text: str) -> None:
    assert number(value, places) == text


INFINITE = math.inf


@pytest.mark.parametrize(
    ("value", "places", "limits", "text"),
    [
        (0.99999, 3, (0.0, INFINITE), "1.000"),
        (0.00001, 3, (0.0, INFINITE), "< 0.001"),
        (0.00001, 3, (-1.0, 1.0), "0.000"),
        (-0.00001, 3, (-1.0, 1.0), "0.000"),
        (0.99999, 3, (-1.0, 1.0), "> 0.999"),
        (-0.99999, 3, (-1.0, 1.0), "< -0.999"),
        (-1.0, 3, (-1.0, 1.0), "-1.000"),
        (-0.00001, 3, (-INFINITE, 0.0), "> -0.001"),
        (-0.99999, 3, (-INFINITE, 1.0), "-1.000"),
    ],
)
def test_only_a_limit_of_the_metric_is_never_rounded_to(
    value: float, places: int, limits: tuple[float, float], text: str
) -> None:
    assert number(value, places, limits) == text


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (2780.4, 0, "2780"),
        (999_999_999.0, 0, "999999999"),
        (5_123_456_789.0, 0, "5.123457e+09"),
        (-5e12, 0, "-5.000000e+12"),
        (0.00001, 6, "0.000010"),
        (1.234e-11, 13, "1.23e-11"),
        (-1.234e-11, 12, "-1.2e-11"),
        (1e-20, 13, "< 1e-13"),
    ],
)
def test_very_large_and_very_small_numbers_have_a_power_of_ten(
    value: float, places: int, text: str
) -> None:
    assert number(value, places, (0.0, INFINITE)) == text


@given(st.floats(-1e12, 1e12), st.integers(0, 12))
@settings(max_examples=200)
def test_no_number_is_a_negative_zero_and_all_can_be_read_back(value: float, places: int) -> None:
    text = number(value, places, (-INFINITE, INFINITE))
    assert not (text.startswith("-") and float(text) == 0.0)
    # half a step of the last place, or of the sixth digit after the point of a power of ten
    assert abs(float(text) - value) <= max(0.5 * 10.0**-places, 0.5e-6 * abs(value)) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("values", "errors", "places"),
    [
        ([6.8e8, 9.9e8, None, math.inf], [2e7], None),
        ([6.8e8, -1.3e9], [2.2e7, None], -7),
        ([6.8e8, 1.3e9], [1.2e7], -6),
        ([6.8e8, 1.3e9], [2.0], -3),
        ([5e12], [None], -9),
        ([], [], None),
    ],
)
def test_numbers_side_by_side_are_all_digits_or_all_powers_of_ten(
    values: list[float | None], errors: list[float | None], places: int | None
) -> None:
    assert find_shared_places(values, errors) == places
    if places is not None:
        written = [number(v, places, (-math.inf, math.inf)) for v in values if v is not None]
        assert all("e+" in text for text in written)


def test_nothing_has_no_power_of_ten() -> None:
    assert number(0.0, -7) == "0"


@given(
    st.floats(-2.0, 2.0),
    st.integers(-2, 6),
    st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, 0.5), (0.0, INFINITE), (-INFINITE, INFINITE)]),
)
@settings(max_examples=200)
def test_a_printed_number_knows_what_its_digits_say(
    value: float, places: int, limits: tuple[float, float]
) -> None:
    shown = print_number(value, places, limits)
    assert shown.value == float(shown.digits)
    assert (shown.plain[0] in "<>") is (shown.short_of is not None)
    if shown.short_of is not None:
        assert shown.short_of in limits
        assert min(shown.value, shown.short_of) <= value <= max(shown.value, shown.short_of)
    assert shown.nearest in (shown.value, shown.short_of)
