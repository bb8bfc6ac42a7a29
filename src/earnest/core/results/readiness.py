"""Whether a model is ready to be used: four facts that everybody asks for first."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from earnest.core.results.base import OPTIONAL, Plain
from earnest.core.results.calibration import CalibrationVerdict
from earnest.core.results.leaks import LeakScreen


class Usable(StrEnum):
    """Whether a model does better than a constant prediction, by the interval of its score."""

    LIKELY = "likely"
    UNCLEAR = "unclear"
    NO = "no"
    NOT_CHECKED = "not checked"


class Sufficiency(StrEnum):
    """Whether there are enough cases to know how good a model is."""

    ENOUGH = "enough"
    TOO_FEW = "too few"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, kw_only=True)
class Readiness(Plain):
    """Four facts about a model: usable, probabilities, leaks, cases.

    Attributes
    ----------
    ranks : bool
        Whether the metric judges the order of the cases, so that `usable` is about ranking.
    usable : Usable
        Whether the interval lies above a constant prediction, reaches it, or lies below.
    has_classes : bool
        Whether the outcome has classes, so that there could be probabilities.
    probabilities : CalibrationVerdict or None
        What the test of the probabilities says; None where they were not tested.
    leaks : LeakScreen or None
        The columns that are suspected of a leak; None where none was looked at.
    cases : Sufficiency
        Whether there are enough cases, by `width` and `n_rarest`.
    n_cases : int
        The cases.
    n_rarest : int or None
        The cases of the rarest class, or the events; None where there are neither.
    width : float or None
        The share of the way from a constant prediction to a perfect score that the interval
        covers; None where one of them is unknown, and for a bound.
    least : float or None
        The share of that way up to the worse end of the interval; below 0 it is worse than the
        constant prediction.

    Examples
    --------
    >>> from earnest.core.results.readiness import Readiness, Sufficiency, Usable
    >>> readiness = Readiness(
    ...     ranks=True, usable=Usable.LIKELY, cases=Sufficiency.ENOUGH, n_cases=900, n_rarest=120
    ... )
    >>> readiness.leaks is None, readiness.to_dict()["usable"]
    (True, 'likely')
    """

    ranks: bool
    usable: Usable
    cases: Sufficiency
    n_cases: int
    has_classes: bool = True
    probabilities: CalibrationVerdict | None = None
    leaks: LeakScreen | None = None
    n_rarest: int | None = field(default=None, metadata=OPTIONAL)
    width: float | None = field(default=None, metadata=OPTIONAL)
    least: float | None = field(default=None, metadata=OPTIONAL)
