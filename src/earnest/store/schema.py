"""The tables of a run file, and whether a file is one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from earnest.core.base.errors import EarnestError, FormatError, StoreError
from earnest.store.rows import COLUMNS, DamagedRow, Row, decode, plain

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

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
_SHUT = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")


def settle_path(path: str | Path) -> Path:
    """Return where a run file really is, or raise if none can be there."""
    real = Path(os.path.realpath(os.path.expanduser(path)))
    if real.is_dir() or not real.parent.is_dir():
        raise StoreError(
            f"{str(path)!r} cannot hold a run",
            needs="a file name in a folder that exists",
            got="a folder" if real.is_dir() else f"no folder {str(real.parent)!r}",
        )
    return real


def is_new(connection: sqlite3.Connection, path: Path) -> bool:
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
            cure="Use another `store`; this file was not changed.",
        )
    if version > VERSION:
        raise FormatError(
            f"{str(path)!r} was written by a newer version of earnest",
            needs=f"version {VERSION} of the run file",
            got=f"version {version}",
            cure="Update earnest, or use another `store`.",
        )
    return False


def create_tables(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    """Write the tables and the identity, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    rows = [(plain(name), plain(value)) for name, value in identity.items()]
    connection.executemany("INSERT INTO identity VALUES (?, ?)", rows)
    connection.execute("COMMIT")


def touch_file(connection: sqlite3.Connection) -> None:
    """Write once without changing anything, so that a door that is shut is seen at once."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def read_identity(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the identity of the run."""
    return dict(connection.execute("SELECT name, value FROM identity ORDER BY rowid"))


def read_documents(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the documents by name."""
    return dict(connection.execute("SELECT name, text FROM document ORDER BY rowid"))


def rows_of(connection: sqlite3.Connection) -> Iterator[Row]:
    """Return all rows in the order in which they were finished."""
    return iter(connection.execute(f"{SELECT} ORDER BY rowid"))


@contextmanager
def explain_errors(path: str | Path) -> Iterator[None]:
    """Turn what SQLite or the system says of a file into an error that says what to do."""
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
        cure="Restore it from a backup, or use another `store`.",
    )


def _make_shut_error(path: str | Path, what: str) -> StoreError:
    return StoreError(
        f"{str(path)!r} cannot be opened",
        needs="a file and a folder that you may read and write",
        got=what,
    )


def verify_rows(rows: Iterator[Row]) -> Iterator[tuple[int, ...]]:
    """Yield the keys of rows, each of which is whole."""
    for row in rows:
        yield decode(row).key
