"""Back ends of joblib that nobody knows, perhaps on other machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import pytest

from earnest.core import EngineTask
from earnest.engine import run_tasks
from tests.engine.test_run import Elsewhere, collected, same_all
from tests.engine.works import Counted, powers, processes, trouble

TASKS = [EngineTask((number, 0), number) for number in range(40)]
SHARED = np.arange(100_000.0)


@pytest.fixture(autouse=True)
def elsewhere() -> Iterator[None]:
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config(backend="elsewhere"):
        yield


def test_outcomes_are_those_of_a_plain_loop() -> None:
    found = collected(run_tasks(powers, SHARED, TASKS, n_jobs=2))
    assert same_all(found, {task.key: powers(SHARED, task) for task in TASKS})


def test_data_is_unpacked_once_by_each_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = collected(run_tasks(processes, Counted(SHARED, str(log)), TASKS, n_jobs=2))
    loads = log.read_text().split("\n")[:-1]
    assert not any(o.failed for o in found.values())
    assert len(set(loads)) == len({o.numbers["pid"] for o in found.values()})
    assert len(loads) <= 4  # a pool may have been replaced; never one for each of forty tasks


def test_errors_and_late_tasks_are_outcomes() -> None:
    kinds = ["raise", "exit", "spin", None]
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    found = collected(run_tasks(trouble, SHARED, tasks, n_jobs=2, time_limit=0.5))
    assert [found[n,].failed for n in range(4)] == [True, True, True, False]
    assert found[2,].note == "time limit"
