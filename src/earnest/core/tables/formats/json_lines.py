"""JSON lines: one object per line, each a row of a table."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.tables.formats.expanding import read_gzip

if TYPE_CHECKING:
    import pyarrow as pa

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson")
NEW_LINE = b"\n"
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
DEEPEST = 100
BLOCK = 1 << 26  # bytes whose values decide the types of the columns


def read_json_lines(path: Path) -> pa.Table:
    """Return the table of a file of JSON lines; a field that a line lacks is missing there.

    A line that is not a JSON object is refused with its number: a run that was stopped while it
    wrote leaves half a line at the end.
    """
    import pyarrow as pa
    from pyarrow import json as reader

    data = read_gzip(path) if path.name.casefold().endswith(".gz") else path.read_bytes()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise FormatError(f"{path.name!r} is empty", needs="one JSON object per line")
    _refuse_other_encoding(data, path)
    _refuse_deep(data, path)
    try:
        return reader.read_json(
            io.BytesIO(data),
            read_options=reader.ReadOptions(block_size=max(BLOCK, len(data) + 1)),
        )
    except pa.ArrowInvalid as error:
        return _read_slowly(data, path, str(error))


def _refuse_other_encoding(data: bytes, path: Path) -> None:
    """Refuse bytes that are not UTF-8, which Arrow would keep as text until it is looked at."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"line {data.count(NEW_LINE, 0, error.start) + 1} of {path.name!r} is not UTF-8",
            needs="JSON lines in UTF-8",
            cure="Save the file with that encoding.",
        ) from None


def _refuse_deep(data: bytes, path: Path) -> None:
    """Refuse values within values without end, which Arrow follows until its stack is full."""
    for number, line in enumerate(data.split(NEW_LINE), 1):
        if line.count(b"{") + line.count(b"[") > DEEPEST and _measure_depth(line) > DEEPEST:
            raise FormatError(
                f"line {number} of {path.name!r} is nested too deeply",
                needs=f"at most {DEEPEST} objects or lists within each other",
            )


def _measure_depth(line: bytes) -> int:
    """Return how many objects and lists of a line are open at once."""
    depth = deepest = 0
    for mark in re.findall(rb"[\[\]{}]", STRING.sub(b"", line)):
        depth += 1 if mark in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _read_slowly(data: bytes, path: Path, why: str) -> pa.Table:
    """Return the table, line by line, or say which line is wrong.

    Arrow refuses a field that is a number in one line and text in another; such a field is kept
    as text.
    """
    import pyarrow as pa

    rows = []
    lines = data.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            last = number == len(lines)
            raise FormatError(
                f"line {number} of {path.name!r} is not JSON",
                needs="a JSON object in every line",
                got=check.show_text(line.strip(), 60) or str(error),
                cure="The file ends within a line, as one does that is still being written: wait "
                "for it, or remove the line."
                if last
                else "Correct or remove the line.",
            ) from None
        if not isinstance(row, dict):
            raise FormatError(
                f"line {number} of {path.name!r} is not a JSON object",
                needs='an object in every line, such as {"item": 1, "config": "a", "score": 0.5}',
                got=check.show_text(line.strip(), 60),
            )
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            texts = [
                None if v is None else v if isinstance(v, str) else json.dumps(v) for v in values
            ]
            columns[name] = pa.array(texts)
    if not columns:
        raise FormatError(f"{path.name!r} cannot be read", got=check.show_text(why))
    return pa.table(columns)
