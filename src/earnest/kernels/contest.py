"""Who wins, without every score in full precision.

For a mean over cases the winner of every resample can be had from one product in float32: losses
are rounded to whole numbers small enough that float32 sums of them are exact, so the error of each
mean is bounded by half a step. Only the configurations that this bound leaves in doubt are summed
in float64, about one a resample. The winners are those of the full table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.predictions import Predictions
from earnest.core.selection import first_best
from earnest.core.weights import Weights
from earnest.kernels.dense import EXACT, RESAMPLES
from earnest.metrics.families import Metric, MomentMetric
from earnest.metrics.responding import respond

ROWS = 2048  # cases a product: more of them leave fewer steps
COLUMNS = 64  # columns summed in float64 at a time
WORTH = 1e8  # (case, configuration, resample) updates from which it pays
MOST_IN_DOUBT = 16  # configurations a resample beyond which the full table is cheaper
SLACK = 1e-9  # relative; far above the rounding of the few float64 operations between


def can_contest(pi: Predictions, metric: Metric, weights: Weights) -> bool:
    """Tell whether the shortcut applies and pays."""
    return (
        isinstance(metric, MomentMetric)
        and metric.mean_of_cases
        and not metric.whole
        and weights.integral
        and pi.n_repeats == 1
        and bool(pi.complete.all())
        and bool(pi.tested(0).all())
        and float(weights.values.size) * pi.n_configs >= WORTH
    )


def contest(pi: Predictions, metric: Metric, weights: Weights) -> NDArray[np.intp] | None:
    """Return the pooled winner of every resample (B,), None where too many stay in doubt."""
    assert isinstance(metric, MomentMetric)
    largest = _largest(pi, metric)  # (C,)
    parts = [
        _contest(pi, metric, weights.values[top : top + RESAMPLES], largest)
        for top in range(0, len(weights), RESAMPLES)
    ]
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _contest(
    pi: Predictions, metric: MomentMetric, weights: NDArray[Any], largest: NDArray[np.float64]
) -> NDArray[np.intp] | None:
    gains, error = _rough(pi, metric, weights, largest)
    floor = (gains - error).max(axis=1, keepdims=True)
    doubt = gains + error >= floor  # (B, C)
    if not np.isfinite(floor).all() or doubt.sum() > MOST_IN_DOUBT * len(weights):
        return None
    exact = np.full(gains.shape, -np.inf)
    columns = np.flatnonzero(doubt.any(axis=0))
    for start in range(0, len(columns), COLUMNS):
        some = columns[start : start + COLUMNS]
        losses = _losses(pi, metric, slice(0, pi.n_cases), some)  # (n, c)
        for place, column in enumerate(some):
            rows = np.flatnonzero(doubt[:, column])
            exact[rows, column] = _mean(weights[rows], losses[:, place])
    return first_best(exact if metric.greater_is_better else _negated(exact))


def _rough(
    pi: Predictions, metric: MomentMetric, weights: NDArray[Any], largest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return gains (B, C) from rounded losses, and how far each may be off (C,)."""
    blocks = [slice(s, min(s + ROWS, pi.n_cases)) for s in range(0, pi.n_cases, ROWS)]
    heaviest = max(int(weights[:, b].sum(axis=1, dtype=np.int64).max()) for b in blocks)
    factor = np.floor((EXACT - 1) / max(1, heaviest)) / largest  # steps a unit of loss
    everything = np.arange(pi.n_configs)
    sums = np.zeros((len(weights), pi.n_configs))
    for block in blocks:
        steps = _losses(pi, metric, block, everything)
        steps = np.multiply(steps, factor, out=steps if steps.flags.writeable else None)
        whole = np.rint(steps, out=steps).astype(np.float32)
        sums += weights[:, block].astype(np.float32) @ whole
    total = weights.sum(axis=1, dtype=np.float64)[:, None]
    gains = metric.sign * sums / (total * factor)
    return gains, 0.5 / factor * (1 + SLACK) + SLACK * largest


def _losses(
    pi: Predictions, metric: MomentMetric, rows: slice, columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return a case's own number for every column: (n', c)."""
    whole = len(columns) == pi.n_configs
    raw = pi.responses[rows, :, 0] if whole else pi.responses[rows][:, columns, 0]
    target = pi.target.take(np.arange(rows.start, rows.stop))
    return np.asarray(metric.features(target, respond(pi, metric.needs, raw), None).own[0])


def _largest(pi: Predictions, metric: MomentMetric) -> NDArray[np.float64]:
    """Return the largest absolute number of each column (C,), 1 where it is 0."""
    if np.isfinite(metric.limits).all():
        return np.full(pi.n_configs, float(np.abs(metric.limits).max()))
    most = np.zeros(pi.n_configs)
    for start in range(0, pi.n_cases, ROWS):
        block = slice(start, min(start + ROWS, pi.n_cases))
        losses = _losses(pi, metric, block, np.arange(pi.n_configs))
        most = np.maximum(most, np.abs(losses).max(axis=0))
    return np.where(most > 0, most, 1.0)


def _mean(weights: NDArray[Any], losses: NDArray[np.float64]) -> NDArray[np.float64]:
    own = weights.astype(np.float64)
    return np.asarray(own @ losses / own.sum(axis=1))


def _negated(exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return gains of losses, the ones never in doubt staying out."""
    return np.where(np.isneginf(exact), exact, -exact)
