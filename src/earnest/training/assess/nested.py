"""Nested cross-validation, with a count of its fits: the alternative to a bias correction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.trials.run_file import is_fit
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Key, TaskOutcome
from earnest.core.base.provenance import list_versions
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance, by_severity
from earnest.core.results.specs import Estimand, Selection
from earnest.core.text.doors import arg
from earnest.core.text.numbers import number
from earnest.inference.cases.no_information import no_information
from earnest.inference.remarks import evidence_remarks, warn_of_undefined_folds
from earnest.kernels.score import fold_scores, score_table
from earnest.metrics.families import Metric
from earnest.training.fit.experiment import LEARNER, make_cells
from earnest.training.fit.ledger import OutcomeLog
from earnest.training.fit.problem import explain_no_estimate
from earnest.training.fit.run import run_all
from earnest.training.fit.splits import Splits, check_partition
from earnest.training.search.judging import SearchResults, judge_search
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import ConfigurationList, SearchSetup, prepare
from earnest.training.search.run import SearchRun, count_fits
from earnest.training.search.search_cv import (
    SearchCV,
    keep_results,
    read_options,
    refit_winner,
)

# The splits of nested cross-validation: inner folds are the remaining outer folds.


@dataclass(frozen=True, eq=False)
class NestedSplits:
    """All splits that nested cross-validation trains on.

    Attributes
    ----------
    outer : Splits
        The folds of the search itself, of all repeats.
    inner : tuple of Splits
        For every outer split the remaining folds of its repeat, each trained on the others.
    every : Splits
        All of them in a row: those of the search first, so that its fits are the same as those of
        an ordinary search, then the inner ones; each outer split is a repeat of its own.
    """

    outer: Splits
    inner: tuple[Splits, ...]
    every: Splits

    @classmethod
    def of(cls, outer: Splits) -> NestedSplits:
        """Make the nesting of folds that part the cases, and refuse others."""
        check_partition(outer, cure="Use KFold, StratifiedKFold or GroupKFold.")
        inner = tuple(_make_inner(outer, split) for split in range(len(outer)))
        parts = [outer]
        for repeat, splits in enumerate(inner, outer.n_repeats):
            parts.append(replace(splits, repeat=(repeat,) * len(splits)))
        return cls(outer, inner, Splits.join(parts))

    def key(self, config: int, outer: int | None, split: int) -> tuple[int, int, int]:
        """Return the key of a fit: of the search itself, or within an outer split."""
        if outer is None:
            return config, self.outer.repeat[split], self.outer.fold[split]
        return config, self.outer.n_repeats + outer, split

    def fits_published(self, configs: int) -> int:
        """Return how many models algorithm 3 trains: K² C + K + 1 for one repeat."""
        return (len(self.every)) * configs + len(self.outer) + 1


def _make_inner(outer: Splits, held_out: int) -> Splits:
    """Return the remaining folds of the repeat of an outer split."""
    held_repeat, away = outer.repeat[held_out], outer.test[held_out]
    others = [i for i in range(len(outer)) if outer.repeat[i] == held_repeat and i != held_out]
    return Splits.of(
        (
            (np.setdiff1d(outer.train[i], away), outer.test[i], 0, fold)
            for fold, i in enumerate(others)
        ),
        outer.n_cases,
    )


def train_nested(
    options: SearchOptions, prepared: SearchSetup, nesting: NestedSplits
) -> dict[Key, TaskOutcome]:
    """Return the outcome of every configuration on every split, by key."""
    candidates = prepared.candidates
    if not isinstance(candidates, ConfigurationList):
        raise InputError(
            "a dynamic search cannot be nested fold by fold",
            needs="configurations that are known in advance",
            got=type(candidates).__name__,
            cure="Pass a grid, distributions with `n_iter`, or a list of estimators.",
        )
    configs, splits = range(len(candidates)), range(len(nesting.every))
    cells = make_cells(configs, splits, candidates.configurations, nesting.every)
    return run_all(
        replace(prepared.experiment, rows=nesting.every),
        cells,
        options.run,
        identity={**prepared.identity, "kind": "nested cross-validation"},
        title="nested_cv",
    )


WINNER = "the inner winner"


@dataclass(frozen=True, eq=False, kw_only=True)
class NestedResult:
    """What nested cross-validation found.

    Attributes
    ----------
    estimate : Estimate
        The mean over the outer folds, without an interval: the outer models share their training
        cases, and no unbiased estimate of that mean's variance exists.
    fold_scores : ndarray, shape (F,)
        The score of every outer fold, NaN where the metric is undefined.
    predictions : Predictions
        The outer Π: one column, the model of the inner winner tested on its outer fold.
    inner : tuple of Predictions
        The inner Π of every outer fold; its cases are untested there.
    winners : tuple of str
        The inner winner of every outer fold.
    n_fits : int
        How many models algorithm 3 fits: K² C + K + 1, the last one on all cases.
    n_trained : int
        How many were trained: K fewer, as the model of an inner winner on all folds but one is the
        one that the search on all folds has trained of that configuration.
    search : SearchCV
        The search on all cases, fitted.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> search = en.SearchCV(
    ...     DecisionTreeClassifier(),
    ...     {"max_depth": [1, 2]},
    ...     cv=3,
    ...     scoring="accuracy",
    ...     random_state=7,
    ... )
    >>> found = en.nested_cv(search, X, y)
    >>> found.winners, found.n_fits
    (('c1', 'c1', 'c1'), 22)
    """

    estimate: Estimate
    fold_scores: NDArray[np.float64]
    predictions: Predictions
    inner: tuple[Predictions, ...]
    winners: tuple[str, ...]
    n_fits: int
    n_trained: int
    search: SearchCV

    @property
    def value(self) -> float:
        """The mean over the outer folds, in the metric's own units."""
        return self.estimate.value

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about."""
        return self.estimate.cautions

    def __repr__(self) -> str:
        """Return one line with the value and what it took."""
        estimate = self.estimate
        shown = number(estimate.value, 3, estimate.scale.limits)
        return (
            f"{estimate.metric} {shown} (nested, {len(self.winners)} outer folds, "
            f"{estimate.n_configs} "
            f"configs, n={estimate.n_cases}, {self.n_fits} fits)"
        )

    def _repr_html_(self) -> str:
        return self.estimate._repr_html_()


def nested_cv(
    search: SearchCV,
    X: object,
    y: object = None,
    *,
    groups: object = None,
    n_jobs: int | None = None,
    store: object = None,
    **params: object,
) -> NestedResult:
    """Cross-validate a whole search: tune within each training part, test on what was held out.

    Each fold is held out in turn. Among the other folds the search chooses a configuration, each
    of them testing once, and the model of the chosen one, trained on all of them, is tested on the
    fold held out. The estimate is the mean over the folds held out.

    **What is estimated.** The mean performance of tuning and then fitting on (1 - 1/K) n cases;
    inner models see (1 - 2/K) n.

    **What it assumes.** Folds that part the cases, at least three; groups stay together where the
    search's folds keep them so.

    **When it fails.** It costs K times the fits of the search itself, and says nothing of any one
    configuration: each fold may choose another one. `SearchCV.estimate_` corrects for the same
    optimism without a single further fit.

    Tsamardinos, Greasidou, Borboudakis 2018, algorithm 3; Varma and Simon 2006.

    Parameters
    ----------
    search : SearchCV
        The search, fitted or not; it is not changed. Its configurations must be known in advance,
        and it must neither drop any nor stop early.
    X, y : array-like
        The data.
    groups : array-like, shape (n,), optional
        Cases that belong together, for a splitter that keeps them so.
    n_jobs : int, optional
        How many fits at once; as the search says by default.
    store : str or Store, optional
        Where finished fits are kept, so that the same call continues after it was killed.
    **params : object
        Arguments of `fit` other than the data.

    Returns
    -------
    NestedResult
        The estimate, the scores of the folds, outer and inner predictions, and what was fitted.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = en.SearchCV(tree, {"max_depth": [1, 2, 3]}, cv=5, random_state=0)
    >>> found = en.nested_cv(search, X, y)
    >>> found
    accuracy 0.953 (nested, 5 outer folds, 3 configs, n=150, 81 fits)
    >>> found.n_trained
    76
    """
    copy = _copy_search(search, n_jobs, store)
    options = read_options(copy)
    prepared = prepare(options, X, y, {"groups": groups, **params})
    refusal = explain_no_estimate(prepared.problem)
    if refusal is not None:
        raise refusal
    if options.refit is False and len(prepared.scoring.names or ()) > 1:
        raise _refuse_no_choice()
    nesting = NestedSplits.of(prepared.splits)
    outcomes = train_nested(options, prepared, nesting)
    inner = [
        _judge_folds(options, prepared, nesting, outcomes, i)[1] for i in range(len(nesting.outer))
    ]
    winners = [_choose_best(judged) for judged in inner]
    outer = _make_outer_predictions(prepared, nesting, outcomes, winners)
    searched, judged = _judge_folds(options, prepared, nesting, outcomes, None)
    keep_results(copy, prepared, searched, judged)
    if options.refit:
        refit_winner(copy, prepared, searched.ledger.configurations[_choose_best(judged)])
    ids = searched.ledger.ids
    fits = sum(map(is_fit, outcomes.values()))
    scores, estimate = _estimate(prepared, outer, judged, [ids[w] for w in winners])
    return NestedResult(
        estimate=estimate,
        fold_scores=scores,
        predictions=outer,
        inner=tuple(
            search_result.predictions
            for search_result in inner
            if search_result.predictions is not None
        ),
        winners=tuple(ids[w] for w in winners),
        n_trained=fits + bool(options.refit),
        n_fits=nesting.fits_published(count_fits(searched.ledger.configurations)),
        search=copy,
    )


def _copy_search(search: SearchCV, n_jobs: int | None, store: object) -> SearchCV:
    """Return the search as it will be run, and refuse what algorithm 3 has not."""
    from sklearn.base import clone

    if not hasattr(search, "stop_when_width"):
        raise InputError(
            "this search cannot be nested",
            needs="earnest.SearchCV",
            got=check.show(search),
            cure="Wrap the estimator: SearchCV(estimator, candidates).",
        )
    early = [name for name in ("drop", "stop_when_width") if getattr(search, name) is not None]
    if early:
        raise InputError(
            "nested cross-validation evaluates every configuration on every fold, but "
            f"{check.some(f'{arg(name)}' for name in early)} would leave some out",
            needs="a search without early dropping or stopping",
            cure="search.set_params(drop=None, stop_when_width=None) leaves them out.",
        )
    copy: SearchCV = clone(search).set_params(store=store)
    if n_jobs is not None:
        copy.set_params(n_jobs=n_jobs)
    return copy


def _judge_folds(
    options: SearchOptions,
    prepared: SearchSetup,
    nesting: NestedSplits,
    outcomes: Mapping[Key, TaskOutcome],
    outer: int | None,
) -> tuple[SearchRun, SearchResults]:
    """Return what the search makes of its inner folds of an outer split, or of all folds."""
    splits = nesting.outer if outer is None else nesting.inner[outer]
    fold_setup = replace(prepared, splits=splits)
    ledger = OutcomeLog(splits, prepared.problem.plan, prepared.scoring.names, static=True)
    candidates = prepared.candidates
    assert isinstance(candidates, ConfigurationList)
    for config in ledger.add(candidates.ids, candidates.configurations):
        for split in range(len(splits)):
            outcome = outcomes[nesting.key(config, outer, split)]
            ledger.record(replace(outcome, key=(config, splits.repeat[split], splits.fold[split])))
    searched = SearchRun(ledger, range(len(splits)))
    return searched, judge_search(options, fold_setup, searched)


def _choose_best(judged: SearchResults) -> int:
    if judged.best is None:  # a scorer that only now turned out to give several scores
        raise _refuse_no_choice()
    return judged.best


def _refuse_no_choice() -> InputError:
    return InputError(
        "the search does not choose a configuration",
        needs="`refit`, the name of the score that chooses",
        got="refit=False",
    )


def _make_outer_predictions(
    prepared: SearchSetup,
    nesting: NestedSplits,
    outcomes: Mapping[Key, TaskOutcome],
    winners: Sequence[int],
) -> Predictions:
    """Return the outer Π: each fold predicted by the model of its inner winner."""
    plan, outer = prepared.problem.plan, nesting.outer
    assert plan is not None
    ledger = OutcomeLog(outer, plan, None)
    ledger.add([WINNER], [LEARNER])
    for split, config in enumerate(winners):
        outcome = outcomes[nesting.key(config, None, split)]
        ledger.record(replace(outcome, key=(0, outer.repeat[split], outer.fold[split])))
    predictions = ledger.make_predictions()
    assert predictions is not None
    return predictions


def _estimate(
    prepared: SearchSetup, outer: Predictions, judged: SearchResults, winners: Sequence[str]
) -> tuple[NDArray[np.float64], Estimate]:
    """Return the scores of the outer folds, and the estimate that is their mean."""
    metric, every = prepared.problem.metric, judged.predictions
    assert metric is not None
    assert every is not None
    usable = outer.usable()
    scores = fold_scores(usable, metric)[:, 0, 0]  # (F,)
    value = _average(usable, metric, scores)
    cautions = [
        *evidence_remarks(outer, metric),
        *warn_of_undefined_folds(len(scores), int((~np.isnan(scores)).sum())),
        *_warn_of_unlike_winners(winners),
        *(() if judged.question is None else judged.question.cautions),
    ]
    best = every.select(_choose_best(judged)).usable()
    return scores, Estimate(
        value=value,
        interval=None,
        standard_error=None,
        scale=metric.scale,
        method="nested",
        estimand=str(Estimand.PROCEDURE),
        selection=Selection.CORRECTED if every.n_configs > 1 else Selection.NOTHING_SELECTED,
        naive=_average(best, metric, fold_scores(best, metric)[:, 0, 0]),
        winner=every.configs.ids[_choose_best(judged)],
        n_cases=usable.n_cases,
        n_configs=every.n_configs,
        n_resamples=None,
        n_valid=None,
        cautions=by_severity(cautions),
        provenance=Provenance(
            seed=prepared.seed,
            fingerprint=outer.fingerprint,
            n_folds=usable.n_folds,
            n_repeats=usable.n_repeats,
            knobs={},
            versions=list_versions(),
        ),
        training=outer.training,
        no_information=no_information(usable.target, metric),
    )


def _average(pi: Predictions, metric: Metric, scores: NDArray[np.float64]) -> float:
    """Return the mean over defined folds; the score of all cases where no fold has one."""
    if not np.isnan(scores).all():
        return float(np.nanmean(scores))
    return float(score_table(pi, metric, Weights.ones(pi.n_cases))[0, 0])


def _warn_of_unlike_winners(winners: Sequence[str]) -> Iterator[Caution]:
    """Yield a note if the outer folds did not all choose the same configuration."""
    different = len(set(winners))
    if different > 1:
        yield of_search.winners_differ(len(winners), different)
