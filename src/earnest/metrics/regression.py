"""Metrics of regression: sums over cases, and two that need an order.

R², explained variance and Pearson's r are undefined (NaN) where the outcome is constant. They are
summed about a common centre, so that few digits are lost.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target
from earnest.core.results.readings import Reading
from earnest.metrics.families import (
    EPS,
    REGRESSION,
    Array,
    MomentMetric,
    Moments,
    Need,
    RankMetric,
    Squares,
    mean,
    one_per_case,
    outcome_view,
    ratio,
    register,
    root_mean,
    sum_squared_deviations,
)
from earnest.metrics.ranking import find_tie_groups, weighted_quantile
from earnest.metrics.resolve import name_with_knobs, register_factory


def subtract_predictions(target: Target, value: Numbers) -> Array:
    """Return y minus the prediction: (n, C)."""
    return np.asarray(target.y[:, None] - value.astype(np.float64))


def squared_errors(target: Target, value: Numbers, centre: object) -> Moments:
    """Return (y - p)²."""
    return one_per_case(target, np.square(subtract_predictions(target, value)))


def absolute_errors(target: Target, value: Numbers, centre: object) -> Moments:
    """Return |y - p|."""
    return one_per_case(target, np.abs(subtract_predictions(target, value)))


def percentage_errors(target: Target, value: Numbers, centre: object) -> Moments:
    """Return |y - p| / |y|, as a fraction."""
    size = np.maximum(np.abs(target.y), EPS)[:, None]
    return one_per_case(target, np.abs(subtract_predictions(target, value)) / size)


def middles(target: Target, value: Numbers) -> tuple[float, Array]:
    """Return a middle of y, and of the predictions of each configuration: the common centre.

    Medians, because one far case that a resample leaves out must not cost the others their digits;
    of some thousand cases, because any number near them will do.
    """
    rows = slice(None, None, max(1, target.n // 1001))
    return float(np.median(target.y[rows])), np.median(value[rows].astype(np.float64), axis=0)


def squared_errors_and_outcome(
    target: Target, value: Numbers, centre: tuple[float, Array]
) -> Moments:
    """Return (y - p)²; shared: 1, y and y² about the centre."""
    return Moments(
        np.square(subtract_predictions(target, value))[None], _make_powers(target, centre[0])
    )


def residuals_and_outcome(target: Target, value: Numbers, centre: tuple[float, Array]) -> Moments:
    """Return y - p and its square about the centre; shared: 1, y and y² about the centre."""
    error = subtract_predictions(target, value) - (centre[0] - centre[1])
    return Moments(np.stack([error, np.square(error)]), _make_powers(target, centre[0]))


def products(target: Target, value: Numbers, centre: tuple[float, Array]) -> Moments:
    """Return p, p² and p y about the centre; shared: 1, y and y² about the centre."""
    centred = value.astype(np.float64) - centre[1]
    shared = _make_powers(target, centre[0])
    return Moments(np.stack([centred, np.square(centred), centred * shared[1][:, None]]), shared)


def _make_powers(target: Target, centre: float) -> Array:
    outcome = target.y - centre
    return np.stack([np.ones(target.n), outcome, np.square(outcome)])


def explained(sums: Array, shared: Array) -> Array:
    """Return R² = 1 - sum of squared errors / sum of squares of y about its mean."""
    return 1.0 - ratio(sums[0], sum_squared_deviations(*shared))


def explained_variance_of(sums: Array, shared: Array) -> Array:
    """Return 1 - variance of the residuals / variance of y."""
    return 1.0 - ratio(sum_squared_deviations(shared[0], *sums), sum_squared_deviations(*shared))


def correlation(sums: Array, shared: Array) -> Array:
    """Return Pearson's r."""
    first, second, product = sums
    total, outcome, _ = shared
    together = product - ratio(first * outcome, total)
    apart = np.sqrt(sum_squared_deviations(total, first, second)) * np.sqrt(
        sum_squared_deviations(*shared)
    )
    return np.clip(ratio(together, apart), -1.0, 1.0)


_of_values = partial(MomentMetric, needs=Need.VALUE, tasks=REGRESSION)
_score = partial(_of_values, greater_is_better=True, limits=(-np.inf, 1.0), centre=middles)
_error = partial(_of_values, greater_is_better=False, limits=(0.0, np.inf))
_mean_error = partial(_error, combine=mean, mean_of_cases=True)
_of_order = partial(RankMetric, needs=Need.VALUE, tasks=REGRESSION, views=outcome_view)

r2 = register(
    _score(
        name="r2",
        title="R²",
        reading=Reading.EXPLAINED,
        aliases=("r2_score", "r_squared", "rsq"),
        features=squared_errors_and_outcome,
        combine=explained,
        squares=(Squares.ERRORS, Squares.OUTCOME),
    )
)
explained_variance = register(
    _score(
        name="explained_variance",
        title="explained variance",
        aliases=("explained_variance_score",),
        features=residuals_and_outcome,
        combine=explained_variance_of,
        squares=(Squares.ERRORS, Squares.OUTCOME),
    )
)
pearson = register(
    _score(
        name="pearson",
        title="Pearson correlation",
        aliases=("pearsonr",),
        limits=(-1.0, 1.0),
        features=products,
        combine=correlation,
    )
)
mse = register(
    _mean_error(
        name="mse",
        title="mean squared error",
        aliases=("mean_squared_error", "neg_mean_squared_error"),
        features=squared_errors,
        squares=(Squares.ERRORS,),
    )
)
rmse = register(
    _error(
        name="rmse",
        title="root mean squared error",
        reading=Reading.ABOVE_MEAN_ERROR,
        aliases=("root_mean_squared_error", "neg_root_mean_squared_error"),
        features=squared_errors,
        combine=root_mean,
        squares=(Squares.ERRORS,),
    )
)
mae = register(
    _mean_error(
        name="mae",
        title="mean absolute error",
        reading=Reading.MEAN_ERROR,
        aliases=("mean_absolute_error", "neg_mean_absolute_error"),
        features=absolute_errors,
    )
)
mape = register(
    _mean_error(
        name="mape",
        title="mean absolute percentage error",
        reading=Reading.RELATIVE_ERROR,
        aliases=("mean_absolute_percentage_error", "neg_mean_absolute_percentage_error"),
        features=percentage_errors,
    )
)


def pinball_losses(target: Target, value: Numbers, centre: object, *, level: float) -> Moments:
    """Return level (y - p) where y is above, (1 - level) (p - y) where it is below."""
    error = subtract_predictions(target, value)
    return one_per_case(target, np.maximum(level * error, (level - 1.0) * error))


@register_factory
def pinball(level: float = 0.5) -> MomentMetric:
    """Make the mean pinball loss of a quantile forecast, whose least mean is that of the quantile.

    Parameters
    ----------
    level : float
        The quantile that is predicted.

    Examples
    --------
    >>> from earnest.metrics.regression import pinball
    >>> pinball(level=0.9).name
    'pinball(level=0.9)'
    """
    level = check.check_share("level", level)
    return _mean_error(
        name=name_with_knobs("pinball", {"level": level}, {"level": 0.5}),
        title="mean pinball loss" if level == 0.5 else f"mean pinball loss at {level:g}",
        aliases=("mean_pinball_loss", "quantile_loss") if level == 0.5 else (),
        features=partial(pinball_losses, level=level),
        knobs={"level": level},
    )


def weighted_ranks(values: Numbers, weights: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the mean rank (B, n) of every case, and whether a resample has two values (B,).

    Ranks are the weight below plus half the weight alike, which is the mean rank of repeated rows
    minus one half.
    """
    order, starts = find_tie_groups(values)
    masses = np.add.reduceat(np.take(weights, order, axis=1), starts, axis=1)  # (B, G)
    middle = np.cumsum(masses, axis=1) - 0.5 * masses
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    return np.take(middle, group, axis=1), (masses > 0).sum(axis=1) > 1


def spearman_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return Pearson's correlation of the mean ranks, NaN where one of them is constant."""
    heavy = weights.astype(np.float64)
    first, first_varies = weighted_ranks(score, heavy)
    second, second_varies = weighted_ranks(truth, heavy)
    total = heavy.sum(axis=1, keepdims=True)
    first -= ratio((heavy * first).sum(axis=1, keepdims=True), total)
    second -= ratio((heavy * second).sum(axis=1, keepdims=True), total)
    together = (heavy * first * second).sum(axis=1)
    apart = np.sqrt((heavy * first**2).sum(axis=1) * (heavy * second**2).sum(axis=1))
    value = np.clip(ratio(together, apart), -1.0, 1.0)
    return np.where(first_varies & second_varies, value, np.nan)


def median_error_scan(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the weighted median of |y - p|; the mean of two where half the weight lies between."""
    return weighted_quantile(np.abs(truth - score.astype(np.float64)), weights, 0.5)


spearman = register(
    _of_order(
        name="spearman",
        title="Spearman correlation",
        greater_is_better=True,
        limits=(-1.0, 1.0),
        aliases=("spearmanr",),
        scan=spearman_scan,
    )
)

median_absolute_error = register(
    _of_order(
        name="median_absolute_error",
        title="median absolute error",
        reading=Reading.MIDDLE_ERROR,
        greater_is_better=False,
        limits=(0.0, np.inf),
        aliases=("neg_median_absolute_error", "medae"),
        scan=median_error_scan,
    )
)
