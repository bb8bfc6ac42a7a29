"""What censoring hides, under weights: Kaplan and Meier's curves, and inverse probability weights.

A case that is censored at the time of an event is still at risk of it, so events come first: the
hazard of censoring at a time is over those at risk who had no event then. With G(t) the share that
is not yet censored after t, a case weighs 1 / G(time -) if its event was seen by t, 1 / G(t) if it
was followed beyond t, and 0 if it was censored before (Graf et al. 1999). G is estimated from the
weights of each resample; the weights of all cases then sum to their number, as long as somebody
was followed up to t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.metrics.families import Array, ratio

LOST = 1e-9  # of all weight: what rounding may lose


@dataclass(frozen=True, eq=False)
class Censoring:
    """Survival and censoring of some cases, under every row of weights.

    Attributes
    ----------
    time : ndarray, shape (n,)
        When each case was last seen.
    event : ndarray of bool, shape (n,)
        Whether with an event.
    weights : ndarray, shape (B, n)
        The resamples.
    values : ndarray, shape (m,)
        The different times, rising.
    places : ndarray of intp, shape (n,)
        Which of them each case has.
    survival, free : ndarray, shape (B, m + 1)
        The share without event, and without censoring, before the first and after each time.
    """

    time: Array
    event: NDArray[np.bool_]
    weights: Array
    values: Array
    places: NDArray[np.intp]
    survival: Array
    free: Array

    @classmethod
    def of(cls, time: Numbers, event: Numbers, weights: Numbers) -> Censoring:
        """Estimate both curves.

        Examples
        --------
        >>> import numpy as np
        >>> from earnest.metrics.censoring import Censoring
        >>> time, event = np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True])
        >>> Censoring.of(time, event, np.ones((1, 4))).free
        array([[1. , 1. , 0.5, 0.5]])
        """
        heavy, observed = weights.astype(np.float64), event.astype(bool)
        when = time.astype(np.float64)
        values, places = np.unique(when, return_inverse=True)
        places = places.reshape(-1)
        order = np.argsort(places, kind="stable")
        starts = np.searchsorted(places[order], np.arange(len(values)))
        ranked = heavy[:, order]
        leaving = np.add.reduceat(ranked, starts, axis=1)
        events = np.add.reduceat(ranked * observed[order], starts, axis=1)
        risk = np.cumsum(leaving[:, ::-1], axis=1)[:, ::-1]
        dying = ratio(events, risk)
        censored = ratio(leaving - events, risk - events)
        survival, free = (_multiply_out(hazard) for hazard in (dying, censored))
        return cls(when, observed, heavy, values, places, survival, free)

    @property
    def total(self) -> Array:
        """The weight of all cases: (B, 1)."""
        return np.asarray(self.weights.sum(axis=1, keepdims=True))

    def find_survival(self, t: float) -> Array:
        """Return the share without event after a time: (B,)."""
        return self.survival[:, np.searchsorted(self.values, t, side="right")]

    def weigh(self, t: float) -> Array:
        """Return what cases weigh in a mean at a time: (B, n); NaN where nobody was followed to it.

        Examples
        --------
        >>> import numpy as np
        >>> from earnest.metrics.censoring import Censoring
        >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, True])
        >>> Censoring.of(time, event, np.ones((1, 4))).weigh(3.0)
        array([[1. , 0. , 1.5, 1.5]])
        """
        after = self.free[:, np.searchsorted(self.values, t, side="right"), None]
        before = self.free[:, self.places]
        inverse = np.where(
            self.time > t,
            ratio(self.weights, after, 0.0),
            np.where(self.event, ratio(self.weights, before, 0.0), 0.0),
        )
        inverse = np.where(self.weights > 0, inverse, 0.0)
        total = self.total
        lost = inverse.sum(axis=1, keepdims=True) < (1.0 - LOST) * total
        return np.where(lost | (total <= 0), np.nan, inverse)

    def square(self, tau: float) -> Array:
        """Return the inverse squared shares before each case's event: (B, n), 0 from tau on."""
        before = self.free[:, self.places]
        counts = self.event & (self.time < tau) & (self.weights > 0)
        return np.where(counts, ratio(1.0, np.square(before), 0.0), 0.0)


def _multiply_out(hazard: Array) -> Array:
    """Return what is left before the first and after each time (B, m + 1)."""
    left = np.cumprod(1.0 - np.nan_to_num(hazard), axis=1, dtype=np.float64)
    return np.hstack([np.ones((len(hazard), 1)), left])
