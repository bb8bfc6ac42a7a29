"""CSV: a table as text, after one line that says what a table cannot hold."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from earnest.core import check
from earnest.core.errors import FormatError
from earnest.core.formats.header import NAME, SCHEMA, changed
from earnest.core.formats.wide import column_types

_BLOCK = 1 << 30  # bytes whose values decide the types of the columns


def write_csv(path: Path, suffix: str, header: str, batches: Iterator[Any]) -> None:
    """Write the header as a comment, and the table with every digit of its numbers."""
    import pyarrow as pa
    from pyarrow import csv

    first = next(batches)
    options = csv.WriteOptions(delimiter=usual_delimiter(suffix))
    with ExitStack() as stack:
        sink = stack.enter_context(pa.OSFile(str(path), "wb"))
        if suffix.endswith(".gz"):
            sink = stack.enter_context(pa.CompressedOutputStream(sink, "gzip"))
        sink.write(f"# {SCHEMA} {header}\n".encode())
        writer = stack.enter_context(csv.CSVWriter(sink, first.schema, write_options=options))
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def read_csv(
    path: Path, suffix: str, options: Mapping[str, Any]
) -> tuple[str | None, Callable[[Mapping[str, Any] | None], Any]]:
    """Return the header, if there is one, and a way to read the batches or the table."""
    data = gzip.decompress(path.read_bytes()) if suffix.endswith(".gz") else path.read_bytes()
    line, _, rest = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    header = _header(line, path)

    def source(facts: Mapping[str, Any] | None) -> Any:
        if facts is not None:
            return _own(rest, facts, usual_delimiter(suffix))
        return _foreign(data, path, suffix, options)

    return header, source


def _header(line: bytes, path: Path) -> str | None:
    begins = f"# {NAME}".encode()
    if not line.lstrip(b'"').startswith(begins):
        return None
    if line.startswith(b'"'):
        raise changed(path, "the first line as it was written", "a line in quotation marks")
    return line.decode().split(" ", 2)[2] if line.count(b" ") > 1 else ""


def _own(data: bytes, facts: Mapping[str, Any], delimiter: str) -> Iterator[Any]:
    from pyarrow import csv

    types = column_types(facts)
    names = [str(position) for position in range(len(types))]
    table = csv.read_csv(
        _buffer(data),
        read_options=csv.ReadOptions(
            column_names=names, skip_rows_after_names=1, block_size=_block(data)
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)), null_values=[""], **_STRINGS
        ),
    )
    yield from table.to_batches()


def _foreign(data: bytes, path: Path, suffix: str, options: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    delimiter = _delimiter(_first_line(data, path), path, suffix, options)
    decimal = _decimal(options)
    names = {"row_id", "id", "config_id", str(options.get("id", "id"))}
    table = _parsed(data, delimiter, decimal or ".", names)
    if decimal is None and delimiter != "," and _decimal_commas(table, names):
        other = _parsed(data, delimiter, ",", names)
        table = other if _texts(other) < _texts(table) else table
    binary = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if binary:
        raise _not_utf8(path, f"other bytes in column {check.some(map(repr, binary))}")
    return _plain_ids(table)


# An empty cell is missing in a column of text too, a quoted one is text.
_STRINGS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}


def _parsed(data: bytes, delimiter: str, decimal: str, names: set[str]) -> Any:
    """Return the table of a CSV; the columns of these names stay text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        _buffer(data),
        read_options=csv.ReadOptions(block_size=_block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), decimal_point=decimal, **_STRINGS
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


def _buffer(data: bytes) -> Any:
    import pyarrow as pa

    return pa.BufferReader(data)


def _block(data: bytes) -> int:
    return max(1, min(len(data) + 1, _BLOCK))
