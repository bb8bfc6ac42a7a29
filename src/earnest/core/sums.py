"""Weighted sums with the same bits whatever the block, the thread and the processor.

BLAS adds up in an order that depends on the shape of a product, on its threads and on the
processor, and rounds differently each time. So numbers are cut into slices of few bits, such that
a product of slices is exact in float64: each partial sum is a whole number of units below 2**53,
in whatever order it is added. Only sums of slices round, in the order written here.

Cases are added `ROWS` at a time. That number is part of the result: it must not follow the memory,
the number of resamples or that of columns. After Ozaki, Ogita, Oishi and Rump 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROWS = 2048  # cases whose sum is exact
RESAMPLES = 1024  # rows of weights a product: a matter of memory
COUNT_BITS = 34  # of a slice under counts: 2**34 * 255 * ROWS < 2**53
REAL_BITS = 21  # of a slice of numbers and of real weights: 2**(21 + 21) * ROWS <= 2**53
WEIGHT_SLICES = 3  # of real weights: 63 bits below the largest of a resample
FULL_BITS = 60  # below the largest number of a column, and at least
KEPT_BITS = 40  # of the smallest number of a column, which may be all that a resample has
HUGE = 2.0**950  # beyond it a slice would overflow


def weighted_sums(weights: NDArray[Any], table: NDArray[Any]) -> Array:
    """Return weights (B, n) times a table (n, C), with the same bits in any block: (B, C).

    A row of the result depends on its row of weights alone, a column on its column alone.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.sums import weighted_sums
    >>> weighted_sums(np.array([[2, 1], [0, 3]]), np.array([[0.1], [0.2]]))
    array([[0.4],
           [0.6]])
    """
    weights, out = as_counts(weights), np.zeros((len(weights), table.shape[1]))
    for top in range(0, len(weights), RESAMPLES):
        some = out[top : top + RESAMPLES]
        for start in range(0, len(table), ROWS):
            rows = slice(start, start + ROWS)
            some += block_sums(weights[top : top + RESAMPLES, rows], table[rows])
    return out


def as_counts(weights: NDArray[Any]) -> NDArray[Any]:
    """Return whole weights that fit a byte as bytes, and others as they are."""
    if weights.dtype.kind not in "ui" or weights.dtype.itemsize == 1:
        return weights
    small = not weights.size or (weights.min() >= 0 and weights.max() <= 255)
    return weights.astype(np.uint8) if small else weights


def coarse_and_fine(values: Array) -> tuple[Array, Array]:
    """Return a table (n, C) as the sum of two, of which the first has few bits.

    Sums of either lose nothing, and differences of such sums lose nothing that is large in both.
    """
    coarse = _slices(values, COUNT_BITS, 1, axis=-2)[0]
    return coarse, np.asarray(values - coarse)


def block_sums(weights: NDArray[Any], features: NDArray[Any]) -> Array:
    """Return the sums ([m,] B, C) of at most `ROWS` cases from features ([m,] rows, C)."""
    counts = weights.dtype == np.uint8
    sums = _under_counts if counts else _under_real_weights
    heavy, values = weights.astype(np.float64), features.astype(np.float64)
    needed = _needed(values, COUNT_BITS if counts else REAL_BITS)
    every = np.unique(needed)
    if len(every) == 1:  # nearly always
        return sums(heavy, values, int(every[0]))
    out = np.empty((*values.shape[:-2], len(heavy), values.shape[-1]))
    for count in every:
        mine = needed == count
        out[..., mine] = sums(heavy, values[..., mine], int(count))
    return out


def _under_counts(weights: Array, features: Array, count: int) -> Array:
    parts = _slices(features, COUNT_BITS, count, axis=-2)
    products = np.split(weights @ np.concatenate(parts, axis=-1), len(parts), axis=-1)
    return _from_the_smallest(products)


def _under_real_weights(weights: Array, features: Array, count: int) -> Array:
    heavy = _slices(weights, REAL_BITS, WEIGHT_SLICES, axis=-1)
    parts = _slices(features, REAL_BITS, count, axis=-2)
    like: list[list[Array]] = [[] for _ in range(count)]  # products of like size: i + j
    for i, own in enumerate(heavy[:count]):
        kept = parts[: count - i]
        products = np.split(own @ np.concatenate(kept, axis=-1), len(kept), axis=-1)
        for j, product in enumerate(products):
            like[i + j].append(product)
    return _from_the_smallest([product for products in like for product in products])


def _from_the_smallest(products: list[Array]) -> Array:
    """Return the sum of products that are listed from the largest on."""
    total = products[-1].copy()
    for product in products[-2::-1]:
        total += product
    return total


def _needed(values: Array, bits: int) -> NDArray[np.intp]:
    """Return how many slices each column needs: (C,).

    It depends on the column alone, so that no column changes what becomes of another.
    """
    size = np.abs(values)
    most = size.max(axis=-2, initial=0.0)
    least = np.where(size > 0, size, np.inf).min(axis=-2, initial=np.inf)
    usable = (most > 0) & (most < HUGE)
    span = np.frexp(np.where(usable, most, 1.0))[1] - np.frexp(np.where(usable, least, 1.0))[1]
    needed = np.maximum(-(-(span + KEPT_BITS) // bits), -(-FULL_BITS // bits))
    return np.asarray(needed if needed.ndim == 1 else needed.max(axis=0))


def _slices(values: Array, bits: int, count: int, axis: int) -> list[Array]:
    """Return numbers that add up to the values, each of few bits below the largest along an axis.

    Values beyond what can be cut, NaN and infinity included, stay whole in the first slice.
    """
    rest = values.copy()
    largest = np.abs(rest).max(axis=axis, keepdims=True, initial=0.0)
    usable = largest < HUGE  # false for NaN
    whole = None if usable.all() else np.broadcast_to(~usable, rest.shape)
    unit = np.ldexp(1.0, np.frexp(np.where(usable, largest, 1.0))[1] - bits)
    out = []
    for _ in range(count):
        shift = 1.5 * 2.0**52 * unit  # what is added to it is rounded to whole units
        part = rest + shift
        part -= shift
        if whole is not None:
            part[whole] = rest[whole]
            rest[whole] = 0.0
            rest[~whole] -= part[~whole]
        else:
            rest -= part
        out.append(part)
        if not rest.any():  # slices of zeros would add nothing
            break
        unit = np.ldexp(unit, -bits)
    return out
