"""The split search by running sums is the double loop of the definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earnest.explanation import MOST_LEVELS, Split, best_split, impurity


def plain_impurity(table: np.ndarray) -> float:
    """The definition: squared distances from the mean of what exists, summed."""
    total = 0.0
    for column in table.T:
        known = column[~np.isnan(column)]
        total += sum((value - known.mean()) ** 2 for value in known) if len(known) else 0.0
    return float(total)


def plain_best(table: np.ndarray, features: np.ndarray, categorical: list[bool], least: int = 2):
    """Every column, every cut or subset, in order; the first of equal ones wins."""
    best = (np.inf, None)
    for j in range(features.shape[1]):
        x = features[:, j]
        if np.isnan(x).any():
            continue
        levels = np.unique(x)
        if categorical[j]:
            sides = [
                np.isin(x, chosen)
                for size in range(1, len(levels))
                for chosen in combinations(levels, size)
            ]
        else:
            sides = [x <= level for level in levels[:-1]]
        for left in sides:
            if min(left.sum(), (~left).sum()) < least:
                continue
            value = plain_impurity(table[left]) + plain_impurity(table[~left])
            if value < best[0] - 1e-9:
                best = (value, (j, left))
    return best


def check_against_loop(table, features, categorical, least: int = 2) -> None:
    value, found = plain_best(table, features, categorical, least)
    split = best_split(table, features, categorical, least)
    if found is None:
        assert split is None
        return
    assert split is not None
    left = split.goes_left(features[:, split.column])
    assert split.impurity == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert plain_impurity(table[left]) + plain_impurity(table[~left]) == pytest.approx(
        value, rel=1e-9, abs=1e-9
    )


@given(st.integers(0, 10_000), st.integers(2, 25), st.integers(1, 4), st.integers(1, 3))
def test_one_pass_is_the_double_loop(seed: int, n: int, k: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 6, (n, d)).astype(float)  # many ties
    categorical = rng.random(d) < 0.4
    check_against_loop(rng.random((n, k)), features, categorical.tolist())


@given(st.integers(0, 10_000))
def test_means_are_over_what_exists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((15, 3))
    table[rng.random((15, 3)) < 0.3] = np.nan
    features = np.column_stack([rng.random(15), rng.integers(0, 3, 15)])
    check_against_loop(table, features, [False, True])


def test_a_column_that_is_inactive_somewhere_is_never_asked() -> None:
    table = np.array([[0.0], [0.0], [9.0], [9.0]])
    good = np.array([0.0, 0.0, 1.0, np.nan])
    split = best_split(table, np.column_stack([good, [0.0, 1.0, 0.0, 1.0]]), [False, False])
    assert split is not None
    assert split.column == 1


def test_ties_go_to_the_first_candidate_and_the_first_column() -> None:
    table = np.array([[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]])
    x = np.arange(6.0)
    split = best_split(table, np.column_stack([x, x]), [False, False], 1)
    assert split is not None
    assert (split.column, split.gap) == (0, (0.0, 1.0))


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e8])
def test_a_large_level_does_not_hide_small_differences(shift: float) -> None:
    table = np.array([[0.0], [1e-3], [0.5], [0.501]]) + shift
    split = best_split(table, np.arange(4.0)[:, None], [False], 1)
    assert split is not None
    assert split.gap == (1.0, 2.0)


def test_children_have_at_least_the_points_asked_for() -> None:
    table = np.array([[9.0], *[[0.0]] * 9])
    x = np.arange(10.0)[:, None]
    alone, together = best_split(table, x, [False], 1), best_split(table, x, [False], 4)
    assert alone is not None
    assert together is not None
    assert alone.gap == (0.0, 1.0)
    assert together.gap == (3.0, 4.0)
    assert best_split(table, x, [False], 6) is None


@pytest.mark.parametrize(
    "features",
    [np.zeros((4, 1)), np.full((4, 1), np.nan), np.empty((4, 0))],
    ids=["constant", "inactive", "no columns"],
)
def test_what_cannot_be_split_is_not(features: np.ndarray) -> None:
    assert (
        best_split(np.random.default_rng(0).random((4, 2)), features, [False] * features.shape[1])
        is None
    )


def test_one_row_has_no_impurity_and_no_split() -> None:
    assert impurity(np.array([[3.0, 4.0]])) == 0.0
    assert best_split(np.array([[3.0]]), np.array([[1.0]]), [False], 1) is None


def test_categories_need_no_order() -> None:
    codes = np.repeat([0.0, 1.0, 2.0, 3.0], 5)
    table = np.where(np.isin(codes, [0.0, 2.0]), 5.0, 0.0)[:, None]
    split = best_split(table, codes[:, None], [True])
    assert split is not None
    assert split.levels == (0.0, 2.0)
    assert split.impurity == 0.0
    assert split.exact


@pytest.mark.parametrize("levels", [MOST_LEVELS, MOST_LEVELS + 6])
def test_numbers_of_many_levels_are_divided_exactly_along_their_means(levels: int) -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(float(levels)), 4)
    table = rng.permutation(levels)[codes.astype(int)][:, None] + 0.1 * rng.random((len(codes), 1))
    split = best_split(table, codes[:, None], [True])
    assert split is not None
    assert split.exact
    # Fisher (1958): the best subset is a prefix in the order of the means
    means = np.array([table[codes == c].mean() for c in range(levels)])
    order = np.argsort(means)
    prefixes = [np.isin(codes, order[:k]) for k in range(1, levels)]
    best = min(plain_impurity(table[p]) + plain_impurity(table[~p]) for p in prefixes)
    assert split.impurity == pytest.approx(best, rel=1e-9)


def test_curves_of_many_levels_are_divided_along_an_ordering_and_said_so() -> None:
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(16.0), 5)
    high = np.isin(codes, [1, 5, 6, 12])
    table = np.where(high[:, None], [3.0, 1.0], [0.0, 2.0]) + 0.01 * rng.random((80, 2))
    split = best_split(table, codes[:, None], [True])
    assert split is not None
    assert not split.exact
    chosen = split.goes_left(codes)
    assert (chosen == high).all() or (chosen == ~high).all()


def test_the_best_of_each_column_is_the_best_of_that_column_alone() -> None:
    rng = np.random.default_rng(5)
    table, features = rng.random((30, 4)), rng.random((30, 3))
    each = [best_split(table, features[:, [j]], [False]) for j in range(3)]
    whole = best_split(table, features, [False] * 3)
    assert whole is not None
    impurities = [split.impurity for split in each if split]
    assert len(impurities) == 3
    assert impurities.index(whole.impurity) == int(np.argmin(impurities)) == whole.column


def test_the_threshold_divides_neighbouring_floats() -> None:
    low = 1.0
    high = float(np.nextafter(low, 2.0))
    split = Split(0, (low, high), None, 0.0)
    assert split.goes_left(np.array([low, high])).tolist() == [True, False]
