"""SQLite files from anyone: opened within limits, and looked at before anything is read.

A database can hold more than tables. A view or a generated column is a program that runs when it
is read, and need not end; pages that many rows share make a small file large. So a file must
consist of plain tables and their indexes, no row may take endless work, and all rows together are
not larger than the file.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PATIENCE = 30.0  # seconds to wait for another program that has the file locked
STEPS = 100_000  # instructions of SQLite between two looks at how many there were
MOST_LOOKS = 200  # after which a statement ends that has given no row; about a second
LEAST = 64 << 20  # bytes that a row may have, however small the file: another process may write
COMPANIONS = ("-journal", "-wal", "-shm")  # files of SQLite beside its own


class HostileFileError(sqlite3.DatabaseError):
    """A file is no plain database: it would run a program, or gives more than it holds."""


class GuardedConnection(sqlite3.Connection):
    """A connection that trusts nothing in the file, and ends a statement that gives no row.

    `connect_guarded` makes it.
    """

    path: Path
    _looks = 0

    def guard(self, path: Path, *, write: bool) -> None:
        """Set the limits for the file under this path."""
        self.path = path
        distrust(self)
        if not write:
            longest = self.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
            self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(longest, 2 * self.measure() + LEAST))
        self.set_progress_handler(self._look, STEPS)

    def _look(self) -> bool:
        self._looks += 1
        return self._looks > MOST_LOOKS

    def execute(self, *args: Any) -> sqlite3.Cursor:
        """Run a statement, with work of its own to spend."""
        self._looks = 0
        return super().execute(*args)

    def read(self, query: str) -> Iterator[Any]:
        """Yield the rows of a query, which together are not larger than the file."""
        left, self._looks = 2 * self.measure() + LEAST, 0
        for row in super().execute(query):
            self._looks = 0
            left -= len(row) + sum(len(v) for v in row if isinstance(v, str | bytes))
            if left < 0:
                raise HostileFileError("its rows are larger than the file")
            yield row

    def measure(self) -> int:
        """Return how many bytes the file and its journal have."""
        paths = [self.path, self.path.with_name(self.path.name + "-wal")]
        return sum(os.path.getsize(path) for path in paths if path.exists())

    def list_objects(self) -> list[tuple[str, str, str | None]]:
        """Return kind, name and statement of all that the file declares."""
        return list(self.read("SELECT type, name, sql FROM sqlite_master"))


def connect_guarded(
    path: Path, *, write: bool = False, immutable: bool = False
) -> GuardedConnection:
    """Open a SQLite file, for reading only unless told otherwise."""
    mode = "rwc" if write else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}" + "&immutable=1" * immutable
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=32,
        factory=GuardedConnection,
    )
    try:
        connection.guard(path, write=write)
    except BaseException:
        connection.close()
        raise
    return connection


def distrust(connection: sqlite3.Connection) -> None:
    """Let no function with side effects be called by what the file declares."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")  # a file that shrinks meanwhile would kill us
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)


def refuse_programs(connection: GuardedConnection) -> None:
    """Refuse a file that is more than plain tables with plain columns, and their indexes."""
    for kind, name, statement in connection.list_objects():
        words = (statement or "").split(maxsplit=2)
        if kind not in ("table", "index") or words[1:2] in (["VIRTUAL"], ["virtual"]):
            raise HostileFileError(f"{kind} {name!r}, where only tables are expected")
        if kind == "table":
            quoted = '"' + name.replace('"', '""') + '"'
            for column in connection.read(f"PRAGMA table_xinfo({quoted})"):
                if column[6]:  # hidden or generated
                    raise HostileFileError(f"column {column[1]!r} of {name!r} is computed")


def refuse_large(connection: GuardedConnection) -> None:
    """Refuse a file whose rows are larger than itself; all of them are read, one at a time."""
    for kind, name, _ in connection.list_objects():
        if kind == "table":
            quoted = '"' + name.replace('"', '""') + '"'
            for _row in connection.read(f"SELECT * FROM {quoted}"):
                pass


def check_objects(connection: GuardedConnection, statements: Iterable[str]) -> None:
    """Refuse a file that declares anything but these tables."""
    wanted = {statement.split()[2]: statement for statement in statements}
    for kind, name, statement in connection.list_objects():
        internal = kind == "index" and statement is None and name.startswith("sqlite_autoindex_")
        if not internal and (kind != "table" or wanted.pop(name, None) != statement):
            raise HostileFileError(f"{kind} {name!r} is not of a run file")
    if wanted:
        raise HostileFileError(f"no table {next(iter(wanted))!r}")
