"""The no-information rate: the score if outcomes and predictions were unrelated.

It is the mean over all pairs of an outcome and a prediction, n² of them (Efron and Tibshirani
1997), computed without making the pairs wherever that is possible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import MetricError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.replicates import Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.text.doors import arg
from earnest.inference.left_out.estimates import has_pairs
from earnest.kernels.score import score_table
from earnest.metrics.censoring import Censoring
from earnest.metrics.families import (
    EPS,
    METRICS,
    Array,
    CallableMetric,
    CurveMetric,
    Metric,
    MomentMetric,
    Need,
    RankMetric,
)
from earnest.metrics.regression import (
    absolute_errors,
    percentage_errors,
    products,
    residuals_and_outcome,
    squared_errors,
    squared_errors_and_outcome,
)
from earnest.metrics.responding import respond

# Outcomes of each task that have little in common, for what holds whatever the outcome.
OUTCOMES: dict[Task, tuple[list[float], ...]] = {
    Task.BINARY: ([0, 1, 1, 1], [0, 0, 0, 1, 1]),
    Task.REGRESSION: ([0.0, 1.0, 5.0], [-3.0, 2.0, 2.5, 40.0]),
}

# The score of a model that knows only the outcome's distribution.


def no_information(target: Target, metric: Metric) -> float | None:
    """Return the score of the best constant prediction; None where no constant has one.

    One half for the AUC, the share of the largest class for accuracy, 0 for R², the standard
    deviation of y for the RMSE. Labels try every class, values the mean, the median and the
    quantile of a pinball loss. None also
    if a constant has the best possible value, such as the sensitivity of a model that calls every
    case positive: no model can beat that.
    """
    if metric.ideal is not None:
        return None
    score = _score_constant(target, metric)
    return None if score == metric.limits[1 if metric.greater_is_better else 0] else score


def no_information_of_any(name: str) -> float | None:
    """Return the score of the best constant prediction where it is the same for every outcome.

    One half for the AUC and 0 for R²; None for the accuracy, which depends on the classes.

    Examples
    --------
    >>> from earnest.inference.cases.no_information import no_information_of_any
    >>> no_information_of_any("roc_auc"), no_information_of_any("accuracy")
    (0.5, None)
    """
    if name not in METRICS:
        return None
    metric = METRICS[name]
    scores = set()
    for task, outcomes in OUTCOMES.items():
        for y in outcomes if task in metric.tasks else ():
            target = Predictions.from_arrays(y, np.zeros(len(y)), task=task).target
            score = no_information(target, metric.on(task))
            scores.add(None if score is None else round(score, 9))
    return scores.pop() if len(scores) == 1 else None


def _score_constant(target: Target, metric: Metric) -> float | None:
    """Return the best score of a constant; a correlation with a constant counts as 0."""
    if target.task is Task.SCORES:
        return None  # of an item that was scored elsewhere no constant answer is known
    if isinstance(metric, CurveMetric) and metric.levels_alone:
        return None  # which Kaplan and Meier's curve for all is nearly, without telling cases apart
    if metric.needs is Need.RESPONSE:
        return None  # nobody knows what a bare function makes of a constant
    constants = _make_constants(target, metric)
    pi = Predictions(
        target=target,
        configs=Configs(ids=tuple(str(i) for i in range(constants.shape[1]))),
        responses=np.broadcast_to(constants, (target.n, *constants.shape[1:])),
        folds=np.zeros((target.n, 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=_find_kind(target, metric.needs),
    )
    try:
        scores = score_table(pi, metric, Weights.ones(target.n))[0]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A user's function need not know what to do with a constant.
        if isinstance(metric, CallableMetric):
            return None
        raise
    if np.isnan(scores).all():
        return 0.0 if metric.limits == (-1.0, 1.0) else None
    return float(scores[int(np.nanargmax(metric.sign * scores))])


def _find_kind(target: Target, need: Need) -> ResponseKind:
    if target.task is Task.REGRESSION:
        return ResponseKind.VALUE
    if target.task is Task.SURVIVAL:
        return ResponseKind.SURVIVAL if need is Need.SURVIVAL else ResponseKind.RISK
    return ResponseKind.LABEL if need is Need.LABEL else ResponseKind.PROBABILITY


def _make_constants(target: Target, metric: Metric) -> Numbers:
    """Return constant responses of shape (1, C, 1) or (1, C, 1, K)."""
    need = metric.needs
    if need is Need.SURVIVAL and target.event is not None:
        curves = Censoring.of(target.y, target.event, np.ones((1, target.n)))
        chances = [float(curves.find_survival(t)[0]) for t in target.times]
        return np.array([0.0, *chances])[None, None, None, :]
    if not target.has_classes:
        centres = [0.0] if target.event is not None else _find_centres(target)
        level = metric.knobs.get("level")
        if isinstance(level, float):  # of a quantile
            centres = [*centres, float(np.quantile(target.y, level))]
        return np.array(centres)[None, :, None]
    shares = np.bincount(target.y, target.masses, minlength=len(target.classes)) / target.n
    if need is Need.LABEL:
        return np.arange(len(shares), dtype=np.float64)[None, :, None]
    return shares[None, None, None, :] if target.task is Task.MULTICLASS else shares[1:, None, None]


def _find_centres(target: Target) -> list[float]:
    """Return the mean and the median of the outcome of cases as they weigh."""
    if target.masses is None:
        return [float(target.y.mean()), float(np.median(target.y))]
    order = np.argsort(target.y, kind="stable")
    ranked = np.cumsum(target.masses[order])
    middle = int(np.searchsorted(ranked, 0.5 * ranked[-1]))
    return [float(np.average(target.y, weights=target.masses)), float(target.y[order][middle])]


PAIRS = 1 << 21  # pairs of an outcome and a prediction held at a time


def no_information_rate(replicates: Replicates, metric: Metric) -> float:
    """Return the score of the model of all cases with its predictions randomly permuted.

    One half for the AUC, of many classes too, and for the concordance index. Else the mean over all
    pairs, without making them: O(n K) for K classes, O(n) for squared errors and correlations, O(n
    log n) for absolute and percentage errors; only a user's own metric for regression needs the
    pairs, a bounded number at a time. A function of sums is computed from the mean moments.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.dummy import DummyClassifier
    >>> from earnest.inference.cases.no_information import no_information_rate
    >>> X, y = np.zeros((10, 1)), np.array([0, 1, 1, 1, 1] * 2)
    >>> replicates = en.bootstrap_train(DummyClassifier(), X, y, n_replicates=5, rng=0)
    >>> round(no_information_rate(replicates, en.metric("accuracy")), 3)
    0.8
    """
    need_rate(metric, replicates.target)
    if isinstance(metric, RankMetric):
        views = len(metric.views(replicates.target))  # one per class, or per pair of classes
        return float(metric.combine(np.full((1, 1, views), 0.5), np.ones((1, views)))[0, 0])
    assert isinstance(metric, MomentMetric)
    pi = replicates.resubstituted
    response = respond(pi, metric.needs, pi.responses[:, :, 0])  # (n, 1[, K])
    centre = None if metric.centre is None else metric.centre(pi.target, response)
    moments, shared = _average_over_pairs(metric, pi.target, response, centre)
    return float(metric.combine(moments[:, None, None], shared[:, None, None])[0, 0])


def need_rate(metric: Metric, target: Target) -> None:
    """Refuse a metric whose no-information rate is not known."""
    ranks = metric.area or has_pairs(metric, target)  # a mean over pairs, or of such means
    if not ranks and not isinstance(metric, MomentMetric):
        raise MetricError(
            f"metric {metric.name!r} has no known no-information rate",
            needs="a mean over cases, a function of sums, an AUC, or 'concordance'",
            got=metric.name,
            cure=f"Use {arg('method', '.632')}, which does not need one.",
        )


def _average_over_pairs(
    metric: MomentMetric, target: Target, response: Numbers, centre: Any
) -> tuple[Array, Array]:
    """Return the mean of every feature over all pairs of an outcome and a prediction."""
    moments = metric.features(target, response, centre)
    shared = np.atleast_2d(moments.shared).astype(np.float64).mean(axis=1)
    if target.has_classes:
        return _average_over_classes(metric, target, response, centre), shared
    y, value = target.y, response[:, 0].astype(np.float64)
    if metric.features in (squared_errors, squared_errors_and_outcome):
        return np.array([mean_square(y, value)]), shared
    if metric.features is residuals_and_outcome:
        first, second = y - centre[0], value - centre[1]
        return np.array([first.mean() - second.mean(), mean_square(first, second)]), shared
    if metric.features is products:
        centred = value - centre[1]
        return np.array([centred.mean(), np.mean(centred**2), centred.mean() * shared[1]]), shared
    if metric.features is absolute_errors:
        return np.array([mean_distance(y, value)]), shared
    if metric.features is percentage_errors:
        return np.array([mean_distance(y, value, 1.0 / np.maximum(np.abs(y), EPS))]), shared
    return _average_in_blocks(metric, target, value, centre), shared


def _average_over_classes(
    metric: MomentMetric, target: Target, response: Numbers, centre: Any
) -> Array:
    """Return the mean over all pairs, class by class: every prediction meets every class."""
    total: Array | float = 0.0
    for code, share in enumerate(np.bincount(target.y, minlength=len(target.classes)) / target.n):
        if share > 0:
            alike = Target(
                y=np.full(target.n, code, dtype=target.y.dtype),
                task=target.task,
                classes=target.classes,
            )
            features = metric.features(alike, response, centre).own.astype(np.float64)
            total = total + share * features[:, :, 0].mean(axis=1)
    return np.asarray(total)


def mean_square(y: Array, value: Array) -> float:
    """Return the mean of (y_i - f_j)² over all pairs, about a common middle: O(n)."""
    middle = y.mean()
    first, second = y - middle, value - middle
    return float(np.mean(first**2) - 2.0 * first.mean() * second.mean() + np.mean(second**2))


def mean_distance(y: Array, value: Array, weight: Array | None = None) -> float:
    """Return the mean of |y_i - f_j| (times a weight of i) over all pairs, by sorting."""
    middle, order = y.mean(), np.argsort(y)
    ranked = y[order] - middle
    heavy = np.ones(len(y)) if weight is None else weight[order]
    sums, weights = (np.concatenate([[0.0], np.cumsum(a)]) for a in (heavy * ranked, heavy))
    below = np.searchsorted(ranked, value - middle)  # how many outcomes lie below a prediction
    far = (value - middle) * (2.0 * weights[below] - weights[-1]) + sums[-1] - 2.0 * sums[below]
    return float(far.mean() / len(ranked))


def _average_in_blocks(metric: MomentMetric, target: Target, value: Array, centre: Any) -> Array:
    """Return the mean over all pairs, some predictions at a time."""
    total: Array | float = 0.0
    step = max(1, PAIRS // target.n)
    for start in range(0, len(value), step):
        some = np.broadcast_to(
            value[start : start + step], (target.n, *value[start : start + step].shape)
        )
        features = metric.features(target, some, centre).own.astype(np.float64)
        total = total + features.mean(axis=1).sum(axis=1)
    return np.asarray(total / len(value))
