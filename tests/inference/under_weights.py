"""The influence of a case once more, slowly: the metric under weights, case by case."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest import Predictions
from earnest.kernels import score_table
from earnest.resampling import Weights

Floats = NDArray[np.float64]


def by_weights(pi: Predictions, metric: Any, step: float = 1e-5) -> Floats:
    """Return value + influence (n, C) of each case from the metric under weights, case by case.

    Central differences: their error is of the order step² n², and 1e-16 / step of rounding.
    """
    n = pi.n_cases
    out = np.empty((n, pi.n_configs))
    for i in range(n):
        lift = np.full((2, n), 1.0)
        lift[0] = (1 - step) + step * n * (np.arange(n) == i)
        lift[1] = (1 + step) - step * n * (np.arange(n) == i)
        up, down = score_table(pi, metric, lift)
        out[i] = (up - down) / (2 * step)
    return out + score_table(pi, metric, Weights.ones(n))[0]
