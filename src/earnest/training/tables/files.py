"""A table to learn from or to predict for: a file or a frame, opened as named columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns
from earnest.core.tables.formats.table_files import (
    TABLES,
    find_table_suffix,
    open_foreign_table,
)


@dataclass(frozen=True, eq=False)
class SourceTable:
    """A table with its name, and what had to be guessed to read it."""

    columns: Columns
    name: str
    cautions: tuple[Caution, ...] = ()


def open_table(
    source: object,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> tuple[Columns, str]:
    """Return the columns of a file or of a pandas, polars or Arrow frame, and its name.

    Parameters
    ----------
    source : str, Path or frame
        A CSV, JSON lines, Parquet, Arrow or Excel file by its suffix, or a frame.
    delimiter, decimal, thousands : str, optional
        What separates the columns of a CSV file, its decimal mark, and the mark between its
        thousands; by default they are read from the file where it tells.
    """
    found = open_noting(source, delimiter=delimiter, decimal=decimal, thousands=thousands)
    return found.columns, found.name


def open_noting(
    source: object,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> SourceTable:
    """Open a table as `open_table` does, with cautions about what was guessed."""
    if not isinstance(source, str | Path):
        _refuse_no_table(source)
        return SourceTable(Columns.of(source), "the table")
    path = Path(source).expanduser()
    suffix = _read_suffix(path)
    with open_foreign_table(
        path, suffix, delimiter=delimiter, decimal=decimal, thousands=thousands
    ) as file:
        table, cautions = file.table()
    return SourceTable(Columns.of(table), path.name, cautions)


def _refuse_no_table(source: object) -> None:
    """Refuse what has no columns with names, and tell what would have."""
    import narwhals as nw

    if bool(nw.dependencies.is_into_dataframe(source)):
        return
    kind = f"{type(source).__module__}.{type(source).__qualname__}".removeprefix("builtins.")
    shape = getattr(source, "shape", None)
    cure = "Make one with pandas.DataFrame(X).assign(y=y), and pass target='y'."
    if hasattr(source, "collect"):
        cure = "Collect it first."
    elif hasattr(source, "read"):
        cure = "Pass the path of the file."
    raise InputError(
        "the data are not a table with named columns",
        needs="the path of a CSV, Parquet or Arrow file, or a pandas, polars or pyarrow table",
        got=kind if shape is None else f"{kind} of shape {shape}",
        cure=cure,
    )


def _read_suffix(path: Path) -> str:
    """Return the suffix that tells the format; refuse what is absent, empty or of another kind."""
    needs = f"a table: {', '.join(TABLES)}"
    if path.is_dir():
        raise FormatError(f"{str(path)!r} is a folder", needs=needs)
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FormatError(
            f"there is no file {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
        )
    check.refuse_stream(path)
    found = find_table_suffix(path, cure=_suggest_suffix(path))
    if path.stat().st_size == 0:
        raise FormatError(f"{path.name!r} is empty", needs="a table with at least one row")
    return found


def _suggest_suffix(path: Path) -> str:
    if path.suffix.casefold().startswith((".xls", ".ods", ".numbers")):
        return "Save the sheet as .xlsx or CSV."
    if path.suffix.casefold() in (".gz", ".zip", ".bz2", ".xz", ".zst"):
        return "Unpack it first."
    return "If it is a text table, rename it to end in .csv."
