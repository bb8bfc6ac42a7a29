"""Who wins, without every score in full precision.

For a mean over cases one product in float32 finds the winner of every resample: losses
are rounded to whole numbers small enough that float32 sums of them are exact, so the error of each
mean is bounded by half a step. Only the configurations that this bound leaves in doubt are summed
in float64, about one per resample. The winners are those of the full table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.sums import weighted_sums
from earnest.core.base.threads import each, workers
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import first_best, in_units_of_the_best
from earnest.core.data.weights import Weights
from earnest.kernels.dense import EXACT, RESAMPLES, Scratch, bound_of
from earnest.metrics.families import Metric, MomentMetric
from earnest.metrics.responding import respond

ROWS = 2048  # cases a product: more of them leave coarser steps, and more in doubt
IN_CACHE = 1 << 17  # losses that are still in the cache when they are rounded
COLUMNS = 16  # columns summed in float64 at a time
WORTH = 1e8  # (case, configuration, resample) updates from which it pays
MOST_IN_DOUBT = 16  # configurations per resample beyond which the full table is cheaper
HALF_A_STEP = 0.501  # numbers below 2**13 are rounded to float32, off by 2**-11, then to a whole
SLACK = 1e-6  # relative; above the float32 rounding of a step and of its product


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


def contest(
    pi: Predictions, metric: Metric, weights: Weights, *, n_jobs: int | None = None
) -> NDArray[np.intp] | None:
    """Return the pooled winner of every resample (B,), None where too many stay in doubt."""
    assert isinstance(metric, MomentMetric)
    largest = _find_largest(pi, metric)  # (C,)
    parts = [
        _find_winners(pi, metric, weights.values[top : top + RESAMPLES], largest, workers(n_jobs))
        for top in range(0, len(weights), RESAMPLES)
    ]
    blocks = [block for block in parts if block is not None]
    return np.concatenate(blocks) if len(blocks) == len(parts) else None


def _find_winners(
    pi: Predictions,
    metric: MomentMetric,
    weights: Numbers,
    largest: NDArray[np.float64],
    jobs: int,
) -> NDArray[np.intp] | None:
    gains, error = _score_roughly(pi, metric, weights, largest, jobs)
    floor = (gains - error).max(axis=1, keepdims=True)
    doubt = gains + error >= floor  # (B, C)
    open_rows = np.flatnonzero(doubt.sum(axis=1) > 1)
    if not np.isfinite(floor).all() or doubt[open_rows].sum() > MOST_IN_DOUBT * len(weights):
        return None
    best = np.asarray(np.argmax(doubt, axis=1))
    if len(open_rows):
        best[open_rows] = _settle(pi, metric, weights[open_rows], doubt[open_rows])
    return best


def _settle(
    pi: Predictions, metric: MomentMetric, weights: Numbers, doubt: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return the winners (b,) among the configurations in doubt (b, C), by float64 sums."""
    gains = np.full(doubt.shape, -np.inf)
    columns = np.flatnonzero(doubt.any(axis=0))
    for start in range(0, len(columns), COLUMNS):
        some = columns[start : start + COLUMNS]
        losses = _find_losses(pi, metric, slice(0, pi.n_cases), some)  # (n, c)
        for position, column in enumerate(some):
            rows = np.flatnonzero(doubt[:, column])
            sums = weighted_sums(weights[rows], losses[:, [position]], bound_of(metric))[:, 0]
            gains[rows, column] = metric.sign * sums / weights[rows].sum(axis=1, dtype=np.float64)
    return first_best(gains if metric.has_unit else in_units_of_the_best(gains[None])[0])


def _score_roughly(
    pi: Predictions,
    metric: MomentMetric,
    weights: Numbers,
    largest: NDArray[np.float64],
    jobs: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return gains (B, C) from rounded losses, and how far each may be off (C,).

    Each block of cases has steps as fine as its heaviest resample allows.
    """
    scratch = Scratch()
    sums = np.zeros((len(weights), pi.n_configs))
    total = np.zeros(len(weights))
    coarsest = np.zeros(pi.n_configs)
    for start in range(0, pi.n_cases, ROWS):
        block = slice(start, min(start + ROWS, pi.n_cases))
        heavy = scratch.copy("weights", weights[:, block], np.float32)
        mass = heavy @ np.ones(heavy.shape[1], dtype=np.float32)  # exact: whole numbers
        step = largest / np.floor((EXACT - 1) / max(1.0, float(mass.max())))
        whole = scratch.empty("losses", (heavy.shape[1], pi.n_configs), np.float32)
        _round(pi, metric, block, 1.0 / step, whole, jobs)
        product = scratch.empty("product", sums.shape, np.float32)
        np.matmul(heavy, whole, out=product)
        sums += np.multiply(product, step.astype(np.float32), out=product)
        total += mass
        coarsest = np.maximum(coarsest, step)
    gains = metric.sign * sums / total[:, None]
    return gains, HALF_A_STEP * coarsest + SLACK * largest


def _round(
    pi: Predictions,
    metric: MomentMetric,
    block: slice,
    factor: NDArray[np.float64],
    out: NDArray[np.float32],
    jobs: int,
) -> None:
    """Write the losses of a block of cases as whole numbers of steps into (rows, C)."""
    everything = np.arange(pi.n_configs)
    step = max(1, IN_CACHE // pi.n_configs)

    def fill(start: int) -> None:
        rows = slice(start, min(start + step, block.stop))
        target_rows = out[rows.start - block.start : rows.stop - block.start]
        losses = _find_losses(pi, metric, rows, everything)
        np.rint(np.multiply(losses, factor, out=target_rows, casting="same_kind"), out=target_rows)

    each(fill, range(block.start, block.stop, step), jobs)


def _find_losses(
    pi: Predictions, metric: MomentMetric, rows: slice, columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return a case's own number for every column: (n', c)."""
    whole = len(columns) == pi.n_configs
    raw = pi.responses[rows, :, 0] if whole else pi.responses[rows][:, columns, 0]
    target = pi.target.take(np.arange(rows.start, rows.stop))
    return np.asarray(metric.features(target, respond(pi, metric.needs, raw), None).own[0])


def _find_largest(pi: Predictions, metric: MomentMetric) -> NDArray[np.float64]:
    """Return the largest absolute number of each column (C,), 1 where it is 0."""
    bound = bound_of(metric)
    if bound is not None:
        return np.full(pi.n_configs, bound)
    most = np.zeros(pi.n_configs)
    for start in range(0, pi.n_cases, ROWS):
        block = slice(start, min(start + ROWS, pi.n_cases))
        losses = _find_losses(pi, metric, block, np.arange(pi.n_configs))
        most = np.maximum(most, np.abs(losses).max(axis=0))
    return np.where(most > 0, most, 1.0)
