"""Metrics of predicted survival: Brier scores, calibration at a time, lost time.

All are computed from the chance to be without event at the times of the target, between which
a curve is a straight line from 1 at time 0 on. What censoring hides is weighted in as
`earnest.metrics.censoring` says, anew under every row of weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError
from earnest.core.base.sums import weighted_sums
from earnest.core.data.target import Target
from earnest.metrics.calibration import Statistic, count_cases, fit_slope, measure_distances
from earnest.metrics.censoring import Censoring
from earnest.metrics.families import SURVIVAL, Array, CurveMetric, Need, ratio
from earnest.metrics.resolve import name_with_knobs, register_factory
from earnest.metrics.survival import check_time, find_time

TENTHS = 10
SLACK = 1e-9  # of the last time: what counts as being that time


def read_chances(target: Target, curves: Numbers, at: float) -> Array:
    """Return the chances (n, C) at a time, on a straight line between those that are there."""
    times = np.array((0.0, *target.times))
    if not at <= times[-1] * (1.0 + SLACK):
        raise InputError(
            f"survival was not predicted up to {at:g}",
            needs=f"a time up to {times[-1]:g}",
            got=f"{at:g}",
            cure="Ask for an earlier time, or search again with that time in the metric.",
        )
    index = min(int(np.searchsorted(times, at, side="left")), len(times) - 1)
    if index == 0:
        return np.ones(curves.shape[:2])
    share = min((at - times[index - 1]) / (times[index] - times[index - 1]), 1.0)
    late = curves[:, :, index - 1].astype(np.float64)
    early = curves[:, :, index - 2].astype(np.float64) if index > 1 else np.ones_like(late)
    return late if share == 1.0 else (1.0 - share) * early + share * late


def _read_censoring(target: Target, weights: Numbers) -> Censoring:
    assert target.event is not None
    return Censoring.of(target.y, target.event, weights)


def _average(inverse: Array, losses: Array, total: Array) -> Array:
    """Return weighted means (B, C); rows of undefined weights stay NaN."""
    lost = np.isnan(inverse).any(axis=1, keepdims=True)
    sums = weighted_sums(np.where(lost, 0.0, inverse), losses)
    return np.where(lost, np.nan, ratio(sums, total))


def find_squares(target: Target, curves: Numbers, at: float) -> Array:
    """Return what each case loses at a time (n, C): its chance, squared, or what it lacks to 1."""
    chances = read_chances(target, curves, at)
    later = (target.y > at)[:, None]
    return np.square(np.where(later, 1.0 - chances, chances))


def score_brier(target: Target, curves: Numbers, weights: Numbers, *, at: float | None) -> Array:
    """Return the Brier score at a time (B, C)."""
    time = find_time(target, at, middle=True)
    censoring = _read_censoring(target, weights)
    losses = find_squares(target, curves, time)
    return _average(censoring.weigh(time), losses, censoring.total)


def score_integrated(
    target: Target, curves: Numbers, weights: Numbers, *, until: float | None
) -> Array:
    """Return the mean Brier score from time 0, where it is 0, to a time (B, C)."""
    end = find_time(target, until)
    censoring = _read_censoring(target, weights)
    times = np.array([t for t in target.times if t < end * (1.0 - SLACK)] + [end])
    steps = np.diff(times, prepend=0.0)
    shares = (steps + np.append(steps[1:], 0.0)) / 2.0  # of the trapezoids; that of time 0 adds 0
    out = np.zeros((len(weights), curves.shape[1]))
    for time, share in zip(times.tolist(), shares.tolist(), strict=True):
        losses = find_squares(target, curves, time)
        out += share / end * _average(censoring.weigh(time), losses, censoring.total)
    return out


def find_mean_times(target: Target, curves: Numbers, until: float) -> Array:
    """Return the mean time without event up to a time (n, C): the area below the curve."""
    times = [0.0, *(t for t in target.times if t < until * (1.0 - SLACK)), until]
    chances = [np.ones(curves.shape[:2])] + [read_chances(target, curves, t) for t in times[1:]]
    area = np.zeros(curves.shape[:2])
    for k, step in enumerate(np.diff(times).tolist()):
        area += step * (chances[k] + chances[k + 1]) / 2.0
    return area


def score_mean_times(
    target: Target, curves: Numbers, weights: Numbers, *, until: float | None
) -> Array:
    """Return the mean absolute error of the restricted mean time (B, C)."""
    end = find_time(target, until)
    censoring = _read_censoring(target, weights)
    away = np.abs(np.minimum(target.y, end)[:, None] - find_mean_times(target, curves, end))
    return _average(censoring.weigh(end), away, censoring.total)


def score_ratio(target: Target, curves: Numbers, weights: Numbers, *, at: float | None) -> Array:
    """Return the expected over the observed chance of an event by a time (B, C)."""
    time = find_time(target, at, middle=True)
    censoring = _read_censoring(target, weights)
    risks = 1.0 - read_chances(target, curves, time)
    expected = _average(censoring.weights, risks, censoring.total)
    observed = 1.0 - censoring.find_survival(time)
    lost = np.isnan(censoring.weigh(time)).any(axis=1, keepdims=True)
    return np.where(lost, np.nan, ratio(expected, observed[:, None]))


def score_fit(
    target: Target, curves: Numbers, weights: Numbers, *, at: float | None, statistic: Statistic
) -> Array:
    """Return a statistic of the calibration at a time (B, C), of cases whose state is known."""
    time = find_time(target, at, middle=True)
    censoring = _read_censoring(target, weights)
    inverse = censoring.weigh(time)
    risks = 1.0 - read_chances(target, curves, time)
    outcome = (target.y <= time).astype(np.float64)
    out = np.full((len(weights), curves.shape[1]), np.nan)
    for b, row in enumerate(inverse):
        used = row > 0
        if np.isnan(row).any() or not 0.0 < outcome[used].mean() < 1.0:
            continue
        raw = censoring.weights[b, used]
        masses = count_cases(raw) / raw * row[used]
        for c in np.flatnonzero(~np.isnan(risks).any(axis=0)).tolist():
            out[b, c] = statistic(risks[used, c], outcome[used], masses)
    return out


def share_tenths(target: Target, curves: Numbers, end: float) -> Array:
    """Return how much of each case falls into each tenth of the chances (10, n, C).

    The chance at the time of an event falls into one. That of a censored case could still fall
    anywhere below the chance when it was last seen; a case followed beyond the end is censored
    there (Haider et al. 2020).
    """
    times = np.array((0.0, *target.times))
    last = np.minimum(target.y, end)
    places = np.clip(np.searchsorted(times, last, side="left"), 1, len(times) - 1)
    share = (last - times[places - 1]) / (times[places] - times[places - 1])
    whole = np.concatenate([np.ones_like(curves[:, :, :1]), curves], axis=2).astype(np.float64)
    rows = np.arange(target.n)
    low, high = whole[rows, :, places], whole[rows, :, places - 1]
    chance = high + np.clip(share, 0.0, 1.0)[:, None] * (low - high)
    assert target.event is not None
    event = (target.event & (target.y <= end))[:, None]
    tenth = np.minimum(np.floor(chance * TENTHS), TENTHS - 1)
    out = np.empty((TENTHS, *chance.shape))
    for k in range(TENTHS):
        inside = tenth == k
        below = np.clip(chance - k / TENTHS, 0.0, 1.0 / TENTHS)
        out[k] = np.where(event | (chance <= 0), inside, ratio(below, chance))
    return out


def score_tenths(
    target: Target, curves: Numbers, weights: Numbers, *, until: float | None
) -> Array:
    """Return the share of cases in a wrong tenth (B, C)."""
    end = find_time(target, until)
    heavy = weights.astype(np.float64)
    total = heavy.sum(axis=1, keepdims=True)
    tenths = share_tenths(target, curves, end)
    away = sum(np.abs(ratio(weighted_sums(heavy, tenth), total) - 0.1) for tenth in tenths)
    return np.where(total > 0, np.asarray(away) / 2.0, np.nan)


Score = Callable[..., Array]


def score_where_timed(target: Target, curves: Numbers, weights: Numbers, *, score: Score) -> Array:
    """Return a score (B, C), NaN where nothing was ever followed."""
    if not target.times:
        return np.full((len(weights), curves.shape[1]), np.nan)
    return score(target, curves, weights)


def _make(
    word: str,
    title: str,
    score: Score,
    time: tuple[str, float | None],
    *,
    limits: tuple[float, float] = (0.0, 1.0),
    ideal: float | None = None,
    aliases: tuple[str, ...] = (),
    levels_alone: bool = False,
) -> CurveMetric:
    """Return a metric of curves with one knob, the time it is about."""
    name, value = time[0], check_time(*time)
    words = {"at": f"{title} at", "until": f"{title} until"}[name]
    return CurveMetric(
        name=name_with_knobs(word, {name: value}, {name: None}),
        title=title + " at a time" * (name == "at") if value is None else f"{words} {value:g}",
        aliases=aliases if value is None else (),
        greater_is_better=ideal is not None,
        limits=limits,
        needs=Need.SURVIVAL,
        tasks=SURVIVAL,
        knobs={} if value is None else {name: value},
        ideal=ideal,
        at=value,
        levels_alone=levels_alone,
        score=partial(score_where_timed, score=partial(score, **{name: value})),
    )


@register_factory
def survival_brier(at: float | None = None) -> CurveMetric:
    """Return the Brier score at a time, by default the middle one (Graf et al. 1999).

    Examples
    --------
    >>> from earnest.metrics.survival_curves import survival_brier
    >>> survival_brier(at=365).name
    'survival_brier(at=365)'
    """
    return _make("survival_brier", "Brier score", score_brier, ("at", at))


@register_factory
def integrated_brier(until: float | None = None) -> CurveMetric:
    """Return the mean Brier score from time 0 to a time, by default the horizon.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import integrated_brier
    >>> integrated_brier().limits
    (0.0, 1.0)
    """
    aliases = ("ibs", "integrated_brier_score")
    title = "integrated Brier score"
    return _make("integrated_brier", title, score_integrated, ("until", until), aliases=aliases)


@register_factory
def rmst_error(until: float | None = None) -> CurveMetric:
    """Return the mean absolute error of the predicted mean time without event up to a time.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import rmst_error
    >>> rmst_error(until=5).title
    'error of the mean time without event until 5'
    """
    title = "error of the mean time without event"
    return _make("rmst_error", title, score_mean_times, ("until", until), limits=(0.0, np.inf))


@register_factory
def survival_ratio(at: float | None = None) -> CurveMetric:
    """Return the expected over the observed chance of an event by a time; 1 if right.

    The observed one is Kaplan and Meier's. Above 1 the predicted risks are too high.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import survival_ratio
    >>> survival_ratio(at=2).ideal
    1.0
    """
    return _make(
        "survival_ratio", "expected / observed", score_ratio, ("at", at),
        limits=(0.0, np.inf), ideal=1.0,
    )  # fmt: skip


@register_factory
def survival_slope(at: float | None = None) -> CurveMetric:
    """Return the calibration slope at a time: by what the log odds have to be multiplied.

    By a logistic regression of the state at that time on the log odds of the predicted risk, in
    which cases weigh by the inverse share not yet censored. Below 1 the risks are too extreme.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import survival_slope
    >>> survival_slope(at=2).ideal
    1.0
    """
    score = partial(score_fit, statistic=fit_slope)
    limits = (-np.inf, np.inf)
    return _make("survival_slope", "calibration slope", score, ("at", at), limits=limits, ideal=1.0)


@register_factory
def survival_ici(at: float | None = None) -> CurveMetric:
    """Return the integrated calibration index at a time: the mean distance of risks from a curve.

    The curve is that of `ici`, and cases weigh as for `survival_slope`. It is above 0 for right
    risks too, the more so the fewer events there are.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import survival_ici
    >>> survival_ici(at=2).limits
    (0.0, 1.0)
    """
    score = partial(score_fit, statistic=partial(measure_distances, knots=3, level=None))
    title = "integrated calibration index"
    return _make("survival_ici", title, score, ("at", at), levels_alone=True)


@register_factory
def d_calibration(until: float | None = None) -> CurveMetric:
    """Return the share of cases in a wrong tenth of the predicted chances.

    If curves are right, the chance at the time of the event is as likely in one tenth as in
    another (Haider et al. 2020). Cases followed beyond the end, by default the horizon, count as
    censored there. It is above 0 for right curves too, the more so the fewer cases there are. A
    censored case is spread evenly over the tenths below, so that heavy censoring hides distances.

    Examples
    --------
    >>> from earnest.metrics.survival_curves import d_calibration
    >>> d_calibration().greater_is_better
    False
    """
    title = "share in wrong tenths"
    return _make("d_calibration", title, score_tenths, ("until", until), levels_alone=True)
