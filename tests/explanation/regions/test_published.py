"""The published search is thinned; see tests/golden for its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.explanation import FEWEST, best_split, find_published_split, list_split_points


def test_every_second_order_statistic_is_a_candidate() -> None:
    # nine values: the third, fifth and seventh, each moved to the middle of its gap
    assert list_split_points(np.arange(9.0)).tolist() == [2.5, 4.5, 6.5]


def test_many_values_are_thinned_to_101_quantiles() -> None:
    assert len(list_split_points(np.arange(5000.0))) == 101


@pytest.mark.parametrize("values", [np.zeros(20), np.arange(3.0)])
def test_nothing_to_divide_gives_no_candidates(values: np.ndarray) -> None:
    assert len(list_split_points(values)) == 0


def test_small_nodes_and_inactive_columns_are_given_up() -> None:
    rng = np.random.default_rng(0)
    assert find_published_split(rng.random((FEWEST - 1, 2)), rng.random((FEWEST - 1, 1))) is None
    assert find_published_split(rng.random((20, 2)), np.full((20, 1), np.nan)) is None


def test_it_is_never_better_than_every_split_point() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        table, features = rng.random((25, 3)), rng.random((25, 2))
        thinned, best = (
            find_published_split(table, features),
            best_split(table, features, [False] * 2),
        )
        assert thinned is not None
        assert best is not None
        assert best.impurity <= thinned.impurity + 1e-12
