"""How each case of one class lies among the other class, compiled and exact.

A column is sorted once (`earnest.kernels.sorting`) and walked once. Counts stay whole numbers up to
one final division, so that no result depends on the blocks of columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.kernels.sorting import NEW, POSITIVE, rank
from earnest.kernels.vectors import Bytes, Floats, Ints, Longs, jit

COLUMN_CELLS = 1 << 20  # scores that are ordered at a time


def place(positive: NDArray[np.bool_], scores: Numbers) -> tuple[Floats, Floats]:
    """Return the placements of positives (C, n1) and of negatives (C, n0).

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.kernels.placing import place
    >>> own, other = place(np.array([False, True, True]), np.array([[0.2], [0.2], [0.7]]))
    >>> own.tolist(), other.tolist()
    ([[0.5, 1.0]], [[0.75]])
    """
    n, columns = scores.shape
    first = int(positive.sum())
    own, other = np.empty((columns, first)), np.empty((columns, n - first))
    seats = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
    labels = positive.astype(np.int8)[None]
    step = max(1, COLUMN_CELLS // n)
    for left in range(0, columns, step):
        block = slice(left, left + step)
        values = np.ascontiguousarray(scores[:, block].T, dtype=np.float64)
        ranking = rank(values, labels)
        _place(ranking.rows, ranking.marks, seats, own[block], other[block])
    return own, other


@jit
def _place(rows: Ints, marks: Bytes, seats: Longs, own: Floats, other: Floats) -> None:
    """Walk ascending scores, one group of ties after the other."""
    n, n1, n0 = rows.shape[1], own.shape[1], other.shape[1]
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
                    own[c, seats[rows[c, k]]] = up
                else:
                    other[c, seats[rows[c, k]]] = down
            below += second
            passed += first
            start = stop
