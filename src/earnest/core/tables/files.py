"""Files of tables, NPZ and NPY: read and written, Π among them, by the suffix."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import check_threshold
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns
from earnest.core.tables.formats.excel import EXCEL, read_excel
from earnest.core.tables.formats.expanding import WHOLE, foreign_content
from earnest.core.tables.formats.header import (
    SCHEMA,
    Facts,
    read_header,
    rebuild,
    write_header,
)
from earnest.core.tables.formats.json_lines import JSON_LINES, read_json_lines
from earnest.core.tables.formats.missing import read_missing
from earnest.core.tables.formats.names import map_named, open_named
from earnest.core.tables.formats.npz import load_npy, load_npz, save_npz
from earnest.core.tables.formats.parquet import BATCH, ParquetColumns, is_large, read_by_columns
from earnest.core.tables.formats.text import TableFile, guess_delimiter, read_csv, write_csv
from earnest.core.tables.formats.written_wide import read_wide
from earnest.core.tables.frames import read_frame
from earnest.core.tables.options import check_table_options, refuse_other_options, refuse_unknown
from earnest.core.tables.raw import names_of, tell_of_data
from earnest.core.tables.writing import list_unique_names, make_wide_batches
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa


def load(
    path: str | Path, *, mmap: bool | None = None, verify: bool = True, **options: object
) -> Predictions:
    """Read Π from a file; its suffix gives the format.

    A file that `save` wrote comes back exactly, and is refused if its content was changed. Any
    other table (`.csv`, `.csv.gz`, `.tsv`, `.txt`, `.jsonl`, `.jsonl.gz`, `.ndjson`, `.parquet`,
    `.arrow`, `.feather`, `.xlsx`) is read as `Predictions.from_frame` reads a frame; an Excel
    file needs the extra `excel`. Any other `.npz` holds arrays named as the arguments of
    `Predictions.from_arrays`: `y` (or `time` and `event`), `scores`, and perhaps `fold`, `groups`,
    `strata`, `ids`, `configs`. A `.npy` holds the scores, and `y` is an option.

    In CSV an empty cell, NA or NaN is missing unless it is quoted; marks such as '?' and '-' are
    missing among numbers, with a note (EN121). The names of cases and configurations stay text, and
    so do digits with leading zeros, such as 00123. What separates the columns is what stands in
    every line equally often, whatever the suffix; unless it is a comma, numbers may have decimal
    commas. Numbers as people write them (`1,234.50`, `45 %`, `$12`) are read with a note (EN121)
    where they can mean one thing; '12,573' alone can mean two, and needs `decimal` or `thousands`.
    Text is UTF-8, UTF-16, or Windows-1252 with a caution. Spaces around names and texts do not
    count.

    Parameters
    ----------
    path : str or Path
        The file.
    mmap : bool, optional
        Whether the scores of an NPZ, NPY or Parquet file are mapped rather than read; large ones
        are, if None. A mapped matrix is read from the disk where it is used, and never copied as
        a whole; that of a Parquet file is first written to a temporary file (in `TMPDIR`).
    verify : bool
        Whether a file of earnest's own is held against its fingerprint.
    **options
        For tables of others: the options of `from_frame`, and for CSV `delimiter` (one
        character), `decimal` (the mark before the decimals, a point or a comma) and `thousands`
        (the mark between them: a comma, a point, a space or an apostrophe). For arrays of
        others: the options of `from_arrays`, where `y="labels"`, or `target="labels"`, names
        another array of the file, and `configs` picks some of those that it names. For
        earnest's own files `threshold` and `configs`, and what only repeats the file.

    Examples
    --------
    >>> import tempfile, os, earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.4], configs=["svm"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pi.save(os.path.join(folder, "pi.parquet"))
    ...     en.Predictions.load(path).fingerprint == pi.fingerprint
    True
    """
    refuse_unknown(options)
    path = find_existing(Path(path))
    suffix = find_suffix(path, READ, _suggest_export(path))
    if mmap and suffix not in (".npz", ".npy", ".parquet"):
        raise InputError(
            f"`mmap` cannot be used with {path.name!r}",
            needs="a file that ends in .npz, .npy or .parquet",
            cure="Save it as .npz, or leave `mmap` out.",
        )
    if suffix == ".npy":
        return load_npy(path, mmap=mmap, options=options)
    if suffix == ".npz":
        pi, own = load_npz(path, mmap=mmap, verify=verify, options=options)
    else:
        pi, own = load_table(path, suffix, mmap=mmap, verify=verify, options=options)
    if own and options.get("configs") is not None:
        pi = pi.select(cast(Sequence[str], options["configs"]))
    cut = cast(float | None, options.get("threshold")) if own else None
    return pi if cut is None else replace(pi, threshold=check_threshold(cut, pi.target, pi.kind))


def save(pi: Predictions, path: str | Path) -> Path:
    """Write Π to a file; its suffix gives the format.

    All of them come back exactly through `load`: responses to the last bit, folds, classes with
    their types, configurations with parameters, and what is known of the cases. Tables are
    written wide, so that other programs read them too, with what a table cannot hold as JSON:
    in the schema of Parquet and Arrow files, in the first line of a CSV (skip it elsewhere).
    NPZ is the format for large matrices, which `load` maps in place. Parameters that are neither
    numbers, text, None nor lists, tuples and dicts of these are kept as text.

    The file is written beside its place and then moved there, so that a full disk or a killed
    process never leaves half a file under the name.

    Returns
    -------
    Path
        Where it was written.
    """
    suffix = find_suffix(Path(path), SAVED)
    if pi.others and suffix != ".npz":
        raise FormatError(
            f"a {suffix} file cannot hold predictions with several kinds of response",
            needs="an .npz file",
            got=repr(pi),
            cure="To leave the others out, save dataclasses.replace(predictions, others=()).",
        )
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise FormatError(f"{str(path)!r} is not a file and cannot be replaced by one")
    with replacing(path) as temporary:
        if suffix == ".npz":
            save_npz(pi, write_header(pi), temporary)
        else:
            batches = make_wide_batches(pi, list_unique_names(pi))
            write_own_table(temporary, suffix, SCHEMA, write_header(pi), batches)
    return Path(os.path.realpath(path))


def find_existing(path: Path, content: str = "predictions") -> Path:
    """Return the path of an existing file, and refuse anything else."""
    if path.is_dir():
        raise FormatError(f"{str(path)!r} is a folder", needs=f"a file of {content}")
    if path.is_symlink() and not path.exists():
        raise FormatError(
            f"{str(path)!r} is a link to nothing",
            needs=f"a file of {content}",
            got=f"a link to {str(path.readlink())!r}",
        )
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FormatError(
            f"there is no file {str(path)!r}",
            needs=f"a file of {content}",
            cure=check.nearest(path.name, near),
        )
    check.refuse_stream(path)
    return path


def _suggest_export(path: Path) -> str:
    """Say how the file of another program becomes one that is read."""
    suffix = path.suffix.casefold()
    if suffix.startswith(".xls") or suffix in (".ods", ".numbers"):
        return "Save the spreadsheet as .xlsx or CSV."
    if suffix in (".rds", ".rda", ".rdata"):
        return 'Write it in R with write.csv(x, "x.csv", row.names = FALSE).'
    if suffix in (".sas7bdat", ".xpt", ".sav", ".dta", ".pkl", ".pickle"):
        return "Export it as CSV or Parquet."
    return ""


def find_suffix(path: Path, allowed: Sequence[str], cure: str = "") -> str:
    """Return the suffix that gives the format of a file, and refuse another."""
    name = path.name.casefold()
    found = next((suffix for suffix in allowed if name.endswith(suffix)), None)
    if found is None:
        raise FormatError(
            f"{path.name!r} has an unsupported file extension",
            needs=", ".join(allowed),
            got=repr(path.suffix) if path.suffix else "no suffix",
            cure=cure,
        )
    return found


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
    >>> from earnest.core.tables.files import guess_suffix
    >>> guess_suffix(b'{"y": 1, "svm": 0.7}'), guess_suffix(b"y,svm"), guess_suffix(b"PAR1")
    ('.jsonl', '.csv', '.parquet')
    """
    if content.startswith(GZIP):
        return _guess_text_suffix(_unpack_start(content)) + ".gz"
    found = next((suffixes for sign, _, suffixes in _SIGNS if content.startswith(sign)), None)
    return _guess_text_suffix(content) if found is None else found[0]


def _guess_text_suffix(text: bytes) -> str:
    is_object = text.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
    return ".jsonl" if is_object else ".csv"


def _unpack_start(content: bytes) -> bytes:
    """Return the first bytes of what gzip compressed, none where it is damaged."""
    try:
        return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content, PEEK)
    except zlib.error:
        return b""


def refuse_other_content(path: Path, suffix: str) -> None:
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


KEY = b"earnest"  # of the header in the metadata of a schema
CSV = (".csv", ".csv.gz", ".tsv", ".txt")
WRITTEN = (*CSV, ".parquet", ".arrow", ".feather")
TABLES = (*WRITTEN, *JSON_LINES, *EXCEL)  # what every door reads that takes a table
READ = (*TABLES, ".npz", ".npy")  # predictions and scores may be arrays, too
SAVED = (*(suffix for suffix in WRITTEN if suffix != ".txt"), ".npz")  # of Π


def find_table_suffix(path: Path, cure: str = "") -> str:
    """Return the suffix by which a table is read, and refuse another."""
    return find_suffix(path, TABLES, cure)


@contextmanager
def open_foreign_table(
    path: Path,
    suffix: str,
    missing: tuple[str, ...] | None,
    text: Sequence[str],
    **marks: str | None,
) -> Iterator[TableFile]:
    """Open a table that is not of predictions; the marks of a CSV may be given, or None.

    Parameters
    ----------
    path, suffix
        The file, and how its name ends.
    missing : tuple of str, optional
        What a CSV has for missing values besides the usual marks; if None, none is looked for.
    text : sequence of str
        The columns of a CSV that are text whatever they hold.
    **marks
        Perhaps `delimiter`, `decimal` and `thousands`.
    """
    options: dict[str, object] = {n: value for n, value in marks.items() if value is not None}
    if options and suffix not in CSV:
        raise FormatError(
            f"{arg(next(iter(options)))} is for CSV files",
            got=repr(path.name),
            cure="Leave it out.",
        )
    options |= {"text": text} if missing is None else {"text": text, "missing": missing}
    with readable(path), ExitStack() as stack:
        refuse_other_content(path, suffix)
        yield open_table_file(path, suffix, options, stack)


def load_table(
    path: Path, suffix: str, *, mmap: bool | None, verify: bool, options: Mapping[str, object]
) -> tuple[Predictions, bool]:
    """Return Π of a table, and whether earnest wrote the file.

    A large Parquet file is read by columns, and its responses are mapped.
    """
    with readable(path), ExitStack() as stack:
        refuse_other_content(path, suffix)
        marks = {"missing": read_missing(options.get("missing", ()))}
        file = open_table_file(path, suffix, {**options, **marks}, stack, mmap=mmap)
        if file.header is not None:
            facts = read_header(file.header, path)
            refuse_other_options(options, facts, path, guess_delimiter(suffix))
            found = file.batches(facts)
            if isinstance(found, ParquetColumns):
                arrays = read_by_columns(facts, found, path)
            else:
                arrays = read_wide(facts, found, path)
        else:
            kept = check_table_options(options, path, text=suffix in CSV)
            table, remarks = file.table()
            try:
                return _add_remarks(read_frame(table, **kept), remarks), False
            except InputError as error:
                said = kept.get("target") or next(
                    (name for name in ("y", "y_true") if name in names_of(table)), None
                )
                told = tell_of_data(error, table, path, said)
                raise _tell_of_scores(told, table, said) from error.__cause__
    return rebuild(facts, arrays, path, verify=verify), True


def _tell_of_scores(error: InputError, table: pa.Table | Columns, target: object) -> InputError:
    """Return an error about a table, with the way to `Scores` where it may hold some."""
    from earnest.core.tables.scores import looks_like_scores

    columns = Columns.of(table)
    if target is not None or not looks_like_scores(columns):
        return error
    cure = (
        "If these are scores of items, one column per configuration, use --scores on the command "
        "line, or Scores.load in Python."
    )
    return type(error)(
        error.what, needs=error.needs, got=error.got, cure=f"{error.cure} {cure}".lstrip()
    )


def _add_remarks(pi: Predictions, remarks: tuple[Caution, ...]) -> Predictions:
    return replace(pi, remarks=(*pi.remarks, *remarks)) if remarks else pi


def write_own_table(
    path: Path, suffix: str, schema: str, header: str, batches: Iterator[pa.RecordBatch]
) -> None:
    """Write a table with its header, in the format of the suffix."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if suffix in CSV:
        write_csv(path, suffix, schema, header, batches)
        return
    first = next(batches)
    kept = first.schema.with_metadata({KEY: header.encode()})
    with ExitStack() as stack:
        sink = stack.enter_context(path.open("wb"))
        if suffix == ".parquet":
            # A dictionary of floats that hardly repeat only makes the file larger.
            text = [field.name for field in kept if pa.types.is_string(field.type)]
            writer = stack.enter_context(pq.ParquetWriter(sink, kept, use_dictionary=text))
        else:
            writer = stack.enter_context(pa.ipc.new_file(sink, kept))
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def open_table_file(
    path: Path,
    suffix: str,
    options: Mapping[str, object],
    stack: ExitStack,
    *,
    mmap: bool | None = False,
) -> TableFile:
    """Open a file of a table; all that libraries read of it goes through one door."""
    with foreign_content(path):
        if suffix in CSV:
            opened = read_csv(path, suffix, options)
        elif suffix in JSON_LINES:
            opened = _open_json_lines(path)
        elif suffix == ".parquet":
            opened = _open_parquet(path, stack, mmap)
        elif suffix in EXCEL:
            opened = TableFile(None, lambda facts: (), lambda: read_excel(path))
        else:
            opened = _open_arrow(path, stack)

    def batches(facts: Facts) -> Iterable[pa.RecordBatch] | ParquetColumns:
        with foreign_content(path):
            return opened.batches(facts)

    def table() -> tuple[pa.Table | Columns, tuple[Caution, ...]]:
        with foreign_content(path):
            found, cautions = opened.table()
            return found if isinstance(found, Columns) else _drop_index(found), cautions

    return TableFile(opened.header, batches, table)


def _open_parquet(path: Path, stack: ExitStack, mmap: bool | None) -> TableFile:
    import pyarrow.parquet as pq

    file = stack.enter_context(pq.ParquetFile(open_named(path, stack)))
    header = (file.schema_arrow.metadata or {}).get(KEY)

    columns = ParquetColumns(file)
    rows = max(1, BATCH // max(1, len(columns.names)))

    def batches(facts: Facts) -> Iterable[pa.RecordBatch] | ParquetColumns:
        return columns if is_large(columns, mmap) else file.iter_batches(batch_size=rows)

    def table() -> tuple[pa.Table | Columns, tuple[Caution, ...]]:
        if is_large(columns, mmap):
            return columns.as_columns(without=_find_index(file.schema_arrow)), ()
        return file.read(), ()

    return TableFile(header, batches, table)


def _open_json_lines(path: Path) -> TableFile:
    table = read_json_lines(path)
    return TableFile(None, lambda facts: table.to_batches(), lambda: (table, ()))


def _open_arrow(path: Path, stack: ExitStack) -> TableFile:
    import pyarrow as pa

    mapped = map_named(path, stack)
    whole = mapped.read(6) == b"ARROW1"  # a file; a stream begins otherwise
    mapped.seek(0)
    reader = pa.ipc.open_file(mapped) if whole else pa.ipc.open_stream(mapped)
    header = (reader.schema.metadata or {}).get(KEY)

    def table() -> tuple[pa.Table, tuple[Caution, ...]]:
        made = reader.read_all()
        made.validate(full=True)
        return made, ()

    return TableFile(header, lambda facts: _read_batches(reader), table)


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
