"""Files of predictions: tables, NPZ and NPY, read and written by the suffix."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import check_threshold
from earnest.core.tables.formats.header import SCHEMA, read_header, rebuild, write_header
from earnest.core.tables.formats.npz import load_npy, load_npz, save_npz
from earnest.core.tables.formats.parquet import ParquetColumns, read_by_columns
from earnest.core.tables.formats.text import guess_delimiter, write_csv
from earnest.core.tables.formats.written_wide import read_wide
from earnest.core.tables.frames import read_frame
from earnest.core.tables.opening import (
    CSV,
    KEY,
    READ,
    WRITTEN,
    find_existing,
    find_suffix,
    open_table,
)
from earnest.core.tables.options import (
    check_table_options,
    make_text_options,
    refuse_other_options,
    refuse_unknown,
)
from earnest.core.tables.writing import list_unique_names, make_wide_batches
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa

NEEDS = "a file of predictions"


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
    path = find_existing(check.read_path(path), NEEDS)
    suffix = find_suffix(path, READ)
    if mmap and suffix not in (".npz", ".npy", ".parquet"):
        raise InputError(
            f"{arg('mmap')} cannot be used with {path.name!r}",
            needs="a file that ends in .npz, .npy or .parquet",
            cure=f"Save it as .npz, or leave {arg('mmap')} out.",
        )
    if suffix == ".npy":
        return load_npy(path, mmap=mmap, options=options)
    if suffix == ".npz":
        pi, is_own = load_npz(path, mmap=mmap, verify=verify, options=options)
    else:
        pi, is_own = _load_table(path, mmap=mmap, verify=verify, options=options)
    if is_own and options.get("configs") is not None:
        pi = pi.select(cast(Sequence[str], options["configs"]))
    cut = cast(float | None, options.get("threshold")) if is_own else None
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
    suffix = find_suffix(check.read_path(path), SAVED)
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


SAVED = (*(suffix for suffix in WRITTEN if suffix != ".txt"), ".npz")  # of Π


def _load_table(
    path: Path, *, mmap: bool | None, verify: bool, options: Mapping[str, object]
) -> tuple[Predictions, bool]:
    """Return Π of a table, and whether earnest wrote the file.

    A large Parquet file is read by columns, and its responses are mapped.
    """
    with open_table(path, NEEDS, mmap=mmap) as file:
        if file.header is None:
            frame_options = check_table_options(options, path)
            return read_frame(file.read(make_text_options(options)), **frame_options), False
        facts = read_header(file.header, path)
        refuse_other_options(options, facts, path, guess_delimiter(file.suffix))
        batches = file.read_batches(facts)
        if isinstance(batches, ParquetColumns):
            arrays = read_by_columns(facts, batches, path)
        else:
            arrays = read_wide(facts, batches, path)
    return rebuild(facts, arrays, path, verify=verify), True


def write_own_table(
    path: Path, suffix: str, schema_id: str, header: str, batches: Iterator[pa.RecordBatch]
) -> None:
    """Write a table with its header, in the format of the suffix."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if suffix in CSV:
        write_csv(path, suffix, schema_id, header, batches)
        return
    first = next(batches)
    schema = first.schema.with_metadata({KEY: header.encode()})
    with ExitStack() as stack:
        sink = stack.enter_context(path.open("wb"))
        if suffix == ".parquet":
            # A dictionary of floats that hardly repeat only makes the file larger.
            text = [field.name for field in schema if pa.types.is_string(field.type)]
            writer = stack.enter_context(pq.ParquetWriter(sink, schema, use_dictionary=text))
        else:
            writer = stack.enter_context(pa.ipc.new_file(sink, schema))
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
