"""Fold scores in a study of Optuna: user attributes, reported scores, or `OptunaSearchCV`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.adapters.folds.names import FoldColumn, find_fold_columns
from earnest.adapters.folds.sklearn import read_splits, unite
from earnest.adapters.readers import EARLY, FoldScoresReader, register
from earnest.adapters.trials.files import SQLITE, is_storage, read_start
from earnest.adapters.trials.optuna import (
    has_study,
    is_study,
    open_study_journal,
    open_study_sqlite,
    open_study_url,
)
from earnest.adapters.trials.scored import SINGLE, ScoreName, score_name
from earnest.core.base.errors import EvidenceError
from earnest.core.data.fold_scores import FoldScores, SplitFacts
from earnest.core.data.predictions import Configs
from earnest.core.space.parameters import simplify_value

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

    from earnest.adapters.trials.optuna import StudyContent

REPORTED = "terminator:cv_scores"  # where `report_cross_validation_scores` puts them
STATIC = ("RandomSampler", "GridSampler", "BruteForceSampler", "QMCSampler")  # see no scores
CLOSE = 1e-9  # of a value, by which the mean of its folds may differ
COMPLETE = "COMPLETE"


def read_study_folds(study: Study | StudyContent) -> FoldScores:
    """Read the fold scores that the trials of a study carry.

    They are looked for in this order: a list reported by `report_cross_validation_scores`; user
    attributes that are numbered by folds or a list of scores; intermediate values, if the value of
    a trial is their mean. Intermediate values may be those of epochs, so nothing else is assumed.
    """
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
    done = [trial for trial in trials if trial.state.name == COMPLETE]
    rows = _find_rows(done)
    if not rows:
        raise _refuse_none(study, len(done))
    metrics = Counter(name for scores in rows.values() for name in scores)
    counts = {name: max(len(scores.get(name, ())) for scores in rows.values()) for name in metrics}
    names = {name: _name_score(study, name, len(metrics)) for name in metrics}
    table = {
        name: names[name].sign  # as `unite` takes them, greater is better
        * np.array(
            [_fit_row(rows.get(trial.number, {}).get(name, ()), counts[name]) for trial in trials]
        )
        for name in metrics
    }
    params = tuple({k: simplify_value(v) for k, v in trial.params.items()} for trial in trials)
    configs = Configs(
        ids=tuple(f"t{trial.number}" for trial in trials),
        params=params,
        static=type(getattr(study, "sampler", None)).__name__ in STATIC,
    )
    usual = next(iter(metrics)) if len(metrics) == 1 else _find_objective(table, names, trials)
    return unite(table, names, configs, SplitFacts(assumed=True), usual=usual)


def _find_rows(trials: list[FrozenTrial]) -> dict[int, Scores]:
    """Return the fold scores of trials by their number, from the first kind that any carries."""
    for find in (_find_reported, _find_attributes, _find_lists, _find_steps):
        rows = {trial.number: scores for trial in trials if (scores := find(trial))}
        if rows:
            return rows
    return {}


def read_optuna_search(search: Any) -> FoldScores:
    """Read a fitted `OptunaSearchCV`, which keeps the scores of splits in its study."""
    scores = read_study_folds(search.study_)
    scorer, scoring = getattr(search, "scorer_", None), getattr(search, "scoring", None)
    name = score_name(SINGLE, scorer, scoring)
    splits = read_splits(getattr(search, "cv", None), scores.n_folds)
    rows = name.sign * scores.to_rows()
    fresh = FoldScores.from_rows(
        rows,
        metric=name.name,
        greater_is_better=name.sign > 0,
        configs=scores.configs,
        splits=splits,
    )
    return replace(fresh, remarks=scores.remarks)


def read_storage(source: str | Path) -> FoldScores:
    """Read a study from a storage: a URL, a SQLite file or a journal file."""
    if isinstance(source, str) and "://" in source:
        return read_study_folds(open_study_url(source, None))
    return read_study_folds(_open_file(Path(source)))


def find_in_file(path: Path) -> FoldScores | None:
    """Return the fold scores in a SQLite file or a journal file, None where no trial has any."""
    study = _open_file(path)
    trials = study.get_trials(deepcopy=False)
    rows = _find_rows([trial for trial in trials if trial.state.name == COMPLETE])
    return read_study_folds(study) if rows else None


def _open_file(path: Path) -> Study | StudyContent:
    database = read_start(path).startswith(SQLITE)
    return (open_study_sqlite if database else open_study_journal)(path, None)


Scores = dict[str, Sequence[float]]


def _find_reported(trial: FrozenTrial) -> Scores:
    listed = trial.system_attrs.get(REPORTED)
    return {SINGLE: list(listed)} if listed is not None and _is_list(listed) else {}


def _find_attributes(trial: FrozenTrial) -> Scores:
    """Return the user attributes that are numbered by folds, by what they measure."""
    columns = find_fold_columns(trial.user_attrs)
    return _order(columns, trial.user_attrs)


def _find_lists(trial: FrozenTrial) -> Scores:
    """Return the user attributes that are lists of scores whose mean is the trial's value."""
    return {
        re.sub(r"(?i)[_ .-]*(cv|fold|split)[_ .-]*|[_ .-]*scores?$", "", name) or SINGLE: listed
        for name, listed in trial.user_attrs.items()
        if _is_list(listed) and _is_mean(trial, listed)
    }


def _find_steps(trial: FrozenTrial) -> Scores:
    """Return the intermediate values, if the trial's value is their mean."""
    values = [trial.intermediate_values[step] for step in sorted(trial.intermediate_values)]
    return {SINGLE: values} if len(values) > 1 and _is_mean(trial, values) else {}


def _is_mean(trial: FrozenTrial, scores: Sequence[float]) -> bool:
    values = trial.values or ()
    mean = math.fsum(scores) / len(scores)
    return any(math.isclose(mean, value, rel_tol=CLOSE, abs_tol=CLOSE) for value in values)


def _is_list(value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) > 1
        and all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
    )


def _order(columns: Sequence[FoldColumn], attributes: Mapping[str, Any]) -> Scores:
    scores: dict[str, dict[tuple[int, int], float]] = {}
    for column in columns:
        value = attributes[column.name]
        if isinstance(value, int | float):
            scores.setdefault(column.metric, {})[column.repeat, column.fold] = float(value)
    return {
        metric: [folds[split] for split in sorted(folds)]
        for metric, folds in scores.items()
        if len(folds) > 1
    }


def _fit_row(scores: Sequence[float], count: int) -> list[float]:
    row = [float(score) for score in scores][:count]
    return [*row, *[math.nan] * (count - len(row))]


def _name_score(study: Study | StudyContent, name: str, count: int) -> ScoreName:
    """Return how a score is called, and which way is better: as the study says of its own."""
    if name != SINGLE and count > 1:
        return score_name(name)
    maximized = study.directions[0].name == "MAXIMIZE"
    called = list(study.metric_names or [])
    word = name if name != SINGLE else (called[0] if len(called) == 1 else SINGLE)
    return ScoreName(word, 1.0 if maximized else -1.0)


def _find_objective(
    table: Mapping[str, Any], names: Mapping[str, ScoreName], trials: Sequence[FrozenTrial]
) -> str | None:
    """Return the score whose means over folds are the values of the trials; None for none."""
    values = np.array([(trial.values or [math.nan])[0] for trial in trials])
    finite = np.isfinite(values)
    for name, rows in table.items():
        means = names[name].sign * rows.mean(axis=1)
        if finite.any() and np.allclose(means[finite], values[finite], rtol=1e-6, atol=1e-9):
            return name
    return None


def _refuse_none(study: Study | StudyContent, done: int) -> EvidenceError:
    steps = any(trial.intermediate_values for trial in study.get_trials(deepcopy=False))
    scores = (
        "intermediate values whose mean is not the trial's value" if steps else "one value each"
    )
    return EvidenceError(
        "the trials of this study carry no scores of folds",
        needs="user attributes such as fold_0, fold_1, or a list whose mean is the value",
        got=f"{done} complete trials with {scores}",
        cure="In the objective: trial.set_user_attr('fold_scores', scores). Better, keep the "
        "predictions with earnest.keep_predictions; if you did, read them with "
        "earnest.predictions_from(study, y, store=store). From the values alone, "
        "earnest.floor(values, n=...) tells how much may be luck.",
    )


register(
    FoldScoresReader(
        name="fold_scores_of_optuna_search",
        words="a fitted OptunaSearchCV",
        takes=has_study,
        read=read_optuna_search,
        rank=EARLY,
    )
)
register(
    FoldScoresReader(
        name="fold_scores_of_study", words="an Optuna study", takes=is_study, read=read_study_folds
    )
)
register(
    FoldScoresReader(
        name="fold_scores_of_storage",
        words="a storage of Optuna",
        takes=is_storage,
        read=read_storage,
    )
)
