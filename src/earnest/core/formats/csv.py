"""CSV: a table as text, after one line that says what a table cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from earnest.core.formats.header import NAME, SCHEMA, changed
from earnest.core.formats.parsing import STRINGS, block, buffer, usual_delimiter
from earnest.core.formats.text import BOM, read_bytes, read_text
from earnest.core.formats.wide import column_types


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
    """Return the header, if there is one, and a way to read its batches, or a table of others.

    A table of others comes with cautions about what was guessed; where there is a header, it is
    the table below.
    """
    data, cautions = read_bytes(path, suffix)
    own = data[:200].removeprefix(BOM).lstrip(b'"').startswith(_BEGINS)
    end = max(data.find(b"\n"), 0) or len(data)
    header = _header(data[:end].removeprefix(BOM), path) if own else None

    def source(facts: Mapping[str, Any] | None) -> Any:
        if facts is not None:
            return _own(memoryview(data)[end + 1 :], facts, usual_delimiter(suffix))
        below = data if header is None else data[end + 1 :]
        table, notes = read_text(below, path, suffix, options)
        return table, (*cautions, *notes)

    return header, source


_BEGINS = f"# {NAME}".encode()


def _header(line: bytes, path: Path) -> str:
    if line.startswith(b'"'):
        raise changed(path, "the first line as it was written", "a line in quotation marks")
    return line.decode().split(" ", 2)[2] if line.count(b" ") > 1 else ""


def _own(data: memoryview, facts: Mapping[str, Any], delimiter: str) -> Iterator[Any]:
    from pyarrow import csv

    types = column_types(facts)
    names = [str(position) for position in range(len(types))]
    table = csv.read_csv(
        buffer(data),
        read_options=csv.ReadOptions(
            column_names=names, skip_rows_after_names=1, block_size=block(data)
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)), null_values=[""], **STRINGS
        ),
    )
    yield from table.to_batches()
