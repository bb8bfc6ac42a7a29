"""The leave-one-out bootstrap, and its standard error by the influence function.

Each case is judged by the models whose training sample lacks it. The standard error measures how
the whole estimate moves when a little probability moves to one case: as a test case, and as a
training case, by the correlation of the losses of the replicates with how often they drew it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.metrics.families import Array

CELLS = 1 << 21  # counts turned into floats at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOutEstimate:
    """An estimate from cases left out, with what each drawn unit adds to its error.

    The difference of two learners on the same replicates is the estimate of the difference of
    their losses: give `leave_one_out` and `leave_pair_out` both, rather than subtract results,
    so that the noise of the replicates is that of the difference too.

    Attributes
    ----------
    value : float
        The estimate.
    per_case : ndarray, shape (n,)
        The mean loss of each case over the models that did not see it (of pairs: over all its
        pairs); NaN where there is none.
    influence : ndarray, shape (units,)
        The influence of each case, or of each group in the order of its code, divided by the number
        of units of its stratum: the squares sum up to `raw_variance`.
    raw_variance : float
        The squared standard error before the correction for a finite number of replicates.
    noise_variance : float
        What the finite number of replicates adds to it on average.
    case_variance : float
        The part of the units as test cases alone, as if the models were fixed.
    n_replicates : int
        The number of replicates, B.
    n_unseen : int
        The number of cases (or pairs) that no replicate left out; they are not in the mean.
    """

    value: float
    per_case: Array
    influence: Array
    raw_variance: float
    noise_variance: float
    case_variance: float
    n_replicates: int
    n_unseen: int = 0

    @property
    def drowned(self) -> bool:
        """Whether noise hides the variance: less is left of it than the noise and than the cases.

        What is left may be negative, and means little.
        """
        left = self.raw_variance - self.noise_variance
        return left < min(self.noise_variance, self.case_variance)

    @property
    def variance(self) -> float:
        """The variance without the noise; that of the cases alone where noise hides the rest."""
        if self.drowned:
            return self.case_variance
        return self.raw_variance - self.noise_variance

    @property
    def noise_error(self) -> float:
        """The relative error of the standard error due to the finite number of replicates.

        The noise adds to each of m influences an error of variance v/m, with v the noise of the
        variance; their sum of squares, less v, then has the variance 2 v²/m + 4 v V/m about V.
        """
        if self.variance <= 0.0:
            return 0.0
        ratio = self.noise_variance / self.variance
        return float(0.5 * np.sqrt((2.0 * ratio**2 + 4.0 * ratio) / len(self.influence)))

    @property
    def standard_error(self) -> float:
        """The root of `variance`."""
        return float(np.sqrt(self.variance))


def leave_one_out(
    losses: Array,
    counts: Numbers,
    *,
    strata: Numbers | None = None,
    groups: Numbers | None = None,
) -> LeftOutEstimate:
    """Return the mean over cases of their mean loss over the replicates that left them out.

    Parameters
    ----------
    losses : ndarray, shape (B, n)
        The loss (or score) of every case under every replicate's model; those of cases that a
        replicate trained on are not looked at. For two learners, the difference of their losses.
    counts : ndarray of int, shape (B, n)
        How often each replicate drew each case.
    strata : ndarray, shape (n,), optional
        The layers that were drawn apart.
    groups : ndarray of int, shape (n,), optional
        The units that were drawn, where these are not the cases.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.left_out.leave_one_out import leave_one_out
    >>> counts = np.array([[2, 0, 1], [0, 2, 1], [1, 2, 0]])
    >>> losses = np.array([[9.0, 1.0, 9.0], [0.0, 9.0, 9.0], [9.0, 9.0, 2.0]])
    >>> leave_one_out(losses, counts).value  # nine stands where a model saw the case
    1.0
    """
    losses = check_shapes(losses, counts)
    times, sums = _sum_left_out(losses, counts)
    seen = times > 0
    if not seen.any():
        raise nothing_left_out()
    share = np.where(seen, 1.0 / np.maximum(times, 1), 0.0)
    n = int(seen.sum())  # cases in the mean: those that no replicate left out are not
    per_case = sums * share
    value = float(per_case.sum() / n)
    gradient = np.where(seen, per_case - value, 0.0) / n
    excess = _find_excess(losses, counts, per_case, share / n)  # (B,), sums up to 0
    gradient = unit_gradient(gradient, strata, groups)
    moved, noise = count_sums(unit_counts(counts, groups), excess)
    influence = gradient + moved
    return LeftOutEstimate(
        value=value,
        per_case=np.where(seen, per_case, np.nan),
        influence=influence,
        raw_variance=float(np.square(influence).sum()),
        noise_variance=noise,
        case_variance=float(np.square(gradient).sum()),
        n_replicates=len(losses),
        n_unseen=int((~seen).sum()),
    )


def _yield_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yield blocks of replicates of bounded size."""
    step = max(1, CELLS // max(1, shape[1]))
    yield from (slice(start, start + step) for start in range(0, shape[0], step))


def _sum_left_out(losses: Array, counts: Numbers) -> tuple[Numbers, Array]:
    """Return how often cases were left out (n,), and the sums of their losses (n,)."""
    times = np.zeros(losses.shape[1], dtype=np.int64)
    sums = np.zeros(losses.shape[1])
    for block in _yield_blocks(losses.shape):
        left = counts[block] == 0
        left_losses = np.where(left, losses[block], 0.0)
        times += left.sum(axis=0)
        sums = np.vstack([sums, left_losses]).sum(axis=0)  # one by one, whatever the block
    return times, sums


def _find_excess(losses: Array, counts: Numbers, per_case: Array, share: Array) -> Array:
    """Return what each replicate adds beyond the means of its cases: (B,).

    Centred, so that what the losses of a case have in common over replicates makes no noise.
    """
    excess = np.empty(len(losses))
    for block in _yield_blocks(losses.shape):
        beyond = np.where(counts[block] == 0, losses[block] - per_case, 0.0)
        excess[block] = (beyond * share).sum(axis=1)
    return excess


def check_shapes(losses: Any, counts: Numbers) -> Array:
    """Return losses as floats; refuse tables of different or wrong shape."""
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or table.shape != counts.shape:
        raise InputError(
            "losses and counts do not match",
            needs="two tables of shape (replicates, cases)",
            got=f"shapes {table.shape} and {counts.shape}",
        )
    return table


def nothing_left_out(what: str = "case") -> EvidenceError:
    """Return the error for replicates that leave nothing out, no case or no pair of cases."""
    share = "a third of the cases" if what == "case" else "one pair of cases in seven"
    return EvidenceError(
        f"no {what} is left out by any replicate",
        needs=f"replicates that leave a {what} out",
        cure=f"Train more replicates; a bootstrap leaves out {share}.",
    )


def unit_counts(counts: Numbers, groups: Numbers | None) -> Numbers:
    """Return how often each unit was drawn: (B, units)."""
    if groups is None:
        return counts
    first = np.unique(groups, return_index=True)[1]  # all cases of a group are drawn alike
    return counts[:, first]


def unit_gradient(gradient: Array, strata: Numbers | None, groups: Numbers | None) -> Array:
    """Return what each unit adds as a test case: groups add up, strata are centred."""
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1].reshape(-1)
        return np.bincount(codes, weights=gradient).astype(np.float64)
    if strata is None:
        return gradient
    codes = np.unique(strata, return_inverse=True)[1].reshape(-1)
    means = np.bincount(codes, weights=gradient) / np.bincount(codes)
    return np.asarray(gradient - means[codes])


def count_sums(counts: Numbers, excess: Array) -> tuple[Array, float]:
    """Return the sum over replicates of count times rest (units,), and the noise in its squares.

    The noise is the sum over units of sum_b z² - (sum_b z)² / B with z = (count - 1) rest_b.
    """
    out, noise = np.empty(counts.shape[1]), np.empty(counts.shape[1])
    step = max(1, CELLS // max(1, len(counts)))
    for left in range(0, counts.shape[1], step):
        some = slice(left, left + step)
        # The rest sums up to 0, so that taking 1 off changes nothing. A row a unit: its sum does
        # not depend on how many units are done at a time.
        terms = (np.ascontiguousarray(counts[:, some].T, dtype=np.float64) - 1.0) * excess  # (m, B)
        out[some] = terms.sum(axis=1)
        noise[some] = np.square(terms).sum(axis=1)
    # never below 0 but by rounding
    return out, float(np.maximum(noise - out**2 / len(counts), 0.0).sum())
