"""Progress: a bar that shows tasks done, skipped and failed, and the time left."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from earnest.core.base.protocols import Outcome, Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichBar
    from rich.progress import TaskID


SOONEST = 0.03  # share of the tasks before which the time left is unknown


def estimate_seconds_left(
    *, ran: int, done: int, todo: int, seconds: float, most: float = math.inf
) -> float | None:
    """Return how long the rest takes at the pace so far, or None if it is not known yet.

    A run that ends at a set time usually has more tasks than time, and its first tasks are quick.
    So until half of the tasks are done, the time left is that until the set time; after that it is
    estimated from the pace.

    Parameters
    ----------
    ran : int
        How many tasks were run in the time; stored ones come back at once and tell nothing.
    done, todo : int
        How many are done, stored ones too, and how many there are in all.
    seconds : float
        The time.
    most : float
        Seconds until the run ends in any case.

    Examples
    --------
    >>> from earnest.engine.progress import estimate_seconds_left
    >>> estimate_seconds_left(ran=10, done=10, todo=40, seconds=5.0)
    15.0
    >>> estimate_seconds_left(ran=10, done=10, todo=400, seconds=5.0) is None
    True
    >>> estimate_seconds_left(ran=10, done=10, todo=40, seconds=5.0, most=55.0)
    55.0
    """
    if done >= todo:
        return None
    if math.isfinite(most) and done < todo / 2:
        return max(most, 0.0)
    if ran <= 0 or done < SOONEST * todo:
        return None
    return max(min(seconds / ran * (todo - done), most), 0.0)


class ProgressBar:
    """Shows a run as a bar of rich, on a terminal or in a notebook.

    The time left goes by the tasks that were run here; stored ones come back at once and tell
    nothing. Lines of `message` go above the bar.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; standard error if None, so that results can be piped on.
    noun : str
        What the tasks are called.

    Examples
    --------
    >>> import io
    >>> from rich.console import Console
    >>> from earnest.core.base.protocols import Outcome
    >>> from earnest.engine.progress import ProgressBar
    >>> bar = ProgressBar(Console(file=io.StringIO(), width=100))
    >>> with bar:
    ...     bar.start(3)
    ...     bar.advance(Outcome((0,)))
    ...     bar.advance(Outcome((1,), error="ValueError: no"))
    ...     bar.drop(1)
    >>> bar.status()
    '2 of 2 fits, 1 skipped, 1 failed'
    """

    def __init__(self, console: Console | None = None, noun: str = "fits") -> None:
        self._console, self._noun = console, noun
        self._bar: RichBar | None = None
        self._task: TaskID | None = None
        self.total = self.done = self.stored = self.dropped = self.errors = 0
        self._began = 0.0

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` tasks are planned."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.finish()
        self.total, self._began = total, time.monotonic()
        self.done = self.stored = self.dropped = self.errors = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[status]}"),
            console=self._console or Console(stderr=True),
        )
        self._task = self._bar.add_task(title, total=total, status=self.status())
        self._bar.start()

    def advance(self, outcome: Outcome, *, stored: bool = False) -> None:
        """Tell that a task is finished."""
        self.done += 1
        self.stored += stored
        self.errors += outcome.failed
        self._update()

    def drop(self, count: int) -> None:
        """Tell that so many planned tasks will not be run."""
        self.dropped += count
        self._update()

    def message(self, text: str) -> None:
        """Show a line of text."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)

    def finish(self) -> None:
        """End, and leave the last state on the screen."""
        bar, self._bar = self._bar, None
        if bar is not None and self._task is not None:
            bar.update(self._task, status=self.status())
            bar.stop()

    def status(self) -> str:
        """Return the state in words.

        Skipped tasks no longer count among those to do, and what is zero is left out.
        """
        parts = [f"{self.done} of {self.total - self.dropped} {self._noun}"]
        counts = (("stored", self.stored), ("skipped", self.dropped), ("failed", self.errors))
        parts += [f"{count} {word}" for word, count in counts if count]
        left = self.seconds_left()
        return ", ".join([*parts, f"{_span(left)} left"] if left else parts)

    def seconds_left(self) -> float | None:
        """Return how long it will still take, or None if unknown."""
        return estimate_seconds_left(
            ran=self.done - self.stored,
            done=self.done,
            todo=self.total - self.dropped,
            seconds=time.monotonic() - self._began,
        )

    def _update(self) -> None:
        if self._bar is not None and self._task is not None:
            total = max(self.total - self.dropped, self.done)
            self._bar.update(self._task, completed=self.done, total=total, status=self.status())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.finish()


@dataclass(eq=False, kw_only=True)
class ForwardedProgress:
    """A Progress that passes everything on to another one, if there is one."""

    told: Progress | None = None

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` tasks are planned."""
        if self.told is not None:
            self.told.start(total, title)

    def advance(self, outcome: Outcome, *, stored: bool = False) -> None:
        """Tell that a task is finished."""
        if self.told is not None:
            self.told.advance(outcome, stored=stored)

    def drop(self, count: int) -> None:
        """Tell that so many planned tasks will not be run."""
        if self.told is not None:
            self.told.drop(count)

    def message(self, text: str) -> None:
        """Show a line of text."""
        if self.told is not None:
            self.told.message(text)

    def finish(self) -> None:
        """End."""
        if self.told is not None:
            self.told.finish()


def read_progress(given: Progress | bool | None) -> Progress | None:
    """Return the Progress of an argument `progress`: a bar for True, None for False and None."""
    if given is None or isinstance(given, bool):
        return ProgressBar() if given else None
    return given


@contextmanager
def watch_progress(
    given: Progress | bool | None, total: int, title: str
) -> Iterator[Progress | None]:
    """Start and finish the progress of a run."""
    told = read_progress(given)
    if told is None:
        yield None
        return
    told.start(total, title)
    try:
        yield told
    finally:
        told.finish()


def _span(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> from earnest.engine.progress import _span
    >>> _span(42.3), _span(312), _span(9000)
    ('43 s', '5:12', '2:30 h')
    """
    whole = int(seconds) + (seconds > int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
