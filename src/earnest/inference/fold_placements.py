"""The AUC as the mean over folds, and what each case adds to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.errors import EvidenceError
from earnest.core.predictions import Predictions
from earnest.core.target import Target
from earnest.inference.influence import influence
from earnest.inference.placements import placements
from earnest.metrics.families import Array, RankMetric, View


def placement_terms(
    metric: RankMetric, target: Target, scores: NDArray[Any], folds: NDArray[np.int32]
) -> tuple[Array, Array]:
    """Return the mean over folds of the AUC (C,), and the terms of the cases (n, C).

    With K folds of n_j cases a case of fold j has the term A + (n / (K n_j)) (A_j - A + D_i),
    where A_j is the AUC in the fold, A the mean over folds, and D_i the influence of the case on
    A_j from its placement. So the terms have the mean A whatever the sizes of the folds, and
    their variance within folds is (1/K²) times the sum of DeLong's variances of the A_j.
    """
    codes = np.unique(folds)
    n, spread = len(folds), np.empty(scores.shape[:2])
    areas = np.empty((len(codes), scores.shape[1]))
    for turn, code in enumerate(codes):
        rows = np.flatnonzero(folds == code)
        areas[turn], own = _in_fold(metric, target.take(rows), scores[rows])
        spread[rows] = (areas[turn] + own) * (n / (len(codes) * len(rows)))
    value = areas.mean(axis=0)
    sizes = np.bincount(folds)[folds]
    shares = n / (len(codes) * sizes)[:, None]
    return value, value + (spread - shares * value)


def _in_fold(metric: RankMetric, target: Target, scores: NDArray[Any]) -> tuple[Array, Array]:
    """Return the metric in a fold (C,), and the influence of its cases (n_j, C)."""
    views = metric.views(target)
    made = [_in_view(view, scores) for view in views]
    areas = np.stack([area for area, _ in made], axis=1)[None]  # (1, C, V)
    moves = np.stack([own for _, own in made], axis=2)  # (n_j, C, V)
    shares = np.stack([_mass(view) for view in views], axis=1)  # (n_j, V)
    masses = shares.mean(axis=0, keepdims=True)
    value = metric.combine(areas, masses)[0]
    by_order = metric.combine(areas + moves, np.repeat(masses, len(scores), axis=0)) - value

    def moved(step: float) -> Array:  # some metrics weight classes by how frequent they are
        everywhere = np.repeat(areas, len(scores), axis=0)
        return metric.combine(everywhere, masses + step * (shares - masses))

    return value, by_order + influence(moved, len(scores))


def _mass(view: View) -> Array:
    return np.ones(len(view.truth)) if view.mass is None else view.mass.astype(np.float64)


def _in_view(view: View, scores: NDArray[Any]) -> tuple[Array, Array]:
    """Return the AUC of one view (C,), and the influence of the cases of a fold (n_j, C).

    A positive's is (n_j / n_1)(V10 - A), a negative's (n_j / n_0)(V01 - A) (LeDell et al. 2015),
    here times sqrt(n_1 / (n_1 - 1) * (n_j - 1) / n_j), and likewise n_0: with it the unbiased
    variance over the fold is DeLong's, whose divisors are n_1 - 1 and n_0 - 1.
    """
    used = np.flatnonzero(view.truth >= 0)
    column = scores if view.column is None else scores[:, :, view.column]
    positive = view.truth[used] == 1
    made, total = placements(positive, column[used]), len(scores)
    own = np.zeros(column.shape)
    for part, members in ((made.positives, positive), (made.negatives, ~positive)):
        size = len(part)
        scale = (total / size) * np.sqrt(size / (size - 1) * (total - 1) / total)
        own[used[members]] = scale * (part - made.auc)
    return made.auc, own


def need_two_of_each_class(pi: Predictions) -> None:
    """Refuse folds in which DeLong's variance is undefined: two cases of each class are needed."""
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        table = np.zeros((len(pi.fold_names[repeat]), len(pi.target.classes)), dtype=np.int64)
        np.add.at(table, (pi.folds[used, repeat], pi.target.y[used]), 1)
        few = np.argwhere((table < 2) & (table.sum(axis=1, keepdims=True) > 0))
        if len(few):
            fold, label = (int(v) for v in few[0])
            count = int(table[fold, label])
            raise EvidenceError(
                "the variance of an AUC over folds needs two cases of each class in every fold",
                needs="at least 2 of each class in each fold",
                got=f"{count} of class {pi.target.classes[label]} in fold "
                f"{pi.fold_names[repeat][fold]}, in {len(few)} such places",
                cure="Use fewer or stratified folds, a metric that is a mean over cases, or "
                "method='delong', which reads the pooled scores.",
            )
