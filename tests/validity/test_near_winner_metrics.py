"""Coverage of the winner's interval for more metrics, for groups, and after early dropping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from benchmarks.calibration import extensions
from benchmarks.calibration.extensions import KINDS, Cell, cells, draw, replicate
from benchmarks.calibration.summary import too_rare
from earnest.core import LossLimits, OverlapLimits, Side
from earnest.kernels import score_table
from earnest.metrics import metric as resolve_metric
from earnest.resampling import Weights

RUNS = 300
SIZE = 1e-3  # of the exact binomial test: all cells together fail by chance in less than 4 %
BASE = Cell(500_000, "mae", 100, 10, "equal", 0.5, False)
NUMBERS = {kind: 500_000 + 10 * place for place, kind in enumerate(KINDS)}


def held(cell: Cell, runs: int) -> tuple[int, int]:
    """Count the one-sided bounds and the two-sided intervals that hold."""
    made = [replicate(cell, number)[0]["near_winner"] for number in range(runs)]
    return sum(one.held for one in made), sum(one.held_two_sided for one in made)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hard", [False, True])
def test_bounds_and_intervals_hold_for_every_kind_of_question(kind: str, hard: bool) -> None:
    few = replace(BASE, number=NUMBERS[kind], kind=kind, hard=hard)
    many = replace(
        few, number=NUMBERS[kind] + 1, n=400, configs=50, truth="spread", correlation=0.0
    )
    for cell in (few, many):
        bound, interval = held(cell, RUNS)
        assert not too_rare(bound, RUNS, SIZE)
        assert not too_rare(interval, RUNS, SIZE)


@pytest.mark.slow
def test_a_choice_among_survivors_needs_the_dropped_as_rivals() -> None:
    # a hundred equal configurations, ten of which survive the first half of the cases
    cell = replace(
        BASE, number=500_900, kind="accuracy, early dropping", configs=100, correlation=0.0
    )
    bounds = 0
    for number in range(RUNS):
        sample = draw(cell, np.random.default_rng([extensions.SEED, cell.number, number]))
        survivors = extensions.drop(sample).usable()
        made = en.estimate(
            survivors, method="near_winner", metric="accuracy", side="lower", rng=number
        )
        assert made.interval is not None
        bounds += made.interval.low <= sample.truth[0]
    assert too_rare(bounds, RUNS, SIZE)
    assert not too_rare(held(cell, RUNS)[0], RUNS, SIZE)


def test_bounds_of_a_loss_hold_in_a_quick_simulation() -> None:
    # the best of ten equal, independent configurations: without a correction a bound at 95 % holds
    # in about .95^10 = 60 %. With 60 runs either test errs by chance in less than .1 %
    cell = replace(BASE, number=500_901, n=40, correlation=0.0)
    bounds = uncorrected = 0
    for number in range(60):
        sample = draw(cell, np.random.default_rng([extensions.SEED, cell.number, number]))
        made = en.estimate(
            sample.predictions,
            method=en.methods.NearWinner(n_resamples=100),
            metric="mae",
            rng=number,
        )
        assert made.source is not None
        bounds += made.source.limits(0.95, Side.UPPER)[1] >= sample.truth[0]
        uncorrected += made.source.inner.limits(0.95, Side.UPPER)[1] >= sample.truth[0]
    assert not too_rare(bounds, 60, SIZE)
    assert too_rare(uncorrected, 60, SIZE)


def test_limits_of_f1_hold_for_one_model() -> None:
    # 4000 samples of 40 cases; four standard errors of a share of .95: 4 * sqrt(.0475 / 4000)
    rng = np.random.default_rng(0)
    positives = rng.binomial(40, 0.3, 4000)
    hits = rng.binomial(positives, 0.8)
    union = positives + rng.binomial(40 - positives, 0.2)
    truth = 2 * 0.24 / (2 * 0.24 + 0.06 + 0.14)
    lows = [
        OverlapLimits(2 * h / (u + h), float(u)).limits(0.95, Side.LOWER)[0]
        for h, u in zip(hits, union, strict=True)
        if u > 0
    ]
    assert np.mean(np.array(lows) <= truth) >= 0.95 - 4 * np.sqrt(0.0475 / 4000)


def test_limits_of_a_squared_error_hold_exactly_for_normal_errors() -> None:
    # the law is exact: 4000 samples, four standard errors on both sides
    rng = np.random.default_rng(1)
    losses = np.square(rng.standard_normal((4000, 20))).mean(axis=1)
    highs = np.array([LossLimits(float(x), 10.0).limits(0.95, Side.UPPER)[1] for x in losses])
    assert np.mean(highs >= 1.0) == pytest.approx(0.95, abs=4 * np.sqrt(0.0475 / 4000))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hard", [False, True])
def test_true_values_are_those_of_many_cases(kind: str, hard: bool) -> None:
    # 8000 cases in one configuration, in groups of 5 for some. The standard error of each metric
    # is below .5 / sqrt(8000 / 5) = .0125 of its size; squared errors of t5 vary twice as much
    cell = replace(BASE, number=1, kind=kind, n=8000, configs=1, hard=hard)
    sample = draw(cell, np.random.default_rng(4))
    pi = sample.predictions
    metric = resolve_metric(cell.metric).on(pi.target.task)
    seen = score_table(pi, metric, Weights.ones(pi.n_cases))[0]
    np.testing.assert_allclose(seen, sample.truth, rtol=8 * 0.0125)


def test_every_pair_of_levels_meets_once_in_every_kind() -> None:
    every = [cell for cell in cells() if cell.kind == "mae" and not cell.hard]
    for first, second in (("n", "configs"), ("n", "truth"), ("configs", "correlation")):
        pairs = {(getattr(cell, first), getattr(cell, second)) for cell in every}
        assert len(pairs) == len(every) == 9
    pairs = {(cell.truth, cell.correlation) for cell in every}
    assert len(pairs) == 9
    assert [cell.number for cell in cells()] == list(range(len(cells())))
