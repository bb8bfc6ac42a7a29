"""Trials of predictions: configurations with known parameters, scored by a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from earnest.adapters.readers import TrialsReader, TrialsRequest, register
from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.weights import Weights
from earnest.core.space.trials import Trials
from earnest.core.text.names import simplify_values
from earnest.metrics.families import Metric


def score_trials(predictions: Predictions, metric: Metric, ask: TrialsRequest) -> Trials:
    """Return the configurations with their pooled scores, as an explanation reads them."""
    from earnest.kernels.score import score_table

    if predictions.configs.params is None:
        raise EvidenceError(
            "the hyperparameters of the configurations are unknown",
            needs="Predictions whose `configs` have `params`",
            cure="Configs(ids=..., params=[{'depth': 3}, ...]).",
        )
    scores = score_table(predictions, metric, Weights.ones(predictions.n_cases))[0]
    direction = "maximize" if metric.greater_is_better else "minimize"
    return Trials.from_configs(
        configs=ask.some_of([plain_params(params) for params in predictions.configs.params]),
        objective=scores,
        direction=ask.direction_or(direction, "the metric"),
        space=ask.space,
        objective_name=metric.name,
        limits=metric.limits,
        source="predictions",
    )


def plain_params(params: Mapping[str, object]) -> dict[str, Any]:
    """Return parameters as plain values."""
    return simplify_values([dict(params)])[0]


def _read_predictions(source: Predictions | Scores, ask: TrialsRequest) -> Trials:
    """Read predictions; `objective` names the metric, which scores do not need."""
    from earnest.metrics.scores import settle_metric

    ask.refuse("predictions", "study", "standard_error", "status", "values")
    measured = isinstance(source, Scores) or source.target.measure is not None
    if ask.objective is None and not measured:
        raise EvidenceError(
            "predictions have no objective",
            needs="`objective`, the metric that scores them",
            cure="Pass objective='roc_auc', for example; `earnest metrics` lists all.",
        )
    predictions, metric = settle_metric(source, ask.objective)
    return score_trials(predictions, metric, ask)


register(
    TrialsReader(
        name="predictions",
        words="earnest.Predictions with the parameters of their configurations",
        takes=lambda source: isinstance(source, Predictions | Scores),
        read=_read_predictions,
    )
)
