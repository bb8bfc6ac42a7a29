"""A resample is a row of weights."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.core import Unit
from earnest.resampling import Weights


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.uint16])
def test_out_of_bag_is_weight_zero(kind: type) -> None:
    weights = Weights(np.array([[2, 0, 1], [0, 3, 0]], dtype=kind), Unit.GROUP)
    outside = weights.out_of_bag()
    np.testing.assert_array_equal(outside.values, [[0, 1, 0], [1, 0, 1]])
    assert outside.values.dtype == np.uint8
    assert outside.unit is Unit.GROUP


def test_real_weights_have_no_out_of_bag() -> None:
    with pytest.raises(en.errors.EvidenceError, match="never 0"):
        Weights(np.array([[0.5, 1.5]])).out_of_bag()


def test_the_sample_itself_is_a_resample() -> None:
    weights = Weights.ones(4)
    np.testing.assert_array_equal(weights.values, [[1, 1, 1, 1]])
    assert weights.integral
    assert len(weights) == 1
    assert not Weights(np.ones((2, 3))).integral


def test_some_resamples_can_be_taken() -> None:
    weights = Weights(np.arange(6, dtype=np.uint8).reshape(3, 2))
    np.testing.assert_array_equal(weights.take(np.array([2, 0])).values, [[4, 5], [0, 1]])
    np.testing.assert_array_equal(weights.take(np.array([False, True, False])).values, [[2, 3]])


@pytest.mark.parametrize(
    "values",
    [
        np.ones(3),
        np.ones((1, 2, 3)),
        np.array([[1, -1]]),
        np.array([[1.0, np.nan]]),
        np.array([["a", "b"]]),
        np.array([[True, False]]),
    ],
)
def test_what_is_no_matrix_of_weights_is_refused(values: np.ndarray) -> None:
    with pytest.raises(en.errors.InputError, match="weights"):
        Weights(values)
