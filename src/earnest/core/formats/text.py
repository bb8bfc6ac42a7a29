"""Text tables as people have them: what separates their columns, their encoding, their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from earnest.core import check
from earnest.core.cautions import Caution, Severity
from earnest.core.errors import FormatError
from earnest.core.formats.expanding import read_gzip
from earnest.core.formats.parsing import parse_text, usual_delimiter

MARKS = ",;\t|"
LOOKED_AT = 1 << 16  # bytes, and
LINES = 50  # lines that tell what separates the columns
_QUOTED = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"^\s*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?\s*$")
_DATE = re.compile(r"^\s*[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}")
_SEP = re.compile(rb"^(?:\xef\xbb\xbf)?\s*[sS][eE][pP]=(.)[ \t]*\r?\n")
BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(path: Path, suffix: str) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the text of a file in UTF-8, and a caution where its encoding had to be guessed."""
    return _as_utf8(read_gzip(path) if suffix.endswith(".gz") else path.read_bytes(), path)


def read_text(
    data: bytes, path: Path, suffix: str, options: Mapping[str, Any]
) -> tuple[Any, tuple[Caution, ...]]:
    """Return the Arrow table of a text in UTF-8 that anyone may have written, and notes about it.

    What separates the columns is what stands in every line equally often. Text that is not UTF-8
    is read as Windows-1252, which older spreadsheets write, with a caution. A first line that is
    like the others has no names, and is refused.

    Parameters
    ----------
    data : bytes
        The text, as `read_bytes` gives it.
    path : Path
        The file, for messages.
    suffix : str
        Its ending, which tells what separates the columns if nothing else does.
    options : mapping
        Perhaps `delimiter`, `decimal`, `thousands`, and names of columns, such as `id`.
    """
    told = _SEP.match(data)  # a line by which spreadsheets tell the separator
    data = data[told.end() :] if told else data
    text = data[:LOOKED_AT].decode("utf-8-sig", "replace")
    if not text.strip("\0 \t\r\n"):
        raise FormatError(f"{path.name!r} is empty", needs="a table with a row at least")
    data = data if b"\n" in data or b"\r" in data else data + b"\n"  # names alone are a table, too
    mark = options.get("delimiter") or (told and told[1].decode()) or separator(text, suffix)
    if mark is None:
        _refuse_lines_above(text, suffix, path)
    said = {**options, "delimiter": mark} if mark is not None else options
    table, notes = parse_text(data, path, suffix, said)
    _refuse_nameless(table, path)
    _refuse_no_names(table, path)
    return table, notes


def _as_utf8(data: bytes, path: Path) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the same text in UTF-8; bytes that are no text at all are left for the reader."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace").encode(), ()
    if data.isascii():  # fast, and nearly always so
        return data, ()
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
    >>> from earnest.core.formats.text import separator
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


def _refuse_lines_above(text: str, suffix: str, path: Path) -> None:
    """Refuse a title above the names, and columns that single spaces separate."""
    first, _, rest = text.lstrip("\r\n\ufeff").partition("\n")
    mark = separator(rest, suffix)
    if mark is not None and rest.count("\n") > 1:
        raise FormatError(
            f"the first line of {path.name!r} has other columns than the lines below",
            needs="the names of the columns in the first line",
            got=check.show(first.strip(), 40),
            cure="Remove what stands above the names, or give every column a name.",
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()][:LINES]
    if len(lines) > 1 and len({line.count(" ") for line in lines}) == 1 and " " in lines[0]:
        raise FormatError(
            f"{path.name!r} has one column only",
            needs="columns that commas, semicolons, tabs or bars separate",
            got=check.show(lines[0], 40),
            cure="Say delimiter=' ' if single spaces separate them.",
        )


def _refuse_nameless(table: Any, path: Path) -> None:
    """Refuse several columns that have values and no name."""
    count = sum(not name for name in table.column_names)
    if count > 1:
        raise FormatError(
            f"{count} columns of {path.name!r} have no name",
            needs="the names of the columns in the first line",
            got=check.some(map(repr, table.column_names), limit=6),
            cure="Name them, and remove what stands above the names.",
        )


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
