"""Tables on disk: CSV, Parquet and Arrow files."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.tables.frames import read_frame
from earnest.core.tables.header import read_header, rebuild
from earnest.core.tables.options import refuse_other_options, table_options
from earnest.core.tables.raw import tell_of_data
from earnest.core.tables.text import read_csv, usual_delimiter, write_csv
from earnest.core.tables.writing import wide_batches
from earnest.core.tables.written_wide import column_names, read_wide

# What a file holds by its first bytes, whatever its suffix says.


# The first bytes, the word for what follows, and the suffixes under which it is read.
_SIGNS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"PAR1", "a Parquet file", (".parquet",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather")),
    (b"\x1f\x8b", "text compressed with gzip", (".csv.gz",)),
    (b"PK\x03\x04", "a ZIP archive", (".npz",)),
)


def refuse_other_content(path: Path, suffix: str) -> None:
    """Refuse a file whose first bytes are those of another format than its suffix names."""
    with path.open("rb") as file:
        start = file.read(6)
    for sign, word, suffixes in _SIGNS:
        if start.startswith(sign) and suffix not in suffixes:
            raise FormatError(
                f"{path.name!r} is {word}, not what its suffix says",
                needs=f"a file of the format that {suffix!r} names",
                got=word,
                cure=_cure(path, suffixes[0]),
            )


def _cure(path: Path, suffix: str) -> str:
    if suffix == ".npz" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        if "[Content_Types].xml" in names:
            return "It is a spreadsheet: export it as CSV."
        if not all(name.endswith(".npy") for name in names):
            return "Unpack it first."
    return f"Rename it so that its name ends in {suffix!r}."


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
                raise tell_of_data(error, table, path) from error.__cause__
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
