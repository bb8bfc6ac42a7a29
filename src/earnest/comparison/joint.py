"""How the values of all configurations err together, and how far the worst pair of them errs.

A claim about a pair holds for every pair at once where its standardised difference lies beyond the
largest standardised error over all pairs (max-T; Tukey's idea, for values that err together). So it
also holds for a pair that was chosen by looking at the data, such as the best and any other.

The law of that largest error is from joint draws: the terms of each case (or group) change sign
together, at random, in all configurations, so that the draws know how the values are related, and
that few units cannot make a large error. Where a test has resamples, they take the place of signs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.comparison.base import Array
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers

DRAWS = 999  # joint draws; p-values are whole multiples of 1 / 1000
BLOCK = 64  # draws a seed
CELLS = 1 << 17  # numbers looked at together, so that they stay in the cache


def flip_signs(errors: Array, seeds: Seeds, count: int = DRAWS) -> Array:
    """Return joint draws (B, C) of the sum of errors (units, C) with random signs of the units."""
    blocks = [
        _signs(seeds.generator(Purpose.MULTIPLIERS, block), len(errors)) @ errors
        for block in range(-(-count // BLOCK))
    ]
    return np.concatenate(blocks)[:count]


def _signs(rng: np.random.Generator, units: int) -> Array:
    """Return 64 rows of random signs, from as few random bytes as they need."""
    bits = np.frombuffer(rng.bytes(BLOCK * units // 8), dtype=np.uint8)
    return np.unpackbits(bits).reshape(BLOCK, units).astype(np.float64) * 2.0 - 1.0


def largest_errors(
    draws: Array, reference: int | None = None, n_jobs: int | None = None
) -> Array | None:
    """Return the largest standardised difference of every draw, over all pairs: (B,).

    Parameters
    ----------
    draws : ndarray, shape (B, C)
        Joint draws of the errors of all values, about 0.
    reference : int, optional
        A configuration that was fixed in advance: then over the pairs that it is in.

    Returns
    -------
    ndarray or None
        None where no difference varies, or where there are too few draws to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.comparison.joint import largest_errors
    >>> noise = np.random.default_rng(0).standard_normal((999, 40))
    >>> float(np.quantile(largest_errors(noise), 0.95).round(1))  # Tukey's 5.4 / sqrt(2)
    3.9
    >>> float(np.quantile(largest_errors(noise, reference=0), 0.95).round(1))  # Dunnett's 3.1
    3.1
    """
    count, configs = draws.shape
    if count < 2:
        return None
    spread = spread_of_differences(draws)
    steepness = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
    if not steepness.any():
        return None
    if reference is not None:
        apart = np.abs(draws - draws[:, [reference]]) * steepness[reference]
        return np.asarray(apart.max(axis=1))
    tall = (draws - draws.mean(axis=1, keepdims=True)).astype(np.float32)  # six digits do
    steep, rows = steepness.astype(np.float32), max(1, CELLS // configs)
    parts = [tall[start : start + rows] for start in range(0, count, rows)]
    found = each(lambda part: _largest(part, steep), parts, workers(n_jobs))
    return np.concatenate(found).astype(np.float64)


def _largest(draws: NDArray[np.float32], steepness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest difference over all pairs in every draw, one configuration at a time."""
    part = np.ascontiguousarray(draws.T)  # (C, b)
    found, held = np.zeros(part.shape[1], dtype=np.float32), np.empty_like(part)
    for config in range(1, len(part)):
        apart = np.subtract(part[:config], part[config], out=held[:config])
        np.abs(apart, out=apart)
        apart *= steepness[config, :config, None]
        np.maximum(found, apart.max(axis=0), out=found)
    return found


def spread_of_differences(draws: Array) -> NDArray[np.float64]:
    """Return the standard deviations of all differences (C, C), 0 where they are rounding."""
    centred = draws - draws.mean(axis=0)
    products = centred.T @ centred / max(1, len(draws) - 1)
    own = np.diag(products)
    squares = own[:, None] + own[None, :] - 2.0 * products
    floor = 1e-12 * (own[:, None] + own[None, :])
    return np.asarray(np.sqrt(np.where(squares <= floor, 0.0, squares)))
