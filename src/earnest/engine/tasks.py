"""One task: run the work, and turn whatever happens into an outcome."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import as_array
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Key, Outcome, Task
from earnest.engine.limits import TaskLimit, TimeLimit, gentle

Work: TypeAlias = Callable[[Any, Task], Outcome]

TIME_LIMIT = "time limit"
LIMITED = "time_limit"  # the number with the limit, of a task that ran out of it
ENDED = "the process ended"
UNSENT = "cannot be sent"
LONGEST = 20_000  # characters of a traceback that are kept, from its end


def perform(work: Work, shared: object, task: Task, limit: TaskLimit | None = None) -> Outcome:
    """Return what the work gives for a task; an error is an outcome too.

    Whatever is raised becomes an outcome with its traceback, `SystemExit` included. Only the
    user's wish to stop (`KeyboardInterrupt`) goes through.
    """
    began = time.perf_counter()
    with ErrorCatcher() as caught:
        with gentle(limit):
            outcome = work(shared, task)
        return settle(outcome, task.key)
    return failure(task.key, caught.text, caught.note, time.perf_counter() - began, limit)


def failure(
    key: Key, text: str, note: str | None, seconds: float = 0.0, limit: TaskLimit | None = None
) -> Outcome:
    """Return the outcome of a task that failed, with the limit if it is that which it ran out of.

    A later run gives it another try if it has more time.
    """
    numbers = {"run_time": seconds} if seconds else {}
    if limit is not None and note == TIME_LIMIT:
        numbers[LIMITED] = limit.seconds
    return Outcome(key, {}, numbers, text[-LONGEST:], note)


class ErrorCatcher:
    """Catches all that a task may raise, and keeps its traceback as text."""

    text = ""
    note: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is None or isinstance(error, (KeyboardInterrupt, GeneratorExit)):
            return False
        inner = trace.tb_next if trace is not None else None  # without the frame of the engine
        self.text = "".join(traceback.format_exception(error.with_traceback(inner)))
        self.note = TIME_LIMIT if isinstance(error, TimeLimit) else None
        return True


def settle(outcome: object, key: Key) -> Outcome:
    """Return the outcome with arrays and numbers as a store keeps them, or raise."""
    if not isinstance(outcome, Outcome) or outcome.key != key:
        raise InputError(
            f"the work of task {key} returned something else",
            needs="an Outcome with the key of its task",
            got=f"{type(outcome).__name__} {getattr(outcome, 'key', '')}",
        )
    arrays = {name: _check_array(name, values) for name, values in outcome.arrays.items()}
    numbers = {name: float(value) for name, value in outcome.numbers.items()}
    return Outcome(key, arrays, numbers, outcome.error, outcome.note)


def _check_array(name: str, values: object) -> NDArray[np.generic]:
    if type(values) is np.ndarray and values.dtype.kind not in "OT":
        return values
    made = as_array(name, values)
    if made.dtype.hasobject:
        raise InputError(
            f"the array {name!r} holds objects",
            needs="values of one type: numbers, logical values, text, dates or records of these",
            got=f"type {made.dtype}",
        )
    return made
