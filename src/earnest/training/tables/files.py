"""A table to learn from or to predict for: a file or a frame, opened as named columns."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from earnest.core import check
from earnest.core.errors import FormatError
from earnest.core.formats.content import refuse_other_content
from earnest.core.formats.table import _open, _without_index, readable
from earnest.core.frames.columns import Columns

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".parquet", ".arrow", ".feather")
TEXT = (".csv", ".csv.gz", ".tsv")


def open_table(
    source: Any, *, delimiter: str | None = None, decimal: str | None = None
) -> tuple[Columns, str]:
    """Return the columns of a file or of a pandas, polars or Arrow frame, and its name.

    Parameters
    ----------
    source : str, Path or frame
        A CSV, Parquet or Arrow file by its suffix, or a frame.
    delimiter, decimal : str, optional
        What separates the columns of a CSV file, and its decimal sign; by default they are read
        from the file where it tells.
    """
    if not isinstance(source, str | Path):
        return Columns.of(source), "the table"
    path = Path(source).expanduser()
    suffix = _suffix(path)
    said = {"delimiter": delimiter, "decimal": decimal}
    options = {name: value for name, value in said.items() if value is not None}
    if options and suffix not in TEXT:
        raise FormatError(
            f"`{next(iter(options))}` is for CSV files", got=repr(path.name), cure="Leave it out."
        )
    with readable(path), ExitStack() as stack:
        refuse_other_content(path, suffix)
        _, read = _open(path, suffix, options, stack)
        table = _without_index(read(None))
    return Columns.of(table), path.name


def _suffix(path: Path) -> str:
    """Return the suffix that tells the format; refuse what is absent, empty or of another kind."""
    needs = f"a table: {', '.join(SUFFIXES)}"
    if path.is_dir():
        raise FormatError(f"{str(path)!r} is a folder", needs=needs)
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FormatError(
            f"there is no file {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
        )
    found = next((s for s in SUFFIXES if path.name.casefold().endswith(s)), None)
    if found is None:
        raise FormatError(
            f"{path.name!r} has a suffix that is not read",
            needs=", ".join(SUFFIXES),
            got=repr(path.suffix) if path.suffix else "no suffix",
            cure="Export a spreadsheet as CSV." if path.suffix.startswith(".xls") else "",
        )
    if path.stat().st_size == 0:
        raise FormatError(f"{path.name!r} is empty", needs="a table with a row at least")
    return found
