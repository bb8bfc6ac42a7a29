"""From what a user has to the material of a report: a search, predictions, a run file or folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from earnest.adapters.predictions.door import cure_for
from earnest.adapters.predictions.paths import refuse_foreign
from earnest.adapters.scores.door import is_evaluation, scores_from
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.weights import Weights
from earnest.core.space.trials import Trials
from earnest.core.tables.score_files import holds_scores
from earnest.kernels.score import fold_scores, score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits
from earnest.metrics.scores import read_evidence
from earnest.reporting.sources.material import (
    COMPLETE,
    INCOMPLETE,
    Material,
    SearchedConfiguration,
    measuring,
)
from earnest.reporting.sources.run import material_of_run
from earnest.store import read_run

NEEDS = (
    "a fitted SearchCV, the result of tune, Predictions, Scores, a file of predictions, logs of "
    "evaluations, a run file (run.db), or a run folder"
)


def material_from(source: Any, metric: Any = None, **options: Any) -> Material:
    """Read a source of any kind.

    Parameters
    ----------
    source : SearchCV, Tuned, Predictions, str or Path
        What to report on.
    metric : str, Metric or callable, optional
        What to measure; needed if the source does not say.
    **options
        How to read a table of predictions; see `Predictions.load`.
    """
    if isinstance(source, (str, Path)):
        return _of_path(Path(source), metric, options)
    if options:
        raise InputError(
            f"{check.some(options)} are options for reading a file", got=type(source).__name__
        )
    if isinstance(source, (Predictions, Scores)):
        word = "scores" if isinstance(source, Scores) else "predictions"
        return material_of_evidence(source, metric, word)
    from earnest.training.search.search_cv import SearchCV

    if isinstance(source, SearchCV) and hasattr(source, "cv_results_"):
        from earnest.reporting.sources.search import material_of_search

        return material_of_search(source, metric)
    from earnest.training.tune.tuned import Tuned

    if isinstance(source, Tuned):
        from earnest.reporting.sources.folder import material_of_tuned

        return material_of_tuned(source, metric)
    raise InputError(
        "this cannot be reported on",
        needs=NEEDS,
        got=check.show(type(source).__name__),
        cure=cure_for(source),
    )


def _of_path(path: Path, metric: Any, options: dict[str, Any]) -> Material:
    if is_evaluation(path):
        options.pop("scores", None)
        return material_of_evidence(scores_from(path, **options), metric, path.name)
    refuse_foreign(path, own=False)
    if path.is_dir():
        from earnest.reporting.sources.folder import material_of_folder

        return material_of_folder(path, metric, options)
    if not path.exists():
        raise FormatError(f"there is no file or folder {str(path)!r}", needs=NEEDS)
    check.refuse_stream(path)
    if path.suffix.lower() in (".db", ".sqlite"):
        return material_of_run(read_run(path, arrays=False), metric)
    if options.pop("scores", False) or holds_scores(path):
        return material_of_evidence(Scores.load(path, **options), metric, path.name)
    try:  # first, since a table that holds no predictions needs no metric
        pi = Predictions.load(path, **options)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read", got=str(error.strerror)) from error
    return material_of_predictions(pi, need_metric(metric), path.name)


def need_metric(metric: Any) -> Any:
    """Return a metric that was given, and refuse none."""
    if metric is None:
        raise InputError(
            "predictions have no metric",
            needs="a metric",
            cure="Pass metric='roc_auc', for example; `earnest metrics` lists all.",
        )
    return metric


def material_of_evidence(given: Predictions | Scores, metric: Any, source: str) -> Material:
    """Return what predictions or scores tell; scores say themselves what to measure."""
    if metric is None and isinstance(given, Predictions) and given.target.measure is None:
        need_metric(metric)
    return material_of_predictions(*read_evidence(given, metric), source)


def material_of_predictions(pi: Predictions, metric: Any, source: str) -> Material:
    """Return what predictions alone tell."""
    measure = resolve_metric(metric).on(pi.target.task)
    check_fits(pi, measure)
    return Material(
        source=source,
        speaker="your scores" if pi.target.measure is not None else "your predictions",
        **measuring(measure),
        predictions=pi,
        tried=list_tried(pi, measure),
        trials=None if pi.configs.params is None else partial(_trials, pi, measure),
    )


def list_tried(pi: Predictions, metric: Metric) -> tuple[SearchedConfiguration, ...]:
    """Return every configuration with its own scores, read from its predictions."""
    pooled = score_table(pi, metric, Weights.ones(pi.n_cases))[0]  # (C,)
    folds = fold_scores(pi, metric)[:, 0]  # (F, C)
    params = pi.configs.params or ({},) * pi.n_configs
    done = np.concatenate(pi.cells)  # (F, C)
    return tuple(
        SearchedConfiguration(
            config=name,
            params=plain_params(params[c]),
            score=number_or_none(pooled[c]),
            folds=tuple(number_or_none(value) for value in folds[:, c]),
            status=COMPLETE if pi.complete[c] else INCOMPLETE,
            reason="" if pi.complete[c] else _lacks(done[:, c], done.any(axis=1)),
        )
        for c, name in enumerate(pi.configs.ids)
    )


def _lacks(done: Any, asked: Any) -> str:
    return f"not evaluated in {int((asked & ~done).sum())} of {int(asked.sum())} folds"


def _trials(pi: Predictions, metric: Metric) -> Trials:
    """Return what an explanation reads."""
    pooled = score_table(pi, metric, Weights.ones(pi.n_cases))[0]
    return Trials.from_configs(
        configs=[plain_params(one) for one in pi.configs.params or ()],
        objective=pooled,
        direction="maximize" if metric.greater_is_better else "minimize",
        objective_name=metric.name,
        source="predictions",
    )


def plain_params(params: Any) -> dict[str, Any]:
    """Return parameters as plain values."""
    from earnest.core.text.names import readable

    return readable([dict(params)])[0]


def number_or_none(value: Any) -> float | None:
    """Return a finite number, None for what is undefined."""
    return float(value) if value is not None and np.isfinite(value) else None
