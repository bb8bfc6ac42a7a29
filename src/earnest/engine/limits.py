"""Time limits: of a task, and of a whole run; a gentle one that raises, a hard one that ends.

The gentle limit raises `TimeLimit` inside the task, so that its traceback shows where the time
went. Python can raise it only between two steps of Python code, not during a call into C. For such
a call there is the hard limit: a thread of the interpreter that needs no lock writes the traceback
of every thread and ends the process. Only processes that were started for tasks have one.

The deadline of a run is a moment: it limits whatever task is under way then, in the same two ways,
so that no fit outlasts it by its own length.
"""

from __future__ import annotations

import ctypes
import faulthandler
import math
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, InputError
from earnest.core.text.doors import arg

GRACE = 5.0  # seconds between the gentle and the hard limit
SHORTEST = 1e-3  # seconds that a timer is set to: none at all would switch it off
_SPAN = re.compile(
    r"^\s*([0-9]*\.?[0-9]+)\s*(?:(s|m|h|d)|(s)ecs?|(s)econds?|(m)ins?|(m)inutes?|(h)ours?|(d)ays?)?\s*$",
    re.IGNORECASE,
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
GRACE_AT_DEADLINE = 0.25  # the same at the deadline of a run, when nobody waits for the task


class DeadlineError(EarnestError):
    """A run has reached its deadline; what is finished is in its store."""


class TimeLimit(BaseException):
    """A task has used up its time; not an `Exception`, so that no learner catches it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not finished after {seconds:g} s")


@dataclass(frozen=True)
class TaskLimit:
    """When a task is ended.

    Attributes
    ----------
    seconds : float
        How long it may run.
    grace : float
        How much longer until its process is ended.
    deadline : float
        When the whole run is over, on the clock of `time.monotonic`, which all processes of a
        machine share.
    """

    seconds: float = math.inf
    grace: float = GRACE
    deadline: float = math.inf

    @classmethod
    def of(
        cls, time_limit: float | None, grace: float = GRACE, deadline: float = math.inf
    ) -> TaskLimit | None:
        """Return the limit that a user's `time_limit` and the deadline of a run stand for."""
        if time_limit is None:
            return cls(deadline=deadline) if deadline < math.inf else None
        try:
            limit = cls(float(time_limit), float(grace), deadline)
        except (TypeError, ValueError):
            limit = cls(0.0)
        if not (0.0 < limit.seconds < 1e8 and 0.0 <= limit.grace < 1e8):
            raise InputError(
                "`time_limit` is out of range",
                needs="None, or seconds greater than 0",
                got=check.show(time_limit),
            )
        return limit

    @property
    def is_over(self) -> bool:
        """Whether the deadline of the run has passed."""
        return time.monotonic() >= self.deadline

    def find_gentle(self) -> float:
        """Return the seconds until a task that begins now is interrupted."""
        return min(self.seconds, max(self.deadline - time.monotonic(), 0.0))

    def find_hard(self) -> float:
        """Return the seconds until the process of a task that begins now is ended."""
        left = max(self.deadline - time.monotonic(), 0.0) + GRACE_AT_DEADLINE
        return min(self.seconds + self.grace, left)


def gentle(limit: TaskLimit | None) -> AbstractContextManager[None]:
    """Raise TimeLimit in this thread when the time is up."""
    if limit is None:
        return nullcontext()
    main = threading.current_thread() is threading.main_thread()
    seconds = max(limit.find_gentle(), SHORTEST)
    if main and hasattr(signal, "setitimer"):
        return _set_alarm(seconds)
    return _throw_later(seconds)


@contextmanager
def hard(limit: TaskLimit | None, trace: BinaryIO) -> Iterator[None]:
    """End this process when the time and the grace are up, and write to `trace` where it stood."""
    if limit is None:
        yield
        return
    faulthandler.dump_traceback_later(limit.find_hard(), exit=True, file=trace.fileno())
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


def read_budget(budget: object) -> float | None:
    """Return a duration in seconds, or None for None."""
    return None if budget is None else read_seconds(budget)


def read_seconds(budget: object) -> float:
    """Return a duration in seconds.

    Examples
    --------
    >>> from earnest.engine.limits import read_seconds
    >>> read_seconds("5m"), read_seconds("90 seconds"), read_seconds("1.5h"), read_seconds(30)
    (300.0, 90.0, 5400.0, 30.0)
    """
    match = _SPAN.match(str(budget)) if isinstance(budget, str | int | float) else None
    use = "Use 90s, 5m or 1h."
    if match is None or isinstance(budget, bool):
        raise InputError(f"{arg('budget')}: {check.show(budget)} is not a duration", cure=use)
    unit = next(filter(None, match.groups()[1:]), "s")
    seconds = float(match[1]) * _SECONDS[unit.lower()]
    if seconds < 1.0:
        raise InputError(f"{arg('budget')}: {check.show(budget)} is less than a second", cure=use)
    if seconds > 366 * 86400:
        raise InputError(f"{arg('budget')}: {check.show(budget)} is more than a year", cure=use)
    return seconds
