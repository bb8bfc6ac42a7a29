"""Curves over the distinct scores: average precision, partial AUC, Kolmogorov-Smirnov distance.

Each walks from the highest score down, for 64 resamples in each inner loop. Weights are integers in
float64, hence exact; only quotients round, in the order in which the plain scans round them.
"""

from __future__ import annotations

import numpy as np

from earnest.kernels.sorting import NEW, POSITIVE, Ranking
from earnest.kernels.vectors import LANES, Bytes, Floats, Ints, Lanes, jit

CURVES = ("average_precision", "partial_roc_auc", "ks")
AVERAGE_PRECISION, PARTIAL_ROC_AUC, KS = range(3)  # places in CURVES: compiled code takes numbers


@jit
def _totals(block: Bytes, rows: Ints, marks: Bytes) -> Floats:
    """Sum the weights of the negatives and of the positives: (2, 64)."""
    totals = np.zeros((2, LANES))
    for k in range(rows.shape[0]):
        total, count = totals[marks[k] & POSITIVE], block[rows[k]]
        for lane in range(LANES):
            total[lane] += count[lane]
    return totals


@jit
def _average_precision(block: Bytes, rows: Ints, marks: Bytes, value: Floats) -> None:
    """Sum gain in recall times precision over the distinct scores that hold positives."""
    hits, alarms, gain = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    value[:] = 0
    gained = False
    for k in range(rows.shape[0] - 1, -1, -1):
        count = block[rows[k]]
        if marks[k] & POSITIVE:
            gained = True
            for lane in range(LANES):
                gain[lane] += count[lane]
        else:
            for lane in range(LANES):
                alarms[lane] += count[lane]
        if gained and marks[k] & NEW:  # the first of a group in ascending order is its last here
            gained = False
            for lane in range(LANES):
                hits[lane] += gain[lane]
                value[lane] += gain[lane] * (hits[lane] / max(hits[lane] + alarms[lane], 1.0))
                gain[lane] = 0
    for lane in range(LANES):
        value[lane] /= hits[lane]


@jit
def _partial_roc_auc(
    block: Bytes, rows: Ints, marks: Bytes, totals: Floats, limit: float, value: Floats
) -> None:
    """Sum trapezoids up to the limit, the last one cut there, and standardise.

    All in weights instead of rates: twice the area is an integer but for the cut.
    """
    hits, alarms = np.zeros(LANES), np.zeros(LANES)
    gain, loss = np.zeros(LANES), np.zeros(LANES)
    edge = limit * totals[0]
    value[:] = 0
    for k in range(rows.shape[0] - 1, -1, -1):
        count = block[rows[k]]
        change = gain if marks[k] & POSITIVE else loss
        for lane in range(LANES):
            change[lane] += count[lane]
        if marks[k] & NEW:
            inside = False
            for lane in range(LANES):
                width = min(loss[lane], max(edge[lane] - alarms[lane], 0.0))
                share = width / max(loss[lane], 1.0)  # 1 for all but the last trapezoid
                value[lane] += width * (2 * hits[lane] + share * gain[lane])
                hits[lane] += gain[lane]
                alarms[lane] += loss[lane]
                gain[lane] = loss[lane] = 0
                inside |= alarms[lane] < edge[lane]
            if not inside:
                break
    least = 0.5 * limit * limit
    for lane in range(LANES):
        area = value[lane] / (2.0 * totals[1, lane] * totals[0, lane])
        scaled = 0.5 * (1.0 + (area - least) / (limit - least))
        worst = (1.0 - limit) / (2.0 - limit)
        value[lane] = worst if scaled < worst else 1.0 if scaled > 1.0 else scaled  # rounding


@jit
def _ks(block: Bytes, rows: Ints, marks: Bytes, totals: Floats, value: Floats) -> None:
    """Find the largest |TPR - FPR|, as an integer over the product of the totals."""
    lead = np.zeros(LANES)
    value[:] = 0
    for k in range(rows.shape[0] - 1, -1, -1):
        count = block[rows[k]]
        positive = marks[k] & POSITIVE
        other, sign = totals[1 - positive], 2.0 * positive - 1.0
        for lane in range(LANES):
            lead[lane] += sign * count[lane] * other[lane]
        if marks[k] & NEW:
            for lane in range(LANES):
                value[lane] = max(value[lane], abs(lead[lane]))
    for lane in range(LANES):
        value[lane] /= totals[0, lane] * totals[1, lane]


@jit
def walk(
    kind: int,
    limit: float,
    lanes: Lanes,
    ranking: Ranking,
    shared: bool,
    column: int,
    out: Floats,
) -> None:
    """Write a metric of the ranked columns, which begin at `column`, into `out` (B, M)."""
    value, totals = np.empty(LANES), np.empty((2, LANES))
    for k in range(lanes.blocks.shape[0]):
        block, first = lanes.blocks[k], lanes.first + k * LANES
        for c in range(ranking.rows.shape[0]):
            m = ranking.lengths[c]
            rows, marks = ranking.rows[c, :m], ranking.marks[c, :m]
            if c == 0 or not shared:
                totals = _totals(block, rows, marks)
            if kind == AVERAGE_PRECISION:
                _average_precision(block, rows, marks, value)
            elif kind == PARTIAL_ROC_AUC:
                _partial_roc_auc(block, rows, marks, totals, limit, value)
            else:
                _ks(block, rows, marks, totals, value)
            for lane in range(min(LANES, out.shape[0] - first)):
                out[first + lane, column + c] = value[lane]
