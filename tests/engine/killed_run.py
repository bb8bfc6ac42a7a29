"""A run that tests kill: `python -m tests.engine.killed_run STORE LOG N_JOBS N_TASKS`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from earnest.core import EngineTask, TaskOutcome
from earnest.engine import run_tasks
from earnest.store import SqliteStore

SECONDS = 0.03  # a task takes so long
IDENTITY = {"data": "array 3", "seed": "7"}


def write(log: str, line: str) -> None:
    """Append a line in one step, so that processes do not mix theirs."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def work(shared: dict[str, Any], task: EngineTask) -> TaskOutcome:
    write(shared["log"], f"begin {task.key[0]}")
    time.sleep(SECONDS)
    if task.key[0] % 10 == 3:
        raise ValueError("a task that fails")
    rng = np.random.default_rng(task.key)
    arrays = {"response": rng.normal(size=50) * shared["scale"], "label": np.array(["a", "ß"])}
    write(shared["log"], f"end {task.key[0]}")
    return TaskOutcome(task.key, arrays, {"fit_time": time.perf_counter(), "score": rng.random()})


def run_and_keep(place: Path, log: Path, n_jobs: int, n_tasks: int) -> None:
    tasks = [EngineTask((number, 0)) for number in range(n_tasks)]
    shared = {"log": str(log), "scale": np.arange(50.0)}
    with SqliteStore(place) as store:
        store.open(IDENTITY)
        for _ in run_tasks(work, shared, tasks, n_jobs=n_jobs, store=store):
            pass


def main() -> None:
    place, log, n_jobs, n_tasks = sys.argv[1:]
    run_and_keep(Path(place), Path(log), int(n_jobs), int(n_tasks))


if __name__ == "__main__":
    main()
