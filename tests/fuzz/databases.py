"""Ways to change the schema of a SQLite file: views, triggers, generated columns, types, blobs."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

ENDLESS = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)"
LONG = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 100000)"
BYTES = 3_000_000  # of a huge value, a few of which fit a small machine
TYPES = ("INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC", "JSON", "'; DROP TABLE x; --", "")
PRAGMAS = (
    *("user_version = 2147483647", "application_id = 305419896", "page_size = 512"),
    *("auto_vacuum = 2", "journal_mode = WAL", "secure_delete = ON", "legacy_file_format = ON"),
)


def mutate_schema(path: Path, r: random.Random) -> None:
    """Change the schema of a SQLite file in its place; a change that SQLite refuses is left out."""
    base = sqlite3.connect(path, isolation_level=None)
    try:
        for _ in range(r.choice([1, 1, 2, 3])):
            _change(base, r)
    except (sqlite3.Error, MemoryError):  # SQLite reports a row that it cannot hold as either
        pass
    finally:
        base.close()


def _change(base: sqlite3.Connection, r: random.Random) -> None:
    tables = [
        row[0]
        for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not row[0].startswith("sqlite_")
    ]
    if not tables:
        return
    table = r.choice(tables)
    columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
    if not columns:  # its schema was damaged already
        return
    column = r.choice(columns)
    change = r.choice(CHANGES)
    for statement in change(table, column, columns, r):
        base.execute(statement)


def _drop(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [f'DROP TABLE "{table}"']


def _put_view(select: str) -> list[str]:
    """Return what puts a view in the place of a table; {t} is the table, {c} its columns."""
    return ['ALTER TABLE "{t}" RENAME TO "{t}_before"', f'CREATE VIEW "{{t}}" AS {select}']


def _view(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    listed = ", ".join(f'"{name}"' for name in columns)
    ones = ", ".join(f'1 AS "{name}"' for name in columns)
    numbers = ", ".join(f'i AS "{name}"' for name in columns)
    big = ", ".join(f'zeroblob({BYTES}) AS "{name}"' for name in columns)
    select = r.choice(
        [
            f'SELECT {listed} FROM "{table}_before"',
            f'SELECT {listed} FROM "{table}_before" UNION ALL SELECT {ones}',
            f"{ENDLESS} SELECT {numbers} FROM c",
            f"{LONG} SELECT {numbers} FROM c",
            f"{LONG} SELECT {big} FROM c",
            f'SELECT {listed} FROM "{table}_before" WHERE (SELECT count(*) FROM ({ENDLESS} '
            f"SELECT i FROM c)) > 0",
            f'SELECT * FROM "{table}"',  # of itself
        ]
    )
    return [part.replace("{t}", table) for part in _put_view("{s}".replace("{s}", select))]


def _add_view(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [
        f'CREATE VIEW "{r.choice(("v", "sqlit", "é", table + "s"))}" AS {ENDLESS} SELECT i FROM c'
    ]


def _trigger(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    event = r.choice(["INSERT", "UPDATE", "DELETE"])
    action = r.choice(
        [
            f'DELETE FROM "{table}"',
            f'UPDATE "{table}" SET "{column}" = randomblob(1000000)',
            f'INSERT INTO "{table}" SELECT * FROM "{table}"',
            "SELECT load_extension('x')",
            "SELECT RAISE(ABORT, 'no')",
        ]
    )
    return [f'CREATE TRIGGER t{r.randrange(99)} AFTER {event} ON "{table}" BEGIN {action}; END']


def _generated(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    value = r.choice(
        [
            f"zeroblob({BYTES})",
            f"hex(zeroblob({BYTES}))",
            f'"{column}" || "{column}"',
            "1 / 0",
            "json_array(1)",
            "printf('%.*c', 2000000, 'x')",
        ]
    )
    name = r.choice(["extra", column + "2", "é"])
    if r.random() < 0.4:
        listed = [f'"{other}"' for other in columns if other != column]
        return [
            f'ALTER TABLE "{table}" RENAME TO "{table}_before"',
            f'CREATE TABLE "{table}" ({", ".join([*listed, "g"])}, "{column}" '
            f"GENERATED ALWAYS AS ({value.replace(column, 'g')}) VIRTUAL)",
            f'INSERT INTO "{table}" ({", ".join(listed) or "g"}) SELECT '
            f'{", ".join(listed) or "1"} FROM "{table}_before"',
        ]
    return [f'ALTER TABLE "{table}" ADD COLUMN "{name}" GENERATED ALWAYS AS ({value}) VIRTUAL']


def _retype(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    listed = ", ".join(f'"{name}" {r.choice(TYPES[:6])}' for name in columns)
    tail = r.choice(["", "", " STRICT"])
    order = list(columns)
    if r.random() < 0.3:
        r.shuffle(order)
    names = ", ".join(f'"{name}"' for name in order)
    return [
        f'ALTER TABLE "{table}" RENAME TO "{table}_before"',
        f'CREATE TABLE "{table}" ({listed}){tail}',
        f'INSERT INTO "{table}" SELECT {names} FROM "{table}_before"',
    ]


def _drop_column(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [f'ALTER TABLE "{table}" DROP COLUMN "{column}"']


def _add_column(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    name = r.choice(["zz", "rowid", "é", "select", 'a"b', "x" * 500])
    quoted = name.replace('"', '""')
    return [f'ALTER TABLE "{table}" ADD COLUMN "{quoted}" {r.choice(TYPES[:6])} DEFAULT 5']


def _huge(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    value = r.choice(
        [
            f"zeroblob({BYTES})",
            f"randomblob({BYTES})",
            f"replace(hex(zeroblob({BYTES // 2})), '0', '[')",
            f"'\"' || hex(zeroblob({BYTES // 2})) || '\"'",
            "9223372036854775807",
            "-9e999",
            "CAST(x'ff00ff' AS TEXT)",
        ]
    )
    where = r.choice(["", f' WHERE rowid = (SELECT min(rowid) FROM "{table}")'])
    return [f'UPDATE "{table}" SET "{column}" = {value}{where}']


def _many_rows(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    listed = ", ".join(f'"{name}"' for name in columns)
    statement = f'INSERT OR IGNORE INTO "{table}" SELECT {listed} FROM "{table}"'
    return [statement] * r.choice([1, 5])


def _many_tables(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [f'CREATE TABLE "t{i}" (a, b, c)' for i in range(r.choice([1, 200]))]


def _index(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [f'CREATE INDEX i{r.randrange(99)} ON "{table}" (length("{column}"), "{column}" || 1)']


def _pragma(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    return [f"PRAGMA {r.choice(PRAGMAS)}", "VACUUM"]


def _write_schema(table: str, column: str, columns: list[str], r: random.Random) -> list[str]:
    """Change the text of the schema itself, which SQLite does not check then."""
    change = r.choice(
        [
            f"UPDATE sqlite_master SET sql = 'CREATE TABLE \"{table}\" (x)' WHERE name = '{table}'",
            f"UPDATE sqlite_master SET type = 'view' WHERE name = '{table}'",
            f"UPDATE sqlite_master SET rootpage = 1 WHERE name = '{table}'",
            f"UPDATE sqlite_master SET name = 'zz' WHERE name = '{table}'",
            f"UPDATE sqlite_master SET sql = NULL WHERE name = '{table}'",
            f"UPDATE sqlite_master SET sql = 'rubbish' WHERE name = '{table}'",
            "UPDATE sqlite_master SET rootpage = 2147483647",
            "DELETE FROM sqlite_master",
        ]
    )
    return ["PRAGMA writable_schema = ON", change]


CHANGES = (
    *(_drop, _view, _view, _view, _add_view, _trigger, _trigger, _generated, _generated),
    *(_retype, _retype, _drop_column, _add_column, _huge, _huge, _many_rows, _many_tables),
    *(_index, _pragma, _write_schema, _write_schema),
)
