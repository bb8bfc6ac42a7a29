"""Regressions that do not predict far beyond the outcomes they were trained on."""

from __future__ import annotations

from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from earnest.training.learners.base import OuterLearner
from earnest.training.protocols import Estimator, Predictor

Array = NDArray[np.float64]
MARGIN: Final = 0.5  # of the range of the training outcomes, on each side


class BoundedRegressor(RegressorMixin, OuterLearner):
    """A regression whose predictions stay near the range of its training outcomes.

    Predictions lie from the least training outcome minus `MARGIN` times the range of the training
    outcomes to the greatest plus as much; those beyond are set to the nearer end. The margin
    leaves room for a line that goes on; it ends a polynomial that runs away.

    Parameters
    ----------
    estimator : regressor
        The regression, unfitted.

    Attributes
    ----------
    low_, high_ : float
        The least and the greatest prediction.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from earnest.training.learners.bounded import BoundedRegressor
    >>> model = BoundedRegressor(LinearRegression()).fit([[0], [1]], [0, 10])
    >>> model.predict([[-9], [0.5], [1.4], [9]]).round(6).tolist()
    [-5.0, 5.0, 14.0, 15.0]
    """

    def __init__(self, estimator: Estimator) -> None:
        self.estimator = estimator

    def fit(self, X: Array, y: NDArray[np.generic]) -> Self:
        """Fit the regression, and note the range of the outcomes."""
        outcomes = np.asarray(y, dtype=np.float64)
        self.estimator_ = clone(self.estimator).fit(X, y)
        least, greatest = float(outcomes.min()), float(outcomes.max())
        room = MARGIN * (greatest - least)
        self.low_, self.high_ = least - room, greatest + room
        return self

    def predict(self, X: Array) -> Array:
        """Predict within the range."""
        check_is_fitted(self)
        values = np.asarray(cast(Predictor, self.estimator_).predict(X), dtype=np.float64)
        return np.clip(values, self.low_, self.high_)
