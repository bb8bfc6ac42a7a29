"""Tables on disk: CSV, Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from earnest.core.cautions import Caution
from earnest.core.errors import FormatError, InputError
from earnest.core.formats.content import refuse_other_content
from earnest.core.formats.csv import read_csv, write_csv
from earnest.core.formats.header import read_header, rebuild
from earnest.core.formats.options import refuse_other_options, table_options
from earnest.core.formats.parsing import usual_delimiter
from earnest.core.formats.wide import column_names, read_wide
from earnest.core.frames import read_frame
from earnest.core.frames.raw import tell_of_data
from earnest.core.frames.writing import wide_batches
from earnest.core.predictions import Predictions

KEY = b"earnest"  # of the header in the metadata of a schema
CSV = (".csv", ".csv.gz", ".tsv", ".txt")
BATCH = 1 << 22  # values read in one go


def load_table(
    path: Path, suffix: str, *, verify: bool, options: Mapping[str, Any]
) -> tuple[Predictions, bool]:
    """Return Π of a table, and whether earnest wrote the file."""
    with readable(path), ExitStack() as stack:
        refuse_other_content(path, suffix)
        header, source = _open(path, suffix, options, stack)
        if header is not None:
            facts = read_header(header, path)
            refuse_other_options(options, facts, path, usual_delimiter(suffix))
            arrays = read_wide(facts, source(facts), path)
        else:
            kept = table_options(options, path, text=suffix in CSV)
            table, remarks = source(None)
            try:
                return _remarked(read_frame(_without_index(table), **kept), remarks), False
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


def _open(path: Path, suffix: str, options: Mapping[str, Any], stack: ExitStack) -> Source:
    if suffix in CSV:
        return read_csv(path, suffix, options)
    return _open_parquet(path, stack) if suffix == ".parquet" else _open_arrow(path, stack)


def _open_parquet(path: Path, stack: ExitStack) -> Source:
    import pyarrow.parquet as pq

    file = stack.enter_context(pq.ParquetFile(str(path)))
    header = (file.schema_arrow.metadata or {}).get(KEY)
    rows = max(1, BATCH // max(1, len(file.schema_arrow)))

    def source(facts: Mapping[str, Any] | None) -> Any:
        return (file.read(), ()) if facts is None else file.iter_batches(batch_size=rows)

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
    index = (table.schema.pandas_metadata or {}).get("index_columns", [])
    return table.drop_columns(
        [name for name in index if isinstance(name, str) and name in table.column_names]
    )


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
            needs="a whole file of the format that its suffix names",
            got=reason[0],
        ) from error
