"""The run of a search: all cells at once, in rounds of one split, or as a dynamic search asks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.run_file import CASES, about_cases
from earnest.adapters.trials.ranges import ranges_of
from earnest.adapters.trials.run_file import ABOUT, BEGUN, CONFIGS, about_search
from earnest.adapters.trials.scored import SINGLE, score_names, show_configs
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Store
from earnest.core.base.provenance import moment
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import Halves
from earnest.core.text.doors import arg
from earnest.engine.progress import read_meter
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.training.fit.experiment import Configuration
from earnest.training.fit.ledger import OutcomeLog
from earnest.training.fit.problem import explain_no_estimate
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import Run, RunOptions, open_run, run_cells
from earnest.training.fit.splits import Splits
from earnest.training.protocols import Params
from earnest.training.search.dropping.bced import DroppingRule, DropTrace
from earnest.training.search.guidance import CrossedAsker, find_halves, score_own_halves
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
    ledger : OutcomeLog
        The outcomes.
    splits : range
        The splits that were run.
    dropped : DropTrace
        Which configurations were dropped, and when.
    begun : str, optional
        When it was begun.
    """

    ledger: OutcomeLog
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
    ledger = OutcomeLog(
        splits, prepared.problem.plan, prepared.scoring.names, static=fixed, halves=halves
    )
    by_fold = _by_fold(options, candidates)
    if options.drop is not None or options.stop_when_width is not None:
        _refuse_no_metric(prepared)
    with (
        open_page(options.live, _name_search(options)) as page,
        _watch_by(page, options, prepared, ledger) as run,
        open_run(
            prepared.experiment,
            replace(run, deadline=deadline),
            identity=prepared.identity,
            total=_count_planned_fits(candidates) * len(splits),
            title="Search",
        ) as opened,
    ):
        if opened.store is not None:
            opened.store.put_document(ABOUT, _describe_search(options, prepared))
            put_cases(opened.store, prepared.problem.plan, splits, static=fixed, halves=halves)
        begun = _date_run(opened.store)
        search_run = SearchRun(ledger, range(len(splits)), begun=begun)
        if isinstance(candidates, DynamicSearch):
            batches = _Batches(opened, ledger, options, prepared, monotonic())
            if halves is None:
                _run_dynamic(batches, candidates)
            else:
                _run_crossed(batches, candidates)
            search_run = replace(search_run, dropped=batches.dropped)
        elif by_fold:
            configs = enter_configs(opened, ledger, candidates.ids, candidates.configurations)
            done, dropped = _run_by_fold(opened, ledger, configs, options, prepared)
            search_run = replace(search_run, splits=range(done), dropped=dropped)
        else:
            configs = enter_configs(opened, ledger, candidates.ids, candidates.configurations)
            record_all(opened, ledger, ledger.make_tasks(configs, search_run.splits))
    return search_run


def _by_fold(options: SearchOptions, candidates: ConfigurationList | DynamicSearch) -> bool:
    """Tell whether all configurations are evaluated on one split before the next."""
    early = options.drop is not None or options.stop_when_width is not None
    return early and isinstance(candidates, ConfigurationList)


def _name_search(options: SearchOptions) -> str:
    """Return the name of the searched estimator, for the title of a live page."""
    base = find_base_estimator(options)
    steps = getattr(base, "steps", None)
    return type(steps[-1][1] if steps else base).__name__


@contextmanager
def _watch_by(
    page: LivePage | None, options: SearchOptions, prepared: SearchSetup, ledger: OutcomeLog
) -> Iterator[RunOptions]:
    """Yield how fits are run, with their progress counted, and shown on a live page."""
    run, names = options.run, prepared.scoring.names or (SINGLE,)
    meter = read_meter(run.progress)
    meter.expect(n_configs=_count_planned_fits(prepared.candidates), n_splits=len(prepared.splits))
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
        by_fold=_by_fold(options, prepared.candidates),
    )
    with meter.joined_by(watch):
        try:
            yield run
        finally:
            watch.finish()


def count_planned(candidates: ConfigurationList | DynamicSearch) -> int | None:
    """Return the largest number of configurations, or None if it is unknown."""
    return len(candidates) if isinstance(candidates, ConfigurationList) else candidates.limit()


def count_fits(configurations: Sequence[Configuration]) -> int:
    """Return how many fits on a split configurations need; stages of a fit need one."""
    fits = {configuration.fit for configuration in configurations if configuration.fit is not None}
    return len(fits) + sum(configuration.fit is None for configuration in configurations)


def _count_planned_fits(candidates: ConfigurationList | DynamicSearch) -> int:
    if isinstance(candidates, ConfigurationList):
        return count_fits(candidates.configurations)
    return count_planned(candidates) or 0


def record_all(opened: Run, ledger: OutcomeLog, cells: Sequence[EngineTask]) -> None:
    """Run cells and record their outcomes."""
    for outcome in run_cells(opened, cells):
        ledger.record(outcome)


def enter_configs(
    opened: Run,
    ledger: OutcomeLog,
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
    ledger: OutcomeLog,
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
            _skip(opened, _count_alive_fits(ledger, alive) * (count - done))
            return done, trace
        if drop is not None:
            test, before = drop.test(pi, metric, seeds, done, alive), alive
            trace, alive = trace.after(test, tuple(ledger.ids)), alive & ~test.dropped
            ended = _count_alive_fits(ledger, before) - _count_alive_fits(ledger, alive)
            _skip(opened, ended * (count - done))
    return count, trace


def _count_alive_fits(ledger: OutcomeLog, alive: NDArray[np.bool_]) -> int:
    return count_fits([ledger.configurations[config] for config in np.flatnonzero(alive)])


def _skip(opened: Run, count: int) -> None:
    """Tell that so many fits will not be made."""
    if count:
        opened.progress.drop(count)


@dataclass(eq=False)
class _Batches:
    """Evaluates what a dynamic search proposes, one batch after another.

    Where configurations may be dropped, those of one sampler are compared after each split, on the
    cases whose scores this sampler is told: so what ends early depends on nothing else either.
    """

    opened: Run
    ledger: OutcomeLog
    options: SearchOptions
    prepared: SearchSetup
    began: float
    dropped: DropTrace = field(default_factory=DropTrace)
    _teams: dict[int, int] = field(default_factory=dict)  # the sampler of each configuration

    @property
    def open(self) -> bool:
        """Whether there is time for another batch; always for the first."""
        return not self.ledger.ids or monotonic() - self.began < self.options.budget_seconds

    def evaluate(
        self,
        proposals: Sequence[Params],
        teams: Sequence[int],
        guided_by: Sequence[int] | None = None,
    ) -> range:
        """Evaluate what was proposed, each by the sampler of a team, and return the positions."""
        ledger, first = self.ledger, len(self.ledger.ids)
        names = [f"c{first + i}" for i in range(len(proposals))]
        configurations = [Configuration(dict(params)) for params in proposals]
        if not first:  # a space that is wrong is so from the start
            check_configurations(self.opened.experiment.value.base, configurations)
        configs = enter_configs(self.opened, ledger, names, configurations, guided_by)
        self._teams |= dict(zip(configs, teams, strict=True))
        if self.options.dropping is None:
            tasks = ledger.make_tasks(configs, range(len(ledger.splits)))
            record_all(self.opened, ledger, tasks)
        else:
            self._run_by_split(configs, self.options.dropping)
        return configs

    def _run_by_split(self, configs: range, rule: DroppingRule) -> None:
        count, alive = len(self.ledger.splits), list(configs)
        for done in range(1, count + 1):
            record_all(self.opened, self.ledger, self.ledger.make_tasks(alive, [done - 1]))
            if done == count:
                return
            ended: set[int] = set()
            for team in sorted({self._teams[config] for config in alive}):
                mine = [config for config in alive if self._teams[config] == team]
                ended |= self._drop(mine, team, done, rule)
            _skip(self.opened, len(ended) * (count - done))
            alive = [config for config in alive if config not in ended]

    def _drop(self, mine: Sequence[int], team: int, done: int, rule: DroppingRule) -> set[int]:
        """Return which of a team's configurations end after so many splits."""
        ledger, count = self.ledger, len(self.ledger.splits)
        rivals = [
            config
            for config in range(mine[0])
            if self._teams[config] == team and ledger.count_splits(config) == count
        ]
        pi = ledger.make_predictions([*rivals, *mine], done)
        if pi is None:
            return set()
        metric = cast(Metric, self.prepared.problem.metric)
        pi = pick_answer(pi, metric)
        if pi.guides is not None:
            pi = pi.take(np.flatnonzero(pi.guides.halves == team))
        test = rule.test(pi, metric, Seeds(self.prepared.seed), done)
        test.dropped[: len(rivals)] = False  # they are whole already
        self.dropped = self.dropped.after(test, pi.configs.ids)
        names = {pi.configs.ids[place] for place in np.flatnonzero(test.dropped)}
        return {config for config in mine if ledger.ids[config] in names}


def _run_dynamic(batches: _Batches, candidates: DynamicSearch) -> None:
    """Run a search that proposes configurations and learns their mean scores."""
    ledger, asker = batches.ledger, candidates.start(batches.prepared.seed)
    while batches.open and (proposals := list(asker.ask())):
        configs = batches.evaluate(proposals, [0] * len(proposals))
        asker.tell([_average_scores(ledger, config, batches.options) for config in configs])
    _refuse_nothing_proposed(ledger)


def _run_crossed(batches: _Batches, candidates: DynamicSearch) -> None:
    """Run a search whose two samplers each learn the scores of one half of the cases.

    What survives dropping was chosen by a half, so that this half does not judge it, even if its
    sampler had been told nothing.
    """
    ledger, metric = batches.ledger, cast(Metric, batches.prepared.problem.metric)
    asker = CrossedAsker(candidates, Seeds(batches.prepared.seed))
    drops = batches.options.dropping is not None
    while batches.open and (proposals := asker.ask()):
        halves = [proposal.half for proposal in proposals]
        guided_by = halves if drops else [proposal.guided_by for proposal in proposals]
        configs = batches.evaluate([proposal.params for proposal in proposals], halves, guided_by)
        asker.tell(halves, score_own_halves(ledger, configs, halves, metric))
    _refuse_nothing_proposed(ledger)


def _refuse_nothing_proposed(ledger: OutcomeLog) -> None:
    if not ledger.ids:
        raise InputError("the search did not propose a configuration", needs="at least one")


def _average_scores(ledger: OutcomeLog, config: int, options: SearchOptions) -> float:
    """Return the mean score of one configuration over its splits, by which the search chooses."""
    names, splits = ledger.score_names, range(ledger.count_splits(config))
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
