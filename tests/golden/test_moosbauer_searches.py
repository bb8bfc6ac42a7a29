"""What the searches of table 1 of Moosbauer et al. 2021 are made of."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.papers.moosbauer2021.kriging import STRETCH, Kriging, negative_log_likelihood
from benchmarks.papers.moosbauer2021.optimise import styblinski_tang
from benchmarks.papers.moosbauer2021.published_draws import design, uniform


def test_draws_are_those_of_r() -> None:
    # what R prints after set.seed(1234) and set.seed(123), to its seven digits
    np.testing.assert_allclose(uniform(1234, 3), [0.1137034, 0.6222994, 0.6092747], atol=5e-8)
    np.testing.assert_allclose(uniform(123, 2), [0.2875775, 0.7883051], atol=5e-8)


def test_points_are_drawn_row_by_row() -> None:
    np.testing.assert_array_equal(design(1234, 4, 3)[1], -5 + 10 * uniform(1234, 6)[3:])


@pytest.mark.parametrize("kernel", STRETCH)
def test_the_slope_of_the_likelihood_is_its_difference(kernel: str) -> None:
    points = design(1, 20, 3)
    values = styblinski_tang(points)
    theta = np.array([1.0, 0.5, 0.4, 0.1])

    def of(place: np.ndarray) -> tuple[float, np.ndarray]:
        return negative_log_likelihood(place, points, values, float(values.var()), kernel)

    steps = 1e-5 * np.eye(4)
    central = [(of(theta + step)[0] - of(theta - step)[0]) / 2e-5 for step in steps]
    # central differences of a function of size 100: rounding 1e-14 * 100 / 1e-5, with room
    np.testing.assert_allclose(of(theta)[1], central, atol=1e-5)


@pytest.mark.parametrize("kernel", STRETCH)
def test_the_process_goes_through_its_values(kernel: str) -> None:
    points = design(2, 25, 2)
    values = styblinski_tang(points)
    process = Kriging(kernel=kernel).fit(points, values)
    mean, sd = process.predict(points)
    # the nugget is 1e-8 variances: 1e-4 standard deviations, with room for many of them
    np.testing.assert_allclose(mean, values, atol=1e-2 * values.std())
    assert np.all(sd < 1e-2 * np.sqrt(process.amplitude))


def test_the_sd_of_a_mean_is_the_sd_where_all_points_are_one() -> None:
    points = design(3, 25, 2)
    process = Kriging().fit(points, styblinski_tang(points))
    there = np.tile([[1.3, -4.1]], (5, 1))
    assert process.sd_of_mean(there) == pytest.approx(process.predict(there)[1][0], rel=1e-6)
