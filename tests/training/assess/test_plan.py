"""Which models are trained: each once, in splits that keep their promises."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Target
from earnest.core import Seeds, Task
from earnest.errors import InputError
from earnest.training.assess.plan import Block, TrainingNeeds, make_plan
from earnest.training.fit.splits import leave_out_pairs, make_folds

Y = np.repeat([0, 1], [40, 20])
TARGET = Target(y=Y, task=Task.BINARY, classes=("a", "b"))
SEEDS = Seeds(0)


def plan(needs: TrainingNeeds, target: Target = TARGET, cv: int = 5):  # type: ignore[no-untyped-def]
    return make_plan(needs, cv, None, None, target, SEEDS)


def test_folds_part_the_cases_and_keep_the_classes() -> None:
    splits = make_folds(5, None, None, TARGET, 3, SEEDS)
    assert len(splits) == 15
    for repeat in range(3):
        tests = [t for t, r in zip(splits.test, splits.repeat, strict=True) if r == repeat]
        assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(60))
        assert [int(Y[t].sum()) for t in tests] == [4] * 5
    assert not splits.leaking


def test_more_repeats_extend_the_earlier_ones() -> None:
    few, many = (make_folds(5, None, None, TARGET, r, SEEDS) for r in (2, 4))
    assert all(np.array_equal(a, b) for a, b in zip(few.test, many.test, strict=False))


def test_cases_are_shuffled_for_numbers_too() -> None:
    target = Target(y=np.arange(30.0), task=Task.REGRESSION)
    first = make_folds(3, None, None, target, 1, SEEDS).test[0]
    assert not np.array_equal(first, np.arange(10))


def test_groups_are_never_cut() -> None:
    groups = np.arange(60) // 3
    target = Target(y=Y, task=Task.BINARY, classes=("a", "b"), groups=groups)
    made = plan(TrainingNeeds(folds=2, holdout=0.25), target)
    for splits in made.blocks.values():
        for train, test in zip(splits.train, splits.test, strict=True):
            assert not set(groups[train]) & set(groups[test])


def test_pairs_of_folds_are_left_out_once() -> None:
    folds = make_folds(4, None, None, TARGET, 2, SEEDS)
    pairs = leave_out_pairs(folds, 2)
    assert len(pairs) == 2 * 6
    for train, test in zip(pairs.train, pairs.test, strict=True):
        assert len(train) + len(test) == 60
        assert len(test) == 30


def test_halves_have_no_case_in_common_and_test_sets_of_one_size() -> None:
    made = plan(TrainingNeeds(subsamples=3, halvings=2, share=0.1))
    whole, halves = made.blocks[Block.WHOLE], made.blocks[Block.HALVES]
    assert {len(t) for t in whole.test} == {len(t) for t in halves.test} == {6}
    for halving in range(2):
        rows = []
        for side in range(2):
            mine = [i for i in range(len(halves)) if halves.repeat[i] == 2 * halving + side]
            used = {int(r) for i in mine for r in (*halves.train[i], *halves.test[i])}
            rows.append(used)
        assert not rows[0] & rows[1]
        assert len(rows[0] | rows[1]) == 60


def test_keys_do_not_depend_on_what_else_is_trained() -> None:
    alone = dict(plan(TrainingNeeds(folds=1)).tasks())
    together = dict(plan(TrainingNeeds(folds=1, singles=True, holdout=0.3)).tasks())
    assert set(alone) < set(together)
    first, second = plan(TrainingNeeds(folds=1)), plan(TrainingNeeds(folds=1, holdout=0.3))
    for key, place in first.tasks():
        other = dict(second.tasks())[key]
        assert np.array_equal(first.every.test[place], second.every.test[other])


def test_needs_are_joined() -> None:
    both = TrainingNeeds(folds=1) | TrainingNeeds(folds=3, pairs=2) | TrainingNeeds(replicates=True)
    assert (both.folds, both.pairs, both.replicates, both.splits) == (3, 2, True, True)
    assert not TrainingNeeds(replicates=True).splits


@pytest.mark.parametrize("folds", [1, 0, -3])
def test_folds_that_are_none_are_refused(folds: int) -> None:
    with pytest.raises(InputError, match="cv"):
        make_folds(folds, None, None, TARGET, 1, SEEDS)


def test_a_class_with_fewer_cases_than_folds_is_refused_with_the_most_that_work() -> None:
    with pytest.raises(InputError, match="cv=20"):
        make_folds(25, None, None, TARGET, 1, SEEDS)


def test_strata_and_events_are_kept_and_may_be_too_few() -> None:
    layers = np.repeat([0, 1, 2], 20)
    target = Target(y=np.arange(60.0), task=Task.REGRESSION, strata=layers)
    for rows in make_folds(5, None, None, target, 1, SEEDS).test:
        assert np.bincount(layers[rows]).tolist() == [4, 4, 4]
    rare = Target(y=np.arange(60.0), task=Task.REGRESSION, strata=np.arange(60) // 57)
    with pytest.raises(InputError, match="a stratum has fewer"):
        make_folds(5, None, None, rare, 1, SEEDS)
    times = Target(y=np.arange(1.0, 61.0), task=Task.SURVIVAL, event=np.arange(60) % 30 == 0)
    with pytest.raises(InputError, match="event and censoring"):
        make_folds(5, None, None, times, 1, SEEDS)
