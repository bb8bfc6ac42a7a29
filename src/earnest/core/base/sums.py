"""Weighted sums with the same bits whatever the block, the thread and the processor.

BLAS adds up in an order that depends on the shape of a product, on its threads and on the
processor, and rounds differently each time. So numbers are cut into slices of few bits, such that
a product of slices is exact in float64: each partial sum is a whole number of units below 2**53,
in whatever order it is added. Only sums of slices round, in the order written here.

Cases are added `ROWS` at a time. That number is part of the result: it must not follow the memory,
the number of resamples or that of columns. After Ozaki, Ogita, Oishi and Rump 2012.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers

Array = NDArray[np.float64]
Slices = Sequence[NDArray[np.float32] | Array]

ROWS = 2048  # cases whose sum is exact
RESAMPLES = 1024  # rows of weights a product: a matter of memory
COUNT_BITS = 34  # of a slice under counts of one byte: 2**34 * 255 * ROWS < 2**53
REAL_BITS = 21  # of a slice of numbers and of real weights: 2**(21 + 21) * ROWS <= 2**53
FULL_BITS = 60  # at least, below the largest number of a column or of a resample's weights
KEPT_BITS = 40  # of the smallest number of a column, which may be all that a resample has
HUGE = 2.0**950  # beyond it a slice would overflow
ALONE = 1 << 18  # multiplications up to which OpenBLAS keeps a product on one thread
FEWEST_ROWS = 8  # a product: with fewer, calls cost more than threads do


def weighted_sums(weights: Numbers, table: Numbers, bound: float | None = None) -> Array:
    """Return weights (B, n) times a table (n, C), with the same bits in any block: (B, C).

    A row of the result depends on its row of weights alone, a column on its column alone. With a
    bound of what the table can hold, nothing has to be looked for in it.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.base.sums import weighted_sums
    >>> weighted_sums(np.array([[2, 1], [0, 3]]), np.array([[0.1], [0.2]]))
    array([[0.4],
           [0.6]])
    """
    weights, out = as_counts(weights), np.zeros((len(weights), table.shape[1]))
    for top in range(0, len(weights), RESAMPLES):
        some = out[top : top + RESAMPLES]
        for start in range(0, len(table), ROWS):
            rows = slice(start, start + ROWS)
            some += sum_block(weights[top : top + RESAMPLES, rows], table[rows], bound)
    return out


def as_counts(weights: Numbers) -> Numbers:
    """Return whole weights that fit a byte as bytes, and others as they are."""
    if weights.dtype.kind not in "ui" or weights.dtype.itemsize == 1:
        return weights
    small = not weights.size or (weights.min() >= 0 and weights.max() <= 255)
    return weights.astype(np.uint8) if small else weights


def coarse_and_fine(values: Array) -> tuple[Array, Array]:
    """Return a table (n, C) as the sum of two tables; the first has few bits.

    Sums of either lose nothing, and differences of such sums lose nothing that is large in both.
    """
    coarse = _cut(values, COUNT_BITS, axis=-2, count=1)[0]
    return coarse, np.asarray(values - coarse)


def sum_block(weights: Numbers, features: Numbers, bound: float | None = None) -> Array:
    """Return the sums ([m,] B, C) of at most `ROWS` cases from features ([m,] rows, C)."""
    return sum_slices(cut_weights(weights), cut_features(features, weights.dtype, bound))


def cut_weights(weights: Numbers) -> list[Array]:
    """Return slices of weights (B, rows), for `sum_slices`; counts of one byte are one slice."""
    heavy = weights.astype(np.float64)
    if weights.dtype == np.uint8:
        return [heavy]
    return _cut(heavy, REAL_BITS, axis=-1, count=-(-FULL_BITS // REAL_BITS))


def cut_features(
    features: Numbers, kind: np.dtype[np.generic], bound: float | None = None
) -> list[Array]:
    """Return slices of features ([m,] rows, C), for `sum_slices` under weights of a kind.

    How a column is cut depends on that column alone, or on the bound of what can be: then nothing
    has to be looked for.
    """
    bits = COUNT_BITS if kind == np.uint8 else REAL_BITS
    values = features.astype(np.float64, copy=False)
    return _cut(values, bits, axis=-2) if bound is None else _cut_below(values, bits, bound)


def sum_slices(weights: Slices, features: Slices) -> Array:
    """Return the sum of all products of slices, the smallest first."""
    total: NDArray[np.floating] | float = 0.0  # so that no sum is a negative zero
    for feature_slice in reversed(features):
        for weight_slice in reversed(weights):
            total = total + _multiply(weight_slice, feature_slice)
    return np.asarray(total, dtype=np.float64)


def _multiply(weights: Numbers, features: Numbers) -> NDArray[np.floating]:
    """Return a product (B, rows) times ([m,] rows, C), on one thread where it is small.

    The threads of a product wait for each other. On a busy machine that takes a turn of the
    scheduler, a hundred times as long as a small product.
    """
    step = ALONE // max(1, features.shape[-2] * features.shape[-1])
    if not FEWEST_ROWS <= step < len(weights):
        return np.asarray(weights @ features)
    shape = (*features.shape[:-2], len(weights), features.shape[-1])
    product = np.empty(shape, np.result_type(weights, features))
    for start in range(0, len(weights), step):
        rows = slice(start, start + step)
        np.matmul(weights[rows], features, out=product[..., rows, :])
    return product


def _cut_below(values: Array, bits: int, bound: float) -> list[Array]:
    """Return slices that hold `FULL_BITS` below a bound; NaN stays NaN."""
    out, remainder, count = [], values, -(-FULL_BITS // bits)
    for step in range(count):
        shift = math.ldexp(1.5, 52 + math.frexp(bound)[1] - bits * (step + 1))
        piece = np.add(remainder, shift, out=remainder if step and step + 1 == count else None)
        piece -= shift
        out.append(piece)
        if step + 1 < count:
            remainder = remainder - piece
    return out


def _cut(values: Array, bits: int, axis: int, count: int | None = None) -> list[Array]:
    """Return numbers that add up to the values, each of few bits below the largest along an axis.

    Unless `count` says how many, there are as many as `FULL_BITS` take, and more where the numbers
    span more. Values beyond what can be cut, NaN and infinity included, stay whole.
    """
    size = values if values.min(initial=0.0) >= 0 else np.abs(values)
    most = size.max(axis=axis, keepdims=True, initial=0.0)
    usable = (most > 0) & (most < HUGE)  # false for NaN
    top = np.frexp(np.where(usable, most, 1.0))[1]
    needed = (
        _count_slices(size, usable, top, bits, axis) if count is None else np.full_like(top, count)
    )
    count = int(needed.max(initial=1))
    all_alike = bool(usable.all()) and int(needed.min(initial=count)) >= count
    out, remainder = [], values
    for step in range(count):
        # what is added to such a number is rounded to whole units of its last bit
        shift = np.ldexp(1.5, 52 + top - bits * (step + 1))
        piece = np.add(remainder, shift, out=remainder if step and step + 1 == count else None)
        piece -= shift
        if not all_alike:
            piece = np.where(usable & (step < needed), piece, 0.0 if step else values)
        out.append(piece)
        if step + 1 == count:
            break
        with np.errstate(invalid="ignore"):  # infinity less infinity, which is used nowhere
            remainder = remainder - piece
        if not remainder.any():  # slices of zeros would add nothing
            break
    return out


def _count_slices(
    size: Array, usable: NDArray[np.bool_], top: NDArray[np.integer], bits: int, axis: int
) -> Numbers:
    """Return how many slices are needed along an axis for what is largest and smallest there."""
    least = size.min(axis=axis, keepdims=True, initial=np.inf)
    if not (least > 0).all():
        least = np.where(size > 0, size, np.inf).min(axis=axis, keepdims=True, initial=np.inf)
    span = top - np.frexp(np.where(usable, least, 1.0))[1]
    return np.asarray(np.maximum(-(-(span + KEPT_BITS) // bits), -(-FULL_BITS // bits)))
