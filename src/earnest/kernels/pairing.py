"""Pairs of cases that a replicate left out, in order or not: summed over replicates, compiled.

The plain form is in `earnest.inference.left_out.leave_pair_out`, and the oracle of this one.
"""

from __future__ import annotations

import numpy as np

from earnest.kernels.vectors import Bools, Floats, Longs, jit


@jit
def add_credits(
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
def add_weighted(
    high: Floats,
    low: Floats,
    out_left: Bools,
    out_right: Bools,
    share: Floats,
    sign: float,
    sums: Floats,
) -> None:
    """Add to sums (2, B) the credit of each replicate, weighted by share (m, n) and plain."""
    n = low.shape[1]
    values, columns = np.empty(n), np.empty(n, np.int64)
    for b in range(high.shape[0]):
        count = _gather(low, out_right, b, values, columns)
        heavy, plain = 0.0, 0.0
        for i in range(high.shape[1]):
            if out_left[b, i]:
                score = high[b, i]
                for k in range(count):
                    won = 0.5 * ((score > values[k]) + (score >= values[k]))
                    heavy += won * share[i, columns[k]]
                    plain += won
        sums[0, b] += sign * heavy
        sums[1, b] += sign * plain


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
