"""How the values of all configurations err together, and which of them may be the best.

For every configuration the hypothesis that none is better is tested by the largest standardised
shortfall against the others, with the law of that maximum from joint draws (Lei 2020, cross-
validation with confidence). The set of those that are not rejected holds the best with the level
asked for, however many there are and whichever looks best on these cases.
"""

from __future__ import annotations

import numpy as np

from earnest.comparison.base import Array
from earnest.core.rng import Purpose, Seeds
from earnest.core.threads import each, workers

MULTIPLIERS = 1999  # joint draws; p-values are whole multiples of 1 / 2000
BLOCK = 64  # draws a seed
CELLS = 1 << 24  # numbers held at a time


def multiplied(errors: Array, seeds: Seeds, count: int = MULTIPLIERS) -> Array:
    """Return joint draws (B, C) of the sum of errors (units, C) under normal multipliers."""
    blocks = [
        seeds.generator(Purpose.MULTIPLIERS, block).standard_normal((BLOCK, len(errors))) @ errors
        for block in range(-(-count // BLOCK))
    ]
    return np.concatenate(blocks)[:count]


def chance_of_being_best(gains: Array, draws: Array, n_jobs: int | None = None) -> Array:
    """Return for each configuration the p-value of the hypothesis that no other is better: (C,).

    Parameters
    ----------
    gains : ndarray, shape (C,)
        The values, greater is better; NaN is never the best.
    draws : ndarray, shape (B, C)
        Joint draws of their errors, about 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.comparison.joint import chance_of_being_best
    >>> noise = 0.1 * np.random.default_rng(0).standard_normal((999, 3))
    >>> chance_of_being_best(np.array([0.9, 0.88, 0.1]), noise).round(2)
    array([1. , 0.6, 0. ])
    """
    spread = _spread_of_differences(draws)  # (C, C)

    def one(config: int) -> float:
        if np.isnan(gains[config]):
            return 0.0
        others = np.flatnonzero((spread[config] > 0.0) & ~np.isnan(gains))
        clear = gains[spread[config] == 0.0] > gains[config]  # as sure as the draws can tell
        if len(others) == 0 or clear.any():
            return 1.0 / (len(draws) + 1) if clear.any() else 1.0
        scale = spread[config, others]
        shortfall = float(((gains[others] - gains[config]) / scale).max())
        if shortfall <= 0.0:
            return 1.0
        largest = ((draws[:, others] - draws[:, [config]]) / scale).max(axis=1)
        return float(1 + (largest >= shortfall).sum()) / (len(draws) + 1)

    return np.array(each(one, range(len(gains)), workers(n_jobs)))


def _spread_of_differences(draws: Array) -> Array:
    """Return the standard deviations of all differences (C, C), 0 where they are rounding."""
    centred = draws - draws.mean(axis=0)
    products = centred.T @ centred / max(1, len(draws) - 1)
    own = np.diag(products)
    squares = own[:, None] + own[None, :] - 2.0 * products
    floor = 1e-12 * (own[:, None] + own[None, :])
    return np.asarray(np.sqrt(np.where(squares <= floor, 0.0, squares)))
