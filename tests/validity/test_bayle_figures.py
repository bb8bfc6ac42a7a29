"""Figures 2 and 3 of Bayle et al. 2020 in kind, with 700 cases, their smallest sample.

Populations, learners and procedures are those of benchmarks/papers/bayle2020, which runs all sizes.
Counts are judged by the binomial law: a correct procedure fails one of these tests in a thousand
runs. The numbers of the trials are the seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.papers.bayle2020.populations import classes, values
from benchmarks.papers.bayle2020.trial import PAIRS, PROCEDURES, read, trial

pytestmark = pytest.mark.slow
CASES, TRIALS, LEVEL, SURE = 700, 400, 0.95, 0.001
UNSTABLE = 0.015  # of coverage that models cost which change with each of 630 training cases
CELLS = [("classes", "logistic"), ("classes", "net"), ("values", "forest"), ("values", "ridge")]
RIVALS = ("holdout", "cv_t", "resampled_t", "corrected_t", "five_by_two")
Trials = dict[str, tuple[np.ndarray, np.ndarray]]


@pytest.fixture(scope="module")
def trials() -> Trials:
    made = {}
    for population in (classes(), values()):
        rows = np.stack([trial(population, CASES, number) for number in range(TRIALS)])
        made[population.name] = read(rows)
    return made


def of(trials: Trials, population: str, learner: str, procedure: str) -> np.ndarray:
    """Return value, low, high and truth of a procedure, one row per trial."""
    which = PAIRS["binary" if population == "classes" else "regression"].index(learner)
    return np.asarray(trials[population][0][:, which, PROCEDURES.index(procedure)])


def held(rows: np.ndarray) -> int:
    return int(((rows[:, 1] <= rows[:, 3]) & (rows[:, 3] <= rows[:, 2])).sum())


@pytest.mark.parametrize("procedure", ["bayle_all_pairs", "bayle_within_fold"])
@pytest.mark.parametrize(("population", "learner"), CELLS)
def test_the_proposed_intervals_hold_at_their_level(
    trials: Trials, population: str, learner: str, procedure: str
) -> None:
    count = held(of(trials, population, learner, procedure))
    least = binom.ppf(SURE / 2, TRIALS, LEVEL - UNSTABLE)
    most = binom.ppf(1 - SURE / 2, TRIALS, LEVEL)
    print(f"{population} {learner} {procedure}: {count} of {TRIALS}, {least:g} to {most:g}")
    assert least <= count <= most


@pytest.mark.parametrize(("population", "learner"), CELLS)
def test_they_are_the_narrowest_of_all(trials: Trials, population: str, learner: str) -> None:
    def width(procedure: str) -> float:
        rows = of(trials, population, learner, procedure)
        return float((rows[:, 2] - rows[:, 1]).mean())

    mine = width("bayle_all_pairs")
    assert width("bayle_within_fold") == pytest.approx(mine, rel=0.01)
    assert all(width(rival) > mine for rival in RIVALS)
    assert width("holdout") == pytest.approx(10**0.5 * mine, rel=0.05)  # a tenth of the cases


@pytest.mark.parametrize(("population", "learner"), CELLS)
def test_the_plain_t_interval_of_random_splits_undercovers(
    trials: Trials, population: str, learner: str
) -> None:
    # 84.6 % for a learner that no case changes, and less for others; 95 % is out of reach
    count = held(of(trials, population, learner, "resampled_t"))
    assert count < binom.ppf(SURE, TRIALS, 0.9)


@pytest.mark.parametrize("population", ["classes", "values"])
def test_the_proposed_test_keeps_its_level_and_has_the_most_power(
    trials: Trials, population: str
) -> None:
    # The level is that of finding the worse learner better. Random splits are no fair rival: their
    # test is too eager.
    both = trials[population][1]
    less, greater = both[:, :, 3], both[:, :, 4]
    assert (less[:, 0] <= 0.05).sum() <= binom.ppf(1 - SURE, TRIALS, 0.05)
    power = (greater <= 0.05).mean(axis=0)
    for rival in RIVALS:
        if rival != "resampled_t":
            assert power[0] >= power[PROCEDURES.index(rival)] - 0.02
