"""The numerical derivative along cases against known ones."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.inference import find_influence


def moved_mean(x: np.ndarray, function: object) -> object:
    mean = x.mean(axis=0)
    return lambda step: function(mean + step * (x - mean))  # type: ignore[operator]  # a ufunc


@pytest.mark.parametrize("n", [2, 10, 1000, 100_000])
@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (np.sqrt, lambda m: 0.5 / np.sqrt(m)),
        (np.log, lambda m: 1 / m),
        (np.square, lambda m: 2 * m),
    ],
    ids=["root", "log", "square"],
)
def test_it_is_the_derivative_times_the_distance(n: int, function: object, slope: object) -> None:
    x = np.random.default_rng(n).gamma(0.5, size=(n, 2))
    made = find_influence(moved_mean(x, function), n)  # type: ignore[arg-type]  # made above
    mean = x.mean(axis=0)
    expected = slope(mean) * (x - mean)  # type: ignore[operator]  # a lambda
    # rounding is about n * 1e-12 of a value of size 1
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-11 * n)


def test_one_case_that_is_the_whole_mean_has_the_error_of_a_fourth_power() -> None:
    # all of the mean is one case: a step changes it by STEP = 1e-3 of itself
    x = np.zeros((500, 1))
    x[0] = 1.0
    made = find_influence(moved_mean(x, np.sqrt), 500)  # type: ignore[arg-type]  # made above
    expected = 0.5 / np.sqrt(1 / 500) * (x - 1 / 500)
    np.testing.assert_allclose(made[0], expected[0], rtol=1e-9)


def test_a_limit_of_the_range_does_not_bend_it() -> None:
    # x <= 1 for every case, so that a clip at 1 never acts on weights that could be
    x = np.ones((50, 1))
    x[0] = 0.0
    made = find_influence(moved_mean(x, lambda m: np.clip(m, 0.0, 1.0)), 50)  # type: ignore[arg-type]
    np.testing.assert_allclose(made, x - x.mean(), atol=1e-9)
    ones = find_influence(moved_mean(np.ones((50, 1)), lambda m: np.clip(m, 0.0, 1.0)), 50)  # type: ignore[arg-type]
    assert (ones == 0.0).all()


def test_rounding_counts_as_nothing() -> None:
    noise = 1 + 2e-16 * np.random.default_rng(0).standard_normal((100, 1))
    assert (find_influence(lambda step: noise * (1 + 1e-16 * np.sign(step)), 100) == 0.0).all()
