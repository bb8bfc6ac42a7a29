"""Scores of blocks of configurations on a cluster.

A table of scores has a column for each configuration, and no column depends on another. Under
`joblib.parallel_config(backend="dask")` or `"ray"` each worker therefore gets blocks of columns,
the resamples are sent once to every worker, and the bytes are those of one process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.protocols import EngineTask, TaskOutcome
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.engine.backends import Place, plan_backend
from earnest.engine.run import run_tasks
from earnest.kernels.score import SPREAD, score_table
from earnest.metrics.families import Metric

WORTH = 1e9  # (case, configuration, resample) from which sending pays
BLOCKS_EACH = 2  # of columns for every thread of the cluster


@contextmanager
def spread_scores(n_jobs: int | None) -> Iterator[None]:
    """Let `score_table` use the cluster of the caller's `joblib.parallel_config`, if there is one.

    One job stays here, as everywhere.
    """
    at_once = _count_workers(n_jobs)
    if at_once is None:
        yield
        return

    def spread(pi: Predictions, metric: Metric, weights: Weights) -> NDArray[np.float64] | None:
        cells = float(weights.values.size) * pi.n_configs
        if cells < WORTH or pi.n_configs < 2 or not pi.complete.all():
            return None
        return _score_blocks(pi, metric, weights, n_jobs, BLOCKS_EACH * at_once)

    token = SPREAD.set(spread)
    try:
        yield
    finally:
        SPREAD.reset(token)


def _count_workers(n_jobs: int | None) -> int | None:
    """Return how many tasks the cluster runs at once, or None without a cluster."""
    if n_jobs == 1 or "joblib" not in sys.modules:  # who has a cluster has loaded it
        return None
    where = plan_backend(n_jobs, limited=False)
    return max(1, where.n_jobs) if where.place in (Place.DASK, Place.RAY) else None


def _score_blocks(
    pi: Predictions, metric: Metric, weights: Weights, n_jobs: int | None, blocks: int
) -> NDArray[np.float64]:
    """Return the table (B, C), each block of columns from some worker."""
    size = -(-pi.n_configs // blocks)
    columns = {
        start: range(start, min(start + size, pi.n_configs))
        for start in range(0, pi.n_configs, size)
    }
    tasks = [EngineTask((start,), pi.select(block)) for start, block in columns.items()]
    out = np.empty((len(weights), pi.n_configs))
    for outcome in run_tasks(_score_block, (metric, weights), tasks, n_jobs=n_jobs):
        block = columns[outcome.key[0]]
        if outcome.error is not None:  # here it fails with an error that says why, or works
            scores = score_table(pi.select(block), metric, weights)
        else:
            scores = outcome.arrays["scores"]
        out[:, block.start : block.stop] = scores
    return out


def _score_block(shared: tuple[Metric, Weights], task: EngineTask) -> TaskOutcome:
    """Score one block of configurations, in a worker."""
    metric, weights = shared
    return TaskOutcome(task.key, arrays={"scores": score_table(task.payload, metric, weights)})
