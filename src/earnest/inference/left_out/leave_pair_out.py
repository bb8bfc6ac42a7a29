"""The leave-pair-out bootstrap of the AUC and the concordance index, with its standard error.

Each pair of cases is judged by the models whose training sample lacks both. The estimate is the
mean over pairs, and its influence function that of the leave-one-out bootstrap, with pairs instead
of cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.target import Target, Task
from earnest.inference.left_out.leave_one_out import (
    LeftOutEstimate,
    check_shapes,
    count_sums,
    nothing_left_out,
    unit_counts,
    unit_gradient,
)
from earnest.metrics.families import Array

CELLS = 1 << 22  # pairs held at a time
WORTH_IT = 400_000_000  # pairs times replicates from which loading numba pays


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairs:
    """The pairs of cases that a model should put in order: the left one above the right one.

    Attributes
    ----------
    left, right : ndarray of int
        The cases on either side: positives and negatives, or events and all cases.
    time : ndarray, shape (n,), optional
        Times, which tell what pairs can be compared; None if all can.
    event : ndarray of bool, shape (n,), optional
        Where the event was seen.
    """

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    time: Array | None = None
    event: NDArray[np.bool_] | None = None

    def comparable(self, rows: slice) -> NDArray[np.bool_] | None:
        """Tell which right cases some left ones can be compared with; None for all."""
        if self.time is None or self.event is None:
            return None
        earlier = self.time[self.left[rows], None]
        later = self.time[self.right]
        return np.asarray((earlier < later) | ((earlier == later) & ~self.event[self.right]))


def pairs_of(target: Target) -> Pairs:
    """Return the pairs of a binary or a survival target, as their metrics define them.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.left_out.leave_pair_out import pairs_of
    >>> pairs_of(en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.4]).target).left
    array([1, 2])
    """
    if target.task is Task.BINARY:
        return Pairs(left=np.flatnonzero(target.y == 1), right=np.flatnonzero(target.y == 0))
    if target.task is Task.SURVIVAL:
        assert target.event is not None  # Target has events for this task
        left, every = np.flatnonzero(target.event), np.arange(target.n)
        return Pairs(left=left, right=every, time=target.y, event=target.event)
    raise InputError("ordering pairs needs a binary or survival task", got=f"a {target.task} task")


def leave_pair_out(
    scores: Array,
    counts: Numbers,
    pairs: Pairs,
    *,
    other: Array | None = None,
    strata: Numbers | None = None,
    groups: Numbers | None = None,
) -> LeftOutEstimate:
    """Return the mean over pairs of how often models that saw neither case put them in order.

    Memory is bounded: pairs are taken a block at a time, and replicates one by one.

    Parameters
    ----------
    scores : ndarray, shape (B, n)
        The score of every case under every replicate's model; a tie counts one half.
    counts : ndarray of int, shape (B, n)
        How often each replicate drew each case.
    pairs : Pairs
        The pairs; see `pairs_of`.
    other : ndarray, shape (B, n), optional
        The scores of another learner on the same replicates: the value is then the difference.
    strata, groups
        As for `leave_one_out`.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.left_out.leave_pair_out import Pairs, leave_pair_out
    >>> pairs = Pairs(left=np.array([0, 1]), right=np.array([2, 3]))
    >>> counts = np.array([[2, 0, 2, 0], [0, 2, 0, 2], [2, 0, 0, 2], [0, 2, 2, 0]])
    >>> leave_pair_out(np.tile([3.0, 1.0, 2.0, 0.0], (4, 1)), counts, pairs).value
    0.75
    """
    scores = check_shapes(scores, counts)
    other = None if other is None else check_shapes(other, counts)
    if len(pairs.left) == 0 or len(pairs.right) == 0:
        raise EvidenceError("there is no pair of cases to order", needs="both classes")
    sums = _PairSums(scores.shape[1], len(scores))
    step, out = max(1, CELLS // len(pairs.right)), counts == 0
    for start in range(0, len(pairs.left), step):
        _add_block(sums, scores, other, out, pairs, slice(start, start + step))
    if sums.count == 0:
        raise nothing_left_out("pair of cases")
    value = float(sums.total / sums.count)
    gradient = (sums.of_case - value * sums.pairs_of_case) / sums.count
    gradient = unit_gradient(gradient, strata, groups)
    moved, noise = count_sums(unit_counts(counts, groups), sums.rest / sums.count)
    influence = gradient + moved
    met = sums.pairs_of_case > 0
    return LeftOutEstimate(
        value=value,
        per_case=np.where(met, sums.of_case / np.maximum(sums.pairs_of_case, 1), np.nan),
        influence=influence,
        raw_variance=float(np.square(influence).sum()),
        noise_variance=noise,
        case_variance=float(np.square(gradient).sum()),
        n_replicates=len(scores),
        n_unseen=sums.unseen,
    )


class _PairSums:
    """What is summed up over blocks of pairs."""

    def __init__(self, n: int, replicates: int) -> None:
        self.of_case = np.zeros(n)  # the means of all pairs of a case
        self.pairs_of_case = np.zeros(n)
        self.rest = np.zeros(replicates)  # what a replicate adds beyond the means
        self.total = 0.0
        self.count = 0
        self.unseen = 0


def _add_block(
    sums: _PairSums,
    scores: Array,
    other: Array | None,
    out: NDArray[np.bool_],
    pairs: Pairs,
    rows: slice,
) -> None:
    """Add the pairs of some left cases with all right ones."""
    left, right = pairs.left[rows], pairs.right
    out_left, out_right = (out[:, side].astype(np.float64) for side in (left, right))
    times = out_left.T @ out_right  # how many replicates left both out
    usable = pairs.comparable(rows)
    wanted = times.size if usable is None else int(usable.sum())
    if usable is not None:
        times *= usable
    share = np.divide(1.0, times, out=np.zeros_like(times), where=times > 0)
    means = np.zeros_like(times)
    learners = [(1.0, scores)] + ([] if other is None else [(-1.0, other)])
    credit, weighted = _choose_kernels(times.size * len(scores))
    for sign, answers in learners:
        credit(
            answers[:, left],
            answers[:, right],
            out[:, left],
            out[:, right],
            sign,
            means,
        )
    means *= share
    for sign, answers in learners:
        weighted(
            answers[:, left],
            answers[:, right],
            out[:, left],
            out[:, right],
            share,
            sign,
            sums.rest,
        )
    sums.rest -= np.einsum("bi,bi->b", out_left @ (means * share), out_right)
    met = times > 0
    sums.total += float(means.sum())
    sums.count += int(met.sum())
    sums.unseen += wanted - int(met.sum())
    np.add.at(sums.of_case, left, means.sum(axis=1))
    np.add.at(sums.of_case, right, means.sum(axis=0))
    np.add.at(sums.pairs_of_case, left, met.sum(axis=1))
    np.add.at(sums.pairs_of_case, right, met.sum(axis=0))


def _choose_kernels(work: int) -> tuple[Any, Any]:
    """Return the compiled sums where there is much to sum, else the plain ones."""
    if work < WORTH_IT:
        return add_credits, add_weighted
    from earnest.kernels import fast

    return fast.pair_credits, fast.weighted_credits


def add_credits(
    high: Array,
    low: Array,
    out_left: NDArray[np.bool_],
    out_right: NDArray[np.bool_],
    sign: float,
    sums: Array,
) -> None:
    """Add to sums (m, n) how many replicates put pairs in order that they left out, ties halved.

    `high` (B, m) and `low` (B, n) are the scores of the left and the right cases.
    """
    for above, below, mine, theirs in zip(high, low, out_left, out_right, strict=True):
        cells = np.ix_(mine, theirs)
        sums[cells] += sign * _compare_scores(above[mine], below[theirs])


def add_weighted(
    high: Array,
    low: Array,
    out_left: NDArray[np.bool_],
    out_right: NDArray[np.bool_],
    share: Array,
    sign: float,
    sums: Array,
) -> None:
    """Add to sums (B,) the credit of each replicate, weighted by share (m, n)."""
    for b, (mine, theirs) in enumerate(zip(out_left, out_right, strict=True)):
        won = _compare_scores(high[b, mine], low[b, theirs])
        sums[b] += sign * np.vdot(won, share[np.ix_(mine, theirs)])


def _compare_scores(high: Array, low: Array) -> Array:
    """Return 1 where the left case has the higher score, 1/2 for a tie."""
    above = high[:, None]
    return np.asarray(0.5 * ((above > low).astype(np.float64) + (above >= low)))
