"""From what a model answered to what a metric needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers, finite_range
from earnest.core.base.errors import MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import PERCENT, ResponseKind, is_like_percent
from earnest.core.data.target import Target, Task, label_array
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric, Need

_FITS: dict[Need, tuple[ResponseKind, ...]] = {
    Need.LABEL: (ResponseKind.PROBABILITY, ResponseKind.DECISION, ResponseKind.LABEL),
    Need.SCORE: (ResponseKind.PROBABILITY, ResponseKind.DECISION, ResponseKind.LABEL),
    Need.PROBABILITY: (ResponseKind.PROBABILITY,),
    Need.VALUE: (ResponseKind.VALUE,),
    Need.RISK: (ResponseKind.RISK, ResponseKind.SURVIVAL),
    Need.SURVIVAL: (ResponseKind.SURVIVAL,),
    Need.PREDICTION: tuple(ResponseKind),
    Need.RESPONSE: tuple(ResponseKind),
}


_CURES: dict[ResponseKind, str] = {
    ResponseKind.DECISION: "If these numbers are probabilities, pass "
    f"{arg('response', 'probability')}; "
    "otherwise choose a metric for labels or ranks.",
    ResponseKind.LABEL: "Store probabilities, or choose a metric for labels such as 'accuracy'.",
    ResponseKind.PROBABILITY: "Choose a metric for probabilities, labels or ranks.",
    ResponseKind.VALUE: "Choose a metric for numbers such as 'rmse'.",
    ResponseKind.RISK: "Choose 'concordance' or 'uno_c', or models that predict survival at times.",
    ResponseKind.SURVIVAL: "Choose 'concordance' or 'integrated_brier'.",
}


OF_CLASSES = ("pos_label", "labels")  # settings of scikit-learn's functions that name classes


class Answers(Protocol):
    """What is known of predictions before there are any: the outcome, and the kind of response."""

    @property
    def target(self) -> Target:
        """The outcome."""
        ...

    @property
    def kind(self) -> ResponseKind:
        """The kind of response."""
        ...


def check_fits(pi: Answers, metric: Metric) -> None:
    """Refuse a metric that does not fit the task, its classes, or the kind of response."""
    task = pi.target.task
    if task not in metric.tasks:
        raise MetricError(
            f"metric {metric.name!r} is not defined for a {task} task",
            needs="a task that is " + " or ".join(sorted(metric.tasks)),
            got=str(task),
            cure=_suggest_metric(task),
        )
    if pi.target.has_classes:
        _refuse_other_classes(pi.target.classes, metric)
    labels_of_many = pi.kind is ResponseKind.LABEL and task is Task.MULTICLASS
    if pi.kind not in _FITS[metric.needs] or (metric.needs is Need.SCORE and labels_of_many):
        raise MetricError(
            f"metric {metric.name!r} cannot be computed from a {pi.kind} response",
            needs=" or ".join(_FITS[metric.needs][:2]),
            got=str(pi.kind),
            cure=f"{PERCENT} " * (isinstance(pi, Predictions) and are_percentages(pi))
            + _CURES[pi.kind],
        )


def need_order(metric: Metric, n_configs: int = 2) -> None:
    """Refuse to choose among configurations by a metric that has a right value and no best one."""
    if metric.ideal is None or n_configs < 2:
        return
    raise MetricError(
        f"{metric.name!r} cannot choose among configurations: it is right at "
        f"{metric.ideal:g}, and no direction is better",
        needs="a metric that ranks, such as 'log_loss' or 'roc_auc', or for numbers 'mse'",
        got=metric.name,
        cure=f"Choose by such a metric, and judge the winner with earnest.estimate(..., "
        f"{arg('metric', metric.name)}, {arg('select_by', 'log_loss')}), for numbers 'mse'.",
    )


_ASKED: dict[Need, ResponseKind] = {
    Need.LABEL: ResponseKind.LABEL,
    Need.PREDICTION: ResponseKind.LABEL,
    Need.SCORE: ResponseKind.DECISION,
    Need.PROBABILITY: ResponseKind.PROBABILITY,
}


def find_answer(pi: Predictions, need: Need) -> Predictions:
    """Return Π whose responses are what the models answer when they are asked for a need."""
    if not pi.others:
        return pi
    kind = _ASKED.get(need)
    chosen = next((other for other in pi.others if other.kind is kind), pi)
    answer = replace(
        chosen, remarks=pi.remarks, ensemble_rule=pi.ensemble_rule, others=(), guides=pi.guides
    )
    vars(answer)["fingerprint"] = pi.fingerprint  # of what the user has, whichever part is read
    return answer


def pick_answer(pi: Predictions, metric: Metric) -> Predictions:
    """Return Π as `find_answer` does for a metric, and refuse a metric that does not fit."""
    answer = find_answer(pi, metric.needs)
    check_fits(answer, metric)
    return answer


def _refuse_other_classes(classes: tuple[object, ...], metric: Metric) -> None:
    """Refuse a metric about classes that do not exist, or that the scores are not about."""
    for setting in OF_CLASSES:
        value: Any = metric.knobs.get(setting)
        named = [value] if setting == "pos_label" or value is None else value
        if value is not None and not any(label in classes for label in named):
            raise MetricError(
                f"metric {metric.name!r} is about a class that does not exist",
                needs=check.some(map(repr, classes)),
                got=f"{setting}={value!r}",
            )
    wanted = metric.knobs.get("pos_label")
    of_scores = metric.needs in (Need.SCORE, Need.PROBABILITY) and len(classes) == 2
    if wanted is not None and of_scores and wanted != classes[1]:
        raise MetricError(
            f"metric {metric.name!r} and the scores are about different classes",
            needs=f"pos_label={classes[1]!r}, the class that high scores stand for",
            got=f"pos_label={wanted!r}",
            cure=f"Read the predictions with the other {arg('positive')}, or leave pos_label out.",
        )


def respond(pi: Predictions, need: Need, responses: Numbers) -> NDArray[Any]:
    """Turn raw responses (n, C[, K]) of one repeat into what a metric needs.

    Labels are class codes; only a metric that takes the response as it is gets the user's own.
    """
    if pi.kind is ResponseKind.LABEL:
        return decode_labels(pi.target, responses) if need is Need.RESPONSE else responses
    if pi.kind is ResponseKind.SURVIVAL:  # a function that names no need gets what `predict` gives
        return responses[..., 1:] if need is Need.SURVIVAL else responses[..., 0]
    if need not in (Need.LABEL, Need.PREDICTION) or not pi.target.has_classes:
        return responses
    return decide(responses, pi.target.task, cut(pi))


def decide(responses: Numbers, task: Task, threshold: float) -> NDArray[Any]:
    """Return the labels that scores give: the class that has most, or those above a threshold."""
    if task is Task.MULTICLASS:
        return np.asarray(
            np.argmax(responses, axis=-1)
        )  # ties go to the first class, as in scikit-learn
    return np.asarray(responses > threshold)


def decode_labels(target: Target, codes: Numbers) -> NDArray[np.generic]:
    """Return class codes as the user's labels, the first one where nothing was predicted."""
    filled = np.nan_to_num(codes) if codes.dtype.kind == "f" else codes
    return label_array(target.classes)[filled.astype(np.intp)]


def cut(pi: Predictions) -> float:
    """Return the threshold above which a binary score is the positive label."""
    return find_usual_cut(pi.kind) if pi.threshold is None else pi.threshold


def find_usual_cut(kind: ResponseKind) -> float:
    """Return the threshold of scores of a kind, where none was chosen."""
    return 0.5 if kind is ResponseKind.PROBABILITY else 0.0


def are_percentages(pi: Predictions) -> bool:
    """Tell whether decision values lie between 0 and 100, as percentages do."""
    binary = pi.kind is ResponseKind.DECISION and pi.target.task is Task.BINARY
    return binary and is_like_percent(*finite_range(pi.responses))


def _suggest_metric(task: Task) -> str:
    names = {
        Task.BINARY: "'roc_auc' or 'accuracy'",
        Task.MULTICLASS: "'accuracy' or 'roc_auc_ovr'",
        Task.REGRESSION: "'r2' or 'rmse'",
        Task.SURVIVAL: "'concordance' or 'integrated_brier'",
        Task.SCORES: f"'mean' or 'median', or leave {arg('metric')} out",
    }
    return f"Try {names[task]}."
