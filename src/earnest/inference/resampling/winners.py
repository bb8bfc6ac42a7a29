"""Who wins: the same selector in-bag and on the sample itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import OneStandardError, Pooled, Selector, in_units_of_the_best
from earnest.core.data.weights import Weights
from earnest.kernels.contest import can_contest, contest
from earnest.kernels.score import SPREAD, fold_repeats, fold_scores, score_table
from earnest.metrics.families import Metric

TINY = 1e-9  # in place of 0, for a fold of which no case was drawn
FOLD_CELLS = 1 << 23  # scores of single folds held at a time


def winners(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    selector: Selector,
    *,
    n_jobs: int | None = None,
    keep: Callable[[NDArray[np.float64]], None] | None = None,
) -> NDArray[np.intp]:
    """Return the winner of every resample (B,), -1 where no configuration has a defined score.

    `keep` gets the scores (B, C) where all of them are computed on the way.
    """
    here = SPREAD.get() is None  # on a cluster all scores cost less than a few of them here
    if here and type(selector) is Pooled and can_contest(pi, metric, weights):  # no subclass
        best = contest(pi, metric, weights, n_jobs=n_jobs)
        if best is not None:
            return best
    order = pi.configs.simplicity_order()
    if not selector.by_fold:
        scores = score_table(pi, metric, weights, n_jobs=n_jobs)  # (B, C)
        if keep is not None:
            keep(scores)
        return selector(gains_of(metric, scores[None]), order)
    if not metric.pointwise:
        raise MetricError(
            f"selector {selector.name!r} does not work for {metric.name!r} on resampled cases",
            needs="a metric that is a mean over cases (a resampled fold can lose a class)",
            got=metric.name,
            cure="Use selector='pooled', or method='bbc_fold'.",
        )
    step = max(1, FOLD_CELLS // (len(fold_repeats(pi)) * pi.n_configs))
    parts = [weights.take(slice(b, b + step)) for b in range(0, len(weights), step)]
    chosen = []
    for part in parts:
        gains = gains_of(metric, fold_scores(pi, metric, part, n_jobs=n_jobs))
        if type(selector) is OneStandardError:  # a subclass has its own rule
            chosen.append(selector(gains, order, fold_inflation(pi, part)))
        else:
            chosen.append(selector(gains, order))
    return np.concatenate(chosen)


def fold_inflation(pi: Predictions, weights: Weights) -> NDArray[np.float64]:
    """Return how many times the variance of a fold's mean is as large in a resample: (F, B).

    A mean under counts w varies as one of (sum w)² / sum w² different cases, of which a fold of n
    cases has about n / 2; the spread of folds over one sample is that of n cases each.
    """
    rows = []
    for repeat in range(pi.n_repeats):
        codes = pi.folds[:, repeat]
        for fold in np.flatnonzero(pi.cells[repeat].any(axis=1)):
            counts = weights.values[:, codes == fold].astype(np.float64)
            total, squares = counts.sum(axis=1), np.square(counts).sum(axis=1)
            rows.append(counts.shape[1] * squares / np.maximum(total, 1.0) ** 2)
    return np.asarray(np.maximum(np.stack(rows), TINY))


def gains_of(metric: Metric, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores (F, B, C) as gains: greater is better, and of a size that ties can be told."""
    gains = scores if metric.greater_is_better else -scores
    return gains if metric.has_unit else in_units_of_the_best(gains)


def winner(
    pi: Predictions, metric: Metric, selector: Selector, *, n_jobs: int | None = None
) -> tuple[int, float, NDArray[np.float64]]:
    """Return the winner on the sample itself, its score, and all scores (C,) as it was chosen by.

    The score is pooled over cases for a pooled selector, and the mean over the folds in which the
    metric is defined for one that looks at folds.
    """
    return judge_winner(pi, metric, selector, whole_scores(pi, metric, selector, n_jobs=n_jobs))


def whole_scores(
    pi: Predictions, metric: Metric, selector: Selector, *, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the scores of the sample itself that a selector looks at: (F, 1, C) or (1, 1, C)."""
    if selector.by_fold:
        return fold_scores(pi, metric, n_jobs=n_jobs)
    return score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=n_jobs)[None]


def judge_winner(
    pi: Predictions, metric: Metric, selector: Selector, scores: NDArray[np.float64]
) -> tuple[int, float, NDArray[np.float64]]:
    """Return the winner by scores (F, 1, C) of the sample itself, as `winner` does."""
    scores = keep_defined_folds(scores)
    means = scores.mean(axis=0)[0]
    best = int(selector(gains_of(metric, scores), pi.configs.simplicity_order())[0])
    if best < 0:
        raise EvidenceError(
            f"metric {metric.name!r} is undefined for every configuration",
            needs="a defined score on the original cases",
            cure="Check the predictions, or choose another metric.",
        )
    return best, float(means[best]), means


def keep_defined_folds(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out the folds (F, B, C) in which the metric is undefined for every configuration."""
    kept = ~np.isnan(scores).all(axis=(1, 2))
    if not kept.any():
        if len(scores) == 1:
            raise EvidenceError(
                "the metric is undefined on these cases, for every configuration",
                cure="Check that there are cases of every class and that predictions vary, or "
                "choose another metric.",
            )
        raise EvidenceError(
            "the metric is undefined in every fold, for every configuration",
            needs="at least one fold in which it is defined, such as one with cases of every class",
            cure="Use fewer or stratified folds, or method='bbc', which scores all cases together.",
        )
    return scores[kept]
