"""Works for tests, in a module that worker processes can import."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np

from earnest.core import EngineTask, TaskOutcome


class Stubborn(Exception):
    """Cannot be pickled, nor printed."""

    def __init__(self) -> None:
        self.held = threading.Lock()

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Counted:
    """Shared data that notes in a file that it was unpickled."""

    def __init__(self, values: np.ndarray, log: str) -> None:
        self.values, self.log = values, log

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        note(self.log, f"loaded {os.getpid()}")


class Deadly:
    """Shared data that ends the process that unpickles it."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        os._exit(1)

    def __getstate__(self) -> dict[str, Any]:
        return {"a": 1}


def note(log: str, line: str) -> None:
    """Append a line in one step, so that processes do not mix theirs."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def powers(shared: Any, task: EngineTask) -> TaskOutcome:
    """An ordinary work: numbers drawn by the key, and the shared data."""
    rng = np.random.default_rng(task.key)
    values = shared[:5] * (task.payload or 1)
    return TaskOutcome(task.key, {"x": values, "drawn": rng.normal(size=3)}, {"s": rng.random()})


def mapped(shared: Counted, task: EngineTask) -> TaskOutcome:
    """Tells whether the data is mapped, writes to it, and gives its sum before."""
    base, owner = shared.values, None
    while isinstance(base, np.ndarray):
        base, owner = base.base, base
    total = float(shared.values.sum())
    shared.values[task.key[0]] += 1.0
    kind = type(base.obj).__name__ if isinstance(base, memoryview) else str(owner is not None)
    return TaskOutcome(task.key, {"kind": np.array([kind])}, {"sum": total, "pid": os.getpid()})


def processes(shared: Counted, task: EngineTask) -> TaskOutcome:
    """Tells in which process it ran."""
    return TaskOutcome(task.key, {}, {"sum": float(shared.values.sum()), "pid": os.getpid()})


def trouble(shared: Any, task: EngineTask) -> TaskOutcome:
    """Does what the payload says, and `powers` otherwise."""
    match task.payload:
        case "raise":
            raise ValueError("not today")
        case "exit":
            sys.exit(3)
        case "stubborn":
            raise Stubborn
        case "other key":
            return TaskOutcome((99, 99))
        case "no outcome":
            return {"key": task.key}  # type: ignore[return-value]  # that is the trouble
        case "objects":
            return TaskOutcome(task.key, {"x": np.array([{}, 1], dtype=object)})
        case "text":
            return TaskOutcome(task.key, {"x": np.array(["a", "bb"], dtype=object)})
        case "warn":
            warnings.warn("a warning", UserWarning, stacklevel=1)
        case "recursion":
            return trouble(shared, task)
        case "die":
            os._exit(1)
        case "crash":
            ctypes.string_at(0)
        case "sleep":
            time.sleep(60)
        case "spin":
            while True:
                pass
        case "swallow":
            while True:
                try:
                    time.sleep(60)
                except BaseException:  # noqa: BLE001  # as bad as it gets
                    continue
        case "hang in C":
            sum(itertools.repeat(0))  # holds the interpreter lock, and looks for no signal
        case "interrupt":
            raise KeyboardInterrupt
    return powers(shared, EngineTask(task.key))


def lasting(shared: Any, task: EngineTask) -> TaskOutcome:
    """Takes the seconds that the payload says, and ends its process if that is "die"."""
    note(shared, f"begin{task.key[0]}")
    if task.payload == "die":
        os._exit(1)
    time.sleep(task.payload)
    return TaskOutcome(task.key, {}, {"seconds": task.payload})


def nested(shared: Any, task: EngineTask) -> TaskOutcome:
    """Runs tasks of its own."""
    from earnest.engine import run_tasks

    inner = [EngineTask((number,)) for number in range(3)]
    values = [o.numbers["s"] for o in run_tasks(powers, shared, inner, n_jobs=2, time_limit=30)]
    return TaskOutcome(task.key, {"inner": np.sort(values)})


def drop_dead_once(shared: str, task: EngineTask) -> TaskOutcome:
    """Ends its process the first time only, as when memory ran out."""
    note(shared, f"begin {task.key[0]}")
    if task.payload == "once" and "dead" not in open(shared).read():  # noqa: SIM115  # short
        note(shared, "dead")
        os._exit(1)
    return TaskOutcome(task.key, {"x": np.arange(task.key[0])})


def noted(shared: str, task: EngineTask) -> TaskOutcome:
    """Notes in a file that it began, takes the seconds of its payload, and draws numbers."""
    note(shared, f"begin {task.key[0]}")
    time.sleep(task.payload)
    return TaskOutcome(task.key, {"drawn": np.random.default_rng(task.key).normal(size=50)})


def seconds_and_process(shared: Any, task: EngineTask) -> TaskOutcome:
    """Takes the seconds of its payload, and tells in which process it ran."""
    time.sleep(task.payload)
    return TaskOutcome(task.key, {}, {"pid": os.getpid()})


def ran_there(shared: Any, task: EngineTask) -> float:
    """Runs a task on the dask cluster of which this process is a worker."""
    import joblib

    from earnest.engine import run_tasks

    with joblib.parallel_config(backend="dask"):
        (outcome,) = run_tasks(powers, shared, [task])
    return outcome.numbers["s"]


def allow_deaths(count: int, dask_scheduler: Any = None) -> None:
    """Set, in a dask scheduler, how many workers a task may kill before it is given up."""
    dask_scheduler.allowed_failures = count


def noted_process(shared: str, task: EngineTask) -> TaskOutcome:
    """As `noted`, with the process in the file."""
    note(shared, str(os.getpid()))
    time.sleep(task.payload)
    return TaskOutcome(task.key, {"drawn": np.random.default_rng(task.key).normal(size=50)})
