"""The rivals of table 2 of Paraschakis et al. 2024: DL, HM, BT, their 10p variants, and MABT.

They choose on one part of the cases and evaluate on the other, here as published. Generator, cells
and rule of agreement are in benchmarks/papers/paraschakis2024, which also runs the whole table.
"""

from __future__ import annotations

import pytest
from scipy.stats import binom

from benchmarks.papers.paraschakis2024.agreement import cell, published
from benchmarks.papers.paraschakis2024.rivals import (
    RIVALS,
    SplitBounds,
    can_split,
    replicate_split,
)
from benchmarks.papers.paraschakis2024.simulate import Setting

RUNS = 200
SETTINGS = [s for s in published() if can_split(s) and s.configs == 100]
RARE = 6.3e-5  # the two-sided tail beyond 4 standard deviations of a normal law


def name(setting: Setting) -> str:
    return f"Beta({setting.alpha},{setting.beta})-b{setting.minority}"


@pytest.fixture(scope="module", params=SETTINGS, ids=name)
def simulated(request: pytest.FixtureRequest) -> tuple[Setting, list[SplitBounds]]:
    return request.param, [replicate_split(request.param, number) for number in range(RUNS)]


@pytest.mark.slow
@pytest.mark.parametrize("method", RIVALS)
def test_inclusion_and_tightness_agree_with_the_published_cells(
    simulated: tuple[Setting, list[SplitBounds]], method: str
) -> None:
    setting, runs = simulated
    made = cell(setting, method, runs)
    assert made.inclusion_chance >= RARE, made
    if method == "mabt" and setting.minority == 0.1:
        # Exact ties of resampled AUCs at 1, which the published arithmetic breaks by rounding, push
        # our bounds down: they are not tighter than the published ones.
        assert made.tightness >= made.tightness_published - made.tightness_tolerance, made
    else:
        assert made.agrees, made


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mabt", "tilted_10p"])
def test_bounds_hold_at_their_level_with_enough_cases_of_each_class(
    simulated: tuple[Setting, list[SplitBounds]], method: str
) -> None:
    # As the paper does: rejected where so few bounds held has no chance under 95 %.
    setting, runs = simulated
    held = sum(run.truth_final >= getattr(run, method) for run in runs)
    if setting.minority == 0.5:
        assert binom.cdf(held, RUNS, 0.95) >= RARE
    else:
        assert held < RUNS  # published and ours: 75 to 88 % with 12 cases of a class


def test_a_replication_is_the_same_for_the_same_number() -> None:
    setting = Setting(24, 6, 100, 20, 0.5)
    assert replicate_split(setting, 3) == replicate_split(setting, 3)
    assert replicate_split(setting, 3) != replicate_split(setting, 4)


def test_four_of_the_settings_are_run_here() -> None:
    assert len(SETTINGS) == 4
    assert {s.cases for s in SETTINGS} == {500}
