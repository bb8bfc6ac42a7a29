"""Tables on disk: CSV, Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from earnest.core.cautions import Caution
from earnest.core.errors import FormatError, InputError
from earnest.core.formats.content import WHOLE, foreign_content, refuse_other_content
from earnest.core.formats.csv import read_csv, write_csv
from earnest.core.formats.header import read_header, rebuild
from earnest.core.formats.options import refuse_other_options, table_options
from earnest.core.formats.parquet import BATCH, ParquetColumns, is_large, read_by_columns
from earnest.core.formats.parsing import usual_delimiter
from earnest.core.formats.wide import column_names, read_wide
from earnest.core.frames import read_frame
from earnest.core.frames.columns import Columns
from earnest.core.frames.raw import tell_of_data
from earnest.core.frames.writing import wide_batches
from earnest.core.predictions import Predictions

KEY = b"earnest"  # of the header in the metadata of a schema
CSV = (".csv", ".csv.gz", ".tsv", ".txt")


def load_table(
    path: Path, suffix: str, *, mmap: bool | None, verify: bool, options: Mapping[str, Any]
) -> tuple[Predictions, bool]:
    """Return Π of a table, and whether earnest wrote the file.

    A large Parquet file is read by columns, and its responses are mapped.
    """
    with readable(path), ExitStack() as stack:
        refuse_other_content(path, suffix)
        header, source = _open(path, suffix, options, stack, mmap=mmap)
        if header is not None:
            facts = read_header(header, path)
            refuse_other_options(options, facts, path, usual_delimiter(suffix))
            found = source(facts)
            by_columns = isinstance(found, ParquetColumns)
            arrays = (read_by_columns if by_columns else read_wide)(facts, found, path)
        else:
            kept = table_options(options, path, text=suffix in CSV)
            table, remarks = source(None)
            try:
                return _remarked(read_frame(table, **kept), remarks), False
            except InputError as error:
                said = kept.get("target") or next(
                    (name for name in ("y", "y_true") if name in table.column_names), None
                )
                raise tell_of_data(error, table, path, said) from error.__cause__
    return rebuild(facts, arrays, path, verify=verify), True


def _remarked(pi: Predictions, remarks: tuple[Caution, ...]) -> Predictions:
    return replace(pi, remarks=(*pi.remarks, *remarks)) if remarks else pi


def save_table(pi: Predictions, header: str, path: Path, suffix: str) -> None:
    """Write Π as a wide table with its header."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = column_names(pi)
    batches = wide_batches(pi, names)
    if suffix in CSV:
        write_csv(path, suffix, header, batches)
        return
    first = next(batches)
    schema = first.schema.with_metadata({KEY: header.encode()})
    with ExitStack() as stack:
        if suffix == ".parquet":
            # A dictionary of floats that hardly repeat only makes the file larger.
            text = [field.name for field in schema if pa.types.is_string(field.type)]
            writer = stack.enter_context(pq.ParquetWriter(str(path), schema, use_dictionary=text))
        else:
            writer = stack.enter_context(pa.ipc.new_file(str(path), schema))
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


# What a file yields: its header if it has one, and a way to read batches by what the header says,
# or the whole table and what had to be guessed to read it.
Source = tuple[bytes | str | None, Callable[[Mapping[str, Any] | None], Any]]


def _open(
    path: Path,
    suffix: str,
    options: Mapping[str, Any],
    stack: ExitStack,
    *,
    mmap: bool | None = False,
) -> Source:
    """Open a file of a table; all that libraries read of it goes through one door."""
    header: bytes | str | None
    with foreign_content(path):
        if suffix in CSV:
            header, source = read_csv(path, suffix, options)
        elif suffix == ".parquet":
            header, source = _open_parquet(path, stack, mmap)
        else:
            header, source = _open_arrow(path, stack)

    def guarded(facts: Mapping[str, Any] | None) -> Any:
        with foreign_content(path):
            found = source(facts)
            if facts is not None or isinstance(found[0], Columns):
                return found
            return _without_index(found[0]), found[1]

    return header, guarded


def _open_parquet(path: Path, stack: ExitStack, mmap: bool | None) -> Source:
    import pyarrow.parquet as pq

    file = stack.enter_context(pq.ParquetFile(str(path)))
    header = (file.schema_arrow.metadata or {}).get(KEY)

    columns = ParquetColumns(file)
    rows = max(1, BATCH // max(1, len(columns.names)))

    def source(facts: Mapping[str, Any] | None) -> Any:
        if not is_large(columns, mmap):
            return (file.read(), ()) if facts is None else file.iter_batches(batch_size=rows)
        if facts is not None:
            return columns
        return columns.as_columns(without=_index_of(file.schema_arrow)), ()

    return header, source


def _open_arrow(path: Path, stack: ExitStack) -> Source:
    import pyarrow as pa

    mapped = stack.enter_context(pa.memory_map(str(path)))
    whole = mapped.read(6) == b"ARROW1"  # a file; a stream begins otherwise
    mapped.seek(0)
    reader = pa.ipc.open_file(mapped) if whole else pa.ipc.open_stream(mapped)
    header = (reader.schema.metadata or {}).get(KEY)

    def source(facts: Mapping[str, Any] | None) -> Any:
        return (reader.read_all(), ()) if facts is None else _batches(reader)

    return header, source


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        yield from reader


def _without_index(table: Any) -> Any:
    """Leave out the index that pandas wrote beside its columns."""
    present = set(table.column_names)
    return table.drop_columns([name for name in _index_of(table.schema) if name in present])


def _index_of(schema: Any) -> list[str]:
    """Return the names that pandas gave to the columns of its index."""
    said = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in said if isinstance(name, str)]


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what a library says of a damaged file into one form of message."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise FormatError(
            f"{path.name!r} cannot be read",
            needs=WHOLE,
            got=reason[0],
        ) from error
