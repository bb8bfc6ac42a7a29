"""The Wald statistic, a difference over its standard error: for tests that have a variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from earnest.comparison.base import PairOutcome, nothing_to_tell, p_values
from earnest.core.cautions import of_limits, of_search
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import ExactLimits, difference_limits
from earnest.core.results.estimate import Scale
from earnest.core.results.interval import (
    EqualCaseLimits,
    LimitSource,
    NormalLimits,
    StudentLimits,
)
from earnest.inference.limits.fold_normal import FEW_CASES, FEW_UNLIKE
from earnest.metrics.families import Metric

SAME_COLUMN = of_search.same_predictions()
ROUNDING = 1e-9  # of a difference or its error beside the values: it is then taken as 0


def wald(
    values: tuple[float, float],
    variance: float,
    scale: Scale,
    *,
    units: int,
    unit: str = "case",
    df: int | None = None,
    same: bool = False,
    ends: Callable[[], tuple[float, float]] | None = None,
    cautions: Iterable[Caution] = (),
    few: Iterable[Caution] = (),
) -> PairOutcome:
    """Return the outcome of a difference with its variance, by a normal or Student's distribution.

    If all `units` show the same difference, there is no variance to test against. The p-value is
    then the largest probability, under any distribution in the metric's range with mean 0, of that
    difference in every unit, and the interval inverts it. If all predictions are the same, the
    difference is exactly 0.

    Parameters
    ----------
    values : tuple of float
        The metric of a and of b.
    variance : float
        Of their difference.
    units : int
        The number of independent units behind the variance: cases, groups, or folds.
    df : int, optional
        The degrees of freedom of Student's t; by default the distribution is normal.
    same : bool
        Whether both predicted the same for every case.
    ends : callable, optional
        Returns the smallest and the largest difference that unseen units could have, used if there
        is no spread; by default those of the metric's range.
    cautions, few : iterable of Caution
        What to say in any case, and what to say if there are few units.
    """
    difference = _subtract(values, scale)
    if same:
        return PairOutcome(
            difference=0.0,
            values=values,
            standard_error=0.0,
            statistic=0.0,
            p_values=nothing_to_tell(),
            limits=ExactLimits(0.0),
            cautions=(*cautions, SAME_COLUMN),
        )
    error = math.sqrt(max(variance, 0.0))
    if error <= _rounding(values, scale):
        reach = difference_limits(scale) if ends is None else ends()
        return _without_spread(values, scale, (units, unit), reach, tuple(cautions))
    statistic = difference / error
    less, greater = _tails(statistic, df)
    normal: LimitSource = NormalLimits(difference, error)
    return PairOutcome(
        difference=difference,
        values=values,
        standard_error=error,
        statistic=statistic,
        p_values=p_values(less, greater),
        limits=normal if df is None else StudentLimits(difference, error, df),
        cautions=(*cautions, *few),
    )


def _tails(statistic: float, df: int | None) -> tuple[float, float]:
    from scipy.special import ndtr, stdtr

    if df is None:
        return float(ndtr(statistic)), float(ndtr(-statistic))
    return float(stdtr(df, statistic)), float(stdtr(df, -statistic))


def _without_spread(
    values: tuple[float, float],
    scale: Scale,
    units: tuple[int, str],
    ends: tuple[float, float],
    cautions: tuple[Caution, ...],
) -> PairOutcome:
    difference = _subtract(values, scale)
    bounded = all(map(math.isfinite, ends))
    return PairOutcome(
        difference=difference,
        values=values,
        standard_error=0.0,
        statistic=None if difference else 0.0,
        p_values=unanimous(difference, units[0], ends),
        limits=EqualCaseLimits(difference, units[0], *ends) if bounded else None,
        cautions=(*cautions, *no_spread_in_test(difference, *units, bounded=bounded)),
    )


def unanimous(difference: float, units: int, ends: tuple[float, float]) -> dict[str, float]:
    """Return the p-values where every unit showed the same difference d.

    With a mean of 0 the share of units at d > 0 is at most e / (d + e), where -e is the lower of
    `ends`, the most extreme differences that units can have. With all n units at d, p is that share
    to the power n. The share is at least one half, that of equally likely signs, which is also used
    without a range.

    Examples
    --------
    >>> from earnest.comparison.wald import unanimous
    >>> unanimous(1.0, 10, (-1.0, 1.0))["greater"] == 0.5**10
    True
    """
    if difference == 0.0:
        return nothing_to_tell()
    far = abs(ends[0] if difference > 0 else ends[1])
    share = far / (abs(difference) + far) if math.isfinite(far) else 0.5
    chance = max(share, 0.5) ** units
    return p_values(1.0, chance) if difference > 0 else p_values(chance, 1.0)


def no_spread_in_test(
    difference: float, units: int, unit: str, *, bounded: bool
) -> Iterator[Caution]:
    """Yield a caution where the difference is the same in every unit."""
    yield of_limits.differences_equal(units, unit, zero=difference == 0.0, bounded=bounded)


def few_units_in_test(
    units: int, unit: str, metric: Metric, *, unlike: float = math.inf, resampled: bool = False
) -> Iterator[Caution]:
    """Yield a caution if an approximation for many units has few, or few that differ.

    Parameters
    ----------
    unlike : float
        How many cases have a difference other than the most common one.
    resampled : bool
        Whether the approximation is by resampling instead of the normal law.
    """
    if units >= FEW_CASES and unlike >= FEW_UNLIKE:
        return
    yield of_limits.few_units_compared(
        units,
        unit,
        unlike=unlike if units >= FEW_CASES else None,
        resampled=resampled,
        mean=metric.pointwise,
    )


def _subtract(values: tuple[float, float], scale: Scale) -> float:
    """Return the difference of two values, 0 where it is no more than rounding."""
    difference = values[0] - values[1]
    return 0.0 if abs(difference) <= _rounding(values, scale) else difference


def _rounding(values: tuple[float, float], scale: Scale) -> float:
    """Return the size below which a difference or its error is rounding."""
    unit = float(any(math.isfinite(limit) and limit != 0.0 for limit in scale.limits))
    return ROUNDING * max(abs(values[0]), abs(values[1]), unit)
