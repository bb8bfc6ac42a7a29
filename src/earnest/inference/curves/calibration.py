"""Whether probabilities are right: level, slope, a joint test, a curve and net benefit.

All is of out-of-fold predictions of a winner on the cases that chose it. What is delivered is a
model fitted to all of them, and intervals and the test allow for how its slope differs from the one
seen here.

Let y = μ + ε with ε of variance 1, and z = A y what a learner fits. The slope of that model on new
outcomes is <μ, z> / |z|². Out-of-fold predictions do not know the ε of their case, so the slope
seen is about (<y, z> - tr A) / |z|². It misses the other by (<ε, z> - tr A) / |z|², whose variance
is (|A μ|² + 2 tr A²) / |z|⁴. For a model fixed in advance it is |z|² / |z|⁴, with |z|² on average
|A μ|² + tr A². The ratio, 1 + tr A² / |z|², lies between 1, for many cases, and 2, where there is
nothing to learn. So the variance of a slope counts twice: for the luck of the cases as test and as
training cases. The level has no such term, since the luck of both is the mean of ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.calibration import (
    Calibration,
    CalibrationCurve,
    CalibrationTest,
    CalibrationVerdict,
    CaseShare,
    ClassCalibration,
    Coefficient,
    NetBenefit,
    SmoothCurve,
)
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Interval, ShareLimits
from earnest.core.results.specs import Side
from earnest.core.results.thresholds import count_rates
from earnest.inference.curves.corrected import cross_fit_ensemble
from earnest.metrics.calibration import (
    USUAL_KNOTS,
    CurveFit,
    find_odds,
    inform,
    maximise_likelihood,
    separates,
)
from earnest.metrics.families import Metric

Floats = NDArray[np.float64]
Units = NDArray[np.int64]
BINS = 10
HISTOGRAM = 10
AS_TEST_AND_TRAINING = 2.0  # how often the variance of a slope counts for a refitted model
POWER = 0.8
ENDS = (0.01, 0.99)  # of the log odds, between which a smooth curve is drawn
POINTS = 41
RELEVANT = 0.5  # of a slope or of log odds: what a test must be able to see to speak for a model
THRESHOLDS = tuple(round(0.05 * k, 2) for k in range(1, 20))


def no_calibration(pi: Predictions) -> str | None:
    """Return why predictions have no calibration, in words; None where they have."""
    if not pi.target.has_classes:
        return "Calibration is that of probabilities of classes."
    if pi.target.weights is not None:
        return "Calibration does not take case weights into account."
    if pi.kind is ResponseKind.PROBABILITY:
        return None
    noun = "decision values" if pi.kind is ResponseKind.DECISION else "labels"
    return f"The predictions are {noun}, not probabilities: their calibration is unknown."


def calibration(
    pi: Predictions,
    winner: int | str,
    *,
    confidence_level: float = 0.95,
    n_configs: int | None = None,
) -> Calibration:
    """Judge the probabilities of a winner: the positive class, or each of several classes.

    With several classes a verdict is at the level of all tests together (Bonferroni), and
    intervals are each on their own.

    Parameters
    ----------
    pi : Predictions
        Out-of-fold probabilities.
    winner : int or str
        Which configuration.
    confidence_level : float
        That of the intervals and of the verdict.
    n_configs : int, optional
        Out of how many it was chosen; those of the predictions by default.

    Examples
    --------
    >>> import earnest as en
    >>> import numpy as np
    >>> from earnest.inference.curves.calibration import calibration
    >>> rng = np.random.default_rng(0)
    >>> z = rng.standard_normal(2000)
    >>> y = (rng.random(2000) < 1 / (1 + np.exp(-z))).astype(int)
    >>> pi = en.Predictions.from_arrays(y, 1 / (1 + np.exp(-2 * z))[:, None])
    >>> judged = calibration(pi, 0)
    >>> str(judged.verdict), round(judged.classes[0].slope.value, 2)
    ('off', 0.51)
    """
    reason = no_calibration(pi)
    if reason is not None:
        raise EvidenceError("there is no calibration to judge", got=reason)
    level = check.check_share("confidence_level", confidence_level)
    target = pi.target
    labels = (1,) if target.task is Task.BINARY else tuple(range(len(target.classes)))
    question = _ClassJudge(level, len(labels), _is_refitted(pi))
    stacks = [_CaseStack.of(pi, winner, code) for code in labels]
    return Calibration(
        classes=tuple(
            question.judge(stack, str(target.classes[code]))
            for stack, code in zip(stacks, labels, strict=True)
            if stack.has_both
        ),
        n_cases=len(np.unique(stacks[0].rows)),
        n_units=stacks[0].n_units,
        n_configs=len(pi.configs.ids) if n_configs is None else n_configs,
        refitted=question.refitted,
        confidence_level=level,
    )


def judge_estimate(
    estimate: Estimate, pi: Predictions, metric: Metric, *, confidence_level: float = 0.95
) -> Calibration | None:
    """Judge the probabilities of what an estimate is about; None where there are none.

    An ensemble is judged on cases that did not choose it.
    """
    subject = pi.usable()
    if estimate.ensemble is not None:
        crossed = cross_fit_ensemble(estimate, subject, metric)
        return (
            None if crossed is None else judge_probabilities(crossed, 0, estimate, confidence_level)
        )
    if estimate.winner is None:
        return None
    return judge_probabilities(subject, estimate.winner, estimate, confidence_level)


def judge_probabilities(
    pi: Predictions, winner: int | str, estimate: Estimate, confidence_level: float
) -> Calibration | None:
    """Judge the probabilities of one of the predictions of an estimate; None where there are none.

    Predictions of one class alone have none either.
    """
    if no_calibration(pi) is not None:
        return None
    n_configs = estimate.n_configs
    judged = calibration(pi, winner, confidence_level=confidence_level, n_configs=n_configs)
    return judged if judged.classes else None


def judge_part(
    pi: Predictions, winner: int | str, *, level: float, n_parts: int
) -> ClassCalibration:
    """Judge the probabilities of the positive class on a part of the cases.

    Interval and test are at a level that is shared by so many parts (Bonferroni).
    """
    shared = 1.0 - (1.0 - level) / n_parts
    judge = _ClassJudge(shared, 1, _is_refitted(pi))
    return judge.judge(_CaseStack.of(pi, winner, 1), str(pi.target.classes[1]))


def _is_refitted(pi: Predictions) -> bool:
    """Tell whether the predictions are of several models, so that another one is delivered."""
    return any(len(names) > 1 for names in pi.fold_names)


@dataclass(frozen=True, eq=False)
class _CaseStack:
    """The predictions of all repeats one after the other; each case weighs 1 in all.

    `odds` are the log odds: a probability that is nearer to 0 or 1 than half a case of all counts
    as that, as no number of cases could tell them apart.
    """

    p: Floats
    odds: Floats
    y: Floats
    weights: Floats
    units: Units
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, pi: Predictions, winner: int | str, code: int) -> _CaseStack:
        column = pi.configs.index(winner)
        tested = [np.flatnonzero(pi.tested(r)) for r in range(pi.n_repeats)]
        rows = np.concatenate(tested)
        values = [pi.responses[used, column, r] for r, used in enumerate(tested)]
        p = np.concatenate(values).astype(np.float64)
        p = p if p.ndim == 1 else p[:, code]
        _, units = np.unique(number_units(pi)[rows], return_inverse=True)
        return cls(
            p=p,
            odds=find_odds(p, float(len(np.unique(rows)))),
            y=(pi.target.y[rows] == code).astype(np.float64),
            weights=1.0 / np.bincount(rows)[rows],
            units=units.astype(np.int64),
            rows=rows,
        )

    @property
    def n_units(self) -> int:
        return int(self.units.max()) + 1

    @property
    def size(self) -> float:
        return float(self.weights.sum())

    @property
    def has_both(self) -> bool:
        return 0.0 < float(self.y.mean()) < 1.0

    @property
    def varies(self) -> bool:
        return float(np.ptp(self.odds)) > 0.0

    def sum_by_unit(self, values: Floats) -> Floats:
        """Return the weighted sums of columns (n, k) within each unit: (U, k)."""
        return np.column_stack(
            [
                np.bincount(self.units, weights=self.weights * column, minlength=self.n_units)
                for column in values.T
            ]
        )

    def square(self, values: Floats) -> Floats:
        """Return the variance of a weighted sum of columns, by what the units add to it."""
        sums = self.sum_by_unit(values)
        few = self.n_units / max(self.n_units - 1, 1)
        return np.asarray(few * sums.T @ sums)


def number_units(pi: Predictions) -> Units:
    """Return what is independent: the group of a case, or the case itself."""
    groups = pi.target.groups
    return np.arange(pi.n_cases) if groups is None else groups


@dataclass(frozen=True)
class LogisticFit:
    """Log odds as intercept + slope × log odds, with the variance of both by what units add.

    Attributes
    ----------
    coefficients : ndarray of shape (2,)
        Intercept and slope.
    information, variance : ndarray of shape (2, 2)
        The information of the model, and the variance that does not trust it.
    """

    coefficients: Floats
    information: Floats
    variance: Floats


def fit_log_odds(stack: _CaseStack) -> LogisticFit | None:
    """Return the logistic regression on log odds; None where no slope is the likeliest."""
    if separates(stack.odds, stack.y):
        return None
    design = np.column_stack([np.ones_like(stack.odds), stack.odds])
    coefficients = maximise_likelihood(
        design, np.zeros_like(stack.odds), stack.y, stack.weights, np.array([0.0, 1.0])
    )
    if coefficients is None:
        return None
    fitted = expit(design @ coefficients)
    information = inform(design, fitted, stack.weights)
    inverse = np.linalg.inv(information)
    meat = stack.square(design * (stack.y - fitted)[:, None])
    return LogisticFit(coefficients, information, inverse @ meat @ inverse)


@dataclass(frozen=True)
class _ClassJudge:
    """Judges one class after the other at a level, for so many verdicts at once."""

    level: float
    n_tests: int
    refitted: bool

    def judge(self, stack: _CaseStack, label: str) -> ClassCalibration:
        """Return all that is said of one class."""
        fit = fit_log_odds(stack) if stack.varies else None
        intercept = self._fit_level(stack)
        extra = AS_TEST_AND_TRAINING - 1.0 if self.refitted else 0.0
        slope, statistic, df = None, 0.0, 2
        if fit is not None:
            more = extra * float(fit.variance[1, 1])
            slope = self._limit(
                float(fit.coefficients[1]), math.sqrt(float(fit.variance[1, 1]) + more), stack
            )
            statistic = _compute_wald(fit, more)
        elif stack.varies:
            statistic = _compute_score(stack)
        else:
            df, statistic = 1, (intercept.value / intercept.standard_error) ** 2
        test = self._test(statistic, df, intercept, slope, stack.n_units)
        return ClassCalibration(
            label=label,
            mean_predicted=float((stack.weights * stack.p).sum() / stack.size),
            observed=float((stack.weights * stack.y).sum() / stack.size),
            ratio=self._compare_counts(stack),
            intercept=intercept,
            slope=slope,
            test=test,
            verdict=self._decide(test, slope),
            curve=replace(
                draw_curve(stack.p, stack.y, stack.units, self.level),
                smooth=draw_smooth_curve(stack, self.level),
            ),
            net_benefit=weigh_decisions(stack.p, stack.y, stack.weights),
        )

    def _limit(self, value: float, error: float, stack: _CaseStack) -> Coefficient:
        reach = error * _reach(self.level, stack.n_units)
        interval = Interval(value - reach, value + reach, self.level, Side.TWO_SIDED)
        return Coefficient(value, error, interval)

    def _fit_level(self, stack: _CaseStack) -> Coefficient:
        """Return what has to be added to the log odds for the level to be right."""
        design = np.ones((len(stack.odds), 1))
        start = np.zeros(1)
        coefficients = maximise_likelihood(design, stack.odds, stack.y, stack.weights, start)
        assert coefficients is not None  # both classes are there, so that the likelihood has a top
        p = expit(stack.odds + coefficients[0])
        information = float(inform(design, p, stack.weights)[0, 0])
        error = math.sqrt(float(stack.square((stack.y - p)[:, None])[0, 0])) / information
        return self._limit(float(coefficients[0]), error, stack)

    def _compare_counts(self, stack: _CaseStack) -> Coefficient:
        """Return expected / observed cases; its logarithm is normal."""
        expected, observed = (float((stack.weights * v).sum()) for v in (stack.p, stack.y))
        if expected <= 0.0:  # a model that rules the class out
            return Coefficient(0.0, math.inf, Interval(0.0, math.inf, self.level, Side.TWO_SIDED))
        moves = stack.p / expected - stack.y / observed
        error = math.sqrt(float(stack.square(moves[:, None])[0, 0]))
        ratio, factor = expected / observed, math.exp(error * _reach(self.level, stack.n_units))
        interval = Interval(ratio / factor, ratio * factor, self.level, Side.TWO_SIDED)
        return Coefficient(ratio, error, interval)

    def _test(
        self,
        statistic: float,
        df: int,
        intercept: Coefficient,
        slope: Coefficient | None,
        n_units: int,
    ) -> CalibrationTest:
        distance = math.sqrt(_find_noncentrality(self._alpha, df, n_units))
        return CalibrationTest(
            statistic=statistic,
            df=df,
            p_value=_find_p_value(statistic, df, n_units),
            detectable_intercept=distance * intercept.standard_error,
            detectable_slope=None if slope is None else distance * slope.standard_error,
        )

    @property
    def _alpha(self) -> float:
        return (1.0 - self.level) / self.n_tests

    def _decide(self, test: CalibrationTest, slope: Coefficient | None) -> CalibrationVerdict:
        if test.p_value <= self._alpha:
            return CalibrationVerdict.OFF
        reaches = (test.detectable_intercept, test.detectable_slope)
        unseen = any(reach is not None and not reach <= RELEVANT for reach in reaches)
        if slope is None or unseen:
            return CalibrationVerdict.LITTLE_POWER
        return CalibrationVerdict.NO_SIGN


def _compute_wald(fit: LogisticFit, more: float) -> float:
    """Return how far intercept and slope are from 0 and 1, with more variance of the slope.

    The slope turns about the point at which it tells nothing of the level.
    """
    centre = fit.information[0, 1] / fit.information[0, 0]
    turn = np.array([-centre, 1.0])
    away = fit.coefficients - np.array([0.0, 1.0])
    return float(away @ np.linalg.solve(fit.variance + more * np.outer(turn, turn), away))


def _compute_score(stack: _CaseStack) -> float:
    """Return the score statistic of level and slope, for predictions that separate the classes.

    Cases of a unit count as one, which is the most that their likeness can cost.
    """
    p = expit(stack.odds)
    design = np.column_stack([np.ones_like(p), stack.odds])
    slopes = design.T @ (stack.weights * (stack.y - p))
    information = inform(design, p, stack.weights)
    return float(slopes @ np.linalg.solve(information, slopes)) * stack.n_units / stack.size


def _reach(level: float, n_units: int) -> float:
    """Return how many standard errors an interval reaches: Student's, for few units."""
    from scipy.special import stdtrit

    return float(stdtrit(n_units - 1, 0.5 + 0.5 * level)) if n_units > 1 else math.inf


def _find_p_value(statistic: float, df: int, n_units: int) -> float:
    """Return the p-value by Hotelling's distribution: chi-squared's, where units are many."""
    from scipy.special import fdtrc

    if n_units <= df or not math.isfinite(statistic):
        return 1.0
    return float(fdtrc(df, n_units - df, statistic * (n_units - df) / (df * (n_units - 1))))


def _find_noncentrality(alpha: float, df: int, n_units: int) -> float:
    """Return how far off something has to be, in squared standard errors, to be seen mostly."""
    from scipy.special import chndtrinc, fdtri

    if n_units <= df:
        return math.inf
    critical = fdtri(df, n_units - df, 1.0 - alpha) * df * (n_units - 1) / (n_units - df)
    return float(chndtrinc(critical, df, 1.0 - POWER))


def draw_curve(
    p: Floats, y: Floats, units: Units, level: float, *, bins: int = BINS
) -> CalibrationCurve:
    """Return the share of positives in bins of equally many predictions.

    Intervals are Wilson's, for as many trials as the cases of a bin are worth.
    """
    groups = equal_counts(p, bins)
    return CalibrationCurve(
        predicted=tuple(float(p[group].mean()) for group in groups),
        observed=tuple(share_of(y[group], units[group], level) for group in groups),
        counts=tuple(len(group) for group in groups),
        spread=tuple(np.histogram(p, bins=HISTOGRAM, range=(0.0, 1.0))[0].tolist()),
    )


def draw_smooth_curve(stack: _CaseStack, level: float) -> SmoothCurve | None:
    """Return the flexible curve with its band, None where there is none."""
    curve = CurveFit(stack.odds, stack.y, stack.weights, USUAL_KNOTS)
    if curve.coefficients is None:
        return None
    low, high = (float(end) for end in np.quantile(stack.odds, ENDS))
    odds = np.linspace(low, high, POINTS)
    try:
        inverse = np.linalg.inv(curve.inform(stack.weights))
    except np.linalg.LinAlgError:
        return None
    moves = curve.design * (stack.y - curve.observe(stack.odds))[:, None]
    errors = curve.vary(odds, inverse @ stack.square(moves) @ inverse)
    reach = errors * _reach(level, stack.n_units)
    middle = logit(np.clip(curve.observe(odds), 1e-12, 1.0 - 1e-12))
    lines = (expit(odds), expit(middle), expit(middle - reach), expit(middle + reach))
    predicted, observed, below, above = (tuple(line.tolist()) for line in lines)
    return SmoothCurve(predicted=predicted, observed=observed, low=below, high=above)


def equal_counts(values: Floats, bins: int) -> list[NDArray[np.intp]]:
    """Return the positions of equally many values per bin, in rising order; ties stay together."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    edges = {0, len(values)}
    for k in range(1, bins):
        edge = round(k * len(values) / bins)
        if 0 < edge < len(values):
            edges.add(int(np.searchsorted(ranked, ranked[edge])))
    cuts = sorted(edges)
    return [order[a:b] for a, b in pairwise(cuts) if b > a]


def share_of(hits: Floats, units: Units, level: float) -> CaseShare:
    """Return a share with Wilson's interval, for as many trials as its units are worth.

    Where several cases belong to one unit the number of trials is that of independent cases with
    the same variance (Rao and Scott 1992), and at a share of 0 or 1 the number of units.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.calibration import share_of
    >>> share = share_of(np.array([1.0, 1, 1, 0]), np.arange(4), 0.95)
    >>> share.trials, round(share.low, 3), round(share.high, 3)
    (4, 0.301, 0.954)
    """
    value, size = float(hits.mean()), len(hits)
    _, codes = np.unique(units, return_inverse=True)
    n_units = int(codes.max()) + 1
    trials = size
    if n_units < size:
        variance = float(np.square(np.bincount(codes, weights=hits - value)).sum()) / size**2
        worth = value * (1 - value) / variance if variance > 1e-300 else n_units
        trials = max(1, min(size, round(worth))) if 0 < value < 1 else n_units
    low, high = ShareLimits(value, trials).limits(level, Side.TWO_SIDED)
    return CaseShare(value, low, high, trials)


def weigh_decisions(p: Floats, y: Floats, weights: Floats) -> NetBenefit:
    """Return what decisions are worth at thresholds from 0.05 to 0.95 (Vickers and Elkin 2006)."""
    grid = np.array(THRESHOLDS)
    odds = grid / (1.0 - grid)
    above = p[:, None] > grid
    hits, alarms = ((weights * v)[:, None] * above for v in (y, 1.0 - y))
    positives, negatives = (float((weights * v).sum()) for v in (y, 1.0 - y))
    full = np.ones_like(grid)
    values, everyone = (
        count_rates(hit, alarm, positives, negatives, odds)["net_benefit"]
        for hit, alarm in (
            (hits.sum(axis=0), alarms.sum(axis=0)),
            (positives * full, negatives * full),
        )
    )
    return NetBenefit(
        thresholds=THRESHOLDS, values=tuple(values.tolist()), treat_all=tuple(everyone.tolist())
    )
