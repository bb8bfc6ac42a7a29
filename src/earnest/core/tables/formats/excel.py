"""Excel workbooks: the first sheet that holds anything, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.extras import tell_install
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.formats.expanding import refuse_expanding

if TYPE_CHECKING:
    import pyarrow as pa
    from openpyxl import Workbook

EXCEL = (".xlsx", ".xlsm")
_ERRORS = ("#N/A", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!")
Cell = str | int | float | bool | date | time | None
Row = tuple[Cell, ...]


def read_excel(path: Path) -> tuple[pa.Table, tuple[Caution, ...]]:
    """Return the table of a workbook, with a note if it has other sheets.

    The first row that holds anything is the header. Formulas count as the values that Excel saved
    with them.
    """
    with ZipFile(path) as archive:
        refuse_expanding(archive, path)
    book = _open_workbook(path)
    try:
        sheets = [(sheet.title, list(_read_rows(sheet.values))) for sheet in book.worksheets]
    finally:
        book.close()
    filled = [(title, rows) for title, rows in sheets if rows]
    if not filled:
        raise FormatError(f"{path.name!r} is an empty workbook", needs="a sheet with a table")
    title, rows = filled[0]
    return _make_table(rows, path, title), tuple(_note_other_sheets(path, filled))


def _open_workbook(path: Path) -> Workbook:
    try:
        import openpyxl
    except ImportError as error:
        raise FormatError(
            f"{path.name!r} is an Excel file, and openpyxl, which reads it, is not installed",
            cure=f"{tell_install('openpyxl')} Or save the sheet as CSV.",
        ) from error
    return openpyxl.load_workbook(path, read_only=True, data_only=True)


def _read_rows(values: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows that hold anything."""
    for row in values:
        if any(cell is not None and cell != "" for cell in row):
            yield row


def _make_table(rows: Sequence[Row], path: Path, title: str) -> pa.Table:
    import pyarrow as pa

    width = max(len(row) for row in rows)
    columns = [[row[i] if i < len(row) else None for row in rows] for i in range(width)]
    columns = [column for column in columns if any(cell is not None for cell in column)]
    heads = [column[0] for column in columns]
    unnamed = [i for i, head in enumerate(heads, 1) if head is None or not str(head).strip()]
    # A row index that another program wrote has no name, in front of the others.
    names = ["" if head is None else str(head).strip() for head in heads]
    if unnamed and unnamed != [1]:
        raise FormatError(
            f"sheet {title!r} of {path.name!r} has columns without a name",
            needs="a first row with the name of each column, and nothing beside the table",
            got=f"no name in {check.some([f'column {i}' for i in unnamed])}",
            cure="Delete titles above the table and notes beside it, or save the table as CSV.",
        )
    return pa.table([_make_column(column[1:]) for column in columns], names=names)


def _make_column(cells: Sequence[Cell]) -> pa.Array:
    """Return cells as numbers, truth values, dates or, where they are mixed, as text."""
    import pyarrow as pa

    values = [None if cell == "" or cell in _ERRORS else cell for cell in cells]
    kinds = {type(cell) for cell in values if cell is not None}
    if kinds <= {int, float}:
        numbers = [float(cell) for cell in values if isinstance(cell, int | float)]
        whole = all(number.is_integer() for number in numbers)
        kind = pa.int64() if whole and kinds == {int} else pa.float64()
        return pa.array(values, type=kind if kinds else pa.null())
    if kinds <= {bool}:
        return pa.array(values, type=pa.bool_())
    if kinds <= {datetime, date}:
        return pa.array(values, type=pa.timestamp("us"))
    return pa.array([None if cell is None else _show_cell(cell) for cell in values], pa.string())


def _show_cell(cell: Cell) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # Excel has no whole numbers: a label 12 is written as 12.0
    return str(cell).strip()


def _note_other_sheets(
    path: Path, filled: Sequence[tuple[str, Sequence[Row]]]
) -> Iterator[Caution]:
    if len(filled) > 1:
        yield of_tables.other_sheets(path.name, tuple(title for title, _ in filled))
