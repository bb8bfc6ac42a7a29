"""Kaplan and Meier's curve, and the survival of cases by thirds of their predicted risk."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.core.results.interval import Ask

Floats = NDArray[np.float64]
NAMES = {1: ("all",), 2: ("lower half", "higher half")}
THIRDS = ("lowest third", "middle third", "highest third")


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """The share of cases without an event, as a step function.

    Attributes
    ----------
    times : ndarray of shape (m,)
        When events were seen, rising.
    survival, low, high : ndarray of shape (m,)
        The share from each of them on, and the ends of its pointwise interval (Greenwood's
        variance on the scale of log(-log S)); NaN once nobody is left, where it has none.
    observed : ndarray of shape (n,)
        The times of all cases, rising, for the numbers at risk.
    events : int
        How many were seen.
    """

    times: Floats
    survival: Floats
    low: Floats
    high: Floats
    observed: Floats
    events: int

    def at_risk(self, time: float) -> int:
        """Return how many cases are without event and still followed just before a time."""
        return int(len(self.observed) - np.searchsorted(self.observed, time, side="left"))


@dataclass(frozen=True, eq=False)
class RiskGroups:
    """Survival by predicted risk, the lowest risk first; of the winner as searched."""

    names: tuple[str, ...]
    curves: tuple[SurvivalCurve, ...]
    confidence_level: float


def kaplan_meier(
    times: Floats, events: NDArray[np.bool_], *, confidence_level: float = 0.95
) -> SurvivalCurve:
    """Return Kaplan and Meier's estimate of the share without an event.

    At every time of an event the share is multiplied by 1 - events / at risk; a case censored at
    that time is still at risk. The interval of a point S is S to the power of exp(± z s), with s²
    Greenwood's sum of events / (at risk (at risk - events)) divided by (log S)²: it stays between
    0 and 1, and holds for each time by itself, not for the curve as a whole.

    References
    ----------
    Kaplan and Meier (1958), *Nonparametric estimation from incomplete observations*, JASA 53.
    Kalbfleisch and Prentice (2002), *The statistical analysis of failure time data*, section 1.4.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.survival import kaplan_meier
    >>> made = kaplan_meier(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True]))
    >>> made.times, made.survival
    (array([1., 2., 3.]), array([0.75, 0.5 , 0.  ]))
    """
    level = Ask.of(confidence_level, "two-sided").confidence_level
    when, counts = np.unique(times[events], return_counts=True)
    observed = np.sort(times)
    risk = len(times) - np.searchsorted(observed, when, side="left")
    survival: Floats = np.cumprod(1.0 - counts / risk, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(counts / (risk * (risk - counts)))  # inf where all of them die
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(greenwood) / -np.log(survival)
        ends = [survival ** np.exp(r) for r in (reach, -reach)]
    left = survival > 0.0
    low, high = (np.where(left, end, np.nan) for end in ends)
    return SurvivalCurve(when, survival, low, high, observed, int(events.sum()))


def risk_groups(
    pi: Predictions, winner: int | str, *, confidence_level: float = 0.95
) -> RiskGroups:
    """Return the survival of the cases by thirds of the risk that the winner predicted.

    Risks of different repeats may differ in scale, so the rank of a case is averaged over them.
    Cases of equal risk stay together; where the risks take two values, or one, so many groups are
    left.
    """
    target = pi.target
    if target.task is not Task.SURVIVAL or target.event is None:
        raise EvidenceError("there is no survival to draw", got=f"task {target.task}")
    pi = pi.usable()
    target = pi.target
    assert target.event is not None
    parts = thirds(_ranks(pi, pi.configs.index(winner)))
    curves = [
        kaplan_meier(target.y[part], target.event[part], confidence_level=confidence_level)
        for part in parts
    ]
    names = NAMES.get(len(parts), THIRDS)
    return RiskGroups(names, tuple(curves), confidence_level)


def thirds(values: Floats) -> list[NDArray[np.intp]]:
    """Return the positions of the lowest, middle and highest third; equal values stay together."""
    order = np.sort(values)
    cuts = [order[min(round(k * len(values) / 3), len(values) - 1)] for k in (1, 2)]
    codes = np.searchsorted(np.array(cuts), values, side="right")
    return [np.flatnonzero(codes == k) for k in np.unique(codes)]


def _ranks(pi: Predictions, column: int) -> Floats:
    """Return the rank of each case's risk, ties at their mean, averaged over repeats."""
    total, seen = np.zeros(pi.n_cases), np.zeros(pi.n_cases)
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        risks = pi.responses[used, column, repeat].astype(np.float64)
        _, codes, counts = np.unique(risks, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        total[used] += (last - 0.5 * (counts - 1))[codes] / len(used)
        seen[used] += 1
    return np.asarray(total / np.maximum(seen, 1))
