"""Text tables as people have them: what separates their columns, their encoding, their names."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from earnest.core import check
from earnest.core.cautions import Caution, Severity
from earnest.core.errors import FormatError
from earnest.core.formats.csv import _foreign, usual_delimiter

MARKS = ",;\t|"
LOOKED_AT = 1 << 16  # bytes, and
LINES = 50  # lines that tell what separates the columns
_QUOTED = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"^\s*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?\s*$")
_DATE = re.compile(r"^\s*[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_text(
    path: Path, suffix: str, *, delimiter: str | None, decimal: str | None
) -> tuple[Any, tuple[Caution, ...]]:
    """Return the Arrow table of a CSV file, and what had to be guessed.

    What separates the columns is what stands in every line equally often. Text that is not UTF-8
    is read as Windows-1252, which older spreadsheets write, with a caution. A first line that is
    like the others has no names, and is refused.
    """
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if suffix.endswith(".gz") else raw
    data, cautions = _as_utf8(raw, path)
    suffix = ".csv" if suffix == ".txt" else suffix
    mark = delimiter or separator(data[:LOOKED_AT].decode("utf-8-sig", "replace"), suffix)
    options = {"delimiter": mark, "decimal": decimal}
    said = {name: value for name, value in options.items() if value is not None}
    table = _foreign(data, path, suffix, said)
    _refuse_no_names(table, path)
    return table, cautions


def _as_utf8(data: bytes, path: Path) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the same text in UTF-8; bytes that are no text at all are left for the reader."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace").encode(), ()
    try:
        data.decode()
        return data, ()
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return data, ()
    return text.encode(), (_other_encoding(text, path),)


def _other_encoding(text: str, path: Path) -> Caution:
    shown = next((w for w in re.findall(r"[^\s,;|\"]+", text) if not w.isascii()), "")
    return Caution(
        "EN056",
        f"{path.name!r} is not UTF-8 and was read as Windows-1252: {check.show(shown, 30)}, for "
        "example.",
        "In another encoding its letters beyond a to z are other ones, in names and categories.",
        "If it reads wrong, save the table as 'CSV UTF-8'.",
        Severity.NOTE,
    )


def separator(text: str, suffix: str = ".csv") -> str | None:
    r"""Return what separates the columns: what stands in every line equally often, and oftenest.

    None where nothing does, so that the reader has to decide or to complain.

    Examples
    --------
    >>> from earnest.training.tables.text import separator
    >>> separator("name;size, cm\nA;1,5\nB;2\n"), separator("a,b\n1;2,3\n")
    (';', ',')
    """
    whole = text[: text.rfind("\n")] if len(text) >= LOOKED_AT else text
    lines = [line for line in _QUOTED.sub("", whole).splitlines() if line.strip()][:LINES]
    usual = usual_delimiter(suffix)
    counts = {mark: {line.count(mark) for line in lines} for mark in (usual, *MARKS)}
    same = {mark: found.pop() for mark, found in counts.items() if len(found) == 1}
    best = max(same, key=lambda mark: same[mark], default=usual)
    return best if same.get(best, 0) > 0 else None


def _refuse_no_names(table: Any, path: Path) -> None:
    """Refuse a table whose first line is a row like the others.

    So it is when every name could be a value of its column: a number above numbers, a word above
    the same word. Names that count on in equal steps (0, 1, 2; 400, 402, 404) are names.
    """
    names = [str(name) for name in table.column_names]
    if not names or not table.num_rows or _count_on(names):
        return
    alike = [_alike(name, table.column(k)) for k, name in enumerate(names) if name.strip()]
    if not alike or not all(alike):
        return
    raise FormatError(
        f"the first line of {path.name!r} looks like data, not like names",
        needs="the names of the columns in the first line",
        got=check.some(map(repr, names), limit=6),
        cure="Write a line with names above it.",
    )


def _count_on(names: list[str]) -> bool:
    whole = [int(name) for name in names if name.strip().isascii() and name.strip().isdigit()]
    steps = {after - before for before, after in pairwise(whole)}
    return len(whole) > 2 and len(steps) == 1 and steps != {0}


def _alike(name: str, column: Any) -> bool:
    """Tell whether a name could be a value of its column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return bool(_NUMBER.match(name))
    if pa.types.is_boolean(kind):
        return name.strip().lower() in ("true", "false")
    if pa.types.is_string(kind):
        return bool(_NUMBER.match(name) or _DATE.match(name) or pc.index(column, name).as_py() >= 0)
    return bool(_DATE.match(name) or pa.types.is_null(kind))
