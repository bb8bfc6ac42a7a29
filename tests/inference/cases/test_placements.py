"""Placements against the definition by all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from earnest.errors import EvidenceError, InputError
from earnest.inference import placements
from earnest.inference.cases import placements as room
from earnest.kernels import fast, placing

Array = NDArray[np.float64]


def all_pairs(positive: NDArray[np.bool_], scores: Array) -> tuple[Array, Array]:
    """Return V10 and V01 by comparing every positive with every negative."""
    difference = scores[positive][:, None] - scores[~positive][None]  # (n1, n0, C)
    psi = (difference > 0) + 0.5 * (difference == 0)
    return psi.mean(axis=1), psi.mean(axis=0)


def delong(positive: NDArray[np.bool_], scores: Array) -> Array:
    """Return the covariance of the AUCs from the definition of DeLong et al. 1988."""
    own, other = all_pairs(positive, scores)
    s10, s01 = (np.atleast_2d(np.cov(part, rowvar=False)) for part in (own, other))
    return s10 / len(own) + s01 / len(other)


def sample(seed: int, n: int, columns: int, digits: int) -> tuple[NDArray[np.bool_], Array]:
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(n) < max(2, n // 3))
    return positive, np.round(rng.normal(size=(n, columns)) + positive[:, None], digits)


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "columns"), [(4, 1), (5, 3), (40, 7), (301, 4)])
def test_placements_are_the_shares_over_all_pairs(n: int, columns: int, digits: int) -> None:
    positive, scores = sample(n + digits, n, columns, digits)
    made = placements(positive, scores)
    own, other = all_pairs(positive, scores)
    # Both divide whole halves by the same number, in another order: a few units of the last place.
    np.testing.assert_allclose(made.positives, own, rtol=1e-14)
    np.testing.assert_allclose(made.negatives, other, rtol=1e-14)
    np.testing.assert_allclose(made.auc, own.mean(axis=0), rtol=1e-14)
    variances = np.diag(delong(positive, scores))
    np.testing.assert_allclose(made.variance(), variances, rtol=1e-11, atol=1e-17)


def test_both_sides_have_the_auc_as_their_mean() -> None:
    made = placements(*sample(3, 200, 5, 1))
    np.testing.assert_allclose(made.positives.mean(axis=0), made.negatives.mean(axis=0), rtol=1e-13)


def test_blocks_of_columns_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    positive, scores = sample(5, 50, 11, 1)
    whole = placements(positive, scores)
    monkeypatch.setattr(room, "CELLS", 60)
    apart = placements(positive, scores)
    assert (whole.positives == apart.positives).all()
    assert (whole.negatives == apart.negatives).all()


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "columns"), [(3, 1), (40, 7), (301, 4)])
def test_the_compiled_kernel_gives_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, n: int, columns: int, digits: int
) -> None:
    positive, scores = sample(n * 7 + digits, n, columns, digits)
    scores[0], scores[1, 0] = -0.0, 0.0
    plain = room._place_by_sorting(positive, scores)
    monkeypatch.setattr(placing, "COLUMN_CELLS", 100)
    for ours, theirs in zip(fast.placed(positive, scores), plain, strict=True):
        assert (ours == theirs).all()


def test_much_work_goes_to_the_compiled_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    positive, scores = sample(8, 60, 3, 1)
    plain = placements(positive, scores)
    monkeypatch.setattr(room, "WARM", 1)
    monkeypatch.setattr(room, "COLD", 1)
    compiled = placements(positive, scores.astype(np.float32))
    assert (plain.positives == compiled.positives).all()
    assert (plain.negatives == compiled.negatives).all()


def test_single_precision_and_memory_order_do_not_matter() -> None:
    positive, scores = sample(6, 60, 3, 1)
    single = placements(positive, np.asfortranarray(scores.astype(np.float32)))
    assert (single.positives == placements(positive, scores).positives).all()


def test_minus_zero_and_zero_are_tied_and_infinities_are_ends() -> None:
    positive = np.array([True, False, True, False])
    made = placements(positive, np.array([[0.0], [-0.0], [np.inf], [-np.inf]]))
    assert made.positives[:, 0].tolist() == [0.75, 1.0]
    assert made.negatives[:, 0].tolist() == [0.75, 1.0]


def test_perfect_separation_has_auc_one_and_no_variance_exactly() -> None:
    positive = np.arange(30) < 7
    made = placements(positive, np.where(positive, 2.0, 1.0)[:, None])
    assert made.auc.tolist() == [1.0]
    assert made.variance().tolist() == [0.0]


def test_constant_scores_have_auc_one_half_exactly() -> None:
    made = placements(np.arange(9) < 3, np.ones((9, 2)))
    assert made.auc.tolist() == [0.5, 0.5]
    assert made.variance().tolist() == [0.0, 0.0]


def test_one_case_of_a_class_leaves_the_variance_undefined_and_says_so() -> None:
    made = placements(np.arange(5) < 1, np.arange(10.0).reshape(5, 2))
    assert made.auc.tolist() == [0.0, 0.0]
    assert np.isnan(made.variance()).all()


@pytest.mark.parametrize("positive", [[True, True], [False, False]])
def test_one_class_is_refused(positive: list[bool]) -> None:
    with pytest.raises(EvidenceError, match="both classes"):
        placements(np.array(positive), np.zeros((2, 1)))


def test_unlike_shapes_and_missing_scores_are_refused() -> None:
    with pytest.raises(InputError, match="different shapes"):
        placements(np.array([True, False]), np.zeros((3, 1)))
    with pytest.raises(InputError, match="every score"):
        placements(np.array([True, False]), np.array([[np.nan], [1.0]]))


def clustered(positive: NDArray[np.bool_], scores: Array, groups: NDArray[np.int64]) -> float:
    """Return the variance of Obuchowski 1997 for one column, by loops over the groups."""
    own, other = (part[:, 0] for part in all_pairs(positive, scores))
    area, names = own.mean(), np.unique(groups)
    first, second = (len(np.unique(groups[s])) for s in (positive, ~positive))
    s10 = s01 = s11 = 0.0
    for name in names:
        a = (own[groups[positive] == name] - area).sum()
        b = (other[groups[~positive] == name] - area).sum()
        s10, s01, s11 = s10 + a * a, s01 + b * b, s11 + a * b
    n1, n0, count = len(own), len(other), len(names)
    s10, s01 = first / ((first - 1) * n1) * s10, second / ((second - 1) * n0) * s01
    return s10 / n1 + s01 / n0 + 2 * count / (count - 1) * s11 / (n1 * n0)


@pytest.mark.parametrize("groups", [3, 10, 40])
def test_the_variance_over_groups_is_that_of_a_plain_loop(groups: int) -> None:
    positive, scores = sample(groups, 120, 3, 1)
    names = np.random.default_rng(groups).integers(0, groups, 120) * 7
    made = placements(positive, scores).clustered_variance(names[positive], names[~positive])
    wanted = [clustered(positive, scores[:, [c]], names) for c in range(3)]
    np.testing.assert_allclose(made, wanted, rtol=1e-12)


def test_groups_of_one_case_give_the_variance_of_delong() -> None:
    positive, scores = sample(8, 30, 4, 1)
    made, names = placements(positive, scores), np.arange(30)
    ours = made.clustered_variance(names[positive], names[~positive])
    np.testing.assert_allclose(ours, made.variance(), rtol=1e-12)


def test_a_class_in_one_group_has_no_variance_over_groups() -> None:
    positive, scores = sample(8, 30, 2, 1)
    made = placements(positive, scores)
    ours = made.clustered_variance(np.zeros(int(positive.sum())), np.arange(int((~positive).sum())))
    assert np.isnan(ours).all()


@pytest.mark.parametrize("mixed", [True, False])
def test_the_variance_over_groups_is_that_of_the_auc_over_samples(mixed: bool) -> None:
    # 40 groups of 4 whose members share half of their variance, both classes in a group or one;
    # 500 samples, seed 4: the variance of the AUCs has a relative sd of sqrt(2/500) = .063, and
    # the variance over groups is too small or large by a few percent.
    rng, count, size = np.random.default_rng(4), 40, 4
    groups = np.repeat(np.arange(count), size)
    y = (np.tile([0, 1, 0, 1], count) if mixed else groups % 2).astype(bool)
    areas, over_groups, over_cases = [], [], []
    for _ in range(500):
        noise = rng.normal(size=count)[groups] + rng.normal(size=count * size)
        made = placements(y, (1.7 * y + noise)[:, None])
        areas.append(made.auc[0])
        over_groups.append(made.clustered_variance(groups[y], groups[~y])[0])
        over_cases.append(made.variance()[0])
    truth = np.var(areas)
    assert np.mean(over_groups) == pytest.approx(truth, rel=0.2)
    # cases taken as independent: too wide where groups hold both classes, too narrow where not
    assert np.mean(over_cases) > 1.25 * truth if mixed else np.mean(over_cases) < 0.6 * truth
