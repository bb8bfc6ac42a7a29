"""What we say of probabilities: the finding, its numbers, and what they are of."""

from __future__ import annotations

import math

from earnest.core.results.calibration import (
    Calibration,
    CalibrationFault,
    CalibrationVerdict,
    ClassCalibration,
    Coefficient,
)
from earnest.core.text.numbers import decimals, percent, prose, write_count

FINDINGS = {
    CalibrationVerdict.OFF: "the probabilities are off",
    CalibrationVerdict.NO_SIGN: "no sign that the probabilities are off",
    CalibrationVerdict.LITTLE_POWER: "too few cases to tell whether the probabilities are right",
}
FAULTS = {
    CalibrationFault.TOO_EXTREME: "too close to 0 and 1",
    CalibrationFault.TOO_TIMID: "too far from 0 and 1",
    CalibrationFault.TOO_HIGH: "too high on average",
    CalibrationFault.TOO_LOW: "too low on average",
}
ANYTHING = (-math.inf, math.inf)


def write_finding(calibration: Calibration) -> str:
    """Return the finding for a heading, without a full stop: what is off, if that is known.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.calibration import write_finding
    >>> from earnest.inference.curves.calibration import calibration
    >>> y = np.repeat([0, 1], [300, 100])
    >>> write_finding(calibration(en.Predictions.from_arrays(y, np.full(400, 0.4)), 0))
    'the probabilities are too high on average'
    """
    faults = " and ".join(FAULTS[fault] for fault in calibration.shown.faults)
    if calibration.verdict is CalibrationVerdict.OFF and faults:
        return f"the probabilities are {faults}"
    return FINDINGS[calibration.verdict]


def tell(calibration: Calibration) -> str:
    """Return the numbers behind the finding, of the class whose test is the least likely."""
    each = calibration.shown
    many = f"Of {len(calibration.classes)} classes, {each.label}: " * _has_several(calibration)
    sentences = [many + _tell_level(each, lower=bool(many)), _tell_slope(each)]
    sentences += [_tell_test(each, calibration), _tell_decisions(each)]
    return " ".join(filter(None, sentences))


def tell_scope(calibration: Calibration) -> str:
    """Return what was judged: whose predictions, after which choice, and for which model."""
    if not calibration.refitted:
        return "These are the predictions as they are."
    words = "Judged by out-of-fold predictions"
    if calibration.n_configs > 1:
        count = write_count(calibration.n_configs, "configuration")
        words += f" of the winner, chosen among {count} on the same cases"
    return f"{words}. The interval of the slope is for the model fitted on all cases."


def tell_in_short(calibration: Calibration) -> str:
    """Return the finding with slope and level in a line."""
    each = calibration.shown
    finding = write_finding(calibration)
    label = f" of {each.label}" if _has_several(calibration) else ""
    slope = "" if each.slope is None else f"slope{label} {_write(each.slope)}, "
    level = f"expected / observed{'' if slope else label} {_write(each.ratio, relative=True)}"
    return f"{finding}: {slope}{level}"


def _has_several(calibration: Calibration) -> bool:
    return len(calibration.classes) > 1


def _tell_level(each: ClassCalibration, *, lower: bool) -> str:
    predicted, observed = (percent(round(v, 3)) for v in (each.mean_predicted, each.observed))
    ratio = _write(each.ratio, relative=True)
    first = "the" if lower else "The"
    return (
        f"{first} mean probability is {predicted}, and {observed} occurred: expected / observed "
        f"{ratio}."
    )


def _tell_slope(each: ClassCalibration) -> str:
    if each.slope is None:
        return ""
    return f"The calibration slope is {_write(each.slope)}; 1 is right, less is too extreme."


def _tell_test(each: ClassCalibration, calibration: Calibration) -> str:
    p = each.test.p_value
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    if each.verdict is CalibrationVerdict.OFF:
        return f"Chance alone hardly explains that ({chance}, level and slope together)."
    count = write_count(calibration.n_units, "group" if _is_grouped(calibration) else "case")
    reach = max(each.test.detectable_intercept, each.test.detectable_slope or 0.0)
    words = f"Chance alone may explain that ({chance}, level and slope together)"
    if each.slope is None or not math.isfinite(reach):
        return f"{words}, and {count} cannot tell more."
    slope = prose(each.test.detectable_slope or 0.0, 2, ANYTHING)
    if each.verdict is CalibrationVerdict.NO_SIGN:
        return f"{words}; {count} would probably show a slope that is {slope} off."
    return f"{words}, but {count} may not show even a slope that is {slope} off."


def _is_grouped(calibration: Calibration) -> bool:
    return calibration.n_units < calibration.n_cases


def _tell_decisions(each: ClassCalibration) -> str:
    span = each.net_benefit.useful
    if span is None:
        return "At no threshold is acting by them worth more than acting on all cases or none."
    low, high = (f"{threshold:g}" for threshold in span)
    where = f"of {low}" if low == high else f"from {low} to {high}"
    return (
        f"At thresholds {where}, acting by them is worth more than acting on all cases or none "
        "(net benefit, not corrected)."
    )


def _write(coefficient: Coefficient, *, relative: bool = False) -> str:
    """Return a number with its interval; the standard error of a ratio is that of its logarithm."""
    error = coefficient.standard_error * (coefficient.value if relative else 1.0)
    places = decimals(error, coefficient.value)
    interval = coefficient.interval
    low, high = (prose(end, places, ANYTHING) for end in (interval.low, interval.high))
    value = prose(coefficient.value, places, ANYTHING)
    return f"{value} ({percent(interval.confidence_level)} interval {low} to {high})"
