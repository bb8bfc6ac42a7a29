"""Whether a function takes weights: one of the data itself would be answered with nonsense."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from earnest.core.errors import InputError
from earnest.inference.general_units import Asked

SHUFFLES = 20  # orders of the same weights under which a true statistic is never the same
FEWEST = 4  # cases


def refuse_function_of_data(asked: Asked) -> None:
    """Refuse a function that reads weights as if they were the data, such as `np.mean`.

    Such a function gives the same whichever cases have the weights, and something else where all
    weights are twice as large. Of a statistic the first is hardly ever true, and the second only
    of sums; both together mean that it never saw the cases.
    """
    units = asked.units
    if units.word != "case" or len(units.layers) > 1 or units.n < FEWEST:
        return
    first = _moved(units.n, 0, units.n - 1)
    values = asked(np.stack([first, _moved(units.n, units.n // 2, 0)]))
    if not _same(values) or math.isclose(_raw(asked, 2.0 * first), values[0], rel_tol=1e-9):
        return
    rng = np.random.default_rng(0)  # no result depends on it
    counts = np.bincount(rng.integers(units.n, size=units.n), minlength=units.n)
    if _same(asked(np.stack([rng.permutation(counts) for _ in range(SHUFFLES)]))):
        raise InputError(
            "`statistic` does not look at the cases",
            needs="a function of weights of the cases, such as lambda w: np.average(x, weights=w)",
            got="a function that gives the same whichever cases have the weights",
            cure="It is called with weights, not with data. A function f of the data becomes "
            "lambda w: f(np.repeat(x, w.astype(int), axis=0)).",
        )


def _moved(n: int, to: int, start: int) -> NDArray[np.float64]:
    """Return weights with that of one case moved to another."""
    counts = np.ones(n)
    counts[start], counts[to] = 0.0, 2.0
    return counts


def _raw(asked: Asked, weights: NDArray[np.float64]) -> float:
    """Ask for weights as they are, whatever they sum to."""
    given = weights[None] if asked.vectorized else weights
    return float(np.asarray(asked.function(given), dtype=np.float64).ravel()[0])


def _same(values: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(values).all() and np.ptp(values) <= 1e-9 * np.abs(values).max())
