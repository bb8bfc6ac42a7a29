"""Laws of weighted estimates: repeated rows, scale, plain formulas, and R's survey."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest.core import CaseWeights
from earnest.errors import EvidenceError, MetricError
from earnest.inference import case_values, placements
from earnest.kernels import fold_scores, score_table
from earnest.methods import METHODS
from earnest.resampling import SurveyBootstrap, Weights
from earnest.results import Estimate

HERE = Path(__file__).parent / "survey"
RNG = np.random.default_rng(8)
N = 90
Y = RNG.integers(0, 2, N)
SCORES = np.clip(0.5 + 0.25 * (Y[:, None] - 0.5) + 0.25 * RNG.standard_normal((N, 6)), 0.01, 0.99)
FOLD = np.arange(N) % 5
COUNTS = RNG.integers(1, 4, N)
WEIGHTS = RNG.lognormal(0.0, 0.7, N)
METRICS = ("roc_auc", "accuracy", "log_loss", "f1", "mcc", "average_precision")
TIGHT = 1e-12  # sums of 90 numbers near 1 in another order: 90 * 2**-53 is 1e-14


def weigh(weights: NDArray[Any] | None, kind: str = "importance", **more: Any) -> en.Predictions:
    return en.Predictions.from_arrays(
        Y, SCORES, FOLD, sample_weight=weights, weights=kind, response="probability", **more
    )


def ask(pi: en.Predictions, metric: str, method: str = "bbc") -> Estimate:
    return en.estimate(pi, metric=metric, method=method, rng=3, n_resamples=None)


def write(estimate: Estimate) -> str:
    return json.dumps(estimate.to_dict(draws=True))


def repeat_rows() -> en.Predictions:
    """Return the rows as often as they count, copies after all rows."""
    rows = np.concatenate([np.flatnonzero(turn < COUNTS) for turn in range(3)])
    return en.Predictions.from_arrays(Y[rows], SCORES[rows], FOLD[rows], response="probability")


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "log_loss"])
def test_an_estimate_under_frequencies_is_that_of_repeated_rows(metric: str) -> None:
    assert write(ask(weigh(COUNTS, "frequency"), metric)) == write(ask(repeat_rows(), metric))


@pytest.mark.parametrize("metric", METRICS)
def test_whole_importance_weights_score_as_repeated_rows_pooled_and_in_folds(metric: str) -> None:
    pi, rows = weigh(COUNTS), repeat_rows()
    ones = Weights.ones(rows.n_cases)
    np.testing.assert_allclose(
        score_table(pi, metric, Weights.ones(N)), score_table(rows, metric, ones), rtol=TIGHT
    )
    np.testing.assert_allclose(fold_scores(pi, metric), fold_scores(rows, metric), rtol=TIGHT)


@pytest.mark.parametrize("kind", ["importance", "survey"])
def test_equal_weights_change_no_bit_of_an_estimate(kind: str) -> None:
    for method in ("bbc", "near_winner", "bayle_all_pairs"):
        plain = write(ask(weigh(None), "roc_auc", method))
        assert write(ask(weigh(np.full(N, 3.7), kind), "roc_auc", method)) == plain


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "log_loss"])
@pytest.mark.parametrize("method", ["bbc", "bayle_all_pairs", "holdout", "naive_bootstrap"])
def test_the_scale_of_weights_does_not_matter(metric: str, method: str) -> None:
    first, second = (ask(weigh(scale * WEIGHTS), metric, method) for scale in (1.0, 7.3e5))
    assert first.value == pytest.approx(second.value, rel=1e-9)
    assert first.interval is not None
    assert second.interval is not None
    assert first.interval.low == pytest.approx(second.interval.low, rel=1e-6)
    assert first.interval.high == pytest.approx(second.interval.high, rel=1e-6)


def test_weights_of_resamples_multiply_those_of_cases() -> None:
    counts = np.random.default_rng(1).integers(0, 3, (4, N)).astype(np.uint8)
    for metric in METRICS:
        np.testing.assert_allclose(
            score_table(weigh(WEIGHTS), metric, Weights(counts)),
            score_table(weigh(None), metric, Weights(counts * WEIGHTS)),
            rtol=1e-9,
        )


def test_cases_of_weight_0_count_nowhere() -> None:
    weights = np.where(np.arange(N) < 30, 0.0, WEIGHTS)
    part = weigh(WEIGHTS).take(np.arange(30, N))
    for metric in METRICS:
        np.testing.assert_allclose(
            score_table(weigh(weights), metric, Weights.ones(N)),
            score_table(part, metric, Weights.ones(N - 30)),
            rtol=1e-9,
        )


def place_plainly(weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return a weighted AUC by all pairs, and its variance by the influence of each case."""
    score, heavy = SCORES[:, 0], Y == 1
    above = (score[heavy][:, None] > score[~heavy]) + 0.5 * (score[heavy][:, None] == score[~heavy])
    w1, w0 = weights[heavy], weights[~heavy]
    area = float(w1 @ above @ w0 / (w1.sum() * w0.sum()))
    parts = []
    for mine, placed in ((w1, above @ w0 / w0.sum()), (w0, w1 @ above / w1.sum())):
        n = len(mine)
        parts.append(n / (n - 1) * float(np.square(mine / mine.sum() * (placed - area)).sum()))
    return area, sum(parts)


def test_delong_s_variance_is_the_sum_of_squared_weighted_placements() -> None:
    placed = placements(Y == 1, SCORES[:, :1], WEIGHTS)
    area, variance = place_plainly(WEIGHTS)
    assert float(placed.auc[0]) == pytest.approx(area, rel=TIGHT)
    assert float(placed.variance()[0]) == pytest.approx(variance, rel=TIGHT)
    whole = en.Predictions.from_arrays(Y, SCORES[:, 0], sample_weight=WEIGHTS)
    result = ask(whole, "roc_auc", "delong")
    assert result.value == pytest.approx(area, rel=TIGHT)
    assert result.standard_error == pytest.approx(variance**0.5, rel=TIGHT)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "balanced_accuracy", "log_loss"])
def test_what_a_case_adds_is_the_derivative_by_its_weight(metric: str) -> None:
    pi = weigh(WEIGHTS).select(0)
    terms = case_values(pi, metric).terms[:, 0, 0]
    ones, step = np.ones((1, N)), 1e-5
    value = float(score_table(pi, metric, Weights(ones))[0, 0])
    total = WEIGHTS.sum()
    for case in range(0, N, 7):
        more = ones.copy()
        more[0, case] += step
        moved = float(score_table(pi, metric, Weights(more))[0, 0])
        slope = (moved - value) / (step * WEIGHTS[case] / total) * WEIGHTS[case] / total
        assert (terms[case] - value) / N == pytest.approx(slope, abs=2e-6)  # O(step)
    assert terms.mean() == pytest.approx(value, rel=1e-9)


def read(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "row", read("survey.csv"), ids=lambda row: "-".join(list(row.values())[:2])
)
def test_value_and_error_of_one_configuration_are_those_of_r_s_survey(row: dict[str, str]) -> None:
    cases = read("cases.csv")
    column = {name: np.array([float(case[name]) for case in cases]) for name in cases[0]}
    n, hit = len(cases), row["column"] == "hit"
    y = np.arange(n) % 2 if hit else column["loss"]
    answers = np.where(column["hit"] == 1, y, 1 - y) if hit else np.zeros(n)
    pi = en.Predictions.from_arrays(
        y,
        answers.astype(np.float64),
        response="label" if hit else None,
        task=None if hit else "regression",
        groups=column["unit"] if row["design"] in ("clusters", "both") else None,
        strata=column["stratum"] if row["design"] in ("strata", "both") else None,
        sample_weight=column["weight"],
        weights="survey",
    )
    result = en.estimate(pi, metric="accuracy" if hit else "mae", method="bbc", rng=0)
    units = 12 if row["design"] == "clusters" else n  # without strata ours divides by the units
    factor = 1.0 if pi.target.surveyed else ((units - 1) / units) ** 0.5
    assert result.value == pytest.approx(float(row["mean"]), rel=1e-12)
    assert result.standard_error == pytest.approx(float(row["se"]) * factor, rel=1e-9)


def test_the_spread_of_survey_resamples_is_the_error_of_r_s_survey() -> None:
    cases = read("cases.csv")
    column = {name: np.array([float(case[name]) for case in cases]) for name in cases[0]}
    pi = en.Predictions.from_arrays(
        np.zeros(60),
        column["loss"],
        task="regression",
        groups=column["unit"],
        strata=column["stratum"],
        sample_weight=column["weight"],
        weights="survey",
    )
    draws = SurveyBootstrap().draw(pi.target, 20_000, np.random.default_rng(2), None)
    table = score_table(pi, "mae", draws)[:, 0]
    error = next(
        float(r["se"]) for r in read("survey.csv") if list(r.values())[:2] == ["both", "loss"]
    )
    # A standard deviation of 20,000 draws is known to .5 %; the ratio of means is curved by 2 %.
    assert table.std() == pytest.approx(error, rel=0.04)


def test_a_survey_draws_one_unit_less_than_each_stratum_has_and_whole_ones() -> None:
    unit = np.arange(N) // 3
    pi = weigh(WEIGHTS, "survey", groups=unit, strata=unit // 10)
    draws = SurveyBootstrap().draw(pi.target, 50, np.random.default_rng(2), None)
    firsts = draws.values[:, ::3].astype(int)
    assert np.array_equal(np.repeat(firsts, 3, axis=1), draws.values)
    for stratum in range(3):
        assert (firsts[:, 10 * stratum : 10 * stratum + 10].sum(axis=1) == 9).all()
    assert draws.factors == pytest.approx(np.full(N, 10 / 9))
    with pytest.raises(EvidenceError):
        ask(weigh(WEIGHTS, "survey", groups=unit // 10, strata=unit // 10), "accuracy")


def test_the_estimate_says_what_weights_mean_and_what_they_are_worth() -> None:
    result = ask(weigh(WEIGHTS, "survey", strata=FOLD), "accuracy")
    assert result.weighting is not None
    assert result.weighting.kind == "survey"
    assert result.weighting.effective == pytest.approx(
        CaseWeights.of(WEIGHTS, "survey").effective_size()
    )
    assert result.weighting.n_strata == 5
    assert Estimate.from_dict(result.to_dict()).weighting == result.weighting
    assert ask(weigh(None), "accuracy").weighting is None


def test_limits_of_a_perfect_score_count_effective_cases() -> None:
    y = np.tile([0, 1], 30)
    weights = np.where(np.arange(60) % 10 == 0, 20.0, 1.0)
    widths = []
    for mass in (None, weights):
        pi = en.Predictions.from_arrays(y, y * 0.8 + 0.1, sample_weight=mass)
        interval = en.estimate(pi, metric="accuracy", method="bbc", rng=0).interval
        assert interval is not None
        widths.append(interval.width)
    assert widths[1] > 3 * widths[0]  # worth 9.5 cases, not 60


def test_methods_and_tests_that_ignore_weights_refuse_them() -> None:
    pi = weigh(WEIGHTS)
    for method in ("tilted", "mabt", "hanley_mcneil"):
        assert not METHODS[method].spec.weighted
        with pytest.raises((EvidenceError, MetricError)):
            ask(pi, "roc_auc", method)
    for test in ("mcnemar", "sign_flip"):
        with pytest.raises(EvidenceError):
            en.compare(pi, 0, 1, metric="accuracy", test=test)
    survey = weigh(WEIGHTS, "survey", strata=FOLD)
    with pytest.raises(EvidenceError):
        ask(survey, "accuracy", "bayle_all_pairs")
    with pytest.raises(EvidenceError):
        en.compare(survey, 0, 1, metric="accuracy", test="bayle")
    for refusal in (
        lambda: en.thresholds(pi, metric="roc_auc"),
        lambda: en.plan(pi, detect=0.05, metric="accuracy"),
        lambda: en.calibrate(pi, metric="accuracy"),
        lambda: en.validate(en.Predictions.from_arrays(Y, SCORES[:, 0], sample_weight=WEIGHTS)),
        lambda: en.estimate(pi, metric="accuracy", selector=en.rules.TopAverage(k=2)),
    ):
        with pytest.raises(EvidenceError):
            refusal()


def test_comparisons_and_gains_are_weighted() -> None:
    pi, rows = weigh(COUNTS), repeat_rows()
    for test in ("bayle", "bootstrap", "corrected_t"):
        ours, theirs = (
            en.compare(each, 0, 1, metric="accuracy", test=test, rng=0) for each in (pi, rows)
        )
        assert ours.difference == pytest.approx(theirs.difference, rel=1e-9)
    weighted = en.gain(weigh(WEIGHTS), metric="accuracy", rng=0, n_resamples=100)
    result = en.estimate(weigh(WEIGHTS), metric="accuracy", rng=0, n_resamples=100)
    assert weighted.corrected[-1] == pytest.approx(result.value, rel=1e-9)
    assert weighted.naive[-1] == pytest.approx(result.naive, rel=1e-9)


def test_scores_of_subgroups_are_weighted() -> None:
    by = {"part": np.arange(N) // 45}
    result = en.estimate(weigh(WEIGHTS), metric="accuracy", by=by, rng=0, n_resamples=100)
    assert result.subgroups is not None
    winner = int(result.winner[1:]) if result.winner else 0
    right = (SCORES[:, winner] > 0.5) == Y
    for group, part in zip(result.subgroups, (slice(0, 45), slice(45, 90)), strict=True):
        assert group.naive == pytest.approx(np.average(right[part], weights=WEIGHTS[part]))
