"""The run of a search: all cells at once, in rounds of one split, or as a dynamic search asks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from earnest.adapters.predictions.run_file import CASES, about_cases
from earnest.adapters.trials.ranges import ranges_of
from earnest.adapters.trials.run_file import ABOUT, BEGUN, CONFIGS, about_search
from earnest.adapters.trials.scored import SINGLE, score_names, show_configs
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Store
from earnest.core.base.provenance import moment
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import Halves
from earnest.core.data.predictions import Predictions
from earnest.core.text.doors import arg
from earnest.engine.progress import read_meter
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.training.fit.experiment import Configuration
from earnest.training.fit.ledger import Ledger
from earnest.training.fit.problem import explain_no_estimate
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import Run, RunOptions, open_run, run_cells
from earnest.training.fit.splits import Splits
from earnest.training.protocols import Params
from earnest.training.search.dropping.bced import DropTrace
from earnest.training.search.guidance import CrossedAsker, find_halves, score_halves
from earnest.training.search.live import LivePage, Watch, open_page
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import (
    ConfigurationList,
    DynamicSearch,
    SearchSetup,
    check_configurations,
    find_base_estimator,
)


@dataclass(frozen=True, eq=False)
class SearchRun:
    """What a search gave, before it is judged.

    Attributes
    ----------
    ledger : Ledger
        The outcomes.
    splits : range
        The splits that were run.
    dropped : DropTrace
        Which configurations were dropped, and when.
    begun : str, optional
        When it was begun.
    """

    ledger: Ledger
    splits: range
    dropped: DropTrace = field(default_factory=DropTrace)
    begun: str | None = None


def search_all(
    options: SearchOptions, prepared: SearchSetup, *, deadline: float = math.inf
) -> SearchRun:
    """Evaluate the configurations of a search, until a deadline if it has one."""
    candidates, splits = prepared.candidates, prepared.splits
    fixed = _is_static(candidates)
    halves = find_halves(prepared.guide, prepared.problem, splits, prepared.seed)
    ledger = Ledger(
        splits, prepared.problem.plan, prepared.scoring.names, static=fixed, halves=halves
    )
    if _by_fold(options):
        _refuse_no_metric(prepared)
    with (
        open_page(options.live, _name_search(options)) as page,
        _watch_by(page, options, prepared, ledger) as run,
        open_run(
            prepared.experiment,
            replace(run, deadline=deadline),
            identity=prepared.identity,
            total=(count_planned(candidates) or 0) * len(splits),
            title="Search",
        ) as opened,
    ):
        if opened.store is not None:
            opened.store.put_document(ABOUT, _describe_search(options, prepared))
            put_cases(opened.store, prepared.problem.plan, splits, static=fixed, halves=halves)
        begun = _date_run(opened.store)
        search_run = SearchRun(ledger, range(len(splits)), begun=begun)
        if isinstance(candidates, DynamicSearch) and halves is not None:
            _run_crossed(opened, ledger, candidates, prepared)
        elif isinstance(candidates, DynamicSearch):
            _run_dynamic(opened, ledger, candidates, options, prepared.seed)
        elif _by_fold(options):
            configs = enter_configs(opened, ledger, candidates.ids, candidates.configurations)
            done, dropped = _run_by_fold(opened, ledger, configs, options, prepared)
            search_run = replace(search_run, splits=range(done), dropped=dropped)
        else:
            configs = enter_configs(opened, ledger, candidates.ids, candidates.configurations)
            record_all(opened, ledger, ledger.make_tasks(configs, search_run.splits))
    return search_run


def _by_fold(options: SearchOptions) -> bool:
    """Tell whether all configurations are evaluated on one split before the next."""
    return options.drop is not None or options.stop_when_width is not None


def _name_search(options: SearchOptions) -> str:
    """Return the name of the searched estimator, for the title of a live page."""
    base = find_base_estimator(options)
    steps = getattr(base, "steps", None)
    return type(steps[-1][1] if steps else base).__name__


@contextmanager
def _watch_by(
    page: LivePage | None, options: SearchOptions, prepared: SearchSetup, ledger: Ledger
) -> Iterator[RunOptions]:
    """Yield how fits are run, with their progress counted, and shown on a live page."""
    run, names = options.run, prepared.scoring.names or (SINGLE,)
    meter = read_meter(run.progress)
    meter.expect(n_configs=count_planned(prepared.candidates) or 0, n_splits=len(prepared.splits))
    run = replace(run, progress=meter)
    if page is None:
        yield run
        return
    page.meter = meter
    watch = Watch(
        page=page,
        ledger=ledger,
        metric=prepared.problem.metric,
        score=options.refit if isinstance(options.refit, str) else names[0],
        seed=prepared.seed,
        by_fold=_by_fold(options),
    )
    with meter.joined_by(watch):
        try:
            yield run
        finally:
            watch.finish()


def count_planned(candidates: ConfigurationList | DynamicSearch) -> int | None:
    """Return the largest number of configurations, or None if it is unknown."""
    return len(candidates) if isinstance(candidates, ConfigurationList) else candidates.limit()


def record_all(opened: Run, ledger: Ledger, cells: Sequence[EngineTask]) -> None:
    """Run cells and record their outcomes."""
    for outcome in run_cells(opened, cells):
        ledger.record(outcome)


def enter_configs(
    opened: Run,
    ledger: Ledger,
    ids: Sequence[str],
    configurations: Sequence[Configuration],
    guided_by: Sequence[int] | None = None,
) -> range:
    """Enter configurations, and describe them in the store for readers of the run file."""
    added = ledger.add(ids, configurations, guided_by)
    if opened.store is not None:
        shown = show_configs(
            ledger.ids, [configuration.params for configuration in ledger.configurations]
        )
        pairs = zip(ledger.ids, shown, ledger.guided_by, strict=True)
        listed = [{"config": name, "params": params, "guide": half} for name, params, half in pairs]
        opened.store.put_document(CONFIGS, json.dumps(listed))
    return added


def put_cases(
    store: Store,
    plan: ResponsePlan | None,
    splits: Splits,
    *,
    static: bool,
    halves: Halves | None = None,
) -> None:
    """Store which rows each split tests, so that the file alone is enough for predictions."""
    if plan is not None:
        where = list(zip(splits.repeat, splits.fold, splits.test, strict=True))
        sizes = splits.training_sizes
        cases = about_cases(
            plan.target, plan.kind, where, training_sizes=sizes, static=static, halves=halves
        )
        store.put_document(CASES, cases)


def _run_by_fold(
    opened: Run,
    ledger: Ledger,
    configs: Sequence[int],
    options: SearchOptions,
    prepared: SearchSetup,
) -> tuple[int, DropTrace]:
    """Run one split after another, and stop or drop configurations in between.

    Returns how many splits were run, and which configurations were dropped.
    """
    metric, seeds = cast(Metric, prepared.problem.metric), Seeds(prepared.seed)
    stop, drop = options.stopping, options.dropping
    count = len(ledger.splits)
    alive, trace = np.ones(len(configs), dtype=bool), DropTrace()
    for done in range(1, count + 1):
        record_all(opened, ledger, ledger.make_tasks(np.flatnonzero(alive).tolist(), [done - 1]))
        pi = ledger.make_predictions()
        if done == count or pi is None:
            continue
        pi = pick_answer(pi, metric)
        if stop is not None and stop.test(pi, metric, seeds, done).stop:
            _skip(opened, int(alive.sum()) * (count - done))
            return done, trace
        if drop is not None:
            test = drop.test(pi, metric, seeds, done, alive)
            trace, alive = trace.after(test, tuple(ledger.ids)), alive & ~test.dropped
            _skip(opened, int(test.dropped.sum()) * (count - done))
    return count, trace


def _skip(opened: Run, count: int) -> None:
    """Tell that so many fits will not be made."""
    if count:
        opened.progress.drop(count)


def _run_dynamic(
    opened: Run,
    ledger: Ledger,
    candidates: DynamicSearch,
    options: SearchOptions,
    seed: int,
) -> None:
    """Run a search that proposes configurations and learns their mean scores."""
    asker = candidates.start(seed)
    while proposals := list(asker.ask()):
        configs = _evaluate(opened, ledger, proposals)
        asker.tell([_average_scores(ledger, config, options) for config in configs])
    _refuse_nothing_proposed(ledger)


def _run_crossed(
    opened: Run, ledger: Ledger, candidates: DynamicSearch, prepared: SearchSetup
) -> None:
    """Run a search whose two samplers each learn the scores of one half of the cases."""
    metric = cast(Metric, prepared.problem.metric)
    asker = CrossedAsker(candidates, Seeds(prepared.seed))
    while proposals := asker.ask():
        halves = [proposal.half for proposal in proposals]
        guided_by = [proposal.guided_by for proposal in proposals]
        configs = _evaluate(opened, ledger, [proposal.params for proposal in proposals], guided_by)
        pi = cast(Predictions, ledger.make_predictions(configs))
        asker.tell(halves, list(score_halves(pi, halves, metric)))
    _refuse_nothing_proposed(ledger)


def _evaluate(
    opened: Run,
    ledger: Ledger,
    proposals: Sequence[Params],
    guided_by: Sequence[int] | None = None,
) -> range:
    """Evaluate what a dynamic search proposed on all splits, and return the positions."""
    first = len(ledger.ids)
    names = [f"c{first + i}" for i in range(len(proposals))]
    configurations = [Configuration(dict(params)) for params in proposals]
    if not first:  # a space that is wrong is so from the start
        check_configurations(opened.experiment.value.base, configurations)
    configs = enter_configs(opened, ledger, names, configurations, guided_by)
    record_all(opened, ledger, ledger.make_tasks(configs, range(len(ledger.splits))))
    return configs


def _refuse_nothing_proposed(ledger: Ledger) -> None:
    if not ledger.ids:
        raise InputError("the search did not propose a configuration", needs="at least one")


def _average_scores(ledger: Ledger, config: int, options: SearchOptions) -> float:
    """Return the mean score of one configuration over all splits, by which the search chooses."""
    names, splits = ledger.score_names, range(len(ledger.splits))
    name = options.refit if options.refit in names else names[0]
    return float(
        np.mean(ledger.read_numbers(f"test_{name}", splits, options.missing_score, [config]))
    )


def _date_run(store: Store | None) -> str:
    """Return when the run was begun; a resumed run keeps its first start time."""
    if store is None:
        return moment()
    begun = store.documents().get(BEGUN)
    if begun is None:
        begun = moment()
        store.put_document(BEGUN, begun)
    return begun


def _is_static(candidates: ConfigurationList | DynamicSearch) -> bool:
    """Tell whether no configuration depends on scores, as with a list or a random sampler."""
    fixed = isinstance(candidates, ConfigurationList)
    return bool(getattr(candidates, "static", fixed))


def _describe_search(options: SearchOptions, prepared: SearchSetup) -> str:
    """Return what a reader of the run file needs to know: scores and ranges."""
    candidates = options.given_candidates
    return about_search(
        score_names(prepared.scoring.names or (SINGLE,), prepared.scoring.shown, options.scoring),
        options.refit if isinstance(options.refit, str) else None,
        ranges_of(getattr(candidates, "space", candidates)),
        None if prepared.problem.metric is None else prepared.problem.metric.name,
    )


def _refuse_no_metric(prepared: SearchSetup) -> None:
    reason = explain_no_estimate(prepared.problem)
    if reason is not None:
        raise InputError(
            f"{arg('drop')} and `stop_when_width` need predictions to look at",
            needs="a metric computed from predictions",
            got=reason.got,
            cure=f"Pass {arg('metric', '...')}, or leave both out.",
        )
