"""Runs cells: the one place where the package hands fits to the engine.

Every verb that trains opens a run and gives it cells. A run keeps finished cells in a store,
reports progress, and reads cells that the store already has. Verbs differ only in the cells that
they make and in what they do with the outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Key, Progress, Store, TaskOutcome
from earnest.engine.parcels import SharedData, keep
from earnest.engine.progress import Meter, watch_progress
from earnest.engine.run import run_tasks
from earnest.store import as_store
from earnest.training.fit.experiment import UNPREDICTED, Experiment, fit_cell
from earnest.training.fit.stages import StageStore, split_stages


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How cells are run; no option changes an outcome.

    Parameters
    ----------
    n_jobs : int, optional
        How many cells at once.
    store : str, Path or Store, optional
        Where finished cells are kept.
    time_limit : float, optional
        Seconds for each cell.
    deadline : float
        When the run is over, on the clock of `time.monotonic`.
    progress : Progress or bool, optional
        Receives the progress; True shows a bar.
    pre_dispatch : int or str
        How many parcels of cells joblib sends ahead.
    raises : bool
        Whether the first failure is raised.
    """

    n_jobs: int | None = None
    store: str | Path | Store | None = None
    time_limit: float | None = None
    deadline: float = math.inf
    progress: Progress | bool | None = None
    pre_dispatch: int | str = "2*n_jobs"
    raises: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """A run that is open.

    Parameters
    ----------
    experiment : SharedData
        What all cells share; it stays with the workers between calls.
    options : RunOptions
        How cells are run.
    store : Store, optional
        The store, open and locked.
    progress : Meter
        Counts the cells.
    """

    experiment: SharedData[Experiment]
    options: RunOptions
    store: Store | None = None
    progress: Meter = field(default_factory=Meter)


@contextmanager
def open_run(
    experiment: Experiment,
    options: RunOptions,
    *,
    identity: Mapping[str, str],
    total: int,
    title: str,
) -> Iterator[Run]:
    """Open the store and start the progress; close both at the end.

    Parameters
    ----------
    experiment : Experiment
        What all cells share.
    options : RunOptions
        How cells are run.
    identity : mapping
        What identifies the run: a stored run is resumed only if it is the same.
    total : int
        How many cells there will be, as far as known.
    title : str
        The name of the run in the progress bar.
    """
    with ExitStack() as stack:
        store = as_store(options.store)
        if store is not None:
            stack.enter_context(store)
            store.open(identity)
        run = stack.enter_context(keep(experiment))
        progress = stack.enter_context(watch_progress(options.progress, total, title))
        stack.enter_context(_note_what_is_kept(options.store))
        yield Run(run, options, store, progress)


def run_cells(opened: Run, cells: Sequence[EngineTask]) -> Iterator[TaskOutcome]:
    """Run cells and yield their outcomes as they finish, one per stage; stored ones are read.

    Parameters
    ----------
    opened : Run
        The run.
    cells : sequence of Task
        Each with a unique key and a `Cell` as its payload.
    """
    options = opened.options
    by_key = {task.key: task for task in cells} if options.raises else {}
    stages = {task.key: task.payload.stages for task in cells if task.payload.stages}
    store: Store | None = opened.store
    if store is not None and stages:
        store = cast(Store, StageStore(store, stages))
    for outcome in run_tasks(
        fit_cell,
        opened.experiment,
        cells,
        n_jobs=options.n_jobs,
        store=store,
        time_limit=options.time_limit,
        deadline=options.deadline,
        progress=opened.progress,
        pre_dispatch=options.pre_dispatch,
    ):
        if options.raises and (outcome.failed or outcome.note):
            _raise_again(opened.experiment.value, by_key[outcome.key], outcome)
        if outcome.key in stages:
            yield from split_stages(outcome, stages[outcome.key])
        else:
            yield outcome


def run_all(
    experiment: Experiment,
    cells: Sequence[EngineTask],
    options: RunOptions,
    *,
    identity: Mapping[str, str],
    title: str,
) -> dict[Key, TaskOutcome]:
    """Open a run, run all its cells, and return their outcomes by key."""
    total = len(cells)
    with open_run(experiment, options, identity=identity, total=total, title=title) as opened:
        return {outcome.key: outcome for outcome in run_cells(opened, cells)}


def _raise_again(experiment: Experiment, task: EngineTask, outcome: TaskOutcome) -> None:
    """Repeat a failed cell in this process to raise its own exception, or raise its message."""
    if outcome.error is None or outcome.note in (None, UNPREDICTED):
        fit_cell(replace(experiment, callbacks=None), task, raises=True)
    raise InputError(
        f"fit {task.key} failed" + (f" ({outcome.note})" if outcome.note else ""),
        got=f"{outcome.error or outcome.note}",
        cure="Leave out error_score='raise' to continue the search.",
    )


@contextmanager
def _note_what_is_kept(store: str | Path | Store | None) -> Iterator[None]:
    """Add to the traceback of Ctrl-C that finished work is kept."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if isinstance(store, (str, Path)):
            stop.add_note(
                f"Finished work is kept in {str(store)!r}. Repeat the same call to continue."
            )
        raise
