"""Cox's proportional hazards in scikit-learn's form, with an elastic net."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base.errors import InputError
from earnest.training.learners.survival.hazards import (
    Array,
    HazardModel,
    PartialLikelihood,
    read_survival,
)

NEWTON_STEPS, GRADIENT_STEPS = 100, 2000
CLOSE = 1e-10  # of a Newton step, relative to the coefficients
NEAR = 1e-7  # the same, of a gradient step
SMALLEST = 1e-6  # what is left of a step before it is given up


class CoxRegressor(HazardModel):
    """Cox's proportional hazards model with an elastic net.

    `predict` gives the log hazard relative to the mean case: greater is riskier.
    `predict_survival` gives the chance to be without event at times.

    Ties are Efron's (1977), the baseline is Breslow's. The mean log partial likelihood is penalised
    by penalizer * (l1_ratio |w|_1 + (1 - l1_ratio) |w|²/2), of the columns as they are.

    Parameters
    ----------
    penalizer : float
        The penalty; above 0, so that any number of columns can be fitted.
    l1_ratio : float
        The share of the L1 penalty, from 0 to 1.

    Attributes
    ----------
    coef_ : ndarray, shape (p,)
        The log hazard ratios.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.survival.cox import CoxRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> model = CoxRegressor(penalizer=0.001).fit(X, (np.ones(200, dtype=bool), time))
    >>> [bool(abs(c - t) < 0.2) for c, t in zip(model.coef_, (1.0, 0.0))]
    [True, True]
    >>> model.predict_survival(X[:1], [0.1, 1.0]).shape
    (1, 2)
    """

    def __init__(self, penalizer: float = 0.1, l1_ratio: float = 0.0) -> None:
        self.penalizer = penalizer
        self.l1_ratio = l1_ratio

    def fit(self, X: Array, y: object) -> CoxRegressor:
        """Fit to a structured array of events and times, or to such a pair."""
        X = validate_data(self, X, dtype=np.float64)
        time, event = read_survival(y)
        likelihood = PartialLikelihood.of(time, event)
        self.center_ = X.mean(axis=0)
        apart = X - self.center_
        l1 = self.penalizer * self.l1_ratio
        l2 = self.penalizer * (1.0 - self.l1_ratio)
        if l1 > 0:
            self.coef_ = descend(likelihood, apart, event, l1, l2)
        elif X.shape[1] > len(X):  # coefficients of a ridge lie in the space of the rows
            basis = np.linalg.qr(apart.T)[0]
            self.coef_ = basis @ climb(likelihood, apart @ basis, event, l2)
        else:
            self.coef_ = climb(likelihood, apart, event, l2)
        self.coef_[np.ptp(X, axis=0) == 0.0] = 0.0  # but for rounding they are
        self._fit_baseline(apart @ self.coef_, time, event)
        return self

    def predict(self, X: Array) -> Array:
        """Return the log hazard, 0 for the mean case; greater is riskier."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray((X - self.center_) @ self.coef_)


def climb(likelihood: PartialLikelihood, X: Array, event: NDArray[np.bool_], l2: float) -> Array:
    """Return the coefficients of a ridge by Newton's steps; one that goes down is halved."""
    n, p = X.shape
    coefficients = np.zeros(p)
    value, expected, _ = likelihood.evaluate(X @ coefficients)
    value = value / n
    for _ in range(NEWTON_STEPS):
        slopes = X.T @ (event - expected) / n - l2 * coefficients
        bend = likelihood.curve(X, X @ coefficients, expected) / n + l2 * np.eye(p)
        step = np.linalg.lstsq(bend, slopes, rcond=None)[0]
        reach = max(1.0, float(np.abs(coefficients).max(initial=0.0)))
        share = 1.0
        while share > SMALLEST:
            trial = coefficients + share * step
            raw, hits, _ = likelihood.evaluate(X @ trial)
            height = raw / n - l2 * float(trial @ trial) / 2.0
            if height >= value - 1e-12 * abs(value):
                break
            share /= 2.0
        else:
            return coefficients
        coefficients, value, expected = trial, height, hits
        if share * float(np.abs(step).max(initial=0.0)) < CLOSE * reach:
            return coefficients
    if np.abs(step).max() > 0.1 * reach:
        raise InputError(
            "Cox's model does not converge",
            got="coefficients that grow on",
            cure="Use a larger `penalizer`.",
        )
    return coefficients


def descend(
    likelihood: PartialLikelihood, X: Array, event: NDArray[np.bool_], l1: float, l2: float
) -> Array:
    """Return the coefficients of an elastic net by accelerated proximal gradients.

    Beck and Teboulle 2009, with a line search, begun anew where the value rises (O'Donoghue and
    Candès 2015).
    """
    n, p = X.shape

    def lose(w: Array) -> tuple[float, Array]:
        value, expected, _ = likelihood.evaluate(X @ w)
        slope = -(X.T @ (event - expected)) / n + l2 * w
        return -value / n + l2 * float(w @ w) / 2.0, slope

    now = ahead = np.zeros(p)
    momentum, length, last = 1.0, 1.0, np.inf
    for _ in range(GRADIENT_STEPS):
        value, slope = lose(ahead)
        while True:
            moved = ahead - length * slope
            trial = np.sign(moved) * np.maximum(np.abs(moved) - length * l1, 0.0)
            gap = trial - ahead
            height = lose(trial)[0]
            if height <= value + slope @ gap + gap @ gap / (2.0 * length) + 1e-14:
                break
            length /= 2.0
        total = height + l1 * float(np.abs(trial).sum())
        if total > last:  # too much momentum
            ahead, momentum, last = now, 1.0, np.inf
            continue
        change = float(np.abs(trial - now).max(initial=0.0))
        later = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = trial + (momentum - 1.0) / later * (trial - now)
        now, momentum, last = trial, later, total
        if change < NEAR * max(1.0, float(np.abs(now).max(initial=0.0))):
            break
        length *= 1.1
    return now
