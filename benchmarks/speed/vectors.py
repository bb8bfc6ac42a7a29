"""Whole BBC for the AUC by vectors that are written in LLVM, against a plain walk in numba.

The vectors (`earnest.kernels.vectors`, and the programs they run) are harder to read than a loop.
They stay as long as the whole estimate takes at least 1.5 times as long without them. The plain
walk is the one that the other curves use: the cases of a column in order of score, for 64 resamples
in each inner loop. Both give the same AUC, to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row
from earnest.core.base.arrays import Numbers
from earnest.kernels import compiled
from earnest.kernels.ranks import KeptRanks
from earnest.kernels.sorting import NEW, POSITIVE, Ranking
from earnest.kernels.vectors import BYTE_OF_LANE, LANES, Floats, Lanes, jit

TIMES = 7  # both in turn, and the median of each: machines are disturbed


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios, in processor time of one thread."""
    for n, configs in [(500, 500)] if quick else [(500, 500), (5_000, 500)]:
        ours, plain = time_in_turn(n, configs)
        work = f"whole BBC, AUC, n={n:,} C={configs} B=1000, warm, one thread"
        yield Row(work, ours, "the same with a plain walk in numba", plain, 1.5)


def time_in_turn(n: int, configs: int) -> tuple[float, float]:
    """Return the median seconds of an estimate with vectors, and with the plain walk."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    values = set()
    for turn in range(-1, TIMES):  # the first to load compiled code
        for plainly in (turn % 2 == 0, turn % 2 != 0):
            pi = binary(n, configs)  # anew: orders of scores are kept for the next question
            fill = fill_plainly if plainly else compiled._fill_auc
            with mock.patch.object(compiled, "_fill_auc", fill):
                start = time.process_time()
                values.add(en.estimate(pi, metric="roc_auc", rng=1, n_jobs=1).value)
                if turn >= 0:
                    seconds[plainly].append(time.process_time() - start)
    if len(values) > 1:
        raise RuntimeError(f"both ways must agree, but give {sorted(values)}")
    return median(seconds[False]), median(seconds[True])


def fill_plainly(
    scores: Numbers,
    labels: Numbers,
    cache: KeptRanks | None,
    lanes: Lanes,
    classes: Floats,
    out: Floats,
    columns: slice,
) -> None:
    """Write the AUC of some columns into `out`, as `compiled._fill_auc` does."""
    ranking = compiled._find_ranking(scores, labels, columns, cache)
    mine = out[:, columns]
    walk_all(lanes, ranking, BYTE_OF_LANE, mine)


@jit
def walk_auc(
    block: NDArray[np.uint8], rows: NDArray[np.int32], marks: NDArray[np.uint8], tied: bool
) -> NDArray[np.float64]:
    """Return the AUC of a column under 64 resamples: pairs doubled, so that ties count 1."""
    hits, alarms, pairs = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    gain, loss = np.zeros(LANES), np.zeros(LANES)
    for k in range(rows.shape[0] - 1, -1, -1):
        count = block[rows[k]]
        if tied:
            change = gain if marks[k] & POSITIVE else loss
            for lane in range(LANES):
                change[lane] += count[lane]
            if marks[k] & NEW:
                for lane in range(LANES):
                    pairs[lane] += loss[lane] * (2.0 * hits[lane] + gain[lane])
                    hits[lane] += gain[lane]
                    alarms[lane] += loss[lane]
                    gain[lane] = loss[lane] = 0.0
        elif marks[k] & POSITIVE:
            for lane in range(LANES):
                hits[lane] += count[lane]
        else:
            for lane in range(LANES):
                alarms[lane] += count[lane]
                pairs[lane] += 2.0 * count[lane] * hits[lane]
    return pairs / (2.0 * hits * alarms)


@jit
def walk_all(
    lanes: Lanes, ranking: Ranking, byte_of_lane: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Walk all columns block by block, so that a block stays in the cache."""
    for b in range(lanes.blocks.shape[0]):
        first = lanes.first + b * LANES
        for c in range(ranking.rows.shape[0]):
            length = ranking.lengths[c]
            rows, marks = ranking.rows[c, :length], ranking.marks[c, :length]
            value = walk_auc(lanes.blocks[b], rows, marks, ranking.tied[c])
            for lane in range(min(LANES, out.shape[0] - first)):
                out[first + lane, c] = value[byte_of_lane[lane]]
