"""Metrics of calibration: held to R, to closed forms, and to what selection must not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import earnest as en
from earnest.errors import MetricError
from earnest.kernels import score_table
from earnest.metrics.calibration import CurveFit, choose_knots, cut_evenly, find_odds
from earnest.resampling import Weights
from tests.metrics.evidence import make

GOLDEN = Path(__file__).parent / "golden" / "calibration_r.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text())
AS_R = 1e-8
AS_LRM = 1e-6  # its iterations end at a change of the deviance of .025


def score(case: dict[str, Any], metric: str) -> float:
    p, y = np.array(case["p"]), np.array(case["y"])
    pi = en.Predictions.from_arrays(y, p[:, None])
    return float(score_table(pi, metric, np.array([case["w"]], dtype=np.int64))[0, 0])


@pytest.mark.parametrize("case", CASES, ids=["60", "60 weighted", "300", "300 weighted"])
def test_intercept_slope_ratio_and_distances_are_those_of_r(case: dict[str, Any]) -> None:
    for metric, key in (
        ("calibration_intercept", "intercept"),
        ("calibration_slope", "slope"),
        ("expected_observed", "expected_observed"),
    ):
        np.testing.assert_allclose(score(case, metric), case[key][0], rtol=0, atol=AS_R)
    for knots in (3, 4, 5):
        names = (f"ici(knots={knots})", f"e50(knots={knots})", f"e90(knots={knots})")
        values = [score(case, name) for name in names]
        np.testing.assert_allclose(values, case[f"distances_{knots}"], rtol=0, atol=AS_R)


@pytest.mark.parametrize("case", CASES, ids=["60", "60 weighted", "300", "300 weighted"])
def test_the_curve_its_knots_and_its_errors_are_those_of_r(case: dict[str, Any]) -> None:
    p, y, w = (np.array(case[key], dtype=np.float64) for key in "pyw")
    used = w > 0
    odds = find_odds(p[used], w.sum())
    for knots in (3, 4, 5):
        ours = choose_knots(odds, w[used], knots)
        np.testing.assert_allclose(ours, case[f"knots_{knots}"], rtol=0, atol=AS_R)
    curve = CurveFit(odds, y[used], w[used], 3)
    at = np.array(case["at"])
    np.testing.assert_allclose(curve.observe(at), case["curve"], rtol=0, atol=AS_R)
    inverse = np.linalg.inv(curve.inform(w[used]))
    moves = curve.design * (y[used] - curve.observe(odds))[:, None]
    meat = (moves * w[used, None]).T @ moves
    errors = curve.vary(at, inverse @ meat @ inverse)
    np.testing.assert_allclose(errors, case["error"], rtol=0, atol=AS_R)


@pytest.mark.parametrize("case", CASES[::2], ids=["60", "300"])
def test_val_prob_of_rms_says_the_same(case: dict[str, Any]) -> None:
    brier, _, slope, _ = case["val_prob"]  # its area is of binned predictions
    for metric, value in (("brier", brier), ("calibration_slope", slope)):
        np.testing.assert_allclose(score(case, metric), value, rtol=0, atol=AS_LRM)


def test_brier_skill_is_one_less_the_ratio_to_the_prevalence() -> None:
    case = CASES[2]
    y = np.array(case["y"])
    reference = np.mean((y - y.mean()) ** 2)
    np.testing.assert_allclose(
        score(case, "brier_skill"), 1 - score(case, "brier") / reference, atol=1e-12
    )


def test_the_slope_of_values_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(3)
    p = rng.normal(size=80) * 3 + 100
    y = 2.0 + 0.7 * p + rng.normal(size=80)
    counts = rng.integers(0, 3, (2, 80))
    table = score_table(en.Predictions.from_arrays(y, p[:, None]), "calibration_slope", counts)
    for row, weights in zip(table, counts, strict=True):
        assert row[0] == pytest.approx(np.polyfit(p, y, 1, w=np.sqrt(weights))[0], rel=1e-9)


def bin_plainly(p: NDArray[Any], y: NDArray[Any], bins: int) -> float:
    order = np.argsort(p)
    parts = np.array_split(order, bins)  # as even, where the bins divide the cases
    return sum(len(part) * abs(p[part].mean() - y[part].mean()) for part in parts) / len(p)


def test_ece_without_debiasing_is_the_mean_distance_in_bins() -> None:
    rng = np.random.default_rng(5)
    p = rng.random(200)
    y = (rng.random(200) < p**2).astype(int)
    pi = en.Predictions.from_arrays(y, p[:, None])
    value = score_table(pi, "ece(debias=False)", np.ones((1, 200)))[0, 0]
    assert value == pytest.approx(bin_plainly(p, y, 10), abs=1e-12)


def test_debiasing_takes_away_a_third_of_what_chance_adds_or_more() -> None:
    """Right probabilities of 400 cases, 300 samples; the standard errors of the means are .001."""
    rng = np.random.default_rng(6)
    values = []
    for _ in range(300):
        p = rng.random(400)
        y = (rng.random(400) < p).astype(int)
        pi = en.Predictions.from_arrays(y, p[:, None])
        values.append(
            [
                score_table(pi, name, np.ones((1, 400)))[0, 0]
                for name in ("ece(debias=False)", "ece")
            ]
        )
    plain, debiased = np.mean(values, axis=0)
    assert plain > 0.04
    assert debiased < 0.67 * plain


def test_ties_stay_in_one_bin() -> None:
    p = np.repeat([0.2, 0.4, 0.9], [50, 30, 20])
    places = cut_evenly(p, np.ones(100), 10)
    assert len({*zip(p, places, strict=True)}) == 3


def test_of_several_classes_a_class_is_named_and_judged_against_the_rest() -> None:
    rng = np.random.default_rng(7)
    p = rng.dirichlet([2, 2, 2], 120)
    y = np.array(["a", "b", "c"])[(rng.random((120, 1)) > np.cumsum(p, axis=1)).sum(axis=1)]
    pi = en.Predictions.from_arrays(y, p[:, None, None, :])
    ones = np.ones((1, 120))
    two = en.Predictions.from_arrays((y == "b").astype(int), p[:, 1:2])
    for name in ("calibration_slope", "calibration_intercept", "expected_observed", "ici", "ece"):
        of_b = score_table(pi, f"{name}(pos_label='b')", ones)[0, 0]
        assert of_b == pytest.approx(score_table(two, name, ones)[0, 0], abs=1e-12)
    each = [score_table(pi, f"ici(pos_label={c!r})", ones)[0, 0] for c in "abc"]
    assert score_table(pi, "ici", ones)[0, 0] == pytest.approx(np.mean(each), abs=1e-12)
    with pytest.raises(MetricError):
        en.estimate(pi, metric="calibration_slope", rng=0)


def test_what_has_no_slope_is_undefined() -> None:
    y = np.array([0, 0, 1, 1])
    columns = np.array([[0.1, 0.2, 0.8, 0.9], [0.5, 0.5, 0.5, 0.5]]).T
    pi = make(en.metric("ici").tasks and en.core.Task.BINARY, y, columns)
    table = score_table(pi, "calibration_slope", Weights.ones(4))
    assert np.isnan(table).all()


# A metric with a right value chooses nothing.


@pytest.fixture(scope="module")
def searched() -> en.Predictions:
    rng = np.random.default_rng(0)
    odds = rng.normal(size=200) - 1
    y = (rng.random(200) < 1 / (1 + np.exp(-odds))).astype(int)
    stretched = odds[:, None] * rng.uniform(0.5, 2, (1, 8)) + 0.5 * rng.normal(size=(200, 8))
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-stretched)), fold=np.arange(200) % 5)


@pytest.mark.parametrize("name", ["calibration_intercept", "calibration_slope", "eo_ratio"])
def test_a_metric_with_a_right_value_is_no_rule_of_choice(
    searched: en.Predictions, name: str
) -> None:
    assert en.metric(name).ideal is not None
    for question in (
        lambda: en.estimate(searched, metric=name),
        lambda: en.estimate(searched, metric="roc_auc", method="bbc", select_by=name),
        lambda: en.compare(searched, 0, 1, metric=name),
        lambda: en.gain(searched, metric=name),
        lambda: en.thresholds(searched, metric=name),
        lambda: en.estimate(searched, metric=name, method="naive"),
    ):
        with pytest.raises(MetricError):
            question()


def test_a_search_refuses_to_choose_by_it_and_judges_its_winner_by_it() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    with pytest.raises(MetricError):
        en.SearchCV(LogisticRegression(), {"C": [0.1, 1]}, scoring="calibration_slope").fit(X, y)
    search = en.SearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, scoring="neg_log_loss", random_state=0
    ).fit(X, y)
    judged = en.estimate(search, metric="calibration_slope")
    assert judged.provenance.knobs["select_by"] == "log_loss"
    assert judged.scale.ideal == 1.0


def test_such_an_estimate_claims_no_direction(searched: en.Predictions) -> None:
    judged = en.estimate(searched, metric="calibration_slope", select_by="log_loss", rng=0)
    assert judged.optimism is None
    assert judged.against_chance is None
    assert judged.no_information is None
    assert judged.interval is not None
    assert judged.interval.low < judged.value < judged.interval.high
    again = en.results.Estimate.from_dict(judged.to_dict())
    assert again.scale == judged.scale
    with pytest.raises(en.errors.InputError):
        en.estimate(searched, metric="calibration_slope", select_by="log_loss", side="pessimistic")


def test_chosen_by_another_metric_it_is_its_mean_out_of_bag_less_what_the_part_adds(
    searched: en.Predictions,
) -> None:
    """The slow way: choose in-bag by one metric, score out-of-bag by the other."""
    judged = en.estimate(searched, metric="accuracy", select_by="log_loss", n_resamples=60, rng=4)
    assert judged.draws is not None
    winners = judged.details.winners
    assert judged.winner == en.estimate(searched, metric="log_loss", rng=4).winner
    by_loss = en.estimate(searched, metric="log_loss", n_resamples=60, rng=4).details.winners
    np.testing.assert_array_equal(winners, by_loss)
    assert judged.value == pytest.approx(np.mean(judged.draws), abs=1e-12)


def test_subgroups_and_another_chooser_are_refused_together(searched: en.Predictions) -> None:
    with pytest.raises(en.errors.InputError):
        en.estimate(searched, metric="ici", select_by="log_loss", by=np.arange(200) % 2)


def test_few_events_are_told(searched: en.Predictions) -> None:
    y = searched.target.y
    rare = np.concatenate([np.flatnonzero(y == 1)[:12], np.flatnonzero(y == 0)])
    told = en.estimate(
        searched.take(rare), metric="calibration_slope", select_by="log_loss", n_resamples=50, rng=0
    )
    assert "EN044" in {caution.code for caution in told.cautions}
