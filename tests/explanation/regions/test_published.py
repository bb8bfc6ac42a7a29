"""The published search is thinned; see tests/golden for its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from benchmarks.papers.moosbauer2021.thinned_splits import (
    FEWEST,
    PublishedGrowth,
    find_published_split,
    list_split_points,
)
from earnest.explanation import RegionRule, best_split, effect_of, regions_of
from tests.explanation.scenes import known_scene, unit


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


def test_a_published_tree_asks_only_about_numbers_and_has_its_limits_in_the_middle() -> None:
    kind = en.Parameter(name="kind", kind="categorical", choices=("x", "y"))
    scene = known_scene(en.Space((unit("a"), unit("b"), kind)), n_points=200)
    curve = effect_of(scene, "a")
    tree = regions_of(scene, curve, RegionRule(PublishedGrowth(depth=2)))
    assert curve.ice is not None
    values = np.unique(curve.ice.points[:, 1])
    limits = [limit for region in tree.regions for limit in region.limits]
    assert {limit.param for limit in limits} == {"b"}
    for limit in limits:
        after = int(np.searchsorted(values, limit.bound))
        assert values[after] - limit.bound == pytest.approx(limit.bound - values[after - 1])
