"""The contract of a metric: what every fast path must agree with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import TASKS, Task
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_selected, score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import CallableMetric, Metric, Need
from earnest.testing.examples import (
    example_predictions,
    in_order,
    pickled,
    require,
    require_refusal,
)

ROUNDING = 1e-9  # sums of floats in another order; the values are of order 1


@dataclass(frozen=True, eq=False)
class MetricCase:
    """A metric with predictions that it fits, and counts to weight them by."""

    metric: Metric
    predictions: Predictions
    counts: NDArray[np.uint8]  # (B, n)

    @classmethod
    def each(cls, metric: Metric | str, seed: int = 0) -> Iterator[MetricCase]:
        """Yield a case for every task and kind of response that the metric takes."""
        resolved, rng = resolve_metric(metric), np.random.default_rng(seed)
        for pi in _yield_fitting(resolved):
            counts = rng.multinomial(pi.n_cases, np.full(pi.n_cases, 1 / pi.n_cases), 8)
            counts[0] = 1
            yield cls(resolved, pi, counts.astype(np.uint8))

    def table(self, counts: NDArray[np.generic] | None = None) -> NDArray[np.float64]:
        """Return the metric (B, C) under counts."""
        weights = self.counts if counts is None else counts
        return score_table(self.predictions, self.metric, Weights(weights))


def _yield_fitting(metric: Metric) -> Iterator[Predictions]:
    kinds = {
        Need.LABEL: (ResponseKind.LABEL, ResponseKind.PROBABILITY, ResponseKind.DECISION),
        Need.SCORE: (ResponseKind.PROBABILITY, ResponseKind.DECISION),
        Need.PROBABILITY: (ResponseKind.PROBABILITY,),
        Need.SURVIVAL: (ResponseKind.SURVIVAL,),
    }
    for task in sorted(metric.tasks):
        classes = task in (Task.BINARY, Task.MULTICLASS)
        curves = metric.needs is Need.SURVIVAL
        for kind in kinds.get(metric.needs, (None,)) if classes or curves else (None,):
            yield example_predictions(task, response=kind, n_cases=36, n_configs=4, n_folds=None)


def declares_itself(case: MetricCase) -> None:
    """Name, words, range, tasks and need are filled in."""
    metric = case.metric
    require(bool(metric.name and metric.title and metric.tasks), "name, title, tasks", metric)
    require(metric.limits[0] < metric.limits[1], "limits are a range", metric.limits)
    require(metric.scale.name == metric.name, "the scale is the metric's own", metric.scale)


def weights_are_repetition(case: MetricCase) -> None:
    """Under whole weights the value is that on rows repeated so often."""
    weighted = case.table()
    for row, counts in zip(weighted, case.counts, strict=True):
        rows = np.repeat(np.arange(len(counts)), counts)
        repeated = in_order(case.predictions, rows)
        plain = score_table(repeated, case.metric, Weights.ones(len(rows)))[0]
        _require_equal(row, plain, "weights are repetition")


def counts_of_any_type_are_equal(case: MetricCase) -> None:
    """Counts as uint8, int64 and float64 give the same values."""
    for kind in (np.int64, np.float64):
        if kind is np.float64 and _is_repetition(case.metric):
            continue  # real weights mean nothing to it
        _require_equal(case.table(case.counts.astype(kind)), case.table(), f"{kind.__name__}")


def value_is_in_range(case: MetricCase) -> None:
    """Every defined value lies within the limits."""
    values, (low, high) = case.table(), case.metric.limits
    defined = values[~np.isnan(values)]
    require(len(defined) > 0, "the examples have defined values")
    inside = (defined >= low - ROUNDING) & (defined <= high + ROUNDING)
    require(bool(inside.all()), "values lie in range", defined[~inside])


def order_of_cases_does_not_matter(case: MetricCase) -> None:
    """Cases and weights in another order give the same values."""
    rows = np.random.default_rng(1).permutation(case.predictions.n_cases)
    weights = Weights(np.ascontiguousarray(case.counts[:, rows]))
    moved = score_table(in_order(case.predictions, rows), case.metric, weights)
    _require_equal(moved, case.table(), "order of cases")


def configurations_do_not_know_each_other(case: MetricCase) -> None:
    """A column's value is the same alone, and in another order."""
    columns = [2, 0]
    some = case.predictions.select(columns)
    apart = score_table(some, case.metric, Weights(case.counts))
    _require_equal(apart, case.table()[:, columns], "configurations apart")


def selected_scores_are_entries_of_the_table(case: MetricCase) -> None:
    """score_selected picks one entry of score_table a resample; -1 is undefined."""
    picks = np.arange(len(case.counts)) % case.predictions.n_configs
    picks[-1] = -1
    selected = score_selected(case.predictions, case.metric, Weights(case.counts), picks)
    table = case.table()[np.arange(len(picks)), picks]
    table[-1] = np.nan
    _require_equal(selected, table, "selected scores")


def undefined_is_nan_and_no_exception(case: MetricCase) -> None:
    """No case at all has no value."""
    nothing = case.table(np.zeros((1, case.predictions.n_cases), dtype=np.uint8))
    require(bool(np.isnan(nothing).all()), "no case has no value", nothing)


def a_missing_class_is_no_exception(case: MetricCase) -> None:
    """Cases of one class give NaN or a value in range, never an exception in a loop."""
    target = case.predictions.target
    if target.has_classes:
        values = case.table((target.y == target.y[0]).astype(np.uint8)[None])
        low, high = case.metric.limits
        inside = np.isnan(values) | ((values >= low) & (values <= high))
        require(bool(inside.all()), "one class is undefined or in range", values)


def threads_do_not_matter(case: MetricCase) -> None:
    """The values do not depend on n_jobs."""
    two = score_table(case.predictions, case.metric, Weights(case.counts), n_jobs=2)
    require(two.tobytes() == case.table().tobytes(), "n_jobs never changes a value")


def another_task_is_refused(case: MetricCase) -> None:
    """Predictions of a task that the metric is not defined for are refused with a reason."""
    strange = next((task for task in TASKS if task not in case.metric.tasks), None)
    if strange is not None:
        pi = example_predictions(strange, n_cases=12)
        ones = Weights.ones(pi.n_cases)
        require_refusal(lambda: score_table(pi, case.metric, ones), f"a {strange} task")


def metric_pickles(case: MetricCase) -> None:
    """Workers can be sent the metric."""
    back = pickled(case.metric, "a metric pickles")
    require(back.name == case.metric.name, "a metric pickles", back)


MetricLaw = Callable[[MetricCase], None]

METRIC_LAWS: tuple[MetricLaw, ...] = (
    declares_itself,
    weights_are_repetition,
    counts_of_any_type_are_equal,
    value_is_in_range,
    order_of_cases_does_not_matter,
    configurations_do_not_know_each_other,
    selected_scores_are_entries_of_the_table,
    undefined_is_nan_and_no_exception,
    a_missing_class_is_no_exception,
    threads_do_not_matter,
    another_task_is_refused,
    metric_pickles,
)


def check_metric(metric: Metric | str, *, seed: int = 0) -> tuple[str, ...]:
    """Hold a metric to every law of `METRIC_LAWS`, and return their names.

    Parameters
    ----------
    metric : Metric or str
        The metric; tried on every task and kind of response that it takes.
    seed : int
        The seed of the weights.

    Raises
    ------
    AssertionError
        With the law that is broken.

    Examples
    --------
    >>> from earnest.testing import check_metric
    >>> len(check_metric("roc_auc"))
    12
    """
    for case in MetricCase.each(metric, seed):
        for law in METRIC_LAWS:
            law(case)
    return tuple(law.__name__ for law in METRIC_LAWS)


def _is_repetition(metric: Metric) -> bool:
    return isinstance(metric, CallableMetric) and not metric.takes_weights


def _require_equal(first: NDArray[np.float64], second: NDArray[np.float64], law: str) -> None:
    same = np.allclose(first, second, rtol=ROUNDING, atol=ROUNDING, equal_nan=True)
    require(same, law, f"{first} and {second}")
