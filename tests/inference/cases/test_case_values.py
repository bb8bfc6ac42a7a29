"""What each case adds to a metric, against known derivatives and slow definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest import Predictions
from earnest.errors import MetricError
from earnest.inference import case_values, variance_of_mean
from earnest.kernels import score_table
from earnest.metrics import METRICS, MomentMetric
from earnest.metrics.families import RankMetric
from earnest.metrics.ranking import auc_scan
from earnest.resampling import Weights
from earnest.testing import example_predictions, mirrored
from tests.inference.under_weights import by_weights

Floats = NDArray[np.float64]
NEAR = 1e-9
MOMENTS = [
    (name, task)
    for name in METRICS
    for task in sorted(METRICS[name].tasks)
    if isinstance(METRICS[name], MomentMetric)
]


@pytest.mark.parametrize(("name", "task"), MOMENTS)
def test_terms_of_a_moment_metric_are_its_derivative_under_weights(name: str, task: str) -> None:
    pi = example_predictions(task, n_cases=45, n_configs=3)
    made = case_values(pi, name)
    np.testing.assert_allclose(
        made.value, score_table(pi, name, Weights.ones(45))[0], rtol=NEAR, atol=NEAR
    )
    np.testing.assert_allclose(made.terms[:, :, 0].mean(axis=0), made.value, rtol=NEAR, atol=NEAR)
    expected = by_weights(pi, name)
    # (step n)² = 2e-7 of the value is what the oracle itself may be off by
    np.testing.assert_allclose(made.terms[:, :, 0], expected, rtol=1e-6, atol=1e-6)


def test_a_mean_over_cases_has_the_losses_of_the_cases() -> None:
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.7, 0.4, 0.9])
    pi = Predictions.from_arrays(y, p)
    losses = {
        "error_rate": np.array([0.0, 0.0, 1.0, 1.0]),
        "risk": np.array([0.0, 0.0, 1.0, 1.0]),
        "risk(costs=(5, 0.3))": np.array([0.0, 0.0, 5.0, 0.3]),
        "brier": (y - p) ** 2,
        "log_loss": -np.log(np.where(y == 1, p, 1 - p)),
    }
    for name, expected in losses.items():
        made = case_values(pi, name)
        assert made.kind == "pointwise"
        np.testing.assert_allclose(made.terms[:, 0, 0], expected, rtol=1e-14)
        assert made.value[0] == pytest.approx(expected.mean(), rel=1e-14)


def test_a_risk_at_given_priors_is_no_mean_over_cases() -> None:
    pi = Predictions.from_arrays([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.9])
    made = case_values(pi, "risk(priors=(0.1, 0.9))")
    assert made.kind == "delta"
    assert made.value[0] == pytest.approx(0.5, rel=1e-14)


def test_rmse_and_r2_have_their_analytic_terms(regression: Predictions) -> None:
    y, p = regression.target.y, regression.responses[:, :, 0]
    error = (y[:, None] - p) ** 2
    mse, spread = error.mean(axis=0), (y - y.mean()) ** 2
    rmse = case_values(regression, "rmse")
    assert rmse.kind == "delta"
    np.testing.assert_allclose(
        rmse.terms[:, :, 0], np.sqrt(mse) + (error - mse) / (2 * np.sqrt(mse)), rtol=NEAR
    )
    ratio = mse / spread.mean()
    terms = (1 - ratio) - (error - ratio * spread[:, None]) / spread.mean()
    np.testing.assert_allclose(case_values(regression, "r2").terms[:, :, 0], terms, atol=1e-9)


def test_f1_has_its_analytic_terms(binary: Predictions) -> None:
    real = binary.target.y[:, None] == 1
    said = binary.responses[:, :, 0] > 0
    both, size = (real & said).mean(axis=0), (real.mean(axis=0) + said.mean(axis=0))
    f1 = 2 * both / size
    terms = f1 + (2 * (real & said) - f1 * (real.astype(float) + said)) / size
    np.testing.assert_allclose(case_values(binary, "f1").terms[:, :, 0], terms, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["f1", "precision", "recall", "mcc", "balanced_accuracy", "f1_macro"]
)
def test_at_the_end_of_the_range_no_case_has_influence(name: str) -> None:
    y = np.tile([0, 1, 1], 20)
    made = case_values(Predictions.from_arrays(y, y, response="label"), name)
    assert made.value[0] == pytest.approx(1.0, abs=1e-12)
    assert np.ptp(made.terms) == 0.0


def test_a_metric_that_is_undefined_is_nan_and_not_refused() -> None:
    flat = Predictions.from_arrays(np.arange(8.0), np.ones((8, 1)), task="regression")
    assert np.isnan(case_values(flat, "pearson").value).all()


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "roc_auc"])
def test_the_difference_of_two_columns_is_that_of_their_terms(
    repeated: Predictions, metric: str
) -> None:
    stratified = replace(
        repeated, folds=np.tile(np.arange(60)[:, None] // 2 % 5, (1, 3)).astype("i4")
    )
    made = case_values(stratified, metric)
    gap = made.terms[:, 0] - made.terms[:, 1]  # (n, R)
    assert gap.mean(axis=0).mean() == pytest.approx(made.value[0] - made.value[1], abs=1e-12)
    same = made.terms[:, 0] - case_values(stratified.select(0), metric).terms[:, 0]
    assert (same == 0.0).all()
    # variances obey Var(a - b) = Var a + Var b - 2 Cov, with Cov from the sum of the columns
    for kind in ("within_fold", "all_pairs"):

        def variance(terms: Floats, kind: str = kind) -> float:
            return float(variance_of_mean(terms, made.folds, None, kind))

        a, b = made.terms[:, 0], made.terms[:, 1]
        total = variance(a + b) + variance(a - b)
        assert total == pytest.approx(2 * variance(a) + 2 * variance(b), rel=1e-10)


# ---- repeats, folds, missing cases


def test_with_repeats_the_value_is_the_mean_of_theirs(repeated: Predictions) -> None:
    made = case_values(repeated, "f1")
    np.testing.assert_allclose(
        made.value, score_table(repeated, "f1", Weights.ones(60))[0], rtol=1e-12
    )
    single = replace(
        repeated,
        responses=repeated.responses[:, :, 1:2],
        folds=repeated.folds[:, 1:2],
        fold_names=repeated.fold_names[1:2],
    )
    np.testing.assert_array_equal(made.terms[:, :, 1], case_values(single, "f1").terms[:, :, 0])


def test_untested_cases_and_incomplete_configurations_are_nan(binary: Predictions) -> None:
    responses = binary.responses.copy()
    responses[binary.folds[:, 0] == 0] = np.nan
    responses[binary.folds[:, 0] == 1, 2] = np.nan
    made = case_values(replace(binary, responses=responses), "accuracy")
    assert np.isnan(made.value).tolist() == [False, False, True, False, False]
    assert np.isnan(made.terms[binary.folds[:, 0] == 0]).all()
    assert (made.folds[binary.folds[:, 0] == 0] == -1).all()
    kept = binary.folds[:, 0] > 0
    assert not np.isnan(made.terms[kept][:, 0]).any()
    assert made.value[0] == pytest.approx(made.terms[kept, 0, 0].mean(), abs=1e-15)


def test_groups_travel_along(grouped: Predictions) -> None:
    made = case_values(grouped, "accuracy")
    np.testing.assert_array_equal(made.groups, grouped.target.groups)


def test_a_mirrored_metric_has_mirrored_terms(binary: Predictions) -> None:
    for name in ("roc_auc", "f1", "accuracy"):
        plain, other = case_values(binary, name), case_values(binary, mirrored(en.metric(name)))
        np.testing.assert_allclose(other.terms, -plain.terms, atol=1e-9)
        assert other.kind == plain.kind


# ---- what has no terms


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (name, task)
        for name in METRICS
        for task in sorted(METRICS[name].tasks)
        if isinstance(METRICS[name], RankMetric) and METRICS[name].scan is not auc_scan
    ],
)
def test_other_metrics_of_order_are_refused_with_an_alternative(name: str, task: str) -> None:
    with pytest.raises(MetricError, match="method='bbc'"):
        case_values(example_predictions(task), name)


def test_a_callable_is_refused_with_an_alternative(regression: Predictions) -> None:
    with pytest.raises(MetricError, match="MomentMetric"):
        case_values(regression, lambda y, p: float(np.abs(y - p).max()))


def test_a_metric_of_another_task_is_refused(regression: Predictions) -> None:
    with pytest.raises(MetricError, match="not defined for a regression"):
        case_values(regression, "accuracy")


def test_many_columns_are_done_in_blocks_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = example_predictions("regression", n_configs=7)
    whole = case_values(pi, "pearson").terms
    monkeypatch.setattr("earnest.inference.cases.case_values.CELLS", 400)
    np.testing.assert_allclose(case_values(pi, "pearson").terms, whole, atol=1e-10)
