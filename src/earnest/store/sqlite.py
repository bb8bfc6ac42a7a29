"""The run file: one SQLite database with everything that a run has finished."""

from __future__ import annotations

import os
import platform
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError, InputError, StoreError
from earnest.core.base.protocols import Key, TaskOutcome
from earnest.core.base.writing import refuse_links
from earnest.core.tables.formats.expanding import measure_free_memory, show_bytes
from earnest.core.text.doors import arg
from earnest.store.guard import (
    COMPANIONS,
    GuardedConnection,
    HostileFileError,
    check_objects,
    connect_guarded,
)
from earnest.store.rows import (
    COLUMNS,
    DamagedRow,
    Row,
    decode,
    drop_surrogates,
    encode,
    refuse_another,
    write_key,
)

APPLICATION = 0x6561726E  # 'earn', in the header of the file
VERSION = 1

TABLES = (
    "CREATE TABLE identity (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE outcome (key TEXT PRIMARY KEY, numbers TEXT NOT NULL, error TEXT, note TEXT,"
    " arrays TEXT NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE document (name TEXT PRIMARY KEY, text TEXT NOT NULL)",
)
SELECT = f"SELECT {', '.join(COLUMNS)} FROM outcome"
INSERT = f"INSERT OR REPLACE INTO outcome VALUES ({', '.join('?' * len(COLUMNS))})"

_DAMAGED = (
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_ERROR",
    "SQLITE_INTERRUPT",  # by the guard
    "SQLITE_TOOBIG",
)
_SHUT = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")


def settle_path(path: str | Path) -> Path:
    """Return where a run file really is, or raise if none can be there."""
    real = Path(os.path.realpath(os.path.expanduser(check.read_path(path))))
    if real.is_dir() or not real.parent.is_dir():
        raise StoreError(
            f"{str(path)!r} cannot hold a run",
            needs="a file name in a folder that exists",
            got="a folder" if real.is_dir() else f"no folder {str(real.parent)!r}",
        )
    refuse_links(*list_companions(real))
    return real


def list_companions(path: Path) -> list[Path]:
    """Return the files that stand beside a run file while it is written."""
    return [path.with_name(path.name + suffix) for suffix in (SUFFIX, *COMPANIONS)]


def is_new(connection: GuardedConnection, path: Path) -> bool:
    """Return whether the file is still empty; raise if it is not a run file of this version."""
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return True  # also what a process leaves that was killed at its first step
        raise FormatError(
            f"{str(path)!r} is a database of another program",
            needs="a run file of earnest, or a new name",
            cure=f"Use another {arg('store')}; this file was not changed.",
        )
    if version > VERSION:
        raise FormatError(
            f"{str(path)!r} was written by a newer version of earnest",
            needs=f"version {VERSION} of the run file",
            got=f"version {version}",
            cure=f"Update earnest, or use another {arg('store')}.",
        )
    check_objects(connection, TABLES)
    return False


def create_tables(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    """Write the tables and the identity, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    rows = [(drop_surrogates(name), drop_surrogates(value)) for name, value in identity.items()]
    connection.executemany("INSERT INTO identity VALUES (?, ?)", rows)
    connection.execute("COMMIT")


def touch_file(connection: sqlite3.Connection) -> None:
    """Write once without a change, so that a file that cannot be written is noticed at once."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def read_identity(connection: GuardedConnection) -> dict[str, str]:
    """Return the identity of the run."""
    return _read_texts(connection, "SELECT name, value FROM identity ORDER BY rowid")


def read_documents(connection: GuardedConnection) -> dict[str, str]:
    """Return the documents by name."""
    return _read_texts(connection, "SELECT name, text FROM document ORDER BY rowid")


def _read_texts(connection: GuardedConnection, query: str) -> dict[str, str]:
    texts = dict(connection.read(query))
    if not all(isinstance(word, str) for pair in texts.items() for word in pair):
        raise DamagedRow("numbers or bytes in place of text")
    return texts


def rows_of(connection: GuardedConnection) -> Iterator[Row]:
    """Return all rows in the order in which they were finished."""
    return connection.read(f"{SELECT} ORDER BY rowid")


@contextmanager
def explain_errors(path: str | Path) -> Iterator[None]:
    """Turn errors of SQLite or the system into errors that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _make_error(path, error) from error
    except (DamagedRow, UnicodeDecodeError) as error:  # SQLite may quote what is damaged
        raise _make_damaged_error(path, str(error)) from error
    except OSError as error:
        raise _make_shut_error(
            path, os.strerror(error.errno) if error.errno else str(error)
        ) from error


def _make_error(path: str | Path, error: sqlite3.Error) -> EarnestError:
    name = getattr(error, "sqlite_errorname", "") or "SQLITE_ERROR"
    if isinstance(error, HostileFileError):
        return _make_damaged_error(path, str(error))
    if name == "SQLITE_NOTADB":
        return FormatError(
            f"{str(path)!r} is not a run file", needs="a run file of earnest, or a new name"
        )
    if name.startswith(_DAMAGED):
        return _make_damaged_error(path, str(error))
    if name.startswith(_SHUT):
        return _make_shut_error(path, str(error))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            f"{str(path)!r} is locked by another program",
            got=str(error),
            cure="Close the program that has it open; committed data are safe.",
        )
    return StoreError(
        f"{str(path)!r} cannot be written: the disk is full or failing",
        got=str(error),
        cure="Free some space, then repeat the same call: finished work is kept and not run again.",
    )


def _make_damaged_error(path: str | Path, what: str) -> FormatError:
    return FormatError(
        f"{str(path)!r} is damaged",
        needs="an unchanged run file",
        got=what,
        cure=f"Restore it from a backup, or use another {arg('store')}.",
    )


def _make_shut_error(path: str | Path, what: str) -> StoreError:
    return StoreError(
        f"{str(path)!r} cannot be opened",
        needs="a file and a folder that you may read and write",
        got=what,
    )


# One writer at a time: a lock that dies with the process that holds it.
#
# The system drops the lock of a process however it ends, so that a dead writer never blocks. The
# lock is on a file beside the run file, because closing any second handle of a file drops every
# lock that a POSIX process has on it, SQLite's own included.


SUFFIX = "-lock"
_WARILY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link, no pipe
_HELD: dict[str, int] = {}  # path -> process; POSIX would grant a lock twice to one process
_ONE_THREAD = threading.Lock()
PAUSE = 0.02  # seconds between two attempts to take a lock


class WriterLock:
    """The right to write one run file, which messages call `shown`."""

    def __init__(self, path: Path, shown: Path | None = None) -> None:
        self.path = path if shown is None else shown
        self._place = os.path.realpath(path) + SUFFIX
        self._handle: int | None = None

    def acquire(self, patience: float = 0.0) -> None:
        """Take the lock, or raise StoreError with the process that has it, after some seconds."""
        end = time.monotonic() + patience
        while True:
            try:
                with _ONE_THREAD:
                    self._take()
            except StoreError:
                if time.monotonic() >= end:
                    raise
                time.sleep(PAUSE)
            else:
                return

    def _take(self) -> None:
        if _HELD.get(self._place) == os.getpid():
            raise _make_held_error(self.path, f"process {os.getpid()}, which is this one")
        while self._handle is None:
            handle = os.open(self._place, os.O_RDWR | os.O_CREAT | _WARILY, 0o644)
            try:
                _refuse_shared(handle, self._place)
                _lock(handle)
            except FormatError:
                os.close(handle)
                raise
            except OSError as error:
                who = os.read(handle, 200).decode("utf-8", "replace") or "another process"
                os.close(handle)
                raise _make_held_error(self.path, who) from error
            if _is_same_file(handle, self._place):
                self._handle = handle
            else:  # its last holder has removed the file in between
                os.close(handle)
        _HELD[self._place] = os.getpid()
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"process {os.getpid()} on {platform.node()}".encode())

    def release(self) -> None:
        """Release the lock and remove its file; releasing twice is harmless."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        _HELD.pop(self._place, None)
        if sys.platform != "win32":  # there an open file cannot be removed
            _remove(self._place)
        os.close(handle)
        if sys.platform == "win32":
            _remove(self._place)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # past the text, which others shall read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _refuse_shared(handle: int, path: str) -> None:
    """Refuse a lock that is no file of its own: what is written there would change another."""
    state = os.fstat(handle)
    regular = stat.S_ISREG(state.st_mode)
    if not regular or state.st_nlink > 1:
        raise FormatError(
            f"{path!r} is not a lock of earnest",
            needs="a regular file with one name, or none",
            got="a file with several names" if regular else "a pipe or a device",
            cure="Remove it if no run is using it.",
        )


def _is_same_file(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(path: str) -> None:
    with suppress(OSError):  # another may hold it already; then it is theirs
        os.unlink(path)


def _make_held_error(path: Path, who: str) -> StoreError:
    return StoreError(
        f"another run is writing to {str(path)!r}",
        needs="one writer at a time",
        got=f"a file held by {who}",
        cure=f"Wait until it ends, or use another {arg('store')}. You can read the file at any "
        "time.",
    )


CHECKPOINT = 16_000  # pages in the journal before they are merged, which waits for the disk


class SqliteStore:
    """Keeps a run in one SQLite file, each outcome committed as it comes.

    A process that is killed loses nothing that was put: what is committed stands in the journal
    beside the file (WAL, `synchronous=NORMAL`) and is found by the next one. Only the power going
    off may lose the last seconds, never more than that. One process writes at a time, which a lock
    holds that dies with it; others read meanwhile with `read_run`. `close` leaves one plain file.

    Parameters
    ----------
    path : str or Path
        The file; made when it is not there. Its folder must be local, for the journal is mapped
        into memory.
    patience : float
        The seconds to wait for another writer. A run holds its file until it ends, so waiting is
        for writers that add one thing and leave.

    Examples
    --------
    >>> import os, tempfile
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> from earnest.store import SqliteStore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.db")
    ...     with SqliteStore(path) as store:
    ...         store.open({"seed": "7"})
    ...         store.put(TaskOutcome((0, 0), numbers={"score": 0.8}))
    ...     with SqliteStore(path) as store:
    ...         store.open({"seed": "7"})
    ...         store.done()[0, 0].numbers
    {'score': 0.8}
    """

    def __init__(self, path: str | Path, *, patience: float = 0.0) -> None:
        if not str(path).strip():
            raise InputError(
                f"{arg('store')} has no name",
                needs="the path of a run file, such as 'run.db', or None",
                got=repr(str(path)),
            )
        self.path, self._patience = Path(os.path.expanduser(path)), patience
        self._opened: GuardedConnection | None = None
        self._process = os.getpid()
        self._lock: WriterLock | None = None
        self._keys: dict[Key, None] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    def __getstate__(self) -> dict[str, Path]:
        return {"path": self.path}  # the other process opens it anew, if it may

    def __setstate__(self, state: dict[str, Path]) -> None:
        type(self).__init__(self, state["path"])

    def open(self, identity: Mapping[str, str]) -> None:
        """Begin or resume the run of this identity; every row is checked before any work."""
        if self._opened is not None:
            refuse_another(read_identity(self._opened), identity, repr(str(self.path)))
            return
        path = settle_path(self.path)
        lock = WriterLock(path, self.path)
        with explain_errors(self.path):
            lock.acquire(self._patience)
            try:
                self._opened = self._begin(path, identity)
            except BaseException:
                lock.release()
                raise
        self._lock, self._process = lock, os.getpid()

    def _begin(self, path: Path, identity: Mapping[str, str]) -> GuardedConnection:
        connection = connect_guarded(path, write=True)
        try:
            if is_new(connection, self.path):
                _prepare(connection)
                create_tables(connection, identity)
            stored = read_identity(connection)
            current = {
                drop_surrogates(name): drop_surrogates(value) for name, value in identity.items()
            }
            refuse_another(stored, current, repr(str(self.path)))
            self._keys = dict.fromkeys(decode(row).key for row in rows_of(connection))
            read_documents(connection)
            _prepare(connection)
            touch_file(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def done(self) -> Mapping[Key, TaskOutcome]:
        """Return what is finished, by key; an outcome is read when it is asked for."""
        return _StoredOutcomes(self)

    def put(self, outcome: TaskOutcome) -> None:
        """Commit an outcome."""
        row = encode(outcome)
        with explain_errors(self.path):
            self._connection.execute(INSERT, row)
        self._keys[outcome.key] = None

    def put_document(self, name: str, text: str) -> None:
        """Commit a text by name."""
        with explain_errors(self.path):
            self._connection.execute(
                "INSERT OR REPLACE INTO document VALUES (?, ?)",
                (drop_surrogates(name), drop_surrogates(text)),
            )

    def documents(self) -> Mapping[str, str]:
        """Return the texts by name."""
        with explain_errors(self.path):
            return read_documents(self._connection)

    def flush(self) -> None:
        """Do nothing: every put is a commit."""

    def close(self) -> None:
        """Merge the journal into the file if possible, and release the lock."""
        connection, self._opened = self._opened, None
        lock, self._lock = self._lock, None
        self._keys = {}
        if connection is not None:
            with suppress(sqlite3.Error):  # a reader is at it, or no room: the journal stays, whole
                connection.execute("PRAGMA journal_mode = DELETE")
            connection.close()
        if lock is not None:
            lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _connection(self) -> GuardedConnection:
        if self._opened is None or self._process != os.getpid():  # a fork must not write too
            raise StoreError(f"{self!r} is not open here", cure="Call open(identity) first.")
        return self._opened


class _StoredOutcomes(Mapping[Key, TaskOutcome]):
    """The outcomes of an open store, read from the file one by one."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __getitem__(self, key: Key) -> TaskOutcome:
        if key not in self._store._keys:
            raise KeyError(key)
        with explain_errors(self._store.path):
            row = self._store._connection.execute(
                f"{SELECT} WHERE key = ?", (write_key(key),)
            ).fetchone()
            return decode(row)

    def __contains__(self, key: object) -> bool:
        return key in self._store._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(list(self._store._keys))

    def __len__(self) -> int:
        return len(self._store._keys)


def _prepare(connection: sqlite3.Connection) -> None:
    """Set what holds for this connection."""
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")


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
        Other texts of the run, by name.

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
    outcomes: Mapping[Key, TaskOutcome] = field(repr=False)
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
    >>> from earnest.core.base.protocols import TaskOutcome
    >>> from earnest.store import SqliteStore, read_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqliteStore(os.path.join(folder, "run.db")) as store:
    ...         store.open({"seed": "7"})
    ...         store.put(TaskOutcome((0, 0), numbers={"score": 0.8}))
    ...         run = read_run(store.path)  # while the writer has it open
    >>> run.identity, len(run.outcomes)
    ({'seed': '7'}, 1)
    """
    real = settle_path(path)
    if not real.exists():
        raise FormatError(f"there is no file {str(path)!r}", needs="a run file of earnest")
    check.refuse_stream(real)
    with explain_errors(path):
        connection = _connect_for_reading(real)
        try:
            return _read(connection, Path(path), arrays)
        finally:
            connection.close()


def read_run_identity(path: str | Path) -> dict[str, str]:
    """Return which run a file holds, without a look at what it has finished."""
    with explain_errors(path):
        connection = _connect_for_reading(settle_path(path))
        try:
            return {} if is_new(connection, Path(path)) else read_identity(connection)
        finally:
            connection.close()


def _connect_for_reading(path: Path) -> GuardedConnection:
    """Open for reading; a finished file in a read-only folder needs no journal."""
    connection = connect_guarded(path)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        shut = isinstance(error, sqlite3.OperationalError)
        if not shut or path.with_name(path.name + "-wal").exists():
            raise
        connection = connect_guarded(path, immutable=True)
    return connection


def _read(connection: GuardedConnection, path: Path, arrays: bool) -> RunFile:
    connection.execute("BEGIN")  # all that follows is of one moment
    if is_new(connection, path):
        raise FormatError(f"{str(path)!r} is empty", needs="a run file of earnest")
    size, free = connection.measure(), measure_free_memory()
    if arrays and size > free:
        raise FormatError(
            f"{str(path)!r} does not fit into the memory",
            needs=f"at most {show_bytes(free)}, which are free",
            got=show_bytes(size),
            cure="Use a machine with more memory.",
        )
    outcomes = (decode(row) for row in rows_of(connection))
    return RunFile(
        path,
        read_identity(connection),
        {outcome.key: outcome if arrays else replace(outcome, arrays={}) for outcome in outcomes},
        read_documents(connection),
    )
