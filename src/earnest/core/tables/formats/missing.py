"""Marks of missing values, such as '?', 'n/a' and 'unknown': read as missing where no value is.

Among numbers and dates no mark can be a value. In a column of text most can: 'none' and 'unknown'
are answers, '-' is the opposite of '+', 'Na' is sodium. There only '?', '.' and 'N.A.' are
missing, and '?' and '.' not where the column has other signs, such as '+'. An empty cell is always
missing, and what a user calls missing is so in every column.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.faults import list_missing_marks
from earnest.core.text.doors import arg
from earnest.core.text.numbers import write_count

if TYPE_CHECKING:
    import pyarrow as pa

# In lower case; they count in any capitals.
MARKS: tuple[str, ...] = (
    *("?", "-", "--", "–", "—", ".", "*", "na", "n.a.", "n.a", "n/a", "#n/a", "nan", "null"),
    *("none", "missing", "unknown"),
)
NO_LEVELS = ("?", ".", "N.A.", "n.a.", "N.A", "n.a")
_SIGNS_ALONE = r"^[^\pL\pN]+$"


def read_missing(missing: object) -> tuple[str, ...]:
    """Return the marks that a user gives for missing values; one may be given without a list.

    Examples
    --------
    >>> from earnest.core.tables.formats.missing import read_missing
    >>> read_missing("k.A."), read_missing(["-9", 999])
    (('k.A.',), ('-9', '999'))
    """
    several = isinstance(missing, Iterable) and not isinstance(missing, str | bytes)
    marks = tuple(missing) if several else (missing,)  # type: ignore[arg-type]
    for mark in marks:
        plain = isinstance(mark, str | int | float) and not isinstance(mark, bool)
        if not plain or not str(mark).strip():
            raise InputError(
                f"{arg('missing')} is not a mark of missing values",
                needs="text or a number, such as 'k.A.' or -9, or a list of them",
                got=check.show(mark),
                cure="An empty cell is always missing.",
            )
    return tuple(dict.fromkeys(str(mark).strip() for mark in marks))


@dataclass(frozen=True)
class ClearedColumn:
    """A column without marks of missing values.

    Parameters
    ----------
    column : ChunkedArray
        Null where a mark stood.
    counts : mapping of str to int
        The marks as they were written, and how many cells had them.
    """

    column: pa.ChunkedArray
    counts: Mapping[str, int] = field(default_factory=dict)


def clear_column(
    column: pa.ChunkedArray, missing: Sequence[str], values: str | None
) -> ClearedColumn:
    """Return a column with null where a mark of a missing value stands.

    Parameters
    ----------
    column : ChunkedArray
        Of any type; built-in marks are looked for in text alone.
    missing : sequence of str
        What the user calls missing, in every column.
    values : str, optional
        A regular expression. If all other cells match it, as numbers and dates do, all built-in
        marks are missing; otherwise those that are no level of a category.
    """
    import pyarrow as pa

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return _clear_numbers(column, missing)
    cleared = _clear(column, find_marks(column, missing)) if missing else ClearedColumn(column)
    column = cleared.column
    marks = find_marks(column, MARKS)
    if not _is_any(marks):
        return cleared
    if not _are_all(column, marks, values):
        marks = _find_no_levels(column)
    built_in = _clear(column, marks)
    counts = Counter(cleared.counts) + Counter(built_in.counts)
    return ClearedColumn(built_in.column, dict(counts))


def find_marks(column: pa.ChunkedArray, marks: Sequence[str]) -> pa.ChunkedArray:
    """Return which cells of a column of text are a mark, in any capitals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    folded = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    lower = pa.array([mark.strip().lower() for mark in marks], column.type)
    return pc.is_in(folded, lower)


def _clear_numbers(column: pa.ChunkedArray, missing: Sequence[str]) -> ClearedColumn:
    """Return numbers without those that the user calls missing, such as -9."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return ClearedColumn(column)
    numbers = [number for number in map(check.read_number, missing) if math.isfinite(number)]
    if not numbers:
        return ClearedColumn(column)
    marks = pc.is_in(column.cast(pa.float64(), safe=False), pa.array(numbers, pa.float64()))
    return _clear(column, marks)


def _clear(column: pa.ChunkedArray, marks: pa.ChunkedArray) -> ClearedColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_any(marks):
        return ClearedColumn(column)
    cells = pc.value_counts(column.filter(marks)).to_pylist()
    counts = Counter[str]()
    for cell in cells:
        counts[str(cell["values"]).strip()] += cell["counts"]
    return ClearedColumn(pc.if_else(marks, pa.scalar(None, column.type), column), counts)


def _is_any(marks: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(marks).as_py())


def _are_all(column: pa.ChunkedArray, marks: pa.ChunkedArray, values: str | None) -> bool:
    """Tell whether there are cells besides marks and empty ones, and all of them match."""
    import pyarrow.compute as pc

    if values is None:
        return False
    cells = column.filter(pc.invert(marks)).drop_null()
    cells = cells.filter(pc.match_substring_regex(cells, r"\S"))
    return bool(len(cells)) and bool(pc.all(pc.match_substring_regex(cells, values)).as_py())


def _find_no_levels(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which cells are a mark that cannot be a level of their column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    levels = [level for level in pc.unique(trimmed).to_pylist() if level]
    others = pa.array([level for level in levels if level.lower() not in MARKS], pa.string())
    marks: Sequence[str] = NO_LEVELS
    if _is_any(pc.match_substring_regex(others, _SIGNS_ALONE)):
        marks = [mark for mark in NO_LEVELS if any(map(str.isalpha, mark))]
    return pc.is_in(trimmed, pa.array(marks, column.type))


def refuse_marks(name: str, labels: Sequence[object], counts: Sequence[int]) -> None:
    """Ask about classes of an outcome that are marks of missing values elsewhere.

    Of two classes one may be called 'none', and '-' stands beside '+'.

    Examples
    --------
    >>> from earnest.core.tables.formats.missing import refuse_marks
    >>> refuse_marks("y", ["mild", "none"], [9, 9])
    >>> refuse_marks("y", ["no", "none", "yes"], [9, 2, 9])
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: the outcome 'y' has a class that may be a missing value...
    """
    texts = [label.strip() if isinstance(label, str) else "" for label in labels]
    marks = [text for text in texts if text.lower() in MARKS]
    others = [text for text in texts if text.lower() not in MARKS]
    if not marks or len(others) < 2 or any(re.fullmatch(r"[\W_]+", text) for text in others):
        return
    shown = [
        f"{text!r} ({write_count(count, 'time')})"
        for text, count in zip(texts, counts, strict=True)
        if text in marks
    ]
    stand = f"{marks[0]!r} stands" if len(marks) == 1 else "they stand"
    raise InputError(
        f"the outcome {name!r} has a class that may be a missing value",
        needs="classes alone",
        got=check.some(shown),
        cure=f"If {stand} for a missing value, pass {list_missing_marks(marks)}. If all "
        f"{len(labels)} are classes, pass {arg('task', 'multiclass')}.",
    )


def note_missing(source: str, counts: Mapping[str, Mapping[str, int]]) -> tuple[Caution, ...]:
    """Return a note about marks that were read as missing values, by their columns."""
    if not counts:
        return ()
    return (of_tables.marks_read_as_missing(source, counts),)
