"""Metrics of cases left out: functions of sums against the derivative over all samples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest.errors import MetricError
from earnest.inference import cases_left_out, has_cases, has_pairs, pairs_left_out
from earnest.testing import example_replicates, mirrored
from tests.inference.enumeration import Samples
from tests.snapshots import Golden

EXACT = 1e-7  # of two five-point rules, one within the other
Array = NDArray[np.float64]


def replicates(samples: Samples, y: Array, said: Array, **about: object) -> en.Replicates:
    kind = "value" if about.pop("values", False) else "label"
    task = "regression" if kind == "value" else "binary"
    pi = en.Predictions.from_arrays(
        y, y, task=task, response=None if task == "regression" else kind
    )
    return en.Replicates(
        target=pi.target,
        responses=said,
        counts=samples.counts,
        apparent=y.astype(float),
        kind=kind,
        **about,
    )


def statistic(samples: Samples, y: Array, said: Array, metric: str) -> object:
    """The metric of the mean moments of cases left out, as a function of the probabilities.

    Every (sample, case) pair that is left out is a row with a weight: the metric under weights.
    """
    out = samples.counts == 0
    b, i = np.nonzero(out)
    task = "binary" if metric in ("f1", "mcc", "balanced_accuracy") else "regression"
    response = "label" if task == "binary" else None
    pi = en.Predictions.from_arrays(y[i], said[b, i], task=task, response=response)

    def value(p: Array) -> float:
        chance = samples.chances(p)[:, None] * out
        weight = p * chance / chance.sum(axis=0)  # (B, n), sums up to 1
        return float(en.kernels.score_table(pi, metric, weight[b, i][None])[0, 0])

    return value


@pytest.mark.parametrize("metric", ["f1", "mcc", "balanced_accuracy"])
def test_a_function_of_sums_of_labels_has_its_derivative(metric: str) -> None:
    samples, y = Samples.of([0] * 5), np.array([0, 1, 1, 0, 1])
    said = (samples.random(5, seed=1) < 0.4 + 0.3 * y).astype(float)
    made = cases_left_out(replicates(samples, y, said), en.metric(metric).on("binary"))
    value = statistic(samples, y, said, metric)
    assert made.value == pytest.approx(value(np.full(5, 0.2)), abs=1e-12)
    np.testing.assert_allclose(5 * made.influence, samples.derivatives(value), atol=EXACT)


@pytest.mark.parametrize("metric", ["rmse", "r2", "explained_variance", "pearson"])
def test_a_function_of_sums_of_values_has_its_derivative(metric: str) -> None:
    samples, y = Samples.of([0] * 4), np.array([0.5, 2.0, 1.0, 4.0])
    said = y + samples.random(4, seed=2)
    made = cases_left_out(replicates(samples, y, said, values=True), en.metric(metric))
    value = statistic(samples, y, said, metric)
    assert made.value == pytest.approx(value(np.full(4, 0.25)), abs=1e-10)
    np.testing.assert_allclose(4 * made.influence, samples.derivatives(value), atol=EXACT)


def test_strata_go_along() -> None:
    samples, y = Samples.of([0, 1, 1, 0, 1]), np.array([0, 1, 1, 0, 1])
    said = (samples.random(5, seed=3) < 0.5).astype(float)
    made = cases_left_out(
        replicates(samples, y, said, drawn="stratified"), en.metric("f1").on("binary")
    )
    out = samples.counts == 0
    b, i = np.nonzero(out)
    pi = en.Predictions.from_arrays(y[i], said[b, i], response="label", task="binary")
    sizes = np.bincount(samples.strata)[samples.strata]

    def value(p: Array) -> float:
        chance = samples.chances(p)[:, None] * out
        weight = p * sizes * chance / chance.sum(axis=0)
        return float(en.kernels.score_table(pi, "f1", weight[b, i][None])[0, 0])

    slopes = samples.derivatives(value)
    np.testing.assert_allclose(sizes * made.influence, slopes, atol=EXACT)


def test_a_metric_knows_its_form() -> None:
    binary, survival = (example_replicates(task).target for task in ("binary", "survival"))
    assert has_cases(en.metric("f1"))
    assert not has_cases(en.metric("roc_auc"))
    assert has_pairs(en.metric("roc_auc"), binary)
    assert has_pairs(en.metric("concordance"), survival)
    assert not has_pairs(en.metric("average_precision"), binary)
    assert not has_pairs(en.metric("accuracy"), binary)


def test_a_metric_that_is_turned_around_mirrors() -> None:
    made = example_replicates("binary")
    auc = en.metric("roc_auc").on("binary")
    ours, theirs = pairs_left_out(made, auc), pairs_left_out(made, mirrored(auc))
    assert theirs.value == -ours.value
    assert theirs.standard_error == pytest.approx(ours.standard_error, rel=1e-12)
    np.testing.assert_allclose(theirs.per_case, -ours.per_case)


def test_the_wrong_form_is_refused(golden: Golden) -> None:
    made = example_replicates("binary")
    with golden.raises(MetricError):
        cases_left_out(made, en.metric("ks").on("binary"))
    with pytest.raises(MetricError, match="not a mean over pairs"):
        pairs_left_out(made, en.metric("ks").on("binary"))


def test_blocks_of_replicates_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = example_replicates("regression", n_cases=30, n_replicates=40)
    whole = cases_left_out(made, en.metric("r2"))
    monkeypatch.setattr("earnest.inference.left_out.scores.CELLS", 100)
    parts = cases_left_out(made, en.metric("r2"))
    assert parts.value == whole.value
    np.testing.assert_array_equal(parts.influence, whole.influence)
