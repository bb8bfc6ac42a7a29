"""Tilts against a plain transcription of their definition, on the same resamples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.speed import transcriptions as plain
from earnest import Predictions, metric
from earnest.core.base.rng import Seeds
from earnest.core.results.specs import Side
from earnest.inference.cases.placements import auc_influence
from earnest.inference.resampling import tilt
from earnest.inference.resampling.splits import Choice
from earnest.inference.resampling.tilt import tilt_limits
from earnest.kernels.score import score_table
from earnest.resampling.bootstrap import CaseBootstrap, GroupBootstrap, StratifiedBootstrap, batches
from earnest.testing import example_predictions

Array = NDArray[np.float64]
AUC = metric("roc_auc").on("binary")
SIZE = 1000


def everyone(pi: Predictions, measure: Any = AUC) -> Choice:
    """All cases evaluate, and every configuration is a candidate, the best one first."""
    values = score_table(pi, measure, np.ones((1, pi.n_cases)))[0]
    order = np.argsort(-measure.sign * values, kind="stable")
    return Choice(pi, order, values[order], np.zeros(len(order), dtype=bool))


def influence_of(choice: Choice) -> Array:
    return auc_influence(choice.placements, choice.part.target.y == 1)


def counts_of(pi: Predictions, resampler: Any, seed: int) -> Array:
    parts = batches(resampler, pi.target, SIZE, Seeds(seed))
    return np.concatenate([part.values for part in parts]).astype(np.float64)


@pytest.fixture(scope="module")
def pi() -> Predictions:
    rng = np.random.default_rng(7)
    y = np.tile([0, 1, 0], 20)
    return Predictions.from_arrays(y, 0.9 * y[:, None] + rng.normal(size=(60, 4)))


def by_definition(
    pi: Predictions, counts: Array, influence: Array, word: str, alpha: float
) -> float:
    """Return the lower bound of BT or MABT from products of weights and halved intervals."""
    choice = everyone(pi)
    areas = score_table(pi, AUC, counts)[:, choice.candidates]
    if word == "MABT":
        tail = plain.adjusted_tail(areas, counts, influence, choice.value)
    else:
        beyond = (areas[:, 0] > choice.value) + 0.5 * (areas[:, 0] == choice.value)

        def tail(tau: float) -> float:
            return float(np.mean(plain.worth(influence, counts, tau) * beyond))

    tau = plain.search(tail, alpha, 0.05)
    assert tau is not None
    p = plain.tilted_share(influence, tau)
    y, score = pi.target.y, pi.responses[:, choice.chosen, 0]
    won = (score[:, None] > score[None]) + 0.5 * (score[:, None] == score[None])
    pairs = np.outer(p * (y == 1), p * (y == 0))
    return float((pairs * won).sum() / pairs.sum())


@pytest.mark.parametrize("word", ["BT", "MABT"])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_a_bound_is_that_of_the_definition(
    pi: Predictions, word: str, seed: int, alpha: float
) -> None:
    # The root is found to 1.2e-4 there and by interpolation between tilts here; for MABT the tail
    # is a step function, so that the two may differ by a step of tilts, 1/12 of an sd of .07.
    made = tilt_limits(
        everyone(pi), AUC, StratifiedBootstrap(), SIZE, Seeds(seed), corrected=word == "MABT"
    )
    counts = counts_of(pi, StratifiedBootstrap(), seed)
    wanted = by_definition(pi, counts, influence_of(everyone(pi)), word, alpha)
    ours = made.limits(1 - alpha, Side.LOWER)[0]
    assert ours == pytest.approx(wanted, abs=1e-4 if word == "BT" else 0.07 / 12)


def test_the_regression_of_the_authors_estimates_the_placements(pi: Predictions) -> None:
    # 1000 resamples, 58 coefficients: a correlation well above what chance gives.
    counts, column = counts_of(pi, StratifiedBootstrap(), 3), everyone(pi).chosen
    areas = score_table(pi, AUC, counts)[:, column]
    fitted = plain.regression_influence(pi.target.y == 1, counts, areas)
    influence = influence_of(everyone(pi))
    assert np.corrcoef(fitted, influence)[0, 1] > 0.95
    assert np.std(fitted) == pytest.approx(np.std(influence), rel=0.1)


def test_an_accuracy_is_tilted_as_a_binomial_share() -> None:
    # For 0/1 values a tilt changes the share of ones only: the limit is the p at which a binomial
    # exceeds the observed count with probability alpha, half of the tie included. R=4000, seed 5;
    # the sd of such a limit is about .001.
    n, right = 80, 60
    y = np.tile([0, 1], 40)
    wrong = np.arange(n) < n - right
    pi = Predictions.from_arrays(y, np.where(wrong, 1 - y, y), response="label")
    measure = metric("accuracy").on("binary")
    made = tilt_limits(everyone(pi, measure), measure, CaseBootstrap(), 4000, Seeds(5))
    low, high = made.limits(0.9, Side.TWO_SIDED)
    assert low == pytest.approx(_binomial_limit(n, right, 0.05), abs=0.004)
    assert high == pytest.approx(1 - _binomial_limit(n, n - right, 0.05), abs=0.004)


def _binomial_limit(n: int, seen: int, alpha: float) -> float:
    from math import comb

    def tail(p: float) -> float:
        law = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        return sum(law[seen + 1 :]) + 0.5 * law[seen]

    low, high = 0.0, seen / n
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) < alpha else (low, middle)
    return low


@pytest.mark.parametrize("name", ["mse", "mae", "squared"])
def test_losses_have_their_bad_end_above(name: str) -> None:
    from earnest.testing.examples import squared_error

    pi = example_predictions("regression", n_cases=80, n_configs=5)
    measure = squared_error if name == "squared" else metric(name).on("regression")
    made = tilt_limits(
        everyone(pi, measure), measure, CaseBootstrap(), SIZE, Seeds(0), corrected=True
    )
    single = Choice(
        pi,
        everyone(pi, measure).candidates[:1],
        everyone(pi, measure).values[:1],
        np.array([False]),
    )
    plain_one = tilt_limits(single, measure, CaseBootstrap(), SIZE, Seeds(0))
    low, high = made.limits(0.9, Side.TWO_SIDED)
    other_low, other_high = plain_one.limits(0.9, Side.TWO_SIDED)
    assert low == other_low  # choosing can only flatter: the good end needs no correction
    assert high > other_high
    assert low < everyone(pi, measure).value < high


def test_the_unit_of_a_loss_does_not_matter() -> None:
    pi = example_predictions("regression", n_cases=50, n_configs=1)
    big = Predictions.from_arrays(1e6 * pi.target.y, 1e6 * pi.responses[:, :, 0])
    measure = metric("mae").on("regression")
    first, second = (
        tilt_limits(everyone(p, measure), measure, CaseBootstrap(), 500, Seeds(0)).limits(
            0.95, Side.TWO_SIDED
        )
        for p in (pi, big)
    )
    assert np.array(second) == pytest.approx(1e6 * np.array(first), rel=1e-9)


def test_groups_of_one_case_are_tilted_as_cases() -> None:
    pi = example_predictions("regression", n_cases=50, n_configs=1)
    alone = Predictions.from_arrays(pi.target.y, pi.responses[:, :, 0], groups=np.arange(50))
    measure = metric("mae").on("regression")
    cases, groups = (
        tilt_limits(everyone(p, measure), measure, r, SIZE, Seeds(0)).limits(0.95, Side.LOWER)
        for p, r in ((pi, CaseBootstrap()), (alone, GroupBootstrap()))
    )
    assert cases == pytest.approx(groups, abs=1e-12)


def test_copied_cases_in_groups_give_the_limits_of_the_cases() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 25)
    score = y + rng.normal(size=50)
    once = Predictions.from_arrays(y, score, groups=np.arange(50))
    thrice = Predictions.from_arrays(
        np.repeat(y, 3), np.repeat(score, 3), groups=np.repeat(np.arange(50), 3)
    )
    first, second = (
        tilt_limits(everyone(p), AUC, GroupBootstrap(), SIZE, Seeds(1)).limits(0.9, Side.TWO_SIDED)
        for p in (once, thrice)
    )
    # The same groups are drawn, but summed influences of three cases have three times the size.
    assert first == pytest.approx(second, abs=1e-9)


def test_blocks_of_tilts_change_no_limit(pi: Predictions, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask() -> tuple[float, float]:
        made = tilt_limits(everyone(pi), AUC, StratifiedBootstrap(), 300, Seeds(0))
        return made.limits(0.9, Side.TWO_SIDED)

    whole = ask()
    monkeypatch.setattr(tilt, "CELLS", 100)
    assert ask() == whole


def test_effective_resamples_are_the_square_of_the_sum_over_the_sum_of_squares() -> None:
    rng = np.random.default_rng(0)
    sums, step = rng.normal(size=300), 0.1
    weights = np.exp(-step * np.outer(np.arange(9), sums - sums.min()))
    ours = tilt._effective(weights.sum(axis=1))
    exact = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    np.testing.assert_allclose(ours[:5], exact[:5], rtol=1e-12)
    assert (ours[5:] == ours[4]).all()


def test_a_turned_configuration_is_tilted_as_its_negation() -> None:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 30)
    score = rng.normal(size=60) - y
    normal = Predictions.from_arrays(y, -score, response="decision")
    turned = Predictions.from_arrays(y, score, response="decision")
    value = everyone(normal).values
    choice = Choice(turned, np.array([0]), value, np.array([True]))
    first = tilt_limits(everyone(normal), AUC, StratifiedBootstrap(), 400, Seeds(0))
    second = tilt_limits(choice, AUC, StratifiedBootstrap(), 400, Seeds(0))
    assert first.limits(0.9, Side.TWO_SIDED) == pytest.approx(
        second.limits(0.9, Side.TWO_SIDED), abs=1e-12
    )


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("loss", [0.04, 0.01, 0.25])
def test_equal_losses_have_no_tilts_exact_in_binary_or_not(loss: float, corrected: bool) -> None:
    y = np.tile([0, 1], 20)
    away = np.sqrt(loss)
    pi = Predictions.from_arrays(y, np.abs(y - away))
    brier = metric("brier").on("binary")
    made = tilt_limits(
        everyone(pi, brier), brier, CaseBootstrap(), 300, Seeds(0), corrected=corrected
    )
    assert made.limits(0.95, Side.TWO_SIDED) == made.fallback.limits(0.95, Side.TWO_SIDED)
    assert [c.code for c in made.remarks(0.95, Side.TWO_SIDED)] == ["EN026"]


def test_losses_that_vary_between_the_drawn_strata_only_have_no_tilts() -> None:
    # cases of a class have one loss, .04 or .01: drawn within classes, no resample differs
    y = np.tile([0, 1], 20)
    pi = Predictions.from_arrays(y, np.where(y == 1, 0.8, 0.1))
    brier = metric("brier").on("binary")
    made = tilt_limits(everyone(pi, brier), brier, StratifiedBootstrap(), 300, Seeds(0))
    assert made.limits(0.95, Side.TWO_SIDED) == made.fallback.limits(0.95, Side.TWO_SIDED)


def test_a_candidate_without_spread_has_gains_of_zero_whatever_its_unit() -> None:
    y = np.linspace(1.0, 9.0, 40) * 1e12
    rng = np.random.default_rng(0)
    pi = Predictions.from_arrays(
        y, np.column_stack([y + 1e11 * rng.normal(size=40), y + 1e11 / 3]), task="regression"
    )
    mae = metric("mae").on("regression")
    choice = everyone(pi, mae)
    column = choice.candidates.tolist().index(1)
    sums, influence = np.zeros(50), np.zeros(40)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=50)
    draws = score_table(pi, mae, counts)[:, choice.candidates]
    made = tilt._standardise(choice, mae, CaseBootstrap(), draws, sums, influence)
    assert not made.gains[:, column].any()
    assert np.ptp(made.gains[:, 1 - column]) > 1


def test_sums_that_differ_by_rounding_are_flat() -> None:
    rng = np.random.default_rng(0)
    gains, influence = rng.normal(size=(50, 1)), rng.normal(size=40)
    units = np.arange(40)
    assert tilt.TiltProblem(gains, 1e-14 * rng.normal(size=50), influence, units).flat
    assert not tilt.TiltProblem(gains, rng.normal(size=50), influence, units).flat
