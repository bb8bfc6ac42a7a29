"""Progress: one meter counts a run, and everything that shows it shows the meter's state.

With a budget the state is a share of the time: the elapsed seconds of the budget. Without one it
is a share of the work: the fits made of those planned. A run has one of the two from its first
second to its last.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from earnest.core.base.protocols import Key, Progress, TaskOutcome
from earnest.core.results.counts import Counts

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichBar
    from rich.progress import TaskID


NEARLY = 0.99  # of a budget, until the run has ended
SOONEST = 0.03  # share of the fits before which their pace is unknown


@dataclass(frozen=True, kw_only=True)
class ProgressState:
    """How far a run is at one moment; terminal, page and callbacks show these numbers.

    Attributes
    ----------
    title : str
        What the run is called.
    noun : str
        What is counted beside configurations: fits, or resamples.
    doing : str
        What is being done beside its fits, in words.
    counts : Counts
        How many configurations are planned, and how those that were begun stand; nothing is counted
        where the tasks are not those of configurations.
    fits, fits_planned : int
        How many fits are made, and how many there are in all without those that were skipped;
        0 if unknown.
    fits_stored, fits_skipped, fits_failed : int
        How many were there before, will not be made, and failed.
    splits, n_splits : int
        On how many splits a fit was made, and how many there are; 0 if unknown.
    elapsed : float
        Seconds since the run began.
    budget : float or None
        Seconds that it may take; None if it ends when its fits are made.
    fraction : float
        From 0 to 1, and never less than before: with a budget that of the time, otherwise that of
        the fits. 1 at the end of a run that was not stopped.
    seconds_left : float or None
        With a budget what is left of it, and rises only where more is needed than planned;
        otherwise by the pace of the fits. None if unknown, and where the budget is over.
    ended : bool
        Whether the run is over.
    """

    title: str = ""
    noun: str = "fits"
    doing: str = ""
    counts: Counts = field(default_factory=Counts)
    fits: int = 0
    fits_planned: int = 0
    fits_stored: int = 0
    fits_skipped: int = 0
    fits_failed: int = 0
    splits: int = 0
    n_splits: int = 0
    elapsed: float = 0.0
    budget: float | None = None
    fraction: float = 0.0
    seconds_left: float | None = None
    ended: bool = False


class ProgressDisplay:
    """Shows the state of a run whenever it changes.

    It is a `Progress` too, so it can be given wherever one can. A copy of a search, as `clone` of
    scikit-learn makes it, shows itself in the same place.
    """

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Return the display itself: streams cannot be copied."""
        return self

    def show(self, state: ProgressState) -> None:
        """Show a state; the last one has `ended`."""
        raise NotImplementedError

    def start(self, total: int, title: str = "") -> None:
        """Begin; `show` has the state."""

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        """Tell that a task is finished; `show` has the state."""

    def drop(self, count: int) -> None:
        """Tell that tasks will not be run; `show` has the state."""

    def message(self, text: str) -> None:
        """Show a line of text."""

    def finish(self) -> None:
        """End; `show` has the state."""


@dataclass(eq=False)
class Meter:
    """Counts a run, and tells all who listen; a `Progress`, of which a run has one.

    Parameters
    ----------
    listeners : list of Progress
        Who is told: everyone of what happens, and a `ProgressDisplay` of the state.
    budget : float, optional
        Seconds that the run may take.
    began : float, optional
        When it began, on the clock; when the meter starts by default.
    lasts : bool
        Whether more follows the fits: then the run ends with the context of the meter, not with
        them.
    every : float, optional
        Seconds after which displays are told again though no fit is finished, within the context
        of the meter.
    noun : str
        What is counted.
    clock : callable
        Seconds that only grow.

    Examples
    --------
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> from earnest.engine.progress import Meter
    >>> meter = Meter()
    >>> meter.expect(n_configs=2, n_splits=2)
    >>> meter.start(4)
    >>> meter.advance(TaskOutcome((0, 0, 0)))
    >>> meter.advance(TaskOutcome((0, 0, 1)))
    >>> state = meter.read()
    >>> state.counts.complete, state.counts.planned, state.fraction
    (1, 2, 0.5)
    """

    listeners: list[Progress] = field(default_factory=list)
    budget: float | None = None
    began: float | None = None
    lasts: bool = False
    every: float | None = None
    noun: str = "fits"
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.n_configs, self.n_splits, self.after = 0, 0, 0.0
        self.title = self.doing = ""
        self._reached, self._begun, self._ended = 0.0, False, False
        self._guard, self._over = threading.RLock(), threading.Event()
        self._ticker: threading.Thread | None = None
        self._reset(0)

    def _reset(self, total: int) -> None:
        self._total = total
        self._stored = self._skipped = self._dropped = 0
        self._made: Counter[int] = Counter()
        self._with_failures: Counter[int] = Counter()
        self._splits: set[Key] = set()
        self._first: float | None = None  # when the first fit came; workers take long to start
        self._needed: int | None = None  # fits that complete a configuration, where splits are left

    def expect(self, *, n_configs: int = 0, n_splits: int = 0, after: float = 0.0) -> None:
        """Tell how many configurations and splits are planned, unless that is known already.

        `after` are the seconds of what follows the fits.
        """
        self.after = self.after or after
        self.n_configs = self.n_configs or n_configs
        self.n_splits = self.n_splits or n_splits

    def need(self, seconds: float) -> None:
        """Tell that so many seconds are still needed, however little of the budget is left."""
        if self.budget is None or self.began is None:
            return
        with self._guard:
            self.budget = max(self.budget, self.clock() - self.began + seconds)

    def say(self, doing: str) -> None:
        """Tell what is being done beside the fits."""
        self.doing = doing
        self._show()

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` fits are planned."""
        with self._guard:
            self._reset(total)
            if self.began is None:
                self.began = self.clock()
            if not self.lasts:
                self._reached, self._ended = 0.0, False
            self._begun = True
            self.title, self.doing = title, ""
        self._tell(lambda listener: listener.start(total, title))

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        """Tell that a fit is finished."""
        with self._guard:
            config = outcome.key[0] if outcome.key else 0
            self._made[config] += 1
            self._with_failures[config] += outcome.failed
            self._splits.add(outcome.key[1:])
            self._stored += stored
            if self._first is None and not stored:
                self._first = self.clock()
        self._tell(lambda listener: listener.advance(outcome, stored=stored))

    def drop(self, count: int) -> None:
        """Tell that so many fits will not be made."""
        with self._guard:
            self._skipped += count
            if self._total - self._skipped <= self._made.total():
                self._needed = len(self._splits)  # the splits that are left are of no use
            else:
                self._dropped += count // max(self.n_splits - len(self._splits), 1)
        self._tell(lambda listener: listener.drop(count))

    def message(self, text: str) -> None:
        """Show a line of text."""
        with self._guard:
            for listener in list(self.listeners):
                listener.message(text)

    def settle(self) -> None:
        """Tell that all fits are made, though perhaps fewer than were planned."""
        with self._guard:
            self._total = self._made.total() + self._skipped

    def finish(self) -> None:
        """End, unless more follows; after an error, too."""
        if self.lasts:
            return
        already, self._ended = self._ended, True
        if self._begun and not already:
            self._tell(lambda listener: listener.finish())

    @contextmanager
    def joined_by(self, *listeners: Progress) -> Iterator[None]:
        """Tell others too for a while."""
        self.listeners.extend(listeners)
        try:
            yield
        finally:
            for listener in listeners:
                self.listeners.remove(listener)

    @contextmanager
    def handed_over(self) -> Iterator[list[Progress]]:
        """Leave the listeners to another meter for a while, and tell nobody meanwhile."""
        listeners, self.listeners = self.listeners, []
        try:
            yield listeners
        finally:
            self.listeners = listeners

    def read(self) -> ProgressState:
        """Return the state as of now."""
        with self._guard:
            now = self.clock()
            elapsed = 0.0 if self.began is None else max(now - self.began, 0.0)
            fits = self._made.total()
            planned = max(self._total - self._skipped, fits) if self._total else 0
            needed = self._needed or self.n_splits
            failed = sum(count > 0 for count in self._with_failures.values())
            complete = sum(
                count >= needed and not self._with_failures[config]
                for config, count in self._made.items()
            )
            self._reached = max(self._reached, self._measure(elapsed, fits, planned))
            counts = Counts(
                planned=self.n_configs or None,
                tried=len(self._made) if needed else 0,
                complete=complete if needed else 0,
                failed=failed if needed else 0,
                dropped=self._dropped,
            )
            return ProgressState(
                title=self.title,
                noun=self.noun,
                doing=self.doing,
                counts=counts,
                fits=fits,
                fits_planned=planned,
                fits_stored=self._stored,
                fits_skipped=self._skipped,
                fits_failed=self._with_failures.total(),
                splits=len(self._splits),
                n_splits=self.n_splits,
                elapsed=elapsed,
                budget=self.budget,
                fraction=self._reached,
                seconds_left=None if self._ended else self._measure_left(now, elapsed, planned),
                ended=self._ended,
            )

    def _measure(self, elapsed: float, fits: int, planned: int) -> float:
        """Return which share is done: of the budget, or of the fits where there is none."""
        if self.budget is not None:
            return min(elapsed / self.budget, NEARLY)
        return fits / planned if planned else 0.0

    def _measure_left(self, now: float, elapsed: float, planned: int) -> float | None:
        """Return the seconds left: of the budget, or those of the fits to come at their pace."""
        if self.budget is not None:
            return self.budget - elapsed if elapsed < self.budget else None
        fits = self._made.total()
        paced = fits - self._stored - 1  # the first shows when workers began, not how long it took
        if self._first is None or paced <= 0 or fits >= planned or fits < SOONEST * planned:
            return None
        return (now - self._first) / paced * (planned - fits) + self.after

    def _tell(self, event: Callable[[Progress], None]) -> None:
        """Tell all of an event, displays of the state after it."""
        for listener in list(self.listeners):
            event(listener)
        self._show()

    def _show(self) -> None:
        if not self._begun:
            return
        with self._guard:
            state = self.read()
            for listener in list(self.listeners):
                if isinstance(listener, ProgressDisplay):
                    listener.show(state)

    def __enter__(self) -> Self:
        if self.began is None:
            self.began = self.clock()
        if self.every is not None:
            self._ticker = threading.Thread(target=self._tick, name="earnest-meter", daemon=True)
            self._ticker.start()
        return self

    def _tick(self) -> None:
        while not self._over.wait(self.every):
            self._show()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._ticker is not None:
            self._ticker.join()
        with self._guard:
            if kind is None:
                self._reached = 1.0
            self.lasts, self.doing = False, ""
        self.finish()


class ProgressBar(ProgressDisplay):
    """Shows a run as a bar of rich, on a terminal or in a notebook; messages go above the bar.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; standard error if None, so that results can be piped on.

    Examples
    --------
    >>> import io
    >>> from rich.console import Console
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> from earnest.engine.progress import Meter, ProgressBar
    >>> out = io.StringIO()
    >>> meter = Meter([ProgressBar(Console(file=out, width=100))])
    >>> meter.start(3)
    >>> meter.advance(TaskOutcome((0,)))
    >>> meter.advance(TaskOutcome((1,), error="ValueError: no"))
    >>> meter.drop(1)
    >>> meter.finish()
    >>> "2 of 2 fits, 1 skipped, 1 failed, in " in out.getvalue()
    True
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._bar: RichBar | None = None
        self._task: TaskID | None = None

    def show(self, state: ProgressState) -> None:
        """Draw the bar; leave its last state on the screen."""
        words = ", ".join(describe_progress(state))
        if self._bar is None:
            self._begin(state, words)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=state.fraction, status=words)
        if state.ended and self._bar is not None:
            bar, self._bar = self._bar, None
            bar.stop()

    def _begin(self, state: ProgressState, words: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[status]}"),
            console=self._console or Console(stderr=True),
        )
        self._task = self._bar.add_task(state.doing or state.title, total=1.0, status=words)
        self._bar.start()

    def message(self, text: str) -> None:
        """Show a line of text."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)


def describe_progress(state: ProgressState) -> list[str]:
    """Return in words what is done and how long it takes; what is zero is left out.

    Examples
    --------
    >>> from earnest.core.results.counts import Counts
    >>> from earnest.engine.progress import ProgressState, describe_progress
    >>> counts = Counts(planned=106, tried=85, complete=84)
    >>> describe_progress(ProgressState(counts=counts, budget=60.0, seconds_left=9.5))
    ['84 of 106 planned configurations', '10 s left']
    """
    counts = (
        ("stored", state.fits_stored),
        ("skipped", state.fits_skipped),
        ("failed", state.fits_failed),
    )
    words = [count_done(state), *(f"{count:,} {word}" for word, count in counts if count)]
    if state.ended:
        words.append(f"in {describe_time(state.elapsed)}")
    elif state.seconds_left is not None:
        words.append(f"{describe_time(state.seconds_left)} left")
    return words


def count_done(state: ProgressState) -> str:
    """Return in words how much of what was planned is done.

    Configurations are counted where they are complete one by one, otherwise fits.
    """
    count, words = split_done(state)
    return f"{count} {words}"


def split_done(state: ProgressState) -> tuple[str, str]:
    """Return how much is done, and in words of what."""
    complete, planned = state.counts.complete, state.counts.planned
    if state.budget is not None and planned:
        if complete > planned:
            return f"{complete:,}", f"configurations, {planned:,} were planned"
        return f"{complete:,}", f"of {planned:,} planned configurations"
    if state.fits_planned:
        return f"{state.fits:,}", f"of {state.fits_planned:,} {state.noun}"
    return f"{state.fits:,}", state.noun[:-1] if state.fits == 1 else state.noun


def read_meter(progress: Progress | bool | None) -> Meter:
    """Return the meter of an argument `progress`: True shows a bar, None and False nothing."""
    if isinstance(progress, Meter):
        return progress
    if progress is None or isinstance(progress, bool):
        return Meter([ProgressBar()] if progress else [])
    return Meter([progress])


@contextmanager
def watch_progress(progress: Progress | bool | None, total: int, title: str) -> Iterator[Meter]:
    """Start and finish the progress of a run."""
    meter = read_meter(progress)
    meter.start(total, title)
    try:
        yield meter
        meter.settle()
    finally:
        meter.finish()


def describe_time(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> from earnest.engine.progress import describe_time
    >>> describe_time(42.3), describe_time(312), describe_time(9000)
    ('43 s', '5:12', '2:30 h')
    """
    whole = int(seconds) + (seconds > int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
