"""Resamples of folds."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from earnest.resampling import all_fold_draws, draw_folds, enumerable


@pytest.mark.parametrize("folds", [2, 3, 4, 5])
def test_all_draws_are_the_product_without_permutations(folds: int) -> None:
    counted = Counter(
        tuple(np.bincount(draw, minlength=folds).tolist())
        for draw in product(range(folds), repeat=folds)
        if len(set(draw)) < folds
    )
    counts, orders = all_fold_draws(folds)
    ours = {tuple(row.tolist()): int(times) for row, times in zip(counts, orders, strict=True)}
    assert ours == dict(counted)
    assert int(orders.sum()) == folds**folds - math.factorial(folds)


def test_up_to_six_folds_are_gone_through() -> None:
    assert [enumerable(folds) for folds in (2, 6, 7, 10)] == [True, True, False, False]


def test_random_draws_leave_a_fold_out() -> None:
    counts = draw_folds(3, 500, np.random.default_rng(0))
    assert (counts.sum(axis=1) == 3).all()
    assert (counts == 0).any(axis=1).all()


def test_random_draws_are_uniform_over_the_allowed_ones() -> None:
    # seed 1; 4 sd of a multinomial share of 20,000 draws
    counts, orders = all_fold_draws(3)
    drawn = Counter(map(tuple, draw_folds(3, 20_000, np.random.default_rng(1)).tolist()))
    for row, times in zip(counts.tolist(), orders / orders.sum(), strict=True):
        share = drawn[tuple(row)] / 20_000
        assert share == pytest.approx(times, abs=4 * math.sqrt(times * (1 - times) / 20_000))
