"""The run of a search: all cells at once, in rounds of one split, or as a dynamic search asks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from earnest.adapters.predictions.run_file import CASES, about_cases
from earnest.adapters.trials.ranges import ranges_of
from earnest.adapters.trials.run_file import ABOUT, BEGUN, CONFIGS, about_search
from earnest.adapters.trials.scored import SINGLE, score_names, show_configs
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Store, Task
from earnest.core.base.provenance import moment
from earnest.core.base.rng import Seeds
from earnest.engine.progress import ProgressBar
from earnest.metrics.families import Metric
from earnest.training.fit.experiment import Configuration
from earnest.training.fit.ledger import Ledger
from earnest.training.fit.problem import refuse
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import Run, RunOptions, open_run, run_cells
from earnest.training.fit.splits import Splits
from earnest.training.search.dropping.bced import DroppingRule, DropTrace
from earnest.training.search.dropping.stopping import StopWhenWidth
from earnest.training.search.live import LivePage, Watch, open_page
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import (
    DynamicCandidates,
    SearchSetup,
    StaticCandidates,
    check_configurations,
    find_base_estimator,
)


@dataclass(frozen=True)
class Journey:
    """How a search went.

    Attributes
    ----------
    splits : range
        The splits that were run.
    dropped : DropTrace
        Which configurations were given up, and when.
    """

    splits: range
    dropped: DropTrace = field(default_factory=DropTrace)


@dataclass(frozen=True, eq=False)
class SearchRun:
    """All that a search gave: the ledger, how it went, and when it was begun."""

    ledger: Ledger
    journey: Journey
    begun: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Rounds:
    """What is asked after each split.

    Parameters
    ----------
    metric : Metric
        What configurations are compared by.
    seeds : Seeds
        The root of the resamples that are drawn for it.
    drop : DroppingRule, optional
        The rule that ends configurations early.
    stop : StopWhenWidth, optional
        The rule that leaves out the rest of the splits.
    """

    metric: Metric
    seeds: Seeds
    drop: DroppingRule | None = None
    stop: StopWhenWidth | None = None


def search_all(options: SearchOptions, prepared: SearchSetup) -> SearchRun:
    """Evaluate the candidates of a search."""
    candidates, splits = prepared.candidates, prepared.splits
    fixed = _is_static(candidates)
    ledger = Ledger(splits, prepared.problem.plan, prepared.scoring.names, static=fixed)
    rounds = _read_rounds(options, prepared)
    with (
        open_page(options.live, _name_search(options)) as page,
        open_run(
            prepared.experiment,
            _watch_by(page, options, prepared, ledger),
            identity=prepared.identity,
            total=(count_planned(candidates) or 0) * len(splits),
            title="SearchCV",
        ) as opened,
    ):
        if opened.store is not None:
            opened.store.put_document(ABOUT, _describe_search(options, prepared))
            put_cases(opened.store, prepared.problem.plan, splits, static=fixed)
        begun = _date_run(opened.store)
        if isinstance(candidates, DynamicCandidates):
            journey = _run_dynamic(opened, ledger, candidates, options, prepared.seed)
        else:
            journey = _run_static(opened, ledger, candidates, rounds)
    return SearchRun(ledger, journey, begun)


def _name_search(options: SearchOptions) -> str:
    """Return what is searched, for the head of a live page."""
    base = find_base_estimator(options)
    steps = getattr(base, "steps", None)
    return type(steps[-1][1] if steps else base).__name__


def _watch_by(
    page: LivePage | None, options: SearchOptions, prepared: SearchSetup, ledger: Ledger
) -> RunOptions:
    """Return how fits are run, with a live page told of each."""
    if page is None:
        return options.run
    run, names = options.run, prepared.scoring.names or (SINGLE,)
    told = (ProgressBar() if run.progress else None) if isinstance(run.progress, bool) else None
    watch = Watch(
        page=page,
        ledger=ledger,
        metric=None if refuse(prepared.problem) is not None else prepared.problem.metric,
        score=options.refit if isinstance(options.refit, str) else names[0],
        seed=prepared.seed,
        by_fold=options.drop is not None or options.stop_when_width is not None,
        told=told if isinstance(run.progress, bool) else run.progress,
        n_configs=count_planned(prepared.candidates) or 0,
    )
    return replace(run, progress=watch)


def count_planned(candidates: StaticCandidates | DynamicCandidates) -> int | None:
    """Return how many configurations there will be at most, None where that is open."""
    return len(candidates) if isinstance(candidates, StaticCandidates) else candidates.limit()


def record_all(opened: Run, ledger: Ledger, cells: Sequence[Task]) -> None:
    """Run cells and enter what they give."""
    for outcome in run_cells(opened, cells):
        ledger.record(outcome)


def enter_configs(
    opened: Run, ledger: Ledger, ids: Sequence[str], configurations: Sequence[Configuration]
) -> range:
    """Enter configurations; a store is told what they are, for who reads the file alone."""
    added = ledger.add(ids, configurations)
    if opened.store is not None:
        shown = show_configs(ledger.ids, [one.params for one in ledger.configurations])
        pairs = zip(ledger.ids, shown, strict=True)
        listed = [{"config": name, "params": params} for name, params in pairs]
        opened.store.put_document(CONFIGS, json.dumps(listed))
    return added


def put_cases(store: Store, plan: ResponsePlan | None, splits: Splits, *, static: bool) -> None:
    """Tell which rows each split tests, so that predictions can be gathered from the file alone."""
    if plan is not None:
        where = list(zip(splits.repeat, splits.fold, splits.test, strict=True))
        store.put_document(CASES, about_cases(plan.target, plan.kind, where, static=static))


def _run_static(
    opened: Run, ledger: Ledger, candidates: StaticCandidates, rounds: Rounds | None = None
) -> Journey:
    """Run candidates that are known in advance.

    With `rounds` the splits go one after another: all configurations that are alive on one split,
    then whether it is enough, then who is dropped.
    """
    count = len(ledger.splits)
    configs = list(enter_configs(opened, ledger, candidates.ids, candidates.configurations))
    if rounds is None:
        record_all(opened, ledger, ledger.make_tasks(configs, range(count)))
        return Journey(range(count))
    alive, trace = np.ones(len(configs), dtype=bool), DropTrace()
    for done in range(1, count + 1):
        record_all(opened, ledger, ledger.make_tasks(np.flatnonzero(alive).tolist(), [done - 1]))
        pi = ledger.make_predictions()
        if done == count or pi is None:
            continue
        if rounds.stop is not None:
            look = rounds.stop.test(pi, rounds.metric, rounds.seeds, done)
            if look.stop:
                _skip(opened, int(alive.sum()) * (count - done))
                return Journey(range(done), trace)
        if rounds.drop is not None:
            test = rounds.drop.test(pi, rounds.metric, rounds.seeds, done, alive)
            trace, alive = trace.after(test, tuple(ledger.ids)), alive & ~test.dropped
            _skip(opened, int(test.dropped.sum()) * (count - done))
    return Journey(range(count), trace)


def _skip(opened: Run, count: int) -> None:
    """Tell that so many fits will not be made."""
    if opened.progress is not None and count:
        opened.progress.drop(count)


def _run_dynamic(
    opened: Run,
    ledger: Ledger,
    candidates: DynamicCandidates,
    options: SearchOptions,
    seed: int,
) -> Journey:
    """Run a search that asks for configurations and is told their mean scores."""
    count = len(ledger.splits)
    asker = candidates.start(seed)
    while asked := list(asker.ask()):
        first = len(ledger.ids)
        names = [f"c{first + i}" for i in range(len(asked))]
        configurations = [Configuration(dict(params)) for params in asked]
        if not first:  # a space that is wrong is so from the start
            check_configurations(opened.experiment.value.base, configurations)
        configs = enter_configs(opened, ledger, names, configurations)
        record_all(opened, ledger, ledger.make_tasks(configs, range(count)))
        asker.tell([_average_scores(ledger, config, options) for config in configs])
    if not ledger.ids:
        raise InputError("the search did not propose a configuration", needs="at least one")
    return Journey(range(count))


def _average_scores(ledger: Ledger, config: int, options: SearchOptions) -> float:
    """Return the mean score of one configuration over all splits, by which the search chooses."""
    names, splits = ledger.score_names, range(len(ledger.splits))
    name = options.refit if options.refit in names else names[0]
    return float(
        np.mean(ledger.read_numbers(f"test_{name}", splits, options.missing_score, [config]))
    )


def _date_run(store: Store | None) -> str:
    """Return when the run was begun; a run that is resumed keeps its first moment."""
    if store is None:
        return moment()
    known = store.documents().get(BEGUN)
    if known is None:
        known = moment()
        store.put_document(BEGUN, known)
    return known


def _is_static(candidates: StaticCandidates | DynamicCandidates) -> bool:
    """Tell whether no configuration is proposed by scores; a random sampler's are not either."""
    fixed = isinstance(candidates, StaticCandidates)
    return bool(getattr(candidates, "static", fixed))


def _describe_search(options: SearchOptions, prepared: SearchSetup) -> str:
    """Return what a reader of the run file alone must know: scores and ranges."""
    given = options.given_candidates
    return about_search(
        score_names(prepared.scoring.names or (SINGLE,), prepared.scoring.shown, options.scoring),
        options.refit if isinstance(options.refit, str) else None,
        ranges_of(getattr(given, "space", given)),
    )


def _read_rounds(options: SearchOptions, prepared: SearchSetup) -> Rounds | None:
    if options.drop is None and options.stop_when_width is None:
        return None
    metric, reason = prepared.problem.metric, refuse(prepared.problem)
    if metric is None or reason is not None:
        raise InputError(
            "`drop` and `stop_when_width` need predictions to look at",
            needs="a metric computed from predictions",
            got=reason.got if reason is not None else "none",
            cure="Pass metric='...', or leave both out.",
        )
    return Rounds(
        metric=metric,
        seeds=Seeds(prepared.seed),
        drop=options.dropping,
        stop=options.stopping,
    )
