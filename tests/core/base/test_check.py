"""Argument checks."""

from __future__ import annotations

import math

import numpy as np
import pytest

import earnest as en
from earnest.core.base import check


def test_one_of_gives_back_what_is_allowed_and_suggests_the_nearest() -> None:
    assert check.one_of("side", "lower", ["lower", "upper"]) == "lower"
    with pytest.raises(en.errors.InputError, match="Did you mean 'upper'"):
        check.one_of("side", "uper", ["lower", "upper"])
    with pytest.raises(en.errors.InputError, match="`side` is unknown"):
        check.one_of("side", 3, ["lower", "upper"])


@pytest.mark.parametrize("value", [1, np.int64(7), np.uint8(3), 10])
def test_whole_numbers_of_any_type_become_int(value: object) -> None:
    made = check.whole_number("n", value, low=1, high=10)
    assert made == value
    assert type(made) is int


@pytest.mark.parametrize("value", [0, 11, -3, 2.0, "2", None, True, np.float64(2), math.nan])
def test_what_is_no_whole_number_in_range_is_refused(value: object) -> None:
    with pytest.raises(en.errors.InputError, match="from 1 to 10"):
        check.whole_number("n", value, low=1, high=10)


def test_an_open_range_says_so() -> None:
    with pytest.raises(en.errors.InputError, match="of at least 1"):
        check.whole_number("n", 0, low=1)


def test_a_share_lies_strictly_between_0_and_1() -> None:
    assert check.check_share("level", np.float32(0.5)) == 0.5
    for wrong in (0, 1, -1, 1.5, math.nan, math.inf, "x", None):
        with pytest.raises(en.errors.InputError, match="between 0 and 1"):
            check.check_share("level", wrong)
    with pytest.raises(en.errors.InputError, match=r"For 97\.5 percent use 0\.975"):
        check.check_share("level", 97.5)


def test_long_values_are_shown_short() -> None:
    assert check.show("a") == "'a'"
    assert len(check.show("a" * 500)) == 60
    assert check.some(range(8)) == "0, 1, 2, 3, 4 and 3 more"
    assert check.some(["x"]) == "x"


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("svn", "svm"),  # one letter of three: 2/3
        ("RELAPSE", "relapse"),
        (" y ", "y"),
        ("rocauc", "roc_auc"),
        ("income", None),  # 'outcome' has 8 of 13 letters in common
        ("gud", None),
        ("f2", None),
        ("zzz", None),
    ],
)
def test_a_name_is_suggested_from_a_likeness_of_two_thirds_on(name: str, option: str) -> None:
    options = ["outcome", "svm", "relapse", "y", "roc_auc", "good", "f1"]
    assert check.find_nearest(name, options) == option
    said = "" if option is None else f"Did you mean {option!r}?"
    assert check.nearest(name, options) == said
