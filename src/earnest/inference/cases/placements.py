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

    Shares are of the weight of cases. Where cases weigh w with mean 1 in their class, each is moved
    to A + w (V - A), so that plain means and variances are those of the weighted area A.
    """

    positives: Array
    negatives: Array

    @property
    def auc(self) -> Array:
        """The area under the ROC curve of every column: (C,)."""
        return np.asarray(self.positives.mean(axis=0))

    def variance(self) -> Array:
        """Return DeLong's variance of every AUC: (C,); NaN where a class has one case."""
        return np.asarray(sum(_find_spread(side) for side in (self.positives, self.negatives)))

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
        sums, factors = [], [_find_factor(len(names))]
        for side, groups in ((self.positives, positives), (self.negatives, negatives)):
            total = np.zeros((len(names), side.shape[1]))
            np.add.at(total, np.searchsorted(names, groups), (side - self.auc) / len(side))
            sums.append(total)
            factors.append(_find_factor(len(np.unique(groups))))
        (first_sums, second_sums), (both, first, second) = sums, factors
        products = (
            first * first_sums**2 + second * second_sums**2 + 2.0 * both * first_sums * second_sums
        )
        return np.asarray(products.sum(axis=0))


def placements(
    positive: NDArray[np.bool_], scores: Numbers, masses: Array | None = None
) -> Placements:
    """Return the placements of every column of scores, in n log n steps per column.

    DeLong, DeLong and Clarke-Pearson 1988, in the form of ranks of Sun and Xu 2014.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which cases are of the positive class.
    scores : ndarray, shape (n, C)
        Scores without NaN, greater for the positive class.
    masses : ndarray, shape (n,), optional
        What the cases weigh, where not all weigh the same.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.placements import placements
    >>> placed = placements(np.array([False, True, True]), np.array([[0.2], [0.2], [0.7]]))
    >>> placed.positives.ravel().tolist(), placed.negatives.ravel().tolist(), placed.auc.tolist()
    ([0.5, 1.0], [0.75], [0.75])
    """
    positive, scores = _check_scores(positive, scores)
    if masses is not None:
        return _place_weighted(positive, scores, masses)
    if _is_worth_compiling(scores.size):
        from earnest.kernels import fast

        positives, negatives = fast.placed(positive, scores)
    else:
        positives, negatives = _place_by_sorting(positive, scores)
    return Placements(positives.T, negatives.T)


def _is_worth_compiling(cells: int) -> bool:
    return cells >= (WARM if "earnest.kernels.compiled" in sys.modules else COLD)


def _place_by_sorting(positive: NDArray[np.bool_], scores: Numbers) -> tuple[Array, Array]:
    """Return the placements of positives (C, n1) and of negatives (C, n0), by sorting in NumPy."""
    columns = scores.shape[1]
    counts = int(positive.sum()), int((~positive).sum())
    positives, negatives = (np.empty((columns, size)) for size in counts)
    step = max(1, CELLS // len(positive))
    for left in range(0, columns, step):
        block = slice(left, left + step)
        below, above = _count_doubled(positive, np.ascontiguousarray(scores[:, block].T))
        positives[block] = below[:, positive] / (2.0 * counts[1])
        negatives[block] = above[:, ~positive] / (2.0 * counts[0])
    return positives, negatives


def _place_weighted(positive: NDArray[np.bool_], scores: Numbers, masses: Array) -> Placements:
    """Return the moved placements of cases that weigh unlike, column by column."""
    sides = [(positive, ~positive, True), (~positive, positive, False)]
    out = []
    for mine, others, above in sides:
        heavy = masses[mine]
        if not (heavy.any() and masses[others].any()):
            raise EvidenceError(
                "placements need cases of both classes", got="a class without any weight"
            )
        shares = np.empty((int(mine.sum()), scores.shape[1]))
        for column in range(scores.shape[1]):
            shares[:, column] = _find_shares(
                scores[mine, column], scores[others, column], masses[others], above=above
            )
        area = heavy @ shares / heavy.sum()
        out.append(area + (heavy / heavy.mean())[:, None] * (shares - area))
    return Placements(*out)


def _find_shares(values: Array, others: Array, masses: Array, *, above: bool) -> Array:
    """Return which share of the weight of others each value lies above, or below; ties half."""
    order = np.argsort(others, kind="stable")
    ranked = others[order]
    below = np.concatenate([[0.0], np.cumsum(masses[order])])
    low = below[np.searchsorted(ranked, values, "left")]
    up = below[np.searchsorted(ranked, values, "right")]
    share = np.clip((low + up) / (2.0 * below[-1]), 0.0, 1.0)
    return np.asarray(share if above else 1.0 - share)


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


def _find_factor(count: int) -> float:
    return count / (count - 1) if count > 1 else np.nan


def _find_spread(side: Array) -> Array:
    size = len(side)
    if size < 2:
        return np.full(side.shape[1], np.nan)
    return np.asarray(side.var(axis=0, ddof=1) / size)


def auc_placements(pi: Predictions, column: int) -> Placements:
    """Return the placements (n1, 1) and (n0, 1) of one configuration, over its repeats.

    The AUC is the mean over repeats, and so is what a case adds to it. A case that a repeat did
    not test adds nothing there, and the others of its class the more: with n1 positives, r of them
    in a repeat, (n1 / r)(V10 - A) each.
    """
    positive, masses = pi.target.y == 1, pi.target.masses
    areas, parts = [], []
    for repeat in range(pi.n_repeats):
        rows = pi.tested(repeat)
        if rows.any():
            placed_repeat = placements(
                positive[rows],
                scores_of(pi, repeat)[rows, column : column + 1],
                None if masses is None else masses[rows],
            )
            areas.append(placed_repeat.auc)
            parts.append((rows, placed_repeat))
    if len(parts) == 1 and parts[0][0].all():
        return parts[0][1]
    area = np.mean(areas, axis=0)
    positives, negatives = (np.tile(area, (int(s.sum()), 1)) for s in (positive, ~positive))
    for rows, placed_repeat in parts:
        for total, members, values in (
            (positives, positive, placed_repeat.positives),
            (negatives, ~positive, placed_repeat.negatives),
        ):
            share = len(total) / len(values) / len(parts)
            total[rows[members]] += share * (values - placed_repeat.auc)
    return Placements(positives, negatives)


def spread_ratio(
    pi: Predictions, column: int, area: float, positives: float, negatives: float
) -> float:
    """Return DeLong's variance of an AUC over the binormal one, 1 for a perfect one.

    Above 1 the positives vary more than the negatives, or less.
    """
    variance = float(auc_placements(pi, column).variance()[0])
    if not variance > 0.0 or area >= 1.0:
        return 1.0
    inside = np.array(min(max(area, INSIDE), 1.0 - INSIDE))
    return variance / float(binormal_variance(inside, positives, negatives))


def auc_influence(placed: Placements, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what each case adds to the AUC (n,): its placement less the AUC."""
    out = np.empty(len(positive))
    out[positive] = (placed.positives - placed.auc)[:, 0]
    out[~positive] = (placed.negatives - placed.auc)[:, 0]
    return out


def turned(
    pi: Predictions, rows: NDArray[np.bool_], repeat: int | None = None
) -> NDArray[np.bool_]:
    """Tell for each configuration whether its negatives have the greater median: (C,).

    Over all repeats together, or in one of them. This is how pROC guesses a direction.
    """
    repeats = range(pi.n_repeats) if repeat is None else [repeat]
    scores = np.concatenate([scores_of(pi, r)[rows & pi.tested(r)] for r in repeats])
    labels = np.concatenate([pi.target.y[rows & pi.tested(r)] for r in repeats])
    if len(np.unique(labels)) < 2:
        return np.zeros(pi.n_configs, dtype=bool)
    middle = [np.median(scores[labels == label], axis=0) for label in (0, 1)]
    return np.asarray(middle[0] > middle[1])


def scores_of(pi: Predictions, repeat: int) -> Numbers:
    """Return the scores (n, C) of a repeat, greater for the positive class."""
    return respond(pi, Need.SCORE, pi.responses[:, :, repeat])


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
