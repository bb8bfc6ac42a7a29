"""What a tool did not keep, from the table that it was given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earnest.core.cautions import Caution
from earnest.core.errors import InputError
from earnest.core.frames.columns import Columns
from earnest.training.tables.files import open_noting
from earnest.training.tables.outcome import column_of


@dataclass(frozen=True, kw_only=True)
class Named:
    """The columns that a user names, each None where it was not."""

    target: str | None = None
    group: str | None = None
    fold: str | None = None
    time: str | None = None
    event: str | None = None


@dataclass(frozen=True, eq=False)
class Found:
    """The arrays of these columns, and what had to be guessed to read them.

    The outcome of survival is the pair of events and times.
    """

    outcome: Any = None
    groups: Any = None
    fold: Any = None
    cautions: tuple[Caution, ...] = ()


def read_columns(
    data: Path | None,
    named: Named,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Found:
    """Read the named columns of a table; nothing where no table is given.

    Parameters
    ----------
    data : Path, optional
        The table, its rows in the order that the tool was given.
    named : Named
        The columns.
    delimiter, decimal, thousands : str, optional
        Of a CSV file.
    """
    _refuse_halves(data, named)
    if data is None:
        return Found()
    opened = open_noting(data, delimiter=delimiter, decimal=decimal, thousands=thousands)
    columns = opened.columns
    return Found(
        _outcome(columns, named),
        _array(columns, named.group, "group"),
        _array(columns, named.fold, "fold"),
        opened.cautions,
    )


def _refuse_halves(data: Path | None, named: Named) -> None:
    given = [name for name in vars(named) if getattr(named, name) is not None]
    if data is None and given:
        raise InputError(
            f"--{given[0]} names a column, and no table is given",
            needs="--data TABLE, the table that the tool was given",
            got=f"--{given[0]} {getattr(named, given[0])}",
        )
    if data is not None and not given:
        raise InputError(
            "--data is a table of which no column is named",
            needs="--target COLUMN, and perhaps --group or --fold",
            got=str(data),
        )
    if (named.time is None) != (named.event is None) or (named.time and named.target):
        raise InputError(
            "survival has a time and an event, and no other outcome",
            needs="--time COLUMN --event COLUMN, or --target COLUMN",
            got=", ".join(f"--{name}" for name in given),
        )


def _outcome(columns: Columns, named: Named) -> Any:
    if named.time is not None and named.event is not None:
        event = _array(columns, named.event, "event")
        return event.astype(bool), _array(columns, named.time, "time")
    return _array(columns, named.target, "target")


def _array(columns: Columns, name: str | None, role: str) -> Any:
    if name is None:
        return None
    column_of(columns, name, role)  # refuses a name that is not there
    return columns.array(name)
