"""How a search goes on: one line that rewrites itself, and without a terminal one line per fold."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, TextIO

from earnest.engine.progress import (
    ProgressDisplay,
    ProgressState,
    describe_progress,
    describe_time,
)
from earnest.resampling.bootstrap import DRAWN, DrawnShare

BAR = 20  # columns
LONG = 10.0  # seconds of silence that are too many
PATIENCE = 0.1  # seconds between two states of the line


@contextmanager
def patiently(stream: TextIO | None, text: str, *, now: bool = False) -> Iterator[None]:
    """Say what goes on if it takes long: after `LONG` seconds, and whenever that has doubled.

    Off a terminal each time is a line of its own, so that a log tells that work goes on. Where
    resamples are drawn, each line says how many of them are scored.

    Parameters
    ----------
    stream : text stream, optional
        Where to write: standard error, so that results can be piped on.
    text : str
        What goes on.
    now : bool
        Whether it is known to take long, and is said at once.
    """
    if stream is None:
        yield
        return
    live, over, began = is_live(stream), threading.Event(), time.monotonic()

    def say(line: str) -> None:
        wide = shutil.get_terminal_size().columns - 1
        stream.write(f"\r\x1b[2K{line[:wide]}" if live else f"{line}\n")
        stream.flush()

    drawn = _ToldShare(say=lambda words: say(f"{text}: {words}"))

    def tell() -> None:
        due = LONG
        while not over.wait(due - (time.monotonic() - began)):
            say(f"{text}, {describe_time(due)} so far{_say_drawn(drawn)}")
            due *= 2

    if now:
        say(f"{text} ..." if live else text)
    teller = threading.Thread(target=tell, name="earnest-patience", daemon=True)
    teller.start()
    token = DRAWN.set(drawn)
    try:
        yield
    finally:
        DRAWN.reset(token)
        over.set()
        teller.join()
        if live:
            stream.write("\r\x1b[2K")
            stream.flush()


@dataclass
class _ToldShare(DrawnShare):
    """Says on a line of its own that resamples take long."""

    listens: ClassVar[bool] = True
    say: Callable[[str], None] = print

    def announce(self, words: str) -> None:
        """Say it before the first of them is scored."""
        self.say(words)


def _say_drawn(drawn: DrawnShare) -> str:
    return f", {drawn.done:,} of {drawn.total:,} resamples" if drawn.total else ""


@contextmanager
def waiting(stream: TextIO | None, text: str) -> Iterator[None]:
    """Show on a terminal what goes on without a count, and take it away when it is over."""
    live = is_live(stream)
    if live and stream is not None:
        stream.write(f"\r\x1b[2K{text} ..."[: shutil.get_terminal_size().columns + 4])
        stream.flush()
    try:
        yield
    finally:
        if live and stream is not None:
            stream.write("\r\x1b[2K")
            stream.flush()


def is_live(stream: TextIO | None) -> bool:
    """Tell whether a line can be rewritten there."""
    return bool(stream is not None and stream.isatty() and os.getenv("TERM") != "dumb")


class FoldLine(ProgressDisplay):
    """Shows a run on one line of a terminal, or as one line per step where there is none.

    Parameters
    ----------
    stream : text stream
        Where to write; standard error, so that results can be piped on.
    by_fold : bool
        Whether the search goes split by split, which early dropping makes it do.
    label : str
        What is going on; by default what the run calls itself.
    """

    def __init__(self, stream: TextIO | None, *, by_fold: bool = False, label: str = "") -> None:
        self._stream, self._by_fold, self._label = stream, by_fold, label
        self._live = is_live(stream)
        self._written, self._steps = -math.inf, 0

    def show(self, state: ProgressState) -> None:
        """Show a state, if it is time for it."""
        now = time.monotonic()
        if state.ended or (self._live and now - self._written >= PATIENCE):
            self._written = now
            self._draw(state)
        elif not self._live and self._is_due(state):
            self._draw(state)
        if state.ended:
            self._written, self._steps = -math.inf, 0

    def message(self, text: str) -> None:
        """Show a line of text."""
        self._write(f"\r{text}\n" if self._live else f"{text}\n")

    def _is_due(self, state: ProgressState) -> bool:
        """Tell whether a line is due: a fold is done, or a tenth of the run."""
        step = state.splits - 1 if self._by_fold else int(10 * state.fraction + 1e-9)
        if step <= self._steps or state.fraction >= 1.0:
            return False
        self._steps = step
        return True

    def _draw(self, state: ProgressState) -> None:
        label = state.doing or self._label or state.title
        if self._by_fold and not state.doing:
            label = f"Fold {max(state.splits, 1):>2}/{state.n_splits}"
        described = describe_progress(state)
        if state.doing:  # no fit is made, so only the time changes
            described = described[-1:] if state.seconds_left is not None else []
        words = "  ".join([f"{int(100 * state.fraction + 1e-9):3d} %", *described])
        if not self._live:
            self._write(f"{label}  {words}\n")
            return
        # A line that wraps could not be rewritten.
        bar = self._draw_bar(int(BAR * state.fraction + 1e-9))
        line = f"{label} {bar} {words}"[: shutil.get_terminal_size().columns - 1]
        self._write(f"\r\x1b[2K{line}" + ("\n" if state.ended else ""))

    def _draw_bar(self, full: int) -> str:
        encoding = (getattr(self._stream, "encoding", None) or "ascii").lower()
        done, empty = ("━", "─") if encoding.startswith("utf") else ("#", ".")
        return done * full + empty * (BAR - full)

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()
