"""From the bytes of a text table to its columns: delimiters, decimals and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from earnest.core import check
from earnest.core.cautions import Caution
from earnest.core.errors import FormatError
from earnest.core.formats.numbers import check_marks, only_thousands, read_written

_BLOCK = 1 << 30  # bytes whose values decide the types of the columns


def parse_text(
    data: bytes, path: Path, suffix: str, options: Mapping[str, Any]
) -> tuple[Any, tuple[Caution, ...]]:
    """Return the Arrow table of a text in UTF-8, and a note where numbers had to be made out.

    Names of cases and configurations stay text.
    """
    import pyarrow as pa

    line = _first_line(data, path)
    delimiter = _delimiter(line, path, suffix, options)
    decimal = check_marks(_decimal(options), options.get("thousands"))
    ids = {"row_id", "id", "config_id", str(options.get("id", "id"))}
    names = ids | {name for name in line.rstrip("\r").split(delimiter) if name.strip() in ids}
    table = _parsed(data, delimiter, decimal or ".", names)
    if decimal is None and delimiter != "," and _decimal_commas(table, names):
        other = _parsed(data, delimiter, ",", names)
        if _texts(other) < _texts(table) and not only_thousands(table, names):
            table, decimal = other, ","
    binary = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if binary:
        raise _not_utf8(path, f"other bytes in column {check.some(map(repr, binary))}")
    labels = names | {str(options.get(n, n)) for n in ("group", "fold", "repeat", "strata")}
    labels |= _named(options.get("model"))
    table, notes = read_written(table, path, labels, options, decimal)
    return _plain_ids(_tidy(table)), notes


def _named(model: Any) -> set[str]:
    return {model} if isinstance(model, str) else {str(name) for name in model or ()}


# An empty cell is missing in a column of text too, a quoted one is text.
STRINGS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}


def _parsed(data: bytes, delimiter: str, decimal: str, names: set[str]) -> Any:
    """Return the table of a CSV; the columns of these names stay text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        buffer(data),
        read_options=csv.ReadOptions(block_size=block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), decimal_point=decimal, **STRINGS
        ),
    )


def _decimal_commas(table: Any, names: set[str]) -> bool:
    """Tell whether a column that was read as text has numbers with decimal commas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return any(
        pc.any(pc.match_substring_regex(table.column(place), _COMMA)).as_py()
        for place, field in enumerate(table.schema)
        if pa.types.is_string(field.type) and field.name not in names
    )


_COMMA = r"^\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*$"


def _texts(table: Any) -> int:
    import pyarrow as pa

    return sum(pa.types.is_string(field.type) for field in table.schema)


def _first_line(data: bytes, path: Path) -> str:
    try:
        return data.partition(b"\n")[0].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, "other bytes in the names of the columns") from error


def _not_utf8(path: Path, got: str) -> FormatError:
    return FormatError(
        f"{path.name!r} is not UTF-8",
        needs="text in UTF-8",
        got=got,
        cure="Save it as 'CSV UTF-8'.",
    )


def _tidy(table: Any) -> Any:
    """Return the table without spaces around texts, and without empty columns that have no name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [str(name).strip() for name in table.column_names]
    columns = []
    for column in table.columns:
        if pa.types.is_string(column.type):
            trimmed = pc.utf8_trim_whitespace(column)
            gone = pc.and_(pc.equal(trimmed, ""), pc.not_equal(column, ""))
            column = pc.if_else(gone, pa.scalar(None, pa.string()), trimmed)
        columns.append(column)
    kept = [k for k, name in enumerate(names) if name or columns[k].null_count < len(columns[k])]
    return pa.table([columns[k] for k in kept], names=[names[k] for k in kept])


def _plain_ids(table: Any) -> Any:
    """Let names of cases that are plain numbers be numbers, as in other formats; '01' stays."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in ("row_id", "id"):
        place = table.column_names.index(name) if table.column_names.count(name) == 1 else None
        if place is None:
            continue
        column = table.column(place)
        if pc.all(pc.match_substring_regex(column, "^(0|-?[1-9][0-9]{0,17})$")).as_py():
            table = table.set_column(place, name, column.cast(pa.int64()))
    return table


def usual_delimiter(suffix: str) -> str:
    """Return what separates columns where nothing else is said."""
    return "\t" if suffix == ".tsv" else ","


def _delimiter(line: str, path: Path, suffix: str, options: Mapping[str, Any]) -> str:
    """Return what separates the columns: as said, as usual, or the semicolon if the names tell."""
    said = options.get("delimiter")
    mark = usual_delimiter(suffix) if said is None else said
    if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii():
        raise FormatError(
            "`delimiter` is not one character", needs="such as ',' or ';'", got=check.show(mark)
        )
    other = next((sign for sign in ";,\t|" if sign in line), None)
    if mark in line or other is None:
        return mark
    if said is None and other == ";" and "," not in line:
        return other
    raise FormatError(
        f"{path.name!r} is not separated by {mark!r}",
        needs=f"several columns, separated by {mark!r}",
        got=f"one column {check.show(line.strip())}",
        cure=f"Say delimiter={other!r}.",
    )


def _decimal(options: Mapping[str, Any]) -> str | None:
    """Return the mark before the decimals, None where the numbers are to tell."""
    mark: str | None = options.get("decimal")
    if mark not in (None, ".", ","):
        raise FormatError(
            "`decimal` is not a mark before decimals", needs="'.' or ','", got=check.show(mark)
        )
    return mark


def buffer(data: bytes | memoryview) -> Any:
    """Return bytes as a file that Arrow reads."""
    import pyarrow as pa

    return pa.BufferReader(data)


def block(data: bytes | memoryview) -> int:
    """Return the size of a block that holds the whole text, so far as Arrow allows."""
    return max(1, min(len(data) + 1, _BLOCK))
