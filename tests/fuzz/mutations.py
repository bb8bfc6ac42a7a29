"""Ways to damage a file: its bytes, its cells, its columns, its arrays, its rows, its JSON."""

from __future__ import annotations

import datetime as dt
import decimal
import gzip
import io
import json
import random
import re
import sqlite3
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

# What people, programs and enemies write into a cell.
CELLS = (
    *("", "nan", "NaN", "NA", "inf", "-inf", "1e400", "-1e308", "1e-320", "0", "-0.0", "1", "2"),
    *("99999999999999999999999", "0x1F", "1_000", "1,5", "12,573", "5 %", "$3", '"', '""', "\0"),
    *(
        "\ufeff",
        "<script>alert(1)</script>",
        "{{7*7}}",
        "=cmd|calc",
        "\u202e",
        "é",
        "😀",
        "a" * 9999,
    ),
    *("true", "False", " ", "\t", "\r", "yes", "no", "1;2", "../../etc/passwd", "%s%n", "None"),
    *("null", "2020-01-01", "12:30", "-", ".", "1E+05", "٣", "１", "Fold1.Rep2", "[bold]x[/bold]"),
)
NAMES = (
    *("", "y", "fold", "repeat", "group", "row_id", "config_id", "y_pred", "y_true", "strata"),
    *("<b>x</b>", "a", "__class__", "\0", "y\n", "Y", "proba_0", "proba_1", "time", "event", "_"),
    *("0", "1", "m_ape", "id", "c" * 5000, '"', "#", "earnest", "weight", "objective", "value"),
    *("params", "state", "number", "a:0", "a:1", "é", "😀", "Unnamed: 0", "model", "prediction"),
)
JSON = (
    *(None, True, -1, 0, 1e308, float("nan"), "", "x", "x" * 999, [], {}, [[[]]], 10**30, 10**4000),
    *("<script>alert(1)</script>", "os.system", {"__class__": "x"}, "\ud800", [None], {"": None}),
)
# In a model file: names of types and loaders, and numbers where arrays are looked up.
TYPES = (
    *(None, -1, 0, 10**12, "", "x", [], {}, "os", "system", "builtins", "eval", "subprocess"),
    *("numpy", "ndarray", "dict", "list", "operator", "methodcaller", "functools", "partial"),
    *("JsonNode", "ObjectNode", "FunctionNode", "TypeNode", "MethodNode", "NdArrayNode"),
)
DEEP = 100_000  # brackets: more than any parser follows


def mutate_bytes(data: bytes, r: random.Random) -> bytes:
    """Flip, cut, repeat and insert bytes."""
    made = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 5, 20])):
        if not made:
            break
        at = r.randrange(len(made))
        how = r.randrange(8)
        if how == 0:
            made[at] ^= 1 << r.randrange(8)
        elif how == 1:
            made[at] = r.randrange(256)
        elif how == 2:
            del made[at : at + r.choice([1, 4, 50, 500])]
        elif how == 3:
            made[at:at] = r.randbytes(r.choice([1, 4, 16]))
        elif how == 4:
            other = r.randrange(len(made))
            made[at:at] = made[other : other + r.choice([4, 64, 300])]
        elif how == 5:
            del made[at:]
        elif how == 6:
            made[at : at + 4] = r.choice([b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff"])
        else:
            made[at:at] = r.choice(CELLS)[:200].encode("utf-8", "surrogatepass")
    return bytes(made)


def mutate_text(data: bytes, r: random.Random) -> bytes:
    """Change cells, names, rows, columns, separators and the encoding of a text table."""
    lines = data.decode("utf-8", "replace").split("\n")
    sep = "\t" if "\t" in lines[-1] + lines[0] else ","
    for _ in range(r.choice([1, 1, 2, 3, 8])):
        lines = _mutate_lines(lines or [""], sep, r)
    text = r.choice(["\n"] * 4 + ["\r\n", "\r"]).join(lines)
    coded = r.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "utf-32"])
    return text.encode(coded, "surrogatepass" if coded.startswith("utf") else "replace")


def _mutate_lines(lines: list[str], sep: str, r: random.Random) -> list[str]:
    at, column, how = r.randrange(len(lines)), r.randrange(6), r.randrange(13)
    if how == 0:
        return [*lines[:at], _with_cell(lines[at], sep, r.choice(CELLS), r), *lines[at + 1 :]]
    if how == 1:
        return [_with_cell(lines[0], sep, r.choice(NAMES), r), *lines[1:]]
    if how == 2:
        return lines[:at] + lines[at + 1 :]
    if how == 3:
        return [*lines[:at], lines[at], *lines[at:]]
    if how == 4:
        return lines[: r.choice([0, 1, 2, 3, 5])]
    if how in (5, 6):  # a whole column constant, or odd here and there
        value, share = r.choice(CELLS), r.choice([1.0, r.random()])
        rows = [line.split(sep) for line in lines]
        for row in rows[1:]:
            if len(row) > column and r.random() <= share:
                row[column] = value if how == 5 else r.choice(CELLS)
        return [sep.join(row) for row in rows]
    if how == 7:
        return [line + sep for line in lines]
    if how == 8:
        other = r.choice([";", "|", "\t", " ", ", "])
        return [line.replace(sep, other) for line in lines]
    if how == 9:
        names = lines[0].split(sep)
        r.shuffle(names)
        return [sep.join(names), *lines[1:]]
    if how == 10:
        return lines[1:]
    if how == 11:
        rows = [line.split(sep) for line in lines]
        return [sep.join(row[:column] + row[column + 1 :]) for row in rows]
    return lines * r.choice([2, 20])


def _with_cell(line: str, sep: str, value: str, r: random.Random) -> str:
    cells = line.split(sep)
    cells[r.randrange(len(cells))] = value
    return sep.join(cells)


def mutate_gzip(data: bytes, r: random.Random) -> bytes:
    """Damage the text within, or the compressed bytes."""
    if r.random() < 0.5:
        return gzip.compress(mutate_text(gzip.decompress(data), r), mtime=0)
    return mutate_bytes(data, r)


def odd_column(n: int, r: random.Random) -> pa.Array:
    """Return an Arrow column of some type."""
    g = np.random.default_rng(r.getrandbits(32))
    alternating = (["u", "v"] * n)[:n]
    makers: list[Callable[[], pa.Array]] = [
        lambda: pa.array(g.random(n)),
        lambda: pa.array(g.random(n).astype(np.float32)),
        lambda: pa.array(g.integers(0, 2, n), pa.int8()),
        lambda: pa.array(["x"] * n),
        lambda: pa.array([""] * n),
        lambda: pa.array(alternating).dictionary_encode(),
        lambda: pa.array(alternating, pa.string_view()),
        lambda: pa.array([None] * n),
        lambda: pa.array([None] * n, pa.float64()),
        lambda: pa.array([[1, 2]] * n),
        lambda: pa.array([{"a": 1}] * n),
        lambda: pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        lambda: pa.array([b"\x00\xff"] * n),
        lambda: pa.array([True] * n),
        lambda: pa.array([dt.datetime(2020, 1, 1)] * n),
        lambda: pa.array([dt.timedelta(1)] * n),
        lambda: pa.array([dt.date(2020, 1, 1)] * n),
        lambda: pa.array([dt.time(1)] * n),
        lambda: pa.array([decimal.Decimal("1.5")] * n),
        lambda: pa.array(([1.0, float("nan")] * n)[:n]),
        lambda: pa.array([float("inf")] * n),
        lambda: pa.array([1e308] * n),
        lambda: pa.array([2**63 - 1] * n),
        lambda: pa.array([2**64 - 1] * n, pa.uint64()),
        lambda: pa.array(np.arange(n, dtype=np.float16)),
        lambda: pa.array([str(i) * 50 for i in range(n)]),
    ]
    return r.choice(makers)()


def mutate_table(source: Path, out: Path, r: random.Random) -> None:
    """Write a valid Parquet or Arrow file with odd columns, names, rows or metadata."""
    if r.random() < 0.3:
        out.write_bytes(mutate_bytes(source.read_bytes(), r))
        return
    table = pq.read_table(source) if source.suffix == ".parquet" else pa.feather.read_table(source)
    for _ in range(r.choice([1, 1, 2, 3])):
        table = _mutate_columns(table, r)
    if out.suffix == ".parquet":
        pq.write_table(table, out, row_group_size=r.choice([None, 7]))
    else:
        pa.feather.write_feather(table, out, compression="uncompressed")


def _mutate_columns(table: pa.Table, r: random.Random) -> pa.Table:
    n, width, how = table.num_rows, table.num_columns, r.randrange(7)
    at = r.randrange(width) if width else 0
    if how == 0 and width:
        return table.set_column(at, table.column_names[at], odd_column(n, r))
    if how == 1 and width:
        names = table.column_names
        names[at] = r.choice(NAMES)
        return table.rename_columns(names)
    if how == 2:
        return table.slice(0, r.choice([0, 1, 2, n // 2]))
    if how == 3:
        return table.append_column(r.choice(NAMES), odd_column(n, r))
    if how == 4:
        return pa.concat_tables([table] * 3)
    if how == 5 and width > 1:
        return table.remove_column(at)
    known = dict(table.schema.metadata or {})
    key = r.choice([b"earnest", b"pandas", *known])
    text = r.choice([b"{}", b"[]", b"null", b"[" * DEEP, *known.values()])
    return table.replace_schema_metadata(known | {key: mutate_bytes(text, r)})


def odd_array(n: int, r: random.Random) -> np.ndarray:
    """Return a NumPy array of some type and shape."""
    g = np.random.default_rng(r.getrandbits(32))
    makers: list[Callable[[], np.ndarray]] = [
        lambda: np.zeros(0),
        lambda: np.zeros((n, 0)),
        lambda: np.zeros((n, 3, 1, 1, 1)),
        lambda: np.array(5),
        lambda: np.array("5"),
        lambda: np.array(["a"] * n),
        lambda: np.array([""] * n),
        lambda: np.array([b"x"] * n),
        lambda: np.zeros(n, complex),
        lambda: np.zeros(n, "M8[s]"),
        lambda: np.zeros(n, "m8[s]"),
        lambda: np.zeros(n, [("e", "?"), ("t", "f8")]),
        lambda: np.zeros(n, "V8"),
        lambda: np.full(n, np.nan),
        lambda: np.full((n, 3), np.inf),
        lambda: np.full((n, 3), 1e308),
        lambda: np.full(n, 2**63 - 1),
        lambda: np.full(n, 2**64 - 1, np.uint64),
        lambda: np.full(n, -(2**63)),
        lambda: np.arange(n)[::-1],
        lambda: np.arange(n) / 7,
        lambda: np.arange(n, dtype=np.float16),
        lambda: np.arange(n, dtype=np.longdouble),
        lambda: np.arange(n, dtype=">i4"),
        lambda: np.zeros((n, 3), bool),
        lambda: g.random((n, 3, 2)),
        lambda: g.random((n, 3, 1, 2)),
        lambda: g.random((3, n)),
        lambda: g.random((1, 3)),
        lambda: np.array(["0", "1"]),
        lambda: np.array([0, 0]),
        lambda: np.array([[0, 1]]),
    ]
    return r.choice(makers)()


def mutate_arrays(source: Path, out: Path, r: random.Random) -> None:
    """Write an NPZ file with odd arrays, or arrays too many or too few, or damaged bytes."""
    if r.random() < 0.25:
        out.write_bytes(mutate_bytes(source.read_bytes(), r))
        return
    with np.load(source) as content:
        arrays = dict(content)
    known = (
        "y",
        "scores",
        "fold",
        "groups",
        "strata",
        "ids",
        "configs",
        "classes",
        "time",
        "event",
    )
    for _ in range(r.choice([1, 1, 2])):
        arrays[r.choice([*arrays, *known, "header", "x"])] = odd_array(r.choice([40, 40, 1, 39]), r)
        if r.random() < 0.2:
            arrays.pop(r.choice(list(arrays)))
    r.choice([np.savez, np.savez, np.savez_compressed])(out, **arrays)


def mutate_json(data: bytes, r: random.Random) -> bytes:
    """Change values of JSON, or make it too deep, or damage its bytes."""
    how = r.random()
    if how < 0.03:
        return b"[" * DEEP + b"]" * DEEP
    if how < 0.06:
        return b'{"a":' * DEEP + b"1" + b"}" * DEEP
    if how < 0.3:
        return mutate_bytes(data, r)
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(data, r)
    for _ in range(r.choice([1, 1, 2, 4])):
        tree = change_node(tree, JSON, r)
    return json.dumps(tree).encode()


def mutate_json_lines(data: bytes, r: random.Random) -> bytes:
    """Change the lines of a journal: their JSON, their order, their bytes."""
    lines = data.split(b"\n")
    for _ in range(r.choice([1, 1, 2])):
        at, how = r.randrange(len(lines)), r.randrange(5)
        if how == 0:
            lines[at] = mutate_json(lines[at], r)
        elif how == 1:
            lines[at] = mutate_bytes(lines[at], r)
        elif how == 2 and len(lines) > 1:
            del lines[at]
        elif how == 3:
            lines.insert(at, r.choice(lines))
        else:
            return mutate_bytes(data, r)
    return b"\n".join(lines)


def change_node(tree: Any, values: tuple[Any, ...], r: random.Random) -> Any:
    """Replace or remove a value somewhere in JSON, deep rather than at the top."""
    trail: list[tuple[Any, Any]] = []
    node = tree
    while isinstance(node, (dict, list)) and node and r.random() > 0.05:
        key = r.choice(list(node)) if isinstance(node, dict) else r.randrange(len(node))
        trail.append((node, key))
        node = node[key]
    if not trail:
        return deepcopy(r.choice(values))
    parent, key = trail[-1]
    if r.random() < 0.15:
        del parent[key]
    else:
        parent[key] = deepcopy(r.choice(values))
    return tree


def mutate_database(path: Path, r: random.Random) -> None:
    """Change rows, columns and tables of a SQLite file in its place, or its bytes."""
    if r.random() < 0.3:
        path.write_bytes(mutate_bytes(path.read_bytes(), r))
        return
    base = sqlite3.connect(path)
    try:
        tables = [
            row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        for _ in range(r.choice([1, 1, 2, 4])):
            _mutate_row(base, r.choice(tables), r)
        base.commit()
    except sqlite3.Error:
        pass  # a change that the tables themselves forbid
    finally:
        base.close()


def _mutate_row(base: sqlite3.Connection, table: str, r: random.Random) -> None:
    columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
    rows = [row[0] for row in base.execute(f'SELECT rowid FROM "{table}"')]
    if not rows or not columns:
        return
    column, row, how = r.choice(columns), r.choice(rows), r.randrange(9)
    old = base.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid=?', (row,)).fetchone()[0]
    values = (0, -1, 2**62, 1e300, None, "x", b"\x00\xff", "{}", "[]", "null", "[" * DEEP, '"' * 50)
    if how == 0:
        base.execute(f'DELETE FROM "{table}" WHERE rowid=?', (row,))
    elif how == 1 and r.random() < 0.3:
        base.execute(f'DROP TABLE "{table}"')
    elif how == 2:
        base.execute(f'DELETE FROM "{table}"')
    elif how == 3:
        base.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO zz')
    elif how == 4:
        base.execute(f'UPDATE "{table}" SET "{column}"=?', (r.choice(values),))
    elif how == 5:
        base.execute(f'UPDATE "{table}" SET "{column}"=? WHERE rowid=?', (r.choice(values), row))
    else:
        base.execute(f'UPDATE "{table}" SET "{column}"=? WHERE rowid=?', (_near(old, r), row))


def _near(old: Any, r: random.Random) -> Any:
    if isinstance(old, bytes):
        return mutate_bytes(old, r)
    if isinstance(old, str) and old[:1] in ("{", "["):
        return mutate_json(old.encode(), r).decode("utf-8", "replace")
    return r.choice(CELLS)


def mutate_model(source: Path, out: Path, r: random.Random) -> None:
    """Change the description of a model, its members or its bytes."""
    if r.random() < 0.3:
        out.write_bytes(mutate_bytes(source.read_bytes(), r))
        return
    with zipfile.ZipFile(source) as archive:
        comment = archive.comment
        members = {name: archive.read(name) for name in archive.namelist()}
    index = json.loads(members["schema.json"])
    for _ in range(r.choice([1, 1, 2, 5])):
        index = change_node(index, TYPES, r)
    members["schema.json"] = json.dumps(index).encode()
    if r.random() < 0.3:
        name = r.choice(list(members))
        members[name] = r.choice([b"", b"[" * DEEP, mutate_bytes(members[name], r)])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.comment = comment if r.random() < 0.9 else b"scikit-learn 0.1"
        for name, data in members.items():
            archive.writestr(name, data)
    out.write_bytes(content.getvalue())


def mutate_archive(data: bytes, r: random.Random) -> bytes:
    """Change a member of a zip file that is JSON or XML, leave one out, or damage the bytes."""
    if r.random() < 0.3:
        return mutate_bytes(data, r)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (NotImplementedError, zipfile.BadZipFile):  # packed in a way that zipfile does not know
        return mutate_bytes(data, r)
    for _ in range(r.choice([1, 1, 2])):
        name = r.choice(list(members))
        if r.random() < 0.15 and len(members) > 1:
            del members[name]
        elif name.endswith(".json"):
            members[name] = mutate_json(members[name], r)
        elif name.endswith(".xml"):
            members[name] = _mutate_xml(members[name], r)
        else:
            members[name] = mutate_bytes(members[name], r)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    return content.getvalue()


def _mutate_xml(data: bytes, r: random.Random) -> bytes:
    """Change a text or an attribute of XML, or its bytes."""
    parts = re.split(rb'(>[^<]*<|="[^"]*")', data)
    places = [at for at in range(1, len(parts), 2) if len(parts[at]) > 2]
    if not places or r.random() < 0.2:
        return mutate_bytes(data, r)
    at = r.choice(places)
    word = r.choice(CELLS).replace("&", "").replace("<", "").replace('"', "").encode()
    parts[at] = b">" + word + b"<" if parts[at].startswith(b">") else b'="' + word + b'"'
    return b"".join(parts)
