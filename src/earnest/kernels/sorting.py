"""Sort the columns of a score matrix, once for all resamples.

The order of a column is kept as `rows` (ascending scores) with `marks` that say which rows are
positive and where a new distinct score begins.

A key holds as many leading bits of the score as fit above the row number. Two counting passes
sort by its top bits, then insertion by the whole score. That is exact for any scores, and several
times faster than `np.argsort` for scores that spread. Where they cluster so tightly that insertion
would become quadratic, counting passes over all bits of the score take its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from earnest.kernels.vectors import Bools, Bytes, Floats, Ints, Longs, jit

POSITIVE, NEW = 1, 2  # marks of a row: of the positive class; first of its tie group
LOWEST, HIGHEST = -(2**63), 2**63 - 1
MOVES_PER_ROW = 8  # insertions borne after two counting passes, before sorting by all digits
DIGIT = 11  # bits, when sorting by all digits


class Ranking(NamedTuple):
    """The ascending order of some columns, without the rows that a column ignores."""

    rows: Ints  # (columns, n)
    marks: Bytes  # (columns, n)
    lengths: Longs  # (columns,) entries in use
    tied: Bools  # (columns,) whether any two scores are equal


def rank(values: Floats, labels: NDArray[np.int8]) -> Ranking:
    """Sort columns given as contiguous rows: values (columns, n), labels (1 or columns, n)."""
    columns, n = values.shape
    ranking = Ranking(
        np.empty((columns, n), np.int32),
        np.empty((columns, n), np.uint8),
        np.empty(columns, np.int64),
        np.empty(columns, np.bool_),
    )
    _rank(values.view(np.int64), labels, ranking)
    return ranking


@jit
def _map_bits(bits: int) -> int:
    """Map the bits of a float64 to an integer of the same order, -0.0 to that of 0.0."""
    return bits if bits >= 0 else LOWEST - bits


@jit
def _count_bits(value: int) -> int:
    """Count the bits of a number, taken as unsigned."""
    length = 0
    while length < 64 and value >> length != 0:
        length += 1
    return length


@jit
def _sort_by_digit(keys: Longs, m: int, shift: int, ends: Longs, out: Longs) -> None:
    """Sort keys stably by one digit, whose histogram is in `ends`."""
    total = 0
    for digit in range(ends.shape[0]):
        count = ends[digit]
        ends[digit] = total
        total += count
    mask = ends.shape[0] - 1
    for k in range(m):
        digit = keys[k] >> shift & mask
        out[ends[digit]] = keys[k]
        ends[digit] += 1


@jit
def _insert(keys: Longs, m: int, index_bits: int, bits: Longs) -> bool:
    """Finish the order by insertion, comparing whole scores; give up when it takes too long."""
    mask = (1 << index_bits) - 1
    moves = 0
    for k in range(1, m):
        key = keys[k]
        prefix = key >> index_bits
        if prefix > keys[k - 1] >> index_bits:
            continue
        score = _map_bits(bits[key & mask])
        slot = k
        while slot > 0:
            other = keys[slot - 1]
            if other >> index_bits < prefix:
                break
            if other >> index_bits == prefix and _map_bits(bits[other & mask]) <= score:
                break
            keys[slot] = other
            slot -= 1
        keys[slot] = key
        moves += k - slot
        if moves > MOVES_PER_ROW * m:
            return False
    return True


@jit
def _sort_by_all_digits(
    keys: Longs, m: int, index_bits: int, bits: Longs, low: int, span: int, spare: Longs
) -> None:
    """Sort keys by every digit of the whole score, the last digit first."""
    row_mask, digit_mask = (1 << index_bits) - 1, (1 << DIGIT) - 1
    ends = np.empty(1 << DIGIT, np.int64)
    for shift in range(0, _count_bits(span), DIGIT):
        ends[:] = 0
        for k in range(m):
            ends[(_map_bits(bits[keys[k] & row_mask]) - low) >> shift & digit_mask] += 1
        total = 0
        for digit in range(ends.shape[0]):
            total += ends[digit]
            ends[digit] = total
        for k in range(m - 1, -1, -1):
            digit = (_map_bits(bits[keys[k] & row_mask]) - low) >> shift & digit_mask
            ends[digit] -= 1
            spare[ends[digit]] = keys[k]
        for k in range(m):
            keys[k] = spare[k]


@jit
def _sort(bits: Longs, labels: NDArray[np.int8], index_bits: int, keys: Longs, spare: Longs) -> int:
    """Sort the used rows of a column into `keys`, as score prefix and row; return their number."""
    low, high, m = HIGHEST, LOWEST, 0
    for row in range(bits.shape[0]):
        if labels[row] >= 0:
            score = _map_bits(bits[row])
            low, high, m = min(low, score), max(high, score), m + 1
    if m == 0:
        return 0
    span = high - low  # may wrap around: it is only read as unsigned
    span_bits = _count_bits(span)
    prefix_bits = min(span_bits, 63 - index_bits)
    drop, prefix_mask = span_bits - prefix_bits, (1 << prefix_bits) - 1
    digit = min(max((index_bits + 9) // 2, 6), 12)  # two of them tell most of m rows apart
    shift = index_bits + max(prefix_bits - 2 * digit, 0)
    ends = np.zeros((2, 1 << digit), np.int64)
    digit_mask = ends.shape[1] - 1
    m = 0
    for row in range(bits.shape[0]):
        if labels[row] >= 0:
            prefix = (_map_bits(bits[row]) - low) >> drop & prefix_mask
            key = prefix << index_bits | row
            keys[m] = key
            ends[0, key >> shift & digit_mask] += 1
            ends[1, key >> (shift + digit) & digit_mask] += 1
            m += 1
    _sort_by_digit(keys, m, shift, ends[0], spare)
    _sort_by_digit(spare, m, shift + digit, ends[1], keys)
    if not _insert(keys, m, index_bits, bits):
        _sort_by_all_digits(keys, m, index_bits, bits, low, span, spare)
    return m


@jit
def _rank(bits: Longs, labels: NDArray[np.int8], ranking: Ranking) -> None:
    """Sort every column and mark its rows."""
    columns, n = bits.shape
    index_bits = _count_bits(max(n, 2) - 1)
    mask = (1 << index_bits) - 1
    keys, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    for c in range(columns):
        label = labels[min(c, labels.shape[0] - 1)]
        m = _sort(bits[c], label, index_bits, keys, spare)
        ties = 0
        for k in range(m):
            row = keys[k] & mask
            new = k == 0 or keys[k] >> index_bits != keys[k - 1] >> index_bits
            if not new:
                new = _map_bits(bits[c, row]) != _map_bits(bits[c, keys[k - 1] & mask])
            ties += not new
            ranking.rows[c, k] = row
            ranking.marks[c, k] = (label[row] == 1) * POSITIVE | new * NEW
        ranking.lengths[c], ranking.tied[c] = m, ties > 0
