"""Makes the results of a search: its table, its winner, and the question of its estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.counts import Counts
from earnest.training.fit.experiment import SINGLE
from earnest.training.fit.ledger import tell_failures, warn_of_means
from earnest.training.fit.problem import check_refit, explain_no_estimate
from earnest.training.search.dropping.bced import warn_of_dropping
from earnest.training.search.dropping.stopping import warn_of_stopping
from earnest.training.search.estimate import (
    EstimateQuestion,
    SearchRecord,
    Trial,
    make_trial,
    warn_of_another_score,
    warn_of_failed_fits,
    warn_of_leaking_splits,
    warn_of_no_scores,
    warn_of_overlap,
    warn_of_weights,
)
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import SearchSetup
from earnest.training.search.run import SearchRun, count_planned
from earnest.training.tables.hidden_groups import warn_of_copies

# The table of results, in scikit-learn's own form.


Array = NDArray[np.float64]
ResultsTable: TypeAlias = dict[str, Any]  # columns of many types, as scikit-learn has them


def make_results_table(
    params: Sequence[dict[str, object]],
    times: dict[str, Array],
    test: dict[str, Array],
    train: dict[str, Array] | None = None,
) -> ResultsTable:
    """Return `cv_results_`: the same keys, types and order as scikit-learn gives.

    Parameters
    ----------
    params : list of dict
        The configurations.
    times : dict of ndarray, shape (C, S)
        `fit_time` and `score_time` of every split.
    test, train : dict of ndarray, shape (C, S)
        The scores by name.
    """
    table: ResultsTable = {}
    for name, values in times.items():
        _summarise(table, name, values)
    table.update(_make_parameter_columns(params))
    table["params"] = list(params)
    for name, values in test.items():
        _add_splits(table, f"test_{name}", values)
        _summarise(table, f"test_{name}", values)
        table[f"rank_test_{name}"] = rank_means(table[f"mean_test_{name}"])
        if train is not None:
            _add_splits(table, f"train_{name}", train[name])
            _summarise(table, f"train_{name}", train[name])
    return table


def _add_splits(table: ResultsTable, name: str, values: Array) -> None:
    for split in range(values.shape[1]):
        table[f"split{split}_{name}"] = values[:, split]


def _summarise(table: ResultsTable, name: str, values: Array) -> None:
    means = np.average(values, axis=1)
    table[f"mean_{name}"] = means
    with np.errstate(invalid="ignore"):  # infinite scores have no spread
        table[f"std_{name}"] = np.sqrt(np.average((values - means[:, None]) ** 2, axis=1))


def rank_means(means: Array) -> NDArray[np.int32]:
    """Return the rank of each mean, 1 for the greatest; NaN ranks last, ties share the better."""
    from scipy.stats import rankdata

    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    filled = np.where(np.isnan(means), np.nanmin(means) - 1, means)
    return np.asarray(rankdata(-filled, method="min").astype(np.int32))


def _make_parameter_columns(params: Sequence[dict[str, object]]) -> Iterable[tuple[str, object]]:
    """Yield a masked array for each parameter, masked where a configuration lacks it."""
    columns: dict[str, dict[int, object]] = {}
    for index, configuration in enumerate(params):
        for name, value in configuration.items():
            columns.setdefault(f"param_{name}", {})[index] = value
    for name, values in columns.items():
        column = np.ma.MaskedArray(
            np.empty(len(params), dtype=_find_column_type(list(values.values()))), mask=True
        )
        for index, value in values.items():
            column[index] = value
        yield name, column


def _find_column_type(values: list[object]) -> DTypeLike:
    """Return the type of a column: a numeric one if all values are numbers, otherwise object."""
    try:
        array = np.array(values)
    except ValueError:  # sequences of unlike length
        return object
    return array.dtype if array.dtype.kind != "U" and array.ndim == 1 else object


@dataclass(frozen=True, eq=False)
class SearchResults(SearchRecord):
    """The results of a search.

    Attributes
    ----------
    predictions, question, refusal
        As in `SearchRecord`.
    table : dict
        `cv_results_`.
    multimetric : bool
        Whether there are several scores.
    best_index : int or NumPy integer, optional
        The position of the winner, of the type that NumPy's argmin or the rule of `refit` returns;
        None if no winner was asked for.
    best_score : float, optional
        Its mean score; None if a callable chose it.
    trials : tuple of Trial
        One per configuration.
    counts : Counts
        How many there were, and how they ended.
    """

    table: ResultsTable
    multimetric: bool
    best_index: int | np.integer | None
    best_score: float | None
    trials: tuple[Trial, ...]
    counts: Counts

    @property
    def best(self) -> int | None:
        """The position of the winner as an int."""
        return None if self.best_index is None else int(self.best_index)


def judge_search(
    options: SearchOptions, prepared: SearchSetup, searched: SearchRun
) -> SearchResults:
    """Make the table, choose the winner, and prepare the estimate."""
    missing = options.missing_score
    tell_failures(searched.ledger, missing)
    names = searched.ledger.score_names
    multimetric = isinstance(prepared.scoring.shown, dict) or names != (SINGLE,)
    if multimetric:
        check_refit(options.refit, names)
    table = _make_table(options, searched, names, missing)
    name = options.refit if multimetric and isinstance(options.refit, str) else names[0]
    chosen = _find_winner(options, table, name) if options.refit or not multimetric else None
    score, unscored = None, False
    if chosen is not None and not callable(options.refit):
        score = table[f"mean_test_{name}"][chosen]
        unscored = bool(np.isnan(table[f"mean_test_{name}"]).all())
    refusal = explain_no_estimate(prepared.problem)
    question = None
    if prepared.problem.metric is not None:
        question = EstimateQuestion(
            metric=prepared.problem.metric,
            method=options.method,
            confidence_level=options.confidence_level,
            n_resamples=options.n_resamples,
            seed=prepared.seed,
            best=None if chosen is None else int(chosen),
            cautions=tuple(_list_cautions(options, prepared, searched, unscored)),
            rule=options.ensemble,
        )
    trials = _list_trials(searched, name, missing)
    planned = count_planned(prepared.candidates)
    return SearchResults(
        predictions=_unfold(searched.ledger.make_predictions()),
        question=question,
        refusal=refusal,
        table=table,
        multimetric=multimetric,
        best_index=chosen,
        best_score=score,
        trials=trials,
        counts=Counts.of_statuses((trial.status for trial in trials), planned),
    )


def _unfold(predictions: Predictions | None) -> Predictions | None:
    """Return predictions in which frequencies have become rows."""
    return None if predictions is None else predictions.unfold()


def _make_table(
    options: SearchOptions, searched: SearchRun, names: Sequence[str], missing: float
) -> ResultsTable:
    ledger, splits = searched.ledger, searched.splits
    times = {
        name: np.nan_to_num(ledger.read_numbers(name, splits, 0.0))
        for name in ("fit_time", "score_time")
    }
    test = {name: ledger.read_numbers(f"test_{name}", splits, missing) for name in names}
    train = None
    if options.return_train_score:
        train = {name: ledger.read_numbers(f"train_{name}", splits, missing) for name in names}
    table = make_results_table(
        [configuration.params for configuration in ledger.configurations], times, test, train
    )
    if not searched.dropped:
        for name in names:
            warn_of_means("test", table[f"mean_test_{name}"])
            if train is not None:
                warn_of_means("train", table[f"mean_train_{name}"])
    return table


def _find_winner(options: SearchOptions, table: ResultsTable, name: str) -> int | np.integer:
    """Return the position of the winner, as scikit-learn gives it."""
    if not callable(options.refit):
        first: np.integer = table[f"rank_test_{name}"].argmin()
        return first
    best = options.refit(table)
    count = len(table["params"])
    if not isinstance(best, int | np.integer):
        raise _refuse_choice(TypeError, best, count)
    if not 0 <= best < count:
        raise _refuse_choice(IndexError, best, count)
    return best


def _refuse_choice(kind: type[Exception], best: object, count: int) -> Exception:
    text = str(
        InputError(
            "`refit` does not name a configuration",
            needs=f"an integer from 0 to {count - 1}",
            got=check.show(best),
        )
    )
    return kind(text)


def _list_cautions(
    options: SearchOptions, prepared: SearchSetup, searched: SearchRun, unscored: bool
) -> Iterator[Caution]:
    ledger, problem = searched.ledger, prepared.problem
    assert problem.metric is not None
    yield from warn_of_failed_fits(ledger.list_failures(), len(ledger.ids))
    yield from warn_of_overlap(prepared.splits)
    yield from warn_of_leaking_splits(prepared.splits)
    yield from warn_of_copies(prepared.experiment.X, prepared.experiment.y, prepared.splits)
    if unscored:
        yield from warn_of_no_scores(ledger.ids[0])
    routed = prepared.routed
    weighed = problem.plan is not None and problem.plan.target.weights is not None
    weights = [
        np.asarray(values)
        for name, values in routed.fit.items()
        if name.split("__")[-1] == "sample_weight"  # of a step of a pipeline, too
    ]
    if any(np.ptp(values) > 0 for values in weights) and not weighed:
        yield from warn_of_weights(scored=routed.score.get("sample_weight") is not None)
    if not problem.chooses:
        yield from warn_of_another_score(_name_score(options), problem.metric.name)
    rule = options.dropping
    if rule is not None:
        yield from warn_of_dropping(rule, searched.dropped, len(ledger.ids))
    done, planned = len(searched.splits), len(prepared.splits)
    yield from warn_of_stopping(options.stopping, done, planned)


def _name_score(options: SearchOptions) -> str:
    """Return the name of the score that chooses."""
    if options.scoring is None:
        return "the estimator's own score"
    if isinstance(options.refit, str):
        return f"{options.refit!r}"
    name = getattr(options.scoring, "__name__", None)
    return f"{name!r}" if name else check.show(options.scoring, 40)


def _list_trials(searched: SearchRun, name: str, missing: float) -> tuple[Trial, ...]:
    ledger, splits = searched.ledger, searched.splits
    scores: NDArray[np.float64] = ledger.read_numbers(f"test_{name}", splits, missing)
    dropped = {drop.config for drop in searched.dropped}
    failed = ledger.list_unscored(name)
    return tuple(
        make_trial(
            config, configuration.params, row, dropped=config in dropped, failed=config in failed
        )
        for config, configuration, row in zip(
            ledger.ids, ledger.configurations, scores, strict=True
        )
    )
