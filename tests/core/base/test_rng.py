"""Seeds: one root, and an independent child for every purpose and block."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import earnest as en
from earnest.core import Purpose, Seeds


def first(seeds: Seeds, purpose: Purpose, *indices: int) -> tuple[int, ...]:
    return tuple(seeds.generator(purpose, *indices).integers(0, 2**62, 4).tolist())


def test_every_purpose_and_block_has_a_stream_of_its_own() -> None:
    keys = [
        (seed, purpose, *rest)
        for seed, purpose, *rest in product(range(3), Purpose, range(3), range(3))
    ]
    found = {first(Seeds.of(seed), purpose, *rest) for seed, purpose, *rest in keys}
    assert len(found) == len(keys)


def test_a_stream_is_the_same_on_every_call() -> None:
    seeds = Seeds.of(5)
    assert first(seeds, Purpose.BOOTSTRAP, 0, 1) == first(seeds, Purpose.BOOTSTRAP, 0, 1)


def test_drawing_for_one_purpose_never_changes_another() -> None:
    seeds = Seeds.of(5)
    before = first(seeds, Purpose.SPLITS)
    seeds.generator(Purpose.BOOTSTRAP).random(1000)
    assert first(seeds, Purpose.SPLITS) == before


def test_streams_of_different_purposes_are_uncorrelated() -> None:
    # seed 9; a correlation of 10,000 pairs has sd 1/100, so 4 sd are .04
    seeds = Seeds.of(9)
    draws = np.stack([seeds.generator(p).standard_normal(10_000) for p in Purpose])
    correlations = np.corrcoef(draws)[np.triu_indices(len(Purpose), 1)]
    assert np.abs(correlations).max() < 4 / 100


def test_spawn_keys_never_change() -> None:
    assert {p.name: int(p) for p in Purpose} == {
        "SPLITS": 1,
        "TRAINING": 2,
        "BOOTSTRAP": 3,
        "FOLD_BOOTSTRAP": 4,
        "EVALUATION": 5,
        "EXPLANATION": 6,
        "SIGN_FLIPS": 7,
        "MULTIPLIERS": 8,
        "REPLICATES": 9,
        "LOCAL_LEVEL": 12,
        "VALUE_ERROR": 13,
        "CROSS_FIT": 14,
        "GUIDES": 15,
        "STUDIES": 16,
    }


def test_the_same_number_in_any_form_is_the_same_seed() -> None:
    for given in (7, np.int32(7), np.uint64(7), np.random.SeedSequence(7)):
        assert Seeds.of(given) == Seeds(7)


def test_none_is_fresh_entropy_that_is_recorded() -> None:
    one, two = Seeds.of(None), Seeds.of(None)
    assert one != two
    assert Seeds.of(one.entropy) == one


def test_generators_are_advanced_and_repeatable() -> None:
    rng = np.random.default_rng(3)
    first_seed, second_seed = Seeds.of(rng), Seeds.of(rng)
    assert first_seed != second_seed
    assert Seeds.of(np.random.default_rng(3)) == first_seed


def test_a_legacy_random_state_is_accepted() -> None:
    made = Seeds.of(np.random.RandomState(3))
    assert made == Seeds.of(np.random.RandomState(3))


def test_children_of_a_sequence_are_other_seeds() -> None:
    parent = np.random.SeedSequence(7)
    children = parent.spawn(2)
    made = {Seeds.of(child) for child in children}
    assert len(made | {Seeds.of(7)}) == 3


def test_a_sequence_of_several_numbers_is_a_seed() -> None:
    assert Seeds.of(np.random.SeedSequence([1, 2])) == Seeds.of(np.random.SeedSequence([1, 2]))
    assert Seeds.of(np.random.SeedSequence([1, 2])) != Seeds.of(np.random.SeedSequence([1, 3]))


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "7", [1, 2]])
def test_what_cannot_seed_is_refused(wrong: object) -> None:
    with pytest.raises(en.errors.InputError, match="`rng`"):
        Seeds.of(wrong)
