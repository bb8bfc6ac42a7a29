"""The compiled kernels behind the form in which the plain scans are called.

Importing this loads numba, so it is only imported where the work pays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.kernels import compiled, placing
from earnest.kernels.ranks import KeptRanks
from earnest.metrics.families import RankMetric

Array = NDArray[np.float64]
T = TypeVar("T")
WRITES = 100  # more than there are compiled functions


def score_columns(
    metric: RankMetric,
    scores: Numbers,
    truth: Numbers,
    counts: NDArray[np.uint8],
    n_jobs: int,
    cache: KeptRanks | None = None,
) -> Array:
    """Return the metric (B, M) of every column of scores (n, M) under counts (B, n)."""
    if metric.kernel == "concordance":
        time, event = truth[:, 0], truth[:, 1].astype(bool)
        return _run_kernel(compiled.concordance_table, scores, time, event, counts, n_jobs, cache)
    labels = truth[:, None]
    if metric.kernel == "roc_auc":
        return _run_kernel(compiled.auc_table, scores, labels, counts, n_jobs, cache)
    assert metric.kernel is not None
    max_fpr = metric.knobs.get("max_fpr")
    curve = partial(compiled.curve_table, metric.kernel)
    values = _run_kernel(curve, scores, labels, counts, n_jobs, max_fpr, cache)
    return np.clip(values, *metric.limits, out=values)  # rounding, as the plain scan does


def selected(
    metric: RankMetric,
    scores: Numbers,
    truth: Numbers,
    counts: NDArray[np.uint8],
    columns: NDArray[np.intp],
    n_jobs: int,
    cache: KeptRanks | None = None,
) -> Array:
    """Return the metric (B,) of one column of scores (n, M) a resample."""
    if metric.kernel == "roc_auc":
        labels = truth[:, None]
        return _run_kernel(compiled.auc_selected, scores, labels, counts, columns, n_jobs, cache)
    out = np.empty(len(counts))
    for column in np.unique(columns):
        mine = np.flatnonzero(columns == column)
        block = slice(column, column + 1)
        ranks = None if cache is None else cache.part(block)
        out[mine] = score_columns(metric, scores[:, block], truth, counts[mine], n_jobs, ranks)[
            :, 0
        ]
    return out


def placed(positive: NDArray[np.bool_], scores: Numbers) -> tuple[Array, Array]:
    """Return the placements of positives (C, n1) and of negatives (C, n0)."""
    return _run_kernel(placing.place, positive, scores)


def pair_credits(
    high: Array, low: Array, left: object, right: object, sign: float, sums: Array
) -> None:
    """Add how many replicates put pairs in order that they left out; see `placing`."""
    _run_kernel(placing.add_pair_credits, high, low, left, right, sign, sums)


def weighted_credits(
    high: Array, low: Array, left: object, right: object, share: Array, sign: float, sums: Array
) -> None:
    """Add the weighted credit of each replicate; see `placing`."""
    _run_kernel(placing.add_weighted_credits, high, low, left, right, share, sign, sums)


def _run_kernel(kernel: Callable[..., T], *arguments: object) -> T:
    """Run a kernel even where its compiled code cannot be written to disk (full, or no quota).

    numba holds a function in memory before it writes it: after a failed write the next call gets
    one function further.
    """
    for _ in range(WRITES):
        try:
            return kernel(*arguments)
        except OSError:
            continue
    return kernel(*arguments)
