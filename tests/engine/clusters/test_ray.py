"""On a ray cluster a run gives the bytes of a plain loop, whoever dies; in `make test-all`."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest.core import EngineTask, TaskOutcome
from earnest.engine import Place, on_backend, plan_backend, run_tasks
from earnest.store import SqliteStore
from tests.engine.searches import searched
from tests.engine.test_run import collected, same_all
from tests.engine.works import (
    Counted,
    lasting,
    nested,
    noted_process,
    powers,
    processes,
    trouble,
)

pytestmark = pytest.mark.extra

SHARED = np.arange(100_000.0)
TASKS = [EngineTask((number, 0), number) for number in range(40)]


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[Any]:
    """Ray with two cores on loopback, that sends nothing and leaves nothing behind."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    import ray

    folder = tempfile.mkdtemp(prefix="ray")  # short: the names of its sockets must be so
    try:
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100_000_000,
            _node_ip_address="127.0.0.1",
            _temp_dir=folder,
        )
        yield ray
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
        with warnings.catch_warnings():  # ray drops its processes without waiting for their end
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


@pytest.fixture(autouse=True)
def back_end(ray: Any) -> Iterator[None]:
    with on_backend("ray"):
        yield


def test_the_plan() -> None:
    assert [plan_backend(n, limited=False).n_jobs for n in (None, -1, 2, 3)] == [2, 2, 2, 3]
    assert {plan_backend(n, limited=False).place for n in (None, -1, 2)} == {Place.RAY}
    assert plan_backend(1, limited=False).place is Place.HERE


def test_outcomes_are_those_of_a_plain_loop() -> None:
    found = collected(run_tasks(powers, SHARED, TASKS))
    assert same_all(found, {task.key: powers(SHARED, task) for task in TASKS})


def test_data_is_unpacked_once_by_each_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = collected(run_tasks(processes, Counted(SHARED, str(log)), TASKS))
    loads = log.read_text().splitlines()
    assert len(set(loads)) == len(loads) == len({o.numbers["pid"] for o in found.values()})


def test_outcomes_come_when_they_are_finished_not_batch_by_batch(tmp_path: Path) -> None:
    tasks = [EngineTask((number,), 3.0 if number == 0 else 0.01) for number in range(20)]
    order = [outcome.key for outcome in run_tasks(lasting, str(tmp_path / "log"), tasks)]
    assert order[-1] == (0,)


def test_a_process_that_is_killed_costs_only_what_was_under_way(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tasks = [EngineTask((number,), 0.1) for number in range(30)]
    found = run_tasks(noted_process, str(log), tasks)
    outcomes = [next(found) for _ in range(5)]
    os.kill(int(log.read_text().splitlines()[-1]), signal.SIGKILL)
    outcomes += found
    expected = {t.key: noted_process(str(tmp_path / "other"), EngineTask(t.key, 0)) for t in tasks}
    assert same_all(collected(iter(outcomes)), expected)
    assert len(log.read_text().splitlines()) - len(tasks) <= 2


def test_a_search_with_a_process_killed_in_the_middle_gives_the_bytes_of_a_serial_one(
    tmp_path: Path, ray: Any
) -> None:
    alone = searched(n_jobs=1)
    killed: list[int] = []

    class Watched(SqliteStore):
        def put(self, outcome: TaskOutcome) -> None:
            super().put(outcome)
            if len(self.done()) == 10:
                killed.extend(workers_of(ray))
                for process in killed:
                    os.kill(process, signal.SIGKILL)

    there = searched(store=Watched(tmp_path / "run.db"))
    assert killed
    assert there.predictions_.responses.tobytes() == alone.predictions_.responses.tobytes()
    for name, values in alone.cv_results_.items():
        if not name.endswith("_time"):
            np.testing.assert_array_equal(there.cv_results_[name], values, err_msg=name)


def workers_of(ray: Any) -> list[int]:
    """The processes in which tasks run; they call themselves `ray::...`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().startswith(b"ray::perform_packed"):
                found.append(int(path.parent.name))
    return found


def test_errors_and_late_tasks_are_outcomes() -> None:
    kinds = ["raise", "exit", "spin", "die", None]
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    found = collected(run_tasks(trouble, SHARED, tasks, time_limit=0.5))
    assert [found[n,].failed for n in range(5)] == [True, True, True, True, False]
    assert [found[n,].note for n in (2, 3)] == ["time limit", "the process ended"]


def test_what_is_parallel_in_a_task_runs_in_threads_of_its_worker() -> None:
    (outcome,) = run_tasks(nested, SHARED, [EngineTask((0,))])
    assert not outcome.failed, outcome.error


def test_a_run_that_is_left_takes_its_tasks_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = run_tasks(lasting, str(log), [EngineTask((number,), 0.2) for number in range(50)])
    next(found)
    found.close()  # type: ignore[attr-defined]  # a generator
    time.sleep(2.0)  # in which twenty more would be begun
    assert len(log.read_text().splitlines()) <= 8
    assert len(collected(run_tasks(powers, SHARED, TASKS))) == len(TASKS)  # nobody is in the way
