"""Metrics of survival by their definitions: a case, a pair and a time at a time.

`of_survival(name, y, response, weight)` is given (time, event), the risk with the chances at
`TIMES` behind it, and real weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from earnest.metrics import CurveFit, find_odds
from tests.metrics.evidence import TIMES

Values = NDArray[Any]
MIDDLE, END = TIMES[len(TIMES) // 2], TIMES[-1]
OF_SURVIVAL = {
    *("uno_c", "survival_auc", "survival_brier", "integrated_brier", "rmst_error"),
    *("survival_ratio", "survival_slope", "survival_ici", "d_calibration"),
}


def curve(y: Values, weight: Values, *, of_events: bool, at: float, before: bool = False) -> float:
    """Return Kaplan and Meier's share after (or just before) a time, of events or of censoring."""
    share = 1.0
    for time in sorted(set(y[:, 0])):
        if time > at or (before and time == at):
            break
        risk = weight[y[:, 0] >= time].sum()
        events = weight[(y[:, 0] == time) & (y[:, 1] > 0)].sum()
        others = weight[(y[:, 0] == time) & (y[:, 1] == 0)].sum()
        if of_events and risk > 0:
            share *= 1.0 - events / risk
        if not of_events and risk - events > 0:
            share *= 1.0 - others / (risk - events)
    return float(share)


def inverse(y: Values, weight: Values, at: float) -> Values | None:
    """Return inverse probability weights at a time, None where nobody was followed up to it."""
    used = y[weight > 0]
    last = used[:, 0].max() if len(used) else 0.0
    followed = last > at or ((used[:, 0] == last) <= (used[:, 1] > 0)).all()
    if not len(used) or not followed:
        return None
    out = np.zeros(len(y))
    for i, (time, event) in enumerate(y):
        if weight[i] > 0 and time > at:
            out[i] = weight[i] / curve(y, weight, of_events=False, at=at)
        elif weight[i] > 0 and event > 0:
            out[i] = weight[i] / curve(y, weight, of_events=False, at=time, before=True)
    return out


def chance(response: Values, at: float) -> Values:
    """Return the chance of each case at a time, on straight lines from 1 on."""
    times = (0.0, *TIMES)
    return np.array([np.interp(at, times, [1.0, *row[1:]]) for row in response])


def of_survival(name: str, y: Values, response: Values, weight: Values) -> float:
    """Return the value of a metric, NaN where it is undefined."""
    if name == "uno_c":
        return uno(y, response[:, 0], weight)
    if name == "d_calibration":
        return tenths(y, response, weight)
    if name == "integrated_brier":
        values = [0.0, *(brier(y, response, weight, at) for at in TIMES)]
        return float(np.trapezoid(values, (0.0, *TIMES)) / END)
    if name == "survival_brier":
        return brier(y, response, weight, MIDDLE)
    known = inverse(y, weight, END if name == "rmst_error" else MIDDLE)
    if known is None:
        return math.nan
    if name == "rmst_error":
        grid = [1.0, *(0.0 for _ in TIMES)]
        lost = 0.0
        for i, row in enumerate(response):
            grid[1:] = row[1:]
            area = np.trapezoid(grid, (0.0, *TIMES))
            lost += known[i] * abs(min(y[i, 0], END) - area)
        return float(lost / weight.sum())
    risk = 1.0 - chance(response, MIDDLE)
    if name == "survival_auc":
        return area_of(y, response[:, 0], known)
    if name == "survival_ratio":
        observed = 1.0 - curve(y, weight, of_events=True, at=MIDDLE)
        return float((weight * risk).sum() / weight.sum() / observed) if observed else math.nan
    return fit(name, y, risk, weight, known)


def brier(y: Values, response: Values, weight: Values, at: float) -> float:
    known, p = inverse(y, weight, at), chance(response, at)
    if known is None:
        return math.nan
    away = [(float(time > at) - p[i]) ** 2 for i, (time, _) in enumerate(y)]
    return float((known * away).sum() / weight.sum())


def area_of(y: Values, risk: Values, known: Values) -> float:
    good = count = 0.0
    for i in np.flatnonzero(y[:, 0] <= MIDDLE):
        for j in np.flatnonzero(y[:, 0] > MIDDLE):
            good += known[i] * known[j] * (float(risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
            count += known[i] * known[j]
    return good / count if count else math.nan


def uno(y: Values, risk: Values, weight: Values) -> float:
    good = count = 0.0
    for i in np.flatnonzero((y[:, 1] > 0) & (y[:, 0] < END) & (weight > 0)):
        free = curve(y, weight, of_events=False, at=y[i, 0], before=True)
        later = (y[:, 0] > y[i, 0]) | ((y[:, 0] == y[i, 0]) & (y[:, 1] == 0))
        for j in np.flatnonzero(later):
            both = weight[i] * weight[j] / free**2
            good += both * (float(risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
            count += both
    return good / count if count else math.nan


def tenths(y: Values, response: Values, weight: Values) -> float:
    total = np.zeros(10)
    for i, (time, event) in enumerate(y):
        level = float(chance(response[i : i + 1], min(time, END))[0])
        if event > 0 and time <= END:
            total[min(int(level * 10), 9)] += weight[i]
            continue
        for k in range(10):
            total[k] += weight[i] * max(0.0, min(level, (k + 1) / 10) - k / 10) / level
    return float(np.abs(total / total.sum() - 0.1).sum() / 2) if total.sum() else math.nan


def fit(name: str, y: Values, risk: Values, weight: Values, known: Values) -> float:
    """Return slope or ICI of whole weights: a logistic regression of rows that are there."""
    used = known > 0
    state = (y[used, 0] <= MIDDLE).astype(float)
    if not 0.0 < state.mean() < 1.0:
        return math.nan
    masses, p = known[used], risk[used]
    divisor = np.gcd.reduce(weight[used].astype(np.int64)) if (weight % 1 == 0).all() else 1
    masses = masses / divisor
    odds = find_odds(p, float(masses.sum()))
    if name == "survival_slope":
        if np.ptp(odds) == 0 or odds[state == 1].max() <= odds[state == 0].min():
            return math.nan
        if odds[state == 0].max() <= odds[state == 1].min():
            return math.nan
        model = LogisticRegression(C=np.inf, tol=1e-14, max_iter=100_000, solver="newton-cholesky")
        return float(model.fit(odds[:, None], state, sample_weight=masses).coef_[0, 0])
    if np.ptp(odds) == 0:
        return float(abs(p[0] - np.average(state, weights=masses)))
    low, high = odds[state == 0], odds[state == 1]
    if low.max() <= high.min() or high.max() <= low.min():
        return float(np.average(np.abs(p - state), weights=masses))
    spline = CurveFit(odds, state, masses, 3)
    if spline.coefficients is None:
        return math.nan
    return float(np.average(np.abs(p - spline.observe(odds)), weights=masses))
