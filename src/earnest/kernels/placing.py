"""How cases of one class lie among the other, all or those that replicates left out; compiled.

The plain form for pairs left out is in `earnest.inference.left_out.leave_pair_out`, and the oracle
of this one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.kernels.sorting import NEW, POSITIVE, rank
from earnest.kernels.vectors import Bools, Bytes, Floats, Ints, Longs, jit

COLUMN_CELLS = 1 << 20  # scores that are ordered at a time


def place(positive: NDArray[np.bool_], scores: Numbers) -> tuple[Floats, Floats]:
    """Return the placements of positives (C, n1) and of negatives (C, n0).

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.kernels.placing import place
    >>> positives, negatives = place(np.array([False, True, True]), np.array([[0.2], [0.2], [0.7]]))
    >>> positives.tolist(), negatives.tolist()
    ([[0.5, 1.0]], [[0.75]])
    """
    n, columns = scores.shape
    first = int(positive.sum())
    below, above = np.empty((columns, first)), np.empty((columns, n - first))
    seats = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
    labels = positive.astype(np.int8)[None]
    step = max(1, COLUMN_CELLS // n)
    for left in range(0, columns, step):
        block = slice(left, left + step)
        values = np.ascontiguousarray(scores[:, block].T, dtype=np.float64)
        ranking = rank(values, labels)
        _place(ranking.rows, ranking.marks, seats, below[block], above[block])
    return below, above


@jit
def _place(rows: Ints, marks: Bytes, seats: Longs, positives: Floats, negatives: Floats) -> None:
    """Walk ascending scores, one group of ties after the other."""
    n, n1, n0 = rows.shape[1], positives.shape[1], negatives.shape[1]
    for c in range(rows.shape[0]):
        below, passed, start = 0, 0, 0  # negatives and positives below, where the group begins
        while start < n:
            stop, first = start, 0
            while stop < n and (stop == start or not marks[c, stop] & NEW):
                first += marks[c, stop] & POSITIVE
                stop += 1
            second = stop - start - first
            up = (2 * below + second) / (2.0 * n0)
            down = (2 * (n1 - passed) - first) / (2.0 * n1)
            for k in range(start, stop):
                if marks[c, k] & POSITIVE:
                    positives[c, seats[rows[c, k]]] = up
                else:
                    negatives[c, seats[rows[c, k]]] = down
            below += second
            passed += first
            start = stop


@jit
def add_pair_credits(
    high: Floats, low: Floats, out_left: Bools, out_right: Bools, sign: float, sums: Floats
) -> None:
    """Add to sums (m, n) how many replicates put pairs in order that they left out, ties halved.

    `high` (B, m) and `low` (B, n) are the scores of the left and the right cases.
    """
    n = low.shape[1]
    values, columns = np.empty(n), np.empty(n, np.int64)
    for b in range(high.shape[0]):
        count = _gather(low, out_right, b, values, columns)
        for i in range(high.shape[1]):
            if out_left[b, i]:
                score = high[b, i]
                for k in range(count):
                    won = 0.5 * ((score > values[k]) + (score >= values[k]))
                    sums[i, columns[k]] += sign * won


@jit
def add_weighted_credits(
    high: Floats,
    low: Floats,
    out_left: Bools,
    out_right: Bools,
    share: Floats,
    sign: float,
    sums: Floats,
) -> None:
    """Add to sums (B,) the credit of each replicate, weighted by share (m, n)."""
    n = low.shape[1]
    values, columns = np.empty(n), np.empty(n, np.int64)
    for b in range(high.shape[0]):
        count = _gather(low, out_right, b, values, columns)
        credit = 0.0
        for i in range(high.shape[1]):
            if out_left[b, i]:
                score = high[b, i]
                for k in range(count):
                    won = 0.5 * ((score > values[k]) + (score >= values[k]))
                    credit += won * share[i, columns[k]]
        sums[b] += sign * credit


@jit
def _gather(low: Floats, out: Bools, b: int, values: Floats, columns: Longs) -> int:
    """Put the scores that a replicate left out side by side, and return how many they are."""
    count = 0
    for j in range(low.shape[1]):
        if out[b, j]:
            values[count] = low[b, j]
            columns[count] = j
            count += 1
    return count
