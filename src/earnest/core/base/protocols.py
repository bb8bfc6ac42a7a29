"""What engine and store agree on: tasks, their outcomes, where these are kept, who is told.

A *task* has a key of small whole numbers and a small payload; it runs a function on data that all
tasks of a run share, and gives an *outcome*: named arrays and numbers, or an error. The words of a
search (configuration, fold) or of replicates belong to those who make the tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

from earnest.core.base.arrays import RawArray

Key: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class EngineTask:
    """A piece of work that can be done on its own.

    Attributes
    ----------
    key : tuple of int
        What it is called in the run: (configuration, repeat, fold) of a search, (replicate,) of
        replicates. No two tasks of a run share a key.
    payload : object
        What the work needs beside the shared data; small, for it travels with every task.
    """

    key: Key
    payload: Any = None  # what the work of those who made the task needs


@dataclass(frozen=True, eq=False)
class TaskOutcome:
    """What a task gave.

    Attributes
    ----------
    key : tuple of int
        The key of its task.
    arrays : mapping of str to ndarray
        Results such as predictions; of any numeric, logical, text, date or structured type, but
        never of objects, which could not be stored without pickle.
    numbers : mapping of str to float
        Results such as times and scores. Those whose name ends in `_time` are seconds, and the
        only thing in which two runs of the same task may differ.
    error : str or None
        The traceback, if the task failed.
    note : str or None
        A word on how it went, such as 'time limit' or 'the process ended'.

    Examples
    --------
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> TaskOutcome((3, 0, 7), numbers={"fit_time": 0.1}).failed
    False
    """

    key: Key
    arrays: Mapping[str, RawArray] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None
    note: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the task ended in an error."""
        return self.error is not None


@runtime_checkable
class Store(Protocol):
    """Where a run keeps what is finished, so that a killed run loses only what was under way.

    A store is opened for a run with its identity, read with `done`, written with `put`, and
    closed; `with store:` closes it.
    """

    def open(self, identity: Mapping[str, str]) -> None:
        """Begin or resume the run of this identity; refuse another one, saying what differs."""

    def done(self) -> Mapping[Key, TaskOutcome]:
        """Return what is finished, by key; outcomes are read when they are asked for."""

    def put(self, outcome: TaskOutcome) -> None:
        """Keep an outcome; a later one of the same key takes its place."""

    def put_document(self, name: str, text: str) -> None:
        """Keep a small text by name, such as JSON; a later one takes its place."""

    def documents(self) -> Mapping[str, str]:
        """Return the texts by name."""

    def flush(self) -> None:
        """Return when all that was put would survive the end of this process."""

    def close(self) -> None:
        """Flush and let go of the store; closing twice is nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Progress(Protocol):
    """Receives the progress of a run; whoever makes the tasks starts and finishes it."""

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` tasks are planned."""

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        """Tell that a task is finished; `stored` if it was so in an earlier run."""

    def drop(self, count: int) -> None:
        """Tell that so many planned tasks will not be run."""

    def message(self, text: str) -> None:
        """Show a line of text."""

    def finish(self) -> None:
        """End, also after an error; finishing twice is nothing."""
