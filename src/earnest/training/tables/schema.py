"""The columns that models see, as plain data, and how a table becomes a matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import MANY_WORDS, Columns
from earnest.core.tables.faults import (
    ColumnFault,
    list_missing_marks,
    make_faults_error,
    name_plain_row,
    show_cell,
)
from earnest.core.tables.formats.missing import MARKS, NO_LEVELS, clear_column, find_marks
from earnest.core.tables.formats.numbers import PLAIN_NUMBER, are_numbers, read_plain
from earnest.training.tables.kinds import ColumnKind, is_number, is_text
from earnest.training.tables.moments import compute_part, find_form, is_moment, read_moments
from earnest.training.tables.words import mark_words

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Feature:
    """One column of the matrix.

    Attributes
    ----------
    name : str
        As in the table, with what it is a part of: `seen: month`.
    kind : ColumnKind
        One that models see.
    levels : tuple of str
        Of a category: code 0 is the first. Empty for a number.
    logical : bool
        Whether the levels are false and true.
    source : str
        The column of the table that it is a part of; '' for a whole column.
    part : str
        Which part: a number of a date, or the place of a word in a text.
    form : str
        How the dates of the column are written, where they are text.
    """

    name: str
    kind: ColumnKind
    levels: tuple[str, ...] = ()
    logical: bool = False
    source: str = ""
    part: str = ""
    form: str = ""

    @property
    def column(self) -> str:
        """The column of the table."""
        return self.source or self.name

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        data: dict[str, object] = {
            "name": self.name,
            "kind": str(self.kind),
            "levels": list(self.levels),
            "logical": self.logical,
        }
        parts = {"source": self.source, "part": self.part, "form": self.form}
        return data | {key: value for key, value in parts.items() if value}


@dataclass(frozen=True)
class EncodedTable:
    """A table as a matrix, and cautions about its values.

    Attributes
    ----------
    X : ndarray of float64, shape (n, p)
        Numbers as they are, categories as codes, NaN where a value is missing or unknown.
    cautions : tuple of Caution
        Values that the schema does not know.
    """

    X: NDArray[np.float64]
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True)
class Schema:
    """Which columns of a table are features, left out, or the outcome.

    Parameters
    ----------
    features : tuple of Feature
        The columns of the matrix, in its order.
    left_out : mapping of str to str
        The other columns of the table that it was made from, and the kind that each was.
    roles : mapping of str to str
        The names of the columns of the outcome: `target`, `time`, `event`, `group`.
    missing : tuple of str
        What the user called missing, besides the usual marks.
    """

    features: tuple[Feature, ...]
    left_out: Mapping[str, str]
    roles: Mapping[str, str]
    missing: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(feature.name for feature in self.features)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that the features are made of."""
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that are text, whatever a few rows of another table hold."""
        kinds = (ColumnKind.CATEGORY, ColumnKind.LEVELS, ColumnKind.TEXT)
        columns = (
            feature.column
            for feature in self.features
            if (feature.kind in kinds and not feature.logical) or feature.form
        )
        return tuple(dict.fromkeys(columns))

    def count_kinds(self) -> dict[ColumnKind, int]:
        """Return how many columns of the table are of each kind, of those that models see."""
        kinds = {feature.column: feature.kind for feature in self.features}
        return dict(Counter(kinds.values()))

    def find_features(self, name: str) -> tuple[int, ...]:
        """Return the places of a feature, or of all that a column of the table became."""
        places = enumerate(self.features)
        return tuple(i for i, feature in places if name in (feature.name, feature.column))

    def encode(self, table: object, rows: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """Return the matrix (n, p) of a table: numbers, codes of levels, NaN where missing.

        Columns may stand in any order and others may be among them. A missing column, and text
        where numbers were, are refused with their names; a level that is not known is missing, and
        so are the marks of missing values that were so in training.

        Parameters
        ----------
        table : Columns or frame
            The table.
        rows : ndarray, optional
            Only these rows.
        """
        return self.read(table, rows).X

    def read(self, table: object, rows: NDArray[np.intp] | None = None) -> EncodedTable:
        """Return the matrix as `encode` does, with cautions about what is not known."""
        columns = table if isinstance(table, Columns) else Columns.of(table)
        self._refuse_missing(columns)
        count = columns.rows if rows is None else len(rows)
        X = np.empty((count, len(self.features)), order="F")
        cautions: list[Caution] = []
        faults: list[ColumnFault] = []
        parts: dict[str, NDArray[np.float64] | ColumnFault] = {}
        for index, feature in enumerate(self.features):
            if feature.column in columns.doubts:
                faults.append(columns.doubts[feature.column])
                continue
            if feature.source and feature.source in parts:
                values = parts[feature.source]
                if not isinstance(values, ColumnFault):
                    X[:, index] = _take_part(feature, values)
                continue
            column = columns.arrow(feature.column)
            column = column if rows is None else column.take(make_indices(rows))
            if feature.source:
                values = _read_parts(feature, column, self._count_parts(feature), self.missing)
                parts[feature.source] = values
                if isinstance(values, ColumnFault):
                    faults.append(values)
                else:
                    X[:, index] = _take_part(feature, values)
            elif feature.kind is ColumnKind.NUMBER:
                numbers = _read_feature(feature.name, column, self.missing)
                if isinstance(numbers, ColumnFault):
                    faults.append(numbers)
                else:
                    X[:, index] = numbers
            else:
                X[:, index], strange = _encode(feature, column, self.missing)
                cautions += _warn_of_unknown_levels(feature, strange, count)
        if faults:
            row_names = name_plain_row if rows is not None else columns.name_row
            raise make_faults_error(faults, row_names)
        return EncodedTable(X, tuple(cautions))

    def _count_parts(self, feature: Feature) -> int:
        return sum(other.source == feature.source for other in self.features)

    def list_unexpected(self, table: Columns) -> tuple[str, ...]:
        """Return the columns of a table that the schema does not have."""
        expected = {*self.columns, *self.left_out, *self.roles.values()}
        return tuple(name for name in table.names if name not in expected)

    def _refuse_missing(self, columns: Columns) -> None:
        present = set(columns.names)
        lost = [name for name in self.columns if name not in present]
        if not lost:
            return
        strange = self.list_unexpected(columns)
        raise InputError(
            f"column {check.some(map(repr, lost))} is missing"
            if len(lost) == 1
            else f"columns {check.some(map(repr, lost))} are missing",
            needs=f"the {len(self.columns)} columns that the model was trained on",
            got=f"columns {check.some(map(repr, columns.names), limit=8)}",
            cure=next(filter(None, (check.nearest(name, strange) for name in lost)), "")
            or "If its values are unknown, add it as an empty column.",
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "features": [feature.to_dict() for feature in self.features],
            "left_out": dict(self.left_out),
            "roles": dict(self.roles),
            "missing": list(self.missing),
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> Schema:
        """Make a schema from plain data."""
        try:
            features = tuple(
                Feature(
                    str(feature["name"]),
                    ColumnKind(feature["kind"]),
                    tuple(str(level) for level in feature["levels"]),
                    bool(feature["logical"]),
                    *(str(feature.get(key, "")) for key in ("source", "part", "form")),
                )
                for feature in data["features"]
            )
            left_out = {str(k): str(v) for k, v in data["left_out"].items()}
            roles = {str(k): str(v) for k, v in data["roles"].items()}
            return cls(features, left_out, roles, tuple(map(str, data["missing"])))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError("a schema cannot be read", got=check.show(error)) from error


def _read_feature(
    name: str, column: pa.ChunkedArray, missing: Sequence[str]
) -> NDArray[np.float64] | ColumnFault:
    """Return a column of numbers as floats, NaN where it is missing, or what is wrong with it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(column.type):
        column = clear_column(column, (*missing, *MARKS), None).column
        if are_numbers(column):
            column = read_plain(column)
        elif not pc.any(pc.match_substring_regex(column, r"\S")).as_py():
            column = pa.nulls(len(column))
        else:
            return _find_text(name, column)
    elif not _can_be_numbers(column.type):
        return ColumnFault(
            name,
            "does not hold numbers",
            needs="numbers, as the model was trained on",
            value=str(column.type),
        )
    return read_numbers(name, column)


def _read_parts(
    feature: Feature, column: pa.ChunkedArray, count: int, missing: Sequence[str]
) -> NDArray[np.float64] | ColumnFault:
    """Return the moments (n,) of a column of dates, or the marks of the words of a text (n, T)."""
    import pyarrow as pa

    if feature.kind is ColumnKind.TEXT:
        return mark_words(
            clear_column(cast_to_text(column), (*missing, *NO_LEVELS), None).column, count
        )
    if not (is_text(column.type) or is_moment(column.type) or pa.types.is_null(column.type)):
        return ColumnFault(
            feature.source,
            "does not hold dates",
            needs="dates, as the model was trained on",
            value=str(column.type),
        )
    moments = read_moments(column, feature.form or find_form(column))
    if is_text(column.type) and len(column) > column.null_count and np.isnan(moments).all():
        value = column.drop_null()[0].as_py()
        if find_marks(column.drop_null()[:1], (*missing, *MARKS))[0].as_py():
            return moments
        return ColumnFault(
            feature.source,
            "does not hold dates in the form of training",
            needs=f"dates such as {_show_form(feature.form)}",
            value=show_cell(value),
        )
    return moments


def _show_form(form: str) -> str:
    """Return the 24th of December 2025 in a form."""
    from datetime import date

    return date(2025, 12, 24).strftime(form or "%Y-%m-%d")


def _take_part(feature: Feature, values: NDArray[np.float64]) -> NDArray[np.float64]:
    if feature.kind is ColumnKind.TEXT:
        return np.asarray(values[:, int(feature.part)])
    return compute_part(values, feature.part)


def _can_be_numbers(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def _find_text(name: str, column: pa.ChunkedArray) -> ColumnFault:
    """Return the first cell of a column of text that is not a number."""
    import pyarrow.compute as pc

    numbers = pc.fill_null(pc.match_substring_regex(column, PLAIN_NUMBER), True)
    row = max(pc.index(numbers, False).as_py(), 0)
    value = column[row].as_py()
    words = pc.unique(column.filter(pc.invert(numbers))).to_pylist()
    marks = list_missing_marks([word.strip() for word in words[:MANY_WORDS]])
    return ColumnFault(
        name,
        "has text instead of numbers",
        needs="numbers, as the model was trained on",
        value=show_cell(value),
        row=row,
        cure="Write plain numbers, and leave missing cells empty"
        + (f", or pass {marks}." if 0 < len(words) <= MANY_WORDS else "."),
    )


def read_numbers(name: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return an Arrow column of numbers as floats, NaN where it is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_duration(kind):
        column = pc.divide(_cast_to_float(column.cast(pa.int64())), _PER_SECOND[kind.unit])
    elif not is_number(kind):
        raise InputError(f"column {name!r} does not hold numbers", needs="numbers", got=str(kind))
    numbers: NDArray[np.float64] = _cast_to_float(column).to_numpy(zero_copy_only=False)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise InputError(
            f"column {name!r} has infinite values",
            needs="finite numbers, or nothing",
            got=f"{numbers[row]} in row {row + 1}",
        )
    return numbers


def _cast_to_float(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers as floats; whole ones beyond 2**53 lose their last digits."""
    import pyarrow as pa

    return column.cast(pa.float64(), safe=False)


_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def _encode(
    feature: Feature, column: pa.ChunkedArray, missing: Sequence[str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the codes of a category, NaN where missing or unknown, and the unknown values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = cast_to_text(column, logical=feature.logical)
    places = pc.index_in(text, pa.array(feature.levels, text.type))
    codes: NDArray[np.float64] = places.cast(pa.float64()).to_numpy(zero_copy_only=False)
    absent = find_marks(text, (*missing, *NO_LEVELS))
    strange = text.filter(
        pc.and_(pc.and_(pc.is_null(places), pc.is_valid(text)), pc.invert(absent))
    )
    count = len(text) - text.null_count
    if count and len(strange) == count and not is_text(column.type):
        raise InputError(
            f"column {feature.name!r} does not hold categories",
            needs=check.some(map(repr, feature.levels)),
            got=f"{column.type}, such as {check.show(strange[0].as_py(), 30)}",
        )
    return codes, strange.to_pylist()


def cast_to_text(column: pa.ChunkedArray, *, logical: bool = False) -> pa.ChunkedArray:
    """Return an Arrow column as text: whole floats without decimals, 0 and 1 as false and true."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
        small = pc.less(pc.abs(column), 2.0**53)  # larger ones need not fit
        whole = pc.all(pc.and_(small, pc.equal(column, pc.round(column)))).as_py()
        column = column.cast(pa.int64()) if whole in (True, None) else column
    if logical and pa.types.is_integer(column.type):
        small = pc.all(pc.is_in(column.drop_null(), pa.array([0, 1], column.type))).as_py()
        column = column.cast(pa.bool_()) if small in (True, None) else column
    text = column.cast(pa.large_string())
    return pc.utf8_lower(text) if logical else text


def _warn_of_unknown_levels(feature: Feature, strange: list[str], count: int) -> Iterator[Caution]:
    if not strange:
        return
    levels = tuple(dict.fromkeys(strange))
    yield of_tables.levels_unknown(feature.name, levels, len(strange), count)


def make_indices(rows: NDArray[np.intp]) -> pa.Array:
    """Return row numbers as Arrow takes them."""
    import pyarrow as pa

    return pa.array(rows, pa.int64())
