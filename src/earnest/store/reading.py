"""Reading a run file, also while its run goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.protocols import Key, Outcome
from earnest.store.rows import decode
from earnest.store.sqlite import (
    PATIENCE,
    explain_errors,
    is_new,
    read_documents,
    read_identity,
    rows_of,
    settle_path,
)


@dataclass(frozen=True, eq=False)
class RunFile:
    """What a run file held at one moment.

    Attributes
    ----------
    path : Path
        The file.
    identity : mapping of str to str
        What the run was begun with: data, estimator, seed, versions.
    outcomes : mapping of tuple of int to Outcome
        What is finished, by key.
    documents : mapping of str to str
        What else the run remembers, by name.

    Examples
    --------
    >>> import tempfile
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     search = en.SearchCV(
    ...         DecisionTreeClassifier(),
    ...         {"max_depth": [1, 2]},
    ...         random_state=7,
    ...         store=f"{folder}/run.db",
    ...     ).fit(X, y)
    ...     run = en.read_run(f"{folder}/run.db")
    >>> run.identity["seed"], len(run.outcomes)
    ('7', 10)
    """

    path: Path
    identity: Mapping[str, str]
    outcomes: Mapping[Key, Outcome] = field(repr=False)
    documents: Mapping[str, str] = field(repr=False)


def read_run(path: str | Path, *, arrays: bool = True) -> RunFile:
    """Return what a run file holds, as of one moment; the file is never changed.

    Reading works while a run writes to the file, and after it was killed. A damaged file, a newer
    version of it and other databases are refused.

    Parameters
    ----------
    path : str or Path
        The file.
    arrays : bool
        Whether the arrays of outcomes, such as predictions, are kept; without them the memory does
        not grow with the number of cases.

    Examples
    --------
    >>> import os, tempfile
    >>> from earnest.core.base.protocols import Outcome
    >>> from earnest.store import SqliteStore, read_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqliteStore(os.path.join(folder, "run.db")) as store:
    ...         store.open({"seed": "7"})
    ...         store.put(Outcome((0, 0), numbers={"score": 0.8}))
    ...         run = read_run(store.path)  # while the writer has it open
    >>> run.identity, len(run.outcomes)
    ({'seed': '7'}, 1)
    """
    real = settle_path(path)
    if not real.exists():
        raise FormatError(f"there is no file {str(path)!r}", needs="a run file of earnest")
    check.refuse_stream(real)
    with explain_errors(path):
        connection = _connect(real)
        try:
            return _read(connection, Path(path), arrays)
        finally:
            connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    """Open for reading; a finished file in a folder that is shut needs no journal at all."""
    uri = f"{path.as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        shut = isinstance(error, sqlite3.OperationalError)
        if not shut or path.with_name(path.name + "-wal").exists():
            raise
        connection = sqlite3.connect(f"{uri}&immutable=1", uri=True, isolation_level=None)
    return connection


def _read(connection: sqlite3.Connection, path: Path, arrays: bool) -> RunFile:
    connection.execute("BEGIN")  # all that follows is of one moment
    if is_new(connection, path):
        raise FormatError(f"{str(path)!r} is empty", needs="a run file of earnest")
    outcomes = (decode(row) for row in rows_of(connection))
    return RunFile(
        path,
        read_identity(connection),
        {one.key: one if arrays else replace(one, arrays={}) for one in outcomes},
        read_documents(connection),
    )
