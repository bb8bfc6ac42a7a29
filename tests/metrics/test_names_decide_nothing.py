"""What a metric is called decides nothing: a copy by another name is judged alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError, MetricError
from earnest.metrics import METRICS, Metric
from earnest.results import Estimate
from earnest.testing import example_predictions

METHODS = ("bbc(n_resamples=40)", "near_winner", "tilted(n_resamples=40)", "delong")


def describe(estimate: Estimate) -> tuple[object, ...]:
    """Return all that an estimate says, without the name of its metric."""
    cautions = [
        (caution.kind, caution.severity, {k: v for k, v in caution.facts.items() if k != "metric"})
        for caution in estimate.cautions
    ]
    verdicts = (estimate.against_chance, estimate.selection, estimate.no_information)
    return estimate.value, estimate.interval, estimate.naive, verdicts, cautions


def make_extreme(task: str) -> en.Predictions:
    """Make predictions that cautions are about: sure ones, and an outcome that is far out."""
    pi = example_predictions(task, n_cases=60)
    if task == "regression":
        y = np.array(pi.target.y)
        y[3] = 1e4
        return replace(pi, target=replace(pi.target, y=y))
    if pi.kind != "probability":
        return pi
    odds = np.power(np.stack([1.0 - pi.responses, pi.responses]), 4)
    sure = odds[1] / odds.sum(axis=0)
    if sure.ndim == 4:
        sure = np.power(pi.responses, 4)
        sure /= sure.sum(axis=-1, keepdims=True)
    return replace(pi, responses=sure)


def judge(pi: en.Predictions, metric: Metric, method: str) -> object:
    """Return what a method says, None where it refuses the metric."""
    try:
        return describe(en.estimate(pi, metric=metric, method=method, rng=0))
    except (MetricError, EvidenceError):
        return None


@pytest.mark.parametrize("name", sorted(metric.name for metric in METRICS.values()))
def test_a_copy_by_another_name_is_judged_alike(name: str) -> None:
    metric = METRICS[name]
    task = sorted(metric.tasks)[0]
    copy = replace(metric, name="ours", aliases=())
    pi = make_extreme(task)
    for method in METHODS:
        ours, theirs = (judge(pi, measure, method) for measure in (copy, metric))
        np.testing.assert_equal(ours, theirs)
