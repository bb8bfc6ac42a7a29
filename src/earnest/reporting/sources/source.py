"""From what a user has to the material of a report: a search, predictions, a run file or folder."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import (
    NEEDS,
    RunResult,
    load_table,
    open_evidence,
    read_run_result,
    refuse_subgroups,
)
from earnest.adapters.folds.door import open_fold_file, open_in_hand
from earnest.adapters.ledger import Ledger
from earnest.adapters.predictions.door import (
    BESIDE,
    KEPT,
    cure_for,
    find_run_folder,
    refuse_foreign,
)
from earnest.adapters.predictions.run_file import holds_outcome
from earnest.adapters.readers import TrialsRequest
from earnest.adapters.scores.door import is_evaluation, scores_from
from earnest.adapters.trials.files import is_ledger, is_run_file
from earnest.adapters.trials.predictions import plain_params, score_trials
from earnest.adapters.trials.run_file import BEGUN, CONFIGS, document_of, is_fit, read_scored
from earnest.adapters.trials.scored import (
    ScoredSearch,
    ScoreName,
    choose_score,
    show_configs,
)
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, FormatError, InputError
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.weights import Weights
from earnest.core.results.base import parse_json
from earnest.core.results.cautions import Scope
from earnest.core.results.counts import COMPLETE, DROPPED, Counts
from earnest.core.results.estimate import Estimate, Scale
from earnest.core.results.gain import LearningCurve
from earnest.core.results.leaks import LeakScreen
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.text.doors import arg
from earnest.kernels.score import fold_scores, score_table
from earnest.metrics import METRICS
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.responding import check_fits, need_order
from earnest.metrics.scores import settle_metric
from earnest.reporting.sources.material import (
    INCOMPLETE,
    Material,
    SearchedConfiguration,
    count_tried,
    measuring,
)
from earnest.store import RunFile, read_run

if TYPE_CHECKING:
    from earnest.training.fit.ledger import Failure
    from earnest.training.search.search_cv import SearchCV
    from earnest.training.tune.tuned import Tuned


RUN, ESTIMATE = BESIDE
MODEL, LEARNING, EXPLANATION = "model.skops", "learning.json", "explanation.json"


def material_of_folder(folder: Path, metric: Any, options: dict[str, Any]) -> Material:
    """Return what a run folder holds, also of a run that was killed half-way."""
    table = next((folder / name for name in KEPT if (folder / name).exists()), None)
    run = read_run(folder / RUN, arrays=False) if (folder / RUN).exists() else None
    # Only files of the run: a report that was written beside them must not change the next one.
    files = tuple(
        name
        for name in (RUN, *KEPT, ESTIMATE, MODEL, LEARNING, EXPLANATION)
        if (folder / name).exists()
    )
    result, name = read_run_result(folder / ESTIMATE), folder.resolve().name
    chosen = result.metric if metric is None else metric
    if table is not None:
        pi = Predictions.load(table, **options)
        material = _with_run(run, pi, chosen, name)
        learning, unread = _read_learning(folder / LEARNING, material)
        explained, unexplained = _read_explanation(folder / EXPLANATION)
        missing = (*_list_missing(material, result, pi, files), *unread, *unexplained)
        material = _with_result(material, result, pi)
        return replace(
            material,
            learning=learning,
            explained=explained,
            refitted=MODEL in files and result.metric in (None, material.scale.name),
            folder=name,
            files=files,
            missing=missing,
        )
    if run is not None:
        return replace(_of_run_file(folder / RUN, chosen, name, files), folder=name)
    raise FormatError(
        f"there is no run in the folder {str(folder)!r}",
        needs=f"{RUN}, or {KEPT[0]}",
        got=check.some(p.name for p in folder.iterdir()) or "an empty folder",
    )


def material_of_tuned(tuned: Tuned, metric: Any = None) -> Material:
    """Return what `tune` has found, from memory: the same as its folder holds."""
    result, pi, folder = RunResult(tuned.estimate, tuned.about()), tuned.predictions, tuned.folder
    name = "tune" if folder is None else folder.resolve().name
    material = _with_run(tuned.run, pi, result.metric if metric is None else metric, name)
    beside = ((LEARNING, tuned.learning), (EXPLANATION, tuned.explanation))
    more = tuple(name for name, result in beside if result is not None)
    files = () if folder is None else (RUN, KEPT[0], ESTIMATE, MODEL, *more)
    missing = () if folder is None else tuple(_list_missing(material, result, pi, files))
    return replace(
        _with_result(material, result, pi),
        comparison=tuned.comparison if metric is None else None,
        calibration=tuned.calibration if metric is None else None,
        learning=tuned.learning if metric is None else None,
        explained=tuned.explanation,
        refitted=True,
        folder="" if folder is None else name,
        files=files,
        missing=missing,
    )


def _with_run(run: RunFile | None, pi: Predictions, metric: Any, name: str) -> Material:
    """Join the predictions with what only the run file knows: dropped, failed, fits."""
    if run is None:
        return replace(material_of_predictions(pi, need_metric(metric), name), speaker="the search")
    if metric is not None and not _has_score(run, metric):
        searched = material_of_run(run, source=name)
        return replace(
            material_of_predictions(pi, metric, name),
            speaker="the search",
            n_fits=searched.n_fits,
            seed=searched.seed,
            begun=searched.begun,
        )
    material = (
        material_of_run(run, source=name)
        if metric is None
        else material_of_run(run, resolve_metric(metric), source=name)
    )
    measure = resolve_metric(metric if metric is not None else material.scale.name)
    if not _same_search(material, set(pi.configs.ids)):
        return material_of_predictions(pi, measure, name)
    tried = tuple(_complete_by(pi, material.tried))
    return replace(
        material,
        **measuring(measure.on(pi.target.task)),
        predictions=pi,
        tried=tried,
        counts=count_tried(tried, material.counts.planned),
        missing=(),
    )


def _has_score(run: RunFile, metric: Any) -> bool:
    """Tell whether a run has scored its configurations by a metric itself."""
    names = read_scored(run).names
    return resolve_metric(metric).name in {*names, *(score.name for score in names.values())}


def _complete_by(
    pi: Predictions, tried: tuple[SearchedConfiguration, ...]
) -> Iterator[SearchedConfiguration]:
    """Yield the configurations as the predictions have them, which end with the last whole fold."""
    complete = {name for name, whole in zip(pi.configs.ids, pi.complete, strict=True) if whole}
    for configuration in tried:
        ended = configuration.status == DROPPED and configuration.config in complete
        yield replace(configuration, status=COMPLETE, reason="") if ended else configuration


def _same_search(material: Material, predicted: set[str]) -> bool:
    """Tell whether predictions are of the configurations of a run.

    A run whose time was over has begun configurations that it left out of its predictions.
    """
    begun = {configuration.config for configuration in material.tried}
    whole = {
        configuration.config for configuration in material.tried if configuration.status == COMPLETE
    }
    return whole <= predicted and (begun <= predicted or predicted <= begun)


def _read_screen(data: object) -> LeakScreen | None:
    """Return what a run says of leaks, None where it says nothing that can be read."""
    if not isinstance(data, Mapping):
        return None
    try:
        return LeakScreen.from_dict(data)
    except (LookupError, TypeError, ValueError):
        return None


def _with_result(material: Material, result: RunResult, pi: Predictions) -> Material:
    """Take the run's own estimate where it is of these predictions; else one is made again."""
    estimate, tuning = result.estimate, result.tuning
    usable = estimate if result.is_of(pi, material.scale.name) else None
    usable = None if usable is None or usable.source is None else usable
    features, won, fits = tuning.get("features"), tuning.get("won"), tuning.get("n_fits")
    drop = str(tuning.get("drop") or "")
    tried = material.tried if drop or not tuning else _without_dropping(material.tried)
    counts = count_tried(tried, material.counts.planned)
    if usable is not None and "counts" in tuning:
        counts = Counts.from_dict(tuning["counts"])
    return replace(
        material,
        source=str(tuning.get("source") or material.source),
        tried=tried,
        counts=counts,
        estimate=usable,
        won=won if usable is not None and isinstance(won, dict) else {},
        settings=_settings(estimate) if estimate is not None else {},
        n_features=len(features) if isinstance(features, list) else None,
        n_fits=fits if isinstance(fits, int) and usable is not None else material.n_fits,
        drop=drop,
        leaks=_read_screen(tuning.get("leaks")),
        tuning=tuning,
    )


def _without_dropping(
    tried: tuple[SearchedConfiguration, ...],
) -> tuple[SearchedConfiguration, ...]:
    """Return the configurations of a run without early dropping: some are only not finished."""
    return tuple(
        replace(
            configuration,
            status=INCOMPLETE,
            reason=f"{_count_folds(configuration.folds)}: not finished",
        )
        if configuration.status == DROPPED
        else configuration
        for configuration in tried
    )


def _list_missing(
    material: Material, result: RunResult, pi: Predictions, files: tuple[str, ...]
) -> Iterator[str]:
    """Yield what a folder lacks, and what follows."""
    if result.estimate is None:
        lacks = f"{ESTIMATE} of a run" if ESTIMATE in files else ESTIMATE
        yield f"The folder holds no {lacks}: the estimate was computed again."
    elif not result.is_of(pi, material.scale.name):
        yield f"{ESTIMATE} is for other predictions or another metric: it was computed again."
    if MODEL not in files:
        yield f"The folder holds no {MODEL}: the run ended before a model was saved."


def _settings(estimate: Estimate) -> dict[str, Any]:
    """Return how the run asked: the same method, level and seed give the same number again."""
    interval = estimate.interval
    return {
        "method": estimate.method,
        "confidence_level": None if interval is None else interval.confidence_level,
        "side": None if interval is None else interval.side,
        "n_resamples": estimate.provenance.knobs.get("n_resamples"),
        "rng": estimate.provenance.seed,
    }


def _read_learning(path: Path, material: Material) -> tuple[LearningCurve | None, list[str]]:
    """Return the learning curve of a run, None where there is none of this metric, and why."""
    if not path.is_file():
        return None, []
    try:
        curve = LearningCurve.load(path)
    except (OSError, ValueError, EarnestError):
        return None, [f"{LEARNING} is damaged: its learning curve is left out."]
    return (curve if curve.metric == material.scale.name else None), []


def _read_explanation(path: Path) -> tuple[ModelExplanation | None, list[str]]:
    """Return what the model of a run does with its columns, None where nobody looked, and why."""
    if not path.is_file():
        return None, []
    try:
        return ModelExplanation.load(path), []
    except (OSError, ValueError, EarnestError):
        return None, [f"{EXPLANATION} is damaged: what the model does is left out."]


NO_OUTCOME = (
    "A run file holds the scores of the search, but not the outcome of the cases, so it cannot "
    "tell you what to expect on new data."
)

NO_PREDICTIONS = (
    "The predictions of this run were not judged: it is not finished, or its score is not computed "
    "from predictions. `earnest estimate` judges the configurations that are complete."
)


def material_of_run(
    run: RunFile, metric: Any = None, *, source: str | None = None, files: tuple[str, ...] = ()
) -> Material:
    """Return what a run file holds, also of a run that was killed half-way.

    Its predictions are not looked at: they have a file of their own.
    """
    scored = read_scored(run)
    wanted = getattr(metric, "name", metric)
    key = choose_score(scored.names, wanted, scored.usual)
    score = scored.names[key]
    tried = _list_tried(run, scored, key)
    title, scale = _scale(score)
    done = [
        configuration
        for configuration in tried
        if configuration.status == COMPLETE and configuration.score is not None
    ]
    gain = 1.0 if scale.greater_is_better else -1.0
    best = (
        max(done, key=lambda configuration: gain * (configuration.score or 0.0)).config
        if done
        else None
    )
    listed = len(_ids(run))
    return Material(
        source=source or run.path.name,
        speaker="the search",
        title=title,
        scale=scale,
        tried=tried,
        counts=count_tried(tried, listed),
        by_folds=True,
        best=best,
        trials=partial(scored.trials, TrialsRequest(objective=key)),
        n_fits=sum(len(key) == 3 and is_fit(run.outcomes[key]) for key in run.outcomes),
        seed=_seed(run),
        begun=run.documents.get(BEGUN),
        files=files,
        missing=(NO_PREDICTIONS, *_say_unfinished(tried, listed))
        if holds_outcome(run)
        else (NO_OUTCOME, *_say_unfinished(tried, listed)),
    )


def _say_unfinished(tried: tuple[SearchedConfiguration, ...], listed: int) -> tuple[str, ...]:
    """Return a sentence on a run that ended early, nothing for a finished one."""
    begun, whole = len(tried), sum(configuration.status != DROPPED for configuration in tried)
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
    text = run.identity.get("seed", "")
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
        return [str(entry.get("config", f"c{c}")) for c, entry in enumerate(listed)]


def _mean(row: Any) -> float | None:
    finite = row[np.isfinite(row)]
    return float(finite.mean()) if len(finite) else None


def _count_folds(scores: Sequence[float | None]) -> str:
    n_finite = sum(score is not None and math.isfinite(score) for score in scores)
    return f"{n_finite} of {len(scores)} folds"


def _reason(run: RunFile, config: int, status: str, row: Any) -> str:
    if status == COMPLETE:
        return ""
    if status == DROPPED:
        return f"{_count_folds(row.tolist())}: dropped, or not finished"
    bad = [
        outcome
        for key, outcome in sorted(run.outcomes.items())
        if key[0] == config and (outcome.failed or outcome.note)
    ]
    where = "1 fold" if len(bad) == 1 else f"{len(bad)} folds"
    return f"in {where}: {last_line(bad[0].note, bad[0].error)}" if bad else "no score"


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
    if isinstance(source, Ledger):
        source = source.path
    if isinstance(source, (str, Path)):
        return _of_path(check.read_path(source), metric, options)
    options.pop("by", None)  # columns that the predictions carry
    if options:
        raise InputError(
            f"{check.some(options)} are options for reading a file", got=type(source).__name__
        )
    if isinstance(source, (Predictions, Scores)):
        word = "scores" if isinstance(source, Scores) else "predictions"
        return material_of_evidence(source, metric, word)
    from earnest.training.search.search_cv import SearchCV

    if isinstance(source, SearchCV) and hasattr(source, "cv_results_"):
        return material_of_search(source, metric)
    from earnest.training.tune.tuned import Tuned

    if isinstance(source, Tuned):
        return material_of_tuned(source, metric)
    evidence = source if isinstance(source, FoldScores) else open_in_hand(source)
    if isinstance(evidence, FoldScores):
        return material_of_fold_scores(evidence, metric, type(source).__name__)
    raise InputError(
        "this cannot be reported on",
        needs=f"{NEEDS}; also logs of evaluations",
        got=check.show(type(source).__name__),
        cure=cure_for(source),
    )


def _of_path(path: Path, metric: Any, options: dict[str, Any]) -> Material:
    if is_ledger(path):
        refuse_subgroups(options, "a ledger")
        ledger = open_evidence(path)
        assert isinstance(ledger.evidence, Predictions | Scores)
        chosen = ledger.metric_or(metric)
        return replace(
            material_of_evidence(ledger.evidence, chosen, path.name), settings={"rng": ledger.seed}
        )
    if is_evaluation(path):
        refuse_subgroups(options, "scores")
        options.pop("scores", None)
        return material_of_evidence(scores_from(path, **options), metric, path.name)
    scores = None if options.get("scores") or path.is_dir() else open_fold_file(path)
    if scores is not None:
        refuse_subgroups(options, "scores of folds")
        return material_of_fold_scores(scores, metric, path.name)
    refuse_foreign(path, ours=False)
    path = find_run_folder(path)
    if path.is_dir():
        return material_of_folder(path, metric, options)
    if is_run_file(path):
        return _of_run_file(path, metric, path.name)
    return material_of_evidence(load_table(path, options), metric, path.name)


def _of_run_file(path: Path, metric: Any, source: str, files: tuple[str, ...] = ()) -> Material:
    """Return what a run file holds: with an estimate if the run is finished and has the outcome."""
    run = read_run(path, arrays=False)
    material = material_of_run(run, metric, source=source, files=files)
    if not material.tried or len(material.missing) > 1 or not holds_outcome(run):
        return material
    evidence = open_evidence(path)
    chosen = evidence.metric_or(metric)
    if not isinstance(evidence.evidence, Predictions) or chosen is None:
        return material
    pi, measure = evidence.evidence, resolve_metric(chosen).on(evidence.evidence.target.task)
    settings = {"rng": evidence.seed}
    return replace(material, **measuring(measure), predictions=pi, settings=settings, missing=())


FOLDS_ALONE = (
    "The search kept the scores of its folds, not its predictions. With predictions this page "
    "would also show curves, calibration, thresholds and subgroups: search with earnest.SearchCV."
)


def need_metric(metric: Any) -> Any:
    """Return a metric that was given, and refuse none."""
    if metric is None:
        raise InputError(
            "predictions have no metric",
            needs="a metric",
            cure=f"Pass {arg('metric', 'roc_auc')}, for example; `earnest metrics` lists all.",
        )
    return metric


def material_of_evidence(evidence: Predictions | Scores, metric: Any, source: str) -> Material:
    """Return what predictions or scores tell; scores say themselves what to measure."""
    if metric is None and isinstance(evidence, Predictions) and evidence.target.measure is None:
        need_metric(metric)
    return material_of_predictions(*settle_metric(evidence, metric), source)


def material_of_fold_scores(
    evidence: FoldScores, metric: MetricLike | None, source: str
) -> Material:
    """Return what the scores of folds tell, without the predictions."""
    scores, measure = settle_metric(evidence, metric)
    name = scores.measure.name
    params = scores.configs.params or ({},) * scores.n_configs
    values = scores.values.transpose(1, 2, 0).reshape(scores.n_configs, -1)  # (C, R * K)
    tested = np.isfinite(values).any(axis=0)
    whole = np.isfinite(values[:, tested]).all(axis=1)
    tried = tuple(
        SearchedConfiguration(
            config=config,
            params=plain_params(params[c]),
            score=number_or_none(values[c, tested].mean()) if whole[c] else None,
            folds=tuple(number_or_none(value) for value in values[c]),
            status=COMPLETE if whole[c] else INCOMPLETE,
            reason="" if whole[c] else _lacks(np.isfinite(values[c]), tested),
        )
        for c, config in enumerate(scores.configs.ids)
    )
    return Material(
        source=source,
        speaker="the search",
        title=METRICS[name].title if name in METRICS else name,
        scale=measure.scale,
        fold_scores=scores,
        tried=tried,
        counts=count_tried(tried),
        by_folds=True,
        missing=(FOLDS_ALONE,),
    )


def material_of_predictions(pi: Predictions, metric: Any, source: str) -> Material:
    """Return what predictions alone tell."""
    measure = resolve_metric(metric).on(pi.target.task)
    check_fits(pi, measure)
    need_order(measure, pi.n_configs)
    tried = list_tried(pi, measure)
    return Material(
        source=source,
        speaker="your scores" if pi.target.measure is not None else "your predictions",
        **measuring(measure),
        predictions=pi,
        tried=tried,
        counts=count_tried(tried),
        trials=None
        if pi.configs.params is None
        else partial(score_trials, pi, measure, TrialsRequest()),
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


def _lacks(done: Any, planned: Any) -> str:
    return f"not evaluated in {int((planned & ~done).sum())} of {int(planned.sum())} folds"


def number_or_none(value: Any) -> float | None:
    """Return a finite number, None for what is undefined."""
    return float(value) if value is not None and np.isfinite(value) else None


def material_of_search(search: SearchCV, metric: MetricLike | None = None) -> Material:
    """Return what a fitted `SearchCV` holds."""
    from earnest.training.search.estimate import get_record

    record = get_record(search)
    pi, question = record.predictions, record.question
    if question is None or pi is None:
        raise EvidenceError(
            "this search has no predictions to report on",
            needs="a search whose metric is computed from predictions",
            got=str(record.refusal or "a search without predictions"),
            cure=f"Pass {arg('metric', '...')} to SearchCV.",
        )
    by_own_metric = metric is None
    measure: Metric = (
        question.metric if by_own_metric else resolve_metric(metric).on(pi.target.task)
    )
    tried = _list_searched(search, pi, measure, by_own_metric=by_own_metric)
    return Material(
        source=type(search).__name__,
        speaker="the search",
        **measuring(measure),
        predictions=pi,
        estimate=_estimate(search) if by_own_metric else None,
        ask=partial(question.answer_anew, pi) if by_own_metric else None,
        settings={
            "method": question.method,
            "confidence_level": question.confidence_level,
            "n_resamples": question.n_resamples,
            "rng": question.seed,
        },
        tried=tried,
        counts=search.counts_,
        by_folds=by_own_metric and not _by_another_score(search),
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


def _list_searched(
    search: SearchCV, pi: Predictions, metric: Metric, *, by_own_metric: bool
) -> tuple[SearchedConfiguration, ...]:
    """Return the configurations with the scores that the search itself reported.

    A search has none of another metric than the one by which it chose: then they are read from the
    predictions.
    """
    names = list(pi.configs.ids)
    shown = show_configs(names, [trial.params for trial in search.trials_])
    reasons = _reasons(search)
    if not by_own_metric or _by_another_score(search):
        scores = {
            configuration.config: (configuration.score, configuration.folds)
            for configuration in list_tried(pi, metric)
        }
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
    from earnest.training.search.estimate import get_record

    question = get_record(search).question
    return question is not None and any(
        caution.about is Scope.SCORING for caution in question.cautions
    )


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
    for config, outcomes in failed.items():
        where = "all folds" if len(outcomes) == search.n_splits_ else f"{len(outcomes)} folds"
        where = "1 fold" if len(outcomes) == 1 else where
        out[config] = f"in {where}: {last_line(outcomes[0].note, outcomes[0].error)}"
    return out


def last_line(note: str | None, error: str | None) -> str:
    """Return what went wrong, without the way there."""
    lines = [line for line in (error or "").strip().splitlines() if line.strip()]
    line = lines[-1].strip() if lines else ""
    return " ".join(text for text in (note or "", line) if text)[:200] or "unknown"


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
