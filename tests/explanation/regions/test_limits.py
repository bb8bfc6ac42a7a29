"""A limit reads as it is meant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import earnest as en
from earnest.explanation import Split
from earnest.explanation.regions.regions import (
    Limit,
    band_words,
    find_split_limits,
    in_words,
    roundest,
    share_words,
)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_the_roundest_number_lies_in_the_gap(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    assume(high - low > 1e-9 * max(abs(low), abs(high), 1e-3))
    value = roundest(low, high)
    assert value is not None
    assert low <= value < high


@pytest.mark.parametrize(
    ("low", "high", "value"),
    [(0.00287, 0.00313, 0.003), (0.9, 1.2, 1.0), (-0.5, 0.1, 0.0), (123.2, 128.9, 126.0)],
)
def test_the_roundest_number_has_the_fewest_digits(low: float, high: float, value: float) -> None:
    assert roundest(low, high) == value


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.0, 1.0), (float("nan"), 1.0)])
def test_a_gap_without_width_has_no_number(ends: tuple[float, float]) -> None:
    assert roundest(*ends) is None


@given(st.floats(0, 0.999), st.floats(1e-4, 0.1), st.booleans())
def test_a_limit_divides_what_its_split_divides(low: float, gap: float, log: bool) -> None:
    high = min(low + gap, 1.0)
    rate = en.Parameter(name="rate", kind="float", low=1e-4, high=1.0, log=log)
    left, right = find_split_limits(Split(0, (low, high), None, 0.0), rate, [])
    assert left.holds(np.array([low, high])).tolist() == [True, False]
    assert right.holds(np.array([low, high])).tolist() == [False, True]
    again = rate.encode([left.value])
    assert left.holds(again)[0]  # the value as said is on the left side


def test_whole_numbers_and_ordinals_name_the_last_on_the_left() -> None:
    depth = en.Parameter(name="depth", kind="int", low=1, high=8)
    left, right = find_split_limits(Split(0, (1 / 7, 2 / 7), None, 0.0), depth, [])
    assert (str(left), str(right)) == ("depth <= 2", "depth > 2")
    size = en.Parameter(name="size", kind="ordinal", choices=("s", "m", "l"))
    left, right = find_split_limits(Split(0, (1.0, 2.0), None, 0.0), size, [])
    assert (str(left), str(right)) == ("size <= m", "size > m")


def test_categories_name_their_levels_on_both_sides() -> None:
    kind = en.Parameter(name="kind", kind="categorical", choices=("a", "b", "c", "d"))
    left, right = find_split_limits(Split(0, None, (0.0, 2.0), 0.0), kind, [0.0, 1.0, 2.0])
    assert (str(left), str(right)) == ("kind is a or c", "kind is b")


def test_what_is_inactive_meets_no_limit() -> None:
    nothing = np.array([np.nan])
    assert not Limit("a", "<=", 1.0, 0.5).holds(nothing)[0]
    assert not Limit("a", ">", 1.0, 0.5).holds(nothing)[0]
    assert not Limit("a", "in", ("x",), levels=(0.0,)).holds(nothing)[0]


def test_limits_of_one_parameter_are_said_together() -> None:
    limits = [
        Limit("a", "<=", 9.0, 0.9),
        Limit("kind", "in", ("x", "y", "z"), levels=(0.0, 1.0, 2.0)),
        Limit("a", ">", 1.0, 0.1),
        Limit("a", "<=", 5.0, 0.5),
        Limit("kind", "in", ("y",), levels=(1.0,)),
    ]
    assert in_words(limits) == "1 < a <= 5 and kind is y"
    assert in_words([]) == ""


@pytest.mark.parametrize(
    ("narrower", "words"), [(0.52, "52 % narrower"), (-0.36, "36 % wider"), (0.004, "as wide")]
)
def test_a_wider_band_is_called_wider(narrower: float, words: str) -> None:
    assert band_words(narrower).replace("\u00a0", " ") == f"band {words}"


def test_a_small_share_is_never_nothing() -> None:
    assert share_words(0.003).startswith("under 1")
    assert share_words(0.143).startswith("14")


def test_a_limit_survives_plain_data() -> None:
    for limit in (Limit("a", "<=", 3, 0.5), Limit("k", "in", ("x", None), levels=(0.0, 1.0))):
        again = Limit.from_dict(limit.to_dict())
        assert str(again) == str(limit)
        assert again.levels == limit.levels
