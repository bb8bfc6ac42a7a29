"""What the chapter prints where earnest does otherwise: equation 48, and the rule of `.632+`.

Equation 48 is taken with its misprint mended (the mean loss of a replicate in the place of an
indicator). It is neither centred nor corrected for the finite number of replicates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.study import Floats
from earnest.core.base.arrays import Numbers
from earnest.inference import leave_one_out, scaled_limits
from earnest.methods import B632Plus
from earnest.methods.base import EstimateParts
from earnest.methods.bootstrap.b632 import weigh
from earnest.methods.bootstrap.b632plus import PlusDetails
from earnest.methods.bootstrap.replicated import ReplicatesCall


def find_error_of_cases(losses: Floats, counts: Numbers) -> float:
    """Return the standard error of the leave-one-out loss, equation 48, from tables (B, n)."""
    n, left = counts.shape[1], counts == 0
    means = leave_one_out(losses, counts).per_case
    common = np.where(left, losses, 0.0).mean(axis=1)  # (B,), equation 47
    moved = n * common @ (counts - counts.mean(axis=0)) / left.sum(axis=0)
    influence = (2 + 1 / (n - 1)) * (means - means.mean()) + moved
    return math.sqrt(float(np.square(influence).sum())) / n


def find_error_of_pairs(
    scores: Numbers, counts: Numbers, positive: NDArray[np.bool_], other: Numbers | None = None
) -> float:
    """Return the standard error of the leave-pair-out AUC, by the analogue of equation 48.

    The tables are (B, n), and both classes were drawn apart. With the scores of another learner it
    is that of the difference.
    """
    out_high, out_low = (counts[:, side] == 0 for side in (positive, ~positive))
    both = out_high[:, :, None] & out_low[:, None]  # (B, n1, n0)
    order = _compare(scores, positive) - (0.0 if other is None else _compare(other, positive))
    order = np.where(both, order, 0.0)
    areas = order.sum(axis=0) / both.sum(axis=0)  # of each pair
    common = order.mean(axis=(1, 2))  # (B,)
    chance = math.prod((1 - 1 / m) ** m for m in areas.shape)  # that a pair is left out
    moved = common @ (counts - counts.mean(axis=0)) / (len(counts) * chance)
    squares = 0.0
    for axis, side in ((1, positive), (0, ~positive)):
        size = int(side.sum())
        own = (2 + 1 / (size - 1)) * (areas.mean(axis=axis) - areas.mean()) / size
        squares += float(np.square(own + moved[side]).sum())
    return math.sqrt(squares)


def _compare(scores: Numbers, positive: NDArray[np.bool_]) -> Floats:
    """Return 1 where the positive has the higher score, 1/2 for a tie: (B, n1, n0)."""
    apart = scores[:, positive][:, :, None] - scores[:, ~positive][:, None]
    return np.asarray(0.5 * (1.0 + np.sign(apart)))


@dataclass(frozen=True, kw_only=True)
class Printed632Plus(B632Plus):
    """`.632+` with an overfitting rate of 0 beyond no information, as equations 45 and 57c say."""

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the estimate of ours, or that of `.632` beyond no information."""
        parts, sign = super().__call__(call), call.metric.sign
        details = parts.details
        assert isinstance(details, PlusDetails)
        if sign * details.left_out > sign * details.no_information_rate:
            return parts
        value = weigh(details.apparent, details.left_out)
        limits = scaled_limits(call.replicates, call.metric, value, of=self.spec.name)
        return replace(parts, value=value, source=limits.source)
