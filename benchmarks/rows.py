"""Rows of results as dataclasses: one file of comma-separated values, one column per field."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")
READ: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": lambda text: float(text) if text else math.nan,
    "str": str,
}


def read_rows(kind: type[Row], path: Path) -> list[Row]:
    """Return the rows of a file as dataclasses of a kind whose fields are text or numbers."""
    types = {each.name: READ[str(each.type)] for each in fields(kind)}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            kind(**{name: read(row[name]) for name, read in types.items()})
            for row in csv.DictReader(file)
        ]


def write_rows(rows: Iterable[DataclassInstance], path: Path) -> None:
    """Write dataclasses of one kind, numbers with five decimals."""
    made = [asdict(row) for row in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {name: round(v, 5) if isinstance(v, float) else v for name, v in row.items()}
            for row in made
        )
