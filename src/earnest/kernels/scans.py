"""Metrics of one column: the plain scan, and a compiled one for much work on ranks."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.sums import weighted_sums
from earnest.core.base.threads import each
from earnest.core.data.target import Target
from earnest.kernels.ranks import KeptRanks, RankKeeper
from earnest.metrics.families import RankMetric, ScanMetric, View

# (case, column, resample) updates from which a compiled kernel pays: loading numba costs about as
# much as this many updates of the plain scan; once it is loaded nearly everything pays.
COLD, WARM = 4e7, 5e4
START = 5e3  # updates that take as long as the start of one more plain scan
PLAIN_CELLS = 1 << 20  # weights that plain scans order at a time, in all threads
VALUES = 1 << 22  # of single views, before they are combined


@dataclass
class PlainWork:
    """How many updates the plain scans of this process made while numba was not loaded."""

    updates: float = 0.0


PLAIN_WORK = PlainWork()


def rank_table(
    target: Target,
    metric: ScanMetric,
    scores: Numbers,
    weights: Numbers,
    n_jobs: int,
    keeper: RankKeeper | None = None,
) -> NDArray[np.float64]:
    """Return the metric (B, C) of scores (n, C[, K]) under every row of weights (B, n).

    With a keeper the orders of the columns are kept for the next call.
    """
    views = metric.views(target)
    masses = _sum_masses(views, weights)
    columns = scores.shape[1]
    out = np.empty((len(weights), columns))
    width = max(1, VALUES // max(1, len(weights) * len(views)))
    for left in range(0, columns, width):
        block = slice(left, left + width)
        tables = [_view_table(metric, scores, v, weights, n_jobs, block, keeper) for v in views]
        stacked = tables[0][:, :, None] if len(views) == 1 else np.stack(tables, axis=2)
        values = metric.combine(stacked, masses)
        if values.shape == out.shape:  # the only block: copying it would take as long as a metric
            return values
        out[:, left : left + width] = values
    return out


def _view_table(
    metric: ScanMetric,
    scores: Numbers,
    view: View,
    weights: Numbers,
    n_jobs: int,
    columns: slice,
    keeper: RankKeeper | None,
) -> NDArray[np.float64]:
    """Return the metric (B, c) of some columns of the scores (n, C[, K]) that a view is about."""
    scores = _take_column(scores[:, columns], view)
    if choose_compiled(metric, weights, scores.shape[1]):
        from earnest.kernels import fast

        whole = None if keeper is None else keeper.find(view.column, view.truth)
        cache = None if whole is None else whole.part(columns)
        return fast.score_columns(
            metric, scores, view.truth, np.asarray(weights, np.uint8), n_jobs, cache
        )

    def column(c: int) -> NDArray[np.float64]:
        return scan_plainly(metric, scores[:, c], view.truth, weights, PLAIN_CELLS // n_jobs)

    return np.stack(each(column, range(scores.shape[1]), n_jobs), axis=1)


def scan_plainly(
    metric: ScanMetric,
    score: Numbers,
    truth: Numbers,
    weights: Numbers,
    cells: int,
) -> NDArray[np.float64]:
    """Apply the definition of a metric to one column, block by block of the resamples."""
    step = max(1, cells // max(1, weights.shape[1]))
    blocks = [weights[b : b + step] for b in range(0, len(weights), step)]
    return np.concatenate([metric.scan(score, truth, block) for block in blocks])


def rank_selected(
    target: Target,
    metric: ScanMetric,
    scores: Numbers,
    weights: Numbers,
    columns: NDArray[np.intp],
    n_jobs: int,
    keeper: RankKeeper | None = None,
    places: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Return the metric (B,) of one column of scores per resample.

    With a keeper `places` (C,) says which columns of its predictions the scores are.
    """
    views = metric.views(target)
    values = np.empty((len(weights), 1, len(views)))
    for v, view in enumerate(views):
        cache = None if keeper is None else keeper.find(view.column, view.truth)
        values[:, 0, v] = _view_selected(
            metric,
            _take_column(scores, view),
            view,
            weights,
            columns,
            n_jobs,
            None if cache is None or places is None else cache.part(places),
        )
    return metric.combine(values, _sum_masses(views, weights))[:, 0]


def _view_selected(
    metric: ScanMetric,
    scores: Numbers,
    view: View,
    weights: Numbers,
    columns: NDArray[np.intp],
    n_jobs: int,
    cache: KeptRanks | None,
) -> NDArray[np.float64]:
    distinct = np.unique(columns)
    if choose_compiled(metric, weights, 1, starts=len(distinct) - 1):
        from earnest.kernels import fast

        counts = np.asarray(weights, np.uint8)
        return fast.selected(metric, scores, view.truth, counts, columns, n_jobs, cache)
    out = np.empty(len(weights))
    for c in distinct:
        mine = np.flatnonzero(columns == c)
        out[mine] = scan_plainly(metric, scores[:, c], view.truth, weights[mine], PLAIN_CELLS)
    return out


def _take_column(scores: Numbers, view: View) -> Numbers:
    return scores if view.column is None else scores[:, :, view.column]


def _sum_masses(views: tuple[View, ...], weights: Numbers) -> NDArray[np.float64]:
    """Return the weight of each view (B, V), 1 where a view has no mass."""
    out = np.ones((len(weights), len(views)))
    weighted = [v for v, view in enumerate(views) if view.mass is not None]
    if weighted:
        masses = np.stack([np.asarray(views[v].mass, dtype=np.float64) for v in weighted], axis=1)
        out[:, weighted] = weighted_sums(weights, masses)
    return out


def choose_compiled(
    metric: ScanMetric, weights: Numbers, columns: int, *, starts: int = 0
) -> TypeGuard[RankMetric]:
    """Tell whether a scan takes a compiled kernel: if there is one, and if it pays for its start.

    Small scans add up: once plain ones have cost as much as loading numba does, the next one loads
    it. Both kinds of scan give the same bytes, so that it does not matter to the result when.
    """
    if not isinstance(metric, RankMetric) or metric.kernel is None or weights.dtype != np.uint8:
        return False
    updates = float(weights.size) * columns + START * starts
    if "earnest.kernels.compiled" in sys.modules:
        return updates >= WARM
    PLAIN_WORK.updates += updates
    return PLAIN_WORK.updates >= COLD
