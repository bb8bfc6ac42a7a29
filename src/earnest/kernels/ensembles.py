"""Greedy ensembles of every resample, compiled: one kernel for areas, log losses and squares.

Each resample is worked on alone and in a fixed order, so that neither threads nor blocks change a
bit. A resample first gathers what its library predicts for the cases that it drew; a step then adds
each candidate to the running sum of the ensemble.

**Areas.** Predictions are whole numbers of a small step, so that sums are exact. A candidate costs
one radix sort of three digits and a walk, which counts pairs in integers.

**Log losses.** Chances of the true class are multiplied, sixteen at a time, before their logarithm
is taken.

**Squares.** The residual of an average is the average of residuals, so that all a step needs is in
the matrix of their products.

Importing this module loads numba: import it late.
"""

from __future__ import annotations

import numpy as np

from earnest.kernels.vectors import Floats, Ints, Longs, jit

TIE = 1e-12  # as in `earnest.core.data.selection`, which compiled code cannot call
DIGIT = 10  # bits a pass of the radix sort
BINS = 1 << DIGIT
MASK = BINS - 1
LABEL = 16  # bits of a count, below the bit of the class
KEY = LABEL + 1
LARGEST_COUNT = (1 << LABEL) - 1


@jit
def _find_first_best(scores: Floats, size: int, unit: float) -> int:
    """Return the first place whose score is the best up to rounding, -1 if none is a number."""
    best = -np.inf
    for index in range(size):
        if scores[index] > best:
            best = scores[index]
    if best == -np.inf:
        return -1
    floor = best - TIE * max(unit, abs(best))
    for index in range(size):
        if scores[index] >= floor:
            return index
    return -1


@jit
def _begin(b: int, library: Ints, start: Ints, picks: Ints, scores: Floats) -> int:
    """Empty the answers of a resample, and return the size of its library, 0 without a start."""
    picks[b] = -1
    scores[b] = np.nan
    size = 0
    while start[b] >= 0 and size < library.shape[1] and library[b, size] >= 0:
        size += 1
    return size


@jit
def _add_best(
    b: int,
    step: int,
    gains: Floats,
    size: int,
    unit: float,
    library: Ints,
    start: Ints,
    picks: Ints,
    scores: Floats,
) -> int:
    """Write down the member that a step adds, and return its place, -1 if none can be added."""
    chosen = start[b] if step == 0 else _find_first_best(gains, size, unit)
    if chosen >= 0:
        picks[b, step] = library[b, chosen]
        scores[b, step] = gains[chosen]
    return chosen


@jit
def _sort_digit(
    source: Longs, goal: Longs, count: int, ends: Longs, first: int, shift: int
) -> None:
    """Move numbers to their places by one digit; `ends` are the starts of its bins."""
    for i in range(count):
        value = source[i]
        bin_ = first + ((value >> shift) & MASK)
        goal[ends[bin_]] = value
        ends[bin_] += 1


@jit
def _count_pairs(packed: Longs, spare: Longs, bins: Longs, count: int) -> int:
    """Return twice the weight of pairs in order, ties counted half; the numbers are sorted."""
    for i in range(3 * BINS):
        bins[i] = 0
    for i in range(count):
        key = packed[i] >> KEY
        bins[key & MASK] += 1
        bins[BINS + ((key >> DIGIT) & MASK)] += 1
        bins[2 * BINS + (key >> (2 * DIGIT))] += 1
    for digit in range(3):
        total = 0
        for i in range(digit * BINS, (digit + 1) * BINS):
            here = bins[i]
            bins[i] = total
            total += here
    _sort_digit(packed, spare, count, bins, 0, KEY)
    _sort_digit(spare, packed, count, bins, BINS, KEY + DIGIT)
    _sort_digit(packed, spare, count, bins, 2 * BINS, KEY + 2 * DIGIT)
    twice, below, i = 0, 0, 0
    while i < count:
        key = spare[i] >> KEY
        positive, negative = 0, 0
        while i < count and spare[i] >> KEY == key:
            weight = spare[i] & LARGEST_COUNT
            label = (spare[i] >> LABEL) & 1
            positive += weight * label
            negative += weight * (1 - label)
            i += 1
        twice += positive * (2 * below + negative)
        below += negative
    return twice


@jit
def greedy_areas(
    keys: Ints,
    labels: Ints,
    counts: Ints,
    library: Ints,
    start: Ints,
    steps: int,
    picks: Ints,
    scores: Floats,
) -> None:
    """Build ensembles by the mean area under the ROC curves of some views.

    Parameters
    ----------
    keys : ndarray of int32, shape (C, V, n)
        Predictions as whole numbers; sums of `steps` of them stay below 2**30.
    labels : ndarray of int32, shape (V, n)
        1 and 0 for the classes of a view, -1 for cases that it leaves out.
    counts : ndarray of int32, shape (B, n)
        How often each case was drawn, at most 65535 times.
    library : ndarray of int32, shape (B, L)
        The configurations in rising order, -1 after the last.
    start : ndarray of int32, shape (B,)
        The place in the library of the first member, -1 where there is none.
    steps : int
        How many members to add, the first included.
    picks : ndarray of int32, shape (B, steps)
        Out: the members, -1 where there is none.
    scores : ndarray, shape (B, steps)
        Out: the score after each step, NaN where there is none.
    """
    views, n = labels.shape
    most = library.shape[1]
    rows = np.empty((views, n), dtype=np.int32)
    marks = np.empty((views, n), dtype=np.int64)
    sizes = np.empty(views, dtype=np.int64)
    pairs = np.empty(views)
    drawn = np.empty((most, views, n), dtype=np.int32)
    running = np.empty((views, n), dtype=np.int64)
    packed = np.empty(n, dtype=np.int64)
    spare = np.empty(n, dtype=np.int64)
    bins = np.empty(3 * BINS, dtype=np.int64)
    gains = np.empty(most)
    for b in range(len(counts)):
        size = _begin(b, library, start, picks, scores)
        if size == 0:
            continue
        for v in range(views):
            m, positive, total = 0, 0, 0
            for i in range(n):
                weight = counts[b, i]
                if weight > 0 and labels[v, i] >= 0:
                    rows[v, m] = i
                    marks[v, m] = (np.int64(labels[v, i]) << LABEL) | np.int64(weight)
                    running[v, m] = 0
                    positive += weight * labels[v, i]
                    total += weight
                    m += 1
            sizes[v] = m
            pairs[v] = 2.0 * positive * (total - positive)
        for c in range(size):
            for v in range(views):
                for i in range(sizes[v]):
                    drawn[c, v, i] = keys[library[b, c], v, rows[v, i]]
        for step in range(steps):
            for c in range(size):
                if step == 0 and c != start[b]:
                    continue
                score = 0.0
                for v in range(views):
                    for i in range(sizes[v]):
                        packed[i] = ((running[v, i] + drawn[c, v, i]) << KEY) | marks[v, i]
                    score += _count_pairs(packed, spare, bins, sizes[v]) / pairs[v]
                gains[c] = score / views
            chosen = _add_best(b, step, gains, size, 1.0, library, start, picks, scores)
            if chosen < 0:
                break
            for v in range(views):
                for i in range(sizes[v]):
                    running[v, i] += drawn[chosen, v, i]


@jit
def greedy_chances(
    chances: Floats,
    counts: Ints,
    library: Ints,
    start: Ints,
    steps: int,
    picks: Ints,
    scores: Floats,
) -> None:
    """Build ensembles by the mean logarithm of the chance of the true class.

    Parameters
    ----------
    chances : ndarray, shape (C, N)
        The chance that each configuration gave to the class of each case, above 0; the repeats of
        all cases one after another.
    counts : ndarray of int32, shape (B, n)
        How often each case was drawn; N is a multiple of n.
    library, start, steps, picks, scores
        As for `greedy_areas`.
    """
    n = counts.shape[1]
    repeats = chances.shape[1] // n
    most = library.shape[1]
    longest = 0
    for b in range(len(counts)):
        longest = max(longest, counts[b].sum())
    longest = ((repeats * longest + 15) // 16) * 16
    drawn = np.empty((most, longest))
    running = np.empty(longest)
    gains = np.empty(most)
    for b in range(len(counts)):
        size = _begin(b, library, start, picks, scores)
        total = 0
        for c in range(size):
            column = chances[library[b, c]]
            total = 0
            for repeat in range(repeats):
                for i in range(n):
                    for _ in range(counts[b, i]):
                        drawn[c, total] = column[repeat * n + i]
                        total += 1
        filled = ((total + 15) // 16) * 16
        for i in range(filled):
            running[i] = 0.0
        for step in range(steps if size > 0 else 0):
            share = 1.0 / (step + 1.0)
            for i in range(total, filled):  # their chance is 1, whatever is added
                running[i] = float(step)
            for c in range(size):
                for i in range(total, filled):
                    drawn[c, i] = 1.0
                if step == 0 and c != start[b]:
                    continue
                score = 0.0
                for top in range(0, filled, 16):
                    first, second, third, fourth = 1.0, 1.0, 1.0, 1.0
                    for i in range(top, top + 16, 4):
                        first *= (running[i] + drawn[c, i]) * share
                        second *= (running[i + 1] + drawn[c, i + 1]) * share
                        third *= (running[i + 2] + drawn[c, i + 2]) * share
                        fourth *= (running[i + 3] + drawn[c, i + 3]) * share
                    score += np.log((first * second) * (third * fourth))
                gains[c] = score / total
            chosen = _add_best(b, step, gains, size, 0.0, library, start, picks, scores)
            if chosen < 0:
                break
            for i in range(total):
                running[i] += drawn[chosen, i]


@jit
def sum_products(rows: Floats, counts: Ints, library: Ints, out: Floats) -> None:
    """Sum the products of every two rows of a library over the cases of every resample.

    Parameters
    ----------
    rows : ndarray, shape (C, N)
        A number for each case, or several: all cases one after another.
    counts : ndarray of int32, shape (B, n)
        How often each case was drawn; N is a multiple of n.
    library : ndarray of int32, shape (B, L)
        The rows to take, -1 after the last.
    out : ndarray, shape (B, L, L)
        Out: the sums, 0 beyond the library.
    """
    n = counts.shape[1]
    most = library.shape[1]
    drawn = np.empty((rows.shape[1], most))
    for b in range(len(counts)):
        size = 0
        while size < most and library[b, size] >= 0:
            size += 1
        m = 0
        for i in range(rows.shape[1]):
            weight = counts[b, i % n]
            if weight > 0:
                root = np.sqrt(float(weight))
                for c in range(size):
                    drawn[m, c] = root * rows[library[b, c], i]
                m += 1
        for c in range(most):
            for d in range(most):
                out[b, c, d] = 0.0
        for i in range(m):
            for c in range(size):
                left = drawn[i, c]
                for d in range(c, size):
                    out[b, c, d] += left * drawn[i, d]
        for c in range(size):
            for d in range(c):
                out[b, c, d] = out[b, d, c]


@jit
def greedy_squares(
    together: Floats, library: Ints, start: Ints, steps: int, picks: Ints, scores: Floats
) -> None:
    """Build ensembles by the sum of squared residuals, as its negative.

    Parameters
    ----------
    together : ndarray, shape (B, L, L)
        The sums of products of residuals, from `sum_products`.
    library, start, steps, picks, scores
        As for `greedy_areas`.
    """
    most = library.shape[1]
    gains = np.empty(most)
    along = np.empty(most)
    for b in range(len(library)):
        size = _begin(b, library, start, picks, scores)
        along[:size] = 0.0
        square = 0.0
        for step in range(steps if size > 0 else 0):
            for c in range(size):
                grown = square + 2.0 * along[c] + together[b, c, c]
                gains[c] = -grown / ((step + 1.0) * (step + 1.0))
            chosen = _add_best(b, step, gains, size, 0.0, library, start, picks, scores)
            if chosen < 0:
                break
            square += 2.0 * along[chosen] + together[b, chosen, chosen]
            for c in range(size):
                along[c] += together[b, chosen, c]
