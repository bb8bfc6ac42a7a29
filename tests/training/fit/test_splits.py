"""Splits: scikit-learn's rows as repeats and folds of Π."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from earnest.core import Seeds
from earnest.errors import InputError
from earnest.training import Splits, make_splits

N = 24
X, Y = np.zeros((N, 2)), np.tile([0, 1], N // 2)


def splits(cv: Any, **knobs: Any) -> Splits:
    knobs = {"classifier": True, "seeds": Seeds(5), **knobs}
    return make_splits(cv, X, Y, **knobs)


@pytest.mark.parametrize(
    "cv", [None, 4, KFold(3), StratifiedKFold(3, shuffle=True, random_state=1)]
)
def test_the_first_repeat_is_what_scikit_learn_gives(cv: Any) -> None:
    from sklearn.model_selection import check_cv

    expected = list(check_cv(cv, Y, classifier=True).split(X, Y))
    found = splits(cv, n_repeats=3)
    for (train, test), mine, theirs in zip(expected, found.train, found.test, strict=False):
        np.testing.assert_array_equal(mine, train)
        np.testing.assert_array_equal(theirs, test)
    assert found.n_repeats == 3
    assert len(found) == 3 * len(expected)


def test_every_repeat_is_a_partition_of_its_own() -> None:
    found = splits(4, n_repeats=3)
    codes = found.fold_codes
    assert codes.min() == 0
    assert codes.max() == 3
    assert len({codes[:, r].tobytes() for r in range(3)}) == 3
    for train, test in zip(found.train, found.test, strict=True):
        assert not set(train) & set(test)
        assert len(train) + len(test) == N
        assert abs(int(Y[test].sum()) - 3) == 0  # stratified in every repeat


def test_repeats_hang_on_the_seed_alone_and_more_of_them_change_none() -> None:
    two, four = splits(4, n_repeats=2).fold_codes, splits(4, n_repeats=4).fold_codes
    np.testing.assert_array_equal(two, four[:, :2])
    other = splits(4, n_repeats=2, seeds=Seeds(6)).fold_codes
    assert (other[:, 0] == two[:, 0]).all()
    assert (other[:, 1] != two[:, 1]).any()


def test_a_repeated_splitter_becomes_repeats() -> None:
    found = splits(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0))
    assert found.repeat == (0, 0, 0, 1, 1, 1)
    assert found.fold == (0, 1, 2, 0, 1, 2)
    assert found.partial_repeats == 0


def test_overlapping_splits_become_repeats_with_missing_rows() -> None:
    found = splits(ShuffleSplit(5, test_size=0.6, random_state=0))
    assert found.repeat == (0, 1, 2, 3, 4)
    assert found.partial_repeats == 5
    assert ((found.fold_codes >= 0).sum(axis=0) == 15).all()


def test_a_hold_out_is_one_fold_and_leave_one_out_is_n() -> None:
    held = splits(PredefinedSplit([-1] * 16 + [0] * 8))
    assert (held.n_repeats, len(held)) == (1, 1)
    assert (held.fold_codes[:, 0] == [-1] * 16 + [0] * 8).all()
    assert len(splits(LeaveOneOut())) == N
    assert splits(LeaveOneOut()).n_repeats == 1


def test_only_splits_that_train_on_the_past_are_ordered() -> None:
    assert splits(TimeSeriesSplit(3)).order is not None
    assert splits(KFold(3)).order is None
    assert splits([(range(16), range(16, 24))]).order is None  # one split says nothing of time


def test_masks_and_lists_of_rows_are_read() -> None:
    mask = np.arange(N) < 16
    found = splits([(mask, ~mask), (list(range(8, 24)), list(range(8)))])
    np.testing.assert_array_equal(found.test[0], np.arange(16, 24))
    assert found.fold == (0, 1)


def test_rows_in_both_parts_are_told() -> None:
    assert splits([(range(20), range(16, 24)), (range(16, 24), range(16))]).leaking == (0,)
    assert splits(3).leaking == ()


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (1, "of at least 2"),
        ("five", "cannot be read"),
        (13, "cannot split"),
        (GroupKFold(2), "groups of the cases as `groups`"),
        ([], "has no splits"),
        ([(range(10), [])], "no usable test rows"),
        ([([], range(10))], "no usable train rows"),
        ([(range(10), [24])], "from 0 to 23"),
        ([(range(10), [-1])], "from 0 to 23"),
        ([(range(10), [0.5])], "no usable test rows"),
        ([(range(10), [11, 11])], "twice"),
        ([5, 6], "pairs"),
    ],
)
def test_what_cannot_split_is_refused(cv: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        splits(cv)


@pytest.mark.parametrize(
    "cv", [LeaveOneOut(), TimeSeriesSplit(3), ShuffleSplit(3), [(range(9), [9])]]
)
def test_what_cannot_be_shuffled_cannot_be_repeated(cv: Any) -> None:
    with pytest.raises(InputError, match="cannot be repeated"):
        splits(cv, n_repeats=2)


@pytest.mark.filterwarnings("ignore:invalid value encountered")  # scikit-learn looks for classes
def test_an_outcome_that_cannot_be_folded_is_not_blamed_on_cv() -> None:
    with pytest.raises(InputError, match=r"with this `y`.*NaN"):
        make_splits(3, X, np.where(Y, np.nan, 1.0), classifier=True, seeds=Seeds(0))
    with pytest.raises(InputError, match="one group per row"):
        splits(GroupKFold(2), params={"groups": [1, 2]})


@pytest.mark.parametrize("bad", [0, -1, 1.5])
def test_a_number_of_repeats_is_a_whole_number(bad: Any) -> None:
    with pytest.raises(InputError, match="n_repeats"):
        splits(3, n_repeats=bad)


def test_groups_stay_together_in_every_repeat() -> None:
    groups = np.arange(N) // 4
    found = splits(GroupKFold(3), n_repeats=2, params={"groups": groups})
    for repeat in range(2):
        pairs = {(g, f) for g, f in zip(groups, found.fold_codes[:, repeat], strict=True)}
        assert len(pairs) == 6
