"""What the delivered model does with its columns: folds are trained again, columns permuted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, one_blas_thread, workers
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.weights import Weights
from earnest.core.results.model.columns import (
    ColumnEffect,
    ColumnImportance,
    ImportanceKind,
    ModelExplanation,
)
from earnest.engine.progress import describe_time
from earnest.kernels.score import score_table
from earnest.metrics import metric as metric_named
from earnest.metrics.families import Metric, Need
from earnest.training.columns.alike import find_alike
from earnest.training.columns.effects import POINTS, name_predicted, trace_effect
from earnest.training.columns.fold_models import Pairs, TrainedFolds, fit_fold_models
from earnest.training.columns.permuting import HeldOut, measure_importances
from earnest.training.protocols import Estimator
from earnest.training.tables.leaks import scan_columns
from earnest.training.tables.table import TrainingTable, sample_rows

USUAL_FOLDS, FEWEST_FOLDS = 5, 2  # models that are trained again; more where these judge few cases
TIME_OF_FITS = 0.5  # of all the time, that training them may take
TIME_USED = 0.7  # of the rest that is planned: predictions of other cases may take longer
MOST_COLUMNS = 60  # that are looked at one by one
FEWEST_COLUMNS = 3
ENOUGH = 2000  # held-out cases
EFFORTS = ((ENOUGH, 8, 6), (ENOUGH, 5, 6), (1000, 5, 4), (1000, 3, 4), (500, 3, 3), (250, 3, 2))
CASES_OF_EFFECTS = 100  # over which an effect is a mean


@dataclass(frozen=True)
class Effort:
    """How much is predicted: held-out cases, permutations, columns one by one, and effects."""

    n_cases: int
    n_permutations: int
    n_effects: int
    n_columns: int

    def count_predictions(self, n_models: int) -> int:
        """Return about how many rows are predicted."""
        items = 1.3 * self.n_columns + 1  # some of them together
        effects = self.n_effects * POINTS * CASES_OF_EFFECTS * min(n_models, USUAL_FOLDS)
        return math.ceil(items * self.n_cases * self.n_permutations + effects)


def train_folds(
    estimator: Estimator,
    table: TrainingTable,
    folds: Pairs,
    fit_seconds: float | None,
    limit: float,
    at_once: int,
) -> TrainedFolds:
    """Return models of as many folds as judge enough cases, and as there is time for.

    Raises
    ------
    InputError
        Where there is no time for two.
    """
    enough = int(np.searchsorted(np.cumsum([len(test) for _, test in folds]), ENOUGH)) + 1
    most = min(max(enough, USUAL_FOLDS), len(folds))
    fewest = min(FEWEST_FOLDS, len(folds))
    room, began = TIME_OF_FITS * limit, monotonic()
    needed = math.ceil(fewest / at_once) * (fit_seconds or 0.0)
    if needed > room:
        raise _refuse_time(needed / TIME_OF_FITS, limit)
    models = fit_fold_models(estimator, table, folds[: max(at_once, fewest)], at_once)
    longest = monotonic() - began
    while len(models.models) < most and monotonic() - began + longest <= room:
        start = len(models.models)
        more = folds[start : min(start + at_once, most)]
        models = models.join(fit_fold_models(estimator, table, more, at_once))
    return models


def choose_effort(
    row_seconds: float, n_cases: int, n_columns: int, n_models: int, limit: float
) -> Effort:
    """Return what can be predicted within a time: fewer permutations, then cases, then columns.

    Raises
    ------
    InputError
        Where a few columns take longer.
    """
    columns = min(n_columns, MOST_COLUMNS)
    efforts = [
        Effort(min(rows, n_cases), count, effects, columns) for rows, count, effects in EFFORTS
    ]
    least = min(FEWEST_COLUMNS, columns)
    efforts += [
        replace(efforts[-1], n_columns=count) for count in range(columns - 1, least - 1, -1)
    ]
    room = TIME_USED * limit
    for effort in efforts:
        if row_seconds * effort.count_predictions(n_models) <= room:
            return effort
    raise _refuse_time(row_seconds * efforts[-1].count_predictions(n_models) / TIME_USED, limit)


def _refuse_time(seconds: float, limit: float) -> InputError:
    return InputError(
        "there is no time to see what the model does with its columns",
        needs=f"about {describe_time(seconds)}",
        got=f"{describe_time(max(limit, 0.0))}, a tenth of the budget or what is left of it",
        cure="Ask for it afterwards: `earnest explain-model RUN TABLE`.",
    )


def explain_columns(
    estimator: Estimator,
    table: TrainingTable,
    folds: Pairs,
    metric: str | Metric,
    *,
    name: str,
    seed: int,
    confidence_level: float = 0.95,
    fit_seconds: float | None = None,
    limit: float = math.inf,
    effects: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> ModelExplanation:
    """Return which columns of a table a model needs, and how its prediction moves with them.

    **What is estimated.** How much worse the models of the folds score new cases if a column comes
    from independent cases: the mean over folds. The delivered model is the same recipe, fitted on
    all cases.

    **What it assumes.** Cases, or their groups, are independent. An interval is that of one column.

    **When it fails.** Columns that tell the same stand in for each other, and each seems needless:
    so those that go together also change cases together.

    Fisher, Rudin, Dominici 2019 (model reliance); Friedman 2001 (partial dependence).

    Parameters
    ----------
    estimator : estimator
        The delivered model, unfitted.
    table : TrainingTable
        The cases of the search.
    folds : sequence of (train, test)
        Its folds.
    metric : str or Metric
        What to measure.
    name : str
        What the model is called.
    seed : int
        Of cases and permutations.
    confidence_level : float
        The level of each interval.
    fit_seconds : float, optional
        What a fit takes; unknown by default.
    limit : float
        The seconds it may take.
    effects : sequence of str, optional
        The columns whose effects are traced; by default the most important ones.
    n_jobs : int, optional
        How many threads; never changes the result.

    Raises
    ------
    InputError
        Where there is no time for it, or a column is unknown.
    """
    began, at_once = monotonic(), workers(n_jobs)
    refuse_case_weights(table.weights, "the importance of columns")
    measure = metric_named(metric).on(table.task)
    if measure.needs is Need.SURVIVAL:
        raise InputError(
            "what a model of survival does with its columns is told by its order of risks",
            needs="a metric of risks, such as 'concordance'",
            got=repr(measure.name),
        )
    seeds = Seeds(seed)
    draws = seeds.generator(Purpose.EXPLANATION, 0, 1)
    models = train_folds(estimator, table, folds, fit_seconds, limit, at_once)
    count = len(models.models)
    n_held_out = sum(len(test) for test in models.tests)
    columns = list(table.schema.columns)
    row_seconds = _time_rows(models) / min(at_once, 2)
    left = limit - (monotonic() - began)
    effort = choose_effort(row_seconds, n_held_out, len(columns), count, left)
    shown = _choose_columns(table, folds, columns, effort.n_columns, seeds)
    items = list_items(table, columns, shown, draws)
    cases = _draw_cases(models, effort.n_cases, draws)
    held = HeldOut.of(models, cases, effort.n_permutations, draws)
    importances = measure_importances(
        held,
        items,
        measure,
        confidence_level,
        [seeds.generator(Purpose.EXPLANATION, 0, 2, place) for place in range(len(items))],
        at_once,
    )
    predicted = name_predicted(table, probabilities=_has_probabilities(models))
    rows = np.sort(draws.choice(table.n_cases, min(CASES_OF_EFFECTS, table.n_cases), replace=False))
    few = replace(models, models=models.models[:USUAL_FOLDS])
    traced = _trace(few, importances, rows, predicted, effort.n_effects, effects, at_once)
    score = score_table(
        held.make_predictions(held.plain[None]), measure, Weights.ones(len(held.cases))
    )
    return ModelExplanation(
        model=name,
        predicted=predicted[0] if len(predicted) == 1 else "probabilities of classes",
        scale=measure.scale,
        score=float(score[0, 0]),
        importances=importances,
        effects=traced,
        n_cases=len(held.cases),
        n_cases_in_all=table.n_cases,
        n_columns=len(columns),
        n_models=count,
        n_permutations=effort.n_permutations,
        n_cases_of_effects=len(rows),
        confidence_level=confidence_level,
        seed=seed,
        seconds=monotonic() - began,
    )


def _time_rows(models: TrainedFolds) -> float:
    """Return the seconds that a model takes for a row, among some hundred."""
    test = models.tests[0]
    X = models.table.X[np.resize(test, min(max(len(test), 200), 1000))]
    with one_blas_thread():
        models.answer(0, X[:2])  # what is loaded at first use
        began = monotonic()
        models.answer(0, X)
    return (monotonic() - began) / len(X)


def _has_probabilities(models: TrainedFolds) -> bool:
    return hasattr(models.models[0], "predict_proba")


def _choose_columns(
    table: TrainingTable, folds: Pairs, columns: Sequence[str], count: int, seeds: Seeds
) -> tuple[str, ...]:
    """Return the columns that are looked at one by one: all, or those that tell most alone."""
    if count >= len(columns):
        return tuple(columns)
    scan = scan_columns(table, folds, seeds.generator(Purpose.EXPLANATION, 0, 3))
    separation = dict.fromkeys(columns, math.inf)  # text, which nobody has looked at
    if scan is not None:
        names = [feature.column for feature in scan.table.schema.features]
        separation |= dict.fromkeys(names, 0.0)
        for name, value in zip(names, scan.separation.tolist(), strict=True):
            separation[name] = max(separation[name], value)
    best = sorted(columns, key=lambda name: -separation[name])[:count]
    return tuple(name for name in columns if name in set(best))


def list_items(
    table: TrainingTable, columns: Sequence[str], shown: Sequence[str], rng: np.random.Generator
) -> list[tuple[ImportanceKind, tuple[str, ...]]]:
    """Return what changes cases: each column, those that go together, and all others."""
    items: list[tuple[ImportanceKind, tuple[str, ...]]]
    items = [(ImportanceKind.COLUMN, (name,)) for name in shown]
    items += [(ImportanceKind.TOGETHER, group) for group in find_alike(table, shown, rng)]
    others = tuple(name for name in columns if name not in set(shown))
    if others:
        items.append((ImportanceKind.OTHERS if len(others) > 1 else ImportanceKind.COLUMN, others))
    return items


def _draw_cases(
    models: TrainedFolds, most: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Return cases of every fold, of classes in their shares."""
    layers, in_all = models.table.layers, sum(len(test) for test in models.tests)
    cases = []
    for test in models.tests:
        some = max(round(most * len(test) / in_all), 1)
        mine = None if layers is None else layers[test]
        cases.append(test[sample_rows(len(test), some, rng, layers=mine, fewest=2)])
    return cases


def _trace(
    models: TrainedFolds,
    importances: Sequence[ColumnImportance],
    rows: NDArray[np.intp],
    predicted: Sequence[str],
    most: int,
    asked: Sequence[str] | None,
    at_once: int,
) -> tuple[ColumnEffect, ...]:
    """Return the effects of the columns that were asked for, or of the most important ones."""
    alone = [each.columns[0] for each in importances if each.kind is ImportanceKind.COLUMN]
    columns = alone if asked is None else list(asked)

    def trace(column: str) -> tuple[ColumnEffect, ...]:
        return trace_effect(models, column, rows, predicted)

    traced: list[tuple[ColumnEffect, ...]] = []
    with one_blas_thread():
        for start in range(0, len(columns), max(at_once, 1)):
            if asked is None and len(traced) >= most:
                break
            more = each(trace, columns[start : start + max(at_once, 1)], at_once)
            traced += [effect for effect in more if effect]
    return tuple(effect for some in (traced if asked else traced[:most]) for effect in some)
