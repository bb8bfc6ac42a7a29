"""Survival at times, asked of any model that predicts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import ROUNDING
from earnest.core.base.errors import InputError
from earnest.training.protocols import Estimator

OURS, THEIRS = "predict_survival", "predict_survival_function"
Array = NDArray[np.float64]


def ask_survival(model: Estimator, X: object, times: Sequence[float]) -> Array:
    """Return the chance of each row to be without event after each of the times: (n, K).

    A model has `predict_survival(X, times)`, or as scikit-survival has it
    `predict_survival_function(X)`, one step function per row. A pipeline is asked by its last step.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training import CoxRegressor
    >>> from earnest.training.fit.curves import ask_survival
    >>> X, y = np.arange(4.0)[:, None], (np.ones(4, dtype=bool), np.array([4.0, 3.0, 2.0, 1.0]))
    >>> ask_survival(CoxRegressor().fit(X, y), X, [1.0, 4.0]).shape
    (4, 2)
    """
    whole = cast(Any, model)
    if hasattr(whole, OURS):
        answer = whole.predict_survival(X, np.asarray(times))
    elif hasattr(whole, "steps"):
        inner = whole[:-1].transform(X) if len(whole.steps) > 1 else X
        return ask_survival(whole[-1], inner, times)
    elif hasattr(whole, "best_estimator_"):
        return ask_survival(whole.best_estimator_, X, times)
    else:
        answer = [_read_steps(curve, times) for curve in whole.predict_survival_function(X)]
    return _check_chances(np.asarray(answer, dtype=np.float64), len(times), model)


def _read_steps(curve: Any, times: Sequence[float]) -> Array:
    """Return a step function of scikit-survival at times: 1 before its first step."""
    moments = np.asarray(times, dtype=np.float64)
    inside = np.asarray(curve(np.clip(moments, curve.x[0], curve.x[-1])), dtype=np.float64)
    return np.where(moments < curve.x[0], 1.0, inside)


def _check_chances(chances: Array, width: int, model: Estimator) -> Array:
    """Return chances from 0 to 1 that never rise; refuse others."""
    right = chances.ndim == 2 and chances.shape[1] == width and bool(np.isfinite(chances).all())
    rises = right and bool((np.diff(chances, axis=1) > ROUNDING).any())
    outside = right and bool((np.abs(chances - 0.5) > 0.5 + ROUNDING).any())
    if not right or rises or outside:
        got = "others" if not right else "chances that rise" if rises else "values beyond 0 and 1"
        raise InputError(
            f"{type(model).__name__} does not predict survival",
            needs=f"{width} chances from 0 to 1 for each row, which never rise with time",
            got=got,
        )
    return np.clip(chances, 0.0, 1.0)


def find_followed(model: Estimator) -> float:
    """Return the longest time of a training case; infinity where a model does not say."""
    whole = cast(Any, model)
    return float(getattr(whole[-1] if hasattr(whole, "steps") else whole, "followed_", np.inf))
