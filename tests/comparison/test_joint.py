"""Which configurations may be the best, by the joint law of their values."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.comparison.joint import chance_of_being_best, multiplied
from earnest.core.rng import Seeds


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


def test_it_equals_plain_loops() -> None:
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((199, 6)) @ rng.standard_normal((6, 6))
    gains = rng.standard_normal(6)
    assert chance_of_being_best(gains, draws) == pytest.approx(slow(gains, draws))


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    draws, gains = rng.standard_normal((99, 20)), rng.standard_normal(20)
    assert np.array_equal(
        chance_of_being_best(gains, draws), chance_of_being_best(gains, draws, n_jobs=3)
    )


def test_the_best_has_1_and_what_is_undefined_0() -> None:
    draws = np.random.default_rng(2).standard_normal((99, 3))
    found = chance_of_being_best(np.array([0.5, np.nan, 9.0]), draws)
    assert (found[1], found[2]) == (0.0, 1.0)


def test_equal_columns_share_their_p_value() -> None:
    draws = np.random.default_rng(3).standard_normal((99, 2))[:, [0, 0, 1]]
    found = chance_of_being_best(np.array([0.1, 0.1, 0.3]), draws)
    assert found[0] == found[1]


def test_what_is_worse_beyond_doubt_has_the_least_p_value() -> None:
    draws = np.zeros((99, 2))
    assert chance_of_being_best(np.array([1.0, 0.5]), draws).tolist() == [1.0, 0.01]
    assert chance_of_being_best(np.array([1.0, 1.0]), draws).tolist() == [1.0, 1.0]


def test_multipliers_have_the_variance_of_the_sum() -> None:
    # seed 4; the tolerance is four standard errors of a variance from 1999 draws
    errors = np.random.default_rng(4).standard_normal((50, 2)) / 50
    draws = multiplied(errors, Seeds.of(4))
    assert len(draws) == 1999
    known = np.square(errors).sum(axis=0)
    assert draws.var(axis=0) == pytest.approx(known, rel=4 * np.sqrt(2 / 1999))
    assert np.array_equal(draws[:100], multiplied(errors, Seeds.of(4), 100))
