"""Run files: where a run keeps what is finished, and how it is read again."""

from __future__ import annotations

from pathlib import Path

from earnest.core.base.check import show
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Store
from earnest.core.text.doors import arg
from earnest.store.memory import MemoryStore
from earnest.store.sqlite import (
    RunFile,
    SqliteStore,
    list_companions,
    read_run,
    read_run_identity,
)

__all__ = [
    "MemoryStore",
    "RunFile",
    "SqliteStore",
    "as_store",
    "list_companions",
    "read_run",
    "read_run_identity",
]


def as_store(store: str | Path | Store | None) -> Store | None:
    """Return the store that a user's `store` stands for: a path is a SQLite run file.

    Examples
    --------
    >>> from earnest.store import as_store
    >>> as_store("run.db")
    SqliteStore('run.db')
    >>> as_store(None) is None
    True
    """
    if store is None:
        return None
    if isinstance(store, (str, Path)):
        return SqliteStore(store)
    if isinstance(store, type) or not isinstance(store, Store):
        raise InputError(
            f"{arg('store')} cannot keep a run",
            needs="the path of a run file, or an object with the methods of a Store",
            got=show(store),
        )
    return store
