"""All resamples of all configurations, whatever the metric."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base.arrays import Numbers, as_array
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.threads import workers
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.kernels.dense import score_moments, score_selected_moments
from earnest.kernels.plain import score_callable
from earnest.kernels.ranks import RankKeeper
from earnest.kernels.scans import rank_selected, rank_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import (
    CallableMetric,
    CurveMetric,
    Metric,
    MomentMetric,
    RankMetric,
    ScanMetric,
)
from earnest.metrics.responding import pick_answer, respond

# Scores a table (B, C) on a cluster, or returns None where that does not pay; see `engine.scores`.
Spread = Callable[[Predictions, Metric, Weights], NDArray[np.float64] | None]
HEAVY = 1 << 24  # weights of unlike cases held at a time, eight bytes each
SPREAD: ContextVar[Spread | None] = ContextVar("SPREAD", default=None)


def score_table(
    pi: Predictions,
    metric: Metric | str | Callable[..., float],
    weights: Weights | ArrayLike,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the metric of every configuration under every resample: (B, C).

    With repeats the metric is computed in each and averaged; scores of different repeats are never
    pooled. NaN where a value is undefined or a configuration is incomplete.

    Parameters
    ----------
    pi : Predictions
        Out-of-sample predictions of n cases and C configurations.
    metric : str, Metric or callable
        What to measure.
    weights : Weights or array-like, shape (B, n)
        The resamples.
    n_jobs : int, optional
        The number of threads, 1 by default and -1 for all cores; never changes the result.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [[0.2, 0.6], [0.7, 0.4], [0.3, 0.9]])
    >>> en.kernels.score_table(pi, "accuracy", [[1, 1, 1], [2, 1, 0]])
    array([[0.66666667, 0.33333333],
           [1.        , 0.        ]])
    """
    (pi, metric), weights = _fit_metric(pi, metric), _fit_weights(pi, weights)
    jobs = workers(n_jobs)
    if len(weights.values) == 0:
        return np.empty((0, pi.n_configs))
    spread = SPREAD.get()
    elsewhere = None if spread is None else spread(pi, metric, weights)
    if elsewhere is not None:
        return elsewhere
    scale = weights.scale(pi.target.masses)
    if scale is not None and weights.values.size > HEAVY and len(weights) > 1:
        half = slice(0, len(weights) // 2), slice(len(weights) // 2, None)
        return np.concatenate(
            [score_table(pi, metric, weights.take(rows), n_jobs=jobs) for rows in half]
        )
    values = _weigh(weights.values, scale)
    tables = [_fill_table(pi, metric, values, r, pi.tested(r), jobs) for r in _list_repeats(pi)]
    mean = _average_tables(tables)
    mean[:, ~pi.complete] = np.nan
    return mean


def score_selected(
    pi: Predictions,
    metric: Metric | str | Callable[..., float],
    weights: Weights | ArrayLike,
    columns: ArrayLike,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the metric of one configuration per resample: (B,); NaN where `columns` is -1.

    Parameters
    ----------
    columns : array-like of int, shape (B,)
        The configuration to score in each resample.
    pi, metric, weights, n_jobs
        As for `score_table`.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [[0.2, 0.6], [0.7, 0.4], [0.3, 0.9]])
    >>> en.kernels.score_selected(pi, "accuracy", [[1, 1, 1], [2, 1, 0]], [1, 0])
    array([0.33333333, 1.        ])
    """
    (pi, metric), weights = _fit_metric(pi, metric), _fit_weights(pi, weights)
    values = _weigh(weights.values, weights.scale(pi.target.masses))
    columns = _check_columns(columns, len(values), pi.n_configs)
    out = np.full(len(values), np.nan)
    valid = np.flatnonzero(columns >= 0)
    if len(valid) == 0:
        return out
    chosen = columns[valid]
    values = values if len(valid) == len(values) else values[valid]
    jobs = workers(n_jobs)
    draws = [
        _fill_selected(pi, metric, values, r, pi.tested(r), chosen, jobs) for r in _list_repeats(pi)
    ]
    out[valid] = np.where(pi.complete[chosen], _average_tables(draws), np.nan)
    return out


def fold_scores(
    pi: Predictions,
    metric: Metric | str | Callable[..., float],
    weights: Weights | None = None,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the metric within every fold of every repeat: (F, B, C), folds of a repeat together.

    Without weights every case counts once, and B is 1.
    """
    pi, metric = _fit_metric(pi, metric)
    if weights is not None:
        weights = _fit_weights(pi, weights)
    jobs = workers(n_jobs)
    tables = [_score_folds(pi, metric, weights, r, jobs) for r in _list_repeats(pi)]
    out = np.concatenate(tables)
    out[:, :, ~pi.complete] = np.nan
    return out


def _score_folds(
    pi: Predictions, metric: Metric, weights: Weights | None, repeat: int, jobs: int
) -> NDArray[np.float64]:
    """Return the scores (K, B, C) of the folds of one repeat."""
    folds = np.flatnonzero(pi.cells[repeat].any(axis=1))
    codes = pi.folds[:, repeat]
    masses = pi.target.masses
    centred = isinstance(metric, MomentMetric) and metric.centre is not None
    if weights is None and not centred:  # a fold is a resample too: weight 1 within, 0 without
        within = (codes == folds[:, None]).view(np.uint8)
        weighed = _weigh(within, masses)
        return _fill_table(pi, metric, weighed, repeat, pi.tested(repeat), jobs)[:, None]
    drawn = Weights.ones(pi.n_cases) if weights is None else weights
    values = _weigh(drawn.values, drawn.scale(masses))
    return np.stack(
        [_fill_table(pi, metric, values, repeat, codes == k, jobs, keep=False) for k in folds]
    )


def fold_repeats(pi: Predictions) -> NDArray[np.intp]:
    """Return the repeat that each row of `fold_scores` belongs to: (F,)."""
    return np.concatenate(
        [np.full(int(pi.cells[r].any(axis=1).sum()), r) for r in _list_repeats(pi)]
    )


def _average_tables(tables: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean of tables, added one by one: `np.mean` adds a single column in pairs."""
    total = tables[0]
    for table in tables[1:]:
        total = total + table
    return total / len(tables) if len(tables) > 1 else total


def _check_columns(columns: ArrayLike, resamples: int, configs: int) -> NDArray[np.intp]:
    index = np.asarray(columns)
    fits = index.shape == (resamples,) and index.dtype.kind in "iu"
    if not fits or ((index < -1) | (index >= configs)).any():
        raise InputError(
            "`columns` does not name one configuration per resample",
            needs=f"{resamples} integers from -1 to {configs - 1}",
            got=f"shape {index.shape}, dtype {index.dtype}",
        )
    return index.astype(np.intp)


def _list_repeats(pi: Predictions) -> list[int]:
    """Return the repeats that tested anything; refuse predictions that are all missing."""
    repeats = [r for r in range(pi.n_repeats) if pi.cells[r].any()]
    if not repeats:
        raise EvidenceError(
            "every prediction is missing", needs="predictions of at least one fold", got="NaN alone"
        )
    return repeats


def _fit_metric(
    pi: Predictions, measure: Metric | str | Callable[..., float]
) -> tuple[Predictions, Metric]:
    """Return the answers that a metric needs, and the metric on their task, if it fits."""
    metric = resolve_metric(measure).on(pi.target.task)
    return pick_answer(pi, metric), metric


def _fit_weights(pi: Predictions, counts: Weights | ArrayLike) -> Weights:
    """Return weights of the cases of the predictions, and refuse those of other cases."""
    weights = counts if isinstance(counts, Weights) else Weights(as_array("weights", counts))
    if weights.values.shape[1] != pi.n_cases:
        raise InputError(
            "weights and predictions have different cases",
            needs=f"{pi.n_cases} columns of weights",
            got=str(weights.values.shape[1]),
        )
    return weights


def _weigh(counts: Numbers, scale: NDArray[np.float64] | None) -> Numbers:
    """Return the counts of resamples (B, n) times what each case weighs."""
    return counts if scale is None else counts * scale


def _take_part(
    pi: Predictions, weights: Numbers, repeat: int, used: NDArray[np.bool_]
) -> tuple[Target, Numbers, Numbers]:
    """Return target, responses (n', C[, K]) and weights (B, n') of the used rows of a repeat."""
    responses = pi.responses[:, :, repeat]
    if used.all():
        return pi.target, responses, weights
    rows = np.flatnonzero(used)
    return pi.target.take(rows), responses[rows], np.ascontiguousarray(weights[:, rows])


def _fill_table(
    pi: Predictions,
    metric: Metric,
    weights: Numbers,
    repeat: int,
    used: NDArray[np.bool_],
    jobs: int,
    *,
    keep: bool = True,
) -> NDArray[np.float64]:
    """Return the table (B, C) of a repeat; `keep` says that the used cases are all it tested."""
    target, responses, counts = _take_part(pi, weights, repeat, used)
    if isinstance(metric, MomentMetric):
        return score_moments(pi, target, metric, responses, counts, jobs)
    scores = respond(pi, metric.needs, responses)
    if isinstance(metric, ScanMetric):
        keeper = _find_keeper(pi, metric, repeat) if keep else None
        return rank_table(target, metric, scores, counts, jobs, keeper)
    if isinstance(metric, CurveMetric):
        return _score_curves(target, metric, scores, counts)
    assert isinstance(metric, CallableMetric)
    return score_callable(target, metric, scores, counts)


def _find_keeper(pi: Predictions, metric: ScanMetric, repeat: int) -> RankKeeper | None:
    """Return what keeps the orders of the columns, for a metric of ranks."""
    return RankKeeper(pi, metric.needs, repeat) if isinstance(metric, RankMetric) else None


def _fill_selected(
    pi: Predictions,
    metric: Metric,
    weights: Numbers,
    repeat: int,
    used: NDArray[np.bool_],
    columns: NDArray[np.intp],
    jobs: int,
) -> NDArray[np.float64]:
    winners, index = np.unique(columns, return_inverse=True)
    target, responses, counts = _take_part(pi, weights, repeat, used)
    responses = responses[:, winners]
    if isinstance(metric, MomentMetric):
        return score_selected_moments(pi, target, metric, responses, counts, index)
    needed = respond(pi, metric.needs, responses)
    if isinstance(metric, ScanMetric):
        keeper = _find_keeper(pi, metric, repeat)
        return rank_selected(target, metric, needed, counts, index, jobs, keeper, winners)
    out = np.empty(len(columns))
    for w in range(len(winners)):
        mine = np.flatnonzero(index == w)
        column = needed[:, w : w + 1]
        if isinstance(metric, CurveMetric):
            out[mine] = _score_curves(target, metric, column, counts[mine])[:, 0]
        else:
            assert isinstance(metric, CallableMetric)
            out[mine] = score_callable(target, metric, column, counts[mine])[:, 0]
    return out


WEIGHTS = 1 << 21  # of cases in resamples, which curves are scored under at a time


def _score_curves(
    target: Target, metric: CurveMetric, curves: Numbers, weights: Numbers
) -> NDArray[np.float64]:
    """Return a metric of curves (B, C), block by block of the resamples."""
    step = max(1, WEIGHTS // max(1, weights.shape[1]))
    blocks = [weights[b : b + step] for b in range(0, len(weights), step)]
    return np.concatenate([metric.score(target, curves, block) for block in blocks])
