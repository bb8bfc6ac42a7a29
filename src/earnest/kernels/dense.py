"""Moment metrics: all resamples of all configurations as a few matrix products."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.sums import (
    ROWS,
    Slices,
    as_counts,
    cut_features,
    cut_weights,
    sum_slices,
)
from earnest.core.base.threads import each
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.metrics.families import MomentMetric, Moments
from earnest.metrics.responding import respond

F = TypeVar("F", bound=np.floating)


class Scratch:
    """Memory that blocks of work share: fresh pages can cost as much as the work on them.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.kernels.dense import Scratch
    >>> scratch = Scratch()
    >>> scratch.copy("a", np.array([1, 2]), np.float32)
    array([1., 2.], dtype=float32)
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, type[np.floating]], NDArray[np.floating]] = {}

    def empty(self, name: str, shape: tuple[int, ...], kind: type[F]) -> NDArray[F]:
        """Return an uninitialised array, the memory of the last one of that name."""
        size = int(np.prod(shape))
        key = (name, kind)
        if key not in self._kept or self._kept[key].size < size:
            self._kept[key] = np.empty(size, dtype=kind)
        return cast(NDArray[F], self._kept[key][:size].reshape(shape))

    def copy(self, name: str, array: Numbers, kind: type[F]) -> NDArray[F]:
        """Return a contiguous array of another type with the same values."""
        out = self.empty(name, array.shape, kind)
        out[...] = array
        return out


RESAMPLES = 1024  # resamples a product; each bounds what a step holds in memory
CELLS = 1 << 20  # feature values a product
IN_CACHE = 1 << 17  # feature values that are still in the cache when they are summed
FEW = 16  # resamples whose product costs less than the features themselves
SUMS = 1 << 23  # sums kept before they are combined
EXACT = float(1 << 24)  # whole numbers up to here are exact in float32


def score_moments(
    pi: Predictions,
    target: Target,
    metric: MomentMetric,
    responses: Numbers,
    weights: Numbers,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """Return the metric (B, C) of responses (n, C[, K]) under every row of weights (B, n).

    Target and responses are those of the cases of `pi` that are scored. Blocks of resamples and
    columns are a matter of memory, and change no bit. Few resamples are done in threads; for many
    the products have threads of their own.
    """
    columns = responses.shape[1]
    out = np.empty((len(weights), columns))
    weights = as_counts(weights)
    parts = _count_features(pi, target, metric, responses)
    cells = CELLS if len(weights) > FEW else IN_CACHE
    most = min(cells // ROWS, SUMS // min(len(weights), RESAMPLES))
    width = max(1, min(columns, most // parts))
    blocks = [slice(left, min(left + width, columns)) for left in range(0, columns, width)]
    jobs = min(n_jobs, len(blocks)) if len(weights) <= FEW else 1
    one_thread = Scratch()

    def fill(block: slice) -> None:
        scratch = one_thread if jobs == 1 else Scratch()
        for top in range(0, len(weights), RESAMPLES):
            some = weights[top : top + RESAMPLES]
            sums, shared = _sum_features(
                pi, target, metric, responses[:, block], some, parts, scratch
            )
            out[top : top + RESAMPLES, block] = metric.combine(sums, shared)

    each(fill, blocks, jobs)
    return out


def _sum_features(
    pi: Predictions,
    target: Target,
    metric: MomentMetric,
    responses: Numbers,
    weights: Numbers,
    parts: int,
    scratch: Scratch,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weighted sums of the features, (m, B, C) and (s, B, 1), block by block of rows."""
    centre = _find_centre(pi, target, metric, responses)
    shape = (parts, len(weights), responses.shape[1])
    sums = scratch.empty("own", shape, np.float64)
    shared: NDArray[np.float64] | float = 0.0
    heaviest = _find_heaviest(metric, weights)
    for start in range(0, target.n, ROWS):
        rows = slice(start, min(start + ROWS, target.n))
        cases = target.take(np.arange(rows.start, rows.stop))
        moments = metric.features(cases, respond(pi, metric.needs, responses[rows]), centre)
        beside = np.atleast_2d(moments.shared).T
        if heaviest * _find_largest(moments) < EXACT:
            block = scratch.copy("weights", weights[:, rows], np.float32)
            whole = scratch.empty("product", shape, np.float32)
            product: NDArray[np.floating] = np.matmul(
                block, scratch.copy("features", moments.own, np.float32), out=whole
            )
            common = (block @ beside.astype(np.float32)).astype(np.float64)
        else:
            heavy = cut_weights(weights[:, rows])
            product = sum_slices(heavy, cut_features(moments.own, weights.dtype, bound_of(metric)))
            common = sum_slices(heavy, cut_features(beside, weights.dtype))
        np.add(sums, product, out=sums) if start else np.copyto(sums, product)
        shared = shared + common
    return sums, np.asarray(shared).T[:, :, None]


def score_selected_moments(
    pi: Predictions,
    target: Target,
    metric: MomentMetric,
    responses: Numbers,
    weights: Numbers,
    index: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the metric (B,) of one column per resample, as `score_moments` has it."""
    columns = responses.shape[1]
    out = np.empty(len(weights))
    weights = as_counts(weights)
    width = max(1, CELLS // ROWS // _count_features(pi, target, metric, responses))
    for left in range(0, columns, width):
        block = slice(left, min(left + width, columns))
        mine = np.flatnonzero((index >= block.start) & (index < block.stop))
        sums, shared = _sum_selected(
            pi, target, metric, responses[:, block], weights[mine], index[mine] - left
        )
        out[mine] = metric.combine(sums, shared)[:, 0]
    return out


def _sum_selected(
    pi: Predictions,
    target: Target,
    metric: MomentMetric,
    responses: Numbers,
    weights: Numbers,
    index: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weighted sums of each resample's own column, (m, B, 1) and (s, B, 1)."""
    centre = _find_centre(pi, target, metric, responses)
    having = [np.flatnonzero(index == c) for c in range(responses.shape[1])]
    sums: NDArray[np.float64] | float = 0.0
    shared: NDArray[np.float64] | float = 0.0
    heaviest = _find_heaviest(metric, weights)
    for start in range(0, target.n, ROWS):
        rows = slice(start, min(start + ROWS, target.n))
        cases = target.take(np.arange(rows.start, rows.stop))
        moments = metric.features(cases, respond(pi, metric.needs, responses[rows]), centre)
        whole = heaviest * _find_largest(moments) < EXACT
        features = _cut_unless(whole, moments.own, weights, bound_of(metric))
        beside = _cut_unless(whole, np.atleast_2d(moments.shared).T, weights)
        product = np.empty((len(moments.own), len(weights), 1))
        common = np.empty((len(weights), beside[0].shape[1]))
        for c, mine in enumerate(having):
            some = weights[mine, rows]
            heavy: Slices = [some.astype(np.float32)] if whole else cut_weights(some)
            product[:, mine] = sum_slices(heavy, [f[:, :, c : c + 1] for f in features])
            common[mine] = sum_slices(heavy, beside)
        sums, shared = sums + product, shared + common
    return np.asarray(sums), np.asarray(shared).T[:, :, None]


def _cut_unless(
    whole: bool, features: Numbers, weights: Numbers, bound: float | None = None
) -> Slices:
    """Return features as slices for `sum_slices`; whole numbers are one slice as they are."""
    if whole:
        return [features.astype(np.float32)]
    return cut_features(features, weights.dtype, bound)


def _find_heaviest(metric: MomentMetric, weights: Numbers) -> float:
    """Return the largest sum of weights where sums are whole numbers, infinity elsewhere."""
    if not metric.whole or weights.dtype.kind not in "ui":
        return np.inf
    return float(weights.sum(axis=1, dtype=np.uint64).max(initial=0))


def bound_of(metric: MomentMetric) -> float | None:
    """Return the largest number that a case can have, None where it is not known."""
    bounded = metric.mean_of_cases and np.isfinite(metric.limits).all()
    return float(np.abs(metric.limits).max()) if bounded else None


def _find_largest(moments: Moments) -> float:
    """Return the largest absolute feature."""
    parts = (moments.own, moments.shared)
    return max(1.0 if p.dtype == bool else float(np.abs(p).max(initial=0)) for p in parts)


def _find_centre(
    pi: Predictions, target: Target, metric: MomentMetric, responses: Numbers
) -> object:
    """Return what a metric takes off before it sums squares, from all cases; None for nothing."""
    if metric.centre is None:
        return None
    return metric.centre(target, respond(pi, metric.needs, responses))


def _count_features(
    pi: Predictions, target: Target, metric: MomentMetric, responses: Numbers
) -> int:
    """Return how many features of its own a configuration has, at least 1."""
    first_column = responses[:, :1]
    centre = _find_centre(pi, target, metric, first_column)
    first = respond(pi, metric.needs, first_column[:1])
    moments = metric.features(target.take(np.arange(1)), first, centre)
    return max(1, len(moments.own))
