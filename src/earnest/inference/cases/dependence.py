"""How much the losses of cases in time order depend on each other, and how long blocks must be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.order import Dependence
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.inference.cases.case_values import score_terms
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric

FEWEST_TIMES = 12  # under which nothing is known of dependence
RIVALS = 16  # of the best configurations, whose losses are read beside those of the winner
LONGER = 2.0  # times as long as those drawn are the blocks whose sums give the variance
DEGREES = 1.5  # degrees of freedom that a block of overlapping ones adds to its variance
STEADIEST = 0.98  # the largest sum of coefficients of an autoregression

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Autocovariances:
    """The autocovariances of a series, from that of lag 0 on, and its length.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.dependence import Autocovariances
    >>> Autocovariances.of(np.array([1.0, -1.0, 1.0, -1.0])).values[:2]
    array([ 1.  , -0.75])
    """

    values: Array
    n: int

    @classmethod
    def of(cls, series: Array) -> Autocovariances:
        """Return all that the rules below look at."""
        n, centred = len(series), series - series.mean()
        most = min(n - 1, math.ceil(math.sqrt(n)) + 2 * _count_quiet(n))
        most = max(most, min(n - 1, int(10 * math.log10(n)) + 1))
        power = np.fft.rfft(centred, 2 * n)
        values = np.fft.irfft(power * power.conj(), 2 * n)[: most + 1] / n
        return cls(np.asarray(values), n)

    @property
    def first(self) -> float:
        """The correlation of neighbours, 0 of a constant series."""
        return float(self.values[1] / self.values[0]) if self.values[0] > 0.0 else 0.0


def _count_quiet(n: int) -> int:
    """Return how many small autocorrelations in a row end what is counted."""
    return max(5, math.ceil(math.sqrt(math.log10(n))))


def find_block_length(covariances: Autocovariances, *, circular: bool = True) -> float:
    """Return the best block length for the variance of a mean, by the rule of Politis and White.

    Politis and White 2004 with the correction of Patton, Politis and White 2009: autocovariances up
    to twice the lag after which all are small, under a flat-top window. For blocks of a fixed
    length, or for the stationary bootstrap.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.dependence import Autocovariances, find_block_length
    >>> noise = np.random.default_rng(0).standard_normal(400)
    >>> walk = np.convolve(noise, np.ones(8), "valid")
    >>> round(find_block_length(Autocovariances.of(walk)))
    13
    """
    values, n = covariances.values, covariances.n
    if not values[0] > 0.0:
        return 1.0
    quiet = _count_quiet(n)
    most = math.ceil(math.sqrt(n)) + quiet
    small = np.abs(values / values[0]) < 2.0 * math.sqrt(math.log10(n) / n)
    ends = (lag for lag in range(most + 1) if small[lag + 1 : lag + 1 + quiet].all())
    window = min(2 * max(next(ends, most), 1), most, len(values) - 1)
    lags = np.arange(1, window + 1)
    weights = np.minimum(1.0, 2.0 * (1.0 - lags / window)) * values[1 : window + 1]
    bias = 2.0 * float((weights * lags).sum())
    spread = float(values[0]) + 2.0 * float(weights.sum())
    longest = math.ceil(min(3.0 * math.sqrt(n), n / 3.0))
    divisor = (4.0 / 3.0 if circular else 2.0) * spread**2
    if not divisor > 0.0:
        return float(longest)
    length = float((2.0 * bias**2 / divisor) ** (1 / 3) * n ** (1 / 3))
    return min(max(length, 1.0), float(longest))


def autoregressive_variance(covariances: Autocovariances) -> float:
    """Return the variance of a sum over that of its length, by an autoregression.

    The order is the best by Akaike's criterion, the sum of the coefficients is corrected for its
    bias toward 0, that of one coefficient.
    """
    values, n = covariances.values, covariances.n
    most = min(int(10 * math.log10(n)), n // 4, len(values) - 1)
    coefficients, variance = np.zeros(0), float(values[0])
    best = (n * math.log(max(variance, 1e-300)), coefficients, variance)
    for order in range(1, most + 1):
        if not variance > 0.0:
            break
        reflection = float(values[order] - coefficients @ values[order - 1 : 0 : -1]) / variance
        coefficients = np.append(coefficients - reflection * coefficients[::-1], reflection)
        variance *= 1.0 - reflection**2
        criterion = n * math.log(max(variance, 1e-300)) + 2 * order
        if criterion < best[0]:
            best = criterion, coefficients, variance
    _, coefficients, variance = best
    if not len(coefficients):
        return variance
    total = float(coefficients.sum())
    total = min(total + (1.0 + 3.0 * max(total, 0.0)) / n, STEADIEST)
    return float(variance * n / (n - len(coefficients) - 1) / (1.0 - total) ** 2)


def block_variance(series: Array, length: int) -> float:
    """Return the variance of a sum over that of its length, from all circular blocks."""
    n, centred = len(series), series - series.mean()
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([centred, centred[:length]]))])
    blocks = n / length
    variance = float(np.square(sums[length : length + n] - sums[:n]).mean()) / length
    return variance * blocks / (blocks - 1.0)


def long_run_variance(series: Array, covariances: Autocovariances, length: int) -> float:
    """Return the larger one of the variances by blocks and by an autoregression.

    The first misses what goes on beyond a block, the second what no autoregression of its order
    shows.
    """
    by_blocks = block_variance(series, length) if length > 1 else float(covariances.values[0])
    return max(by_blocks, autoregressive_variance(covariances))


def measure_dependence(order: NDArray[np.int64], losses: Array) -> Dependence | None:
    """Return how much losses (n, W) of the winner, in column 0, and its rivals depend on time.

    The block length is that of the winner; the inflation is the median of all.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.dependence import measure_dependence
    >>> noise = np.random.default_rng(0).standard_normal((400, 1))
    >>> measure_dependence(np.arange(400), noise).block_length
    1
    """
    times = int(order.max()) + 1 if len(order) else 0
    if times < FEWEST_TIMES or not np.isfinite(losses).all():
        return None
    centred = losses - losses.mean(axis=0)
    alone = np.square(centred).sum(axis=0)  # of a sum, were cases independent
    moving = np.flatnonzero(alone > 0.0)
    if not len(moving) or moving[0] != 0:
        return None
    ratios = []
    for column in moving:
        series = np.bincount(order, weights=centred[:, column], minlength=times).astype(np.float64)
        covariances = Autocovariances.of(series)
        best = find_block_length(covariances)
        length = int(min(max(round(LONGER * best), 1), max(1, times // 5)))
        if column == 0:
            drawn, first, longer = best, covariances.first, length
        ratios.append(times * long_run_variance(series, covariances, length) / alone[column])
    degrees = DEGREES * times / longer - 1.0 if longer > 1 else times - 1.0
    return Dependence(
        block_length=int(min(max(round(drawn), 1), max(1, times // 3))),
        inflation=max(1.0, float(np.median(ratios))),
        first=first,
        n_times=times,
        df=max(1, int(degrees)),
    )


def with_dependence(pi: Predictions, metric: Metric) -> Predictions:
    """Return usable predictions that know how their losses depend on time; others as they are.

    The losses are what each case adds to the score of the best configuration and of the next ones.
    A metric that does not say it is read by the errors of the predictions. What a case adds to R²
    is an error and an outcome, which may hide how much errors depend on each other: the stronger
    dependence of both counts.
    """
    if not pi.target.in_blocks or pi.target.dependence is not None:
        return pi
    order = pi.target.order
    assert order is not None
    best = _find_best(pi, metric)
    some = pi.select(best)
    scored = score_terms(some, metric)
    losses = _find_errors(some) if scored is None else scored[1]
    measured = [None if losses is None else measure_dependence(order, losses)]
    if scored is not None and is_unexplained(metric):
        errors = _find_errors(some)
        measured += [] if errors is None else [measure_dependence(order, errors)]
    defined = [each for each in measured if each is not None]
    dependence = max(defined, key=lambda each: each.inflation, default=None)
    return replace(pi, target=replace(pi.target, dependence=dependence), others=())


def is_unexplained(metric: Metric) -> bool:
    """Tell whether a metric is 1 less a ratio of losses, as R² is."""
    return metric.greater_is_better and metric.limits == (-np.inf, 1.0)


def with_dependent_gaps(pi: Predictions, metric: Metric) -> Predictions:
    """Return usable predictions that know how differences of losses depend on time.

    They are those between the best configuration and the next ones.
    """
    order = pi.target.order
    if not pi.target.in_blocks or order is None or pi.n_configs < 2:
        return pi
    some = pi.select(_find_best(pi, metric))
    scored = score_terms(some, metric)
    losses = _find_errors(some) if scored is None else scored[1]
    if losses is None:
        return pi
    dependence = measure_dependence(order, losses[:, 1:] - losses[:, :1])
    return replace(pi, target=replace(pi.target, dependence=dependence))


def spread_by_dependence(pi: Predictions, metric: Metric, table: Array) -> Array:
    """Return scores (B, C) of resamples of blocks, spread as the dependence of losses says.

    Blocks miss what goes on beyond them. Scores of independent cases stay as they are.
    """
    dependence = pi.target.dependence
    if dependence is None:
        return table
    best = _find_best(pi, metric)
    scored = score_terms(pi.select(best), metric)
    if scored is None:
        return table
    terms = scored[1]
    alone = np.square(terms - terms.mean(axis=0)).sum(axis=0) / len(terms) ** 2
    drawn = np.nanvar(table[:, best], axis=0)
    ratios = dependence.inflation * alone[drawn > 0.0] / drawn[drawn > 0.0]
    factor = math.sqrt(max(1.0, float(np.median(ratios)))) if len(ratios) else 1.0
    centre = np.nanmean(table, axis=0)
    return np.asarray(np.clip(centre + factor * (table - centre), *metric.limits))


def _find_best(pi: Predictions, metric: Metric) -> list[int]:
    """Return the configurations with the best scores, the best one first."""
    if pi.n_configs == 1:
        return [0]
    scores = score_table(pi, metric, Weights.ones(pi.n_cases))[0]
    sign = metric.sign if metric.ideal is None else 1.0
    rank = np.argsort(np.nan_to_num(-sign * scores, nan=np.inf), kind="stable")
    return [int(column) for column in rank[:RIVALS]]


def _find_errors(pi: Predictions) -> Array | None:
    """Return how wrong each prediction is: (n, C); None where that needs more than it."""
    target = pi.target
    if target.task in (Task.SURVIVAL, Task.SCORES):
        return None
    if pi.responses.ndim == 4:
        chance = np.take_along_axis(pi.responses, target.y[:, None, None, None], axis=3)[..., 0]
        return np.asarray(1.0 - np.nanmean(chance, axis=2))
    y = target.y[:, None, None]
    if str(pi.kind) == "label":
        return np.asarray(np.nanmean(pi.responses != y, axis=2), dtype=np.float64)
    return np.asarray(np.nanmean(np.square(pi.responses - y), axis=2))
