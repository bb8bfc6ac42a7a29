"""Time limits of a task: a gentle one that raises, and a hard one that ends the process.

The gentle limit raises `TimeLimit` inside the task, so that its traceback shows where the time
went. Python can raise it only between two steps of Python code, not during a call into C. For such
a call there is the hard limit: a thread of the interpreter that needs no lock writes the traceback
of every thread and ends the process. Only processes that were started for tasks have one.
"""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from earnest.core.base import check
from earnest.core.base.errors import InputError

GRACE = 5.0  # seconds between the gentle and the hard limit


class TimeLimit(BaseException):
    """A task has used up its time; not an `Exception`, so that no learner catches it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not finished after {seconds:g} s")


@dataclass(frozen=True)
class TaskLimit:
    """How long a task may run, and how much longer until its process is ended, in seconds."""

    seconds: float
    grace: float = GRACE

    @classmethod
    def of(cls, time_limit: float | None, grace: float = GRACE) -> TaskLimit | None:
        """Return the limit that a user's `time_limit` stands for."""
        if time_limit is None:
            return None
        try:
            made = cls(float(time_limit), float(grace))
        except (TypeError, ValueError):
            made = cls(0.0)
        if not (0.0 < made.seconds < 1e8 and 0.0 <= made.grace < 1e8):
            raise InputError(
                "`time_limit` is out of range",
                needs="None, or seconds greater than 0",
                got=check.show(time_limit),
            )
        return made


def gentle(limit: TaskLimit | None) -> AbstractContextManager[None]:
    """Raise TimeLimit in this thread when the time is up."""
    if limit is None:
        return nullcontext()
    main = threading.current_thread() is threading.main_thread()
    if main and hasattr(signal, "setitimer"):
        return _set_alarm(limit.seconds)
    return _throw_later(limit.seconds)


@contextmanager
def hard(limit: TaskLimit | None, trace: BinaryIO) -> Iterator[None]:
    """End this process when the time and the grace are up, and write to `trace` where it stood."""
    if limit is None:
        yield
        return
    faulthandler.dump_traceback_later(limit.seconds + limit.grace, exit=True, file=trace.fileno())
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _set_alarm(seconds: float) -> Iterator[None]:
    """Raise TimeLimit by an alarm signal, which only the main thread receives."""

    def ring(number: int, frame: object) -> None:
        raise TimeLimit(seconds)

    before = signal.signal(signal.SIGALRM, ring)
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, every)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _throw_later(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in this thread from a timer thread, at the next step of Python code."""
    thread, guard, over = threading.get_ident(), threading.Lock(), False

    def made(self: TimeLimit) -> None:
        TimeLimit.__init__(self, seconds)

    kind = type("TimeLimit", (TimeLimit,), {"__init__": made, "__module__": __name__})

    def throw() -> None:
        with guard:
            if not over:
                _set_exception(thread, kind)  # a class: the interpreter makes it, without arguments

    timer = threading.Timer(seconds, throw)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with guard:
            over = True
            _set_exception(thread, None)  # what was thrown but has not arrived
        timer.cancel()


def _set_exception(thread: int, kind: type[BaseException] | None) -> None:
    thrown = ctypes.py_object(kind) if kind is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), thrown)
