"""Calibration of survival at times: what was predicted beside Kaplan and Meier's share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.inference.curves.winner import SurvivalCurve, kaplan_meier
from earnest.metrics.families import CurveMetric, Metric, Need
from earnest.metrics.responding import respond
from earnest.metrics.survival_curves import read_chances

GROUPS = 5
CASES_A_GROUP = 10
PANELS = 3
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CalibrationAtTime:
    """Predicted and observed chances of an event by a time, in groups of predicted risk.

    Attributes
    ----------
    time : float
        The time.
    predicted, observed, low, high : ndarray, shape (G,)
        The mean predicted chance of each group, the observed one (Kaplan and Meier's) and the ends
        of its interval; NaN where no event was seen yet, so that there is none.
    counts, events : ndarray of intp, shape (G,)
        The cases of each group, and those with an event by then.
    expected, overall, overall_low, overall_high : float
        The same of all cases.
    confidence_level : float
        Of the intervals, each on its own.
    """

    time: float
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    counts: NDArray[np.intp]
    events: NDArray[np.intp]
    expected: float
    overall: float
    overall_low: float
    overall_high: float
    confidence_level: float

    @property
    def ratio(self) -> float:
        """The expected over the observed chance."""
        return self.expected / self.overall if self.overall > 0 else float("nan")

    @property
    def n_outside(self) -> int:
        """In how many groups the interval does not hold the predicted chance."""
        return int(((self.predicted < self.low) | (self.predicted > self.high)).sum())


def choose_panels(pi: Predictions, metric: Metric | None = None) -> tuple[float, ...]:
    """Return the times that are shown: the metric's, and the thirds of the time to the horizon."""
    times = pi.target.times
    if not times:
        return ()
    thirds = [
        min(times, key=lambda t: abs(t - k * times[-1] / PANELS)) for k in range(1, PANELS + 1)
    ]
    at = metric.at if isinstance(metric, CurveMetric) else None
    if at is not None and at <= times[-1]:
        thirds[min(range(PANELS), key=lambda k: abs(thirds[k] - at))] = at
    return tuple(sorted(set(thirds)))


def calibrate_at_times(
    pi: Predictions,
    winner: int | str,
    times: tuple[float, ...] | None = None,
    *,
    confidence_level: float = 0.95,
) -> tuple[CalibrationAtTime, ...]:
    """Return the calibration of one configuration at times, of its own predictions as they are.

    Cases are put into up to five groups of equally many by their predicted chance, ten or more in
    each; equal ones stay together. A group that nobody of was followed up to the time is left out.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.inference.curves.at_times import calibrate_at_times
    >>> outcome = np.arange(1.0, 41.0), np.ones(40, dtype=bool)
    >>> pi = en.Predictions.from_arrays(outcome, np.full((40, 1, 1, 1), 0.4), times=[20.0])
    >>> at = calibrate_at_times(pi, 0)[0]
    >>> at.predicted.round(2).tolist(), at.observed.round(2).tolist()
    ([0.6], [0.5])
    """
    pi = pi.usable()
    target = pi.target
    if pi.kind is not ResponseKind.SURVIVAL or target.event is None:
        raise EvidenceError("there is no survival at times", got=f"{pi.kind} responses")
    column = pi.configs.index(winner)
    answers = np.nanmean(pi.responses[:, column : column + 1].astype(np.float64), axis=2)
    curves = respond(pi, Need.SURVIVAL, answers)
    out = []
    for time in choose_panels(pi) if times is None else times:
        risks = 1.0 - read_chances(target, curves, time)[:, 0]
        whole = _observe(target.y, target.event, time, confidence_level)
        if whole is None:
            continue
        cells = []
        for rows in cut_groups(risks):
            share = _observe(target.y[rows], target.event[rows], time, confidence_level)
            if share is not None:
                early = target.event[rows] & (target.y[rows] <= time)
                cells.append((float(risks[rows].mean()), *share, len(rows), int(early.sum())))
        predicted, observed, low, high, counts, events = (
            np.array(x) for x in zip(*cells, strict=True)
        )
        out.append(
            CalibrationAtTime(
                time, predicted, observed, low, high, counts, events,
                float(risks.mean()), *whole, confidence_level,
            )
        )  # fmt: skip
    return tuple(out)


def cut_groups(risks: Floats) -> list[NDArray[np.intp]]:
    """Return the positions of groups of equally many cases, the lowest risks first."""
    count = max(1, min(GROUPS, len(risks) // CASES_A_GROUP))
    order = np.sort(risks)
    cuts = [order[round(k * len(risks) / count)] for k in range(1, count)]
    codes = np.searchsorted(np.array(cuts), risks, side="right")
    return [np.flatnonzero(codes == k) for k in np.unique(codes)]


def _observe(
    times: Floats, events: NDArray[np.bool_], time: float, level: float
) -> tuple[float, float, float] | None:
    """Return the observed chance of an event by a time with its interval, None if unknown."""
    if not events.any():
        return (0.0, np.nan, np.nan) if (times > time).any() else None
    curve = kaplan_meier(times, events, confidence_level=level)
    if not (times > time).any() and curve.survival[-1] > 0:
        return None
    return _read(curve, time)


def _read(curve: SurvivalCurve, time: float) -> tuple[float, float, float]:
    index = int(np.searchsorted(curve.times, time, side="right")) - 1
    if index < 0:
        return 0.0, np.nan, np.nan
    ends = 1.0 - float(curve.high[index]), 1.0 - float(curve.low[index])
    return 1.0 - float(curve.survival[index]), *ends
