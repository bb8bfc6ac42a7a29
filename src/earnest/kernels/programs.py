"""Write the programs that the scans run, from sorted columns.

From the order of a column (`earnest.kernels.sorting`) `build` writes its *program*: segments of
eight row numbers, four slots for positive and four for negative rows, where empty slots name an
all-zero row.

- A plain segment holds positives followed by negatives: its positives beat the negatives of
  earlier segments, not its own.
- A tie group of both classes has segments of its own: all its positives, then all its negatives.
  Segments after its first are flagged CONTINUED. Those with its negatives are flagged TIED, because
  each of them counts half against every positive of the group.

The scans add the rows of a segment in 8 bits. If a count is above 63, four rows could overflow, and
the program is written with fewer rows a segment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.kernels.sorting import NEW, POSITIVE, Ranking
from earnest.kernels.vectors import (
    AHEAD,
    CONTINUED,
    LARGEST_COUNT,
    PAIR,
    SLOTS,
    TIED,
    Bools,
    Bytes,
    Ints,
    Longs,
    Program,
    jit,
)


def build(ranking: Ranking, zero: int, largest: int) -> Program:
    """Write the program of every column.

    `zero` is the number of the all-zero row, `largest` the largest count that will be met.
    """
    columns, entries = ranking.rows.shape
    width = min(SLOTS, LARGEST_COUNT // max(largest, 1))
    # At worst a negative, a positive and a tied pair alternate: three segments for four rows. One
    # more segment is cleared in advance. Pages never written take no memory.
    worst = 3 * entries // 4 if width > 1 else entries
    capacity = columns * (worst + 2) + 1 + AHEAD
    program = Program(
        np.empty((capacity, PAIR), np.int32),
        np.empty(capacity, np.uint8),
        np.empty(columns + 1, np.int64),
        ranking.tied,
    )
    _build(ranking, zero, width, program)
    return program


# ------------------------------------------------------------------------------- writing programs


@jit
def _open(program: Program, segment: int, zero: int, flag: int) -> None:
    """Begin a segment: all its slots name the zero row."""
    for slot in range(PAIR):
        program.slots[segment, slot] = zero
    program.flags[segment] = flag


@jit
def _append(
    program: Program, segment: int, used: int, row: int, positive: int, zero: int, width: int
) -> tuple[int, int]:
    """Put a row into the next slot of its class after the `used` ones, or into a new segment.

    Free of branches, as labels are as good as random: the next segment is cleared every time.
    """
    base = SLOTS * (1 - positive)
    full = used >= base + width
    slot = base if full else max(used, base)
    segment += full
    program.slots[segment, slot] = row
    _open(program, segment + 1, zero, 0)
    return segment, slot + 1


@jit
def _append_group(
    program: Program, segment: int, rows: Ints, marks: Bytes, zero: int, width: int
) -> int:
    """Give a tie group of both classes segments of its own; return the last."""
    segment += 1
    _open(program, segment, zero, 0)
    for positive in (1, 0):
        base = SLOTS * (1 - positive)
        slot = base
        for k in range(rows.shape[0]):
            if marks[k] & POSITIVE == positive:
                if slot == base + width:
                    segment, slot = segment + 1, base
                    _open(program, segment, zero, CONTINUED)
                program.slots[segment, slot] = rows[k]
                program.flags[segment] |= TIED * (1 - positive)
                slot += 1
    _open(program, segment + 1, zero, 0)
    return segment


@jit
def _build_tied(
    rows: Ints, marks: Bytes, zero: int, width: int, program: Program, segment: int
) -> int:
    """Write the program of a column with ties after `segment`; return its last segment."""
    used = PAIR
    start, m = 0, rows.shape[0]
    while start < m:
        stop, positives = start + 1, int(marks[start] & POSITIVE)
        while stop < m and not marks[stop] & NEW:
            positives += marks[stop] & POSITIVE
            stop += 1
        if 0 < positives < stop - start:
            group = slice(start, stop)
            segment = _append_group(program, segment, rows[group], marks[group], zero, width)
            used = PAIR
        else:
            for k in range(start, stop):
                positive = marks[k] & POSITIVE
                segment, used = _append(program, segment, used, rows[k], positive, zero, width)
        start = stop
    return segment


@jit
def _build(ranking: Ranking, zero: int, width: int, program: Program) -> None:
    """Write the programs of all columns, one after the other."""
    segment = -1
    _open(program, 0, zero, 0)
    for c in range(ranking.rows.shape[0]):
        program.first[c] = segment + 1
        m = ranking.lengths[c]
        rows, marks = ranking.rows[c, :m], ranking.marks[c, :m]
        if ranking.tied[c]:
            segment = _build_tied(rows, marks, zero, width, program, segment)
        else:
            used = PAIR
            for k in range(m):
                positive = marks[k] & POSITIVE
                segment, used = _append(program, segment, used, rows[k], positive, zero, width)
    program.first[ranking.rows.shape[0]] = segment + 1


# --------------------------------------------------------------------------- survival as many AUCs
#
# Rows of one time and one kind (event or censored) form a unit: they are not comparable with one
# another. Units are in order of time, events before censored rows of the same time. Then i and j
# are comparable exactly if i had the event and its unit comes first. The highest bit in which two
# units differ is their level, and the units that agree above this bit form a node.


@dataclass(frozen=True)
class TimeOrder:
    """The units of all rows."""

    rows: Ints  # (n,) in order of units
    units: Ints  # (n,) of each row
    event: Bools  # (n,) of each row

    @property
    def levels(self) -> range:
        """The bits of a unit."""
        return range(int(self.units.max(initial=0)).bit_length())


def order_in_time(time: Numbers, event: Bools) -> TimeOrder:
    """Number the units."""
    rows = np.lexsort((~event, time)).astype(np.int32)
    time, kind = time[rows], event[rows]
    change = (time[1:] != time[:-1]) | (kind[1:] != kind[:-1])
    units = np.zeros(rows.size, np.int32)
    units[rows[1:]] = np.cumsum(change)
    return TimeOrder(rows, units, event)


def comparable(order: TimeOrder) -> Ranking:
    """Order rows so that events beat what they are comparable with: all rows of later units.

    From the last unit to the first, each gives its events as positives, all its rows as negatives.
    """
    events = order.rows[order.event[order.rows]]
    rows = np.concatenate((events, order.rows))
    negative = np.arange(rows.size) >= events.size
    sequence = np.lexsort((negative, -order.units[rows]))
    return _rank_untied(rows[sequence], ~negative[sequence])


def floor_at_level(order: TimeOrder, level: int) -> Ranking:
    """Order a level so that no pair within a node counts: what counts is between nodes."""
    later = _take_bit(order.units, level)[order.rows]
    counted = later | order.event[order.rows]
    return _rank_untied(order.rows[counted], ~later[counted])


def order_level(ranking: Ranking, order: TimeOrder, level: int) -> Ranking:
    """Order each node of a level by risk: earlier events are positive, all later rows negative."""
    counted = order.event | _take_bit(order.units, level)
    sizes = np.bincount(order.units[counted] >> (level + 1), minlength=1)
    shape = (ranking.rows.shape[0], int(sizes.sum()))
    nodes = Ranking(
        np.empty(shape, np.int32),
        np.empty(shape, np.uint8),
        np.full(shape[0], shape[1]),
        ranking.tied,
    )
    _deal_rows(ranking, order.units, counted, level, np.cumsum(sizes) - sizes, nodes)
    return nodes


def _take_bit(units: Ints, level: int) -> Bools:
    return (units >> level & 1).astype(np.bool_)


def _rank_untied(rows: Ints, positive: Bools) -> Ranking:
    marks = (positive * POSITIVE | NEW).astype(np.uint8)
    return Ranking(rows[None], marks[None], np.array([rows.size]), np.zeros(1, np.bool_))


@jit
def _deal_rows(
    ranking: Ranking, units: Ints, counted: Bools, level: int, starts: Longs, nodes: Ranking
) -> None:
    """Deal the rows, in order of risk, to their nodes."""
    for c in range(ranking.rows.shape[0]):
        position = starts.copy()
        last = np.full(starts.shape[0], -1)  # the tie group that each node met last
        group = 0
        for k in range(ranking.rows.shape[1]):
            row = ranking.rows[c, k]
            group += ranking.marks[c, k] & NEW
            if counted[row]:
                node = units[row] >> (level + 1)
                earlier = 1 - (units[row] >> level & 1)
                nodes.rows[c, position[node]] = row
                nodes.marks[c, position[node]] = earlier * POSITIVE | (group != last[node]) * NEW
                last[node] = group
                position[node] += 1
