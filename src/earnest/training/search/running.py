"""Running a search: all cells at once, in rounds of one split, or as a dynamic search asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from earnest.adapters.trials.run_file import CONFIGS
from earnest.adapters.trials.scored import shown_configs
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Outcome, Progress, Store, Task
from earnest.core.base.rng import Seeds
from earnest.engine.parcels import Kept
from earnest.engine.run import run
from earnest.metrics.families import Metric
from earnest.training.fit.cell import UNPREDICTED, Training, fit_cell
from earnest.training.fit.ledger import Ledger
from earnest.training.search.candidates import (
    DynamicCandidates,
    Setting,
    StaticCandidates,
    check_settings,
)
from earnest.training.search.dropping.bced import Dropping, DropTrace
from earnest.training.search.dropping.stopping import StopWhenWidth


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Rounds:
    """What is asked after each split.

    Parameters
    ----------
    metric : Metric
        What configurations are compared by.
    seeds : Seeds
        The root of the resamples that are drawn for it.
    drop : Dropping, optional
        The rule that ends configurations early.
    stop : StopWhenWidth, optional
        The rule that leaves out the rest of the splits.
    """

    metric: Metric
    seeds: Seeds
    drop: Dropping | None = None
    stop: StopWhenWidth | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Runner:
    """Runs tasks and enters what they give.

    Parameters
    ----------
    shared : Kept
        What all cells share; it stays with the workers from one round to the next.
    ledger : Ledger
        Where outcomes are entered.
    n_jobs, store, time_limit, progress, pre_dispatch
        As the engine takes them.
    raises : bool
        Whether the first failure is raised.
    """

    shared: Kept[Training]
    ledger: Ledger
    n_jobs: int | None = None
    store: Store | None = None
    time_limit: float | None = None
    progress: Progress | None = None
    pre_dispatch: int | str = "2*n_jobs"
    raises: bool = False

    def __call__(self, tasks: Sequence[Task]) -> None:
        """Run tasks; those that are in the store are read from it."""
        payloads = {task.key: task for task in tasks} if self.raises else {}
        for outcome in run(
            fit_cell,
            self.shared,
            tasks,
            n_jobs=self.n_jobs,
            store=self.store,
            time_limit=self.time_limit,
            progress=self.progress,
            pre_dispatch=self.pre_dispatch,
        ):
            if self.raises and (outcome.failed or outcome.note):
                raise_again(self.shared.value, payloads[outcome.key], outcome)
            self.ledger.record(outcome)

    def enter(self, ids: Sequence[str], settings: Sequence[Setting]) -> range:
        """Enter configurations; a store is told what they are, for who reads the file alone."""
        added = self.ledger.add(ids, settings)
        if self.store is not None:
            shown = shown_configs(self.ledger.ids, [one.params for one in self.ledger.settings])
            pairs = zip(self.ledger.ids, shown, strict=True)
            listed = [{"config": name, "params": params} for name, params in pairs]
            self.store.put_document(CONFIGS, json.dumps(listed))
        return added

    def skip(self, count: int) -> None:
        """Tell that so many fits will not be made."""
        if self.progress is not None and count:
            self.progress.drop(count)


def raise_again(shared: Training, task: Task, outcome: Outcome) -> None:
    """Repeat a cell that failed here, so that its own exception comes out; else tell of it."""
    if outcome.error is None or outcome.note in (None, UNPREDICTED):
        fit_cell(replace(shared, callbacks=None), task, raises=True)
    raise InputError(
        f"fit {task.key} failed" + (f" ({outcome.note})" if outcome.note else ""),
        got=f"{outcome.error or outcome.note}",
        cure="Without error_score='raise' the search goes on.",
    )


def run_static(
    runner: Runner, candidates: StaticCandidates, rounds: Rounds | None = None
) -> Journey:
    """Run candidates that are known in advance.

    With `rounds` the splits go one after another: all configurations that are alive on one split,
    then whether it is enough, then who is dropped.
    """
    ledger, count = runner.ledger, len(runner.ledger.splits)
    configs = list(runner.enter(candidates.ids, candidates.settings))
    if rounds is None:
        runner(ledger.tasks(configs, range(count)))
        return Journey(range(count))
    alive, trace = np.ones(len(configs), dtype=bool), DropTrace()
    for done in range(1, count + 1):
        runner(ledger.tasks(np.flatnonzero(alive).tolist(), [done - 1]))
        pi = ledger.predictions()
        if done == count or pi is None:
            continue
        if rounds.stop is not None:
            look = rounds.stop.test(pi, rounds.metric, rounds.seeds, done)
            if look.stop:
                runner.skip(int(alive.sum()) * (count - done))
                return Journey(range(done), trace)
        if rounds.drop is not None:
            test = rounds.drop.test(pi, rounds.metric, rounds.seeds, done, alive)
            trace, alive = trace.after(test, tuple(ledger.ids)), alive & ~test.dropped
            runner.skip(int(test.dropped.sum()) * (count - done))
    return Journey(range(count), trace)


def run_dynamic(
    runner: Runner, candidates: DynamicCandidates, seed: int, score: Callable[[int], float]
) -> Journey:
    """Run a search that asks for configurations and is told their mean scores."""
    ledger, count = runner.ledger, len(runner.ledger.splits)
    asker = candidates.start(seed)
    while asked := list(asker.ask()):
        first = len(ledger.ids)
        names = [f"c{first + i}" for i in range(len(asked))]
        settings = [Setting(dict(params)) for params in asked]
        if not first:  # a space that is wrong is so from the start
            check_settings(runner.shared.value.base, settings)
        configs = runner.enter(names, settings)
        runner(ledger.tasks(configs, range(count)))
        asker.tell([score(config) for config in configs])
    if not ledger.ids:
        raise InputError("the search proposed no configuration", needs="one at least")
    return Journey(range(count))


def mean_score(ledger: Ledger, config: int, name: str, missing: float) -> float:
    """Return the mean score of one configuration over all splits."""
    splits = range(len(ledger.splits))
    return float(np.mean(ledger.numbers(f"test_{name}", splits, missing, [config])[0]))
