"""Bootstraps as rows of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest import Target
from earnest.core import Seeds, Task, Unit
from earnest.resampling import (
    RESAMPLERS,
    Accept,
    BayesianBootstrap,
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
    Weights,
    batches,
    bootstrap,
    every_class_on_both_sides,
    something_out_of_bag,
)


def a_target(
    counts: tuple[int, ...] = (20, 10),
    groups: object = None,
    order: NDArray[np.int64] | None = None,
) -> Target:
    y = np.repeat(np.arange(len(counts)), counts)
    task = Task.BINARY if len(counts) == 2 else Task.MULTICLASS
    units = None if groups is None else np.asarray(groups, dtype=np.int64)
    classes = tuple(range(len(counts)))
    return Target(y=y, task=task, classes=classes, groups=units, order=order)


def drawn(
    resampler: Resampler,
    target: Target,
    count: int,
    seed: int = 0,
    accept: Accept | None = None,
    stream: int = 0,
) -> np.ndarray:
    parts = batches(resampler, target, count, Seeds.of(seed), accept=accept, stream=stream)
    return np.concatenate([part.values for part in parts])


@pytest.mark.parametrize("name", ["case", "stratified"])
def test_a_resample_has_as_many_cases_as_the_sample(name: str) -> None:
    counts = drawn(RESAMPLERS[name], a_target(), 200)
    assert counts.dtype == np.uint8
    assert (counts.sum(axis=1) == 30).all()


def test_cases_are_drawn_with_equal_chance_and_replacement() -> None:
    # seed 0; a count is Binomial(30, 1/30): mean 1, variance 29/30, and 4 sd of a mean of 4000
    counts = drawn(CaseBootstrap(), a_target(), 4000)
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=4 * np.sqrt(29 / 30 / 4000))
    left_out = (counts == 0).mean()
    chance = (1 - 1 / 30) ** 30
    assert left_out == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 4000))


def test_stratified_draws_keep_the_size_of_every_class() -> None:
    target = a_target((20, 10))
    counts = drawn(StratifiedBootstrap(), target, 100)
    assert (counts[:, target.y == 1].sum(axis=1) == 10).all()
    assert (counts[:, target.y == 0].sum(axis=1) == 20).all()


def test_given_strata_come_before_classes() -> None:
    strata = np.tile([0, 1, 2], 10)
    target = Target(y=np.tile([0, 1], 15), task=Task.BINARY, classes=(0, 1), strata=strata)
    counts = drawn(StratifiedBootstrap(), target, 50)
    for layer in range(3):
        assert (counts[:, strata == layer].sum(axis=1) == 10).all()


def test_layers_of_a_survival_target_are_its_events_and_a_regression_has_one() -> None:
    event = np.array([True, False, True])
    survival = Target(y=np.arange(3.0), task=Task.SURVIVAL, event=event)
    np.testing.assert_array_equal(survival.layer_codes, [1, 0, 1])
    values = Target(y=np.arange(3.0), task=Task.REGRESSION)
    np.testing.assert_array_equal(values.layer_codes, [0, 0, 0])
    assert [layer.tolist() for layer in survival.layers] == [[1], [0, 2]]
    assert [layer.tolist() for layer in values.layers] == [[0, 1, 2]]


def test_groups_go_in_or_out_together() -> None:
    groups = np.repeat(np.arange(10), 3)
    target = a_target((15, 15), groups=groups)
    counts = drawn(GroupBootstrap(), target, 100)
    for group in range(10):
        own = counts[:, groups == group]
        assert (own == own[:, :1]).all()
    per_group = counts[:, ::3].astype(int)
    assert (per_group.sum(axis=1) == 10).all()


def test_group_draws_have_the_group_as_their_unit_and_need_groups() -> None:
    target = a_target((15, 15), groups=np.repeat(np.arange(10), 3), order=np.arange(30))
    assert next(batches(GroupBootstrap(), target, 3, Seeds.of(0))).unit is Unit.GROUP
    with pytest.raises(en.errors.EvidenceError, match="needs groups"):
        drawn(GroupBootstrap(), a_target(), 3)


def test_bayesian_weights_are_positive_and_sum_to_n() -> None:
    weights = drawn(BayesianBootstrap(), a_target(), 50)
    assert (weights > 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 30.0)


def test_bayesian_weights_have_the_variance_of_a_dirichlet() -> None:
    # n * Dirichlet(1): variance (n-1)/(n+1); 4 sd of a sample variance of 20,000 draws whose
    # fourth moment is about 9 (exponential), so sd of the variance is about sqrt(8/20000)
    weights = drawn(BayesianBootstrap(), a_target((5, 5)), 20_000)[:, 0]
    assert weights.var() == pytest.approx(9 / 11, abs=4 * np.sqrt(8 / 20_000))


def test_published_rule_has_every_class_in_bag_and_out_of_bag() -> None:
    target = a_target((6, 3, 3))
    accept = every_class_on_both_sides(target)
    counts = drawn(CaseBootstrap(), target, 200, accept=accept)
    for label in range(3):
        own = counts[:, target.y == label]
        assert (own.sum(axis=1) > 0).all()
        assert (own == 0).any(axis=1).all()


def test_published_rule_redraws_uniformly_among_the_accepted() -> None:
    # Two classes of two cases: by enumeration of the 4**4 index draws, those accepted have both
    # classes in and out. seed 3; 4 sd of a share of 4000.
    target = a_target((2, 2))
    accept = every_class_on_both_sides(target)
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)
    counts = np.stack([np.bincount(row, minlength=4) for row in grid])
    allowed = counts[accept(counts.astype(np.uint8))]
    expected = (allowed[:, 0] == 1).mean()
    ours = (drawn(CaseBootstrap(), target, 4000, seed=3, accept=accept)[:, 0] == 1).mean()
    assert ours == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))


def test_a_class_with_one_case_is_refused_by_name() -> None:
    with pytest.raises(en.errors.EvidenceError, match="class 1 has one case"):
        every_class_on_both_sides(a_target((5, 1)))


def test_an_impossible_rule_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "TRIES", 20)
    # both classes live in one group each: drawn, a class is never out-of-bag as well
    target = a_target((4, 4), groups=np.repeat([0, 1], 4))
    accept = every_class_on_both_sides(target)
    with pytest.raises(en.errors.EvidenceError, match="no resample"):
        drawn(GroupBootstrap(), target, 5, accept=accept)


def test_something_out_of_bag_refuses_permutations() -> None:
    counts = np.array([[1, 1, 1], [2, 0, 1]], dtype=np.uint8)
    np.testing.assert_array_equal(something_out_of_bag(counts), [False, True])


def test_rules_see_every_case_however_many_there_are() -> None:
    size = bootstrap.GLANCE + 1  # of each class, one more than is looked at first
    counts = np.ones((3, 2 * size), dtype=np.uint8)
    counts[1, -1] = 0  # the last case of one class is left out
    counts[2, [size - 1, -1]] = 0  # the last case of each is
    np.testing.assert_array_equal(something_out_of_bag(counts), [False, True, True])
    both = every_class_on_both_sides(a_target((size, size)))
    np.testing.assert_array_equal(both(counts), [False, False, True])


@pytest.mark.parametrize("name", list(RESAMPLERS))
@pytest.mark.parametrize("limit", [1, 30 * 64, 30 * 200])
def test_batches_do_not_change_the_draws(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = a_target((15, 15), groups=np.repeat(np.arange(10), 3), order=np.arange(30))
    whole = drawn(RESAMPLERS[name], target, 300)
    monkeypatch.setattr(bootstrap, "BATCH_BYTES", limit)
    np.testing.assert_array_equal(drawn(RESAMPLERS[name], target, 300), whole)


@pytest.mark.parametrize("name", list(RESAMPLERS))
@pytest.mark.parametrize("few", [1, 64, 100, 129])
def test_more_resamples_extend_the_earlier_ones(name: str, few: int) -> None:
    target = a_target((15, 15), groups=np.repeat(np.arange(10), 3), order=np.arange(30))
    more = drawn(RESAMPLERS[name], target, 300)
    np.testing.assert_array_equal(drawn(RESAMPLERS[name], target, few), more[:few])


@pytest.mark.parametrize("few", [1, 10, 64, 100, 129])
def test_more_resamples_extend_the_earlier_ones_where_some_are_redrawn(few: int) -> None:
    # one case in 27 draws of (3, 3) is refused often, so that every block redraws
    target = a_target((3, 3))
    accept = every_class_on_both_sides(target)
    more = drawn(CaseBootstrap(), target, 300, accept=accept)
    np.testing.assert_array_equal(drawn(CaseBootstrap(), target, few, accept=accept), more[:few])


def test_streams_and_seeds_give_other_draws() -> None:
    target = a_target()
    first = drawn(CaseBootstrap(), target, 50)
    assert (drawn(CaseBootstrap(), target, 50, stream=1) != first).any()
    assert (drawn(CaseBootstrap(), target, 50, seed=1) != first).any()
    np.testing.assert_array_equal(drawn(CaseBootstrap(), target, 50), first)


@dataclass(frozen=True)
class Heavy:
    """Draws the first case three hundred times."""

    name: ClassVar[str] = "heavy"
    has_out_of_bag: ClassVar[bool] = True

    def draw(self, target: Target, count: int, rng: object, accept: object) -> Weights:
        values = np.zeros((count, target.n), dtype=np.int64)
        values[:, 0] = 300
        return Weights(values)


def test_counts_that_do_not_fit_are_refused_and_not_wrapped() -> None:
    target = Target(y=np.arange(4) % 2, task=Task.BINARY, classes=(0, 1))
    with pytest.raises(en.errors.InputError, match="integer counts"):
        list(batches(Heavy(), target, 10, Seeds(0)))


@pytest.mark.parametrize("name", ["case", "stratified", "group"])
def test_long_rows_are_counted_as_short_ones_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = a_target((200, 100), groups=np.arange(300) // 2 if name == "group" else None)
    short = drawn(RESAMPLERS[name], target, 70)
    monkeypatch.setattr(bootstrap, "CHUNK", 1)  # one row at a time
    by_row = drawn(RESAMPLERS[name], target, 70)
    counted = []
    monkeypatch.setattr(bootstrap, "IN_CACHE", 10)
    monkeypatch.setattr(bootstrap.np, "bincount", lambda *_, **__: counted.append(1))
    np.testing.assert_array_equal(drawn(RESAMPLERS[name], target, 70), by_row)
    assert not counted
    if name == "case":  # the numbers are drawn in another order where there are layers
        np.testing.assert_array_equal(by_row, short)


def test_a_batch_of_many_cases_has_several_blocks_within_its_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a sixteenth of the memory, and of the cases: 500,000 and 5 million
    monkeypatch.setattr(bootstrap, "BATCH_BYTES", bootstrap.BATCH_BYTES // 16)
    sizes = {}
    for n in (1_000, 31_250, 312_500):
        target = Target(y=np.zeros(n), task=Task.REGRESSION)
        made = batches(_Ones(), target, 2_000, Seeds.of(0))
        sizes[n] = len(next(made))
    assert sizes[1_000] == 2_000
    assert sizes[31_250] == bootstrap.LEAST_BLOCKS * bootstrap.BLOCK
    assert sizes[312_500] == bootstrap.BLOCK  # 20 MB; four of them would be too many


class _Ones:
    """Draws every case once: no time is lost on numbers."""

    name: ClassVar[str] = "ones"
    has_out_of_bag: ClassVar[bool] = True

    def draw(
        self, target: Target, count: int, rng: np.random.Generator, accept: Accept | None
    ) -> Weights:
        return Weights(np.broadcast_to(np.ones(target.n, dtype=np.uint8), (count, target.n)))
