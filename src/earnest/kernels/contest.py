"""Who wins, without every score in full precision.

For a mean over cases one product in float32 finds the winner of every resample: losses
are rounded to whole numbers small enough that float32 sums of them are exact, so the error of each
mean is bounded by half a step. Only the configurations that this bound leaves in doubt are summed
in float64, about one per resample. The winners are those of the full table, and the rough one is
good enough for the correlations of scores, where these vary much more than they are rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
USUAL_MASS = 8.0  # standard deviations above the mean, which the cases of no block exceed by chance
VISIBLE = 100.0  # times the noise of rounding; a score that varies less is not known well enough


@dataclass(frozen=True, eq=False)
class RoughScores:
    """Scores (b, C) from rounded losses, whatever resamples they were computed with.

    `least_spread` (C,) is the standard deviation over resamples from which rounding does not show.
    """

    values: NDArray[np.float64]
    least_spread: NDArray[np.float64]


def can_contest(pi: Predictions, metric: Metric, weights: Weights) -> bool:
    """Tell whether the shortcut applies and pays."""
    return (
        isinstance(metric, MomentMetric)
        and metric.mean_of_cases
        and not metric.whole
        and weights.integral
        and weights.scale(pi.target.masses) is None
        and pi.n_repeats == 1
        and bool(pi.complete.all())
        and bool(pi.tested(0).all())
        and float(weights.values.size) * pi.n_configs >= WORTH
    )


def contest(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    *,
    n_jobs: int | None = None,
    keep: Callable[[RoughScores | None], None] | None = None,
) -> NDArray[np.intp] | None:
    """Return the pooled winner of every resample (B,), None where too many stay in doubt.

    `keep` gets the rough scores of resamples whose winners are known, None where they depend on
    which resamples are scored together.
    """
    assert isinstance(metric, MomentMetric)
    largest = _find_largest(pi, metric)  # (C,)
    winners, tables = [], []
    for top in range(0, len(weights), RESAMPLES):
        some = weights.values[top : top + RESAMPLES]
        rough, error = _score_roughly(pi, metric, some, largest, workers(n_jobs))
        best = _find_winners(pi, metric, some, metric.sign * rough.values, error)
        if best is None:
            return None
        winners.append(best)
        tables.append(rough if np.isfinite(rough.least_spread).all() else None)
    if keep is not None:
        for table in tables:
            keep(table)
    return np.concatenate(winners)


def _find_winners(
    pi: Predictions,
    metric: MomentMetric,
    weights: Numbers,
    gains: NDArray[np.float64],
    error: NDArray[np.float64],
) -> NDArray[np.intp] | None:
    """Return the winners by gains (B, C), of which those of a column may be off by its error."""
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
) -> tuple[RoughScores, NDArray[np.float64]]:
    """Return scores from rounded losses, and how far each may be off (C,).

    Each block of cases has steps as fine as the heaviest resample allows that there ever is; where
    one is heavier, all scores depend on it, and the least spread is infinite.
    """
    scratch = Scratch()
    sums = np.zeros((len(weights), pi.n_configs))
    total = np.zeros(len(weights))
    coarsest, usual = np.zeros(pi.n_configs), pi.target.groups is None
    for start in range(0, pi.n_cases, ROWS):
        block = slice(start, min(start + ROWS, pi.n_cases))
        heavy = scratch.copy("weights", weights[:, block], np.float32)
        mass = heavy @ np.ones(heavy.shape[1], dtype=np.float32)  # exact: whole numbers
        cases, heaviest = heavy.shape[1], float(mass.max())
        most = np.ceil(cases + USUAL_MASS * (np.sqrt(cases) + 1.0))
        usual = usual and heaviest <= most
        step = largest / np.floor((EXACT - 1) / max(most, heaviest))
        whole = scratch.empty("losses", (heavy.shape[1], pi.n_configs), np.float32)
        _round(pi, metric, block, 1.0 / step, whole, jobs)
        product = scratch.empty("product", sums.shape, np.float32)
        np.matmul(heavy, whole, out=product)
        sums += np.multiply(product, step.astype(np.float32), out=product)
        total += mass
        coarsest = np.maximum(coarsest, step)
    sums /= total[:, None]
    noise = HALF_A_STEP * coarsest / np.sqrt(pi.n_cases)  # of a mean of rounded numbers
    least_spread = VISIBLE * noise if usual else np.full(pi.n_configs, np.inf)
    return RoughScores(sums, least_spread), HALF_A_STEP * coarsest + SLACK * largest


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
