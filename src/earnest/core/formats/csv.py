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
    options = csv.WriteOptions(delimiter=_delimiter(suffix, {}))
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
            return _own(rest, facts, _delimiter(suffix, {}))
        return _foreign(data, path, _delimiter(suffix, options), options)

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


def _foreign(data: bytes, path: Path, delimiter: str, options: Mapping[str, Any]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    _check_names(data, path, delimiter)
    names = {"row_id", "id", "config_id", str(options.get("id", "id"))}
    table = csv.read_csv(
        _buffer(data),
        read_options=csv.ReadOptions(block_size=_block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), **_STRINGS
        ),
    )
    binary = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if binary:
        raise _not_utf8(path, f"other bytes in column {check.some(map(repr, binary))}")
    return _plain_ids(table)


# An empty cell is missing in a column of text too, a quoted one is text.
_STRINGS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}


def _check_names(data: bytes, path: Path, delimiter: str) -> None:
    """Refuse a first line that is not UTF-8 or has another delimiter."""
    try:
        line = data.partition(b"\n")[0].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, "other bytes in the names of the columns") from error
    other = next((mark for mark in ";\t|" if mark in line), None)
    if delimiter not in line and other is not None:
        raise FormatError(
            f"{path.name!r} is not separated by {delimiter!r}",
            needs=f"several columns, separated by {delimiter!r}",
            got=f"one column {check.show(line.strip())}",
            cure=f"Say delimiter={other!r}; numbers need decimal points.",
        )


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


def _delimiter(suffix: str, options: Mapping[str, Any]) -> str:
    mark = options.get("delimiter", "\t" if suffix == ".tsv" else ",")
    if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii():
        raise FormatError(
            "`delimiter` is not one character", needs="such as ',' or ';'", got=check.show(mark)
        )
    return mark


def _buffer(data: bytes) -> Any:
    import pyarrow as pa

    return pa.BufferReader(data)


def _block(data: bytes) -> int:
    return max(1, min(len(data) + 1, _BLOCK))
