"""The general tools for any statistic: bootstrap, jackknife, and influence function."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.results.interval import Interval, LimitSource, NormalLimits, StudentLimits
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import STEP
from earnest.inference.cases.case_values import find_influence as slopes
from earnest.inference.general.draws import (
    METHODS,
    bootstrap_remarks,
    draw_statistic,
    find_limits,
    no_spread,
    not_smooth,
    warn_of_left_out,
)
from earnest.inference.general.result import StatisticResult, ask_at, side_of
from earnest.inference.general.units import (
    Array,
    Statistic,
    Units,
    WeightedStatistic,
    refuse_function_of_data,
)

JUMP = 0.1  # of the change of a statistic may be lost to curvature before it counts as not smooth


def bootstrap(
    statistic: Statistic,
    cases: object,
    *,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    method: str = "bca",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    standard_error: Statistic | None = None,
    vectorized: bool = False,
    rng: RngLike = None,
) -> StatisticResult:
    """Estimate bias, standard error and an interval of any statistic by resampling.

    **What is estimated.** How the statistic varies from sample to sample, by how it varies over
    samples that are drawn from the cases with replacement.

    **What it assumes.** Independent cases (or `groups`), and a statistic that is a function of the
    distribution: it takes weights, and doubling all cases does not change it.

    **When it fails.** With few cases, for extremes such as a maximum, and for what is undefined in
    many resamples. The interval 'percentile' is first-order accurate and counts a bias twice;
    'basic' can leave the range of the statistic; 'bca' and 'studentised' are second-order accurate,
    the latter only with a good standard error.

    Efron 1979, 1987; Efron and Tibshirani 1993; Yousef 2022, section 2.1.

    Parameters
    ----------
    statistic : callable
        `weights -> number`. The weights (n,) are 1 for the cases as they are and always sum to n,
        within every stratum to its size.
    cases : int or data
        The number of cases, or data with one row per case (or a tuple of arrays of the same
        length), of which only the length is used.
    n_resamples : int
        The number of resamples; more of them extend fewer.
    confidence_level, side
        The level of the interval, and 'two-sided', 'lower' or 'upper'.
    method : {'bca', 'percentile', 'basic', 'studentised'}
        The kind of interval.
    strata : array-like, shape (n,), optional
        Layers within which cases are drawn, so that their sizes stay: classes, samples.
    groups : array-like, shape (n,), optional
        Units whose cases are drawn together.
    standard_error : callable, optional
        `weights -> number`, the standard error of the statistic under weights, for 'studentised';
        by default the jackknife of every resample, which calls the statistic n times per resample.
    vectorized : bool
        Whether `statistic` (and `standard_error`) takes weights (B, n) and gives (B,).
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.

    Returns
    -------
    StatisticResult
        Value, bias, standard error, interval, draws and cautions; `.at(confidence_level=...)` reads
        another level from the same draws.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> x = np.random.default_rng(0).exponential(size=50)
    >>> en.inference.bootstrap(lambda w: np.average(x, weights=w), x, rng=1)
    1.11, standard error 0.16, 95 % interval [0.88, 1.58] (bootstrap, bca, n=50)
    """
    level, end = check.check_share("confidence_level", confidence_level), side_of(side)
    count = check.whole_number("n_resamples", n_resamples, low=2)
    kind = check.one_of("method", method, METHODS)
    if standard_error is not None and kind != "studentised":
        raise InputError(
            "`standard_error` is not used by this interval",
            needs=arg("method", "studentised"),
            got=arg("method", kind),
        )
    units, seeds = Units.of(cases, strata, groups), Seeds.of(rng)
    weighted = _make_statistic(statistic, units, vectorized)
    value = weighted.at_ones()
    draws = draw_statistic(weighted, count, seeds, kind, standard_error)
    valid = draws.values[~np.isnan(draws.values)]
    if len(valid) < 2:
        raise EvidenceError(
            "the statistic is undefined on the resamples",
            needs="at least two resamples with a finite value",
            got=f"{len(valid)} of {count}",
            cure=f"Pass {arg('strata')} if every class must be drawn, or use more cases.",
        )
    source, remarks = find_limits(kind, weighted, value, draws)
    result = StatisticResult(
        value=value,
        bias=float(valid.mean() - value),
        standard_error=float(valid.std(ddof=1)),
        interval=_make_open_interval(level, str(end)),
        tool="bootstrap",
        method=kind,
        n_cases=units.n,
        n_units=units.count,
        n_resamples=count,
        n_valid=len(valid),
        seed=seeds.entropy,
        draws=draws.values,
        source=source,
        cautions=(*remarks, *bootstrap_remarks(units, valid, count)),
    )
    return ask_at(result, level, str(end))


def jackknife(
    statistic: Statistic,
    cases: object,
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    vectorized: bool = False,
) -> StatisticResult:
    """Estimate bias and standard error of any statistic by leaving out one case at a time.

    **What is estimated.** Bias as (n - 1) times the mean change, variance as (n - 1) / n times the
    sum of squared changes; over strata they add up. The interval is Student's, with as many degrees
    of freedom as units less strata, about the value as it is.

    **What it assumes.** Independent cases (or `groups`), and a smooth statistic.

    **When it fails.** For statistics that jump, such as a median; a caution warns of it if it
    shows.

    Quenouille 1949, Tukey 1958; Yousef 2022, section 2.2.

    Parameters
    ----------
    statistic, cases, confidence_level, side, strata, groups, vectorized
        As in `bootstrap`.

    Returns
    -------
    StatisticResult
        With `draws` the statistic without each unit, and `influences` (n - 1) times the changes.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> x = np.arange(1.0, 11.0)
    >>> result = en.inference.jackknife(lambda w: np.average(x, weights=w), x)
    >>> bool(np.isclose(result.standard_error, x.std(ddof=1) / np.sqrt(10)))
    True
    """
    level, end = check.check_share("confidence_level", confidence_level), side_of(side)
    units = Units.of(cases, strata, groups)
    weighted = _make_statistic(statistic, units, vectorized)
    value = weighted.at_ones()
    left = weighted.without_each(np.arange(units.count), np.ones(units.count))
    _refuse_undefined(left, "a case or group that is left out")
    parts = [(len(layer) - 1) * (left[layer].mean() - left[layer]) for layer in units.layers]
    moved = sum((len(layer) - 1) * (left[layer].mean() - value) for layer in units.layers)
    variance = sum(float((values**2).sum()) / (len(values) * (len(values) - 1)) for values in parts)
    df = units.count - len(units.layers)
    error = float(np.sqrt(variance))
    result = StatisticResult(
        value=value,
        bias=float(moved),
        standard_error=error,
        interval=_make_open_interval(level, str(end)),
        tool="jackknife",
        method="jackknife",
        n_cases=units.n,
        n_units=units.count,
        draws=left,
        influences=_restore_order(parts, units),
        source=StudentLimits(value, error, df),
        cautions=(*no_spread(error, "case that is left out"), *warn_of_left_out(left, value)),
    )
    return ask_at(result, level, str(end))


def influence(
    statistic: Statistic,
    cases: object,
    *,
    derivative: Statistic | ArrayLike | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    vectorized: bool = False,
) -> StatisticResult:
    """Estimate the standard error of any smooth statistic by its empirical influence function.

    **What is estimated.** U_i, the derivative of the statistic when a little weight moves from all
    cases to case i; the variance is sum U² / n² (the infinitesimal jackknife), over strata it adds
    up. The bias is half the sum of second derivatives over n². The interval is normal.

    **What it assumes.** Independent cases (or `groups`), and a statistic that is smooth in the
    weights and defined for weights that are not whole numbers.

    **When it fails.** With few cases the error is too small, by about 1 / (2n) for a mean. A
    statistic that jumps or bends gets a caution.

    Jaeckel 1972, Hampel 1974; Yousef 2022, section 2.4, (73) to (78).

    Parameters
    ----------
    statistic, cases, confidence_level, side, strata, groups, vectorized
        As in `bootstrap`.
    derivative : callable or array-like, shape (n,), optional
        The gradient of the statistic by the weights, at the weights that it is given (all 1), or
        its values; differences of five points by default. With it there is no bias.

    Returns
    -------
    StatisticResult
        With `influences` the U of every unit.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> x = np.arange(1.0, 11.0)
    >>> result = en.inference.influence(lambda w: np.average(x, weights=w), x)
    >>> np.allclose(result.influences, x - x.mean())
    True
    """
    level, end = check.check_share("confidence_level", confidence_level), side_of(side)
    units = Units.of(cases, strata, groups)
    weighted = _make_statistic(statistic, units, vectorized)
    value = weighted.at_ones()
    parts, bias, bent = (
        _differentiate(weighted, value)
        if derivative is None
        else (_read_derivative(derivative, units), None, False)
    )
    error = float(np.sqrt(sum(float((effects**2).sum()) / len(effects) ** 2 for effects in parts)))
    source: LimitSource = NormalLimits(value, error)
    result = StatisticResult(
        value=value,
        bias=bias,
        standard_error=error,
        interval=_make_open_interval(level, str(end)),
        tool="influence",
        method="influence",
        n_cases=units.n,
        n_units=units.count,
        influences=_restore_order(parts, units),
        source=source,
        cautions=(*not_smooth(bent), *no_spread(error, "weight that moves")),
    )
    return ask_at(result, level, str(end))


def _differentiate(
    statistic: WeightedStatistic, value: float
) -> tuple[list[Array], float | None, bool]:
    """Return influences by stratum, the bias, and whether the statistic jumps or bends."""
    parts, bias, bent = [], 0.0, 0.0
    for layer in statistic.units.layers:
        step = STEP / len(layer)
        moved = {k: statistic.moving(layer, k * step)[:, None] for k in (-2, -1, 1, 2)}
        _refuse_undefined(np.concatenate(list(moved.values())), "weight that moves a little")
        parts.append(slopes(partial(_look_up, moved, step), len(layer))[:, 0])
        curve = 16.0 * (moved[1] + moved[-1]) - (moved[2] + moved[-2]) - 30.0 * value
        bias += float(curve.sum()) / (12.0 * step**2) / (2.0 * len(layer) ** 2)
        change = float(np.abs(moved[1] - moved[-1]).max())
        lost = float(np.abs(moved[1] + moved[-1] - 2.0 * value).max())
        bent = max(bent, lost / change if change > 0.0 else float(lost > 0.0))
    return parts, bias, bent > JUMP


def _look_up(moved: dict[int, Array], unit: float, step: float) -> Array:
    """Return what was found for a step, a whole number of units."""
    return moved[round(step / unit)]


def _read_derivative(derivative: Statistic | ArrayLike, units: Units) -> list[Array]:
    """Return influences by stratum from the gradient by the weights of cases."""
    raw = derivative(np.ones(units.n)) if callable(derivative) else derivative
    slope = np.asarray(raw)
    if slope.shape != (units.n,) or slope.dtype.kind not in "biuf" or not np.isfinite(slope).all():
        raise InputError(
            "`derivative` cannot be read",
            needs=f"a finite number for each of the {units.n} cases",
            got=f"shape {slope.shape}, dtype {slope.dtype}",
        )
    sums = np.bincount(units.unit, weights=slope.astype(np.float64), minlength=units.count)
    parts = []
    for layer in units.layers:
        shares = units.sizes[layer] / units.sizes[layer].sum()
        parts.append(len(layer) * (sums[layer] - shares * sums[layer].sum()))
    return parts


def _make_statistic(statistic: Statistic, units: Units, vectorized: bool) -> WeightedStatistic:
    if not callable(statistic):
        raise InputError(
            "`statistic` is not a function",
            needs="a function of weights, such as lambda w: np.average(x, weights=w)",
            got=check.show(statistic),
        )
    weighted = WeightedStatistic(statistic, units, bool(vectorized))
    refuse_function_of_data(weighted)
    return weighted


def _refuse_undefined(values: Array, where: str) -> None:
    bad = int(np.isnan(values).sum())
    if bad:
        raise EvidenceError(
            f"the statistic is undefined for {where}",
            needs="a finite number each time",
            got=f"NaN or infinite {bad} of {values.size} times",
            cure="Use earnest.inference.bootstrap, which leaves out undefined values.",
        )


def _restore_order(parts: list[Array], units: Units) -> Array:
    values = np.empty(units.count)
    for layer, effects in zip(units.layers, parts, strict=True):
        values[layer] = effects
    return values


def _make_open_interval(level: float, side: str) -> Interval:
    """Return an interval to be filled in."""
    return Interval(-np.inf, np.inf, level, side)
