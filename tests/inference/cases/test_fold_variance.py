"""The two variances of a cross-validated mean: plain loops, laws, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from earnest.errors import EvidenceError, InputError
from earnest.inference import variance_of_mean
from tests.snapshots import Golden

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
KINDS = ("within_fold", "all_pairs")
NEAR = 1e-12


# ---- the definition once more, in plain loops


def slow_within(losses: Floats, folds: Ints, groups: Ints | None = None) -> float:
    """Return the variance of the mean of one repeat: ALL cases tested, groups inside folds."""
    n, total = len(losses), 0.0
    for fold in sorted(set(folds.tolist())):
        rows = [i for i in range(n) if folds[i] == fold]
        mean = sum(losses[i] for i in rows) / len(rows)
        units = rows if groups is None else sorted({int(groups[i]) for i in rows})
        for unit in units:
            mine = [i for i in rows if (i if groups is None else groups[i]) == unit]
            part = sum(losses[i] - mean for i in mine)
            total += len(units) / (len(units) - 1) * part**2
    return total / n**2


def slow_all_pairs(losses: Floats, groups: Ints | None = None) -> float:
    n = len(losses)
    mean = sum(losses) / n
    if groups is None:
        return sum((loss - mean) ** 2 for loss in losses) / n / n
    units = sorted(set(groups.tolist()))
    sums = [sum(losses[i] - mean for i in range(n) if groups[i] == g) for g in units]
    return len(units) / (len(units) - 1) * sum(s**2 for s in sums) / n**2


def literal_sigma_in(losses: Floats, k: int) -> float:
    """Return eq. 8 of Bayle et al. 2020 with the inner mean over the fold; k divides n."""
    n = len(losses)
    blocks = losses.reshape(k, n // k)
    return math.sqrt(sum(((b - b.mean()) ** 2).sum() / (n / k - 1) for b in blocks) / k)


def problem(seed: int, n: int = 23, k: int = 4, repeats: int = 1) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(seed)
    folds = np.stack([rng.permutation(n) % k for _ in range(repeats)], axis=1)
    return rng.standard_normal((n, repeats)) ** 3, folds


@pytest.mark.parametrize("seed", range(4))
def test_without_groups_it_is_the_plain_loop_for_unequal_folds(seed: int) -> None:
    losses, folds = problem(seed)
    within = variance_of_mean(losses, folds, None, "within_fold")
    assert within == pytest.approx(slow_within(losses[:, 0], folds[:, 0]), rel=NEAR)
    overall = variance_of_mean(losses, folds, None, "all_pairs")
    assert overall == pytest.approx(slow_all_pairs(losses[:, 0]), rel=NEAR)


@pytest.mark.parametrize("seed", range(4))
def test_with_groups_in_folds_it_is_the_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(12), rng.integers(1, 5, 12))
    folds = (groups % 4)[:, None]
    losses = rng.standard_normal((len(groups), 1)) + groups[:, None] / 5
    within = variance_of_mean(losses, folds, groups, "within_fold")
    assert within == pytest.approx(slow_within(losses[:, 0], folds[:, 0], groups), rel=NEAR)
    overall = variance_of_mean(losses, folds, groups, "all_pairs")
    assert overall == pytest.approx(slow_all_pairs(losses[:, 0], groups), rel=NEAR)


def test_equal_folds_give_the_formulas_of_the_paper() -> None:
    losses, _ = problem(5, n=40)
    folds = np.arange(40)[:, None] // 8
    within = variance_of_mean(losses, folds, None, "within_fold")
    assert within == pytest.approx(literal_sigma_in(losses[:, 0], 5) ** 2 / 40, rel=NEAR)
    overall = variance_of_mean(losses, folds, None, "all_pairs")
    assert overall == pytest.approx(losses.std() ** 2 / 40, rel=NEAR)


def test_repeats_are_averaged_by_case_over_all_pairs_and_by_repeat_within_folds() -> None:
    losses, folds = problem(6, repeats=3)
    overall = variance_of_mean(losses, folds, None, "all_pairs")
    assert overall == pytest.approx(slow_all_pairs(losses.mean(axis=1)), rel=NEAR)
    within = variance_of_mean(losses, folds, None, "within_fold")
    parts = [slow_within(losses[:, r], folds[:, r]) for r in range(3)]
    assert within == pytest.approx(sum(parts) / 3, rel=NEAR)


def test_a_case_that_a_repeat_did_not_test_is_not_read_there() -> None:
    losses, folds = problem(7, repeats=2)
    folds[:5, 1], losses[:5, 1] = -1, np.nan
    away = np.zeros(23)
    for r, used in ((0, np.arange(23)), (1, np.arange(5, 23))):
        away[used] += (losses[used, r] - losses[used, r].mean()) / len(used) / 2
    overall = variance_of_mean(losses, folds, None, "all_pairs")
    assert overall == pytest.approx((away**2).sum(), rel=NEAR)
    within = variance_of_mean(losses, folds, None, "within_fold")
    parts = slow_within(losses[:, 0], folds[:, 0]), slow_within(losses[5:, 1], folds[5:, 1])
    assert within == pytest.approx(sum(parts) / 2, rel=NEAR)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_done_together_as_one_by_one(kind: str) -> None:
    rng = np.random.default_rng(8)
    terms = rng.standard_normal((30, 4, 2))
    folds = np.stack([np.arange(30) % 5, np.arange(30) // 6], axis=1)
    groups = np.arange(30) // 2
    for units in (None, groups):
        together = variance_of_mean(terms, folds, units, kind)
        alone = [variance_of_mean(terms[:, c], folds, units, kind) for c in range(4)]
        assert together.shape == (4,)
        np.testing.assert_allclose(together, alone, rtol=NEAR)


def test_singletons_as_groups_change_nothing_within_folds_and_a_divisor_over_all_pairs() -> None:
    losses, folds = problem(9)
    alone = np.arange(23)
    within = variance_of_mean(losses, folds, alone, "within_fold")
    assert within == pytest.approx(variance_of_mean(losses, folds, None, "within_fold"), rel=NEAR)
    overall = variance_of_mean(losses, folds, alone, "all_pairs")
    plain = variance_of_mean(losses, folds, None, "all_pairs")
    assert overall == pytest.approx(plain * 23 / 22, rel=NEAR)  # G / (G - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_twins_in_one_group_tell_nothing_new(kind: str) -> None:
    losses, folds = problem(10)
    twice, both = np.repeat(losses, 2, axis=0), np.repeat(folds, 2, axis=0)
    groups = np.repeat(np.arange(23), 2)
    robust = variance_of_mean(twice, both, groups, kind)
    assert robust == pytest.approx(variance_of_mean(losses, folds, np.arange(23), kind), rel=NEAR)
    assert robust > 2 * variance_of_mean(twice, both, None, kind)


def test_a_group_in_two_folds_keeps_its_covariance() -> None:
    # two groups of two cases, one case of each in both folds: e_g is summed over folds first
    losses = np.array([[1.0], [0.0], [3.0], [0.0]])
    folds, groups = np.array([[0], [0], [1], [1]]), np.array([0, 1, 0, 1])
    # fold means 0.5 and 1.5; group 0 is off by 0.5 + 1.5 = 2, group 1 by -2; G_j / (G_j - 1) = 2
    assert variance_of_mean(losses, folds, groups, "within_fold") == pytest.approx(
        2 * (4 + 4) / 16, rel=NEAR
    )


# ---- laws

tables = st.integers(0, 2**32 - 1).flatmap(
    lambda seed: st.tuples(
        st.just(seed), st.integers(2, 5), st.integers(2, 7), st.integers(1, 3), st.booleans()
    )
)


def drawn(table: tuple[int, int, int, int, bool]) -> tuple[Floats, Ints, Ints | None]:
    """Return terms (n, R), folds (n, R) with two or more cases each, and groups inside folds."""
    seed, k, size, repeats, grouped = table
    rng = np.random.default_rng(seed)
    units = k * size
    of_unit = np.stack([rng.permutation(units) % k for _ in range(repeats)], axis=1)
    groups = np.arange(units) if not grouped else np.repeat(np.arange(units), 2)
    folds = of_unit[groups]
    return rng.standard_normal(folds.shape), folds, groups if grouped else None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(table=tables, shift=st.floats(-100, 100), scale=st.floats(0.01, 100))
def test_a_shift_changes_nothing_and_a_scale_goes_squared(
    kind: str, table: tuple[int, int, int, int, bool], shift: float, scale: float
) -> None:
    terms, folds, groups = drawn(table)
    plain = variance_of_mean(terms, folds, groups, kind)
    moved = variance_of_mean(shift + scale * terms, folds, groups, kind)
    # the spread is at least 0.01 of a shift of 100: about 1e-16 * 1e4 of it is rounding, squared
    assert moved == pytest.approx(scale**2 * plain, rel=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(table=tables)
def test_names_of_folds_and_order_of_cases_do_not_matter(
    kind: str, table: tuple[int, int, int, int, bool]
) -> None:
    terms, folds, groups = drawn(table)
    plain = variance_of_mean(terms, folds, groups, kind)
    rows = np.random.default_rng(table[0]).permutation(len(terms))
    renamed = 7 * (folds.max() - folds) + 3
    units = None if groups is None else (groups.max() - groups)[rows]
    moved = variance_of_mean(terms[rows], renamed[rows], units, kind)
    assert moved == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(table=tables, copies=st.integers(2, 4))
def test_repeats_that_are_copies_change_nothing(
    kind: str, table: tuple[int, int, int, int, bool], copies: int
) -> None:
    terms, folds, groups = drawn(table)
    plain = variance_of_mean(terms, folds, groups, kind)
    more = np.tile(terms, (1, copies)), np.tile(folds, (1, copies))
    assert variance_of_mean(*more, groups, kind) == pytest.approx(plain, rel=1e-10)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_leave_one_out_is_the_standard_error_of_a_mean(losses: list[float]) -> None:
    values, folds = np.array(losses)[:, None], np.arange(len(losses))[:, None]
    expected = values.std() / math.sqrt(len(losses))
    made = math.sqrt(variance_of_mean(values, folds, None, "all_pairs"))
    assert made == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(table=tables)
def test_more_repeats_never_widen_what_a_case_alone_tells(
    table: tuple[int, int, int, int, bool],
) -> None:
    # the sd of a mean over repeats is at most the mean of their sds (Minkowski)
    terms, folds, _ = drawn(table)
    together = variance_of_mean(terms, folds, None, "all_pairs") ** 0.5
    each = [
        variance_of_mean(terms[:, [r]], folds[:, [r]], None, "all_pairs") ** 0.5
        for r in range(terms.shape[1])
    ]
    assert together <= np.mean(each) * (1 + 1e-12)


# ---- edges


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -1e9, 1e-300])
def test_equal_losses_have_variance_zero_exactly(kind: str, value: float) -> None:
    losses, folds = np.full((1001, 1), value), np.arange(1001)[:, None] % 7
    assert variance_of_mean(losses, folds, None, kind) == 0.0


def test_what_cancels_over_repeats_and_groups_leaves_no_rounding() -> None:
    # thirds over three repeats sum to 2 / 3 in each of two groups, up to the last digit
    losses = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    folds = np.array([[2, 1, 0], [0, 0, 1], [1, 2, 2]])
    assert variance_of_mean(losses, folds, np.array([1, 0, 1]), "all_pairs") == 0.0
    assert variance_of_mean(losses / 3, folds, None, "all_pairs") == 0.0


def test_one_far_case_in_a_million_is_not_lost() -> None:
    losses, folds = np.full((1000, 1), 0.1), np.arange(1000)[:, None] % 5
    losses[3] = 1e6
    made = variance_of_mean(losses, folds, None, "all_pairs")
    assert made == pytest.approx(slow_all_pairs(losses[:, 0]), rel=1e-9)


def test_within_folds_a_fold_with_one_case_is_refused_and_all_pairs_named() -> None:
    losses, folds = np.arange(5.0)[:, None], np.array([0, 0, 1, 1, 2])[:, None]
    with pytest.raises(EvidenceError, match="bayle_all_pairs"):
        variance_of_mean(losses, folds, None, "within_fold")
    assert variance_of_mean(losses, folds, None, "all_pairs") > 0


def test_within_folds_a_fold_with_one_group_is_refused(golden: Golden) -> None:
    losses, folds = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 1, 1])[:, None]
    with golden.raises(EvidenceError):
        variance_of_mean(losses, folds, np.array([0, 0, 1, 1, 2, 2]), "within_fold")


def test_one_group_alone_is_refused() -> None:
    losses, folds = np.arange(6.0)[:, None], np.arange(6)[:, None] % 2
    with pytest.raises(EvidenceError, match="two groups"):
        variance_of_mean(losses, folds, np.zeros(6, dtype=int), "all_pairs")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="within_fold"):
        variance_of_mean(np.ones((4, 1)), np.zeros((4, 1), dtype=int), None, "within")
