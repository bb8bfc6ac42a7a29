"""The material of a fitted search."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.trials.scored import show_configs
from earnest.core.base.errors import EarnestError, EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.results.estimate import Estimate
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.reporting.sources.material import Material, SearchedConfiguration, measuring
from earnest.reporting.sources.source import list_tried, number_or_none
from earnest.training.fit.ledger import Failure
from earnest.training.search.estimate import get_record
from earnest.training.search.search_cv import SearchCV


def material_of_search(search: SearchCV, metric: MetricLike | None = None) -> Material:
    """Return what a fitted `SearchCV` holds."""
    record = get_record(search)
    pi, question = record.predictions, record.question
    if question is None or pi is None:
        raise EvidenceError(
            "this search has no predictions to report on",
            needs="a search whose metric is computed from predictions",
            got=str(record.refusal or "a search without predictions"),
            cure="Pass metric='...' to SearchCV.",
        )
    own = metric is None
    measure: Metric = question.metric if own else resolve_metric(metric).on(pi.target.task)
    tried = _list_tried(search, pi, measure) if own else list_tried(pi, measure)
    return Material(
        source=type(search).__name__,
        speaker="the search",
        **measuring(measure),
        predictions=pi,
        estimate=_estimate(search) if own else None,
        settings={
            "method": question.method,
            "confidence_level": question.confidence_level,
            "n_resamples": question.n_resamples,
            "rng": question.seed,
        },
        tried=tried,
        by_folds=own and not _by_another_score(search),
        trials=lambda: search,
        model=model_name(getattr(search, "best_estimator_", None)),
        n_features=_n_features(search),
        n_fits=search.n_fits_,
        n_fits_saved=search.n_fits_saved_,
        seed=question.seed,
        drop=(search.drop if isinstance(search.drop, str | None) else search.drop.name) or "",
        refitted=hasattr(search, "best_estimator_"),
        begun=getattr(search, "begun_", None),
    )


def _estimate(search: SearchCV) -> Estimate | None:
    """Return the estimate of the search, None where it refuses (it is then asked without it)."""
    try:
        return search.estimate_
    except EarnestError:
        return None


def _list_tried(
    search: SearchCV, pi: Predictions, metric: Metric
) -> tuple[SearchedConfiguration, ...]:
    """Return the configurations with the scores that the search itself reported.

    A search that chose by another score than the metric of its estimate has none of that metric:
    then they are read from the predictions.
    """
    names = list(pi.configs.ids)
    shown = show_configs(names, [trial.params for trial in search.trials_])
    reasons = _reasons(search)
    if _by_another_score(search):
        scores = {one.config: (one.score, one.folds) for one in list_tried(pi, metric)}
    else:
        splits = metric.sign * _split_scores(search)
        scores = {
            trial.config: (
                number_or_none(metric.sign * trial.score),
                tuple(number_or_none(value) for value in splits[i]),
            )
            for i, trial in enumerate(search.trials_)
        }
    return tuple(
        SearchedConfiguration(
            config=trial.config,
            params=shown[i],
            score=scores[trial.config][0],
            folds=scores[trial.config][1],
            status=trial.status,
            reason=reasons.get(trial.config, ""),
        )
        for i, trial in enumerate(search.trials_)
    )


def _by_another_score(search: SearchCV) -> bool:
    question = get_record(search).question
    return question is not None and any(one.code == "EN048" for one in question.cautions)


def _split_scores(search: SearchCV) -> NDArray[np.float64]:
    table = search.cv_results_
    name = search.refit if isinstance(search.refit, str) and search.multimetric_ else "score"
    if f"split0_test_{name}" not in table:
        name = next(k for k in table if k.startswith("split0_test_")).removeprefix("split0_test_")
    columns = [table[f"split{s}_test_{name}"] for s in range(search.n_splits_)]
    return np.stack(columns, axis=1)  # (C, S)


def _reasons(search: SearchCV) -> Mapping[str, str]:
    """Return why configurations were dropped or failed, in a line each."""
    out: dict[str, str] = {}
    for drop in search.dropped_:
        out[drop.config] = (
            f"after fold {drop.round}: worse than {drop.best} in {100 * drop.p:.1f} % of resamples"
        )
    failed: dict[str, list[Failure]] = {}
    for failure in search.failures_:
        failed.setdefault(failure.config, []).append(failure)
    for config, found in failed.items():
        where = "all folds" if len(found) == search.n_splits_ else f"{len(found)} folds"
        where = "1 fold" if len(found) == 1 else where
        out[config] = f"in {where}: {last_line(found[0].note, found[0].error)}"
    return out


def last_line(note: str | None, error: str | None) -> str:
    """Return what went wrong, without the way there."""
    lines = [line for line in (error or "").strip().splitlines() if line.strip()]
    said = lines[-1].strip() if lines else ""
    return " ".join(part for part in (note or "", said) if part)[:200] or "unknown"


def _n_features(search: SearchCV) -> int | None:
    try:
        return int(search.n_features_in_)
    except (AttributeError, TypeError, ValueError):
        return None


def model_name(estimator: object) -> str:
    """Return the kind of a model in words: the last step of a pipeline, its class spaced out."""
    steps = getattr(estimator, "steps", None)
    if steps:
        estimator = steps[-1][1]
    return "" if estimator is None else type(estimator).__name__
