"""A task that takes too long, or takes its process with it, is an outcome like another."""

from __future__ import annotations

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

from earnest.core import TaskOutcome
from earnest.core.base.protocols import EngineTask
from earnest.engine.limits import (
    GRACE_AT_DEADLINE,
    DeadlineError,
    TaskLimit,
    TimeLimit,
    gentle,
)
from earnest.engine.run import run_tasks
from earnest.store import MemoryStore
from tests.engine.test_run import SHARED, collected
from tests.engine.works import powers, seconds_and_process, trouble
from tests.snapshots import Golden
from tests.store.examples import same

LATE = ["sleep", "spin", "swallow", "hang in C"]
GONE = ["die", "crash"]


def recorded(n_jobs: int, kinds: list[str | None]) -> dict[str | None, str]:
    """Run trouble among ordinary tasks, which must be right, and return the errors by kind."""
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=n_jobs, time_limit=0.6, grace=0.4))
    assert len(found) == len(kinds)
    for task in tasks:
        outcome = found[task.key]
        if task.payload is None:
            assert same(outcome, powers(SHARED, task))
        else:
            expected = {
                **dict.fromkeys(LATE, "time limit"),
                **dict.fromkeys(GONE, "the process ended"),
            }
            assert (outcome.failed, outcome.note) == (True, expected.get(task.payload))
    return {task.payload: found[task.key].error or "" for task in tasks}


def test_late_and_crashing_tasks_are_recorded_and_all_others_are_right(golden: Golden) -> None:
    kinds = [None, None, "spin", None, "crash", None, "hang in C", None, "raise", "exit", None]
    texts = recorded(2, kinds)
    assert "TimeLimit: not finished after 0.6 s" in texts["spin"]
    assert "in trouble" in texts["spin"]
    golden.check_sentence(texts["hang in C"], "did not return")
    assert "in trouble" in texts["hang in C"]  # where it stood
    assert "Segmentation fault" in texts["crash"]


def test_one_at_a_time_is_limited_in_a_process_of_its_own() -> None:
    texts = recorded(1, [None, "sleep", None, "swallow", None, "die", None])
    assert "TimeLimit: not finished after 0.6 s" in texts["sleep"]
    assert "did not return" in texts["swallow"]


@pytest.mark.slow
def test_every_kind_of_trouble_is_recorded_among_others() -> None:
    """All kinds at once; the two tests above have half of them each."""
    recorded(2, [None, *LATE[:2], None, *GONE, None, *LATE[2:], None, "raise", "exit", None])


def test_one_at_a_time_loads_one_process_and_keeps_it_for_the_next_run() -> None:
    tasks = [EngineTask((number,), 0.12) for number in range(4)]  # too long to travel together
    found = [
        run_tasks(seconds_and_process, SHARED, tasks, n_jobs=1, time_limit=30.0) for _ in range(2)
    ]
    used = {outcome.numbers["pid"] for one in found for outcome in one}
    assert len(used) == 1
    assert os.getpid() not in used


def test_without_a_limit_a_crash_is_recorded_too() -> None:
    kinds = [None, "die", None, "crash", None]
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=2))
    assert [found[n,].failed for n in range(5)] == [False, True, False, True, False]


def test_threads_are_limited_where_python_runs() -> None:
    tasks = [
        EngineTask((number,), kind) for number, kind in enumerate(["spin", None, "spin", None])
    ]
    with joblib.parallel_config(backend="threading"):
        found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=2, time_limit=0.2))
    assert [found[n,].note for n in range(4)] == ["time limit", None, "time limit", None]
    assert "in trouble" in (found[0,].error or "")


def test_the_alarm_of_the_caller_is_as_before() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 30.0)
    try:
        with pytest.raises(TimeLimit, match=r"not finished after 0\.05 s"), gentle(TaskLimit(0.05)):
            time.sleep(10)
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0.0)
        assert 20.0 < left <= 30.0
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_task_in_time_is_not_disturbed_afterwards() -> None:
    with gentle(TaskLimit(0.05)):
        pass
    time.sleep(0.1)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_thread_in_time_is_not_disturbed_afterwards() -> None:
    seen: list[str] = []

    def many() -> None:
        for _ in range(200):  # the time is up at about the moment when the task ends
            try:
                with gentle(TaskLimit(0.001)):
                    end = time.perf_counter() + 0.001
                    while time.perf_counter() < end:
                        pass
            except TimeLimit:
                seen.append("late")
        try:
            time.sleep(0.02)
            seen.append("done")
        except TimeLimit:
            seen.append("disturbed")

    thread = threading.Thread(target=many)
    thread.start()
    thread.join()
    assert seen[-1] == "done"


def test_a_deadline_is_a_limit_of_whatever_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("earnest.engine.limits.time.monotonic", lambda: now)
    limit = TaskLimit.of(10, grace=5.0, deadline=130.0)
    assert limit is not None
    assert (limit.find_gentle(), limit.find_hard()) == (10.0, 15.0)
    now = 127.0
    assert (limit.find_gentle(), limit.find_hard()) == (3.0, 3.0 + GRACE_AT_DEADLINE)
    assert not limit.is_over
    now = 140.0
    assert (limit.find_gentle(), limit.find_hard()) == (0.0, GRACE_AT_DEADLINE)
    assert limit.is_over
    assert TaskLimit.of(None, deadline=130.0) == TaskLimit(deadline=130.0)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", ["sleep", "hang in C"])
def test_a_task_under_way_at_the_deadline_is_given_up_and_leaves_no_outcome(
    kind: str, n_jobs: int
) -> None:
    store, tasks = MemoryStore(), [EngineTask((0,)), EngineTask((1,), kind), EngineTask((2,), kind)]
    store.open({})
    deadline, limits = time.monotonic() + 5.0, {"time_limit": 600.0, "grace": 300.0}
    with pytest.raises(DeadlineError):
        list(
            run_tasks(
                trouble, SHARED, tasks, n_jobs=n_jobs, store=store, deadline=deadline, **limits
            )
        )
    assert time.monotonic() < deadline + 60.0  # far less than the limit of a task
    assert set(store.done()) <= {(0,)}
    again = collected(run_tasks(trouble, SHARED, tasks[:1], n_jobs=n_jobs, store=store))
    assert same(again[0,], powers(SHARED, tasks[0]))


def test_after_the_deadline_nothing_is_begun() -> None:
    begun = []

    def work(shared: None, task: EngineTask) -> TaskOutcome:
        begun.append(task.key)
        return TaskOutcome(task.key)

    with pytest.raises(DeadlineError):
        list(run_tasks(work, None, [EngineTask((0,))], deadline=time.monotonic()))
    assert begun == []


def test_a_run_that_is_done_by_its_deadline_is_as_without_one() -> None:
    def work(shared: None, task: EngineTask) -> TaskOutcome:
        return TaskOutcome(task.key)

    tasks = [EngineTask((i,)) for i in range(3)]
    assert len(list(run_tasks(work, None, tasks, deadline=time.monotonic() + 600.0))) == 3


def test_a_limit_is_read_as_seconds() -> None:
    assert TaskLimit.of(None) is None
    assert TaskLimit.of(2) == TaskLimit(2.0, 5.0)
    assert TaskLimit.of(np.float32(0.5), grace=1) == TaskLimit(0.5, 1.0)
