"""Early dropping by simulation: whom it loses, and what an estimate on those left is worth.

Predictions are right or wrong independently, as in the simulations of Tsamardinos et al. 2018.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.papers.tsamardinos2018.data import problems
from benchmarks.papers.tsamardinos2018.grid import grid
from benchmarks.papers.tsamardinos2018.replay import Replay, replay
from benchmarks.papers.tsamardinos2018.study import nested
from earnest import Predictions, estimate
from earnest.core import Seeds
from earnest.rules import BCED, BCEDAdjusted
from earnest.training import DroppingRule

CASES, FOLDS = 500, 10


def drawn(skill: NDArray[np.float64], seed: int, *, shared: float = 0.0) -> Predictions:
    """Configurations that are right with these probabilities; `shared` makes them alike."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], CASES // 2)
    own, common = rng.random((CASES, len(skill))), rng.random((CASES, 1))
    luck = np.where(rng.random(own.shape) < shared, common, own)
    labels = np.where(luck < skill, y[:, None], 1 - y[:, None])
    return Predictions.from_arrays(y, labels, np.arange(CASES) // 2 % FOLDS, response="label")


def share_lost(
    rule: DroppingRule, runs: int, *, p: float, configs: int, shared: float
) -> list[float]:
    """Return, for each search, the share of equal configurations that were dropped.

    By symmetry its mean is the probability that a given one of them is.
    """
    equal = np.full(configs, p)
    searches = (
        replay(drawn(equal, seed, shared=shared), "accuracy", rule, Seeds(seed))
        for seed in range(runs)
    )
    return [float(np.mean(~search.alive)) for search in searches]


def test_a_rule_that_drops_nobody_trains_everything() -> None:
    pi = drawn(np.full(4, 0.6), 0)
    done = replay(pi, "accuracy", BCED(min_predictions=CASES), Seeds(0))
    assert (done.trained, len(done.trace)) == (FOLDS * 4, 0)
    np.testing.assert_array_equal(done.pi.responses, pi.responses)


def test_a_hopeless_one_is_trained_on_one_fold_only() -> None:
    pi = drawn(np.array([1.0, 0.9, 0.0]), 0)
    done = replay(pi, "accuracy", BCED(), Seeds(0))
    assert [row.config for row in done.trace if row.round == 1] == ["c2"]
    assert np.isnan(done.pi.responses[:, 2, 0]).mean() == 0.9


def test_nested_scores_are_those_of_the_winner_of_the_other_folds() -> None:
    # Fold 0 is won by column 1 among the others, fold 1 by column 0, fold 2 by column 0.
    gains = np.array([[1.0, 0.2], [0.3, 0.6], [0.4, 0.5]])
    assert nested(gains) == pytest.approx((0.2 + 0.3 + 0.4) / 3)


def test_nested_ties_go_to_the_first_and_not_to_rounding_errors_of_the_own_fold() -> None:
    # Outside fold 3 both columns have one error. In floats the second, with two errors in fold 3,
    # has 8.833333333333334 there and the first 8.833333333333332: chosen for its errors.
    right = np.array([[6, 6, 6, 6, 6, 5, 6, 6, 6, 6], [6, 6, 6, 4, 5, 6, 6, 6, 6, 6]])
    gains = np.ascontiguousarray(right.T) / 6
    assert nested(gains) == pytest.approx(59 / 60)


def test_the_benchmark_has_configurations_and_data_without_a_folder() -> None:
    names = [name for name, _ in grid(20)]
    assert len(names) == len(set(names)) == 92
    (digits,) = problems(None)
    kept, rest = digits.draw(0)
    assert len(kept) == 500
    assert not set(kept) & set(rest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "configs", "shared"),
    [(0.6, 20, 0.0), (0.9, 20, 0.0), (0.6, 20, 0.7), (0.6, 100, 0.0)],
    ids=["easy", "near-perfect", "alike", "many"],
)
def test_adjusted_dropping_loses_a_truly_best_one_no_more_often_than_it_says(
    p: float, configs: int, shared: float
) -> None:
    runs = 120 if configs == 20 else 40
    lost = share_lost(BCEDAdjusted(), runs, p=p, configs=configs, shared=shared)
    error = np.std(lost) / np.sqrt(len(lost))
    assert np.mean(lost) <= 0.01 + 3 * error


@pytest.mark.slow
def test_plain_dropping_loses_a_truly_best_one_far_more_often_than_its_threshold() -> None:
    # Measured .34 (20 configurations) and .54 (100), standard errors .03 and .02 on 40 searches.
    few = share_lost(BCED(), 40, p=0.6, configs=20, shared=0.0)
    many = share_lost(BCED(), 40, p=0.6, configs=100, shared=0.0)
    assert 0.2 < np.mean(few) < np.mean(many)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [BCED(), BCEDAdjusted()], ids=lambda rule: rule.name)
def test_a_clearly_best_one_survives(rule: DroppingRule) -> None:
    # .80 beside .65: four standard deviations of a difference on 150 cases.
    skill = np.r_[np.full(19, 0.65), 0.80]
    kept = [replay(drawn(skill, s), "accuracy", rule, Seeds(s)).alive[-1] for s in range(40)]
    assert all(kept)


def biases(
    rule: DroppingRule, skills: list[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by how much the estimate on the survivors, and the naive score, are too good."""
    found = []
    for seed, skill in enumerate(skills):
        done: Replay = replay(drawn(skill, seed), "accuracy", rule, Seeds(seed))
        made = estimate(done.pi, metric="accuracy", n_resamples=500, rng=seed)
        truth = skill[done.pi.configs.ids.index(str(made.winner))]
        assert made.naive is not None
        found.append((made.value - truth, made.naive - truth))
    table = np.array(found)
    return table[:, 0], table[:, 1]


@pytest.mark.slow
@pytest.mark.parametrize("beta", [(9, 6), (24, 6)], ids=["0.6", "0.8"])
def test_the_estimate_on_survivors_is_not_optimistic(beta: tuple[int, int]) -> None:
    skills = [np.random.default_rng(900 + s).beta(*beta, 100) for s in range(100)]
    bias, naive = biases(BCED(), skills)
    assert bias.mean() <= 3 * bias.std() / np.sqrt(len(bias))
    assert naive.mean() > 3 * naive.std() / np.sqrt(len(naive))


@pytest.mark.slow
def test_among_equals_a_little_luck_of_the_survivors_is_left() -> None:
    # 100 configurations right with probability .6. Measured on 500 runs: plain dropping leaves
    # .0040 (standard error .0007) of the .054 that the naive score is too good by.
    skills = [np.full(100, 0.6)] * 100
    bias, naive = biases(BCED(), skills)
    error = bias.std() / np.sqrt(len(bias))
    assert bias.mean() <= 0.1 * naive.mean() + 3 * error
    careful, _ = biases(BCEDAdjusted(), skills[:50])
    assert careful.mean() <= 3 * careful.std() / np.sqrt(len(careful))
