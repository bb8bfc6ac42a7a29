"""Bootstrap tilting: as a method, and its tilts against a plain transcription of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.speed import transcriptions as plain
from earnest import Predictions, estimate, metric
from earnest.core import (
    EqualCaseLimits,
    Estimand,
    LimitLaw,
    NormalLimits,
    Seeds,
    Selection,
    ShareLimits,
    Side,
)
from earnest.errors import EvidenceError, InputError, MetricError
from earnest.inference import Choice
from earnest.inference.cases.placements import auc_influence
from earnest.kernels import score_table
from earnest.methods import Tilted
from earnest.methods.split import tilted
from earnest.methods.split.tilted import (
    case_influence,
    choose_tilt_resampler,
    fallback_limits,
    need_tiltable,
    tilt_limits,
)
from earnest.metrics.families import Metric
from earnest.resampling import (
    BayesianBootstrap,
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
    batches,
)
from earnest.results import Estimate
from earnest.testing import example_predictions
from tests.methods.split.test_delong import codes


def test_one_model_is_evaluated_on_all_cases_and_agrees_with_delong() -> None:
    # 300 cases: both are then near their common limit; a tenth of an interval of about .11
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 150)
    pi = Predictions.from_arrays(y, y + rng.normal(size=300))
    ours = estimate(pi, method="tilted", metric="roc_auc", rng=0)
    formula = estimate(pi, method="delong", metric="roc_auc")
    assert ours.value == formula.value
    assert ours.interval is not None
    assert formula.interval is not None
    assert ours.interval.low == pytest.approx(formula.interval.low, abs=0.011)
    assert ours.interval.high == pytest.approx(formula.interval.high, abs=0.011)
    assert ours.standard_error == pytest.approx(formula.standard_error, rel=0.1)
    assert ours.estimand == Estimand.FIXED_MODEL
    assert ours.n_resamples == ours.n_valid == 2000


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("binary", "accuracy"),
        ("binary", "brier"),
        ("multiclass", "accuracy"),
        ("regression", "mae"),
    ],
)
def test_any_mean_over_cases_is_answered(task: str, name: str) -> None:
    pi = example_predictions(task, n_cases=120)
    made = estimate(pi, method=Tilted(n_resamples=500), metric=name, rng=1)
    assert made.interval is not None
    assert made.interval.low < made.value < made.interval.high
    assert made.details.n_evaluated == pytest.approx(30, abs=1)


def test_perfect_separation_falls_back_to_delong_and_its_exact_limits() -> None:
    y = np.repeat([0, 1], 15)
    pi = Predictions.from_arrays(y, y)
    made = estimate(pi, method="tilted", metric="roc_auc", rng=0)
    assert made.interval == estimate(pi, method="delong", metric="roc_auc").interval
    said = [str(c) for c in made.cautions if c.kind == "no_tilt"]
    assert len(said) == 1


def test_all_labels_right_falls_back_to_wilson() -> None:
    y = np.tile([0, 1], 10)
    pi = Predictions.from_arrays(y, y, response="label")
    made = estimate(pi, method="tilted", metric="accuracy", side="lower", rng=0)
    z2 = 1.6448536269514722**2
    assert made.interval is not None
    assert made.interval.low == pytest.approx(20 / (20 + z2), abs=1e-9)
    assert [c.facts["law"] for c in made.cautions if c.kind == "no_tilt"] == [LimitLaw.WILSON]


def test_losses_that_are_all_zero_get_limits_that_say_what_was_not_seen() -> None:
    y = np.arange(30.0) / 7
    made = estimate(
        Predictions.from_arrays(y, y, task="regression"), method="tilted", metric="mse", rng=0
    )
    assert made.value == 0.0
    assert made.interval is not None
    assert (made.interval.low, made.interval.high) == (0.0, np.inf)
    assert "no_tilt" in codes(made)


def test_a_level_that_tilts_reach_has_no_caution_and_a_higher_one_has() -> None:
    pi = example_predictions("binary", n_cases=60, n_configs=1)
    made = estimate(pi, method="tilted", metric="roc_auc", rng=0, confidence_level=0.8)
    assert not {"no_tilt", "few_under_tilt"} & codes(made)
    far = made.at(confidence_level=0.9999)
    assert {"no_tilt", "few_under_tilt"} & codes(far)
    assert not {"no_tilt", "few_under_tilt"} & codes(far.at(confidence_level=0.8))


def test_groups_are_drawn_whole(grouped: Predictions) -> None:
    made = estimate(grouped, method="tilted", metric="roc_auc", rng=0)
    assert made.provenance.knobs["resampler"] == "group"
    cases = estimate(grouped, method=Tilted(resampler="stratified"), metric="roc_auc", rng=0)
    assert "groups_not_drawn" in codes(cases)
    assert cases.value == made.value


def test_knobs_are_checked() -> None:
    with pytest.raises(InputError, match="n_resamples"):
        Tilted(n_resamples=0)
    with pytest.raises(MetricError, match="means over cases"):
        estimate(example_predictions("binary"), method="tilted", metric="f1")


def test_more_resamples_extend_the_earlier_ones() -> None:
    pi = example_predictions("binary", n_configs=1)
    few, many = (
        estimate(pi, method=Tilted(n_resamples=size), metric="roc_auc", rng=4).draws
        for size in (100, 300)
    )
    assert few is not None
    assert many is not None
    np.testing.assert_array_equal(few, many[:100])


@pytest.mark.parametrize("method", ["tilted", "tilted_10p", "mabt"])
def test_equal_losses_get_limits_with_a_width(method: str) -> None:
    # losses of .04 and .1 are not exact in binary: their rounding is no spread
    y = np.tile([0, 1], 20)
    brier = estimate(Predictions.from_arrays(y, y * 0.6 + 0.2), method=method, metric="brier")
    assert brier.interval is not None
    assert brier.interval.low < 0.0365  # what a share of 8.8 % of better cases could do
    assert brier.interval.high > 0.1246
    t = np.arange(30) / 7
    constant = Predictions.from_arrays(t, t + 0.1, task="regression")
    mae = estimate(constant, method=method, metric="mae")
    assert mae.interval is not None
    assert mae.interval.low == pytest.approx(0.1 * 0.025 ** (1 / 30), abs=1e-9)
    assert mae.interval.high == np.inf
    assert "no_tilt" in codes(brier) & codes(mae)


@pytest.mark.parametrize("method", ["tilted", "mabt"])
def test_separated_groups_stand_for_few_pairs(method: str) -> None:
    y, groups = np.tile([0, 1], 20), np.repeat(np.arange(5), 8)
    made = estimate(Predictions.from_arrays(y, y, groups=groups), method=method, metric="roc_auc")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025**0.5, abs=1e-9)  # two pairs


# ---- the tilts themselves: against plain loops, and their edges


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
    monkeypatch.setattr(tilted, "CELLS", 100)
    assert ask() == whole


def test_effective_resamples_are_the_square_of_the_sum_over_the_sum_of_squares() -> None:
    rng = np.random.default_rng(0)
    sums, step = rng.normal(size=300), 0.1
    weights = np.exp(-step * np.outer(np.arange(9), sums - sums.min()))
    ours = tilted._effective(weights.sum(axis=1))
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
    assert [c.kind for c in made.remarks(0.95, Side.TWO_SIDED)] == ["no_tilt"]


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
    made = tilted._standardise(choice, mae, CaseBootstrap(), draws, sums, influence)
    assert not made.gains[:, column].any()
    assert np.ptp(made.gains[:, 1 - column]) > 1


def test_sums_that_differ_by_rounding_are_flat() -> None:
    rng = np.random.default_rng(0)
    gains, influence = rng.normal(size=(50, 1)), rng.normal(size=40)
    units = np.arange(40)
    assert tilted.TiltProblem(gains, 1e-14 * rng.normal(size=50), influence, units).flat
    assert not tilted.TiltProblem(gains, rng.normal(size=50), influence, units).flat


# ---- what can be tilted, how cases are drawn for it, and which limits stand in


def test_influences_of_a_mean_are_values_less_the_mean() -> None:
    pi = example_predictions("regression", n_cases=30, n_configs=1)
    measure = metric("mse").on("regression")
    loss = (pi.responses[:, 0, 0] - pi.target.y) ** 2
    ours = case_influence(everyone(pi, measure), measure, CaseBootstrap())
    np.testing.assert_allclose(ours, loss.mean() - loss, atol=1e-12)


def test_resamplers_are_chosen_by_groups_metric_and_strata(grouped: Predictions) -> None:
    regression = example_predictions("regression").target
    binary = example_predictions("binary").target
    assert choose_tilt_resampler(None, AUC, grouped.target).name == "group"
    assert choose_tilt_resampler(None, AUC, binary).name == "stratified"
    assert choose_tilt_resampler(None, metric("mse"), regression).name == "case"
    assert choose_tilt_resampler(CaseBootstrap(), AUC, binary).name == "case"
    with pytest.raises(EvidenceError, match="draw cases"):
        choose_tilt_resampler(BayesianBootstrap(), AUC, binary)


@pytest.mark.parametrize("name", ["f1", "average_precision", "balanced_accuracy"])
def test_a_metric_without_known_influence_is_refused(name: str) -> None:
    with pytest.raises(MetricError, match="means over cases"):
        need_tiltable("tilted", metric(name), example_predictions("binary").target)


def single(y: np.ndarray, prediction: np.ndarray, name: str, **about: Any) -> Choice:
    task = "regression" if name in ("mse", "mae") else "binary"
    pi = Predictions.from_arrays(y, prediction, task=task, **about)
    return everyone(pi, metric(name).on(task))


def test_the_stand_in_is_wilsons_for_finite_ranges_and_normal_for_others() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    loss = single(y, y + rng.normal(size=40), "mse")
    limits = fallback_limits(loss, metric("mse").on("regression"), CaseBootstrap())
    assert isinstance(limits.source, NormalLimits)
    values = (loss.part.responses[:, 0, 0] - y) ** 2
    assert limits.source.standard_error == pytest.approx(
        values.std(ddof=1) / np.sqrt(40), abs=1e-12
    )
    assert limits.law is LimitLaw.NORMAL
    labels = single(np.tile([0, 1], 20), np.tile([0, 1], 20), "accuracy", response="label")
    limits = fallback_limits(labels, metric("accuracy").on("binary"), CaseBootstrap())
    assert limits.source == ShareLimits(1.0, 40)
    assert limits.law is LimitLaw.WILSON


def test_losses_that_are_all_alike_get_limits_of_what_was_not_seen() -> None:
    y = np.arange(12.0) / 5
    alike = single(y, y, "mse")
    limits = fallback_limits(alike, metric("mse").on("regression"), CaseBootstrap())
    assert isinstance(limits.source, EqualCaseLimits)
    assert limits.source.n == 12


def test_groups_count_and_not_cases_in_the_stand_in() -> None:
    groups = np.repeat(np.arange(10), 4)
    labels = single(
        np.tile([0, 1], 20), np.tile([0, 1], 20), "accuracy", response="label", groups=groups
    )
    limits = fallback_limits(labels, metric("accuracy").on("binary"), GroupBootstrap())
    assert limits.source == ShareLimits(1.0, 10)


def numerical_influence(pi: Predictions, measure: Metric) -> np.ndarray:
    """Return n times the change of a metric with the weight of each case, by differences."""
    step, n = 1e-5, pi.n_cases
    up, down = (np.ones((n, n)) + sign * step * np.eye(n) for sign in (1.0, -1.0))
    slope = score_table(pi, measure, up)[:, 0] - score_table(pi, measure, down)[:, 0]
    return n * slope / (2 * step)


@pytest.mark.parametrize("resampler", [CaseBootstrap(), GroupBootstrap()])
def test_where_classes_are_drawn_together_influences_are_derivatives_by_the_weights(
    resampler: Resampler,
) -> None:
    # 10 % positives, seed 0: their influence is nine times that of the placement alone. The
    # central difference of steps of 1e-5 has an error of about 1e-10 in its square, rounding 1e-10.
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [6, 54])
    pi = Predictions.from_arrays(y, y + rng.normal(size=60), groups=np.arange(60) % 20)
    ours = case_influence(everyone(pi), AUC, resampler)
    np.testing.assert_allclose(ours, numerical_influence(pi, AUC), atol=1e-7)


def test_strata_that_are_no_classes_draw_classes_together() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [6, 54])
    pi = Predictions.from_arrays(y, y + rng.normal(size=60), strata=np.arange(60) % 2)
    ours = case_influence(everyone(pi), AUC, StratifiedBootstrap())
    np.testing.assert_allclose(ours, numerical_influence(pi, AUC), atol=1e-7)


@pytest.mark.parametrize("error", [0.1, 0.04, 1e-3])
@pytest.mark.parametrize("scale", [1.0, 1e8])
def test_losses_that_differ_by_rounding_are_alike(error: float, scale: float) -> None:
    y = np.arange(30) / 7
    alike = single(scale * y, scale * (y + error), "mae")
    limits = fallback_limits(alike, metric("mae").on("regression"), CaseBootstrap())
    assert isinstance(limits.source, EqualCaseLimits)
    assert limits.source.n == 30
    assert limits.law is LimitLaw.EQUAL_CASES
    assert not case_influence(alike, metric("mae").on("regression"), CaseBootstrap()).any()


def test_losses_that_cancel_in_every_group_leave_no_influence() -> None:
    # .1 and .3 are not exact, so that their distances from .2 cancel but for rounding
    y = np.arange(30) / 7
    pairs = single(y, y + np.tile([0.1, 0.3], 15), "mae", groups=np.arange(30) // 2)
    measure = metric("mae").on("regression")
    assert not case_influence(pairs, measure, GroupBootstrap()).any()
    assert np.abs(case_influence(pairs, measure, CaseBootstrap())).min() > 0.09


def test_small_differences_of_losses_are_no_rounding() -> None:
    y = np.arange(30) / 7
    near = single(y, y + 0.1 + 1e-6 * np.tile([0, 1], 15), "mae")
    limits = fallback_limits(near, metric("mae").on("regression"), CaseBootstrap())
    assert isinstance(limits.source, NormalLimits)
    assert limits.source.standard_error == pytest.approx(0.5e-6 / np.sqrt(29), rel=1e-6)


def test_the_stand_in_of_an_auc_counts_groups() -> None:
    y = np.tile([0, 1], 20)
    for groups, pairs in ((np.repeat(np.arange(5), 8), 2), (np.zeros(40, int), 1)):
        apart = single(y, y, "roc_auc", groups=groups)
        limits = fallback_limits(apart, AUC, GroupBootstrap())
        low, _ = limits.source.limits(0.95, Side.LOWER)
        assert low == pytest.approx(0.05 ** (1 / pairs), abs=1e-12)


# ---- the best of the top tenth


@pytest.fixture(scope="module")
def searched() -> Predictions:
    return example_predictions("binary", n_cases=300, n_configs=30)


def ends(made: Estimate) -> tuple[float, float]:
    assert made.interval is not None
    return made.interval.low, made.interval.high


@pytest.mark.parametrize("name", ["roc_auc", "accuracy"])
def test_the_bad_end_is_that_of_tilting_at_sidaks_level(searched: Predictions, name: str) -> None:
    learn = tuple(bool(m) for m in np.arange(300) // 3 % 3 != 1)
    made = estimate(searched, method=Tilted(preselect=0.1, learn=learn), metric=name, rng=0)
    m = len(made.details.candidates)
    assert m > 1
    one = searched.select(str(made.winner))
    alone = estimate(one, method=Tilted(learn=learn), metric=name, rng=0)
    assert made.value == alone.value
    low = alone.at(confidence_level=(1 - 0.025) ** (1 / m), side="lower")
    assert ends(made)[0] == pytest.approx(ends(low)[0], abs=1e-9)
    assert ends(made)[1] == pytest.approx(ends(alone)[1], abs=1e-9)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
    assert made.selection is Selection.BOUND_ONLY


def test_with_one_candidate_it_is_tilting() -> None:
    few = example_predictions("binary", n_cases=120, n_configs=6)
    plain, elected = (
        estimate(few, method=Tilted(preselect=share), metric="roc_auc", rng=2)
        for share in (None, 0.1)
    )
    assert elected.interval == plain.interval


def test_a_loss_is_adjusted_at_its_upper_end() -> None:
    pi = example_predictions("regression", n_cases=200, n_configs=30)
    learn = tuple(bool(m) for m in np.arange(200) // 3 % 3 != 1)
    made = estimate(pi, method=Tilted(preselect=0.1, learn=learn), metric="mae", rng=0)
    alone = estimate(pi.select(str(made.winner)), method=Tilted(learn=learn), metric="mae", rng=0)
    assert ends(made)[0] == pytest.approx(ends(alone)[0], abs=1e-9)
    assert ends(made)[1] > ends(alone)[1]
