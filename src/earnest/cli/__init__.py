"""The command line: one file per command, presentation in `show`."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from earnest.core.base.process import find_process_start

__all__ = ["main"]

INTERRUPTED, TERMINATED = 130, 143  # as shells tell of SIGINT and SIGTERM
ENDINGS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}
AGAIN = 5.0  # seconds after which a second SIGTERM counts
_ended = threading.Event()  # by SIGTERM
_started: ContextVar[float | None] = ContextVar("when the command was started", default=None)


class Termination(KeyboardInterrupt):
    """SIGTERM came: all ends as after an interrupt from the keyboard, under its own code."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end a command in order: workers are stopped, and what is finished is kept."""
    _ended.clear()
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears of signals
        return
    last = -math.inf

    def end(*_: object) -> None:
        nonlocal last
        earlier, last = last, time.monotonic()
        _ended.set()
        if last - earlier >= AGAIN:  # who asks twice in a row does not mean to disturb the order
            raise Termination

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def ending_code() -> int:
    """Return the exit code of a command that was interrupted, from the keyboard or by SIGTERM."""
    return TERMINATED if _ended.is_set() else INTERRUPTED


def find_command_start() -> float:
    """Return when the command was started, on the clock of `time.monotonic`.

    That is the start of the process, unless the command is called from within a process.
    """
    started = _started.get()
    return time.monotonic() if started is None else started


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments; those of the process by default.
    """
    token = _started.set(find_process_start() if args is None else time.monotonic())
    try:
        with terminable():
            from earnest.cli.app import run_program

            return run_program(args)
    except KeyboardInterrupt:
        code = ending_code()
        if sys.stderr is not None:
            sys.stderr.write(f"{ENDINGS[code]}\n")
        return code
    finally:
        _started.reset(token)
