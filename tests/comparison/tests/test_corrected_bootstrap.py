"""The corrected bootstrap against the plain one, of which it stretches the draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import compare, compare_many
from tests.comparison.evidence import classified


def test_differences_are_spread_about_their_mean_by_the_root_of_one_and_n_over_m() -> None:
    pi = classified(n=100)
    asked = {"metric": "average_precision", "rng": 0}
    bare = compare(pi, "good", "fair", test="bootstrap", **asked)
    made = compare(pi, "good", "fair", test="corrected_bootstrap", **asked)
    assert bare.source is not None
    assert made.source is not None
    draws = bare.source.draws
    assert draws is not None
    stretched = draws.mean() + (draws - draws.mean()) * math.sqrt(1 + 100 / 80)
    np.testing.assert_allclose(made.source.draws, stretched, rtol=1e-12)
    assert made.difference == bare.difference
    assert bare.p_value is not None
    assert made.p_value is not None
    assert made.p_value > bare.p_value


def test_it_is_the_default_for_metrics_without_a_variance_of_cases() -> None:
    many = compare_many(classified(), metric="average_precision", rng=0)
    assert {made.test for made in many} == {"corrected_bootstrap"}
    assert many.joint


@pytest.mark.parametrize("folds", [2, 5])
def test_larger_training_sets_make_it_surer(folds: int) -> None:
    pi = classified(n=100, folds=folds)
    asked = {"metric": "average_precision", "rng": 0}
    bare = compare(pi, "good", "fair", test="bootstrap", **asked)
    made = compare(pi, "good", "fair", test="corrected_bootstrap", **asked)
    ratio = (made.standard_error or 0.0) / (bare.standard_error or 1.0)
    assert ratio == pytest.approx(math.sqrt(1 + folds / (folds - 1)))
