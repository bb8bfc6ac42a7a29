"""Large Parquet files, read by columns: a few at a time, into a matrix that is mapped.

A wide file read whole, or row group by row group, needs a page of every column at once, which for
thousands of columns is several times the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from earnest.core.base.arrays import RawArray
from earnest.core.data.responses import ResponseKind
from earnest.core.tables.columns import LARGE, ColumnFile, Columns
from earnest.core.tables.formats.header import HeaderFacts, make_changed_error
from earnest.core.tables.formats.written_wide import (
    assemble_arrays,
    encode_classes_of_column,
    list_column_types,
    read_about,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


BATCH = 1 << 22  # values read in one go


class ParquetColumns:
    """The columns of a Parquet file by name; a block of neighbours is in memory."""

    def __init__(self, file: pq.ParquetFile) -> None:
        self._file = file
        self.names: list[str] = list(file.schema_arrow.names)
        self.rows: int = file.metadata.num_rows
        self._places = {name: index for index, name in enumerate(self.names)}
        self._block: dict[str, pa.ChunkedArray] = {}

    @property
    def nbytes(self) -> int:
        """How many bytes the columns have as numbers in memory."""
        return 8 * self.rows * len(self.names)

    def read(self, name: str) -> pa.ChunkedArray:
        """Return a column, and read its neighbours with it: they are mostly asked for next."""
        if name not in self._block:
            self._block = {}  # before the next one is there
            first = self._places[name]
            block = self.names[first : first + max(1, BATCH // max(1, self.rows))]
            table = self._file.read(columns=block)
            self._block = {neighbour: table.column(neighbour) for neighbour in block}
        return self._block[name]

    def as_columns(self, without: Sequence[str]) -> Columns:
        """Return them as a table that is read when it is asked for, without some of them."""
        gone = set(without)
        return Columns.on_disk([n for n in self.names if n not in gone], self.rows, self.read)


def reads_by_columns(columns: ParquetColumns, mmap: bool | None) -> bool:
    """Tell whether a file is read by columns: as the user says, or by its size."""
    return columns.nbytes >= LARGE if mmap is None else mmap


def read_by_columns(facts: HeaderFacts, columns: ParquetColumns, path: Path) -> dict[str, RawArray]:
    """Return the arrays of Π from a file of earnest's own, the responses mapped."""
    shape = facts["shape"]
    n, configs, repeats = shape[:3]
    types = list_column_types(facts)
    if len(columns.names) != len(types) or columns.rows != n * repeats:
        raise make_changed_error(
            path,
            f"{n * repeats} rows and {len(types)} columns",
            f"{columns.rows} rows and {len(columns.names)} columns",
        )
    fields = zip(columns.names, types, strict=True)
    about: dict[str, RawArray] = {}
    for role, (name, kind) in zip(facts["columns"], fields, strict=False):
        about[role] = read_about(facts, role, _join_chunks(columns.read(name)).cast(kind), path)
    classes = tuple(facts["classes"]) if facts["kind"] == ResponseKind.LABEL else ()
    with ColumnFile(np.dtype(facts["dtype"])) as file:
        start = len(facts["columns"])
        for name, kind in zip(columns.names[start:], types[start:], strict=True):
            column = _join_chunks(columns.read(name)).cast(kind)
            file.append(
                encode_classes_of_column(column, classes)
                if classes
                else column.to_numpy(zero_copy_only=False)
            )
        responses = file.mapped((n, configs, repeats, shape[3] if len(shape) > 3 else 1))
    return assemble_arrays(facts, about, path) | {"responses": responses.reshape(shape)}


def _join_chunks(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
