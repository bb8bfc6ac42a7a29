"""The score of a model that knows only the outcome's distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.configs import Configs
from earnest.core.predictions import Predictions
from earnest.core.responses import ResponseKind
from earnest.core.target import Target, Task
from earnest.core.weights import Weights
from earnest.kernels.score import score_table
from earnest.metrics.families import CallableMetric, Metric, Need


def no_information(target: Target, metric: Metric) -> float | None:
    """Return the metric of the best constant prediction; None where it is undefined.

    None too where a constant has the best value there is, as the sensitivity of a model that calls
    every case positive: no model beats that, and none is worse for it.

    One half for the AUC, the share of the largest class for accuracy, 0 for R², the standard
    deviation of y for the RMSE. Labels try every class, values the mean and the median.
    """
    if metric.needs is Need.RESPONSE:
        return None  # nobody knows what a bare function makes of a constant
    constants = _constants(target, metric.needs)
    pi = Predictions(
        target=target,
        configs=Configs(ids=tuple(str(i) for i in range(constants.shape[1]))),
        responses=np.broadcast_to(constants, (target.n, *constants.shape[1:])),
        folds=np.zeros((target.n, 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=_kind(target, metric.needs),
    )
    try:
        scores = score_table(pi, metric, Weights.ones(target.n))[0]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A user's function need not know what to do with a constant.
        if isinstance(metric, CallableMetric):
            return None
        raise
    if np.isnan(scores).all():
        return 0.0 if metric.limits == (-1.0, 1.0) else None  # a correlation with a constant
    best = float(metric.sign * np.nanmax(metric.sign * scores))
    return None if best == metric.limits[1 if metric.greater_is_better else 0] else best


def _kind(target: Target, need: Need) -> ResponseKind:
    if target.task is Task.REGRESSION:
        return ResponseKind.VALUE
    if target.task is Task.SURVIVAL:
        return ResponseKind.RISK
    return ResponseKind.LABEL if need is Need.LABEL else ResponseKind.PROBABILITY


def _constants(target: Target, need: Need) -> NDArray[Any]:
    """Return constant responses of shape (1, C, 1) or (1, C, 1, K)."""
    if not target.has_classes:
        centres = [0.0] if target.event is not None else [target.y.mean(), np.median(target.y)]
        return np.array(centres)[None, :, None]
    shares = np.bincount(target.y, minlength=len(target.classes)) / target.n
    if need is Need.LABEL:
        return np.arange(len(shares), dtype=np.float64)[None, :, None]
    return shares[None, None, None, :] if target.task is Task.MULTICLASS else shares[1:, None, None]
