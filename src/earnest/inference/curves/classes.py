"""ROC curves of several classes, each against the rest, corrected for the choice.

As for two classes: in every resample a configuration is chosen in-bag, and the curves of each class
are drawn by the cases left out. Their mean over the classes has the area that the metric
`roc_auc_ovr` measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.interval import Ask
from earnest.inference.curves.corrected import (
    GRID,
    Floats,
    MeanCurve,
    Selection,
    chunks,
    draw_scores,
    mean_curve,
    roc_points,
)
from earnest.metrics.families import Metric

MOST = 30  # classes; beyond, a page could not show them
WIDTH = 1 + len(GRID)  # numbers that are kept of a class


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """The ROC curve of each class against the rest, and their mean.

    Attributes
    ----------
    names : tuple of str
        The classes, in their order.
    cases : tuple of int
        How many cases each has.
    classes : tuple of MeanCurve
        One a class.
    mean : MeanCurve
        The mean of them all, each class counted alike; its area is that of `roc_auc_ovr`.
    """

    names: tuple[str, ...]
    cases: tuple[int, ...]
    classes: tuple[MeanCurve, ...]
    mean: MeanCurve

    @property
    def by_area(self) -> list[int]:
        """The classes from the smallest corrected area to the largest."""
        return sorted(range(len(self.names)), key=lambda k: self.classes[k].area)


def no_class_curves(pi: Predictions) -> str | None:
    """Return why predictions have no ROC curves by class, in words; None where they have."""
    if pi.target.task is not Task.MULTICLASS:
        return "ROC curves by class need several classes."
    if pi.kind is ResponseKind.LABEL:
        return "The predictions are labels, not scores, so there is no ROC curve."
    if len(pi.target.classes) > MOST:
        return f"ROC curves by class are shown for up to {MOST} classes."
    return None


def class_curves(
    pi: Predictions,
    metric: Metric,
    winner: int | str,
    selection: Selection,
    *,
    beside: Predictions | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
) -> ClassCurves:
    """Return the ROC curve of each class against the rest, of the configuration chosen in-bag.

    **What is estimated.** As by `mean_curves`, the mean curve of a configuration chosen by this
    rule; cases are ordered by their score for the class. On the same resamples the mean over the
    classes has the area of the estimate, if the metric is `roc_auc_ovr`.

    **When it fails.** A resample that leaves out no case of a class has no curve of it, and is
    left out of the mean over the classes too. The bands are of each point and each class for
    itself.

    Parameters
    ----------
    pi : Predictions
        Of a task with several classes, with a score for each.
    metric : Metric
        What the winners are chosen by.
    winner : int or str
        The configuration chosen on all cases, for its own curves.
    selection : Selection
        The resamples and the rule, see `Selection.of`.
    beside : Predictions, optional
        Whose first configuration has the curves that are not corrected, as for `mean_curves`.
    confidence_level : float
        That of the pointwise bands.

    References
    ----------
    Fawcett (2006), *An introduction to ROC analysis*, Pattern Recognition Letters 27, section 9.
    """
    reason = no_class_curves(pi)
    if reason is not None:
        raise EvidenceError("there are no curves to draw", got=reason)
    level, pi = Ask.of(confidence_level, "two-sided").confidence_level, pi.usable()
    count = len(pi.target.classes)
    table = draw_scores(
        pi,
        metric,
        selection,
        lambda best, outside: _score_selected(pi, best, outside),
        columns=max(pi.n_configs, count * WIDTH),
        work=count,
        n_jobs=n_jobs,
    )
    parts = table[:, 2:].reshape(len(table), count, WIDTH)  # (B, K, 1 + G)
    everyone = np.ones((1, pi.n_cases), dtype=np.uint8)
    source, column = (pi, pi.configs.index(winner)) if beside is None else (beside, 0)
    own = _of_config(source, column, everyone)[0]  # (K, 1 + G)
    several = pi.n_configs > 1 or beside is not None

    def made(drawn_: Floats, mine: Floats) -> MeanCurve:
        beside = (mine[1:], float(mine[0]))
        return mean_curve(drawn_[:, 0], drawn_[:, 1:], beside, 0.5, level, several=several)

    return ClassCurves(
        names=tuple(str(label) for label in pi.target.classes),
        cases=tuple(int((pi.target.y == k).sum()) for k in range(count)),
        classes=tuple(made(parts[:, k], own[k]) for k in range(count)),
        mean=made(parts.mean(axis=1), own.mean(axis=0)),
    )


def _score_selected(pi: Predictions, best: NDArray[np.intp], outside: NDArray[np.uint8]) -> Floats:
    """Return areas and curves (B, K (1 + G)) of one configuration a resample."""
    out = np.full((len(best), len(pi.target.classes), WIDTH), np.nan)
    for config in np.unique(best[best >= 0]):
        for rows in chunks(np.flatnonzero(best == config), pi.n_cases):
            out[rows] = _of_config(pi, int(config), outside[rows])
    return out.reshape(len(best), -1)


def _of_config(pi: Predictions, config: int, weights: NDArray[np.uint8]) -> Floats:
    """Return area and curve of every class of one configuration: (B, K, 1 + G)."""
    made = [_of_class(pi, config, k, weights) for k in range(len(pi.target.classes))]
    return np.stack(made, axis=1)


def _of_class(pi: Predictions, config: int, k: int, weights: NDArray[np.uint8]) -> Floats:
    """Return area and curve of one class against the rest (B, 1 + G), the mean over the repeats."""
    made = []
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        scores = pi.responses[used, config, repeat, k].astype(np.float64)
        made.append(roc_points(pi.target.y[used] == k, scores, weights[:, used]))
    return np.asarray(np.mean([np.column_stack(one) for one in made], axis=0))
