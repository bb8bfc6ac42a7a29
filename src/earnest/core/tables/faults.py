"""What is wrong with columns, so that one error names all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, InputError
from earnest.core.text.doors import arg

LISTED = 12  # columns that an error names; a table may have thousands


@dataclass(frozen=True)
class ColumnFault:
    """What is wrong with a column, and the cell that shows it.

    Parameters
    ----------
    name : str
        The column.
    what : str
        What is wrong, as a clause without its subject.
    needs, cure : str
        What was expected, and how to correct it.
    value : str
        What was found, as it is shown.
    row : int, optional
        The row of this value, counted from 0; None for what all rows share.
    detail : str
        What else is known of the cell.
    """

    name: str
    what: str
    needs: str = ""
    cure: str = ""
    value: str = ""
    row: int | None = None
    detail: str = ""

    def describe_cell(self, name_row: Callable[[int], str]) -> str:
        """Return the value, where it stands, and what else is known of it."""
        where = "" if self.row is None else f" in {name_row(self.row)}"
        return f"{self.value}{where}{self.detail}"


def name_plain_row(row: int) -> str:
    """Return what a row of a table without lines is called."""
    return f"row {row + 1}"


def make_faults_error(
    faults: Sequence[ColumnFault],
    name_row: Callable[[int], str] = name_plain_row,
    kind: type[EarnestError] = InputError,
) -> EarnestError:
    """Return one error about all columns that cannot be used.

    Examples
    --------
    >>> from earnest.core.tables.faults import ColumnFault, make_faults_error
    >>> faults = [ColumnFault(name, "has text", value="'x'", row=4) for name in ("age", "bmi")]
    >>> print(make_faults_error(faults))
    2 columns cannot be read: 'age' has text, 'x' in row 5; 'bmi' has text, 'x' in row 5.
    """
    first = faults[0]
    if len(faults) == 1:
        return kind(
            f"column {first.name!r} {first.what}",
            needs=first.needs,
            got=first.describe_cell(name_row),
            cure=first.cure,
        )
    cells = [f"{fault.name!r} {fault.what}, {fault.describe_cell(name_row)}" for fault in faults]
    more = f"; and {len(cells) - LISTED} more" if len(cells) > LISTED else ""
    cures = dict.fromkeys(fault.cure for fault in faults[:LISTED] if fault.cure)
    return kind(
        f"{len(faults)} columns cannot be read",
        got="; ".join(cells[:LISTED]) + more,
        cure=" ".join(cures),
    )


def list_missing_marks(words: Sequence[str]) -> str:
    """Return the options that read words as missing values.

    Examples
    --------
    >>> from earnest.core.tables.faults import list_missing_marks
    >>> from earnest.core.text.doors import render
    >>> render(list_missing_marks(["k.A.", "abc"]))
    "missing='k.A.' and missing='abc'"
    """
    return " and ".join(arg("missing", word) for word in words)


def show_cell(value: object) -> str:
    """Return the text of a cell, short enough for a message."""
    return check.show(value, 30)
