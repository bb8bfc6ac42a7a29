"""How far the worst pair errs, by the joint law of all values."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import earnest as en
from earnest.comparison import largest_errors
from earnest.comparison.base import DRAWS, flip_signs
from earnest.core import Seeds


def slow(draws: np.ndarray, reference: int | None = None) -> np.ndarray:
    """The largest standardised difference of every draw, by plain loops over pairs."""
    found = np.zeros(len(draws))
    for i, j in combinations(range(draws.shape[1]), 2):
        apart = draws[:, i] - draws[:, j]
        if reference in (None, i, j) and apart.std(ddof=1) > 1e-12:
            found = np.maximum(found, np.abs(apart) / apart.std(ddof=1))
    return found


@pytest.mark.parametrize(("count", "configs"), [(199, 6), (130, 70), (64, 33), (2, 3), (65, 2)])
@pytest.mark.parametrize("reference", [None, 1])
def test_the_largest_error_equals_that_of_plain_loops(
    count: int, configs: int, reference: int | None
) -> None:
    rng = np.random.default_rng(count)
    draws = rng.standard_normal((count, configs)) @ rng.standard_normal((configs, configs))
    # the fast path holds six digits
    assert largest_errors(draws, reference) == pytest.approx(slow(draws, reference), rel=1e-4)


def test_batches_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(1).standard_normal((99, 20))
    whole = largest_errors(draws)
    monkeypatch.setattr("earnest.comparison.base.CELLS", 60)
    for n_jobs in (None, 3):
        again = largest_errors(draws, n_jobs=n_jobs)
        assert again is not None
        assert np.array_equal(whole, again)


def test_pairs_without_spread_are_left_out_and_without_any_there_is_no_law() -> None:
    draws = np.random.default_rng(3).standard_normal((99, 2))[:, [0, 0, 1]]
    assert largest_errors(draws) == pytest.approx(slow(draws[:, [0, 2]]), rel=1e-4)
    assert largest_errors(draws[:, :2]) is None
    assert largest_errors(draws[:1]) is None


def test_a_large_common_part_costs_no_digits() -> None:
    draws = np.random.default_rng(4).standard_normal((99, 5))
    moved = draws + 1e6 * np.random.default_rng(5).standard_normal((99, 1))
    assert largest_errors(moved) == pytest.approx(largest_errors(draws), rel=1e-3)


def test_flipped_sums_have_the_variance_of_the_sum() -> None:
    # seed 4; the tolerance is four standard errors of a variance from 999 draws
    errors = np.random.default_rng(4).standard_normal((50, 2)) / 50
    draws = flip_signs(errors, Seeds.of(4))
    assert len(draws) == DRAWS
    known = np.square(errors).sum(axis=0)
    assert draws.var(axis=0) == pytest.approx(known, rel=4 * np.sqrt(2 / DRAWS))
    assert np.array_equal(draws[:100], flip_signs(errors, Seeds.of(4), 100))


def test_flipped_sums_are_those_of_all_patterns() -> None:
    # seed 0; four units have 16 patterns, each drawn with 1/16: four standard errors of a share
    errors = np.array([[1.0], [2.0], [4.0], [8.0]])
    drawn = flip_signs(errors, Seeds.of(0))[:, 0]
    patterns = {sum(np.multiply(signs, errors[:, 0])) for signs in product((-1, 1), repeat=4)}
    values, counts = np.unique(drawn, return_counts=True)
    assert set(values) == patterns
    assert np.abs(counts / DRAWS - 1 / 16).max() < 4 * np.sqrt(1 / 16 / DRAWS)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("test", ["bayle", "bootstrap"])
def test_a_few_cases_right_against_wrong_have_no_winner(test: str, n: int) -> None:
    y = np.arange(n) % 2
    pi = en.Predictions.from_arrays(
        y, np.c_[y, 1 - y], np.arange(n), configs=["a", "b"], response="label"
    )
    many = en.compare_many(pi, test=test, metric="accuracy", rng=0)
    assert many.p_best["b"] == 2 * 0.5**n
    assert many.not_worse == ("a", "b")


def test_one_group_has_no_winner_however_many_its_cases() -> None:
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(
        y, np.c_[y, 1 - y], configs=["a", "b"], response="label", groups=np.zeros(40, dtype=int)
    )
    many = en.compare_many(pi, test="bootstrap", metric="accuracy", rng=0)
    assert many.p_best["b"] == 1.0


def test_two_separated_cases_of_each_class_have_no_winner() -> None:
    y = np.array([0, 1, 0, 1])
    pi = en.Predictions.from_arrays(y, np.c_[y, 1.0 - y], configs=["a", "b"])
    many = en.compare_many(pi, test="delong", metric="roc_auc", rng=0)
    assert many.p_best["b"] == 0.5


@pytest.mark.parametrize("test", ["bayle", "bootstrap"])
def test_four_cases_exclude_nothing_whatever_the_losses(test: str) -> None:
    # seeds 0 to 19; a two-sided sign test of four cases has no p-value below 1/8
    for seed in range(20):
        rng = np.random.default_rng(seed)
        given = en.Scores(
            {"a": rng.random(4), "b": 5 + rng.random(4), "c": 9 + rng.random(4)},
            greater_is_better=False,
        )
        many = en.compare_many(given, test=test, rng=seed)
        assert many.not_worse == ("a", "b", "c")
