"""Which configurations may be the best, by the joint law of their values."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.comparison.shared.joint import chance_of_being_best, multiplied
from earnest.core.base.rng import Seeds

MANY = 10_000  # units that set no floor


def silent(other: int, config: int) -> float:
    """A pair that sets no floor."""
    return 0.0


def chances(gains: np.ndarray, draws: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    return chance_of_being_best(gains, draws, silent, MANY, n_jobs)


def slow(gains: np.ndarray, draws: np.ndarray) -> list[float]:
    """The p-value of each by plain loops."""
    out = []
    for i in range(len(gains)):
        worst, largest = -np.inf, np.full(len(draws), -np.inf)
        for j in range(len(gains)):
            apart = draws[:, j] - draws[:, i]
            if j != i and apart.std(ddof=1) > 0:
                worst = max(worst, (gains[j] - gains[i]) / apart.std(ddof=1))
                largest = np.maximum(largest, apart / apart.std(ddof=1))
        out.append(1.0 if worst <= 0 else (1 + (largest >= worst).sum()) / (len(draws) + 1))
    return out


@pytest.mark.parametrize(("count", "configs"), [(199, 6), (130, 70), (64, 33), (1, 3), (65, 2)])
def test_it_equals_plain_loops(count: int, configs: int) -> None:
    rng = np.random.default_rng(count)
    draws = rng.standard_normal((count + 1, configs)) @ rng.standard_normal((configs, configs))
    gains = 3.0 * rng.standard_normal(configs)
    assert chances(gains, draws) == pytest.approx(slow(gains, draws))


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    draws, gains = rng.standard_normal((99, 20)), rng.standard_normal(20)
    assert np.array_equal(chances(gains, draws), chances(gains, draws, 3))


def test_the_best_has_1_and_what_is_undefined_0() -> None:
    draws = np.random.default_rng(2).standard_normal((99, 3))
    found = chances(np.array([0.5, np.nan, 9.0]), draws)
    assert (found[1], found[2]) == (0.0, 1.0)


def test_equal_columns_share_their_p_value() -> None:
    draws = np.random.default_rng(3).standard_normal((99, 2))[:, [0, 0, 1]]
    found = chances(np.array([0.1, 0.1, 0.3]), draws)
    assert found[0] == found[1]


def test_without_spread_the_pair_alone_counts_times_the_others() -> None:
    draws = np.zeros((99, 3))
    asked = []

    def pair_p(other: int, config: int) -> float:
        asked.append((other, config))
        return 0.2

    gains = np.array([0.5, 1.0, 0.7])
    assert chance_of_being_best(gains, draws, pair_p, MANY).tolist() == [0.4, 1.0, 0.4]
    assert sorted(asked) == [(1, 0), (1, 2)]  # the best is asked for, as it has the least p
    assert chances(np.ones(3), draws).tolist() == [1.0, 1.0, 1.0]


def test_no_p_value_is_below_that_of_the_pair_nor_of_a_sign_test() -> None:
    draws = 1e-3 * np.random.default_rng(5).standard_normal((999, 2))
    gains = np.array([1.0, 0.0])
    assert chances(gains, draws)[1] == 0.001
    assert chance_of_being_best(gains, draws, lambda *_: 0.07, MANY)[1] == 0.07
    assert chance_of_being_best(gains, draws, silent, 4)[1] == 0.5**4


def test_multipliers_have_the_variance_of_the_sum() -> None:
    # seed 4; the tolerance is four standard errors of a variance from 1999 draws
    errors = np.random.default_rng(4).standard_normal((50, 2)) / 50
    draws = multiplied(errors, Seeds.of(4))
    assert len(draws) == 1999
    known = np.square(errors).sum(axis=0)
    assert draws.var(axis=0) == pytest.approx(known, rel=4 * np.sqrt(2 / 1999))
    assert np.array_equal(draws[:100], multiplied(errors, Seeds.of(4), 100))


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("test", ["bayle", "bootstrap"])
def test_a_few_cases_right_against_wrong_have_no_winner(test: str, n: int) -> None:
    y = np.arange(n) % 2
    pi = en.Predictions.from_arrays(
        y, np.c_[y, 1 - y], np.arange(n), configs=["a", "b"], response="label"
    )
    many = en.compare_many(pi, test=test, metric="accuracy", rng=0)
    assert many.p_best["b"] == 0.5**n
    assert many.not_worse == ("a", "b")
    assert many["b"].p_values is not None
    assert many["b"].p_values["greater"] == many.p_best["b"]


def test_one_group_has_no_winner_however_many_its_cases() -> None:
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(
        y, np.c_[y, 1 - y], configs=["a", "b"], response="label", groups=np.zeros(40, dtype=int)
    )
    many = en.compare_many(pi, test="bootstrap", metric="accuracy", rng=0)
    assert many.p_best["b"] == 0.5


def test_two_separated_cases_of_each_class_have_no_winner() -> None:
    y = np.array([0, 1, 0, 1])
    pi = en.Predictions.from_arrays(y, np.c_[y, 1.0 - y], configs=["a", "b"])
    many = en.compare_many(pi, test="delong", metric="roc_auc", rng=0)
    assert many.p_best["b"] == 0.25


@pytest.mark.parametrize("test", ["bayle", "bootstrap"])
def test_four_cases_exclude_nothing_whatever_the_losses(test: str) -> None:
    # seeds 0 to 19; a sign test of four cases has no p-value below 1/16
    for seed in range(20):
        rng = np.random.default_rng(seed)
        given = en.Losses({"a": rng.random(4), "b": 5 + rng.random(4), "c": 9 + rng.random(4)})
        many = en.compare_many(given, test=test, rng=seed)
        assert many.not_worse == ("a", "b", "c")
