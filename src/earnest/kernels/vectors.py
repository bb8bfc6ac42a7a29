"""Scan segment programs for 64 resamples at a time, exactly, in integers.

The counts of 64 resamples lie side by side, one 64-byte row per case (`fill_block`), so that one
vector instruction updates 64 resamples. A *program* (see `earnest.kernels.programs`) lists, in
ascending order of score, the rows to add: segments of up to four positive rows followed by up to
four negative rows, filled up with an all-zero row. A segment therefore has no branch that depends
on the data; a walk row by row would mispredict one at every second row.

Pairs are counted tile by tile in 16 bits, which halves the instructions and leaves the sums in the
registers that AVX2 has. Where the pairs of a tile may be too many for that, they are counted again
in 32 bits.

The inner loop is written as LLVM vectors through a numba intrinsic. LLVM cuts them to what the
machine has (AVX-512, AVX2, SSE, NEON): the same code runs everywhere, only the speed differs.

A plain loop over the lanes in numba would be far shorter. These are the times of a whole `estimate`
of the AUC by 1,000 resamples with it, over those with the vectors (processor time of one thread,
median of five in turn; `benchmarks/speed/vectors.py`). The rule is that 1.5 defends code like this:

    configurations                  50    100    200    500
    warm process, n = 200         1.11          1.13   1.18
                  n = 500         1.20   1.36   1.52   1.60
                  n = 1,000              1.62          2.18
                  n = 2,000       1.51   1.80          2.73
                  n = 5,000                            2.9
    fresh process, n = 2,000             1.0           1.1
                   n = 20,000                          1.9

So they stay for what runs many estimates, or one of a large table; a fresh process on a small table
takes 0.9 s either way, to load Python, SciPy and numba. Compiled for AVX2 instead of AVX-512 the
ratios are the same within 0.06.

Numba keeps a compiled function on disk under the time stamp of *its own* file. Hence compiled
functions call only compiled functions of their own file: no stale callee survives an update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numba
import numba.core.cgutils
import numba.extending
import numba.np.arrayobj
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.types import Type
    from numba.core.typing.templates import Signature

nb: Any = numba  # typed in part, and not in every version
cgutils: Any = nb.core.cgutils

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Function = TypeVar("Function", bound=Callable[..., object])


def jit(function: Function) -> Function:
    """Compile a function with numba: without the interpreter lock, kept on disk if possible.

    Where no cache directory can be written (read-only installation, no home), numba refuses when it
    decorates. The function is then compiled again in every process: seconds slower, but it works.
    """
    try:
        compiled = nb.njit(function, nogil=True, error_model="numpy", cache=True)
    except RuntimeError:  # cannot cache function ...: no locator available
        compiled = nb.njit(function, nogil=True, error_model="numpy")
    return cast(Function, compiled)


LANES = 64  # resamples in a block: one cache line of uint8 counts
SLOTS = 4  # rows of each class in a segment
PAIR = 2 * SLOTS
LARGEST_COUNT = 255  # and the largest sum of a segment: it is added in uint8
LARGEST_SUM = 2**15 - 1  # sums of 16 bits are multiplied as signed numbers
NEAR_BYTES = 1 << 21  # of a block that the cache next to a core holds, or nearly
MOST_SHORT = 2**16 - 1  # pairs that 16 bits can count
SHORT_WEIGHT = 420  # of a tile in whose resamples 210 * 210 pairs, or somewhat more, are expected
TIED_WEIGHT = 294  # likewise, with pairs doubled
AHEAD = 12  # segments to prefetch ahead; a program is allocated that much longer than it is
TIED, CONTINUED = 1, 2  # flags of a segment, see `earnest.kernels.programs`

# --------------------------------------------------------------------------- the vector intrinsic

I8, I16, I32, I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
V8, V16, V32 = (ir.VectorType(kind, 64 * 8 // kind.width) for kind in (I8, I16, I32))

# A row of 64 bytes is widened to even and odd bytes, and these to even and odd halves. Lanes are
# stored in the order that makes the results come out sorted: resample 16 * j + i is this byte.
BYTE_OF_LANE = np.array([4 * (k % 16) + (0, 2, 1, 3)[k // 16] for k in range(LANES)])


def _splat(vector: ir.VectorType, value: int) -> ir.Constant:
    return ir.Constant(vector, [value] * vector.count)


def _widen_to_16_bits(builder: ir.IRBuilder, row: ir.Value) -> list[ir.Value]:
    """Widen 64 bytes to two vectors: even bytes, odd bytes."""
    pairs = builder.bitcast(row, V16)
    return [builder.and_(pairs, _splat(V16, 0xFF)), builder.lshr(pairs, _splat(V16, 8))]


def _widen_to_32_bits(builder: ir.IRBuilder, row: ir.Value) -> list[ir.Value]:
    """Widen 16-bit numbers, at most LARGEST_SUM, to two vectors: even ones, odd ones.

    Mask and signed shift tell LLVM that 15 bits are enough, so it may multiply in 16 (pmaddwd).
    """
    pairs = builder.bitcast(row, V32)
    return [builder.and_(pairs, _splat(V32, LARGEST_SUM)), builder.ashr(pairs, _splat(V32, 16))]


def _make_mask(builder: ir.IRBuilder, flags: ir.Value, bit: int) -> ir.Value:
    """Set all bits of all 16-bit lanes if the flag is set, else none."""
    is_set = builder.icmp_unsigned("!=", builder.and_(flags, I8(bit)), I8(0))
    undefined = ir.Constant(V16, ir.Undefined)
    lane = builder.insert_element(undefined, builder.sext(is_set, I16), I32(0))
    return builder.shuffle_vector(lane, undefined, _splat(ir.VectorType(I32, V16.count), 0))


class _Sums:
    """The running sums of a tile: variables that LLVM keeps in vector registers.

    Pairs are counted in 32 bits, or in 16 if the tile is `short`.
    """

    def __init__(self, builder: ir.IRBuilder, *, short: bool) -> None:
        self.builder = builder
        self.short = short
        self.pairs = [self._zero(V16 if short else V32) for _ in range(2 if short else 4)]
        self.negatives = [self._zero(V16) for _ in range(2)]
        self.positives = [self._zero(V16) for _ in range(2)]
        self.group = [self._zero(V16) for _ in range(2)]  # positives of the open tie group

    def _zero(self, vector: ir.VectorType) -> ir.Value:
        variable = cgutils.alloca_once(self.builder, vector)
        self.builder.store(_splat(vector, 0), variable)
        return variable

    def add(self, variable: ir.Value, value: ir.Value) -> None:
        self.builder.store(self.builder.add(self.builder.load(variable), value), variable)

    def write(self, raw: ir.Value) -> None:
        """Store pairs, negatives and positives as three rows of 64 numbers of 32 bits."""
        builder = self.builder
        vectors = [] if self.short else [builder.load(variable) for variable in self.pairs]
        for variable in self.pairs if self.short else ():  # all 16 bits, unsigned
            pairs = builder.bitcast(builder.load(variable), V32)
            vectors.append(builder.and_(pairs, _splat(V32, MOST_SHORT)))
            vectors.append(builder.lshr(pairs, _splat(V32, 16)))
        for variable in self.negatives + self.positives:
            vectors += _widen_to_32_bits(builder, builder.load(variable))
        for k, vector in enumerate(vectors):
            address = builder.gep(raw, [I64(k * V32.count)])
            builder.store(vector, builder.bitcast(address, V32.as_pointer())).align = 4


def _point_to_row(
    builder: ir.IRBuilder, counts: ir.Value, slots: ir.Value, slot: ir.Value
) -> ir.Value:
    """Point to the row of counts that a slot names."""
    number = builder.zext(builder.load(builder.gep(slots, [slot])), I64)
    return builder.gep(counts, [builder.mul(number, I64(LANES))])


def _add_rows(
    builder: ir.IRBuilder, counts: ir.Value, slots: ir.Value, first: ir.Value
) -> ir.Value:
    """Add the rows named by four consecutive slots, byte by byte."""
    total = _splat(V8, 0)
    for k in range(SLOTS):
        row = _point_to_row(builder, counts, slots, builder.add(first, I64(k)))
        loaded = builder.load(builder.bitcast(row, V8.as_pointer()))
        loaded.align = 1  # promising more would crash on other data, and gains nothing on aligned
        total = builder.add(total, loaded)
    return total


def _prefetch(builder: ir.IRBuilder, counts: ir.Value, slots: ir.Value, first: ir.Value) -> None:
    """Ask for the rows of a later segment; whatever its slots hold, this cannot fault."""
    pointer = I8.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
    for k in range(PAIR):
        row = _point_to_row(builder, counts, slots, builder.add(first, I64(AHEAD * PAIR + k)))
        builder.call(prefetch, [row, I32(0), I32(3), I32(1)])  # to read, all caches, data


def _add_untied_segment(
    builder: ir.IRBuilder, sums: _Sums, read: Callable[[int], ir.Value], *, lean: bool
) -> None:
    """Update the sums: positives beat all earlier negatives, then come the segment's own.

    `read` adds the rows of a class, 1 or 0. Negatives are read last, to need fewer registers.
    """
    for half, s in enumerate(_widen_to_16_bits(builder, read(1))):
        negatives = builder.load(sums.negatives[half])
        if sums.short:
            sums.add(sums.pairs[half], builder.mul(s, negatives))
        else:
            below = _widen_to_32_bits(builder, negatives)
            for side, weight in enumerate(_widen_to_32_bits(builder, s)):
                sums.add(sums.pairs[2 * half + side], builder.mul(weight, below[side]))
        if not lean:
            sums.add(sums.positives[half], s)
    for half, d in enumerate(_widen_to_16_bits(builder, read(0))):
        sums.add(sums.negatives[half], d)


def _add_tied_segment(
    builder: ir.IRBuilder, sums: _Sums, read: Callable[[int], ir.Value], flags: ir.Value
) -> None:
    """Update the sums with pairs doubled, so that half a pair is an integer.

    If the segment is TIED, its negatives also count half against all positives of their group,
    which is this segment and, if it is CONTINUED, those before it.
    """
    tied, continued = _make_mask(builder, flags, TIED), _make_mask(builder, flags, CONTINUED)
    rows = zip(
        _widen_to_16_bits(builder, read(1)), _widen_to_16_bits(builder, read(0)), strict=True
    )
    for half, (s, d) in enumerate(rows):
        negatives, twice = builder.load(sums.negatives[half]), builder.add(s, s)
        group = builder.add(builder.and_(builder.load(sums.group[half]), continued), s)
        builder.store(group, sums.group[half])
        equal = builder.and_(group, tied)
        if sums.short:
            won, halved = builder.mul(twice, negatives), builder.mul(equal, d)
            sums.add(sums.pairs[half], builder.add(won, halved))
        else:
            factors = [_widen_to_32_bits(builder, row) for row in (twice, negatives, equal, d)]
            for side, (weight, below, equals, against) in enumerate(zip(*factors, strict=True)):
                won, halved = builder.mul(weight, below), builder.mul(equals, against)
                sums.add(sums.pairs[2 * half + side], builder.add(won, halved))
        sums.add(sums.negatives[half], d)
        sums.add(sums.positives[half], s)


def _tile_intrinsic(
    *, ties: bool, short: bool, far: bool = False, lean: bool = False
) -> Callable[..., None]:
    """Make the intrinsic that runs the segments [start, stop) of a program on one block.

    If the tile is `short`, pairs are counted in 16 bits, which takes half the instructions; if it
    is `lean`, positives are not counted, for which AVX2 has no registers left. If the block is
    `far`, beyond the cache, its rows are asked for in advance.
    """

    def generate(
        context: Any, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
    ) -> ir.Value:
        def pointer(k: int, kind: ir.Type) -> ir.Value:
            array = nb.np.arrayobj.make_array(signature.args[k])(context, builder, value=args[k])
            return builder.bitcast(array.data, kind.as_pointer())

        counts, slots, flags = pointer(0, I8), pointer(1, I32), pointer(2, I8)
        sums = _Sums(builder, short=short)
        loop = cgutils.for_range_slice(builder, args[3], args[4], I64(1), intp=I64)
        with loop as (k, _):
            first = builder.mul(k, I64(PAIR))
            if far:
                _prefetch(builder, counts, slots, first)

            def read(positive: int) -> ir.Value:
                slot = builder.add(first, I64(SLOTS * (1 - positive)))
                return _add_rows(builder, counts, slots, slot)

            if ties:
                _add_tied_segment(builder, sums, read, builder.load(builder.gep(flags, [k])))
            else:
                _add_untied_segment(builder, sums, read, lean=lean)
        sums.write(pointer(5, I32))
        return context.get_dummy_value()

    def tile(
        _: BaseContext, counts: Type, slots: Type, flags: Type, start: Type, stop: Type, raw: Type
    ) -> tuple[Signature, Callable[..., ir.Value]]:
        long = nb.types.int64
        return nb.types.void(counts, slots, flags, long, long, raw), generate

    return cast("Callable[..., None]", nb.extending.intrinsic(tile))


_lean_tile = _tile_intrinsic(ties=False, short=True, lean=True)
_short_untied_tile = _tile_intrinsic(ties=False, short=True)
_far_untied_tile = _tile_intrinsic(ties=False, short=True, far=True)
_untied_tile = _tile_intrinsic(ties=False, short=False)
_short_tied_tile = _tile_intrinsic(ties=True, short=True)
_far_tied_tile = _tile_intrinsic(ties=True, short=True, far=True)
_tied_tile = _tile_intrinsic(ties=True, short=False, far=True)  # far: it is too long to look ahead

# -------------------------------------------------------------------------------------- the scans


class Lanes(NamedTuple):
    """The counts of consecutive resamples, 64 to a block."""

    first: int  # the first resample
    blocks: Bytes  # (blocks, n + 1, 64), the last row zero
    largest: Longs  # (blocks,) the largest count


class Program(NamedTuple):
    """The segments of some columns; column c owns the segments first[c] to first[c + 1]."""

    slots: Ints  # (segments, 8) row numbers: positives, negatives
    flags: Bytes  # (segments,)
    first: Longs  # (columns + 1,)
    tied: Bools  # (columns,)


@jit
def fill_block(counts: Bytes, first: int, byte_of_lane: Longs, block: Bytes) -> int:
    """Transpose 64 resamples, from `first` on, into a block (n + 1, 64); return the largest count.

    The last row is zero, and so are lanes beyond the last resample. Squares of 64 x 64 go through
    a buffer: rows of `counts` that lie a multiple of 4096 bytes apart would push each other out of
    the cache.
    """
    n = counts.shape[1]
    square = np.zeros((LANES, LANES), np.uint8)
    largest = np.uint8(0)
    for start in range(0, n, LANES):
        width = min(LANES, n - start)
        for lane in range(min(LANES, counts.shape[0] - first)):
            row = square[byte_of_lane[lane]]
            for k in range(width):
                row[k] = counts[first + lane, start + k]
                largest = max(largest, row[k])
        for k in range(width):
            for byte in range(LANES):
                block[start + k, byte] = square[byte, k]
    block[n] = 0
    return int(largest)


# Below, `sums` (3, 64) holds the doubled count of ordered pairs, the negatives and the positives:
# whole numbers in float64, exact below 2**53 as those of the plain path, which a resample of more
# than 10**8 cases would exceed. AVX2 neither multiplies nor converts integers of 64 bits.


@jit
def _append_tile(raw: Ints, factor: float, sums: Floats) -> None:
    """Append a tile: its positives also beat the negatives of all earlier tiles."""
    for k in range(LANES):
        sums[0, k] += factor * raw[0, k] + 2.0 * sums[1, k] * raw[2, k]
        sums[1, k] += raw[1, k]
        sums[2, k] += raw[2, k]


@jit
def _is_small_enough(raw: Ints, factor: int) -> bool:
    """Tell whether the pairs of a tile, `factor` times each, were for certain below 2**16.

    The numbers of positives and negatives are exact, and no more pairs can be ordered than there
    are.
    """
    most = np.int32(0)
    for k in range(LANES):
        most = max(most, raw[1, k] * raw[2, k])
    return bool(most * factor <= MOST_SHORT)


@jit
def _append_group(
    block: Bytes, program: Program, start: int, stop: int, tile: int, sums: Floats
) -> None:
    """Append a tie group that is too large for a tile: every pair within it counts half."""
    raw = np.empty((3, LANES), np.int32)
    group = np.zeros((2, LANES))
    for k in range(start, stop, tile):
        _untied_tile(block, program.slots, program.flags, k, min(k + tile, stop), raw)
        group += raw[1:]
    for k in range(LANES):
        sums[0, k] += group[1, k] * (2.0 * sums[1, k] + group[0, k])
        sums[1, k] += group[0, k]
        sums[2, k] += group[1, k]


@jit
def _shorten(tile: int, segments: int, rows: int, weight: int) -> int:
    """Return how many segments make a tile of about this weight, at most `tile`.

    A row weighs about 1. If a tile weighs more, its pairs may have to be counted again.
    """
    return max(1, min(tile, segments * weight // rows))


@jit
def _scan_untied(
    block: Bytes, program: Program, start: int, stop: int, tile: int, sums: Floats
) -> None:
    """Run untied segments, tile by tile: in 16 bits, and once more in 32 where that is too few."""
    raw = np.empty((3, LANES), np.int32)
    far = block.size > NEAR_BYTES
    slots, flags = program.slots, program.flags
    short = _shorten(tile, stop - start, block.shape[0], SHORT_WEIGHT)
    for k in range(start, stop, short):
        end = min(k + short, stop)
        if far:
            _far_untied_tile(block, slots, flags, k, end, raw)
        else:
            _short_untied_tile(block, slots, flags, k, end, raw)
        if not _is_small_enough(raw, 1):
            _untied_tile(block, slots, flags, k, end, raw)
        _append_tile(raw, 2.0, sums)


@jit
def _end_tile(flags: Bytes, start: int, end: int, stop: int) -> int:
    """Move the end of a tile back to where no tie group is open; `start` if it is one group."""
    while start < end < stop and flags[end] & CONTINUED:
        end -= 1
    return end


@jit
def _scan_tied(
    block: Bytes, program: Program, start: int, stop: int, tile: int, sums: Floats
) -> None:
    """Run segments with ties, tile by tile; a tile never ends inside a tie group."""
    raw = np.empty((3, LANES), np.int32)
    far = block.size > NEAR_BYTES
    slots, flags = program.slots, program.flags
    short = _shorten(tile, stop - start, block.shape[0], TIED_WEIGHT)
    while start < stop:
        end = _end_tile(flags, start, min(start + short, stop), stop)
        if end == start:
            end = _end_tile(flags, start, min(start + tile, stop), stop)
        if end > start:
            if far:
                _far_tied_tile(block, slots, flags, start, end, raw)
            else:
                _short_tied_tile(block, slots, flags, start, end, raw)
            if not _is_small_enough(raw, 2):
                _tied_tile(block, slots, flags, start, end, raw)
            _append_tile(raw, 1.0, sums)
        else:
            end = start + 1
            while end < stop and flags[end] & CONTINUED:
                end += 1
            _append_group(block, program, start, end, tile, sums)
        start = end


@jit
def _scan(lanes: Lanes, k: int, program: Program, c: int, sums: Floats) -> None:
    """Run column c of a program on block k."""
    block, start, stop = lanes.blocks[k], program.first[c], program.first[c + 1]
    sums[:] = 0
    largest = min(LARGEST_COUNT, SLOTS * lanes.largest[k])  # sum of a segment
    tile = LARGEST_SUM // max(largest, 1)  # segments whose sums cannot overflow
    if program.tied[c]:
        _scan_tied(block, program, start, stop, tile, sums)
    else:
        _scan_untied(block, program, start, stop, tile, sums)


@jit
def count_classes(block: Bytes, labels: NDArray[np.int8], lane_bytes: Longs, out: Floats) -> None:
    """Write the negatives and the positives of 64 resamples into `out` (2, 64)."""
    sums = np.zeros((3, LANES), np.int32)  # the last row is for the rows ignored
    for row in range(labels.shape[0]):
        counts = sums[labels[row]]
        for byte in range(LANES):
            counts[byte] += block[row, byte]
    for lane in range(LANES):
        out[0, lane], out[1, lane] = sums[0, lane_bytes[lane]], sums[1, lane_bytes[lane]]


@jit
def scan_auc(lanes: Lanes, classes: Floats, program: Program, column: int, out: Floats) -> None:
    """Write the AUC of a program's columns, which begin at `column`, into `out` (B, M).

    `classes` (blocks, 2, 64) has the negatives and positives of each resample where all columns
    share them, and is empty otherwise. Where all pairs of a resample can be counted in 16 bits,
    which is so up to 510 cases, a column without ties is one tile. Blocks are the outer loop, so
    that a block stays in the cache while all columns use it.
    """
    columns = program.tied.shape[0]
    sums, raw = np.empty((3, LANES)), np.empty((3, LANES), np.int32)
    auc, pairs = np.empty((columns, LANES)), np.empty(LANES)
    for k in range(lanes.blocks.shape[0]):
        few = k < classes.shape[0]
        if few:
            for lane in range(LANES):
                pairs[lane] = classes[k, 0, lane] * classes[k, 1, lane]
            few = pairs.max() <= MOST_SHORT
        for c in range(columns):
            if few and not program.tied[c]:
                start, stop = program.first[c], program.first[c + 1]
                _lean_tile(lanes.blocks[k], program.slots, program.flags, start, stop, raw)
                for lane in range(LANES):
                    auc[c, lane] = raw[0, lane] / pairs[lane]
                continue
            _scan(lanes, k, program, c, sums)
            for lane in range(LANES):  # 0 / 0 is the NaN of a missing class
                auc[c, lane] = sums[0, lane] / (2.0 * sums[2, lane] * sums[1, lane])
        first = lanes.first + k * LANES
        for lane in range(min(LANES, out.shape[0] - first)):
            for c in range(columns):
                out[first + lane, column + c] = auc[c, lane]


@jit
def scan_pairs(lanes: Lanes, program: Program, pairs: Longs) -> None:
    """Write the doubled count of ordered pairs of a program's columns: (blocks, columns, 64)."""
    sums = np.empty((3, LANES))
    for k in range(pairs.shape[0]):
        for c in range(pairs.shape[1]):
            _scan(lanes, k, program, c, sums)
            for lane in range(LANES):
                pairs[k, c, lane] = np.int64(sums[0, lane])
