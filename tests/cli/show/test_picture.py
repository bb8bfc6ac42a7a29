"""An interval in one row of characters."""

from __future__ import annotations

import dataclasses
import math

import pytest

import earnest as en
from earnest.cli.show.comparison import difference_axis
from earnest.cli.show.picture import MARGIN, MOST_TICKS, PictureAxis, axis_for, draw_strip, mark
from earnest.core import Selection
from earnest.results import Interval
from tests.cli.results import estimate


def test_the_axis_has_round_ends_that_hold_all_values():
    axis = PictureAxis.around([0.969, 0.984, 0.991, 0.994], 44)
    assert (round(axis.low, 9), round(axis.high, 9), axis.step) == (0.96, 1.0, 0.01)


@pytest.mark.parametrize(
    "values",
    [[0.1, 0.9], [0.5], [0.0], [-3.0, 12.0], [1e-9, 2e-9], [0.94, 0.99], [123456.0, 123999.0], []],
)
def test_any_values_give_two_to_six_ticks_and_contain_them(values):
    axis = PictureAxis.around(values, 44)
    ticks = round((axis.high - axis.low) / axis.step) + 1
    assert 2 <= ticks <= MOST_TICKS
    slack = 1e-6 * axis.step
    assert all(axis.low - slack <= value <= axis.high + slack for value in values)


def test_values_that_are_not_finite_do_not_stretch_the_axis():
    assert PictureAxis.around([0.5, math.inf, math.nan, 0.7], 44) == PictureAxis.around(
        [0.5, 0.7], 44
    )


def test_labels_stand_over_their_columns():
    axis = PictureAxis.around([0.5, 0.9], 41)
    labels = axis.labels()
    for value in (0.5, 0.7, 0.9):
        column = axis.column(value)
        assert labels[column - 1 : column + 2] == f"{value:.1f}"


@pytest.mark.parametrize("width", [12, 20, 32, 44])
@pytest.mark.parametrize(
    "values",
    [[6.2e8, 1.34e9], [5e5, 5.4e5], [-3e5, 2e5], [1e-9, 2e-9], [0.94, 0.99], [3.123456, 3.123457]],
)
def test_labels_never_touch_and_name_both_ends(values, width):
    axis = PictureAxis.around(values, width)
    labels = axis.labels()
    ends = [axis.label(axis.low), axis.label(axis.high)]
    assert len(labels) <= axis.room
    assert set(labels.split()) <= {axis.label(tick) for tick in axis.ticks()}
    assert labels.split()[0] == ends[0]
    if sum(map(len, ends)) < axis.room:
        assert labels.split()[-1] == ends[1]


def test_large_labels_have_thousands_and_huge_ones_a_power_of_ten():
    assert PictureAxis.around([5e5, 5.4e5], 44).labels().split()[0] == "500,000"
    assert PictureAxis.around([6.2e8, 1.34e9], 44).labels().split() == [
        "6e+08",
        "8e+08",
        "1.0e+09",
        "1.2e+09",
        "1.4e+09",
    ]


def test_a_two_sided_interval_has_two_ends_and_a_dot():
    axis = PictureAxis.around([0.5, 0.9], 41)
    row = draw_strip(axis, estimate(0.7, low=0.6, high=0.8))
    assert row.strip() == "├─────────●─────────┤"
    assert row.index("├") == axis.column(0.6)
    assert row.index("●") == axis.column(0.7)


@pytest.mark.parametrize(
    ("side", "expected"),
    [("lower", "├─────────●───────────────────▶"), ("upper", "◀───────────────────●─────────┤")],
)
def test_a_one_sided_interval_points_to_its_open_end(side, expected):
    made = estimate(0.7, low=0.6, high=0.8)
    interval = Interval(
        0.6 if side == "lower" else 0.0, 0.8 if side == "upper" else 1.0, 0.95, side
    )
    axis = PictureAxis.around([0.5, 0.9], 41)
    assert draw_strip(axis, dataclasses.replace(made, interval=interval)).strip() == expected


def test_an_open_end_does_not_stretch_the_axis():
    made = estimate(0.7, naive=0.75, low=0.6, high=0.8)
    lower = dataclasses.replace(made, interval=Interval(0.6, 1.0, 0.95, "lower"))
    assert axis_for([lower], 41).high == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("interval", "low", "high"),
    [
        (Interval(-0.5, -0.1, 0.95, "two-sided"), -0.5, 0.0),
        (Interval(-0.5, 1.0, 0.95, "lower"), -0.5, 0.0),
        (Interval(-1.0, -0.1, 0.95, "upper"), -0.4, 0.0),  # with room for the arrow
        (None, -0.3, 0.0),
    ],
)
def test_the_axis_of_a_difference_holds_zero_and_its_closed_ends(interval, low, high):
    table = en.Scores({"a": [0.1, 0.3, 0.2], "b": [0.5, 0.6, 0.4]})
    made = dataclasses.replace(en.compare(table, "a", "b"), difference=-0.3, interval=interval)
    axis = difference_axis([made], 41)
    assert axis.low == pytest.approx(low)
    assert axis.high == pytest.approx(high)


def test_without_interval_the_dot_stands_alone():
    made = dataclasses.replace(estimate(0.7), interval=None)
    assert draw_strip(PictureAxis.around([0.5, 0.9], 41), made).strip() == "●"


def test_what_is_not_corrected_is_dashed_with_a_hollow_mark():
    raw = estimate(0.7, low=0.6, high=0.8, selection=Selection.UNCORRECTED)
    row = draw_strip(PictureAxis.around([0.5, 0.9], 41), raw)
    assert row.strip() == "├╌╌╌╌╌╌╌╌╌◇╌╌╌╌╌╌╌╌╌┤"


def test_a_mark_stands_in_its_column():
    axis = PictureAxis.around([0.5, 0.9], 41)
    assert mark(axis, 0.5) == " " * MARGIN + "◇"
    assert mark(axis, 2.0).index("◇") == MARGIN + 40
