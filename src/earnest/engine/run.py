"""Run tasks, here or in parallel, and give each outcome when it is finished and stored."""

from __future__ import annotations

import math
import os
import queue
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from earnest.core.base.errors import ClusterError, EarnestError, InputError
from earnest.core.base.protocols import EngineTask, Progress, Store, TaskOutcome
from earnest.core.base.threads import cores
from earnest.engine.backends import BackendPlan, Place, count_ahead, plan_backend
from earnest.engine.clusters.dask import DaskParcel, DaskTraffic
from earnest.engine.clusters.ray import RayTraffic
from earnest.engine.clusters.traffic import run_on_cluster
from earnest.engine.limits import GRACE, DeadlineError, TaskLimit
from earnest.engine.parcels import (
    BytesParcel,
    FileParcel,
    Parcel,
    RayParcel,
    ReferenceParcel,
    RunContent,
    SharedData,
    by_file,
)
from earnest.engine.worker import (
    ENDED,
    LIMITED,
    OVER,
    TIME_LIMIT,
    Chunks,
    FallenTask,
    Sent,
    Work,
    WorkerBatch,
    collect_fallen,
    failure,
    is_working,
    perform,
    perform_chunk,
    perform_packed,
)

if TYPE_CHECKING:
    from joblib import Parallel
    from joblib.externals.loky import ProcessPoolExecutor

_PACKED: dict[Place, Callable[[RunContent], Parcel]] = {
    Place.THREADS: ReferenceParcel,
    Place.RAY: RayParcel.of,
    Place.ELSEWHERE: BytesParcel.of,
}
MOST_BREAKS = 3  # in a row, of pools in which no task was under way
PATIENCE = 120.0  # seconds until a chunk that no process works on counts as lost
LOOK = 1.0  # seconds between two looks
DEAD_LOOKS = 10  # in a row without a living process, until its pool counts as not noticing
KEPT_ALIVE = 300  # seconds for which an idle process waits for more, as joblib's do
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run_tasks(
    work: Work,
    shared: object,
    tasks: Sequence[EngineTask],
    *,
    n_jobs: int | None = None,
    store: Store | None = None,
    time_limit: float | None = None,
    grace: float = GRACE,
    deadline: float = math.inf,
    progress: Progress | None = None,
    pre_dispatch: int | str = "2*n_jobs",
) -> Iterator[TaskOutcome]:
    """Run tasks and yield their outcomes as they are finished, stored ones first.

    A task that fails, crashes its process or takes too long gives an outcome with `error`; the
    others go on. Outcomes come in any order; what they hold depends on neither order, `n_jobs`
    nor back end. Closing the iterator, or interrupting from the keyboard, stops the workers; what
    was yielded is in the store. A cluster that is lost raises a `ClusterError`.

    Parameters
    ----------
    work : callable
        `work(shared, task) -> Outcome`, with the key of the task. In parallel it runs in other
        processes, so it must depend on its arguments only; settings of other libraries travel in
        `shared`. Warning filters go along.
    shared : object
        What all tasks need; sent once. Tasks must not change it. With `keep(shared)` it is sent
        once for all the runs in which it is given.
    tasks : sequence of Task
        With different keys.
    n_jobs : int, optional
        How many at once: as joblib means it, under the caller's `joblib.parallel_config`.
    store : Store, optional
        An open store. Tasks that it has are not run, except those that ran out of a `time_limit`
        that is now longer or None; the others are put there as they finish.
    time_limit : float, optional
        Seconds for each task. Python code is interrupted; where only C code is under way, its
        process is ended `grace` seconds later (back end loky, and for `n_jobs=1` one process
        besides this one; elsewhere such code cannot be stopped).
    grace : float
        Seconds from the time limit until the process is ended.
    deadline : float
        When the run is over, on the clock of `time.monotonic`. What is under way then is
        interrupted like at a time limit, without an outcome, and `DeadlineError` is raised. On a
        cluster, whose clocks are others, it is looked at between two outcomes.
    progress : Progress, optional
        Notified of every outcome.
    pre_dispatch : int or str
        How many parcels of tasks joblib sends before the first comes back, as joblib means it:
        a number, an expression of `n_jobs`, or 'all'. It changes no outcome. A cluster of dask or
        ray has a queue of its own and does not look at it.

    Examples
    --------
    >>> from earnest.core.base.protocols import TaskOutcome, EngineTask
    >>> from earnest.engine.run import run_tasks
    >>> def work(shared, task):
    ...     return TaskOutcome(task.key, numbers={"power": shared**task.payload})
    >>> tasks = [EngineTask((exponent,), exponent) for exponent in (1, 2, 3)]
    >>> [outcome.numbers["power"] for outcome in run_tasks(work, 2, tasks)]
    [2.0, 4.0, 8.0]
    """
    tasks = list(tasks)
    if len({task.key for task in tasks}) < len(tasks):
        raise InputError("two tasks have the same key", needs="a unique key for every task")
    where = replace(plan_backend(n_jobs, limited=time_limit is not None), pre_dispatch=pre_dispatch)
    limit = TaskLimit.of(time_limit, grace, deadline if where.local else math.inf)
    shared_data = shared if isinstance(shared, SharedData) else None
    content = RunContent(work, shared if shared_data is None else shared_data.value, limit)
    return _yield_outcomes(content, shared_data, tasks, where, store, progress, deadline)


def _yield_outcomes(
    content: RunContent,
    shared_data: SharedData[object] | None,
    tasks: Sequence[EngineTask],
    where: BackendPlan,
    store: Store | None,
    progress: Progress | None,
    deadline: float,
) -> Iterator[TaskOutcome]:
    done = store.done() if store is not None else {}
    waiting = []
    for task in tasks:
        outcome = done.get(task.key)
        if outcome is None or _has_more_time(outcome, content.limit):
            waiting.append(task)
            continue
        if progress is not None:
            progress.advance(outcome, stored=True)
        yield outcome
    try:
        with closing(_run_fresh(content, shared_data, waiting, where)) as fresh:
            left = len(waiting)
            for outcome in fresh:
                if outcome.note == OVER:
                    break
                if store is not None:
                    store.put(outcome)
                if progress is not None:
                    progress.advance(outcome)
                left -= 1
                yield outcome
                if left and time.monotonic() >= deadline:
                    break
            if left:
                raise DeadlineError("the run has reached its deadline", got=f"{left} tasks to do")
    except ClusterError as error:
        if store is None:
            raise
        store.flush()
        raise error.resume_by("store", stored=len(store.done())) from error


def _has_more_time(outcome: TaskOutcome, limit: TaskLimit | None) -> bool:
    """Tell whether a stored task ran out of a time limit that is now longer, or gone."""
    if outcome.note != TIME_LIMIT:
        return False
    return limit is None or limit.seconds > outcome.numbers.get(LIMITED, 0.0)


def _run_fresh(
    content: RunContent,
    shared_data: SharedData[object] | None,
    tasks: Sequence[EngineTask],
    where: BackendPlan,
) -> Generator[TaskOutcome]:
    if where.place is Place.HERE or not tasks:
        for task in tasks:
            yield perform(content.work, content.shared, task, content.limit)
        return
    with _send_content(content, shared_data, where) as parcel:
        if isinstance(parcel, DaskParcel):
            yield from run_on_cluster(lambda: DaskTraffic(parcel), tasks)
        elif isinstance(parcel, RayParcel):
            yield from run_on_cluster(
                lambda: RayTraffic(where.n_jobs, parcel, where.options), tasks
            )
        elif isinstance(parcel, FileParcel):
            yield from _run_with_replacement(parcel, tasks, where, content.limit)
        else:
            yield from _run_joblib(parcel, Chunks(tasks, where.n_jobs), where)


def _send_content(
    content: RunContent, shared_data: SharedData[object] | None, where: BackendPlan
) -> AbstractContextManager[Parcel | DaskParcel]:
    """Send the content to where the tasks run; shared data that is kept, only once."""
    if shared_data is None:
        return _pack_content(content, where)
    return shared_data.packed(
        content, (where.place, where.cluster), lambda: _pack_content(content, where)
    )


def _pack_content(
    content: RunContent, where: BackendPlan
) -> AbstractContextManager[Parcel | DaskParcel]:
    if where.cluster is not None:
        return where.cluster.scattered(content)
    if where.place is Place.PROCESSES:
        return by_file(content)
    return nullcontext(_PACKED[where.place](content))


def _run_with_replacement(
    parcel: FileParcel, tasks: Sequence[EngineTask], where: BackendPlan, limit: TaskLimit | None
) -> Iterator[TaskOutcome]:
    """Run in processes; when one ends, fail its task and continue the rest in a new pool."""
    waiting = {task.key: task for task in tasks}
    breaks = 0
    collect_fallen(parcel.folder)  # marks of an earlier run with the same data, that was left early
    while waiting:
        try:
            chunks = Chunks(list(waiting.values()), where.n_jobs)
            with closing(_run_joblib(parcel, chunks, where)) as outcomes:
                for outcome in outcomes:
                    del waiting[outcome.key]
                    yield outcome
        except BrokenProcessPool as broken:
            if limit is not None and limit.is_over:
                return
            fallen = [dead for dead in collect_fallen(parcel.folder) if dead.key in waiting]
            breaks = 0 if fallen else breaks + 1
            if breaks == MOST_BREAKS:
                raise _make_no_pool_error(broken) from broken
            proven = [dead for dead in fallen if dead.trace]
            for dead in proven or fallen:
                task = waiting.pop(dead.key)
                yield _make_ended(dead, limit) if proven else _run_alone(parcel, task, dead, limit)


def _run_alone(
    parcel: FileParcel, task: EngineTask, before: FallenTask, limit: TaskLimit | None
) -> TaskOutcome:
    """Return the outcome of a task that was running when a pool broke without a trace.

    Any of those under way may have broken it, so each is run again with none beside it: who
    breaks it again is to blame, and who only ran out of memory together with others is not.
    """
    try:
        chunks = Chunks([task], 1, single=True)
        (outcome,) = _run_joblib(parcel, chunks, BackendPlan(Place.PROCESSES, 1))
    except BrokenProcessPool:
        again = collect_fallen(parcel.folder)
        return _make_ended(again[0] if again else before, limit)
    return outcome


def _make_ended(fallen: FallenTask, limit: TaskLimit | None) -> TaskOutcome:
    if fallen.timed_out:
        text = "The time limit was reached and the code did not return; its process was ended."
        return failure(fallen.key, f"{text}\n{fallen.trace}", TIME_LIMIT, limit=limit)
    text = "The worker process ended while it ran this task."
    return failure(fallen.key, f"{text}\n{fallen.trace}", ENDED)


def _run_joblib(parcel: Parcel, chunks: Chunks, where: BackendPlan) -> Generator[TaskOutcome]:
    """Yield outcomes as they come; what comes back undone at the very end goes out once more."""
    while chunks.waiting:
        with closing(_yield_reports(parcel, chunks, where)) as reports:
            for report in reports:
                yield from chunks.learned(report)
    yield from chunks.unsent


def _yield_reports(parcel: Parcel, chunks: Chunks, where: BackendPlan) -> Generator[WorkerBatch]:
    """Yield reports as they come, or batch by batch where a back end cannot give them so."""
    from joblib import Parallel, delayed

    if where.place is Place.PROCESSES and where.n_jobs == 1:
        yield from _yield_from_one(parcel, chunks)
        return
    calls = (delayed(perform_chunk)(parcel, chunk) for chunk in chunks)
    if where.streams:
        pool = _make_pool(where)
        reports = pool(calls)
        try:
            for report in reports:  # noqa: UP028  # `yield from` would close it before `_close_reports` does
                yield report
        finally:
            _close_reports(pool, reports)
    else:
        ahead = count_ahead(where.pre_dispatch, where.n_jobs)
        with Parallel(where.n_jobs, batch_size=1, pre_dispatch=ahead) as parallel:
            while batch := list(islice(calls, 2 * where.n_jobs)):
                yield from parallel(batch)


def _yield_from_one(parcel: Parcel, chunks: Chunks) -> Generator[WorkerBatch]:
    """Yield reports of one process besides this one, that is kept for further runs.

    joblib would run a single job in this process, where nothing can end it; and of two processes
    each would load what the tasks need.
    """
    done = False
    try:
        for chunk in chunks:
            yield _perform_alone(parcel, chunk)
        done = True
    finally:
        if not done:  # broken, or left early: what is under way is wanted by nobody
            _SingleProcess.end()


def _perform_alone(parcel: Parcel, chunk: Sequence[Sent]) -> WorkerBatch:
    """Return the report of the kept process; a chunk that got lost on its way is sent again.

    A process that ends because it was idle, just when it is sent a chunk, can lose it, and its
    pool would wait for ever. Lost is what no process works on after a while, which doubles. The
    mark of a task whose process has died says nothing: a pool notices at once, or never.
    """
    patience = PATIENCE
    while True:
        future = _SingleProcess.get().submit(perform_packed, parcel, chunk)
        until, idle, dead = time.monotonic() + patience, 0, 0
        while idle < 2 and dead < DEAD_LOOKS:  # a look may fall between two tasks
            try:
                report: WorkerBatch = future.result(timeout=LOOK)
            except TimeoutError:
                if future.done():
                    raise
            else:
                return report
            if not isinstance(parcel, FileParcel):  # nothing tells what its process does
                continue
            lives = _SingleProcess.lives()
            dead = 0 if lives else dead + 1
            works = lives and is_working(parcel.folder)
            idle = 0 if works or time.monotonic() < until else idle + 1
        _SingleProcess.end()
        patience *= 2


class _SingleProcess:
    """The process for one task at a time, started when first asked for."""

    _kept: ClassVar[ProcessPoolExecutor | None] = None
    _owner: ClassVar[int] = 0  # a process that was forked from its owner has none

    @classmethod
    def get(cls) -> ProcessPoolExecutor:
        from joblib.externals.loky import ProcessPoolExecutor

        if cls._kept is None or cls._owner != os.getpid():
            env = dict.fromkeys(THREADS, str(max(1, cores() // 2)))
            cls._kept = ProcessPoolExecutor(max_workers=1, timeout=KEPT_ALIVE, env=env)
            cls._owner = os.getpid()
        return cls._kept

    @classmethod
    def lives(cls) -> bool:
        """Tell whether the process runs, or may: a pool that shows none counts as running."""
        processes = list((getattr(cls._kept, "_processes", None) or {}).values())
        return not processes or any(process.is_alive() for process in processes)

    @classmethod
    def end(cls) -> None:
        executor, cls._kept = cls._kept, None
        if executor is not None and cls._owner == os.getpid():
            executor.shutdown(wait=False, kill_workers=True)


def _make_pool(where: BackendPlan) -> Parallel:
    """Return a pool of several processes or threads."""
    from joblib import Parallel

    return Parallel(
        max(2, where.n_jobs),
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch=count_ahead(where.pre_dispatch, where.n_jobs) if where.n_jobs > 1 else 1,
    )


def _close_reports(pool: Parallel, reports: Generator[WorkerBatch]) -> None:
    """Stop the workers; joblib need not warn that what they have not given back is lost."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _withdraw_queued(pool)
        reports.close()


def _withdraw_queued(pool: Parallel) -> None:
    """Empty loky's queue of chunks that no process has, and let joblib send no more.

    loky forgets its pending chunks when it is ended, but not their numbers in this queue. Its
    thread then fails with a KeyError, which Python prints.
    """
    executor = getattr(getattr(pool, "_backend", None), "_workers", None)
    numbers = getattr(executor, "_work_ids", None)
    if numbers is None:  # another back end, or nothing was sent
        return
    with getattr(pool, "_lock", nullcontext()), suppress(queue.Empty):
        pool._aborting = True
        while True:
            numbers.get_nowait()


def _make_no_pool_error(broken: BrokenProcessPool) -> EarnestError:
    return EarnestError(
        "worker processes end before they start a task",
        got=str(broken).partition("\n")[0],
        cure="Use n_jobs=1, or another back end with joblib.parallel_config(backend='threading').",
    )
