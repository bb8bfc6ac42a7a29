"""SQLite files that would hang their reader, or fill its memory."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
HUGE = "CAST(zeroblob(400000000) AS TEXT)"


def as_view(path: Path, table: str) -> None:
    """Put a view without end in the place of a table."""
    columns = _columns(path, table)
    row = ", ".join(f"'x' AS {name}" for name in columns)
    _change(path, f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS} SELECT {row} FROM n")


def as_huge_view(path: Path, table: str) -> None:
    """Put forty values of 400 MB in the place of a table."""
    row = ", ".join(f"{HUGE} AS {name}" for name in _columns(path, table))
    many = f"{ENDLESS} SELECT {row} FROM n LIMIT 40"
    _change(path, f"DROP TABLE {table}", f"CREATE VIEW {table} AS {many}")


def with_generated_columns(path: Path, table: str) -> None:
    """Let the columns of a table be computed when they are read."""
    columns = _columns(path, table)
    _change(
        path,
        f"DROP TABLE {table}",
        f"CREATE TABLE {table} (own INTEGER)",
        f"INSERT INTO {table} (own) VALUES {', '.join(['(1)'] * 40)}",
        *(f"ALTER TABLE {table} ADD COLUMN {name} TEXT AS ({HUGE}) VIRTUAL" for name in columns),
    )


def with_trigger(path: Path, table: str) -> None:
    """Let a table do more than it is told when it is written to."""
    _change(
        path,
        "CREATE TABLE more (x)",
        f"CREATE TRIGGER evil AFTER INSERT ON {table} BEGIN INSERT INTO more {ENDLESS} "
        "SELECT x FROM n; END",
    )


def as_virtual_table(path: Path, table: str) -> None:
    """Put a table of an extension in the place of a table."""
    columns = ", ".join(_columns(path, table))
    _change(path, f"DROP TABLE {table}", f"CREATE VIRTUAL TABLE {table} USING fts5({columns})")


HOSTILE: tuple[Callable[[Path, str], None], ...] = (
    as_view,
    as_huge_view,
    with_generated_columns,
    with_trigger,
    as_virtual_table,
)


def share_pages(path: Path, table: str) -> int:
    """Let the last row of a table, which is long, stand there as often as its page holds it.

    Returns how often that is: seldom, where much of the row happens to lie on that page.
    """
    with closing(sqlite3.connect(path)) as base:
        root = base.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
        number, size = root.fetchone()[0], base.execute("PRAGMA page_size").fetchone()[0]
    raw = bytearray(path.read_bytes())
    start = (number - 1) * size
    page = raw[start : start + size]
    flags, _, count, _, _ = struct.unpack(">BHHHB", page[:8])
    assert flags == 0x0D, "the table must have one leaf"
    first = struct.unpack(">H", page[8 + 2 * (count - 1) : 10 + 2 * (count - 1)])[0]
    cell = page[first : _end_of_cell(page, first, size)]
    times = (size - 8) // (len(cell) + 2)
    made = bytearray(size)
    places = [size - (each + 1) * len(cell) for each in range(times)]
    made[:8] = struct.pack(">BHHHB", flags, 0, times, places[-1], 0)
    for each, place in enumerate(places):
        made[8 + 2 * each : 10 + 2 * each] = struct.pack(">H", place)
        copy = bytearray(cell)
        copy[_length_of_varint(cell, 0)] = each + 1  # its rowid, one byte
        made[place : place + len(cell)] = copy
    raw[start : start + size] = made
    path.write_bytes(bytes(raw))
    return times


def _end_of_cell(page: bytearray, first: int, size: int) -> int:
    """Return where a cell with an overflow page ends."""
    width = _length_of_varint(page, first)
    payload = 0
    for byte in page[first : first + width]:
        payload = payload << 7 | byte & 0x7F
    rowid = _length_of_varint(page, first + width)
    least = (size - 12) * 32 // 255 - 23
    local = least + (payload - least) % (size - 4)
    local = local if local <= size - 35 else least
    return first + width + rowid + local + 4


def _length_of_varint(data: bytearray, at: int) -> int:
    width = 1
    while data[at + width - 1] & 0x80:
        width += 1
    return width


def _columns(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as base:
        return [f'"{row[1]}"' for row in base.execute(f"PRAGMA table_info({table})")]


def _change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            base.execute(statement)
