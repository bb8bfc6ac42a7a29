"""The no-information rate without making all pairs, against making them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import earnest as en
from earnest.inference import mean_distance, mean_square, no_information_rate
from earnest.testing import example_replicates, mirrored

NUMBERS = arrays(float, st.integers(1, 12), elements=st.floats(-100, 100, width=16))


@settings(max_examples=60, deadline=None)
@given(NUMBERS, NUMBERS)
def test_means_over_pairs_are_those_of_the_double_loop(y: np.ndarray, value: np.ndarray) -> None:
    away = y[:, None] - value
    scale = 1.0 + np.abs(away).max() ** 2
    assert mean_square(y, value) == pytest.approx((away**2).mean(), abs=1e-11 * scale)
    assert mean_distance(y, value) == pytest.approx(np.abs(away).mean(), abs=1e-11 * scale)


def test_far_numbers_lose_no_digits() -> None:
    y, value = 1e9 + np.arange(5.0), 1e9 + np.arange(5.0)[::-1]
    assert mean_square(y, value) == pytest.approx(4.0, rel=1e-12)
    assert mean_distance(y, value) == pytest.approx(1.6, rel=1e-12)


def test_the_error_rate_is_that_of_shares() -> None:
    made = example_replicates("binary", n_cases=30, n_replicates=3)
    p, q = (made.target.y == 1).mean(), (made.apparent > 0).mean()
    rate = no_information_rate(made, en.metric("error_rate").on("binary"))
    assert rate == pytest.approx(p * (1 - q) + (1 - p) * q)  # eq. 40


def test_a_weighted_distance_is_that_of_the_double_loop() -> None:
    rng = np.random.default_rng(5)
    y, value, weight = rng.normal(size=9), np.round(rng.normal(size=12), 1), rng.random(9)
    loop = (weight[:, None] * np.abs(y[:, None] - value)).mean()
    assert mean_distance(y, value, weight) == pytest.approx(loop, rel=1e-12)


REGRESSIONS = ["mse", "rmse", "mae", "mape", "r2", "explained_variance", "pearson"]


@pytest.mark.parametrize("metric", REGRESSIONS)
def test_no_regression_of_ours_takes_all_pairs(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("all pairs were made")

    monkeypatch.setattr("earnest.inference.cases.no_information._average_in_blocks", refuse)
    made = example_replicates("regression", n_cases=25, n_replicates=3)
    assert np.isfinite(no_information_rate(made, en.metric(metric)))


@pytest.mark.parametrize("metric", REGRESSIONS)
def test_blocks_and_mirrors_agree_with_the_formula(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = example_replicates("regression", n_cases=25, n_replicates=3)
    measure = en.metric(metric)
    # The mirrored metric has features of its own, and so goes through all pairs.
    monkeypatch.setattr("earnest.inference.cases.no_information.PAIRS", 60)
    other = no_information_rate(made, mirrored(measure))
    assert other == pytest.approx(-no_information_rate(made, measure), rel=1e-9)
