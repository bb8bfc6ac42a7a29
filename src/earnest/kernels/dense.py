"""Moment metrics: all resamples of all configurations as a few matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.target import Target
from earnest.kernels.scratch import Scratch
from earnest.metrics.families import MomentMetric, Moments

Responder = Callable[[slice, slice], NDArray[Any]]  # rows, columns -> what the metric needs

RESAMPLES = 1024  # resamples a product; each bounds what a step holds in memory
CELLS = 1 << 21  # feature values, and weights, a product
IN_CACHE = 1 << 17  # feature values that are still in the cache when they are summed
FEW = 16  # resamples whose product costs less than the features themselves
SUMS = 1 << 23  # sums kept before they are combined
EXACT = float(1 << 24)  # whole numbers up to here are exact in float32


def moment_table(
    target: Target, metric: MomentMetric, response: Responder, weights: NDArray[Any], columns: int
) -> NDArray[np.float64]:
    """Return the metric (B, C) under every row of weights (B, n)."""
    out = np.empty((len(weights), columns))
    scratch = Scratch()
    everything = slice(0, target.n)
    probe = _features(target, metric, response, slice(0, 1), slice(0, 1), everything)
    parts = max(1, probe.own.shape[0])
    width = max(1, min(columns, SUMS // (parts * min(len(weights), RESAMPLES))))
    for left in range(0, columns, width):
        block = slice(left, min(left + width, columns))
        for top in range(0, len(weights), RESAMPLES):
            some = weights[top : top + RESAMPLES]
            own, shared = _sums(target, metric, response, some, block, parts, scratch)
            out[top : top + RESAMPLES, block] = metric.combine(own, shared)
    return out


def _sums(
    target: Target,
    metric: MomentMetric,
    response: Responder,
    weights: NDArray[Any],
    columns: slice,
    parts: int,
    scratch: Scratch,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weighted sums of the features, (m, B, C) and (s, B, 1), block by block of rows."""
    count = columns.stop - columns.start
    cells = CELLS if len(weights) > FEW else IN_CACHE
    step = max(64, cells // max(parts * count, len(weights)) // 64 * 64)
    centre = None
    if metric.centre is not None:
        centre = metric.centre(target, response(slice(0, target.n), columns))
    own = scratch.empty("own", (parts, len(weights), count), np.float64)
    shared: NDArray[np.float64] | float = 0.0
    exact = metric.whole and weights.dtype.kind in "ui"
    heaviest = float(weights.sum(axis=1, dtype=np.uint64).max(initial=0)) if exact else np.inf
    for start in range(0, target.n, step):
        rows = slice(start, min(start + step, target.n))
        part = target.take(np.arange(rows.start, rows.stop))
        moments = metric.features(part, response(rows, columns), centre)
        kind = np.float32 if exact and heaviest * _largest(moments) < EXACT else np.float64
        block = scratch.copy("weights", weights[:, rows], kind)
        product = scratch.empty("product", own.shape, kind)
        np.matmul(block, scratch.copy("features", moments.own, kind), out=product)
        np.add(own, product, out=own) if start else np.copyto(own, product)
        shared = shared + (block @ moments.shared.T.astype(kind)).astype(np.float64)
    return own, np.atleast_2d(np.asarray(shared).T)[:, :, None]


def _largest(moments: Moments) -> float:
    """Return the largest absolute feature."""
    parts = (moments.own, moments.shared)
    return max(1.0 if p.dtype == bool else float(np.abs(p).max(initial=0)) for p in parts)


def _features(
    target: Target,
    metric: MomentMetric,
    response: Responder,
    rows: slice,
    columns: slice,
    everything: slice,
) -> Any:
    centre = None
    if metric.centre is not None:
        centre = metric.centre(target, response(everything, columns))
    return metric.features(
        target.take(np.arange(rows.start, rows.stop)), response(rows, columns), centre
    )
