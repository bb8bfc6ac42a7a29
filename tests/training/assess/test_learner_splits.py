"""The splits of two learners: by the design of the test, shuffled, stratified, grouped."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

import earnest as en
from earnest.comparison import TESTS
from earnest.core import Seeds
from earnest.training import Splits, make_learner_splits, measure_overlap

X = np.zeros((60, 1))
Y = np.repeat([0, 1], [40, 20])


def made(test: str, **about: object) -> Splits:
    ask = {"cv": None, "n_repeats": None, "groups": None, "classifier": True, "seeds": Seeds(0)}
    return make_learner_splits(TESTS[test].spec, X, Y, **{**ask, **about})


def test_folds_part_the_cases_and_keep_the_classes() -> None:
    splits = made("corrected_t", n_repeats=3)
    assert len(splits) == 30
    assert splits.n_repeats == 3
    assert {int(Y[rows].sum()) for rows in splits.test} == {2}
    assert measure_overlap(splits) is None


def test_five_by_two_has_halves_in_five_repeats() -> None:
    splits = made("five_by_two")
    assert np.bincount(splits.repeat).tolist() == [2] * 5
    assert all(len(rows) == 30 for rows in splits.test)
    assert len({tuple(rows) for rows in splits.test}) == 10
    assert len(made("five_by_two_f", cv=2, n_repeats=5)) == 10


@pytest.mark.parametrize("about", [{"cv": 10}, {"n_repeats": 3}, {"cv": KFold(3)}])
def test_five_by_two_refuses_other_designs(about: dict[str, object]) -> None:
    with pytest.raises(en.errors.EarnestError, match="5 repeats of 2 folds"):
        made("five_by_two", **about)


def test_a_splitter_of_the_right_design_is_taken() -> None:
    folds = RepeatedKFold(n_splits=2, n_repeats=5, random_state=0)
    assert len(made("five_by_two", cv=folds)) == 10


def test_random_test_sets_have_their_share_and_their_ratio() -> None:
    splits = made("resampled_t", cv=4, n_repeats=7)
    assert len(splits) == 7
    assert all(len(rows) == 15 and int(Y[rows].sum()) == 5 for rows in splits.test)
    assert measure_overlap(splits) == pytest.approx(1 / 3)
    assert len(made("resampled_t")) == 10


def test_groups_stay_together() -> None:
    groups = np.arange(60) // 3
    for test, classifier in (("corrected_t", True), ("corrected_t", False), ("five_by_two", True)):
        splits = made(test, groups=groups, cv=None if test == "five_by_two" else 5,
                      classifier=classifier)  # fmt: skip
        for train, test_rows in zip(splits.train, splits.test, strict=True):
            assert not set(groups[train]) & set(groups[test_rows])
    for train, rows in zip(*_parts(made("resampled_t", groups=groups)), strict=True):
        assert not set(groups[train]) & set(groups[rows])


def _parts(splits: Splits) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    return splits.train, splits.test


def test_the_seed_decides_and_nothing_else() -> None:
    one, again, other = made("bayle"), made("bayle"), made("bayle", seeds=Seeds(1))
    assert all((a == b).all() for a, b in zip(one.test, again.test, strict=True))
    assert any((a != b).any() for a, b in zip(one.test, other.test, strict=True))


@pytest.mark.parametrize("cv", [1, 0, -3, True, "ten", 2.5])
def test_what_is_no_number_of_folds_is_refused(cv: object) -> None:
    with pytest.raises(en.errors.InputError, match="cv"):
        made("corrected_t", cv=cv)


def test_repeats_beside_a_splitter_are_refused() -> None:
    with pytest.raises(en.errors.InputError, match="n_repeats"):
        made("corrected_t", cv=ShuffleSplit(5), n_repeats=2)
    for wrong in (0, -1, 1.5):
        with pytest.raises(en.errors.InputError, match="n_repeats"):
            made("corrected_t", n_repeats=wrong)


def test_more_folds_than_cases_are_refused() -> None:
    with pytest.raises(en.errors.InputError):
        made("corrected_t", cv=100)
