"""What every case adds to a metric, so that the mean over cases is the metric itself.

A variance needs one number a case. A metric that is a mean over cases has them; a function of
sums gets them from its derivative, the AUC from its placements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.inference.cases.fold_placements import (
    need_each_class,
    placement_terms,
    pooled_terms,
    single_cases,
)
from earnest.inference.cases.influence import influence
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Array, Metric, MetricLike, MomentMetric, RankMetric
from earnest.metrics.ranking import auc_scan
from earnest.metrics.responding import check_fits, respond

CELLS = 1 << 21  # feature values held at a time
ValueKind = Literal["pointwise", "delta", "placements"]


@dataclass(frozen=True, eq=False)
class CaseValues:
    """What each case adds to a metric in each repeat, in the metric's own units.

    The difference of two columns is the difference of their terms: `terms[:, a] - terms[:, b]`
    has the mean `value[a] - value[b]`.

    Parameters
    ----------
    value : ndarray, shape (C,)
        The metric: the mean over repeats of the mean over cases; NaN where it is undefined.
    terms : ndarray, shape (n, C, R)
        What a case adds: the mean over the tested cases of a repeat is that repeat's value. NaN
        where a repeat did not test a case.
    folds : ndarray of int, shape (n, R)
        The fold of a case, -1 where it was not tested.
    groups : ndarray of int, shape (n,), optional
        The unit that a case belongs to.
    kind : {'pointwise', 'delta', 'placements'}
        Whether the terms are the cases' own losses, linearised sums, or placements in folds.
    pooled : ndarray, shape (n, C, R), optional
        Where a fold has one case of a class: the terms by placements about the mean over folds.
    single_folds : tuple of int
        In how many folds a class has one case, of how many; (0, 0) but for placements.
    """

    value: Array
    terms: Array
    folds: NDArray[np.int32]
    groups: NDArray[np.int64] | None
    kind: ValueKind
    pooled: Array | None = None
    single_folds: tuple[int, int] = (0, 0)

    @property
    def spread(self) -> Array:
        """What a variance over all cases is read from: the terms, or the pooled ones."""
        return self.terms if self.pooled is None else self.pooled


def find_kind(metric: Metric) -> ValueKind:
    """Return what the cases would add to a metric of a task.

    Raises
    ------
    MetricError
        For a metric that is neither a function of sums over cases nor an AUC.
    """
    return _rule(metric)[0]


def case_values(pi: Predictions, metric: MetricLike, *, singles: bool = False) -> CaseValues:
    """Return what each case adds to the metric of each configuration.

    A metric that is a mean over cases gives the loss or the score of the case. One that is a
    function g of sums is linearised (the delta method): g(m) + g'(m)(m_i - m) at the mean m of the
    repeat. The AUC is the mean over folds of the AUC in a fold, linearised by placements (LeDell
    et al. 2015).

    Parameters
    ----------
    pi : Predictions
        Out-of-sample predictions; incomplete configurations get NaN.
    metric : str, Metric or callable
        What to measure.
    singles : bool
        Whether an AUC may have folds with one case of a class; `pooled` is then made.

    Raises
    ------
    MetricError
        For a metric that is neither a function of sums over cases nor an AUC.
    EvidenceError
        For an AUC where a fold has too few cases of a class.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.cases.case_values import case_values
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.3])
    >>> made = case_values(pi, "accuracy")
    >>> made.value, made.terms[:, 0, 0], made.kind
    (array([0.66666667]), array([1., 1., 0.]), 'pointwise')
    """
    metric = resolve_metric(metric).on(pi.target.task)
    check_fits(pi, metric)
    kind, rule = _rule(metric)
    check_terms(pi, metric, singles=singles)
    found = single_cases(pi) if kind == "placements" else (0, 0)
    terms = np.full((pi.n_cases, pi.n_configs, pi.n_repeats), np.nan)
    pooled = np.full(terms.shape, np.nan) if found[0] else None
    values = []
    folds = pi.folds.copy()
    for repeat in range(pi.n_repeats):
        rows = np.flatnonzero(pi.tested(repeat))
        folds[~pi.tested(repeat), repeat] = -1
        if len(rows) == 0:
            continue
        response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
        value, mine = rule(pi.target.take(rows), response, folds[rows, repeat])
        values.append(value)
        terms[rows, :, repeat] = mine
        if pooled is not None and isinstance(metric, RankMetric):
            about = pooled_terms(metric, pi.target.take(rows), response, folds[rows, repeat])
            pooled[rows, :, repeat] = about
    value = np.mean(values, axis=0)
    value[~pi.complete], terms[:, ~pi.complete] = np.nan, np.nan
    return CaseValues(value, terms, folds, pi.target.groups, kind, pooled, found)


def score_terms(pi: Predictions, metric: Metric) -> tuple[Array, Array] | None:
    """Return the pooled score of every configuration (C,) and the terms of its cases (n, C).

    The score is that of `score_table`: over all cases of a repeat at once, and the mean over
    repeats. A term is the score plus the influence of the case on it, so that the terms have the
    score as their mean. None for a metric that does not say what a case adds to it.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.cases.case_values import score_terms
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.3])
    >>> score_terms(pi, en.metric("accuracy"))[1][:, 0]
    array([1., 1., 0.])
    """
    if not has_terms(metric):
        return None
    _, rule = _rule(metric)
    values, moves = [], np.zeros((pi.n_cases, pi.n_configs))
    for repeat in range(pi.n_repeats):
        rows = np.flatnonzero(pi.tested(repeat))
        if len(rows) == 0:
            continue
        response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
        value, mine = rule(pi.target.take(rows), response, np.zeros(len(rows), dtype=np.int32))
        values.append(value)
        moves[rows] += (mine - value) * (pi.n_cases / len(rows))
    value = np.mean(values, axis=0)
    return value, value + moves / len(values)


def has_terms(metric: Metric) -> bool:
    """Tell whether a metric says what each case adds to it: a function of sums, or an AUC."""
    area = isinstance(metric, RankMetric) and metric.scan is auc_scan
    return area or isinstance(metric, MomentMetric)


def check_terms(pi: Predictions, metric: Metric, *, singles: bool = False) -> None:
    """Refuse a metric that has no terms, or folds in which it has none, before any work."""
    kind, _ = _rule(metric)
    if kind == "placements":
        need_each_class(pi, singles=singles)


Rule = Callable[
    [Target, Numbers, NDArray[np.int32]], tuple[Array, Array]
]  # target, response (n, C[, K]), folds (n,) -> value (C,), terms (n, C)


def _rule(metric: Metric) -> tuple[ValueKind, Rule]:
    """Return how the terms of a metric are made."""
    if isinstance(metric, MomentMetric):
        if metric.mean_of_cases:
            return "pointwise", lambda target, given, _: _own_numbers(metric, target, given)
        return "delta", lambda target, given, _: _linearise(metric, target, given)
    if isinstance(metric, RankMetric) and metric.scan is auc_scan:
        return "placements", lambda *parts: placement_terms(metric, *parts)
    raise MetricError(
        f"metric {metric.name!r} has no contribution of a single case",
        needs="a mean over cases such as 'accuracy' or 'mse', a function of sums such as 'f1', "
        "'r2' or 'rmse', or an AUC",
        got=metric.name,
        cure="Write your own function as a MomentMetric, or use method='corrected_t', or "
        "method='bbc' for the winner of a search.",
    )


def mean_moments(pi: Predictions, metric: MomentMetric, repeat: int) -> tuple[Array, Array]:
    """Return the mean moments of a repeat as `combine` takes them: (m, 1, C) and (s, 1, 1)."""
    rows = np.flatnonzero(pi.tested(repeat))
    response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
    own, shared = _moments(metric, pi.target.take(rows), response)
    return own.mean(axis=1, keepdims=True), shared.mean(axis=1)[:, None, None]


def _moments(metric: MomentMetric, target: Target, response: Numbers) -> tuple[Array, Array]:
    """Return the features of the cases as float64: own (m, n, C) and shared (s, n)."""
    centre = None if metric.centre is None else metric.centre(target, response)
    made = metric.features(target, response, centre)
    return made.own.astype(np.float64), np.atleast_2d(made.shared).astype(np.float64)


def _own_numbers(metric: MomentMetric, target: Target, response: Numbers) -> tuple[Array, Array]:
    own, _ = _moments(metric, target, response)
    return own[0].mean(axis=0), own[0]


def _linearise(metric: MomentMetric, target: Target, response: Numbers) -> tuple[Array, Array]:
    """Return the metric (C,) and its linear terms (n, C), a block of columns at a time."""
    columns = response.shape[1]
    probe, _ = _moments(metric, target, response[:, :1])
    step = max(1, CELLS // max(1, probe.size))
    parts = [
        _linear_block(metric, *_moments(metric, target, response[:, left : left + step]))
        for left in range(0, columns, step)
    ]
    return np.concatenate([v for v, _ in parts]), np.concatenate([t for _, t in parts], axis=1)


def _linear_block(metric: MomentMetric, own: Array, shared: Array) -> tuple[Array, Array]:
    middle, common = own.mean(axis=1, keepdims=True), shared.mean(axis=1)[:, None, None]
    away, apart = own - middle, shared[:, :, None] - common

    def moved(step: float) -> Array:  # all metrics take weights, so means do as well as sums
        return metric.combine(middle + step * away, common + step * apart)

    value = metric.combine(middle, common)[0]
    return value, value + influence(moved, own.shape[1])
