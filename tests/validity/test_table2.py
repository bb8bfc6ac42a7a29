"""Inclusion and tightness in the simulations of Paraschakis et al. 2024, table 2.

The generator, the published cells and the rule of agreement are in
benchmarks/papers/paraschakis2024, which also runs the whole table.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.papers.paraschakis2024.agreement import cell, published
from benchmarks.papers.paraschakis2024.simulate import Bounds, Setting, draw, replicate

RUNS = 200
RESAMPLES = 500
SETTINGS = list(published())


def name(setting: Setting) -> str:
    return (
        f"Beta({setting.alpha},{setting.beta})-n{setting.cases}-C{setting.configs}"
        f"-b{setting.minority}"
    )


@pytest.fixture(scope="module", params=SETTINGS, ids=name)
def simulated(request: pytest.FixtureRequest) -> tuple[Setting, list[Bounds]]:
    setting = request.param
    return setting, [replicate(setting, number, RESAMPLES) for number in range(RUNS)]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bbc", "bbc_fold", "naive_bootstrap"])
def test_inclusion_and_tightness_agree_with_the_published_cells(
    simulated: tuple[Setting, list[Bounds]], method: str
) -> None:
    setting, runs = simulated
    made = cell(setting, method, runs)
    if method == "naive_bootstrap" and setting.cases == 50:
        assert made.agrees is None  # the table has no such cell; no bound this narrow can hold
        assert made.inclusion < 0.5
    else:
        assert made.agrees, made


@pytest.mark.slow
def test_bounds_of_bbc_hold_at_their_level(simulated: tuple[Setting, list[Bounds]]) -> None:
    # One-sided 95 % bounds must hold in at least 95 % of the runs; 4 sd of a share of 200 below.
    _, runs = simulated
    share = np.mean([run.truth_pooled >= run.bbc for run in runs])
    assert share >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / RUNS)


def test_the_generator_has_the_true_auc_that_it_says() -> None:
    # 20,000 cases of three configurations, seed 1; an AUC has sd below sqrt(1 / (12 * 2000)) here
    setting = Setting(9, 6, 20_000, 3, 0.1)
    pi, truth = draw(setting, np.random.default_rng(1))
    y, scores = pi.target.y, pi.responses[:, :, 0]
    assert (y == 0).sum() == 2000
    assert setting.folds == 10
    for column, theta in enumerate(truth):
        low, high = np.sort(scores[y == 0, column]), scores[y == 1, column]
        share = (np.searchsorted(low, high) / len(low)).mean()
        assert share == pytest.approx(theta, abs=4 * math.sqrt(1 / (12 * 2000)))


def test_a_replication_is_the_same_for_the_same_number() -> None:
    setting = Setting(24, 6, 50, 10, 0.5)
    assert replicate(setting, 3, 100) == replicate(setting, 3, 100)
    assert replicate(setting, 3, 100) != replicate(setting, 4, 100)


def test_folds_have_a_case_of_the_minority_each() -> None:
    for setting in SETTINGS:
        small = Setting(setting.alpha, setting.beta, setting.cases, 2, setting.minority)
        pi, _ = draw(small, np.random.default_rng(0))
        for fold in range(small.folds):
            assert {0, 1} == set(pi.target.y[pi.folds[:, 0] == fold].tolist())


def test_the_table_has_sixteen_settings() -> None:
    assert len(SETTINGS) == 16
    assert {s.cases for s in SETTINGS} == {50, 500}
