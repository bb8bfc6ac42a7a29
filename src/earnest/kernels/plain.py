"""Any callable metric: one call per resample and configuration."""

from __future__ import annotations

import warnings
from threading import Lock
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import MetricError
from earnest.core.data.target import Target
from earnest.metrics.families import CallableMetric, Need
from earnest.metrics.responding import decode_labels
from earnest.resampling.bootstrap import DRAWN

Arrays = tuple[NDArray[np.generic], NDArray[np.generic]]
_WARNINGS = Lock()  # filters of warnings belong to the process: two threads would undo each other


def score_callable(
    target: Target, metric: CallableMetric, responses: Numbers, weights: Numbers
) -> NDArray[np.float64]:
    """Return the metric (B, C) by calling it once for every resample and configuration.

    A resample on which the function raises ValueError or divides by zero (a class is missing) is
    undefined: NaN, as is one without weight. On the cases as they are an error is the user's to
    see, so it is raised. Configurations with missing predictions are not called.
    """
    _check_weights(metric, weights)
    outcome, answers = _make_arguments(target, metric, responses)
    out = np.full((len(weights), answers.shape[1]), np.nan)
    columns = _find_whole_columns(answers)
    drawn = DRAWN.get()
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an undefined value is NaN
        for b, weight in enumerate(weights):
            if drawn is not None:
                drawn.go_on(b / len(weights))
            as_is = bool((weight == 1).all())
            for c in columns if weight.any() else ():
                try:
                    out[b, c] = _call(metric, outcome, answers[:, c], weight)
                except MetricError:
                    raise
                except (ValueError, ZeroDivisionError) as error:
                    if as_is and isinstance(error, ZeroDivisionError):
                        raise  # the fault of a function of the user's own, who looks for the line
                    if as_is:
                        raise MetricError(
                            f"metric {metric.name!r} cannot be computed", got=str(error)
                        ) from error
    return out


def _check_weights(metric: CallableMetric, weights: Numbers) -> None:
    if not metric.takes_weights and weights.dtype.kind == "f":
        raise MetricError(
            f"metric {metric.name!r} takes no weights, so cases cannot have fractional weights",
            needs="integer weights, or a function with `sample_weight`",
            got=f"{weights.dtype} weights",
            cure="Give the function an argument `sample_weight`, or use counts: no case weights, "
            "and a resampler that draws cases, such as CaseBootstrap().",
        )


def _make_arguments(target: Target, metric: CallableMetric, responses: Numbers) -> Arrays:
    """Return outcome and responses as the function is to see them."""
    if target.event is not None:
        outcome = np.empty(target.n, dtype=[("event", bool), ("time", np.float64)])
        outcome["event"], outcome["time"] = target.event, target.y
        return outcome, responses
    if not target.has_classes:
        return target.y, responses
    predicts = metric.needs in (Need.LABEL, Need.PREDICTION)
    if metric.coded:
        return target.y, np.nan_to_num(responses).astype(np.int64) if predicts else responses
    return target.labels, decode_labels(target, responses) if predicts else responses


def _find_whole_columns(responses: NDArray[np.generic]) -> list[int]:
    """Return the configurations without missing predictions."""
    if responses.dtype.kind != "f":
        return list(range(responses.shape[1]))
    others = tuple(axis for axis in range(responses.ndim) if axis != 1)
    return [int(c) for c in np.flatnonzero(~np.isnan(responses).any(axis=others))]


def _call(
    metric: CallableMetric,
    outcome: NDArray[np.generic],
    response: NDArray[np.generic],
    weight: Numbers,
) -> float:
    if metric.takes_weights:
        rows = np.flatnonzero(weight)
        positive_weight = weight[rows].astype(float)
        return _read_value(
            metric, metric.function(outcome[rows], response[rows], sample_weight=positive_weight)
        )
    rows = np.repeat(np.arange(len(weight)), weight.astype(np.intp))
    return _read_value(metric, metric.function(outcome[rows], response[rows]))


def _read_value(metric: CallableMetric, value: object) -> float:
    """Return what a function gave as a number, and refuse anything else."""
    if isinstance(value, float):
        return value
    if isinstance(value, SupportsFloat) and not (isinstance(value, np.ndarray) and value.ndim):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    shape = np.shape(value) if isinstance(value, np.ndarray) else ()
    raise MetricError(
        f"metric {metric.name!r} does not return a number",
        needs="one number for each call",
        got=f"an array of shape {shape}" if shape else check.show(value),
    )
