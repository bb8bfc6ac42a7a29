"""Weighted sums: close to the true ones, and the same bits however they are cut up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from earnest.core.base import sums
from earnest.core.base.sums import sum_block, weighted_sums

CASES = 2 * sums.ROWS + 77


def counts(rows: int, n: int = CASES) -> NDArray[np.uint8]:
    return np.random.default_rng(0).poisson(1.0, (rows, n)).astype(np.uint8)


def real(rows: int, n: int = CASES) -> NDArray[np.float64]:
    return np.random.default_rng(1).exponential(1.0, (rows, n))


def table(columns: int, n: int = CASES) -> NDArray[np.float64]:
    return np.random.default_rng(2).standard_normal((n, columns)) ** 3


def true_sums(weights: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array(
        [
            [
                float(sum(Fraction(float(w)) * Fraction(float(v)) for w, v in zip(row, one)))  # noqa: B905
                for one in values.T
            ]
            for row in weights
        ]
    )


@pytest.mark.parametrize("drawn", [counts, real])
def test_sums_are_the_true_ones(drawn: Any) -> None:
    weights, values = drawn(3, 400), table(2, 400)
    size = weights.astype(float) @ np.abs(values)
    # one rounding of the sum; slices of real weights leave out 2**-63 of the largest, 400 times
    np.testing.assert_allclose(
        weighted_sums(weights, values), true_sums(weights, values), rtol=0, atol=2**-52 * size.max()
    )


@pytest.mark.parametrize("drawn", [counts, real])
def test_small_products_in_parts_are_the_products(drawn: Any) -> None:
    weights, values = drawn(600, 20), table(71, 20)
    assert sums.FEWEST_ROWS < sums.ALONE // values.size < len(weights)  # so there are parts
    rows = [weighted_sums(row[None], values)[0] for row in weights]
    np.testing.assert_array_equal(weighted_sums(weights, values), rows)
    both = sum_block(weights, np.stack([values, 2.0 * values]))
    np.testing.assert_array_equal(both, np.stack([rows, 2.0 * np.array(rows)]))


@pytest.mark.parametrize("drawn", [counts, real])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 13, 31])
def test_blocks_of_resamples_change_no_bit(drawn: Any, rows: int) -> None:
    weights, values = drawn(31), table(7)
    whole = weighted_sums(weights, values)
    parts = [weighted_sums(weights[b : b + rows], values) for b in range(0, 31, rows)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("drawn", [counts, real])
@pytest.mark.parametrize("columns", [1, 2, 3, 5, 16])
def test_blocks_of_columns_change_no_bit(drawn: Any, columns: int) -> None:
    weights, values = drawn(9), table(17)
    values[3, 4] = 1e15  # a column with a span of its own, which needs more slices
    whole = weighted_sums(weights, values)
    parts = [weighted_sums(weights, values[:, c : c + columns]) for c in range(0, 17, columns)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)


@pytest.mark.parametrize("drawn", [counts, real])
def test_the_order_of_cases_in_a_block_changes_no_bit(drawn: Any) -> None:
    weights, values = drawn(5, 2000), table(3, 2000)
    order = np.random.default_rng(3).permutation(2000)
    moved = sum_block(weights[:, order], values[order])
    np.testing.assert_array_equal(moved, sum_block(weights, values))


@pytest.mark.parametrize("drawn", [counts, real])
def test_a_bound_changes_rounding_only(drawn: Any) -> None:
    weights, values = drawn(9), np.random.default_rng(4).random((CASES, 5))
    whole = weighted_sums(weights, values, 1.0)
    np.testing.assert_allclose(whole, weighted_sums(weights, values), rtol=1e-15)
    alone = [
        weighted_sums(weights[b : b + 1], values[:, c : c + 1], 1.0) for b, c in np.ndindex(9, 5)
    ]
    np.testing.assert_array_equal(np.reshape(alone, (9, 5)), whole)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16])
def test_the_type_of_counts_changes_no_bit(kind: Any) -> None:
    weights, values = counts(5), table(3)
    np.testing.assert_array_equal(
        weighted_sums(weights.astype(kind), values), weighted_sums(weights, values)
    )


def test_large_counts_are_summed_too() -> None:
    weights = np.array([[100_000, 3], [1, 0]])
    made = weighted_sums(weights, np.array([[0.1], [0.7]]))
    np.testing.assert_allclose(made[:, 0], [10_002.1, 0.1], rtol=1e-15)


@pytest.mark.parametrize("large", [1e6, 1e15, 1e200])
def test_a_case_that_was_not_drawn_costs_the_others_no_digits(large: float) -> None:
    # 40 bits of the smallest number are kept, 1e-12
    values = np.array([[large], [1.0], [1 / 3]])
    for weights in (np.array([[0, 1, 2]], dtype=np.uint8), np.array([[0.0, 1.0, 2.0]])):
        assert weighted_sums(weights, values)[0, 0] == pytest.approx(5 / 3, rel=1e-12)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_cannot_be_cut_do_as_in_a_product(odd: float) -> None:
    weights, values = counts(6, 50), table(3, 50)
    values[0, 1] = odd
    weights[:, 0] = 1
    made = weighted_sums(weights, values)
    np.testing.assert_allclose(made, weights.astype(float) @ values, rtol=1e-12)
    np.testing.assert_array_equal(
        made[:, ::2], weighted_sums(weights, np.ascontiguousarray(values[:, ::2]))
    )


@pytest.mark.parametrize("shape", [(0, 4, 2), (3, 4, 0), (3, 0, 2)])
def test_nothing_sums_up_to_nothing(shape: tuple[int, int, int]) -> None:
    b, n, c = shape
    for kind in (np.uint8, np.float64):
        made = weighted_sums(np.ones((b, n), dtype=kind), np.ones((n, c)))
        assert made.shape == (b, c)
        assert not made.any()
