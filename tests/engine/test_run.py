"""The outcomes of a run depend on neither how many at once, nor where, nor what fails beside."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import LokyBackend

from earnest.core import EngineTask, TaskOutcome
from earnest.engine import TOGETHER, Chunks, WorkerBatch, keep, run_tasks
from earnest.engine import run as engine_run
from earnest.errors import EarnestError, InputError
from earnest.store import MemoryStore, SqliteStore
from tests.engine.works import (
    Counted,
    Deadly,
    drop_dead_once,
    lasting,
    nested,
    powers,
    processes,
    trouble,
)
from tests.snapshots import Golden
from tests.store.examples import same

# From Python 3.12 on, the back end "multiprocessing" warns that it forks beside threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

SHARED = np.arange(2000.0)  # large enough to be mapped
TASKS = [EngineTask((number, 0), number) for number in range(30)]


class Elsewhere(LokyBackend):  # type: ignore[misc]  # joblib has no types
    """A back end that is not known: perhaps on other machines."""


@contextmanager
def backend(name: str) -> Iterator[int]:
    """Set a back end of joblib, and give the number of jobs to ask of it."""
    if name == "here":
        yield 1
        return
    if name == "elsewhere":
        joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config(backend=name):
        yield 2


BACKENDS = ["here", "loky", "threading", "multiprocessing", "elsewhere"]


def collected(found: Iterator[TaskOutcome]) -> dict[tuple[int, ...], TaskOutcome]:
    outcomes = list(found)
    assert len({o.key for o in outcomes}) == len(outcomes)
    return {o.key: o for o in outcomes}


def same_all(left: dict, right: dict) -> bool:
    return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)


@pytest.mark.parametrize("name", BACKENDS)
def test_outcomes_are_those_of_a_plain_loop(name: str) -> None:
    with backend(name) as n_jobs:
        found = collected(run_tasks(powers, SHARED, TASKS, n_jobs=n_jobs))
    assert same_all(found, {task.key: powers(SHARED, task) for task in TASKS})


@pytest.mark.parametrize("name", BACKENDS)
def test_what_is_stored_is_not_run_again(name: str, tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "run.db") as store:
        store.open({})
        marked = TaskOutcome((3, 0), {}, {"s": -1.0})
        store.put(marked)
        with backend(name) as n_jobs:
            found = run_tasks(powers, SHARED, TASKS, n_jobs=n_jobs, store=store)
            assert same(next(found), marked)  # stored ones first
            rest = collected(found)
        assert len(rest) == len(TASKS) - 1
        again = collected(run_tasks(None, None, TASKS, n_jobs=2, store=store))  # type: ignore[arg-type]
    assert same_all(again, rest | {(3, 0): marked})


def test_each_outcome_is_stored_when_it_is_given() -> None:
    store = MemoryStore()
    store.open({})
    for count, _ in enumerate(run_tasks(powers, SHARED, TASKS[:5], store=store), start=1):
        assert len(store.done()) == count


@pytest.mark.parametrize("name", ["loky", "threading", "multiprocessing"])
def test_a_long_task_never_waits_for_another_one_to_be_kept(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    reports: list[list[float]] = []
    learned = Chunks.learned

    def noted(self: Chunks, report: WorkerBatch) -> list[TaskOutcome]:
        reports.append([outcome.numbers["seconds"] for outcome in report.outcomes])
        return learned(self, report)

    monkeypatch.setattr(Chunks, "learned", noted)
    seconds = [0.0] * 60 + [TOGETHER] * 8 + [0.0] * 20
    tasks = [EngineTask((number,), each) for number, each in enumerate(seconds)]
    with backend(name) as n_jobs:
        found = collected(run_tasks(lasting, str(log), tasks, n_jobs=n_jobs))
    assert [found[n,].numbers["seconds"] for n in range(len(tasks))] == seconds
    assert max(map(len, reports)) > 1  # short ones still travel together
    assert all(report.count(TOGETHER) <= 1 for report in reports)
    assert sorted(log.read_text().split()) == sorted(f"begin{n}" for n in range(len(tasks)))


def test_a_pool_that_breaks_among_tasks_of_all_lengths_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_run, "PATIENCE", 10.0)  # a chunk may get lost on its way
    lengths = [0.0] * 40 + [TOGETHER, TOGETHER, 0.0, "die", TOGETHER, 0.0, TOGETHER] + [0.0] * 10
    tasks = [EngineTask((number,), each) for number, each in enumerate(lengths)]
    found = collected(run_tasks(lasting, str(tmp_path / "log"), tasks, n_jobs=2))
    assert len(found) == len(tasks)
    assert [key for key, outcome in found.items() if outcome.failed] == [(43,)]
    assert found[43,].note == "the process ended"


def test_a_chunk_that_its_process_never_got_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    get = engine_run._SingleProcess.get

    class Forgetful:
        """A pool that loses the first chunk, as one does whose process has just ended."""

        def submit(self, *call: object) -> Future[WorkerBatch]:
            sent.append(call)
            return Future() if len(sent) == 1 else get().submit(*call)  # type: ignore[arg-type]

    monkeypatch.setattr(engine_run._SingleProcess, "get", Forgetful)
    monkeypatch.setattr(engine_run, "PATIENCE", 1.0)
    monkeypatch.setattr(engine_run, "LOOK", 0.1)
    found = collected(run_tasks(powers, SHARED, TASKS[:3], n_jobs=1, time_limit=60))
    assert len(found) == 3
    assert not any(outcome.failed for outcome in found.values())
    assert len(sent) > 1


def test_a_chunk_whose_process_died_unnoticed_is_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mark of its task stays, as if it were under way; the pool never says that it broke."""
    sent: list[object] = []
    looks: list[float | None] = []
    get, lives = engine_run._SingleProcess.get, engine_run._SingleProcess.lives

    class Unheard(Future[WorkerBatch]):
        """A report that nobody will give."""

        def result(self, timeout: float | None = None) -> WorkerBatch:
            looks.append(timeout)
            return super().result(timeout)

    class Blind:
        """A pool that does not notice the end of its first process."""

        def submit(self, *call: object) -> Future[WorkerBatch]:
            sent.append(call)
            return Unheard() if len(sent) == 1 else get().submit(*call)  # type: ignore[arg-type]

    monkeypatch.setattr(engine_run._SingleProcess, "get", Blind)
    monkeypatch.setattr(engine_run._SingleProcess, "lives", lambda: len(sent) > 1 and lives())
    monkeypatch.setattr(engine_run, "is_working", lambda folder: True)
    monkeypatch.setattr(engine_run, "LOOK", 0.05)
    outcomes = collected(run_tasks(powers, SHARED, TASKS[:3], n_jobs=1, time_limit=60))
    assert len(outcomes) == 3
    assert not any(outcome.failed for outcome in outcomes.values())
    assert len(sent) > 1
    assert len(looks) == engine_run.DEAD_LOOKS  # much less than the patience


def test_a_task_that_ran_out_of_time_is_run_again_only_with_more_time() -> None:
    store, begun = MemoryStore(), []
    store.open({})

    def work(limit: float | None, task: EngineTask) -> TaskOutcome:
        begun.append((task.key[0], limit))
        if task.key == (1,):
            raise ValueError("not today")
        if limit is not None:
            time.sleep(60)
        return TaskOutcome(task.key)

    with joblib.parallel_config(backend="threading"):  # in this thread, where `begun` is
        for limit in (0.2, 0.1, 0.2, 0.3, None, None, 0.1):
            tasks = [EngineTask((0,)), EngineTask((1,))]
            found = collected(run_tasks(work, limit, tasks, store=store, time_limit=limit))
            assert found.keys() == {(0,), (1,)}
    assert begun == [(0, 0.2), (1, 0.2), (0, 0.3), (0, None)]
    assert not store.done()[0,].failed


@pytest.mark.parametrize("payload", ["sleep", pytest.param("hang in C", marks=pytest.mark.slow)])
def test_the_limit_that_was_reached_is_kept(payload: str) -> None:
    (late,) = run_tasks(trouble, SHARED, [EngineTask((0,), payload)], time_limit=0.3, grace=0.2)
    assert (late.note, late.numbers["time_limit"]) == ("time limit", 0.3)


KINDS = ["raise", "exit", "stubborn", "other key", "no outcome", "objects", "recursion"]


@pytest.mark.parametrize("name", ["here", "loky", "threading"])
def test_whatever_a_task_raises_is_an_outcome_and_the_others_go_on(name: str) -> None:
    tasks = [EngineTask((number,), kind) for number, kind in enumerate([*KINDS, None, "text"])]
    with backend(name) as n_jobs:
        found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=n_jobs))
    errors = [found[n,].error for n in range(len(KINDS))]
    words = ["ValueError: not today", "SystemExit: 3", "Stubborn", "returned something else"]
    words += ["returned something else", "'x' holds objects", "RecursionError"]
    for word, error in zip(words, errors, strict=True):
        assert error is not None
        assert word in error
    assert errors[0] is not None
    assert errors[0].startswith("Traceback")
    assert "in trouble" in errors[0]
    assert "perform" not in errors[0]  # where the engine called it is nobody's business
    assert same(found[7,], powers(SHARED, EngineTask((7,))))
    assert found[8,].arrays["x"].dtype.str == "<U2"


def test_a_traceback_is_the_same_wherever_the_task_runs() -> None:
    tasks = [EngineTask((0,), "raise"), EngineTask((1,), "exit")]
    here, there = (collected(run_tasks(trouble, SHARED, tasks, n_jobs=n)) for n in (1, 2))
    assert same_all(here, there)


@pytest.mark.parametrize("name", ["here", "loky", "threading"])
def test_an_interrupt_stops_with_everything_stored(name: str, tmp_path: Path) -> None:
    kinds = [None, None, None, "interrupt"] + [None] * 5
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    given = []
    with SqliteStore(tmp_path / "run.db") as store:
        store.open({})
        with backend(name) as n_jobs, pytest.raises(KeyboardInterrupt):
            given.extend(run_tasks(trouble, SHARED, tasks, n_jobs=n_jobs, store=store))
        assert (3,) not in store.done()
        resumed = collected(run_tasks(powers, SHARED, tasks_plain(9), n_jobs=1, store=store))
    assert same_all(resumed, {(n,): powers(SHARED, EngineTask((n,))) for n in range(9)})


def tasks_plain(count: int) -> list[EngineTask]:
    return [EngineTask((number,)) for number in range(count)]


@pytest.mark.parametrize("name", BACKENDS)
def test_a_run_that_is_left_early_leaves_nothing_behind(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = MemoryStore()
    store.open({})
    with backend(name) as n_jobs:
        found = run_tasks(powers, SHARED, TASKS, n_jobs=n_jobs, store=store)
        keys = {next(found).key, next(found).key}
        found.close()  # type: ignore[attr-defined]  # an iterator that is a generator
        assert keys == set(store.done())
        assert list(tmp_path.glob("earnest-*")) == []
        assert len(collected(run_tasks(powers, SHARED, TASKS, n_jobs=n_jobs, store=store))) == len(
            TASKS
        )
    assert list(tmp_path.glob("earnest-*")) == []


def test_a_chunk_sent_just_before_a_run_is_left_breaks_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hold loky's thread where it has sent a chunk and not yet seen that it is to end."""
    from joblib.externals.loky.process_executor import _ExecutorManagerThread

    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    look = _ExecutorManagerThread.is_shutting_down

    def look_late(self: object) -> bool:
        time.sleep(0.5)
        return bool(look(self))

    outcomes = run_tasks(powers, SHARED, TASKS, n_jobs=2)
    next(outcomes)
    monkeypatch.setattr(_ExecutorManagerThread, "is_shutting_down", look_late)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]  # an iterator that is a generator
    assert errors == []


def test_faults_of_the_call_are_refused_before_any_work(golden: Golden) -> None:
    with pytest.raises(InputError, match="same key"):
        run_tasks(powers, SHARED, [EngineTask((1,)), EngineTask((1,))])
    with golden.raises(InputError):
        run_tasks(powers, SHARED, TASKS, n_jobs=0)
    for limit in (0, -1, float("nan"), "soon"):
        with golden.raises(InputError):
            run_tasks(powers, SHARED, TASKS, time_limit=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_jobs", [1, 2, None, -1])
def test_no_tasks_give_no_outcomes(n_jobs: int | None) -> None:
    assert list(run_tasks(powers, SHARED, [], n_jobs=n_jobs)) == []


def test_a_payload_that_cannot_be_sent_fails_alone() -> None:
    tasks = [EngineTask((0,)), EngineTask((1,), threading.Lock()), EngineTask((2,))]
    found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=2))
    assert found[1,].note == "cannot be sent"
    assert "cannot pickle" in (found[1,].error or "")
    assert same(found[2,], powers(SHARED, EngineTask((2,))))


def test_functions_of_the_session_go_along() -> None:
    factor = 3.0
    shared = {"double": lambda x: factor * x}
    tasks = [EngineTask((n,), lambda n=n: float(n)) for n in range(3)]
    found = collected(
        run_tasks(
            lambda shared, task: TaskOutcome(task.key, {}, {"v": shared["double"](task.payload())}),
            shared,
            tasks,
            n_jobs=2,
        )
    )
    assert [found[n,].numbers["v"] for n in range(3)] == [0.0, 3.0, 6.0]


def test_shared_data_that_cannot_be_sent_is_an_error_at_once(golden: Golden) -> None:
    for name in ("loky", "multiprocessing"):
        with backend(name), golden.raises(InputError, hide="(?<=got ).*?(?=[.] Use)"):
            list(run_tasks(powers, threading.Lock(), TASKS, n_jobs=2))


def test_data_is_loaded_once_by_each_process_and_not_with_each_task(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    shared = Counted(np.zeros(100_000), log)
    found = collected(run_tasks(processes, shared, tasks_plain(60), n_jobs=2))
    loads = Path(log).read_text().split("\n")[:-1]
    pids = {o.numbers["pid"] for o in found.values()}
    assert len(loads) == len(set(loads)) == len(pids) <= 2


def test_kept_data_is_loaded_once_for_all_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    log = str(tmp_path / "log")
    with keep(Counted(np.zeros(100_000), log)) as kept:
        for n_jobs in (1, 2, 2, 2):
            found = collected(run_tasks(processes, kept, tasks_plain(6), n_jobs=n_jobs))
            assert not any(o.failed for o in found.values())
        assert len(list(tmp_path.glob("earnest-*"))) == 1
    assert list(tmp_path.glob("earnest-*")) == []
    loads = Path(log).read_text().split("\n")[:-1]
    assert len(loads) == len(set(loads)) <= 2


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.filterwarnings("error:a warning")
def test_a_warning_is_an_error_in_workers_if_it_is_one_here(n_jobs: int) -> None:
    found = collected(
        run_tasks(trouble, SHARED, [EngineTask((0,), "warn"), EngineTask((1,))], n_jobs=n_jobs)
    )
    assert "UserWarning: a warning" in (found[0,].error or "")
    assert not found[1,].failed


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.filterwarnings("ignore:a warning")
def test_a_warning_is_ignored_in_workers_if_it_is_here(n_jobs: int) -> None:
    found = collected(
        run_tasks(trouble, SHARED, [EngineTask((0,), "warn"), EngineTask((1,))], n_jobs=n_jobs)
    )
    assert not found[0,].failed


def test_a_run_within_a_run(tmp_path: Path) -> None:
    expected = np.sort([powers(SHARED, EngineTask((n,))).numbers["s"] for n in range(3)])
    for n_jobs in (1, 2):
        found = collected(run_tasks(nested, SHARED, tasks_plain(3), n_jobs=n_jobs))
        assert [o.error for o in found.values()] == [None] * 3
        assert all(np.array_equal(o.arrays["inner"], expected) for o in found.values())


def test_none_is_the_number_of_the_configuration(tmp_path: Path) -> None:
    shared = Counted(np.zeros(10), str(tmp_path / "log"))
    with joblib.parallel_config(n_jobs=2):
        found = collected(run_tasks(processes, shared, tasks_plain(4)))
    assert os.getpid() not in {o.numbers["pid"] for o in found.values()}
    found = collected(run_tasks(processes, shared, tasks_plain(4)))
    assert {o.numbers["pid"] for o in found.values()} == {os.getpid()}


def test_a_process_that_ends_once_costs_no_outcome(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    tasks = [EngineTask((number,), "once" if number == 4 else None) for number in range(10)]
    found = collected(run_tasks(drop_dead_once, log, tasks, n_jobs=2))
    assert [found[n,].error for n in range(10)] == [None] * 10
    assert [found[n,].arrays["x"].size for n in range(10)] == list(range(10))


def test_workers_that_never_begin_are_an_error_and_no_endless_loop(golden: Golden) -> None:
    with golden.raises(EarnestError, hide="(?<=: ).*(?= Use)"):
        list(run_tasks(powers, Deadly(), TASKS, n_jobs=2))


def test_kept_data_survives_a_run_that_was_left_early_and_a_crash() -> None:
    kinds = [None, "die", None, None]
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    with keep(SHARED) as kept:
        first = run_tasks(
            trouble,
            kept,
            [EngineTask((50 + n,), "sleep" if n else None) for n in range(3)],
            n_jobs=2,
        )
        assert next(first).key == (50,)
        first.close()  # type: ignore[attr-defined]  # an iterator that is a generator
        found = collected(run_tasks(trouble, kept, tasks, n_jobs=2))
    assert [found[n,].failed for n in range(4)] == [False, True, False, False]


class Recorder:
    """Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[tuple[int, ...], bool, bool]] = []

    def start(self, total: int, title: str = "") -> None: ...
    def drop(self, count: int) -> None: ...
    def message(self, text: str) -> None: ...
    def finish(self) -> None: ...

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        self.told.append((outcome.key, outcome.failed, stored))


def test_progress_is_told_of_every_outcome() -> None:
    store, recorder = MemoryStore(), Recorder()
    store.open({})
    store.put(TaskOutcome((1,)))
    tasks = [EngineTask((0,), "raise"), EngineTask((1,)), EngineTask((2,))]
    list(run_tasks(trouble, SHARED, tasks, store=store, progress=recorder))
    assert recorder.told == [((1,), False, True), ((0,), True, False), ((2,), False, False)]
