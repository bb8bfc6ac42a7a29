"""A difference over its standard error: the law of the tests that know a variance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from earnest.comparison.base import Outcome, nothing_to_tell, p_values
from earnest.core.cautions import Caution, Severity
from earnest.core.differences import Exactly, StudentDifference, difference_limits
from earnest.core.intervals import EqualCaseLimits, LimitSource, NormalLimits
from earnest.core.results import Scale
from earnest.inference.fold_normal import FEW_CASES

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
    cautions: Iterable[Caution] = (),
) -> Outcome:
    """Return what a difference and its variance say, under the normal law or Student's.

    Where all `units` agree on one difference there is no variance to test against. The p-value is
    then the largest chance, under any distribution in the metric's range with mean 0, of seeing
    that difference in every unit, and the interval inverts it. Where the predictions are the same
    altogether, the difference is 0 and nothing else.

    Parameters
    ----------
    values : tuple of float
        The metric of a and of b.
    variance : float
        Of their difference.
    units : int
        The independent units that the variance is made of: cases, groups, or folds.
    df : int, optional
        The degrees of freedom of Student's t; the normal law without.
    same : bool
        Whether both predicted the same for every case.
    """
    difference = _rounded(values, scale)
    if same:
        return Outcome(
            difference=0.0,
            values=values,
            standard_error=0.0,
            statistic=0.0,
            p_values=nothing_to_tell(),
            limits=Exactly(0.0),
            cautions=(*cautions, *same_column()),
        )
    error = math.sqrt(max(variance, 0.0))
    if error <= _rounding(values, scale):
        return _without_spread(values, scale, units, unit, tuple(cautions))
    statistic = difference / error
    less, greater = _tails(statistic, df)
    law: LimitSource = NormalLimits(difference, error)
    return Outcome(
        difference=difference,
        values=values,
        standard_error=error,
        statistic=statistic,
        p_values=p_values(less, greater),
        limits=law if df is None else StudentDifference(difference, error, df),
        cautions=(*cautions, *(few_units(units, unit) if df is None else ())),
    )


def _tails(statistic: float, df: int | None) -> tuple[float, float]:
    from scipy.special import ndtr, stdtr

    if df is None:
        return float(ndtr(statistic)), float(ndtr(-statistic))
    return float(stdtr(df, statistic)), float(stdtr(df, -statistic))


def _without_spread(
    values: tuple[float, float],
    scale: Scale,
    units: int,
    unit: str,
    cautions: tuple[Caution, ...],
) -> Outcome:
    difference = _rounded(values, scale)
    reach = difference_limits(scale)[1]
    bounded = math.isfinite(reach)
    return Outcome(
        difference=difference,
        values=values,
        standard_error=0.0,
        statistic=None if difference else 0.0,
        p_values=unanimous(difference, units, reach),
        limits=EqualCaseLimits(difference, units, -reach, reach) if bounded else None,
        cautions=(*cautions, *no_spread(difference, units, unit, bounded=bounded)),
    )


def unanimous(difference: float, units: int, reach: float) -> dict[str, float]:
    """Return the p-values where every unit showed the same difference.

    Under a mean of 0 the share of units at d > 0 is at most reach / (d + reach); with all n of
    them there, p is that share to the n. Without a range the share is taken as one half, as signs
    that are equally likely have it.

    Examples
    --------
    >>> from earnest.comparison.wald import unanimous
    >>> unanimous(1.0, 10, 1.0)["greater"] == 0.5**10
    True
    """
    if difference == 0.0:
        return nothing_to_tell()
    share = reach / (abs(difference) + reach) if math.isfinite(reach) else 0.5
    chance = share**units
    return p_values(1.0, chance) if difference > 0 else p_values(chance, 1.0)


def same_column() -> Iterator[Caution]:
    """Yield a note that two configurations predicted the same."""
    yield Caution(
        "EN040",
        "Both predicted the same for every case.",
        "There is nothing to tell apart: the difference is 0 and p is 1.",
        "",
        Severity.NOTE,
    )


def no_spread(difference: float, units: int, unit: str, *, bounded: bool) -> Iterator[Caution]:
    """Yield a caution where the difference is the same in every unit."""
    how = "the interval allows for what was not seen" if bounded else "there is no interval"
    each = "no difference at all" if difference == 0.0 else "the same difference"
    yield Caution(
        "EN035",
        f"{'All ' if units > 1 else 'The '}{counted(units, unit)} show{'s' * (units == 1)} {each}.",
        f"There is no spread to measure it by; p is from a bound, and {how}.",
        "Look at the predictions; more cases would show how rare another outcome is.",
    )


def few_units(units: int, unit: str) -> Iterator[Caution]:
    """Yield a caution where the normal law stands on few units."""
    if units < FEW_CASES:
        yield Caution(
            "EN036",
            f"There {'is' if units == 1 else 'are'} {counted(units, unit)}.",
            "The normal law is a rough guide with so few; p may be too small and the interval too "
            "narrow.",
            "Use more cases, or test='sign_flip' where the metric is a mean over cases.",
        )


def counted(units: int, unit: str) -> str:
    """Return a count with its noun, which may have words behind it."""
    noun, _, rest = unit.partition(" ")
    return f"{units} {noun}{'s' * (units != 1)}{' ' * bool(rest)}{rest}"


def _rounded(values: tuple[float, float], scale: Scale) -> float:
    """Return the difference of two values, 0 where it is no more than rounding."""
    difference = values[0] - values[1]
    return 0.0 if abs(difference) <= _rounding(values, scale) else difference


def _rounding(values: tuple[float, float], scale: Scale) -> float:
    """Return the size below which a difference or its error is rounding."""
    unit = float(any(math.isfinite(limit) and limit != 0.0 for limit in scale.limits))
    return ROUNDING * max(abs(values[0]), abs(values[1]), unit)
