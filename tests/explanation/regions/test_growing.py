"""A tree grows as it is told: by depth, by leaves, by confidence gained."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.errors import InputError
from earnest.explanation import DEFAULT_REGIONS, Growth, grow

RNG = np.random.default_rng(2)
X = RNG.random((120, 3))
TABLE = np.column_stack([(X[:, 0] > 0.5) * 4.0 + X[:, 1], (X[:, 2] > 0.3) * 1.0])


def width(rows: np.ndarray) -> float:
    return float(np.sqrt((TABLE[rows] ** 2).mean(axis=0)).mean())


def leaves(growth: Growth) -> list[np.ndarray]:
    nodes = grow(TABLE, X, [False] * 3, growth, width)
    return [node.rows for node in nodes if node.children is None]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_as_many_leaves_as_asked_for_and_they_divide_all_points(count: int) -> None:
    found = leaves(Growth(n_regions=count))
    assert len(found) == count
    assert sorted(np.concatenate(found).tolist()) == list(range(120))


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_every_node_of_a_level_is_split_by_depth(depth: int) -> None:
    assert len(leaves(Growth(depth=depth))) == 2**depth


def test_impurity_falls_with_every_split() -> None:
    nodes = grow(TABLE, X, [False] * 3, Growth(n_regions=6))
    for node in nodes:
        if node.children is not None:
            below = sum(nodes[child].impurity for child in node.children)
            assert below < node.impurity
            assert node.split is not None
            assert below == pytest.approx(node.split.impurity, rel=1e-9)


def test_nodes_are_in_order_and_know_their_place() -> None:
    nodes = grow(TABLE, X, [False] * 3, Growth(n_regions=6))
    for number, node in enumerate(nodes):
        if node.children is not None:
            left, right = node.children
            assert left == number + 1
            assert nodes[left].parent == nodes[right].parent == number
            assert (nodes[left].went_left, nodes[right].went_left) == (True, False)
            assert len(nodes[left].rows) + len(nodes[right].rows) == len(node.rows)


def test_the_leaf_whose_split_explains_most_is_split_next() -> None:
    first = grow(TABLE, X, [False] * 3, Growth(n_regions=2))
    assert first[0].split is not None
    assert first[0].split.column == 0


def test_splitting_stops_where_too_little_confidence_is_gained() -> None:
    some, many = leaves(Growth(min_gain=0.2)), leaves(Growth(min_gain=0.01))
    assert 1 <= len(some) < len(many)
    assert len(leaves(Growth(min_gain=0.99))) == 1


def test_limits_hold_together() -> None:
    assert len(leaves(Growth(depth=2, n_regions=3))) == 3
    assert len(leaves(Growth(depth=1, n_regions=30))) == 2


def test_equal_curves_are_not_divided() -> None:
    nodes = grow(np.ones((50, 4)), X[:50], [False] * 3, Growth(n_regions=4))
    assert len(nodes) == 1


def test_no_leaf_is_smaller_than_asked_for() -> None:
    assert min(map(len, leaves(Growth(n_regions=50)))) >= 10
    assert min(map(len, leaves(Growth(n_regions=50, min_points=25)))) >= 25


def test_nothing_said_means_four_regions() -> None:
    assert Growth().n_regions == DEFAULT_REGIONS
    assert Growth(depth=2).n_regions is None


@pytest.mark.parametrize(
    "knobs",
    [
        {"depth": -1},
        {"n_regions": 0},
        {"min_points": 0},
        {"min_gain": 1.0},
        {"min_gain": "much"},
        {"depth": 1.5},
    ],
)
def test_knobs_out_of_range_are_refused(knobs: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(knobs))):
        Growth(**knobs)
