"""Bootstrap tilting: how far cases must be reweighted until the estimate would be a surprise.

A tilt gives case i the weight exp(tau * l_i), where l_i is its influence on the estimate. A
resample is then worth w_r(tau) = prod_i (n p_i)^F_ri = exp(tau * sum_i F_ri l_i - n A(tau)), with
A(tau) the logarithm of the mean of exp(tau * l_i): one number a resample, so that all tilts of all
resamples are one outer product, and no resample is drawn again for a tilt.

Rink and Brannath 2022; Paraschakis et al. 2024, the rivals BT and MABT.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Seeds
from earnest.core.base.sums import weighted_sums
from earnest.core.data.weights import Weights
from earnest.core.results.interval import TailCurve, TiltedLimits, best_of
from earnest.inference.cases.fold_variance import ROUNDING
from earnest.inference.resampling.resampled import UndefinedRule, in_bag_rule, resample_statistic
from earnest.inference.resampling.split_selection import Choice
from earnest.inference.resampling.tiltable import (
    case_influence,
    fallback_limits,
    list_drawn_units,
    within_classes,
)
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import Resampler

REACH = 8.0  # of the strongest tilt, in standard deviations of the linearised estimate
STEPS = 96  # tilts of an end; between two of them limits are interpolated
CELLS = 1 << 20  # weights held at a time
DIGITS = 9  # of a standardised value: what differs by less is tied

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TiltProblem:
    """All that tilts are computed from, greater being better.

    Parameters
    ----------
    gains : ndarray, shape (R, m)
        The resampled scores, the chosen configuration's first, standardised: (t - t0) / sd.
    sums : ndarray, shape (R,)
        The influence summed over a resample.
    influence : ndarray, shape (U,)
        The influence of each unit that is drawn.
    units : ndarray of int, shape (n,)
        The unit of each case.
    """

    gains: Array
    sums: Array
    influence: Array
    units: NDArray[np.intp]

    @property
    def flat(self) -> bool:
        """Whether resamples do not differ but by rounding, so that no tilt changes anything."""
        least = ROUNDING * np.abs(self.influence).sum()
        return bool(np.ptp(self.sums) <= least or np.ptp(self.gains[:, 0]) == 0)


def tilt_limits(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    n_resamples: int,
    seeds: Seeds,
    *,
    corrected: bool = False,
    n_jobs: int | None = None,
) -> TiltedLimits:
    """Return tilted limits for the chosen configuration.

    With `corrected` the bad end takes the choice among the candidates into account (MABT).
    """
    influence = case_influence(choice, metric, resampler)
    draws, sums = _draw(choice, metric, resampler, n_resamples, seeds, influence, n_jobs)
    tilting = _standardise(choice, metric, resampler, draws, sums, influence)
    fallback, words = fallback_limits(choice, metric, resampler)
    if corrected and len(choice.candidates) > 1:
        fallback = best_of(fallback, len(choice.candidates), metric.greater_is_better)
        words += f" at Sidak's level for {len(choice.candidates)} candidates"
    kept = draws[:, 0]
    if tilting.flat:
        none = TailCurve(np.array([1.0]), np.array([choice.value]), np.array([float(len(kept))]))
        return TiltedLimits(none, none, fallback, words, kept)
    bad, good = (
        _curve(choice, metric, tilting, direction, corrected and direction < 0)
        for direction in (-1.0, 1.0)
    )
    low, high = (bad, good) if metric.greater_is_better else (good, bad)
    return TiltedLimits(low, high, fallback, words, kept)


def _draw(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    n_resamples: int,
    seeds: Seeds,
    influence: Array,
    n_jobs: int | None,
) -> tuple[Array, Array]:
    """Return resampled scores of the candidates (R, m) and summed influences (R,)."""
    target = choice.part.target
    some = choice.part.select([int(c) for c in choice.candidates])
    by_class = within_classes(resampler, target)

    def scores(weights: Weights) -> Array:
        table = score_table(some, metric, weights, n_jobs=n_jobs)
        return np.column_stack([table, weighted_sums(weights.values, influence[:, None])])

    made = resample_statistic(
        scores,
        target,
        resampler,
        n_resamples,
        seeds,
        accept=None if by_class else in_bag_rule(metric, target, UndefinedRule.REDRAW),
        redraw=True,
        columns=max(len(choice.candidates), target.n),  # the product takes 8 bytes a case
        n_jobs=n_jobs,
    )
    made = made[~np.isnan(made).any(axis=1)]
    draws = np.where(choice.turned, sum(metric.limits) - made[:, :-1], made[:, :-1])
    return draws, made[:, -1]


def _standardise(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    draws: Array,
    sums: Array,
    influence: Array,
) -> TiltProblem:
    units = list_drawn_units(choice.part, resampler)
    away = metric.sign * (draws - choice.values)
    spread = away.std(axis=0)
    differ = spread > ROUNDING * np.abs(draws).max(axis=0)
    gains = np.where(differ, np.round(away / np.where(differ, spread, 1.0), DIGITS), 0.0)
    return TiltProblem(gains, sums, np.bincount(units, weights=influence).astype(np.float64), units)


def _curve(
    choice: Choice, metric: Metric, tilting: TiltProblem, direction: float, corrected: bool
) -> TailCurve:
    """Return one end for every tilt in a direction: -1 for the bad end, 1 for the good one."""
    taus = direction * np.linspace(0.0, REACH, STEPS + 1) / tilting.sums.std()
    ends, levels = _tilted_values(choice, metric, tilting, taus)
    sums, top = _sum_weighted(tilting, taus, direction)
    total, beyond, tied = sums.T
    if corrected and tilting.gains.shape[1] > 1:
        tails = _tail_of_the_best(tilting.gains, 1.0 - beyond / total)
    else:
        scale = np.exp(top - len(tilting.influence) * levels)
        tails = scale * (beyond + 0.5 * tied) / len(tilting.sums)
    worse = np.minimum if direction * metric.sign < 0 else np.maximum
    return TailCurve(np.minimum.accumulate(tails), worse.accumulate(ends), _effective(total))


def _sum_weighted(tilting: TiltProblem, taus: Array, direction: float) -> tuple[Array, Array]:
    """Return sums over resamples of w, w beyond t0 and w at t0 for every tilt: (K, 3).

    Weights are relative to the greatest of a tilt, whose logarithm comes second. As the tilts are
    evenly spaced, the weights of the next one are those of this one times a constant.
    """
    gain = tilting.gains[:, 0]
    flags = np.stack([np.ones(len(gain)), direction * gain < 0, gain == 0])
    greatest = tilting.sums.max() if direction > 0 else tilting.sums.min()
    factor = np.exp(taus[1] * (tilting.sums - greatest))
    weights = np.ones(len(gain))
    out = np.empty((len(taus), 3))
    for k in range(len(taus)):
        out[k] = flags @ weights
        weights *= factor
    return out, taus * greatest


def _effective(total: Array) -> Array:
    """Return how many resamples the weights of each tilt are worth: (sum w)² / sum w².

    The square of a weight is the weight of twice the tilt. Beyond half the reach, where hardly one
    resample is left, the worth there stands for the rest.
    """
    last = (len(total) - 1) // 2
    half = total[: last + 1] ** 2 / total[: 2 * last + 1 : 2]
    return np.concatenate([half, np.full(len(total) - last - 1, half[-1])])


def _tail_of_the_best(gains: Array, reached: Array) -> Array:
    """Return how often the best rank among the candidates exceeds what the estimate reached.

    Ranks are those of the untilted resamples, ties at their greatest, over R + 1.
    """
    size = len(gains)
    ranks = [np.searchsorted(np.sort(column), column, side="right") for column in gains.T]
    limits = np.sort(np.max(ranks, axis=0)) / (size + 1)
    return 1.0 - np.searchsorted(limits, reached, side="right") / size


def _tilted_values(
    choice: Choice, metric: Metric, tilting: TiltProblem, taus: Array
) -> tuple[Array, Array]:
    """Return the metric under the weights of every tilt, and A(tau)."""
    ends, levels = np.empty(len(taus)), np.empty(len(taus))
    step = max(1, CELLS // len(tilting.units))
    for start in range(0, len(taus), step):
        block = slice(start, start + step)
        powers = np.outer(taus[block], tilting.influence)
        top = powers.max(axis=1, keepdims=True)
        raised = np.exp(powers - top)
        levels[block] = top[:, 0] + np.log(raised.mean(axis=1))
        weights = Weights(np.take(raised, tilting.units, axis=1))
        columns = np.full(len(weights), choice.chosen)
        ends[block] = score_selected(choice.part, metric, weights, columns)
    ends = sum(metric.limits) - ends if choice.turned[0] else ends
    ends[0] = choice.value
    return ends, levels
