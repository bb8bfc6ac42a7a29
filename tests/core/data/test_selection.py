"""The rules that make a configuration the winner."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.core import SELECTORS, first_best, mean_over_folds
from earnest.rules import MeanOfFolds, OneStandardError, Pooled
from tests.methods import oracles

ORDER = np.arange(4)


def test_pooled_takes_the_best_column_of_each_resample() -> None:
    gains = np.array([[[0.1, 0.9, 0.3, 0.2], [0.5, 0.1, 0.2, 0.6]]])
    np.testing.assert_array_equal(Pooled()(gains, ORDER), [1, 3])


def test_ties_go_to_the_first_in_the_given_order() -> None:
    np.testing.assert_array_equal(first_best(np.array([[0.2, 0.7, 0.7, 0.1]])), [1])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_scores_that_differ_by_rounding_are_tied(scale: float) -> None:
    nearly = scale * np.array([[0.1 + 0.2, 0.3, 0.1]])  # .1 + .2 > .3 in the last bit
    assert nearly[0, 0] != nearly[0, 1]
    np.testing.assert_array_equal(first_best(nearly[:, ::-1]), [1])
    np.testing.assert_array_equal(first_best(nearly), [0])


def test_a_real_difference_is_no_tie() -> None:
    np.testing.assert_array_equal(first_best(np.array([[0.5, 0.5 + 1e-9]])), [1])


def test_undefined_scores_never_win_and_none_is_minus_one() -> None:
    gains = np.array([[np.nan, 0.1, 0.2], [np.nan, np.nan, np.nan], [0.3, np.nan, 0.1]])
    np.testing.assert_array_equal(first_best(gains), [2, -1, 0])


@pytest.mark.parametrize("seed", range(20))
def test_the_first_best_column_is_that_of_a_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gains = np.round(rng.standard_normal((40, 5)), 1) + 1e-14 * rng.standard_normal((40, 5))
    gains[rng.random((40, 5)) < 0.3] = np.nan
    gains[rng.random((40, 5)) < 0.2] = -np.inf
    gains[0], gains[1], gains[2] = np.nan, -np.inf, [np.nan, -np.inf, 0.0, 0.0, np.nan]
    expected = []
    for row in gains:
        known = [gain for gain in row if not np.isnan(gain) and gain > -np.inf]
        least = max(known) - 1e-12 * max(1.0, abs(max(known))) if known else np.inf
        expected.append(next((c for c, gain in enumerate(row) if gain >= least), -1))
    np.testing.assert_array_equal(first_best(gains), expected)


def test_infinite_losses_never_win() -> None:
    np.testing.assert_array_equal(first_best(np.array([[-np.inf, -5.0]])), [1])


def test_mean_of_folds_is_unweighted() -> None:
    gains = np.array([[[1.0, 0.8]], [[0.0, 0.5]]])  # two folds, one resample, two columns
    np.testing.assert_array_equal(MeanOfFolds()(gains, np.arange(2)), [1])
    np.testing.assert_allclose(mean_over_folds(gains), [[0.5, 0.65]])


def test_a_fold_undefined_for_one_configuration_takes_it_out() -> None:
    gains = np.array([[[np.nan, 0.2]], [[0.9, 0.1]]])
    np.testing.assert_array_equal(MeanOfFolds()(gains, np.arange(2)), [1])


def test_a_fold_undefined_for_all_says_nothing() -> None:
    gains = np.array([[[np.nan, np.nan]], [[0.9, 0.1]]])
    np.testing.assert_array_equal(MeanOfFolds()(gains, np.arange(2)), [0])


@pytest.mark.parametrize("seed", range(10))
def test_one_standard_error_equals_the_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gains = rng.standard_normal((5, 20, 6)) * 0.3 + np.linspace(0, 0.2, 6)
    simplicity = rng.permutation(6)
    ours = OneStandardError()(gains, simplicity)
    plain = [oracles.one_standard_error(gains[:, b], list(simplicity)) for b in range(20)]
    np.testing.assert_array_equal(ours, plain)


def test_one_standard_error_of_equal_folds_is_the_best() -> None:
    gains = np.tile([[0.5, 0.8, 0.6]], (3, 1, 1))
    np.testing.assert_array_equal(OneStandardError()(gains, np.arange(3)), [1])


def test_one_standard_error_needs_two_folds() -> None:
    with pytest.raises(en.errors.InputError, match="two folds"):
        OneStandardError()(np.ones((1, 1, 3)), np.arange(3))


def test_one_standard_error_without_a_defined_score_is_minus_one() -> None:
    gains = np.full((2, 1, 3), np.nan)
    np.testing.assert_array_equal(OneStandardError()(gains, np.arange(3)), [-1])


def test_selectors_are_found_by_name_and_alias() -> None:
    assert list(SELECTORS) == ["mean_of_folds", "one_standard_error", "pooled"]
    assert SELECTORS["1se"] is SELECTORS["one_standard_error"]
    assert [SELECTORS[name].by_fold for name in SELECTORS] == [True, True, False]


def test_an_infinite_gain_is_the_best_or_the_worst_without_a_warning() -> None:
    gains = np.array([[0.1, np.inf, np.inf], [-np.inf, 0.2, np.nan], [-np.inf, -np.inf, -np.inf]])
    assert first_best(gains).tolist() == [1, 1, -1]
