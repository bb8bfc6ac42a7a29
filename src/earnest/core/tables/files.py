"""Files: Π read from and written to tables, NPZ and NPY, by the suffix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import check_threshold
from earnest.core.tables.formats.header import write_header
from earnest.core.tables.formats.npz import load_npy, load_npz, save_npz
from earnest.core.tables.formats.table_files import READ, WRITTEN, load_table, save_table
from earnest.core.tables.options import refuse_unknown



def load(
    path: str | Path, *, mmap: bool | None = None, verify: bool = True, **options: object
) -> Predictions:
    """Read Π from a file; its suffix tells the format.

    A file that `save` wrote comes back exactly, and is refused if its content was changed. Any
    other table (`.csv`, `.csv.gz`, `.tsv`, `.txt`, `.jsonl`, `.jsonl.gz`, `.ndjson`, `.parquet`,
    `.arrow`, `.feather`, `.xlsx`) is read as `Predictions.from_frame` reads a frame; an Excel
    file needs the extra `excel`. Any other `.npz` holds arrays named as the arguments of
    `Predictions.from_arrays`: `y` (or `time` and `event`), `scores`, and perhaps `fold`, `groups`,
    `strata`, `ids`, `configs`. A `.npy` holds the scores, and `y` is an option.

    In CSV an empty cell, NA or NaN is missing unless it is quoted, and the names of cases and
    configurations stay text. What separates the columns is what stands in every line equally
    often, whatever the suffix; unless it is a comma, numbers may have decimal commas. Numbers as
    people write them (`1,234.50`, `45 %`, `$12`) are read with a note (EN121) where they can mean
    one thing; '12,573' alone can mean two, and needs `decimal` or `thousands`. Text is
    UTF-8, UTF-16, or Windows-1252 with a caution. Spaces around names and texts do not count.

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
    suffix = _find_suffix(path, READ, "read")
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
    """Write Π to a file; its suffix tells the format.

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
    suffix = _find_suffix(Path(path), SAVED, "written")
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise FormatError(f"{str(path)!r} is not a file and cannot be replaced by one")
    with replacing(path) as temporary:
        if suffix == ".npz":
            save_npz(pi, write_header(pi), temporary)
        else:
            save_table(pi, write_header(pi), temporary, suffix)
    return Path(os.path.realpath(path))


def find_existing(path: Path, content: str = "predictions") -> Path:
    """Return the path of a file that is there, and refuse what is none."""
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


def _suggest_export(suffix: str) -> str:
    """Say how the file of another program becomes one that is read."""
    if suffix.startswith(".xls") or suffix in (".ods", ".numbers"):
        return "Save the spreadsheet as .xlsx or CSV."
    if suffix in (".rds", ".rda", ".rdata"):
        return 'Write it in R with write.csv(x, "x.csv", row.names = FALSE).'
    if suffix in (".sas7bdat", ".xpt", ".sav", ".dta", ".pkl", ".pickle"):
        return "Export it as CSV or Parquet."
    return ""


def _find_suffix(path: Path, allowed: tuple[str, ...], verb: str) -> str:
    name = path.name.casefold()
    found = next((suffix for suffix in allowed if name.endswith(suffix)), None)
    if found is None:
        raise FormatError(
            f"{path.name!r} has a file extension that cannot be {verb}",
            needs=", ".join(allowed),
            got=repr(path.suffix) if path.suffix else "no suffix",
            cure=_suggest_export(path.suffix.casefold()) if verb == "read" else "",
        )
    return found
