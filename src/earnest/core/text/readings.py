"""The plain reading of a score: what it would mean for a hundred cases, or in units."""

from __future__ import annotations

from earnest.core.data.target import Target, Task
from earnest.core.results.estimate import Estimate
from earnest.core.results.readings import Reading
from earnest.core.text.estimate import Form, form, places_of, print_numbers, rival
from earnest.core.text.numbers import percent, prose

HUNDRED, MOST = 100, 10_000
POSITIVE, NEGATIVE = "positive", "negative"
_SHARES = {
    Reading.PAIRS: (
        "Of {n} pairs of a {positive} and a {negative} case, the model ranks the {positive} one "
        "higher in about {count}"
    ),
    Reading.EVENT_PAIRS: (
        "Of {n} pairs of cases whose order is known, the model gives the higher risk to the "
        "earlier event in about {count}"
    ),
    Reading.RIGHT: "Of {n} new cases, about {count} are right",
    Reading.WRONG: "Of {n} new cases, about {count} are wrong",
    Reading.RIGHT_IF_EVEN: (
        "Of {n} new cases, equally many of each class, about {count} are right"
    ),
    Reading.POSITIVES_FOUND: "Of {n} new {positive} cases, about {count} are found",
    Reading.NEGATIVES_CLEARED: "Of {n} new {negative} cases, about {count} are recognized",
    Reading.ALARMS_RIGHT: "Of {n} new cases called {positive}, about {count} are",
    Reading.CLEARANCES_RIGHT: "Of {n} new cases called {negative}, about {count} are",
}
_ERRORS = {
    Reading.MEAN_ERROR: "Predictions are off by about {value} on average",
    Reading.ABOVE_MEAN_ERROR: "Predictions are off by at most about {value} on average",
    Reading.MIDDLE_ERROR: "Half of the predictions are off by less than about {value}",
}
# Where a constant prediction has a value that means the same.
_COMPARED = frozenset(
    {
        Reading.PAIRS,
        Reading.EVENT_PAIRS,
        Reading.RIGHT,
        Reading.WRONG,
        Reading.RIGHT_IF_EVEN,
        Reading.MEAN_ERROR,
        Reading.MIDDLE_ERROR,
    }
)


def write_reading(estimate: Estimate, target: Target | None = None) -> str:
    """Return what the value would mean for new cases; empty where no plain words are true.

    A value that is not corrected says nothing of new cases, and neither does a perfect one.

    Parameters
    ----------
    target : Target, optional
        The outcome, whose classes are named where there are two.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.readings import write_reading
    >>> y = np.tile(["good", "bad"], 50)
    >>> score = (y == "bad") + np.random.default_rng(7).standard_normal(100)
    >>> pi = en.Predictions.from_arrays(y, score, positive="bad")
    >>> print(write_reading(en.estimate(pi, metric="roc_auc"), pi.target))
    Of 100 pairs of a 'bad' and a 'good' case, the model ranks the 'bad' one higher in about 82 \
(chance: 50).
    """
    reading = estimate.scale.reading
    if reading is None or form(estimate) in (Form.UNCORRECTED, Form.ELECTED, Form.PERFECT):
        return ""
    if reading in _SHARES:
        return _write_share(estimate, reading, target)
    if reading in _ERRORS:
        return _write_error(estimate, reading)
    shown = percent(round(estimate.value, 2))
    if reading is Reading.RELATIVE_ERROR:
        return f"Predictions are off by about {shown} of the true value on average."
    if estimate.value <= 0:
        return ""
    return f"The model removes about {shown} of the squared error of always predicting the mean."


def _write_share(estimate: Estimate, reading: Reading, target: Target | None) -> str:
    share, zero = estimate.value, estimate.no_information
    if not 0.0 < share < 1.0:
        return ""
    n = _find_base(share)
    names = [NEGATIVE, POSITIVE]
    if target is not None and target.task is Task.BINARY:
        names = [f"'{label}'" for label in target.classes]
    words = _SHARES[reading].format(
        n=f"{n:,}", count=f"{round(share * n):,}", negative=names[0], positive=names[1]
    )
    return words + _compare(estimate, reading, None if zero is None else f"{round(zero * n):,}")


def _find_base(share: float) -> int:
    """Return of how many to count: a hundred, or more where that would leave none or all."""
    n = HUNDRED
    while round(share * n) in (0, n) and n < MOST:
        n *= 10
    return n


def _write_error(estimate: Estimate, reading: Reading) -> str:
    zero, places = estimate.no_information, places_of([estimate])
    shown = None if zero is None else prose(zero, places, estimate.scale.limits)
    words = _ERRORS[reading].format(value=print_numbers(estimate).value.words)
    return words + _compare(estimate, reading, shown)


def _compare(estimate: Estimate, reading: Reading, baseline: str | None) -> str:
    """Return what a prediction without information reaches, and the full stop."""
    if baseline is None or reading not in _COMPARED:
        return "."
    return f" ({rival(estimate)}: {baseline})."
