"""Runs tasks in a worker: one task, chunks of tasks, and a mark of the current one."""

from __future__ import annotations

import faulthandler
import functools
import os
import pickle
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import as_array
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Key, TaskOutcome
from earnest.engine.limits import TaskLimit, TimeLimit, gentle, hard
from earnest.engine.parcels import BytesParcel, FileParcel, Parcel, RunContent, pack_value

Work: TypeAlias = Callable[[Any, EngineTask], TaskOutcome]

TIME_LIMIT = "time limit"
LIMITED = "time_limit"  # the number with the limit, of a task that ran out of it
ENDED = "the process ended"
OVER = "the run is over"
UNSENT = "cannot be sent"
LONGEST = 20_000  # characters of a traceback that are kept, from its end


def perform(
    work: Work, shared: object, task: EngineTask, limit: TaskLimit | None = None
) -> TaskOutcome:
    """Return what the work gives for a task; an error is an outcome too.

    Whatever is raised becomes an outcome with its traceback, `SystemExit` included. Only the
    user's wish to stop (`KeyboardInterrupt`) goes through.
    """
    if limit is not None and limit.is_over:
        return failure(task.key, OVER, OVER)
    began = time.perf_counter()
    with ErrorCatcher() as caught:
        with gentle(limit):
            outcome = work(shared, task)
        return check_outcome(outcome, task.key)
    if limit is not None and limit.is_over and caught.note == TIME_LIMIT:
        return failure(task.key, caught.text, OVER)
    return failure(task.key, caught.text, caught.note, time.perf_counter() - began, limit)


def failure(
    key: Key, text: str, note: str | None, seconds: float = 0.0, limit: TaskLimit | None = None
) -> TaskOutcome:
    """Return the outcome of a task that failed, with its time limit if it ran out of time.

    A later run with more time tries it again.
    """
    numbers = {"run_time": seconds} if seconds else {}
    if limit is not None and note == TIME_LIMIT:
        numbers[LIMITED] = limit.seconds
    return TaskOutcome(key, {}, numbers, text[-LONGEST:], note)


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


def check_outcome(outcome: object, key: Key) -> TaskOutcome:
    """Return the outcome with arrays and numbers as a store keeps them, or raise."""
    if not isinstance(outcome, TaskOutcome) or outcome.key != key:
        raise InputError(
            f"the work of task {key} returned something else",
            needs="an Outcome with the key of its task",
            got=f"{type(outcome).__name__} {getattr(outcome, 'key', '')}",
        )
    arrays = {name: _check_array(name, values) for name, values in outcome.arrays.items()}
    numbers = {name: float(value) for name, value in outcome.numbers.items()}
    return TaskOutcome(key, arrays, numbers, outcome.error, outcome.note)


def _check_array(name: str, values: object) -> NDArray[np.generic]:
    if type(values) is np.ndarray and values.dtype.kind not in "OT":
        return values
    array = as_array(name, values)
    if array.dtype.hasobject:
        raise InputError(
            f"the array {name!r} holds objects",
            needs="values of one type: numbers, logical values, text, dates or records of these",
            got=f"type {array.dtype}",
        )
    return array


Sent: TypeAlias = "tuple[Key, bytes]"  # key, pickled payload
TOGETHER = 0.1  # seconds after which a worker gives back what it has: lost when the run is killed
MARK, TRACE = "mark-", "trace-"
_WIDTH = 255


@dataclass(frozen=True)
class WorkerBatch:
    """What a worker gives back: outcomes, the seconds that they took, and the keys not begun."""

    outcomes: list[TaskOutcome]
    seconds: float
    left: list[Key] = field(default_factory=list)


def perform_chunk(parcel: Parcel, sent: Sequence[Sent]) -> WorkerBatch:
    """Run tasks one after another until they have taken `TOGETHER` seconds.

    Finished outcomes must not wait long for the rest of their chunk, because they are lost if the
    run is killed. The rest is returned and sent again.
    """
    content = parcel.content()
    if isinstance(parcel, FileParcel):
        _watch(parcel.owner)
        with _open_marks(Path(parcel.folder)) as (mark, trace), _set_warnings(content):
            return _run_in_a_row(sent, lambda task: _run_marked(content, task, mark, trace))
    return _run_in_a_row(
        sent, lambda task: perform(content.work, content.shared, task, content.limit)
    )


def perform_scattered(
    token: str, blob: bytes, made_with: Mapping[str, str], packed: bytes
) -> WorkerBatch:
    """Run a few tasks in a worker of dask, which holds the content as bytes."""
    return perform_packed(BytesParcel(token, blob, made_with), pickle.loads(packed))


def perform_packed(parcel: Parcel, sent: Sequence[Sent]) -> WorkerBatch:
    """Run a few tasks in a worker that is not joblib's; what is parallel in them goes in threads.

    So it does in joblib's own processes.
    """
    from joblib import parallel_config
    from joblib._parallel_backends import ThreadingBackend

    with parallel_config(backend=ThreadingBackend(nesting_level=1), n_jobs=1):
        return perform_chunk(parcel, sent)


def _run_in_a_row(
    sent: Sequence[Sent], perform: Callable[[EngineTask], TaskOutcome]
) -> WorkerBatch:
    began = time.perf_counter()
    outcomes: list[TaskOutcome] = []
    seconds = 0.0
    while len(outcomes) < len(sent) and seconds < TOGETHER:
        outcomes.append(perform(_unpack_task(sent[len(outcomes)])))
        seconds = time.perf_counter() - began
    return WorkerBatch(outcomes, seconds, [key for key, _ in sent[len(outcomes) :]])


@functools.cache
def _watch(owner: int) -> None:
    """End this process when its parent is gone, even during a long task."""

    def wait() -> None:
        while os.getppid() == owner:
            time.sleep(1.0)
        os._exit(1)

    if os.name == "posix":  # elsewhere the number of a dead parent stays
        threading.Thread(target=wait, name="earnest-watch", daemon=True).start()


def _unpack_task(sent: Sent) -> EngineTask:
    key, payload = sent
    return EngineTask(key, pickle.loads(payload))


def _run_marked(
    content: RunContent, task: EngineTask, mark: BinaryIO, trace: BinaryIO
) -> TaskOutcome:
    _write(mark, ",".join(map(str, task.key)) or "()")
    with hard(content.limit, trace):
        outcome = perform(content.work, content.shared, task, content.limit)
    _write(mark, "")
    return outcome


@contextmanager
def _open_marks(folder: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Yield the files for the current task of this process, and for its last traceback."""
    with (
        (folder / f"{MARK}{os.getpid()}").open("wb", buffering=0) as mark,
        (folder / f"{TRACE}{os.getpid()}").open("wb", buffering=0) as trace,
    ):
        before = faulthandler.is_enabled()
        faulthandler.enable(trace.fileno())
        try:
            yield mark, trace
        finally:
            faulthandler.disable()
            if before and sys.__stderr__ is not None:
                faulthandler.enable(sys.__stderr__)


@contextmanager
def _set_warnings(content: RunContent) -> Iterator[None]:
    """Use the warning filters of the parent."""
    with warnings.catch_warnings():
        warnings.filters[:] = content.filters  # type: ignore[index]  # typeshed: a sequence
        yield


def _write(mark: BinaryIO, text: str) -> None:
    mark.seek(0)
    mark.write(f"{text:<{_WIDTH}}\n".encode())


@dataclass(frozen=True)
class FallenTask:
    """A task that was running when its pool broke, and what its process wrote at its end."""

    key: Key
    trace: str

    @property
    def timed_out(self) -> bool:
        """Whether the hard time limit ended its process."""
        return self.trace.startswith("Timeout")


def is_working(folder: str) -> bool:
    """Tell whether a process has a task under way, by its mark."""
    return any(mark.read_text().strip() for mark in Path(folder).glob(f"{MARK}*"))


def collect_fallen(folder: str) -> list[FallenTask]:
    """Return the tasks that were running, and remove the marks."""
    fallen = []
    for mark in sorted(Path(folder).glob(f"{MARK}*")):
        text = mark.read_text().strip()
        trace = mark.with_name(mark.name.replace(MARK, TRACE, 1))
        traceback = trace.read_text(errors="replace") if trace.exists() else ""
        if text:
            key = () if text == "()" else tuple(int(index) for index in text.split(","))
            fallen.append(FallenTask(key, traceback))
        mark.unlink()
        trace.unlink(missing_ok=True)
    return fallen


MOST = 256  # tasks in a chunk


class Chunks:
    """Cuts tasks into chunks of about the same time, learning from those that came back.

    Tasks that a worker gave back without having begun them are the next to be sent; if they come
    when the iterator has ended, `waiting` is true and a new iterator has them. A task whose payload
    cannot be pickled is left out; its outcome is in `unsent`.
    """

    def __init__(self, tasks: Sequence[EngineTask], workers: int, *, single: bool = False) -> None:
        self._queue, self.workers = deque(tasks), workers
        self._away: dict[Key, EngineTask] = {}
        self._most = 1 if single else MOST
        self._size = 1
        self.unsent: list[TaskOutcome] = []

    @property
    def waiting(self) -> bool:
        """Whether there are tasks that are with no worker."""
        return bool(self._queue)

    def __iter__(self) -> Iterator[list[Sent]]:
        while self._queue:
            fair = -(-len(self._queue) // (2 * self.workers))  # the last ones spread out
            count = max(1, min(self._size, fair))
            chunk = [sent for _ in range(count) for sent in self._sent(self._queue.popleft())]
            if chunk:
                yield chunk

    def learned(self, report: WorkerBatch) -> list[TaskOutcome]:
        """Take note of how long a chunk took and what is left of it; return its outcomes."""
        each = report.seconds / max(1, len(report.outcomes))
        fits = int(TOGETHER / each) if each > 0 else self._most
        self._size = max(1, min(fits, 2 * self._size, self._most))
        for outcome in report.outcomes:
            del self._away[outcome.key]
        self._queue.extendleft(self._away.pop(key) for key in reversed(report.left))
        return report.outcomes

    def again(self, chunk: Sequence[Sent]) -> None:
        """Take back a chunk that was not run; its tasks are the next to be sent."""
        self._queue.extendleft(self._away.pop(key) for key, _ in reversed(chunk))

    def withdrawn(self, chunk: Sequence[Sent]) -> list[EngineTask]:
        """Take a chunk back and return its tasks, which are not sent again from here."""
        return [self._away.pop(key) for key, _ in chunk]

    def _sent(self, task: EngineTask) -> Iterator[Sent]:
        with ErrorCatcher() as caught:
            sent = task.key, pack_value(task.payload)
            self._away[task.key] = task
            yield sent
            return
        self.unsent.append(failure(task.key, caught.text, UNSENT))
