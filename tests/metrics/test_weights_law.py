"""The law: under whole weights a metric is that metric on rows physically repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from earnest import Predictions
from earnest.core import Task
from earnest.kernels import score_selected, score_table
from earnest.metrics import METRICS, metric
from earnest.resampling import Weights
from tests.metrics.evidence import PAIRS, K, make, repeated
from tests.metrics.oracles import oracle

# Sums over at most 60 cases of numbers near 1: 60 * 2**-53 is 7e-15 relative.
TIGHT = 1e-12
# The outcomes lie on whole numbers from -4 to 4 with weights up to 5: about a common centre their
# squares sum to at most 300 * 64, about the mean of a resample to at least 1/2, so that at most
# a factor of 4e4 is lost of 60 * 2**-53.
CENTRED = 1e-9
TOLERANCE = dict.fromkeys(("r2", "explained_variance", "pearson"), CENTRED)


@st.composite
def evidence(draw: st.DrawFn, task: Task) -> tuple[Predictions, NDArray[np.int64]]:
    """Draw predictions of a few configurations with many ties, and whole weights up to 5."""
    n, columns, rows = draw(st.integers(2, 60)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    steps = draw(st.sampled_from([1, 2, 4, 20]))  # few steps make many ties
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(0, 6, (rows, n)) * (
        rng.random((rows, n)) < draw(st.sampled_from([0.1, 1]))
    )
    shape = (n, columns, K) if task is Task.MULTICLASS else (n, columns)
    levels = rng.integers(0, steps + 1, shape) / steps
    if task is Task.BINARY:
        rare = draw(st.sampled_from([0.1, 0.5]))
        return make(task, (rng.random(n) < rare).astype(np.int64), levels), weights
    if task is Task.MULTICLASS:
        raw = levels + 0.25
        return make(task, rng.integers(0, K, n), raw / raw.sum(axis=2, keepdims=True)), weights
    whole = rng.integers(-4, 5, n).astype(np.float64)
    if task is Task.REGRESSION:
        return make(task, whole, 8 * levels - 4), weights
    event = rng.random(n) < 0.6
    return make(task, whole + 4, levels, event=event), weights


def other_library(name: str, pi: Predictions, counts: NDArray[Any]) -> list[float]:
    """Return the value of each configuration on repeated rows, from another library."""
    again = repeated(pi, counts)
    target = again.target
    y = target.y if target.event is None else np.column_stack([target.y, target.event])
    columns = range(again.n_configs)
    return [oracle(name, target.task, y, again.responses[:, c, 0]) for c in columns]


@pytest.mark.parametrize(("name", "task"), PAIRS)
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_under_whole_weights_a_metric_is_that_of_repeated_rows(
    name: str, task: Task, data: st.DataObject
) -> None:
    pi, counts = data.draw(evidence(task))
    one, tolerance = METRICS[name], TOLERANCE.get(name, TIGHT)
    table = score_table(pi, one, Weights(counts))
    for row, weights in zip(table, counts, strict=True):
        if not weights.any():
            assert np.isnan(row).all()
            continue
        again = repeated(pi, weights)
        unweighted = score_table(again, one, Weights.ones(again.n_cases))[0]
        np.testing.assert_allclose(row, unweighted, rtol=tolerance, atol=tolerance)
        expected = other_library(name, pi, weights)
        np.testing.assert_allclose(row, expected, rtol=tolerance, atol=tolerance)
        low, high = one.on(task).limits
        assert all(np.isnan(value) or low <= value <= high for value in row)


@pytest.mark.parametrize(("name", "task"), PAIRS)
@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_the_type_of_the_weights_does_not_matter(
    name: str, task: Task, data: st.DataObject
) -> None:
    pi, counts = data.draw(evidence(task))
    tolerance = TOLERANCE.get(name, TIGHT)  # sums of other types go in another order
    table = score_table(pi, METRICS[name], Weights(counts))
    for kind in (np.uint8, np.float64):
        other = score_table(pi, METRICS[name], Weights(counts.astype(kind)))
        np.testing.assert_allclose(other, table, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "task"), PAIRS)
@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_one_configuration_a_resample_is_read_off_the_table(
    name: str, task: Task, data: st.DataObject
) -> None:
    pi, counts = data.draw(evidence(task))
    chosen = data.draw(arrays(np.intp, len(counts), elements=st.integers(-1, pi.n_configs - 1)))
    tolerance = TOLERANCE.get(name, TIGHT)  # products of another shape sum in another order
    table = score_table(pi, METRICS[name], Weights(counts))
    picked = score_selected(pi, METRICS[name], Weights(counts), chosen)
    expected = np.where(chosen >= 0, table[np.arange(len(counts)), chosen], np.nan)
    np.testing.assert_allclose(picked, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "task"), PAIRS)
@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_only_the_ratios_of_the_weights_count(name: str, task: Task, data: st.DataObject) -> None:
    pi, counts = data.draw(evidence(task))
    tolerance = TOLERANCE.get(name, TIGHT)
    table = score_table(pi, METRICS[name], Weights(counts))
    for scale in (0.5, 3.0, 1e-3):
        scaled = score_table(pi, METRICS[name], Weights(counts * scale))
        np.testing.assert_allclose(scaled, table, rtol=tolerance, atol=tolerance)


KNOBBED = [
    "f_beta(beta=0.5)",
    "partial_roc_auc(max_fpr=0.3)",
    "partial_roc_auc(max_fpr=1)",
    "risk(costs=(5, 1))",
    "risk(costs=(2, 0), priors=(0.1, 0.9))",
]


@pytest.mark.parametrize("name", KNOBBED)
@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_the_law_holds_for_other_knobs(name: str, data: st.DataObject) -> None:
    pi, counts = data.draw(evidence(Task.BINARY))
    one = metric(name)
    table = score_table(pi, one, Weights(counts))
    for row, weights in zip(table, counts, strict=True):
        again = repeated(pi, weights)
        if weights.any():
            unweighted = score_table(again, one, Weights.ones(again.n_cases))[0]
            np.testing.assert_allclose(row, unweighted, rtol=TIGHT, atol=TIGHT)
            assert all(np.isnan(value) or one.limits[0] <= value <= one.limits[1] for value in row)
