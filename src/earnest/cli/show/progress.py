"""How a search goes on: one line that rewrites itself, and without a terminal one line per fold."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from earnest.core.base.protocols import Outcome
from earnest.engine.progress import _span, estimate_seconds_left
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
    drawn = DrawnShare()

    def say(line: str) -> None:
        wide = shutil.get_terminal_size().columns - 1
        stream.write(f"\r\x1b[2K{line[:wide]}" if live else f"{line}\n")
        stream.flush()

    def tell() -> None:
        due = LONG
        while not over.wait(due - (time.monotonic() - began)):
            say(f"{text}, {_span(due)} so far{_say_drawn(drawn)}")
            due *= 2

    if now:
        say(f"{text} ..." if live else text)
    teller = threading.Thread(target=tell, name="earnest-patience", daemon=True)
    teller.start()
    told = DRAWN.set(drawn)
    try:
        yield
    finally:
        DRAWN.reset(told)
        over.set()
        teller.join()
        if live:
            stream.write("\r\x1b[2K")
            stream.flush()


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


class FoldLine:
    """Shows a search on one line of a terminal, or as one line per fold where there is none.

    Parameters
    ----------
    stream : text stream
        Where to write; standard error, so that results can be piped on.
    n_splits : int
        How many splits there are.
    drop : object
        Whether the search goes split by split, which early dropping makes it do.
    label : str, optional
        What is going on; None for what the run calls itself.
    until : float
        The moment, on the clock of `time.monotonic`, at which the run ends in any case.
    """

    def __init__(
        self,
        stream: TextIO | None,
        n_splits: int = 0,
        drop: Any = None,
        label: str | None = "Search",
        until: float = math.inf,
    ) -> None:
        self._given, self._label = label, label or ""
        self._stream, self._n_splits, self._by_fold = stream, n_splits, drop is not None
        self._live, self._until = is_live(stream), until
        self._begin(0)
        self._open = False

    def _begin(self, total: int) -> None:
        self.total, self._began = total, time.monotonic()
        self.done = self.stored = self.dropped = self.failed = 0
        self._folds: set[tuple[int, ...]] = set()
        self._written = 0.0
        self._first: float | None = None  # when the first fit came; workers take long to start
        self._said = 0

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` fits are planned."""
        self._begin(total)
        self._label, self._open = self._given or title, True
        self._update()

    def advance(self, outcome: Outcome, *, stored: bool = False) -> None:
        """Tell that a fit is finished."""
        self.done += 1
        self.stored += stored
        self.failed += outcome.failed
        if self._first is None and not stored:
            self._first = time.monotonic()
        self._folds.add(outcome.key[1:])
        self._update()

    def drop(self, count: int) -> None:
        """Tell that so many fits will not be made."""
        self.dropped += count
        self._update()

    def message(self, text: str) -> None:
        """Show a line of text."""
        self._write(f"\r{text}\n" if self._live else f"{text}\n")

    def finish(self) -> None:
        """End, and leave the last state."""
        if self._open:
            self._open = False
            self._show(f"{self.status(ended=True)}", last=True)

    def status(self, *, ended: bool = False) -> str:
        """Return the state in words."""
        todo = max(self.total - self.dropped, self.done, 1)
        parts = [
            f"{100 * self.done // todo:3d} %",
            f"{self.done:,} fit{'' if self.done == 1 else 's'}",
        ]
        counts = (("stored", self.stored), ("skipped", self.dropped), ("failed", self.failed))
        parts += [f"{count:,} {word}" for word, count in counts if count]
        spent = time.monotonic() - self._began
        left = self._left(todo)
        if ended:
            parts.append(f"in {_span(spent)}")
        elif left is not None:
            parts.append(f"{_span(left)} left")
        return "  ".join(parts)

    def _left(self, todo: int) -> float | None:
        if self._first is None:
            return None
        now = time.monotonic()
        return estimate_seconds_left(
            ran=self.done - self.stored - 1,
            done=self.done,
            todo=todo,
            seconds=now - self._first,
            most=self._until - now,
        )

    def _update(self) -> None:
        now = time.monotonic()
        if self._live:
            if now - self._written >= PATIENCE:
                self._written = now
                self._show(self.status())
        elif self._due():
            self._show(self.status())

    def _due(self) -> bool:
        """Tell whether a line is due: a fold is done, or a tenth of the fits."""
        todo = max(self.total - self.dropped, self.done, 1)
        step = len(self._folds) - 1 if self._by_fold else 10 * self.done // todo
        if step <= self._said or self.done == todo:
            return False
        self._said = step
        return True

    def _show(self, status: str, *, last: bool = False) -> None:
        label = self._label
        if self._by_fold:
            label = f"Fold {max(len(self._folds), 1):>2}/{self._n_splits}"
        if not self._live:
            self._write(f"{label}  {status}\n")
            return
        todo = max(self.total - self.dropped, self.done, 1)
        full = BAR * self.done // todo
        bar = self._drawn(full)
        # A line that wraps could not be rewritten.
        line = f"{label} {bar} {status}"[: shutil.get_terminal_size().columns - 1]
        self._write(f"\r\x1b[2K{line}" + ("\n" if last else ""))

    def _drawn(self, full: int) -> str:
        encoding = (getattr(self._stream, "encoding", None) or "ascii").lower()
        done, rest = ("━", "─") if encoding.startswith("utf") else ("#", ".")
        return done * full + rest * (BAR - full)

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()
