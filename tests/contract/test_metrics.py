"""The contract of every registered metric, and that the contract is no rubber stamp."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from earnest import metric
from earnest.kernels import score_table
from earnest.metrics import METRICS, MomentMetric, Moments, make_metric, ratio
from earnest.resampling import Weights
from earnest.testing import METRIC_LAWS, MetricCase, check_metric, mirrored, squared_error


@cache
def cases_of(name: str) -> list[MetricCase]:
    """Return the case of each task and response that a metric takes."""
    return list(MetricCase.each(name))


@pytest.mark.parametrize("name", METRICS)
def test_metric_keeps_the_contract(name: str) -> None:
    assert cases_of(name)
    for case in cases_of(name):
        for law in METRIC_LAWS:
            law(case)


def absolute(y: np.ndarray, prediction: np.ndarray) -> float:
    """A metric of one's own, without weights."""
    return float(np.abs(y - prediction).mean())


def weighted(y: np.ndarray, prediction: np.ndarray, sample_weight: Any = None) -> float:
    """A metric of one's own, with weights."""
    return float(np.average(np.abs(y - prediction), weights=sample_weight))


@pytest.mark.parametrize("function", [absolute, weighted])
def test_a_function_of_ones_own_keeps_the_contract(function: Any) -> None:
    made = make_metric(function, greater_is_better=False, needs="value", limits=(0, np.inf))
    assert check_metric(made) == tuple(law.__name__ for law in METRIC_LAWS)


def test_the_metric_of_the_method_contract_keeps_the_contract() -> None:
    assert check_metric(squared_error)


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "f1", "r2", "mse", "concordance"])
def test_a_mirrored_metric_is_the_negation_under_every_weight(name: str) -> None:
    for case in cases_of(name):
        other = score_table(case.predictions, mirrored(case.metric), Weights(case.counts))
        np.testing.assert_array_equal(other, -case.table())
        assert mirrored(case.metric).pointwise == case.metric.pointwise


def test_mirroring_twice_gives_the_metric_back() -> None:
    case = cases_of("accuracy")[0]
    twice = mirrored(mirrored(case.metric))
    assert (twice.greater_is_better, twice.limits) == (True, (0.0, 1.0))
    np.testing.assert_array_equal(
        score_table(case.predictions, twice, Weights(case.counts)), case.table()
    )


# ---- metrics with one fault each: the contract must find it


def _unweighted(target: Any, response: Any, centre: Any) -> Moments:
    errors = (response - target.y[:, None]) ** 2
    return Moments((errors - errors.mean(axis=0))[None], np.ones((1, target.n)))


def _total(own: np.ndarray, shared: np.ndarray) -> np.ndarray:
    return np.where(shared[0] > 0, own[0], np.nan)


def _raises(y: np.ndarray, prediction: np.ndarray) -> float:
    if len(y) == 0:
        raise ZeroDivisionError
    return float(np.mean(y - prediction))


def _leaky(own: np.ndarray, shared: np.ndarray) -> np.ndarray:
    return ratio(own[0], shared[0]) - ratio(own[0], shared[0]).min(axis=1, keepdims=True)


MSE = metric("mse")
assert isinstance(MSE, MomentMetric)
FAULTY = {
    "features know other cases": replace(squared_error, features=_unweighted),
    "out of range": replace(squared_error, limits=(0.0, 1e-6)),
    "columns know each other": replace(squared_error, combine=_leaky),
    "undefined is zero": replace(
        squared_error, combine=lambda own, shared: ratio(own[0], shared[0], undefined=0.0)
    ),
    "cannot be sent to a worker": replace(
        squared_error, combine=lambda own, shared: ratio(own[0], shared[0])
    ),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_the_contract_finds_a_fault(fault: str) -> None:
    with pytest.raises(AssertionError):
        check_metric(FAULTY[fault])
