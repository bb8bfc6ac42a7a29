"""The one door for files of tables: a path becomes what earnest wrote of it, and its columns.

Predictions, scores, trials and training tables come through `open_table`. What a table means is
read by others: `roles` finds the columns, `frames`, `long` and `scores` read them.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.tables.columns import Columns
from earnest.core.tables.formats.excel import EXCEL, read_excel
from earnest.core.tables.formats.expanding import WHOLE, foreign_content
from earnest.core.tables.formats.header import HeaderFacts
from earnest.core.tables.formats.json_lines import JSON_LINES, read_json_lines
from earnest.core.tables.formats.names import map_named, open_named
from earnest.core.tables.formats.npz import read_npz_header
from earnest.core.tables.formats.parquet import BATCH, ParquetColumns, reads_by_columns
from earnest.core.tables.formats.text import TextOptions, open_text, peek_header
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"earnest"  # of the header in the metadata of a schema
CSV = (".csv", ".csv.gz", ".tsv", ".txt")
WRITTEN = (*CSV, ".parquet", ".arrow", ".feather")
TABLES = (*WRITTEN, *JSON_LINES, *EXCEL)  # what every door reads that takes a table
READ = (*TABLES, ".npz", ".npy")  # predictions and scores may be arrays, too
_SCORES = "earnest/scores/"  # the schema of scores; any other header is that of predictions

Header = bytes | str


@dataclass(frozen=True)
class TableFile:
    """An opened file of a table.

    Parameters
    ----------
    path : Path
        The file.
    suffix : str
        How its name ends, which gives the format.
    header : bytes or str, optional
        What earnest wrote of itself, if it wrote the file.
    batches : callable
        Reads the table by what its header says: batches of rows, or a large file's columns.
    table : callable
        Reads the table of somebody else, by what the user says of its text.
    """

    path: Path
    suffix: str
    header: Header | None
    batches: Callable[[HeaderFacts], Iterable[pa.RecordBatch] | ParquetColumns]
    table: Callable[[TextOptions], pa.Table | Columns]

    @property
    def holds_scores(self) -> bool:
        """Whether earnest wrote scores into it."""
        return is_header_of_scores(self.header)

    def read_batches(self, facts: HeaderFacts) -> Iterable[pa.RecordBatch] | ParquetColumns:
        """Read the table by what its header says."""
        with foreign_content(self.path):
            return self.batches(facts)

    def read(self, options: TextOptions) -> Columns:
        """Return the columns, and notes about what was guessed to read them."""
        for name, mark in options.marks.items():
            if mark is not None and self.suffix not in CSV:
                raise FormatError(
                    f"{arg(name)} is for CSV files, not for {self.path.name!r}",
                    cure=f"Leave {arg(name)} out.",
                )
        with foreign_content(self.path):
            table = self.table(options)
            columns = table if isinstance(table, Columns) else Columns.of(_drop_index(table))
        return replace(columns, source=self.path.name)


@contextmanager
def open_table(path: Path, needs: str = "", *, mmap: bool | None = False) -> Iterator[TableFile]:
    """Open a file of a table by its suffix; refuse what is not there, empty, or another format.

    Parameters
    ----------
    path : Path
        The file.
    needs : str
        What was expected, as errors say it.
    mmap : bool, optional
        Whether a Parquet file is read by columns; a large one is, if None.
    """
    path = find_existing(path, needs or f"a table: {', '.join(TABLES)}")
    suffix = find_suffix(path, TABLES)
    if path.stat().st_size == 0:
        raise FormatError(f"{path.name!r} is empty", needs="a table with at least one row")
    with reword_arrow_errors(path), ExitStack() as stack:
        _refuse_other_content(path, suffix)
        with foreign_content(path):
            file = _open_format(path, suffix, stack, mmap)
        yield file


def _open_format(path: Path, suffix: str, stack: ExitStack, mmap: bool | None) -> TableFile:
    if suffix in CSV:
        text = open_text(path, suffix)
        return TableFile(path, suffix, text.header, text.read_batches, text.read)
    if suffix == ".parquet":
        return _open_parquet(path, stack, mmap)
    if suffix in JSON_LINES:
        return TableFile(path, suffix, None, lambda _: (), lambda _: read_json_lines(path))
    if suffix in EXCEL:
        return TableFile(path, suffix, None, lambda _: (), lambda _: _read_sheet(path))
    return _open_arrow(path, suffix, stack)


def _read_sheet(path: Path) -> Columns:
    table, notes = read_excel(path)
    return replace(Columns.of(table), notes=notes)


def _open_parquet(path: Path, stack: ExitStack, mmap: bool | None) -> TableFile:
    import pyarrow.parquet as pq

    file = stack.enter_context(pq.ParquetFile(open_named(path, stack)))
    header = (file.schema_arrow.metadata or {}).get(KEY)

    columns = ParquetColumns(file)
    rows = max(1, BATCH // max(1, len(columns.names)))

    def batches(facts: HeaderFacts) -> Iterable[pa.RecordBatch] | ParquetColumns:
        return columns if reads_by_columns(columns, mmap) else file.iter_batches(batch_size=rows)

    def table(options: TextOptions) -> pa.Table | Columns:
        if reads_by_columns(columns, mmap):
            return columns.as_columns(without=_find_index(file.schema_arrow))
        return file.read()

    return TableFile(path, ".parquet", header, batches, table)


def _open_arrow(path: Path, suffix: str, stack: ExitStack) -> TableFile:
    import pyarrow as pa

    mapped = map_named(path, stack)
    whole = mapped.read(6) == b"ARROW1"  # a file; a stream begins otherwise
    mapped.seek(0)
    reader = pa.ipc.open_file(mapped) if whole else pa.ipc.open_stream(mapped)
    header = (reader.schema.metadata or {}).get(KEY)

    def table(options: TextOptions) -> pa.Table:
        content = reader.read_all()
        content.validate(full=True)
        return content

    return TableFile(path, suffix, header, lambda facts: _read_batches(reader), table)


def _read_batches(
    reader: pa.RecordBatchReader | pa.ipc.RecordBatchFileReader,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a file or stream, checked: a wrong offset of text ends the process."""
    whole = hasattr(reader, "num_record_batches")
    batches = map(reader.get_batch, range(reader.num_record_batches)) if whole else reader
    for batch in batches:
        batch.validate(full=True)
        yield batch


def _drop_index(table: pa.Table) -> pa.Table:
    """Leave out the index that pandas wrote beside its columns."""
    present = set(table.column_names)
    return table.drop_columns([name for name in _find_index(table.schema) if name in present])


def _find_index(schema: pa.Schema) -> list[str]:
    """Return the names that pandas gave to the columns of its index."""
    names = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in names if isinstance(name, str)]


def is_header_of_scores(header: Header | None) -> bool:
    """Tell whether a header is that of scores."""
    return header is not None and _SCORES in str(header[:40])


def holds_scores(path: Path) -> bool:
    """Tell by the header alone whether earnest wrote this file of scores."""
    try:
        return path.is_file() and is_header_of_scores(_peek_header(path))
    except (FormatError, OSError):
        return False


def _peek_header(path: Path) -> Header | None:
    """Return what earnest wrote of a file, None where it did not; the table is not read."""
    suffix = find_suffix(path, READ)
    if suffix in CSV:
        with reword_arrow_errors(path):
            return peek_header(path, suffix)
    if suffix == ".npz":
        return read_npz_header(path) if zipfile.is_zipfile(path) else None
    if suffix not in WRITTEN:
        return None
    with open_table(path) as file:
        return file.header


def find_existing(path: Path, needs: str) -> Path:
    """Return the path of an existing file, and refuse anything else."""
    if path.is_dir():
        raise FormatError(f"{str(path)!r} is a folder", needs=needs)
    if path.is_symlink() and not path.exists():
        raise FormatError(
            f"{str(path)!r} is a link to nothing",
            needs=needs,
            got=f"a link to {str(path.readlink())!r}",
        )
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FormatError(
            f"there is no file {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
        )
    check.refuse_stream(path)
    return path


def find_suffix(path: Path, allowed: Sequence[str]) -> str:
    """Return the suffix that gives the format of a file, and refuse another."""
    name = path.name.casefold()
    suffix = next((suffix for suffix in allowed if name.endswith(suffix)), None)
    if suffix is None:
        raise FormatError(
            f"{path.name!r} has an unsupported file extension",
            needs=", ".join(allowed),
            got=repr(path.suffix) if path.suffix else "no suffix",
            cure=_suggest_export(path) if set(TABLES) <= set(allowed) else "",
        )
    return suffix


def _suggest_export(path: Path) -> str:
    """Say how the file of another program becomes one that is read."""
    suffix = path.suffix.casefold()
    if suffix.startswith(".xls") or suffix in (".ods", ".numbers"):
        return "Save the spreadsheet as .xlsx or CSV."
    if suffix in (".rds", ".rda", ".rdata"):
        return 'Write it in R with write.csv(x, "x.csv", row.names = FALSE).'
    if suffix in (".sas7bdat", ".xpt", ".sav", ".dta", ".pkl", ".pickle"):
        return "Export it as CSV or Parquet."
    if suffix in (".gz", ".zip", ".bz2", ".xz", ".zst"):
        return "Unpack it first."
    return "If it is a text table, rename it to end in .csv."


# What a file holds by its first bytes, and the door through which other libraries read it.


GZIP = b"\x1f\x8b"
# The first bytes, the word for what follows, and the suffixes under which it is read.
_SIGNS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"PAR1", "a Parquet file", (".parquet",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather")),
    (GZIP, "text compressed with gzip", (".csv.gz", ".jsonl.gz")),
    (b"PK\x03\x04", "a ZIP archive", (".npz", *EXCEL)),
    (b"\x93NUMPY", "a NumPy array", (".npy",)),
)
PEEK = 256  # bytes of compressed text that are unpacked to see what it is


def guess_suffix(content: bytes) -> str:
    """Return the suffix of the format that the first bytes of a table tell; else it is CSV.

    Examples
    --------
    >>> from earnest.core.tables.opening import guess_suffix
    >>> guess_suffix(b'{"y": 1, "svm": 0.7}'), guess_suffix(b"y,svm"), guess_suffix(b"PAR1")
    ('.jsonl', '.csv', '.parquet')
    """
    if content.startswith(GZIP):
        return _guess_text_suffix(_unpack_start(content)) + ".gz"
    suffixes = next((suffixes for sign, _, suffixes in _SIGNS if content.startswith(sign)), None)
    return _guess_text_suffix(content) if suffixes is None else suffixes[0]


def _guess_text_suffix(text: bytes) -> str:
    is_object = text.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
    return ".jsonl" if is_object else ".csv"


def _unpack_start(content: bytes) -> bytes:
    """Return the first bytes of what gzip compressed, none where it is damaged."""
    try:
        return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content, PEEK)
    except zlib.error:
        return b""


def _refuse_other_content(path: Path, suffix: str) -> None:
    """Refuse a file whose first bytes are those of another format than its suffix names."""
    with path.open("rb") as file:
        start = file.read(6)
    for sign, word, suffixes in _SIGNS:
        if start.startswith(sign) and suffix not in suffixes:
            raise FormatError(
                f"{path.name!r} is {word} and should not end in {suffix!r}",
                cure=_suggest_cure(path, suffixes[0]),
            )


def _suggest_cure(path: Path, suffix: str) -> str:
    if suffix == ".npz" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        if "[Content_Types].xml" in names:
            return "It is a spreadsheet: let its name end in '.xlsx', or export it as CSV."
        if not all(name.endswith(".npy") for name in names):
            return "Unpack it first."
    return f"Rename it so that its name ends in {suffix!r}."


@contextmanager
def reword_arrow_errors(path: Path) -> Iterator[None]:
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
