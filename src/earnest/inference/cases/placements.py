"""Placements: how each case of one class lies among the cases of the other.

They are the influence values of the AUC, from which DeLong's variances follow.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.interval import INSIDE, binormal_variance
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric, Need
from earnest.metrics.ranking import is_auc
from earnest.metrics.responding import respond

CELLS = 1 << 20  # scores that are ordered at a time
# Scores from which the compiled kernel pays: loading numba costs about as much as sorting these in
# NumPy; once it is loaded nearly everything pays.
COLD, WARM = 2e7, 2e4

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Placements:
    """The placements of positives among negatives and of negatives among positives.

    Parameters
    ----------
    positives : ndarray, shape (n1, C)
        V10: the share of negatives that score lower than a positive, ties counted half.
    negatives : ndarray, shape (n0, C)
        V01: the share of positives that score higher than a negative, ties counted half.
    """

    positives: Array
    negatives: Array

    @property
    def auc(self) -> Array:
        """The area under the ROC curve of every column: (C,)."""
        return np.asarray(self.positives.mean(axis=0))

    def variance(self) -> Array:
        """Return DeLong's variance of every AUC: (C,); NaN where a class has one case."""
        return np.asarray(sum(_spread(part) for part in (self.positives, self.negatives)))

    def clustered_variance(self, positives: Numbers, negatives: Numbers) -> Array:
        """Return the variance of every AUC (C,) where cases of a group depend on each other.

        Placements less the AUC are summed in each group and class. With a and b these sums over n1
        and n0, I the number of groups, I1 and I0 of those with positives and negatives, it is
        I1/(I1-1) sum a² + I0/(I0-1) sum b² + 2 I/(I-1) sum ab (Obuchowski 1997): DeLong's for
        groups of one case. NaN where a class is in one group.

        Parameters
        ----------
        positives, negatives : ndarray of int, shape (n1,) and (n0,)
            The groups of the cases.
        """
        names = np.unique(np.concatenate([positives, negatives]))
        sums, factors = [], [_unbiased(len(names))]
        for part, groups in ((self.positives, positives), (self.negatives, negatives)):
            total = np.zeros((len(names), part.shape[1]))
            np.add.at(total, np.searchsorted(names, groups), (part - self.auc) / len(part))
            sums.append(total)
            factors.append(_unbiased(len(np.unique(groups))))
        (own, other), (both, first, second) = sums, factors
        products = first * own**2 + second * other**2 + 2.0 * both * own * other
        return np.asarray(products.sum(axis=0))


def placements(positive: NDArray[np.bool_], scores: Numbers) -> Placements:
    """Return the placements of every column of scores, in n log n steps per column.

    DeLong, DeLong and Clarke-Pearson 1988, in the form of ranks of Sun and Xu 2014.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which cases are of the positive class.
    scores : ndarray, shape (n, C)
        Scores without NaN, greater for the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.placements import placements
    >>> made = placements(np.array([False, True, True]), np.array([[0.2], [0.2], [0.7]]))
    >>> made.positives.ravel().tolist(), made.negatives.ravel().tolist(), made.auc.tolist()
    ([0.5, 1.0], [0.75], [0.75])
    """
    positive, scores = _check_scores(positive, scores)
    if _compiled_pays(scores.size):
        from earnest.kernels import fast

        own, other = fast.placed(positive, scores)
    else:
        own, other = _place_by_sorting(positive, scores)
    return Placements(own.T, other.T)


def _compiled_pays(cells: int) -> bool:
    return cells >= (WARM if "earnest.kernels.compiled" in sys.modules else COLD)


def _place_by_sorting(positive: NDArray[np.bool_], scores: Numbers) -> tuple[Array, Array]:
    """Return the placements of positives (C, n1) and of negatives (C, n0), by sorting in NumPy."""
    columns = scores.shape[1]
    counts = int(positive.sum()), int((~positive).sum())
    own, other = (np.empty((columns, size)) for size in counts)
    step = max(1, CELLS // len(positive))
    for left in range(0, columns, step):
        block = slice(left, left + step)
        below, above = _count_doubled(positive, np.ascontiguousarray(scores[:, block].T))
        own[block] = below[:, positive] / (2.0 * counts[1])
        other[block] = above[:, ~positive] / (2.0 * counts[0])
    return own, other


def _count_doubled(
    positive: NDArray[np.bool_], scores: Numbers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return twice the negatives below and the positives above each score (c, n), ties once."""
    n = len(positive)
    order = np.argsort(scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    new = np.ones(scores.shape, dtype=bool)
    new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    places = np.arange(n)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)  # of the group of ties
    ends = np.ones(scores.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, places, n)[:, ::-1], axis=1)[:, ::-1]
    ahead = np.zeros((len(scores), n + 1), dtype=np.int64)  # positives among the lowest k
    np.cumsum(positive[order], axis=1, out=ahead[:, 1:])
    lower = np.take_along_axis(ahead, first, axis=1)
    within = np.take_along_axis(ahead, last + 1, axis=1) - lower
    below = first + last + 1 - 2 * lower - within
    above = 2 * ahead[:, -1:] - 2 * lower - within
    return _restore_order(below, order), _restore_order(above, order)


def _restore_order(ranked: NDArray[np.int64], order: NDArray[np.intp]) -> NDArray[np.int64]:
    out = np.empty_like(ranked)
    np.put_along_axis(out, order, ranked, axis=1)
    return out


def _check_scores(
    positive: NDArray[np.bool_], scores: Numbers
) -> tuple[NDArray[np.bool_], Numbers]:
    positive, scores = np.asarray(positive, dtype=bool), np.asarray(scores)
    if scores.ndim != 2 or positive.shape != scores.shape[:1]:
        raise InputError(
            "classes and scores have different shapes",
            needs="shapes (n,) and (n, C)",
            got=f"{positive.shape} and {scores.shape}",
        )
    if np.isnan(scores).any():
        raise InputError("a placement needs every score", got="NaN in the scores")
    if positive.all() or not positive.any():
        raise EvidenceError(
            "placements need cases of both classes",
            got=f"{int(positive.sum())} positive of {len(positive)} cases",
        )
    return positive, scores


def _unbiased(count: int) -> float:
    return count / (count - 1) if count > 1 else np.nan


def _spread(part: Array) -> Array:
    size = len(part)
    if size < 2:
        return np.full(part.shape[1], np.nan)
    return np.asarray(part.var(axis=0, ddof=1) / size)


def auc_placements(part: Predictions, column: int) -> Placements:
    """Return the placements (n1, 1) and (n0, 1) of one configuration, over its repeats.

    The AUC is the mean over repeats, and so is what a case adds to it. A case that a repeat did
    not test adds nothing there, and the others of its class the more: with n1 positives, r of them
    in a repeat, (n1 / r)(V10 - A) each.
    """
    positive = part.target.y == 1
    areas, parts = [], []
    for repeat in range(part.n_repeats):
        rows = part.tested(repeat)
        if rows.any():
            made = placements(positive[rows], scores_of(part, repeat)[rows, column : column + 1])
            areas.append(made.auc)
            parts.append((rows, made))
    if len(parts) == 1 and parts[0][0].all():
        return parts[0][1]
    area = np.mean(areas, axis=0)
    own, other = (np.tile(area, (int(s.sum()), 1)) for s in (positive, ~positive))
    for rows, made in parts:
        for total, members, placed in (
            (own, positive, made.positives),
            (other, ~positive, made.negatives),
        ):
            share = len(total) / len(placed) / len(parts)
            total[rows[members]] += share * (placed - made.auc)
    return Placements(own, other)


def spread_ratio(
    part: Predictions, column: int, area: float, positives: float, negatives: float
) -> float:
    """Return DeLong's variance of an AUC over the binormal one, 1 for a perfect one.

    Above 1 the positives vary more than the negatives, or less.
    """
    own = float(auc_placements(part, column).variance()[0])
    if not own > 0.0 or area >= 1.0:
        return 1.0
    inside = np.array(min(max(area, INSIDE), 1.0 - INSIDE))
    return own / float(binormal_variance(inside, positives, negatives))


def auc_influence(made: Placements, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what each case adds to the AUC (n,): its placement less the AUC."""
    out = np.empty(len(positive))
    out[positive] = (made.positives - made.auc)[:, 0]
    out[~positive] = (made.negatives - made.auc)[:, 0]
    return out


def turned(
    part: Predictions, rows: NDArray[np.bool_], repeat: int | None = None
) -> NDArray[np.bool_]:
    """Tell for each configuration whether its negatives have the greater median: (C,).

    Over all repeats together, or in one of them. This is how pROC guesses a direction.
    """
    repeats = range(part.n_repeats) if repeat is None else [repeat]
    scores = np.concatenate([scores_of(part, r)[rows & part.tested(r)] for r in repeats])
    labels = np.concatenate([part.target.y[rows & part.tested(r)] for r in repeats])
    if len(np.unique(labels)) < 2:
        return np.zeros(part.n_configs, dtype=bool)
    middle = [np.median(scores[labels == label], axis=0) for label in (0, 1)]
    return np.asarray(middle[0] > middle[1])


def scores_of(part: Predictions, repeat: int) -> Numbers:
    """Return the scores (n, C) of a repeat, greater for the positive class."""
    return respond(part, Need.SCORE, part.responses[:, :, repeat])


def need_auc(
    who: str,
    metric: Metric,
    target: Target,
    cure: str = f"Use {arg('method', 'tilted')} for means over cases, or {arg('method', 'bbc')} "
    "for any metric.",
) -> None:
    """Refuse a metric that is not the AUC of two classes."""
    if not is_auc(metric, target):
        raise MetricError(
            f"{who} is for the AUC of two classes",
            needs="metric 'roc_auc' on a binary task",
            got=f"{metric.name!r} on a {target.task} task",
            cure=cure,
        )
