"""Parts of the cases: stratified, as published, and as given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from earnest import Predictions
from earnest.core import Seeds
from earnest.errors import InputError
from earnest.inference import SplitKnobs, learning_part, redraw_split, split_cases
from earnest.testing import example_predictions


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=200, n_configs=25, n_folds=5)


def test_a_stratified_split_keeps_the_shares_of_the_classes(pi: Predictions) -> None:
    taken = split_cases(pi, 0.25, np.random.default_rng(1))
    for label in (0, 1):
        members = pi.target.y == label
        assert taken[members].sum() == round(0.25 * members.sum())


def test_groups_are_never_split(pi: Predictions) -> None:
    groups = np.arange(200) // 4
    grouped = replace(pi, target=replace(pi.target, groups=groups))
    for draw in (split_cases, redraw_split):
        taken = draw(grouped, 0.25, np.random.default_rng(1))
        assert all(len(set(taken[groups == g])) == 1 for g in range(50))
        assert 0.15 < taken.mean() < 0.35


def test_the_published_split_truncates_and_leaves_every_class_in_every_fold() -> None:
    y = np.r_[np.ones(12, int), np.zeros(38, int)]
    pi = Predictions.from_arrays(y, np.random.default_rng(0).random((50, 3)), np.arange(50) % 4)
    for seed in range(20):
        taken = redraw_split(pi, 0.25, np.random.default_rng(seed))
        assert taken.sum() == 50 - 37
        assert set(y[taken]) == {0, 1}
        for fold in range(4):
            assert set(y[~taken & (pi.folds[:, 0] == fold)]) == {0, 1}


@pytest.mark.parametrize("learn", [[True] * 200, [False] * 200, [True, False] * 99])
def test_a_split_that_is_none_is_refused(pi: Predictions, learn: list[bool]) -> None:
    with pytest.raises(InputError, match="split the cases"):
        learning_part(pi, SplitKnobs(learn=learn), Seeds(0))


@pytest.mark.parametrize("learn", [[[True], [False]], ["a", "b"], [0, 2]])
def test_a_row_that_is_not_of_truth_values_is_refused(learn: Any) -> None:
    with pytest.raises(InputError, match="booleans"):
        SplitKnobs(learn=learn)
