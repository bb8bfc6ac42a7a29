"""A store in memory: resumes within a process, and forgets with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from earnest.core.base.protocols import Key, TaskOutcome
from earnest.store.rows import refuse_another
from earnest.store.sqlite import RunFile


class MemoryStore:
    """Keeps outcomes and documents in dictionaries, for as long as the object lives.

    Examples
    --------
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> from earnest.store import MemoryStore
    >>> store = MemoryStore()
    >>> store.open({"seed": "7"})
    >>> store.put(TaskOutcome((0,), numbers={"score": 0.8}))
    >>> store.done()[0,].numbers
    {'score': 0.8}
    """

    def __init__(self) -> None:
        self._identity: dict[str, str] | None = None
        self._outcomes: dict[Key, TaskOutcome] = {}
        self._documents: dict[str, str] = {}

    def open(self, identity: Mapping[str, str]) -> None:
        """Begin or resume the run of this identity."""
        if self._identity is not None:
            refuse_another(self._identity, identity, "this store")
        self._identity = dict(identity)

    def done(self) -> Mapping[Key, TaskOutcome]:
        """Return what is finished, by key."""
        return MappingProxyType(self._outcomes)

    def put(self, outcome: TaskOutcome) -> None:
        """Keep an outcome."""
        self._outcomes[outcome.key] = outcome

    def put_document(self, name: str, text: str) -> None:
        """Keep a text by name."""
        self._documents[name] = text

    def documents(self) -> Mapping[str, str]:
        """Return the texts by name."""
        return MappingProxyType(self._documents)

    def to_run(self, path: str | Path) -> RunFile:
        """Return what `read_run(path, arrays=False)` would read, had it been kept in that file."""
        outcomes = {key: replace(outcome, arrays={}) for key, outcome in self._outcomes.items()}
        return RunFile(Path(path), dict(self._identity or {}), outcomes, dict(self._documents))

    def flush(self) -> None:
        """Do nothing: nothing here survives the process."""

    def close(self) -> None:
        """Do nothing: a later `open` of the same run finds all again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
