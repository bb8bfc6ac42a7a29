"""A difference over its standard error, and what stands in where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from earnest.comparison.wald import few_units_in_test, unanimous, wald
from earnest.core import EqualCaseLimits, Scale, Side, alpha_of
from earnest.core.cautions import of_limits
from earnest.metrics import metric
from tests.snapshots import Golden

SHARE = Scale("accuracy", True, (0.0, 1.0))
OPEN = Scale("mse", False, (0.0, math.inf))


@pytest.mark.parametrize("df", [None, 4])
def test_p_and_limits_are_those_of_the_law(df: int | None) -> None:
    made = wald((0.8, 0.7), 0.0025, SHARE, units=50, df=df)
    law = norm if df is None else student(df)
    assert made.p_values is not None
    assert made.p_values["greater"] == pytest.approx(law.sf(2.0))
    assert made.p_values["less"] == pytest.approx(law.cdf(2.0))
    assert made.p_values["two-sided"] == pytest.approx(2 * law.sf(2.0))
    assert made.limits is not None
    low, high = made.limits.limits(0.9, Side.TWO_SIDED)
    assert (low, high) == pytest.approx(0.1 + 0.05 * np.array(law.interval(0.9)))


@pytest.mark.parametrize(
    ("values", "variance", "flat"),
    [
        ((0.8, 0.7), 1e-30, True),  # a standard error that is rounding beside the unit 1
        ((0.8, 0.7), 1e-12, False),
        ((1e12, 2e12), 1.0, True),  # and beside the values
    ],
)
def test_an_error_that_is_rounding_counts_as_none(
    values: tuple[float, float], variance: float, flat: bool
) -> None:
    made = wald(values, variance, SHARE if values[0] < 1 else OPEN, units=9)
    assert (made.standard_error == 0.0) is flat


def test_the_same_predictions_differ_by_0_whatever_the_variance() -> None:
    made = wald((0.8, 0.8), 0.01, SHARE, units=9, same=True)
    assert made.difference == 0.0
    assert made.p_values == {"two-sided": 1.0, "less": 1.0, "greater": 1.0}
    assert [caution.code for caution in made.cautions] == ["EN005"]


@pytest.mark.parametrize("difference", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("units", [1, 3, 12])
def test_unanimous_p_is_the_largest_chance_of_a_two_point_law_of_mean_0(
    difference: float, units: int
) -> None:
    # mass q on d and the rest on some x in [-1, 0]: mean 0 needs q d = -(1 - q) x
    others = np.linspace(-1.0, 0.0, 2001)
    chances = (-others / (difference - others)) ** units
    found = unanimous(difference, units, (-1.0, 1.0))
    assert found["greater"] == pytest.approx(chances.max(), rel=1e-9)
    assert found["less"] == 1.0
    assert unanimous(-difference, units, (-1.0, 1.0))["less"] == found["greater"]


@pytest.mark.parametrize("ends", [(-1.0, 1.0), (-3.0, 5.0)])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_the_interval_without_spread_excludes_0_where_p_is_below_the_tail(
    ends: tuple[float, float], level: float
) -> None:
    for units in range(1, 60):
        p = unanimous(0.3, units, ends)["greater"]
        low = EqualCaseLimits(0.3, units, *ends).limits(level, Side.LOWER)[0]
        assert (low > 0.0) == (p < alpha_of(level))


def test_without_a_range_there_is_a_sign_test_and_no_interval() -> None:
    made = wald((1.0, 3.0), 0.0, OPEN, units=7)
    assert made.limits is None
    assert made.p_values is not None
    assert made.p_values["less"] == 0.5**7


def test_ends_replace_the_range_of_the_metric() -> None:
    wide = wald((1.0, 1.0), 0.0, SHARE, units=20, ends=lambda: (-8.0, 8.0)).limits
    assert isinstance(wide, EqualCaseLimits)
    assert (wide.low, wide.high) == (-8.0, 8.0)


def test_few_units_are_said_of_a_law_with_spread_only() -> None:
    few = [of_limits.few_for_normal_limits(3, unlike=None)]
    assert wald((0.8, 0.7), 0.01, SHARE, units=3, few=few).cautions == tuple(few)
    flat = wald((0.8, 0.7), 0.0, SHARE, units=3, few=few)
    assert [caution.code for caution in flat.cautions] == ["EN035"]


@pytest.mark.parametrize(
    ("units", "unlike", "said"),
    [
        (29, math.inf, "There are 29 cases."),
        (1, math.inf, "There is 1 case."),
        (200, 4, "There are 4 of 200 cases that differ from the rest."),
        (200, 1, "There is 1 of 200 cases that differ from the rest."),
        (30, 5, None),
    ],
)
def test_few_units_or_few_unlike_ones_are_told(units: int, unlike: float, said: str | None) -> None:
    found = [c.what for c in few_units_in_test(units, "case", metric("accuracy"), unlike=unlike)]
    assert found == ([] if said is None else [said])


def test_the_sign_flip_test_is_named_where_it_can_be_used_only() -> None:
    (mean,) = few_units_in_test(3, "case", metric("accuracy"))
    (area,) = few_units_in_test(3, "case", metric("roc_auc"))
    assert "test='sign_flip'" in mean.cure
    assert "sign_flip" not in area.cure


def test_counts_have_their_noun(golden: Golden) -> None:
    (lone,) = few_units_in_test(1, "case of the rarer class", metric("accuracy"))
    (two,) = few_units_in_test(2, "case of the rarer class", metric("accuracy"))
    golden.check(lone.what)
    golden.check(two.what)
