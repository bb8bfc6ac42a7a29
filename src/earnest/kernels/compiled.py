"""Rank metrics of every column under every resample, compiled and exact.

A resample is a row of counts: how often each case was drawn. The metric under counts is the metric
on rows physically repeated. Each column is sorted once (`earnest.kernels.sorting`), then walked
for 64 resamples at a time (`earnest.kernels.vectors`). The AUC and the concordance index stay
integers up to one final division, hence no result depends on the number of threads or on any
block size, down to the last bit.

Importing this module loads numba, which takes about a second: import it late, for large problems.

Memory beyond input and output stays below about 100 MB: the transposed counts take up to
`BLOCK_BYTES` and the sorted columns `COLUMN_BYTES`, shared by all threads. When the transposed
counts of all resamples do not fit, resamples are taken in groups, and the columns are sorted again
for each group. A single lane block (64 * n bytes) and one column per thread (about 30 * n bytes)
are the least that is needed; orders that are kept for the next question (`earnest.kernels.ranks`)
come on top. From `MANY_CASES` on `MANY_BYTES` or a quarter of the size of `counts` are allowed,
since sorting for every 64 resamples would take as long as scanning them.

Curves (average precision, partial AUC, the Kolmogorov-Smirnov distance) walk from the highest score
down, for 64 resamples in each inner loop. Weights are integers in float64, hence exact; only
quotients round, in the order in which the plain scans round them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError
from earnest.core.base.threads import each
from earnest.core.text.doors import arg
from earnest.kernels.programs import (
    TimeOrder,
    build,
    comparable,
    floor_at_level,
    order_in_time,
    order_level,
)
from earnest.kernels.ranks import KeptRanks
from earnest.kernels.sorting import NEW, POSITIVE, Ranking, rank
from earnest.kernels.vectors import (
    BYTE_OF_LANE,
    LANES,
    Bytes,
    Floats,
    Ints,
    Lanes,
    Longs,
    Program,
    count_classes,
    fill_block,
    jit,
    scan_auc,
    scan_pairs,
)

CURVES = ("average_precision", "partial_roc_auc", "ks")
AVERAGE_PRECISION, PARTIAL_ROC_AUC, KS = range(3)  # places in CURVES: compiled code takes numbers


@jit
def _sum_classes(block: Bytes, rows: Ints, marks: Bytes) -> Floats:
    """Sum the weights of the negatives and of the positives: (2, 64)."""
    totals = np.zeros((2, LANES))
    for k in range(rows.shape[0]):
        total, count = totals[marks[k] & POSITIVE], block[rows[k]]
        for lane in range(LANES):
            total[lane] += count[lane]
    return totals


@jit
def _compute_average_precision(block: Bytes, rows: Ints, marks: Bytes, value: Floats) -> None:
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
def _compute_partial_area(
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
def _compute_ks(block: Bytes, rows: Ints, marks: Bytes, totals: Floats, value: Floats) -> None:
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
                totals = _sum_classes(block, rows, marks)
            if kind == AVERAGE_PRECISION:
                _compute_average_precision(block, rows, marks, value)
            elif kind == PARTIAL_ROC_AUC:
                _compute_partial_area(block, rows, marks, totals, limit, value)
            else:
                _compute_ks(block, rows, marks, totals, value)
            for lane in range(min(LANES, out.shape[0] - first)):
                out[first + lane, column + c] = value[lane]


BLOCK_BYTES = 52_000_000  # of transposed counts
MANY_CASES = 200_000  # from which more are transposed at a time, to sort columns less often
MANY_BYTES = 1 << 28  # of transposed counts then
COLUMN_BYTES = 44_000_000  # of sorted columns and programs, in all threads
PROGRAM_BYTES = 30  # per row of a column: 4 row number, 1 mark, 25 program at worst
LEVEL_BYTES = PROGRAM_BYTES + 5  # the concordance index keeps two orders of a column
COLUMNS_AT_ONCE = 64
FEW_RESAMPLES = 2  # that are walked one by one
FEW_CASES = 4096  # of which a resample may have fewer than 2**16 pairs
ROWS_AT_ONCE = 512  # in a transposing copy, so that cache lines of a C-ordered matrix are read once


def auc_table(
    scores: Numbers,
    labels: Numbers,
    counts: Bytes,
    n_jobs: int = 1,
    cache: KeptRanks | None = None,
) -> Floats:
    """Compute the area under the ROC curve of every column for every resample.

    Parameters
    ----------
    scores : array of float32 or float64, shape (n, M), any memory order
        Finite scores, higher for the positive class.
    labels : array of integers, shape (n, 1) or (n, M)
        1 positive, 0 negative, -1 for rows ignored in this column.
    counts : array of uint8, shape (B, n)
        How often each resample holds each row.
    n_jobs : int
        Number of threads, over blocks of columns.
    cache : KeptRanks, optional
        The orders of the columns, as far as they are known; the others are added.

    Returns
    -------
    array of float64, shape (B, M)
        Probability that a positive row scores above a negative one, ties counted half; NaN where a
        class has no weight. It is `pairs2 / (2.0 * P * N)`, exact in integers before the division.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.kernels.compiled import auc_table
    >>> scores = np.array([[0.1], [0.4], [0.4], [0.8]])
    >>> labels = np.array([[0], [0], [1], [1]])
    >>> auc_table(scores, labels, np.array([[1, 1, 1, 1], [0, 2, 1, 0]], dtype=np.uint8))
    array([[0.875],
           [0.5  ]])
    """
    _check(scores, labels, counts)
    out = np.empty((counts.shape[0], scores.shape[1]))
    if len(counts) <= FEW_RESAMPLES:

        def scan(columns: slice) -> None:
            ranking = _find_ranking(scores, labels, columns, cache)
            _scan_few(_read_only(counts), ranking, columns.start, out)

        each(scan, _cut_columns(scores.shape, PROGRAM_BYTES, n_jobs), n_jobs)
        return out
    for lanes in _make_lane_groups(counts, BYTE_OF_LANE, n_jobs):
        work = partial(_fill_auc, scores, labels, cache, lanes, _count_classes(lanes, labels), out)
        each(work, _cut_columns(scores.shape, PROGRAM_BYTES, n_jobs), n_jobs)
    return out


def _fill_auc(
    scores: Numbers,
    labels: Numbers,
    cache: KeptRanks | None,
    lanes: Lanes,
    classes: Floats,
    out: Floats,
    columns: slice,
) -> None:
    ranking = _find_ranking(scores, labels, columns, cache)
    scan_auc(lanes, classes, _write_program(lanes, ranking), columns.start, out)


def _count_classes(lanes: Lanes, labels: Numbers) -> Floats:
    """Count negatives and positives (blocks, 2, 64) of few cases; empty if columns differ in them.

    With more cases there are too many pairs to count them in 16 bits.
    """
    few = labels.shape[1] == 1 and len(labels) <= FEW_CASES
    classes = np.empty((len(lanes.blocks) if few else 0, 2, LANES))
    column = np.ascontiguousarray(labels[:, 0], np.int8)
    for block, counted in zip(lanes.blocks, classes, strict=False):
        count_classes(block, column, BYTE_OF_LANE, counted)
    return classes


def auc_selected(
    scores: Numbers,
    labels: Numbers,
    counts: Bytes,
    columns: NDArray[np.intp],
    n_jobs: int = 1,
    cache: KeptRanks | None = None,
) -> Floats:
    """Compute the area under the ROC curve of one column per resample.

    Parameters
    ----------
    scores, labels, counts, n_jobs, cache
        As for `auc_table`.
    columns : array of intp, shape (B,)
        The column to score in each resample.

    Returns
    -------
    array of float64, shape (B,)
        `auc_table(scores, labels, counts)[arange(B), columns]`, to the last bit.
    """
    _check(scores, labels, counts)
    columns = np.asarray(columns, np.intp)
    _check_shape("columns", columns, counts.shape[:1])
    if columns.size and not 0 <= columns.min() <= columns.max() < scores.shape[1]:
        raise InputError(
            "`columns` names a column that does not exist", needs=f"0 to {scores.shape[1] - 1}"
        )
    out = np.empty(counts.shape[0])
    used, position = np.unique(columns, return_inverse=True)
    resamples = np.argsort(position, kind="stable")  # those of the first used column, then the next
    starts = np.searchsorted(position[resamples], np.arange(used.size + 1))
    counts = _read_only(counts)

    def scan(block: slice) -> None:
        ranking = _find_ranking(scores, labels, used[block], cache)
        bounds = starts[block.start : block.stop + 1]
        _scan_selected(counts, ranking, resamples, bounds, out)

    each(scan, _cut_columns((scores.shape[0], used.size), PROGRAM_BYTES, n_jobs), n_jobs)
    return out


def curve_table(
    kind: str,
    scores: Numbers,
    labels: Numbers,
    counts: Bytes,
    n_jobs: int = 1,
    max_fpr: float | None = None,
    cache: KeptRanks | None = None,
) -> Floats:
    """Compute a metric that walks down the distinct scores, for every column and resample.

    Parameters
    ----------
    kind : {"average_precision", "partial_roc_auc", "ks"}
        - average_precision: the sum of precision times gain in recall; NaN without positives.
        - partial_roc_auc: the area under the ROC curve up to the false positive rate `max_fpr`,
          standardised after McClish (1989) to 0.5 for chance and 1 for perfection.
        - ks: the largest difference |TPR - FPR|, the Kolmogorov-Smirnov distance of the classes.
    scores, labels, counts, n_jobs, cache
        As for `auc_table`.
    max_fpr : float, optional
        In (0, 1], for partial_roc_auc only; the whole area without it.

    Returns
    -------
    array of float64, shape (B, M)
        The first two as scikit-learn defines them. NaN where a class it needs has no weight.
    """
    if kind not in CURVES:
        raise InputError("`kind` is unknown", needs=", ".join(CURVES), got=repr(kind))
    limit = 1.0 if max_fpr is None else float(max_fpr)
    if not 0 < limit <= 1:
        raise InputError("`max_fpr` is out of range", needs="above 0, at most 1", got=str(max_fpr))
    _check(scores, labels, counts)
    out = np.empty((counts.shape[0], scores.shape[1]))
    for lanes in _make_lane_groups(counts, np.arange(LANES), n_jobs):
        work = partial(_fill_curve, CURVES.index(kind), limit, scores, labels, cache, lanes, out)
        each(work, _cut_columns(scores.shape, PROGRAM_BYTES, n_jobs), n_jobs)
    return out


def _fill_curve(
    kind: int,
    limit: float,
    scores: Numbers,
    labels: Numbers,
    cache: KeptRanks | None,
    lanes: Lanes,
    out: Floats,
    columns: slice,
) -> None:
    ranking = _find_ranking(scores, labels, columns, cache)
    shared = labels.shape[1] == 1
    walk(kind, limit, lanes, ranking, shared, columns.start, out)


def concordance_table(
    risk: Numbers,
    time: Numbers,
    event: Numbers,
    counts: Bytes,
    n_jobs: int = 1,
    cache: KeptRanks | None = None,
) -> Floats:
    """Compute Harrell's concordance index of every column for every resample.

    A pair (i, j) is comparable if i had the event and time_i < time_j, or time_i == time_j and j
    had not. It is concordant if risk_i > risk_j, and half so if they are equal.

    Parameters
    ----------
    risk : array of float32 or float64, shape (n, M), any memory order
        Finite predicted risks, higher for earlier events.
    time, event : arrays, shape (n,)
        Observed time, and whether it is that of the event (else censored).
    counts, n_jobs, cache
        As for `auc_table`.

    Returns
    -------
    array of float64, shape (B, M)
        The share of concordant among comparable pairs, each pair weighted by the product of its
        counts; NaN without comparable pairs. Exact in integers before the division.

    Notes
    -----
    Rows in order of time are halved again and again. On each of these log2(n) levels, events of
    the earlier half of a node meet all rows of its later half: that is an AUC, and it is scanned
    like one. All nodes of a level form one program, in which positives also beat the negatives of
    earlier nodes; that surplus does not depend on the risks and is taken off at the end.
    """
    time, seen = np.asarray(time), np.asarray(event, np.bool_)
    used = np.zeros((risk.shape[0], 1), np.int8)
    _check(risk, used, counts)
    _check_shape("time", time, risk.shape[:1])
    _check_shape("event", seen, risk.shape[:1])
    order = order_in_time(time, seen)
    out = np.empty((counts.shape[0], risk.shape[1]))
    for lanes in _make_lane_groups(counts, BYTE_OF_LANE, n_jobs):
        floor = sum(_count_pairs(lanes, floor_at_level(order, level)) for level in order.levels)
        total = _count_pairs(lanes, comparable(order))
        work = partial(_fill_concordance, risk, used, cache, order, lanes, floor, total, out)
        each(work, _cut_columns(risk.shape, LEVEL_BYTES, n_jobs), n_jobs)
    return out


def _fill_concordance(
    risk: Numbers,
    used: NDArray[np.int8],
    cache: KeptRanks | None,
    order: TimeOrder,
    lanes: Lanes,
    floor: Longs | int,
    total: Longs,
    out: Floats,
    columns: slice,
) -> None:
    ranking = _find_ranking(risk, used, columns, cache)
    concordant = -floor
    for level in order.levels:
        concordant = concordant + _count_pairs(lanes, order_level(ranking, order, level))
    rows = slice(lanes.first, lanes.first + total.shape[0])
    with np.errstate(invalid="ignore"):  # 0 / 0: no comparable pair
        out[rows, columns] = (concordant / total.astype(np.float64))[: out[rows].shape[0]]


def _count_pairs(lanes: Lanes, ranking: Ranking) -> Longs:
    """Count the ordered pairs, doubled, of every resample and column: (64 * blocks, columns)."""
    blocks, columns = len(lanes.blocks), len(ranking.rows)
    pairs = np.empty((blocks, columns, LANES), np.int64)
    scan_pairs(lanes, _write_program(lanes, ranking), pairs)
    return pairs.transpose(0, 2, 1).reshape(blocks * LANES, columns)


# ------------------------------------------------------------------------------ blocks and threads


def _check(scores: Numbers, labels: Numbers, counts: Bytes) -> None:
    """Refuse what would let compiled code read beyond its arrays, or lose digits."""
    if scores.ndim != 2 or not np.can_cast(scores.dtype, np.float64):
        raise InputError(
            "scores cannot be ranked",
            needs="a matrix of shape (n, M) that fits in float64",
            got=f"{scores.dtype} {scores.shape}",
        )
    if counts.dtype != np.uint8:
        raise InputError("counts are not small integers", needs="uint8", got=str(counts.dtype))
    _check_shape("counts", counts, (len(counts), len(scores)))
    if labels.shape != scores.shape:
        _check_shape("labels", labels, (len(scores), 1))


def _check_shape(name: str, array: Numbers, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise InputError(f"{arg(name)} has the wrong shape", needs=str(shape), got=str(array.shape))


def _cut_columns(shape: tuple[int, ...], bytes_per_row: int, n_jobs: int) -> Iterator[slice]:
    """Cut the columns so that all threads together stay within their memory and are kept busy."""
    n, columns = shape
    fitting = COLUMN_BYTES // (n_jobs * bytes_per_row * max(n, 1))
    fair = -(-columns // (4 * n_jobs)) if n_jobs > 1 else columns
    size = max(1, min(COLUMNS_AT_ONCE, fitting, fair))
    for start in range(0, columns, size):
        yield slice(start, min(start + size, columns))


def _make_lane_groups(counts: Bytes, byte_of_lane: Longs, n_jobs: int) -> Iterator[Lanes]:
    """Transpose the counts, as many resamples at a time as memory allows, always in one buffer."""
    n_resamples, n = counts.shape
    n_blocks = -(-n_resamples // LANES)
    many = MANY_BYTES if n >= MANY_CASES else 0
    fitting = max(1, max(BLOCK_BYTES, counts.nbytes // 4, many) // (LANES * (n + 1)))
    n_groups = max(1, -(-n_blocks // fitting))
    size = max(1, -(-n_blocks // n_groups))  # groups of even size
    buffer = _allocate_aligned(size, n + 1, LANES)
    counts = _read_only(counts)
    for start in range(0, n_blocks, size):
        blocks = buffer[: n_blocks - start]
        largest = np.empty(len(blocks), np.int64)

        def fill(k: int, start: int = start, largest: Longs = largest) -> None:
            first = (start + k) * LANES
            largest[k] = fill_block(counts, first, byte_of_lane, buffer[k])

        each(fill, range(len(blocks)), n_jobs)
        yield Lanes(start * LANES, blocks, largest)


def _write_program(lanes: Lanes, ranking: Ranking) -> Program:
    return build(ranking, zero=lanes.blocks.shape[1] - 1, largest=int(lanes.largest.max()))


def _allocate_aligned(*shape: int) -> Bytes:
    """Allocate bytes at a cache line, so that a row of 64 lanes is one line and not two."""
    size = int(np.prod(shape))
    memory = np.empty(size + LANES, np.uint8)
    start = -memory.ctypes.data % LANES
    return memory[start : start + size].reshape(shape)


def _read_only(array: Bytes) -> Bytes:
    """Make a contiguous read-only view, as numba compiles again for arrays that differ in this."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _find_ranking(
    scores: Numbers,
    labels: Numbers,
    columns: slice | NDArray[np.intp],
    cache: KeptRanks | None,
) -> Ranking:
    """Return the orders of some columns, and sort those that are not known yet."""
    if cache is None:
        return _rank_columns(scores, labels, columns)
    places = np.arange(len(cache.is_sorted))[columns]
    missing = places[~cache.is_sorted[places]]
    if len(missing):
        ranking = _rank_columns(scores, labels, missing)
        cache.put(missing, KeptRanks(*ranking, np.ones(len(missing), np.bool_)))
    some = cache.part(columns)
    return Ranking(some.rows, some.marks, some.lengths, some.tied)


def _rank_columns(scores: Numbers, labels: Numbers, columns: slice | NDArray[np.intp]) -> Ranking:
    """Sort some columns; float32 becomes float64, which keeps order and ties."""
    chosen = scores[:, columns]
    values = np.empty(chosen.shape[::-1])
    for start in range(0, chosen.shape[0], ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        values[:, rows] = chosen[rows].T
    chosen_labels = labels if labels.shape[1] == 1 else labels[:, columns]
    return rank(values, np.array(chosen_labels.T, np.int8, order="C"))


# ----------------------------------------------------------------------- one resample at a time


@jit
def _walk(counts: Bytes, ranking: Ranking, c: int) -> float:
    """Return the AUC of column c in one resample.

    Free of branches: within a tie group every row meets the rows of the other class before it.
    """
    pairs = below = positives = ups = downs = np.int64(0)
    for k in range(ranking.lengths[c]):
        mark = np.int64(ranking.marks[c, k])
        count = np.int64(counts[ranking.rows[c, k]])
        up = count * (mark & POSITIVE)
        down = count - up
        same = np.int64(mark & NEW == 0)
        below += (1 - same) * downs
        ups, downs = same * ups, same * downs
        pairs += up * (2 * below + downs) + down * ups
        ups, downs = ups + up, downs + down
        positives += up
    return pairs / (2.0 * positives * (below + downs))


@jit
def _scan_selected(
    counts: Bytes,
    ranking: Ranking,
    resamples: NDArray[np.intp],
    starts: NDArray[np.intp],
    out: Floats,
) -> None:
    """Write the AUC of column c for the resamples that chose it, starts[c] to starts[c + 1]."""
    for c in range(ranking.rows.shape[0]):
        for resample in resamples[starts[c] : starts[c + 1]]:
            out[resample] = _walk(counts[resample], ranking, c)


@jit
def _scan_few(counts: Bytes, ranking: Ranking, column: int, out: Floats) -> None:
    """Write the AUC of some columns, which begin at `column`, for few resamples.

    A program would take longer to write than it takes to walk a column for one resample.
    """
    for c in range(ranking.rows.shape[0]):
        for resample in range(counts.shape[0]):
            out[resample, column + c] = _walk(counts[resample], ranking, c)
