"""The AUC of two classes: its placements over repeats, its direction, and who needs it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.inference.cases.placements import Placements, placements
from earnest.metrics.families import Metric, Need
from earnest.metrics.ranking import is_auc
from earnest.metrics.responding import respond


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
    cure: str = "Use method='tilted' for means over cases, or method='bbc' for any metric.",
) -> None:
    """Refuse a metric that is not the AUC of two classes."""
    if not is_auc(metric, target):
        raise MetricError(
            f"{who} is for the AUC of two classes",
            needs="metric 'roc_auc' on a binary task",
            got=f"{metric.name!r} on a {target.task} task",
            cure=cure,
        )
