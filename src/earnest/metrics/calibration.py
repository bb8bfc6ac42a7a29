"""Metrics of calibration: whether probabilities, or values, mean what they say.

Intercept, slope and the ratio of expected to observed cases have a right value, 0 or 1, and none
that is best: nothing is chosen by them. The others are losses, and the Brier skill is a gain.

A probability that is nearer to 0 or 1 than half a case of all counts as that, as no number of
cases could tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.data.target import Target, Task
from earnest.metrics.families import (
    BINARY,
    CLASSES,
    CONSTANT,
    REGRESSION,
    Array,
    FitMetric,
    MomentMetric,
    Moments,
    Need,
    TaskFields,
    View,
    ratio,
)
from earnest.metrics.resolve import name_with_knobs, register_factory

STEPS = 100
CLOSE = 1e-12  # of a step, relative to the coefficients
NEAR = 1e-5  # the same, of a step whose gain is lost in rounding
CERTAIN = 30.0  # fitted log odds beyond which a plane may divide the classes
FARTHEST = 3.0  # of a step, or as far as the coefficients are large
KNOTS = {  # quantiles of the log odds at which a curve has its knots (Harrell 2015, table 2.3)
    3: (0.10, 0.50, 0.90),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.50, 0.725, 0.95),
}
USUAL_KNOTS = 3
FEW_FOR_KNOTS = 100  # cases, of which the outer knots are single ones
OUTER = 5
BINS = 10
BLUR = 1e-10  # of rounding in weights, relative to their sum
COUNTABLE = 1e6  # cases that real weights may stand for
SAME = 9  # decimals to which equal log odds agree


# Logistic regression, and a restricted cubic spline.


def find_odds(p: Array, size: float) -> Array:
    """Return log odds, those of 0 and 1 as of half a case of so many."""
    least = 0.5 / max(size, 1.0)
    return np.asarray(logit(np.clip(p, least, 1.0 - least)))


def maximise_likelihood(
    design: Array, offset: Array, y: Array, weights: Array, start: Array
) -> Array | None:
    """Return the logistic coefficients of greatest likelihood, None where there are none.

    By Newton's steps; a step that lowers the likelihood is halved. There are none where a plane
    divides the classes, which is asked once fitted odds are extreme.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.metrics.calibration import maximise_likelihood
    >>> y, ones = np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4)
    >>> maximise_likelihood(ones[:, None], 0.0 * y, y, ones, np.zeros(1)).round(4)
    array([1.0986])
    """
    coefficients, value = start, _log_likelihood(design @ start + offset, y, weights)
    extreme = False
    for _ in range(STEPS):
        score = design @ coefficients + offset
        if not extreme and not np.abs(score).max() < CERTAIN:
            extreme = True
            if divides(design, y):
                return None
        p = expit(score)
        slopes = design.T @ (weights * (y - p))
        try:
            step = np.linalg.solve(inform(design, p, weights), slopes)
        except np.linalg.LinAlgError:
            return None
        size = max(1.0, float(np.abs(coefficients).max()))
        reach = CLOSE * size
        step = step * min(1.0, max(FARTHEST, size) / max(float(np.abs(step).max()), 1e-300))
        while np.abs(step).max() > reach:
            likelihood = _log_likelihood(design @ (coefficients + step) + offset, y, weights)
            if likelihood >= value or np.abs(step).max() < NEAR * reach / CLOSE:
                coefficients, value = coefficients + step, likelihood
                break
            step = step / 2.0
        if np.abs(step).max() <= reach:
            return coefficients
    return None


def inform(design: Array, p: Array, weights: Array) -> Array:
    """Return the information of a logistic model about its coefficients."""
    return np.asarray((design * (weights * p * (1.0 - p))[:, None]).T @ design)


def _log_likelihood(score: Array, y: Array, weights: Array) -> float:
    return float((weights * (y * score - np.logaddexp(0.0, score))).sum())


def separates(odds: Array, y: Array) -> bool:
    """Tell whether some log odds divide the classes, so that no slope is steep enough."""
    of_class, others = odds[y == 1.0], odds[y == 0.0]
    return bool(others.max() <= of_class.min() or of_class.max() <= others.min())


def divides(design: Array, y: Array) -> bool:
    """Tell whether a plane has the classes on its two sides, some cases perhaps on it.

    The sum of distances from the plane, each at most 1 and on its right side, is maximised; then
    the logistic likelihood has no maximum (Albert and Anderson 1984).

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.metrics.calibration import divides
    >>> design = np.column_stack([np.ones(4), np.arange(4.0)])
    >>> divides(design, np.array([0.0, 0.0, 1.0, 1.0])), divides(design, np.array([0, 1, 0, 1.0]))
    (True, False)
    """
    from scipy.optimize import linprog

    away = (2.0 * y - 1.0)[:, None] * design
    bounds = np.repeat([1.0, 0.0], len(away))
    best = linprog(-away.sum(axis=0), np.vstack([away, -away]), bounds, bounds=(None, None))
    return best.fun is None or bool(best.fun < -1e-6)


def find_quantiles(values: Array, weights: Array, levels: tuple[float, ...]) -> Array:
    """Return the quantiles of values repeated by their weights, as R's `quantile` has them."""
    order = np.argsort(values, kind="stable")
    ranked, below = values[order], np.cumsum(weights[order])
    places = np.array(levels) * (below[-1] - 1.0)
    floor = np.floor(places + 1e-9)
    last = len(values) - 1
    low, high = (
        ranked[np.minimum(np.searchsorted(below, floor + up, side="right"), last)]
        for up in (0.0, 1.0)
    )
    return np.asarray(low + np.maximum(places - floor, 0.0) * (high - low))


def choose_knots(odds: Array, weights: Array, count: int) -> Array:
    """Return the knots of a curve: quantiles, of few cases the fifth from each end for the outer.

    As `rcspline.eval` of R's Hmisc has them.
    """
    knots = find_quantiles(odds, weights, KNOTS[count])
    total = float(weights.sum())
    if OUTER <= total < FEW_FOR_KNOTS:
        share = (OUTER - 1.0) / max(total - 1.0, 1.0)
        knots[[0, -1]] = find_quantiles(odds, weights, (share, 1.0 - share))
    return knots


def make_spline(x: Array, knots: Array) -> Array:
    """Return the columns of a restricted cubic spline: x, and k - 2 that are linear in the tails.

    As `rcs` of R's rms; coinciding knots leave x alone.
    """
    first, before, last = knots[0], knots[-2], knots[-1]
    if (np.diff(knots) <= 1e-9 * max(1.0, float(np.abs(knots).max()))).any():
        return x[:, None]

    def cube(t: float) -> Array:
        return np.asarray(np.maximum(x - t, 0.0) ** 3)

    bends = [
        cube(t)
        - cube(before) * (last - t) / (last - before)
        + cube(last) * (before - t) / (last - before)
        for t in knots[:-2]
    ]
    return np.column_stack([x, *(bend / (last - first) ** 2 for bend in bends)])


class CurveFit:
    """A flexible calibration curve: logistic regression on a spline of the log odds.

    Attributes
    ----------
    coefficients : ndarray or None
        None where the likelihood has no maximum.
    design : ndarray, shape (n, k)
        A constant, the log odds, and k - 2 bends.
    """

    def __init__(self, odds: Array, y: Array, weights: Array, knots: int) -> None:
        """Fit it to cases that weigh something."""
        self.knots = choose_knots(odds, weights, knots)
        self.design = self._lay_out(odds)
        start = np.zeros(self.design.shape[1])
        start[1] = 1.0
        self.coefficients = (
            None
            if len(np.unique(odds.round(SAME))) < self.design.shape[1] or separates(odds, y)
            else maximise_likelihood(self.design, np.zeros_like(odds), y, weights, start)
        )

    def _lay_out(self, odds: Array) -> Array:
        return np.column_stack([np.ones_like(odds), make_spline(odds, self.knots)])

    def observe(self, odds: Array) -> Array:
        """Return the probability that the curve gives at log odds."""
        assert self.coefficients is not None
        return np.asarray(expit(self._lay_out(odds) @ self.coefficients))

    def inform(self, weights: Array) -> Array:
        """Return the information of the cases about the coefficients."""
        assert self.coefficients is not None
        return inform(self.design, expit(self.design @ self.coefficients), weights)

    def vary(self, odds: Array, variance: Array) -> Array:
        """Return the standard errors of the curve's log odds, by a variance of coefficients."""
        design = self._lay_out(odds)
        return np.asarray(np.sqrt(np.maximum(((design @ variance) * design).sum(axis=1), 0.0)))


# What is computed of one resample.

Statistic = Callable[[Array, Array, Array], float]  # probabilities, outcomes, weights


def count_cases(masses: Array) -> Array:
    """Return masses in the largest unit of which each is a whole number.

    So weights count by their ratios alone, and a weight of k as k cases. Masses without such a
    unit sum to their effective number: (sum m)^2 / sum m^2.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.metrics.calibration import count_cases
    >>> count_cases(np.array([0.2, 0.3, 0.5]))
    array([2., 3., 5.])
    """
    total = float(masses.sum())
    if not (masses == np.rint(masses)).all():
        unit = 0.0
        for mass in masses:
            unit = _find_unit(unit, float(mass), total * BLUR)
            if unit < total / COUNTABLE:
                break
        whole = masses / unit
        if unit < total / COUNTABLE or (np.abs(whole - np.rint(whole)) > 1e-4).any():
            return masses * (total / float(np.square(masses).sum()))
        masses = np.rint(whole)
    return np.asarray(masses / np.gcd.reduce(masses.astype(np.int64)))


def _find_unit(first: float, second: float, blur: float) -> float:
    """Return the greatest common divisor of two numbers, up to rounding (Euclid)."""
    while second > blur:
        left = math.remainder(first, second)
        first, second = second, abs(left)
    return first


def scan_cases(
    score: Numbers, truth: Numbers, weights: Numbers, *, statistic: Statistic
) -> NDArray[np.float64]:
    """Return a statistic of probabilities (B,), NaN where a class has no weight.

    Equal cases are added up first, in a fixed order, so that a case of weight k and k cases are
    the same to the last digit.
    """
    p, y = score.astype(np.float64), truth.astype(np.float64)
    atoms, of_case = np.unique(np.column_stack([p, y]), axis=0, return_inverse=True)
    of_case = of_case.reshape(-1)
    out = np.full(len(weights), np.nan)
    for b, row in enumerate(weights):
        masses: Array = np.bincount(of_case, weights=row, minlength=len(atoms)).astype(np.float64)
        used = masses > 0
        values, labels = atoms[used].T
        if len(labels) and 0.0 < labels.mean() < 1.0 and not np.isnan(values).any():
            out[b] = statistic(values, labels, count_cases(masses[used]))
    return out


def fit_intercept(p: Array, y: Array, weights: Array) -> float:
    """Return what has to be added to the log odds for the level to be right."""
    odds = find_odds(p, float(weights.sum()))
    fitted = maximise_likelihood(np.ones((len(p), 1)), odds, y, weights, np.zeros(1))
    return math.nan if fitted is None else float(fitted[0])


def fit_slope(p: Array, y: Array, weights: Array) -> float:
    """Return the slope of the outcome on the log odds, NaN where none is the likeliest."""
    odds = find_odds(p, float(weights.sum()))
    if np.ptp(odds) == 0.0 or separates(odds, y):
        return math.nan
    design = np.column_stack([np.ones_like(odds), odds])
    fitted = maximise_likelihood(design, np.zeros_like(odds), y, weights, np.array([0.0, 1.0]))
    return math.nan if fitted is None else float(fitted[1])


def scan_slope(score: Numbers, truth: Numbers, weights: Numbers) -> Array:
    """Return the calibration slope (B,): of classes, whose truth is whole, or of values."""
    if truth.dtype.kind != "f":
        return scan_cases(score, truth, weights, statistic=fit_slope)
    value, heavy = score.astype(np.float64), weights.astype(np.float64)
    total = heavy.sum(axis=1, keepdims=True)
    first, second = (
        values - ratio((heavy * values).sum(axis=1, keepdims=True), total)
        for values in (value, truth)
    )
    squares = (heavy * np.square(first)).sum(axis=1)
    about_zero = (heavy * np.square(value)).sum(axis=1)
    squares = np.where(squares > CONSTANT * about_zero, squares, 0.0)
    return ratio((heavy * first * second).sum(axis=1), squares)


def measure_distances(
    p: Array, y: Array, weights: Array, *, knots: int, level: float | None
) -> float:
    """Return the mean distance of probabilities from their curve, or a quantile of distances."""
    odds = find_odds(p, float(weights.sum()))
    if np.ptp(odds) == 0.0:  # one probability for all
        return float(np.abs(p[0] - np.average(y, weights=weights)))
    if separates(odds, y):  # the curve is a step from one class to the other
        away = np.abs(p - y)
    else:
        curve = CurveFit(odds, y, weights, knots)
        if curve.coefficients is None:
            return math.nan
        away = np.abs(p - curve.observe(odds))
    if level is None:
        return float(np.average(away, weights=weights))
    return float(find_quantiles(away, weights, (level,))[0])


def cut_evenly(p: Array, weights: Array, bins: int) -> NDArray[np.intp]:
    """Return the bin of each case, of equally much weight up to ties, which stay together."""
    order = np.argsort(p, kind="stable")
    ranked, below = p[order], np.cumsum(weights[order])
    edges = np.round(np.arange(1, bins) * below[-1] / bins)
    edges = edges[(edges > 0) & (edges < below[-1])]
    borders = np.unique(ranked[np.searchsorted(below, edges, side="right")])
    return np.searchsorted(borders, p, side="right")


def measure_bins(p: Array, y: Array, weights: Array, *, bins: int, debias: bool) -> float:
    """Return the mean distance of shares and mean probabilities of bins, less that of chance.

    A share of n cases misses by a normal error of variance s (1 - s) / n, which makes distances
    too large. The excess of a distance d is E|N(d, variance)| - |d|. A bin of equal probabilities
    is left as it is: its ties and its weights look the same, so that it has no number of cases.
    """
    places = cut_evenly(p, weights, bins)
    sizes, sums, hits = (
        np.bincount(places, weights=values) for values in (weights, weights * p, weights * y)
    )
    some = sizes > 0
    sizes, sums, hits = sizes[some], sums[some], hits[some]
    share, away = hits / sizes, np.abs(hits - sums) / sizes
    if debias:
        varied = np.array(
            [np.ptp(p[places == place].round(SAME)) > 0 for place in np.flatnonzero(some)]
        )
        spread = np.sqrt(share * (1.0 - share) / np.maximum(sizes, 1.0)) * varied
        steps = ratio(away, spread, undefined=np.inf)
        density = np.exp(-0.5 * np.square(steps)) * math.sqrt(2.0 / math.pi)
        away = away - (spread * density - 2.0 * away * ndtr(-steps))
    return max(float(np.average(away, weights=sizes)), 0.0)


# Which class a metric is about.


def view_classes(target: Target, *, label: object = None) -> tuple[View, ...]:
    """Return the positive class of two, the one that is named, or each of several."""
    if target.task is Task.REGRESSION:
        return (View(target.y.astype(np.float64)),)
    if target.task is Task.BINARY:
        return (View((target.y == 1).astype(np.int8)),)
    codes = range(len(target.classes)) if label is None else [target.classes.index(label)]
    return tuple(View((target.y == code).astype(np.int8), code) for code in codes)


def average_views(values: Array, masses: Array) -> Array:
    """Return the mean over the classes."""
    return np.asarray(values.mean(axis=2))


def _name_class(name: str, title: str, label: object) -> tuple[str, str, dict[str, object]]:
    """Return name, title and knobs of a metric of one class."""
    knobs = {} if label is None else {"pos_label": label}
    words = title if label is None else f"{title} of {label}"
    return name_with_knobs(name, knobs, {}), words, knobs


_of_odds = partial(
    FitMetric, greater_is_better=True, needs=Need.PROBABILITY, needs_all_classes=True
)
_OF_VALUES: dict[Task, TaskFields] = {
    Task.REGRESSION: {"needs": Need.VALUE, "needs_all_classes": False}
}


@register_factory
def calibration_intercept(pos_label: object = None) -> FitMetric:
    """Return calibration in the large: what the log odds lack, on average; 0 if right.

    Above 0 the probabilities are too low. Of several classes name the one it is about.

    Examples
    --------
    >>> from earnest.metrics.calibration import calibration_intercept
    >>> calibration_intercept().ideal
    0.0
    """
    name, title, knobs = _name_class("calibration_intercept", "calibration intercept", pos_label)
    return _of_odds(
        name=name,
        title=title,
        aliases=() if knobs else ("calibration_in_the_large", "citl"),
        limits=(-np.inf, np.inf),
        tasks=CLASSES if knobs else BINARY,
        knobs=knobs,
        ideal=0.0,
        views=partial(view_classes, label=pos_label),
        scan=partial(scan_cases, statistic=fit_intercept),
    )


@register_factory
def calibration_slope(pos_label: object = None) -> FitMetric:
    """Return the calibration slope: by what the log odds have to be multiplied; 1 if right.

    Below 1 the probabilities are too extreme. Of several classes name the one it is about. Of
    values it is the slope of the outcome on the prediction.

    Examples
    --------
    >>> from earnest.metrics.calibration import calibration_slope
    >>> calibration_slope().ideal, calibration_slope(pos_label="b").name
    (1.0, "calibration_slope(pos_label='b')")
    """
    name, title, knobs = _name_class("calibration_slope", "calibration slope", pos_label)
    return _of_odds(
        name=name,
        title=title,
        limits=(-np.inf, np.inf),
        tasks=CLASSES if knobs else BINARY | REGRESSION,
        by_task={} if knobs else _OF_VALUES,
        knobs=knobs,
        ideal=1.0,
        views=partial(view_classes, label=pos_label),
        scan=scan_slope,
    )


def expect(
    target: Target, probability: Numbers, centre: object, *, label: object = None
) -> Moments:
    """Return the probability of a class; shared: 1 and that class."""
    code = 1 if target.task is Task.BINARY else target.classes.index(label)
    p = probability if target.task is Task.BINARY else probability[:, :, code]
    return Moments(p.astype(np.float64)[None], np.stack([np.ones(target.n), target.y == code]))


def expected_over_observed(sums: Array, shared: Array) -> Array:
    """Return the expected over the observed cases, NaN where all or none are of the class."""
    value = ratio(sums[0], shared[1])
    return np.where(shared[1] < shared[0], value, np.nan)


@register_factory
def expected_observed(pos_label: object = None) -> MomentMetric:
    """Return the expected over the observed number of cases of a class; 1 if right.

    Above 1 the probabilities are too high. Of several classes name the one it is about.

    Examples
    --------
    >>> from earnest.metrics.calibration import expected_observed
    >>> expected_observed().limits
    (0.0, inf)
    """
    name, title, knobs = _name_class("expected_observed", "expected / observed", pos_label)
    return MomentMetric(
        name=name,
        title=title,
        aliases=() if knobs else ("eo_ratio", "e_o"),
        greater_is_better=True,
        limits=(0.0, np.inf),
        needs=Need.PROBABILITY,
        needs_all_classes=True,
        tasks=CLASSES if knobs else BINARY,
        knobs=knobs,
        ideal=1.0,
        features=partial(expect, label=pos_label),
        combine=expected_over_observed,
    )


_of_distance = partial(
    FitMetric,
    greater_is_better=False,
    limits=(0.0, 1.0),
    needs=Need.PROBABILITY,
    needs_all_classes=True,
    tasks=CLASSES,
    combine=average_views,
)


def _make_distance(
    word: str, title: str, level: float | None, knots: int, label: object
) -> FitMetric:
    usual = {"knots": USUAL_KNOTS, "pos_label": None}
    check.whole_number("knots", knots, low=min(KNOTS), high=max(KNOTS))
    name, title, class_knobs = _name_class(word, title, label)
    knobs: dict[str, object] = {"knots": knots, **class_knobs}
    return _of_distance(
        name=name_with_knobs(word, {"knots": knots, "pos_label": label}, usual),
        title=title,
        knobs={} if name == word and knots == USUAL_KNOTS else knobs,
        views=partial(view_classes, label=label),
        scan=partial(scan_cases, statistic=partial(measure_distances, knots=knots, level=level)),
    )


@register_factory
def ici(knots: int = USUAL_KNOTS, pos_label: object = None) -> FitMetric:
    """Return the integrated calibration index: the mean distance from a flexible curve.

    The curve is a logistic regression on a restricted cubic spline of the log odds, with 3, 4 or
    5 knots (Austin and Steyerberg 2019). Of several classes it is the mean over the classes, or
    that of the one you name. A distance is never negative, so it is above 0 for right
    probabilities too, the more so the fewer cases there are.

    Examples
    --------
    >>> from earnest.metrics.calibration import ici
    >>> ici(knots=4).name
    'ici(knots=4)'
    """
    return _make_distance("ici", "integrated calibration index", None, knots, pos_label)


@register_factory
def e50(knots: int = USUAL_KNOTS, pos_label: object = None) -> FitMetric:
    """Return the median distance of probabilities from a flexible curve; see `ici`.

    Examples
    --------
    >>> from earnest.metrics.calibration import e50
    >>> e50().limits
    (0.0, 1.0)
    """
    return _make_distance("e50", "median calibration error", 0.5, knots, pos_label)


@register_factory
def e90(knots: int = USUAL_KNOTS, pos_label: object = None) -> FitMetric:
    """Return the distance that nine in ten probabilities are nearer to their curve; see `ici`.

    Examples
    --------
    >>> from earnest.metrics.calibration import e90
    >>> e90().limits
    (0.0, 1.0)
    """
    return _make_distance("e90", "90th percentile calibration error", 0.9, knots, pos_label)


@register_factory
def ece(bins: int = BINS, debias: bool = True, pos_label: object = None) -> FitMetric:
    """Return the expected calibration error over bins of equally many cases.

    It is debiased: less what chance adds to the distances in bins. Of several classes it is the
    mean over the classes, or that of the one you name.

    Examples
    --------
    >>> from earnest.metrics.calibration import ece
    >>> ece(bins=15, debias=False).name
    'ece(bins=15, debias=False)'
    """
    check.whole_number("bins", bins, low=1)
    knobs = {"bins": bins, "debias": bool(debias), "pos_label": pos_label}
    usual = {"bins": BINS, "debias": True, "pos_label": None}
    _, title, _ = _name_class("ece", "expected calibration error", pos_label)
    named = {word: knob for word, knob in knobs.items() if knob is not None}
    return _of_distance(
        name=name_with_knobs("ece", knobs, usual),
        title=title,
        aliases=("expected_calibration_error",) if knobs == usual else (),
        knobs={} if knobs == usual else named,
        views=partial(view_classes, label=pos_label),
        scan=partial(scan_cases, statistic=partial(measure_bins, bins=bins, debias=bool(debias))),
    )
