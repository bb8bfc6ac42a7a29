"""The measures of section 6; see tests/golden for published numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from earnest.explanation import (
    CurveQuality,
    QualityGain,
    mean_confidence,
    negative_log_likelihood,
    optimum_confidence,
    relative_gain,
)


def test_the_likelihood_is_that_of_the_normal_law() -> None:
    rng = np.random.default_rng(0)
    truth, mean, sd = rng.random(9), rng.random(9), 0.1 + rng.random(9)
    expected = -norm.logpdf(truth, mean, sd).mean()
    assert negative_log_likelihood(truth, mean, sd) == pytest.approx(expected)


def test_no_uncertainty_is_infinitely_right_or_wrong() -> None:
    zero = np.zeros(2)
    assert negative_log_likelihood(zero, zero, zero) == -math.inf
    assert negative_log_likelihood(np.ones(2), zero, zero) == math.inf


def test_confidence_leaves_out_what_does_not_exist() -> None:
    assert mean_confidence(np.array([1.0, np.nan, 3.0])) == 2.0
    assert math.isnan(mean_confidence(np.array([np.nan])))


def test_the_nearest_grid_value_counts_the_first_of_two() -> None:
    grid, sd = np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0])
    assert optimum_confidence(sd, grid, 0.4) == 5.0
    assert optimum_confidence(sd, grid, 0.5) == 5.0
    assert optimum_confidence(sd, grid, math.nan) is None


def test_gains_are_relative_to_the_size_even_of_a_negative_likelihood() -> None:
    assert relative_gain(2.0, 1.0) == 0.5
    assert relative_gain(-2.0, -3.0) == 0.5
    assert relative_gain(0.0, 0.0) == 0.0
    gain = QualityGain(CurveQuality(2.0, None, -2.0), CurveQuality(1.0, 0.5, -1.0))
    assert (gain.mean_confidence, gain.optimum_confidence, gain.nll) == (0.5, None, -0.5)
    assert gain.to_dict()["gain"]["optimum_confidence"] is None
