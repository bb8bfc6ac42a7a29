"""The kind of each column of a table: how models see it, or that it is left out, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.cautions import of_tables
from earnest.core.tables.column_names import NAMELESS
from earnest.core.tables.columns import find_stray_text
from earnest.core.tables.faults import ColumnFault
from earnest.core.tables.formats.numbers import DATE, NUMBER
from earnest.core.text.doors import arg
from earnest.training.learners.preprocessing import MOST_LEVELS
from earnest.training.tables.moments import find_form, is_moment
from earnest.training.tables.words import count_words

if TYPE_CHECKING:
    import pyarrow as pa


CASES_A_LEVEL = 4  # fewer on average tell nothing of a level that has a column of its own,
CASES_TO_AVERAGE = 2  # and fewer than that nothing of its mean outcome,
FEW_LEVELS = 10  # unless there are as few as this
ENOUGH = 20  # cases from which on "all different" means something
ALMOST_ALL = 0.9
FEW_WORDS = 3  # among numbers: they are faults, and more are levels
_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|ids|uuid|guid|index|key|rownum|row_?nr)$|^unnamed: \d+$", re.I
)
_CAMEL = re.compile(r"[a-z](ID|Id)$")
DIGITS = r"^\s*[0-9]+\s*$"  # of a column of text: codes with leading zeros
WORDS = 3.0  # on average: what differs in every row is then text, not an identifier
FEWER_WORDS = 2.0  # on average: what differs in most rows is then text


class ColumnKind(StrEnum):
    """The kind of a column: the first five are features, the others are left out."""

    NUMBER = "number"
    CATEGORY = "category"
    LEVELS = "category of many levels"
    DATE = "date"
    TEXT = "text"
    IDENTIFIER = "identifier"
    NAMES = "names"
    CONSTANT = "constant"
    EMPTY = "empty"
    REPEATED = "repeated"
    OUTCOME = "copy of the outcome"
    IGNORED = "ignored"

    @property
    def used(self) -> bool:
        """Whether models see it."""
        return self in USED


USED = (
    ColumnKind.NUMBER,
    ColumnKind.CATEGORY,
    ColumnKind.LEVELS,
    ColumnKind.DATE,
    ColumnKind.TEXT,
)


@dataclass(frozen=True)
class ColumnFinding:
    """What a column was found to be.

    Attributes
    ----------
    kind : ColumnKind
        Its kind.
    levels : tuple of str
        Of a category, sorted.
    logical : bool
        Whether a category is true and false.
    n_values : int, optional
        How many values an identifier or text has; None where every row has another.
    like : str
        The only value of a constant; the column that it repeats, or the outcome that it copies.
    several : bool
        Whether the values of an identifier come back, as those of a group do.
    form : str
        How dates are written, where they are text.
    n_words : int
        How many different words a text has at most.
    """

    kind: ColumnKind
    levels: tuple[str, ...] = ()
    logical: bool = False
    n_values: int | None = None
    like: str = ""
    several: bool = False
    form: str = ""
    n_words: int = 0


def look_at(
    name: str, column: pa.ChunkedArray, whole: pa.ChunkedArray | None = None
) -> ColumnFinding | ColumnFault:
    """Return the kind of an Arrow column, or why it has none: numbers that words have made text.

    For a very long column, `column` may be a sample and `whole` all of it.

    The rules, in this order: a column without any value is empty, one of a single value constant;
    dates and times are dates; true and false are a category; whole numbers that are all different
    and either count the rows or have the name of an identifier are one; other numbers are
    numbers; text that is written as dates is dates, text of several words that differs in every
    row, or in most, is text, other text that differs in every row an identifier; what then has few
    rows for each value are names, and the rest is a category, of many levels or of few.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    present = column.drop_null()
    if pa.types.is_floating(kind):
        present = present.filter(pc.invert(pc.is_nan(present)))
    if len(present) == 0:
        return ColumnFinding(ColumnKind.EMPTY)
    if is_moment(kind):
        return ColumnFinding(ColumnKind.DATE)
    if not (pa.types.is_boolean(kind) or is_number(kind) or is_text(kind)):
        return ColumnFault(
            name,
            "has an unsupported type",
            needs="numbers, text, true and false, or dates",
            value=str(kind),
            cure=f"Leave it out: {arg('ignore', name)}.",
        )
    infinite = _find_infinite(name, column)
    if infinite is not None:  # also where nothing else stands there
        return infinite
    count = int(pc.count_distinct(present).as_py())
    if count == 1 and len(present) == len(column):
        return ColumnFinding(ColumnKind.CONSTANT, like=check.show(present[0].as_py(), 30))
    if pa.types.is_boolean(kind):
        return ColumnFinding(ColumnKind.CATEGORY, ("false", "true"), logical=True)
    if is_number(kind):
        return _look_at_number(name, column, count, column if whole is None else whole)
    return _look_at_text(name, column, present, count)


def _describe(look: ColumnFinding) -> str:
    """Return the kind of a column in words, with what makes it one."""
    if look.kind in (ColumnKind.IDENTIFIER, ColumnKind.NAMES):
        return f"{look.kind}, {of_tables.count_values(look.n_values)}"
    return of_tables.describe_empty(str(look.kind), look.like)


def look_kept(
    name: str, column: pa.ChunkedArray, whole: pa.ChunkedArray | None = None
) -> ColumnFinding | ColumnFault:
    """Return the kind of a column that the user keeps, as models see it, or its fault."""
    import pyarrow.compute as pc

    look = look_at(name, column, whole)
    if isinstance(look, ColumnFault) or look.kind.used:
        return look
    if is_number(column.type) and look.kind is ColumnKind.IDENTIFIER:
        return ColumnFinding(ColumnKind.NUMBER)
    if is_text(column.type) and look.kind in (ColumnKind.IDENTIFIER, ColumnKind.NAMES):
        return _make_category(tuple(sorted(pc.unique(column.drop_null()).to_pylist())))
    return ColumnFault(
        name,
        "cannot be kept",
        needs="numbers or text that vary",
        value=_describe(look),
        cure=f"Leave {arg('keep')} out, or {name!r} from it.",
    )


def _make_category(levels: tuple[str, ...]) -> ColumnFinding:
    many = len(levels) > MOST_LEVELS
    return ColumnFinding(ColumnKind.LEVELS if many else ColumnKind.CATEGORY, levels)


def is_number(kind: pa.DataType) -> bool:
    """Tell whether an Arrow type is numeric, durations included."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_duration)
    return any(test(kind) for test in tests)


def is_text(kind: pa.DataType) -> bool:
    """Tell whether an Arrow type is text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _find_infinite(name: str, column: pa.ChunkedArray) -> ColumnFault | None:
    """Return the fault of a column with infinite numbers; those of 400 digits are read as such."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return None
    infinite = pc.fill_null(pc.is_inf(column), False)
    if not pc.any(infinite).as_py():
        return None
    row = pc.index(infinite, True).as_py()
    return ColumnFault(
        name,
        "has infinite values",
        needs="finite numbers, or nothing",
        value=str(column[row].as_py()),
        row=row,
        cure=f"Leave the cell empty, or the column out: {arg('ignore', name)}.",
    )


def _look_at_number(
    name: str, column: pa.ChunkedArray, count: int, whole: pa.ChunkedArray
) -> ColumnFinding:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        return ColumnFinding(ColumnKind.NUMBER)
    nameless = name.casefold() in NAMELESS
    if not pa.types.is_integer(column.type) or (count < ENOUGH and not nameless):
        return ColumnFinding(ColumnKind.NUMBER)
    ends = pc.min_max(whole).as_py()
    counts_rows = ends["max"] - ends["min"] + 1 == len(whole)
    if count < ENOUGH and not counts_rows:
        return ColumnFinding(ColumnKind.NUMBER)
    if count == len(column) and (counts_rows or is_named_as_identifier(name)):
        return ColumnFinding(ColumnKind.IDENTIFIER)
    if is_named_as_identifier(name):
        return ColumnFinding(ColumnKind.IDENTIFIER, n_values=count, several=True)
    return ColumnFinding(ColumnKind.NUMBER)


def is_named_as_identifier(name: str) -> bool:
    """Tell whether the name of a column is that of an identifier.

    Examples
    --------
    >>> from earnest.training.tables.kinds import is_named_as_identifier
    >>> [
    ...     is_named_as_identifier(name)
    ...     for name in ("patient_id", "customerID", "acid", "Unnamed: 0")
    ... ]
    [True, True, False, True]
    """
    return bool(not name or _IDENTIFIER.search(name) or _CAMEL.search(name))


def _look_at_text(
    name: str, column: pa.ChunkedArray, present: pa.ChunkedArray, count: int
) -> ColumnFinding | ColumnFault:
    import pyarrow.compute as pc

    cases = len(present)
    if count > 1 and _measure_share(present, DATE) >= ALMOST_ALL:
        return ColumnFinding(ColumnKind.DATE, form=find_form(present))
    if count >= ENOUGH:
        fault = _find_fault(name, column, present)
        if fault is not None:
            return fault
        if count == cases or (is_named_as_identifier(name) and count > FEW_LEVELS):
            if _count_words(present) >= WORDS:
                return _make_text(present, None if count == cases else count)
            n_values = None if count == cases else count
            return ColumnFinding(ColumnKind.IDENTIFIER, n_values=n_values)
    if count > FEW_LEVELS and cases < CASES_A_LEVEL * count:
        if _count_words(present) >= FEWER_WORDS:
            return _make_text(present, count)
        if count <= MOST_LEVELS or cases < CASES_TO_AVERAGE * count:
            return ColumnFinding(ColumnKind.NAMES, n_values=count)
    return _make_category(tuple(sorted(pc.unique(present).to_pylist())))


def _make_text(present: pa.ChunkedArray, count: int | None) -> ColumnFinding:
    return ColumnFinding(ColumnKind.TEXT, n_values=count, n_words=count_words(present))


def _measure_share(cells: pa.ChunkedArray, pattern: str) -> float:
    """Return the share of texts that match."""
    import pyarrow.compute as pc

    return float(pc.mean(pc.match_substring_regex(cells, pattern)).as_py())


def _count_words(cells: pa.ChunkedArray) -> float:
    """Return how many words a text has on average."""
    import pyarrow.compute as pc

    return float(pc.mean(pc.count_substring_regex(cells, r"\S+")).as_py())


def _find_fault(name: str, column: pa.ChunkedArray, present: pa.ChunkedArray) -> ColumnFault | None:
    """Return the fault of numbers that a few words, or the way they are written, made text.

    As text, each number would be a level of its own.
    """
    import pyarrow.compute as pc

    words = pc.unique(present.filter(pc.invert(pc.match_substring_regex(present, NUMBER))))
    codes = pc.all(pc.match_substring_regex(present, DIGITS)).as_py()
    if codes or (len(words) > FEW_WORDS and _measure_share(present, NUMBER) < ALMOST_ALL):
        return None
    return find_stray_text(name, column, f", or leave the column out: {arg('ignore', name)}")
