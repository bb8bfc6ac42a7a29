"""The partial likelihood with Efron's ties, and the baseline that turns risks into survival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from earnest.core.base.errors import InputError
from earnest.core.data.target import survival_parts
from earnest.metrics.survival import concordance_scan

Array = NDArray[np.float64]
FARTHEST = 500.0  # of a log hazard from the largest one, before its exponential is 0
M = TypeVar("M", bound="HazardModel")


def read_survival(y: object) -> tuple[Array, NDArray[np.bool_]]:
    """Return times and events; refuse other outcomes, and cases without any event."""
    pair = survival_parts(y)
    if pair is None:
        raise InputError(
            "survival learners need times and events",
            needs="a structured array with a bool and a float field, or (event, time)",
            got=f"{type(y).__name__}",
        )
    time, event = np.asarray(pair[0], dtype=np.float64), np.asarray(pair[1], dtype=bool)
    if not event.any():
        raise InputError("no case has an event", needs="at least one case that is not censored")
    return time, event


@dataclass(frozen=True, eq=False)
class PartialLikelihood:
    """Cox's partial likelihood of log hazards, with Efron's approximation for tied events.

    Attributes
    ----------
    order : ndarray of intp, shape (n,)
        The cases, the latest time first.
    ends : ndarray of intp, shape (e,)
        For each event, in that order, the last place of those at risk.
    firsts : ndarray of intp, shape (e,)
        The first event of the same time.
    shares : ndarray, shape (e,)
        The share of the tied events that have left the risk set before it.
    places : ndarray of intp, shape (e,)
        Where the events stand in the order.
    """

    order: NDArray[np.intp]
    ends: NDArray[np.intp]
    firsts: NDArray[np.intp]
    counts: NDArray[np.intp]
    shares: Array
    places: NDArray[np.intp]

    @classmethod
    def of(cls, time: Array, event: NDArray[np.bool_]) -> PartialLikelihood:
        """Sort the cases by time."""
        order = np.argsort(-time, kind="stable")
        late, observed = time[order], event[order]
        places = np.flatnonzero(observed)
        when = late[places]
        firsts = np.searchsorted(-when, -when, side="left")
        counts = np.searchsorted(-when, -when, side="right") - firsts
        shares = (np.arange(len(when)) - firsts) / counts
        ends = np.searchsorted(-late, -when, side="right") - 1
        return cls(order, ends, firsts, counts, shares, places)

    def _sum_tied(self, values: Array) -> Array:
        """Return for each event the sum of a value (n, ...) over the events of its time."""
        below = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
        return np.asarray(below[self.firsts + self.counts] - below[self.firsts])

    def _find_denominators(self, risks: Array) -> Array:
        whole = np.cumsum(risks)[self.ends]
        return np.asarray(whole - self.shares * self._sum_tied(risks[self.places]))

    def evaluate(self, hazards: Array) -> tuple[float, Array, Array]:
        """Return the log likelihood, the expected events of each case, and their rate.

        The residual of a case is its event less its expected events: the gradient.
        """
        log_risks = hazards[self.order]
        top = float(log_risks.max())
        risks = np.exp(np.maximum(log_risks - top, -FARTHEST))
        denominators = self._find_denominators(risks)
        value = float((log_risks[self.places] - top - np.log(denominators)).sum())
        rates = np.zeros(len(risks) + 1)  # from the latest time on, what an event adds
        np.add.at(rates, self.ends, 1.0 / denominators)
        total = np.cumsum(rates[::-1])[::-1][: len(risks)]
        correction = self._sum_tied(self.shares / denominators)
        total[self.places] -= correction
        expected, rate = np.empty_like(risks), np.empty_like(risks)
        expected[self.order], rate[self.order] = risks * total, total
        return value, expected, rate

    def curve(self, X: Array, hazards: Array, expected: Array) -> Array:
        """Return the information (p, p): less the second derivative of the log likelihood."""
        log_risks = hazards[self.order]
        risks = np.exp(np.maximum(log_risks - log_risks.max(), -FARTHEST))
        weighted = X[self.order] * risks[:, None]
        sums = np.cumsum(weighted, axis=0)[self.ends]
        sums -= self.shares[:, None] * self._sum_tied(weighted[self.places])
        means = sums / self._find_denominators(risks)[:, None]
        return np.asarray((X * expected[:, None]).T @ X - means.T @ means)


class HazardModel(BaseEstimator):
    """A model of log hazards, whose survival is that of Breslow's baseline.

    Attributes
    ----------
    times_ : ndarray, shape (m,)
        When events were seen, rising.
    baseline_ : ndarray, shape (m,)
        The cumulative hazard at a log hazard of 0 from each of them on (Breslow 1972).
    followed_ : float
        The longest time of a training case.
    """

    times_: Array
    baseline_: Array
    followed_: float

    def predict(self, X: Array) -> Array:
        """Return the log hazard; greater is riskier."""
        raise NotImplementedError

    def _fit_baseline(self, hazards: Array, time: Array, event: NDArray[np.bool_]) -> None:
        """Estimate the baseline, from the log hazards of the cases."""
        self.times_, counts = np.unique(time[event], return_counts=True)
        order = np.argsort(time, kind="stable")
        later = np.cumsum(np.exp(np.clip(hazards[order], -FARTHEST, FARTHEST))[::-1])[::-1]
        risk = later[np.searchsorted(time[order], self.times_, side="left")]
        self.baseline_ = np.cumsum(counts / risk)
        self.followed_ = float(time.max())

    def predict_survival(self, X: Array, times: object) -> Array:
        """Return the chance to be without event after each of some times: (n, K).

        After the last event of the training cases it stays as it is.
        """
        hazards = self.predict(X)
        moments = np.asarray(times, dtype=np.float64).reshape(-1)
        levels = np.append(0.0, self.baseline_)[np.searchsorted(self.times_, moments, side="right")]
        rates = np.exp(np.clip(hazards, -FARTHEST, FARTHEST))
        return np.exp(-rates[:, None] * levels)

    def score(self, X: Array, y: object) -> float:
        """Return the concordance index."""
        time, event = read_survival(y)
        truth = np.column_stack([time, event.astype(np.float64)])
        ones = np.ones((1, len(time)), dtype=np.int64)
        return float(concordance_scan(self.predict(X), truth, ones)[0])
