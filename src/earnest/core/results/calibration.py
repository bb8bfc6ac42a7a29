"""How far probabilities can be believed: level, slope, a test of both, a curve and net benefit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from earnest.core.results.base import OPTIONAL, Plain, check_lengths, find_longest_run
from earnest.core.results.interval import Interval


class CalibrationVerdict(StrEnum):
    """What a test of level and slope says of probabilities."""

    OFF = "off"
    NO_SIGN = "no sign"
    LITTLE_POWER = "little power"


class CalibrationFault(StrEnum):
    """What is wrong with probabilities that are off."""

    TOO_EXTREME = "too extreme"
    TOO_TIMID = "too timid"
    TOO_HIGH = "too high"
    TOO_LOW = "too low"


@dataclass(frozen=True)
class CaseShare(Plain):
    """A share of cases with its interval.

    `trials` is how many independent cases it is worth: fewer than it has, where cases of a group,
    or repeats of a case, are alike.
    """

    value: float
    low: float
    high: float
    trials: int


@dataclass(frozen=True)
class Coefficient(Plain):
    """A number of a calibration with its interval.

    Attributes
    ----------
    value, standard_error : float
        The number, and the standard error on the scale on which it is normal: its own one, or for
        a ratio its logarithm.
    interval : Interval
        Two-sided.
    """

    value: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True)
class CalibrationTest(Plain):
    """The joint test of level and slope: whether log odds of 0 + 1 × the predicted ones explain.

    Attributes
    ----------
    statistic, p_value : float
        Wald's statistic, by Hotelling's distribution: chi-squared's, where units are many.
    df : int
        2, or 1 where all predictions are alike, so that there is no slope.
    detectable_slope, detectable_intercept : float or None
        How far the slope would have to be from 1, or the log odds from what was observed, to be
        seen with a probability of 80 %; None where there is no slope.
    """

    statistic: float
    df: int
    p_value: float
    detectable_intercept: float
    detectable_slope: float | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class SmoothCurve(Plain):
    """A flexible calibration curve with a pointwise band.

    A logistic regression on a restricted cubic spline of the log odds with three knots; the band
    allows for alike cases of a group.

    Attributes
    ----------
    predicted, observed, low, high : tuple of float
        Probabilities from the 1st to the 99th percentile of the predictions, what occurs there by
        the curve, and the ends of the band.
    """

    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        check_lengths(self.predicted, self.observed, self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class CalibrationCurve(Plain):
    """How often cases were positive, by the probability that was predicted.

    Attributes
    ----------
    predicted : tuple of float
        The mean probability of each bin; bins hold equally many cases, up to ties.
    observed : tuple of CaseShare
        The share of positives in each.
    counts : tuple of int
        Predictions in each bin.
    spread : tuple of int
        Predictions in each tenth of the scale from 0 to 1.
    smooth : SmoothCurve or None
        A curve through all cases; None where the likelihood has none.
    """

    predicted: tuple[float, ...]
    observed: tuple[CaseShare, ...]
    counts: tuple[int, ...]
    spread: tuple[int, ...]
    smooth: SmoothCurve | None = field(default=None, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        check_lengths(self.predicted, self.observed, self.counts)

    @property
    def n_outside(self) -> int:
        """In how many bins the prediction lies outside the interval of what was observed."""
        pairs = zip(self.predicted, self.observed, strict=True)
        return sum(not share.low <= x <= share.high for x, share in pairs)


@dataclass(frozen=True, kw_only=True)
class NetBenefit(Plain):
    """What decisions by the probabilities are worth, in hits per case less alarms at their price.

    Attributes
    ----------
    thresholds : tuple of float
        Probabilities above which to act; t also sets the price of an alarm at t / (1 - t) hits.
    values : tuple of float
        Of acting on the cases above each. Not corrected for the selection.
    treat_all : tuple of float
        Of acting on every case; acting on none is worth 0.
    """

    thresholds: tuple[float, ...]
    values: tuple[float, ...]
    treat_all: tuple[float, ...]

    def __post_init__(self) -> None:
        check_lengths(self.thresholds, self.values, self.treat_all)

    @property
    def useful(self) -> tuple[float, float] | None:
        """The ends of the longest run of thresholds that are worth more than all or none."""
        pairs = zip(self.values, self.treat_all, strict=True)
        return find_longest_run(
            self.thresholds, [value > max(treat_all, 0.0) for value, treat_all in pairs]
        )


@dataclass(frozen=True, kw_only=True)
class ClassCalibration(Plain):
    """The calibration of the probability of one class.

    Attributes
    ----------
    label : str
        The class; of two the positive one.
    mean_predicted, observed : float
        The mean probability, and the share of cases of the class.
    ratio : Coefficient
        Expected / observed cases of the class: 1 if right, above 1 if the probabilities are too
        high.
    intercept : Coefficient
        Calibration in the large: what has to be added to the log odds, as they are, for the
        expected and the observed number to agree. 0 if right.
    slope : Coefficient or None
        By what the log odds have to be multiplied. 1 if right; below 1 the probabilities are too
        extreme. None where all predictions are alike, or separate the classes.
    test : CalibrationTest
        Of level and slope together.
    verdict : CalibrationVerdict
        What the test says at the level of the intervals.
    curve : CalibrationCurve
        Observed shares by what was predicted.
    net_benefit : NetBenefit
        What decisions are worth.
    """

    label: str
    mean_predicted: float
    observed: float
    ratio: Coefficient
    intercept: Coefficient
    test: CalibrationTest
    verdict: CalibrationVerdict
    curve: CalibrationCurve
    net_benefit: NetBenefit
    slope: Coefficient | None = field(default=None, metadata=OPTIONAL)

    @property
    def faults(self) -> tuple[CalibrationFault, ...]:
        """What is wrong where the verdict is off, by the intervals: slope first, then level."""
        if self.verdict is not CalibrationVerdict.OFF:
            return ()
        faults = []
        if self.slope is not None and 1.0 not in self.slope.interval:
            steep = self.slope.value < 1.0
            faults.append(CalibrationFault.TOO_EXTREME if steep else CalibrationFault.TOO_TIMID)
        if 0.0 not in self.intercept.interval:
            high = self.intercept.value < 0.0
            faults.append(CalibrationFault.TOO_HIGH if high else CalibrationFault.TOO_LOW)
        return tuple(faults)


@dataclass(frozen=True, kw_only=True)
class Calibration(Plain):
    """How far the probabilities of a winner can be believed, by its out-of-fold predictions.

    Attributes
    ----------
    classes : tuple of ClassCalibration
        The positive class of two; of more, each class against the rest.
    n_cases, n_units : int
        Cases, and how many of them are independent: groups, where there are some.
    n_configs : int
        Out of how many configurations the winner was chosen, on the same cases.
    refitted : bool
        Whether the predictions are of the models of several folds, so that the model in use is
        another one; the slope then has an interval for that one.
    confidence_level : float
        That of all intervals.
    """

    derived: ClassVar[tuple[str, ...]] = ("verdict",)

    classes: tuple[ClassCalibration, ...]
    n_cases: int
    n_units: int
    n_configs: int
    refitted: bool
    confidence_level: float

    @property
    def verdict(self) -> CalibrationVerdict:
        """What holds for all classes: off if one is, little power if one has little."""
        verdicts = {each.verdict for each in self.classes}
        order = (CalibrationVerdict.OFF, CalibrationVerdict.LITTLE_POWER)
        return next((v for v in order if v in verdicts), CalibrationVerdict.NO_SIGN)

    @property
    def shown(self) -> ClassCalibration:
        """The class that stands for all: the one whose test is the least likely by chance."""
        return min(self.classes, key=lambda each: each.test.p_value)
