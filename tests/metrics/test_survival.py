"""Metrics of survival: held to R and to three Python packages, and to what weights must keep."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import InputError, MetricError
from earnest.kernels import score_table
from earnest.metrics import METRICS, Censoring

GOLDEN = Path(__file__).parent / "golden"
OF_R: list[dict[str, Any]] = json.loads((GOLDEN / "survival_r.json").read_text())
OF_PYTHON: list[dict[str, Any]] = json.loads((GOLDEN / "survival_peers.json").read_text())
SAME = 1e-10
SINGLE = 1e-6  # torchsurv's weights are of single precision
CURVES = (
    *("survival_brier", "integrated_brier", "rmst_error", "survival_ratio", "survival_slope"),
    *("survival_ici", "d_calibration"),
)


def predict(case: dict[str, Any], score: str, rate: float) -> en.Predictions:
    """Return one configuration with exponential survival at the recorded times."""
    outcome = np.array(case["time"]), np.array(case["event"]) > 0
    risk, times = np.array(case[score]), np.array(case["times"])
    chances = np.exp(-np.exp(rate * risk)[:, None] * times)
    return en.Predictions.from_arrays(outcome, chances[:, None, None, :], times=times)


def renamed(pi: en.Predictions) -> en.Predictions:
    return replace(pi, configs=en.Configs(ids=("another",)))


def score(pi: en.Predictions, metric: str, counts: Any = None) -> float:
    weights = np.ones((1, pi.n_cases)) if counts is None else np.array([counts], dtype=np.int64)
    return float(score_table(pi, metric, weights)[0, 0])


@pytest.mark.parametrize("case", OF_R, ids=["60", "60 tied", "300", "300 tied"])
def test_survival_and_riskregression_of_r_say_the_same(case: dict[str, Any]) -> None:
    pi, counts = predict(case, "a", 0.5), case["w"]
    np.testing.assert_allclose(score(pi, "uno_c(tau=1.45)", counts), case["uno"], atol=SAME)
    np.testing.assert_allclose(score(pi, "concordance", counts), case["harrell"], atol=SAME)
    np.testing.assert_allclose(score(pi, "survival_slope(at=1)", counts), case["slope"], atol=1e-8)
    for key, name in (
        ("auc", "survival_auc"), ("brier", "survival_brier"), ("ratio", "survival_ratio")
    ):  # fmt: skip
        values = [score(pi, f"{name}(at={at})", counts) for at in case["times"]]
        np.testing.assert_allclose(values, case[key], atol=SAME)


@pytest.mark.parametrize("case", OF_PYTHON, ids=["80", "80 tied", "300"])
def test_scikit_survival_and_torchsurv_say_the_same(case: dict[str, Any]) -> None:
    pi, times = predict(case, "score", 1.0), np.array(case["times"])
    for package, close in (("sksurv", SAME), ("torchsurv", SINGLE)):
        np.testing.assert_allclose(score(pi, "concordance"), case[f"{package}_harrell"], atol=close)
        uno = score(pi, f"uno_c(tau={case['tau']})")
        np.testing.assert_allclose(uno, case[f"{package}_uno"], atol=close)
        for key, name in (("auc", "survival_auc"), ("brier", "survival_brier")):
            values = [score(pi, f"{name}(at={at})") for at in times]
            np.testing.assert_allclose(values, case[f"{package}_{key}"], atol=close)
    briers = [score(pi, f"survival_brier(at={at})") for at in times]  # theirs begins at a time
    between = np.trapezoid(briers, times) / (times[-1] - times[0])
    np.testing.assert_allclose(between, case["sksurv_integrated"], atol=SAME)


def test_inverse_weights_sum_to_the_number_of_cases_while_somebody_is_followed() -> None:
    rng = np.random.default_rng(4)
    time, event = np.ceil(rng.exponential(3.0, 50)), rng.random(50) < 0.5
    weights = rng.integers(0, 4, (20, 50))
    for at in (0.5, 2.0, 5.0):
        sums = Censoring.of(time, event, weights).weigh(at).sum(axis=1)
        np.testing.assert_allclose(sums, weights.sum(axis=1), rtol=1e-12)
    beyond = Censoring.of(np.array([1.0, 2.0]), np.array([True, False]), np.ones((1, 2)))
    assert np.isnan(beyond.weigh(3.0)).all()


def test_censoring_is_estimated_anew_in_every_resample() -> None:
    case = OF_R[0]
    pi = predict(case, "a", 0.5)
    counts = np.random.default_rng(5).multinomial(60, np.full(60, 1 / 60), 4)
    fixed = Censoring.of(pi.target.y, np.asarray(pi.target.event), np.ones((1, 60))).weigh(1.0)
    away = np.square((pi.target.y > 1.0) - pi.responses[:, 0, 0, 2])
    anew = score_table(pi, "survival_brier(at=1)", counts)[:, 0]
    assert (np.abs(anew - (counts * fixed) @ away / 60) > 1e-6).all()


def test_right_curves_are_calibrated_and_reversed_ones_are_not() -> None:
    """At n = 4,000, by seed 6; the tolerances are six standard errors, as 20 such sets vary."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=4000)
    life, end = rng.exponential(np.exp(-x)), rng.exponential(2.0, 4000)
    outcome, times = (np.minimum(life, end), life <= end), np.linspace(0.02, 1.5, 75)
    chances = np.exp(-np.exp(np.stack([x, -x], axis=1))[:, :, None, None] * times)
    pi = en.Predictions.from_arrays(outcome, chances, times=times)
    table = {name: score_table(pi, name, np.ones((1, 4000)))[0] for name in CURVES}
    assert abs(table["survival_ratio"][0] - 1) < 0.15
    assert abs(table["survival_slope"][0] - 1) < 0.3
    assert table["survival_slope"][1] < 0
    for name in ("survival_ici", "d_calibration"):
        assert table[name][0] < 0.05 < table[name][1]
    for name in ("survival_brier", "integrated_brier", "rmst_error"):
        assert table[name][0] < table[name][1]


def test_between_the_times_a_curve_is_a_straight_line() -> None:
    pi = predict(OF_R[1], "a", 0.5)
    middle = (pi.responses[:, 0, 0, 1] + pi.responses[:, 0, 0, 2]) / 2
    exact = en.Predictions.from_arrays(
        (pi.target.y, pi.target.event), middle[:, None, None, None], times=[0.75]
    )
    np.testing.assert_allclose(
        score(pi, "survival_brier(at=0.75)"), score(exact, "survival_brier(at=0.75)"), atol=SAME
    )


def test_what_cannot_be_scored_is_refused() -> None:
    pi = predict(OF_R[0], "a", 0.5)
    with pytest.raises(InputError):
        score(pi, "survival_brier(at=2)")  # later than any prediction
    with pytest.raises(InputError):
        en.metric("uno_c(tau=0)")
    with pytest.raises(MetricError):
        en.estimate(pi.concat(renamed(pi)), metric="survival_slope")
    risks = en.Predictions.from_arrays((pi.target.y, pi.target.event), pi.responses[:, :, :, 0])
    for name in CURVES:
        with pytest.raises(MetricError):
            score(risks, name)
    outcome, rising = (pi.target.y, pi.target.event), np.full((60, 1, 1, 2), 0.5)
    rising[:, :, :, 1] = 0.6
    for chances, times in ((rising, [1, 2]), (rising - 1, [1, 2]), (rising, [2, 1]), (rising, [1])):
        with pytest.raises(InputError):
            en.Predictions.from_arrays(outcome, chances, times=times)
    with pytest.raises(InputError):
        en.Predictions.from_arrays([0, 1, 1], [0.1, 0.2, 0.3], times=[1.0])


def test_several_kinds_of_event_are_refused_as_competing_risks() -> None:
    with pytest.raises(InputError):
        en.Predictions.from_arrays(
            (np.array([1.5, 2.5, 3.5]), np.array([0, 1, 2])), np.zeros(3), task="survival"
        )


def test_predictions_of_survival_come_back_from_every_file(tmp_path: Path) -> None:
    pi = predict(OF_R[0], "a", 0.5)
    for ending in ("csv", "parquet", "npz"):
        again = en.Predictions.load(pi.save(tmp_path / f"pi.{ending}"))
        assert again.fingerprint == pi.fingerprint
        assert again.target.times == (0.5, 1.0, 1.5)


@pytest.mark.parametrize("name", CURVES)
def test_metrics_of_curves_know_their_needs(name: str) -> None:
    assert METRICS[name].needs == "survival"
