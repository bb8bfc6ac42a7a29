"""From what a user has to the material of a report: a search, predictions, a run file or folder."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from earnest.adapters.predictions.door import cure_for
from earnest.adapters.predictions.paths import refuse_foreign
from earnest.adapters.scores.door import is_evaluation, scores_from
from earnest.adapters.trials.request import TrialsRequest
from earnest.adapters.trials.run_file import BEGUN, CONFIGS, document_of, read_scored
from earnest.adapters.trials.scored import COMPLETE, DROPPED, ScoredSearch, ScoreName, choose
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import Scale
from earnest.core.results.files import parse_json
from earnest.core.space.trials import Trials
from earnest.core.tables.score_files import holds_scores
from earnest.kernels.score import fold_scores, score_table
from earnest.metrics import METRICS
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits
from earnest.metrics.scores import read_evidence
from earnest.reporting.sources.material import (
    INCOMPLETE,
    Material,
    SearchedConfiguration,
    measuring,
)
from earnest.store import RunFile, read_run

NO_OUTCOME = (
    "A run file holds the scores of the search, but not the outcome of the cases, so it cannot "
    "tell you what to expect on new data."
)


def material_of_run(
    run: RunFile, metric: Any = None, *, source: str | None = None, files: tuple[str, ...] = ()
) -> Material:
    """Return what a run file holds, also of a run that was killed half-way.

    Its predictions are not looked at: they have a file of their own.
    """
    scored = read_scored(run)
    asked = getattr(metric, "name", metric)
    key = choose(scored.names, asked, scored.usual)
    score = scored.names[key]
    tried = _list_tried(run, scored, key)
    title, scale = _scale(score)
    done = [one for one in tried if one.status == COMPLETE and one.score is not None]
    gain = 1.0 if scale.greater_is_better else -1.0
    best = max(done, key=lambda one: gain * (one.score or 0.0)).config if done else None
    return Material(
        source=source or run.path.name,
        speaker="the search",
        title=title,
        scale=scale,
        tried=tried,
        by_folds=True,
        best=best,
        trials=lambda: scored.trials(TrialsRequest(objective=key)),
        n_fits=sum(len(key) == 3 for key in run.outcomes),
        seed=_seed(run),
        begun=run.documents.get(BEGUN),
        files=files,
        missing=(NO_OUTCOME, *_say_unfinished(tried, len(_ids(run)))),
    )


def _say_unfinished(tried: tuple[SearchedConfiguration, ...], listed: int) -> tuple[str, ...]:
    """Return a sentence on a run that ended early, nothing for a finished one."""
    begun, whole = len(tried), sum(one.status != DROPPED for one in tried)
    if begun == listed == whole:
        return ()
    return (
        f"Of {listed:,} configurations {begun:,} were begun and {whole:,} run on every fold: the "
        "run dropped the others, or ended early.",
    )


def _scale(score: ScoreName) -> tuple[str, Scale]:
    """Return words, direction and range of a score, those of our metric where it is one."""
    if score.name in METRICS:
        metric = METRICS[score.name]
        return metric.title, metric.scale
    return score.name, Scale(score.name, score.sign > 0, (-math.inf, math.inf))


def _seed(run: RunFile) -> int | None:
    text = str(run.identity.get("seed", ""))  # bytes in a damaged file
    return int(text) if text.isdecimal() else None


def _list_tried(run: RunFile, scored: ScoredSearch, key: str) -> tuple[SearchedConfiguration, ...]:
    sign, table = scored.names[key].sign, scored.scores[key]
    ids = _ids(run)  # a damaged file may have outcomes of configurations that it does not list
    tried = {cell[0] for cell in run.outcomes if len(cell) == 3}
    begun = [c for c in range(len(ids)) if c in tried]
    reasons = {c: _reason(run, c, scored.statuses[i], table[i]) for i, c in enumerate(begun)}
    return tuple(
        SearchedConfiguration(
            config=ids[c],
            params=scored.configs[i],
            score=_mean(sign * table[i]),
            folds=tuple(float(v) if math.isfinite(v) else None for v in sign * table[i]),
            status=scored.statuses[i],
            reason=reasons[c],
        )
        for i, c in enumerate(begun)
    )


def _ids(run: RunFile) -> list[str]:
    with document_of(run, CONFIGS):
        listed = parse_json(run.documents[CONFIGS])
        return [str(one.get("config", f"c{c}")) for c, one in enumerate(listed)]


def _mean(row: Any) -> float | None:
    known = row[np.isfinite(row)]
    return float(known.mean()) if len(known) else None


def _reason(run: RunFile, config: int, status: str, row: Any) -> str:
    if status == COMPLETE:
        return ""
    if status == DROPPED:
        return f"{int(np.isfinite(row).sum())} of {len(row)} folds: dropped, or not finished"
    from earnest.reporting.sources.search import last_line

    bad = [
        one
        for key, one in sorted(run.outcomes.items())
        if key[0] == config and (one.failed or one.note)
    ]
    where = "1 fold" if len(bad) == 1 else f"{len(bad)} folds"
    return f"in {where}: {last_line(bad[0].note, bad[0].error)}" if bad else "no score"


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
