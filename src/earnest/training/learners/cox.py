"""Cox's proportional hazards in scikit-learn's form, computed by lifelines."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.extras import tell_install
from earnest.core.data.target import survival_parts
from earnest.metrics.survival import concordance_scan

TIME, EVENT = "time of the outcome", "event of the outcome"
FIRST_STEPS = (0.95, 0.5, 0.1)  # of Newton's method, tried in turn where it does not converge


class MissingLifelinesError(EarnestError, ImportError):
    """Cox's model was asked for without lifelines."""


class CoxRegressor(BaseEstimator):
    """Cox's proportional hazards model with an elastic net.

    `predict` gives the log of the partial hazard: greater is riskier, as the concordance index
    of this package takes it. It needs the extra `survival`.

    Cox 1972; the penalty is lifelines': penalizer * (l1_ratio |w|_1 + (1 - l1_ratio) |w|²/2), of
    the mean log likelihood.

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
    >>> from earnest.training.learners.cox import CoxRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> model = CoxRegressor(penalizer=0.001).fit(X, (np.ones(200, dtype=bool), time))
    >>> [bool(abs(c - t) < 0.2) for c, t in zip(model.coef_, (1.0, 0.0))]
    [True, True]
    """

    def __init__(self, penalizer: float = 0.1, l1_ratio: float = 0.0) -> None:
        self.penalizer = penalizer
        self.l1_ratio = l1_ratio

    def fit(self, X: NDArray[np.float64], y: object) -> CoxRegressor:
        """Fit to a structured array of events and times, or to such a pair."""
        X = validate_data(self, X, dtype=np.float64)
        time, event = read_survival(y)
        if not event.any():
            raise InputError("no case has an event", needs="at least one case that is not censored")
        self.coef_ = np.zeros(X.shape[1])
        varied = X.std(axis=0) > 0.0  # lifelines takes no constant columns
        if varied.any():
            self.coef_[varied] = self._fit_coefficients(X[:, varied], time, event)
        self.center_ = X.mean(axis=0)
        return self

    def _fit_coefficients(
        self, X: NDArray[np.float64], time: NDArray[np.float64], event: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        import pandas as pd

        lifelines = _import_lifelines()
        frame = pd.DataFrame(X, columns=[str(i) for i in range(X.shape[1])])
        frame[TIME], frame[EVENT] = time, event
        error: Exception | None = None
        for first in FIRST_STEPS:
            fitter = lifelines.CoxPHFitter(penalizer=self.penalizer, l1_ratio=self.l1_ratio)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of separation: the penalty answers it
                    fitter.fit(frame, TIME, EVENT, fit_options={"step_size": first})
            except (lifelines.exceptions.ConvergenceError, np.linalg.LinAlgError) as problem:
                error = problem
                continue
            return np.asarray(fitter.params_, dtype=np.float64)
        raise InputError(
            "Cox's model does not converge",
            got=str(error),
            cure="Use a larger `penalizer`.",
        ) from error

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log of the partial hazard, 0 for the mean case; greater is riskier."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray((X - self.center_) @ self.coef_)

    def score(self, X: NDArray[np.float64], y: object) -> float:
        """Return the concordance index."""
        time, event = read_survival(y)
        truth = np.column_stack([time, event.astype(np.float64)])
        return float(concordance_scan(self.predict(X), truth, np.ones((1, len(time))))[0])


def read_survival(y: object) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return times and events of an outcome as `SearchCV` takes it."""
    pair = survival_parts(y)
    if pair is None:
        raise InputError(
            "the outcome is not a pair of events and times",
            needs="a structured array with a bool and a float field, or (event, time)",
            got=f"{type(y).__name__}",
        )
    time, event = pair
    return np.asarray(time, dtype=np.float64), np.asarray(event, dtype=bool)


def _import_lifelines() -> ModuleType:
    try:
        import lifelines
        import lifelines.exceptions
    except ImportError as error:
        raise MissingLifelinesError(
            "Cox's model needs lifelines, which is not installed",
            needs="the extra 'survival'",
            cure=tell_install("lifelines"),
        ) from error
    return lifelines
