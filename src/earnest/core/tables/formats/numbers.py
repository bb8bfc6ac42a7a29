"""Numbers as people write them, with thousands, percent and money: read where they mean one thing.

`1,234.50`, `1.234.567`, `1 234`, `45 %` and `$12.50` can be read in one way, and are, with a note.
`12,573` can be 12573 or 12.573: unless another number of the file, or the user, tells what the
comma is, the column is refused where it is used. `00123` is a code, not a number: see `are_codes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.faults import ColumnFault, show_cell
from earnest.core.tables.formats.missing import ClearedColumn, clear_column, note_missing
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa


THOUSANDS = {",": ",", ".": r"\.", " ": r"[ \x{a0}\x{2009}\x{202f}]", "'": r"['’]"}
_DECIMALS = {".": r"\.", ",": ","}
_MONEY = r"([$€£¥₹]|USD|EUR|GBP|CHF|JPY)"
_SIGN = r"[-+−]"
_HEAD = rf"^\s*{_SIGN}?\s*{_MONEY}?\s*{_SIGN}?"
_TAIL = rf"\s*({_MONEY}|%|‰)?\s*$"
# What the parser reads by itself, by the decimal mark that it was told.
_PLAIN = {
    ".": r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$",
    ",": r"^\s*[-+]?([0-9]+,?[0-9]*|,[0-9]+)([eE][-+]?[0-9]+)?\s*$",
}
PLAIN_NUMBER = _PLAIN["."]
CODE = r"^\s*0[0-9]+\s*$"  # digits that begin with a zero, such as '00123'
CODE_WIDTH = 3  # digits of which one cell in a column of equal widths makes codes
CODE_SHARE = 0.1  # of the cells of a column of unequal widths
_FIRST = re.compile(r"[\s\d.,'’%‰$€£¥₹+−USDERGBPCHFJYe-]+")


@dataclass(frozen=True)
class Marks:
    """What stands before the decimals, and between the thousands."""

    decimal: str
    thousands: str

    @property
    def pattern(self) -> str:
        """The numbers that are written with these marks."""
        mark, point = THOUSANDS[self.thousands], _DECIMALS[self.decimal]
        grouped = rf"[1-9][0-9]{{0,2}}({mark}[0-9]{{3}})+({point}[0-9]+)?"
        plain = rf"([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][-+]?[0-9]+)?"
        return rf"{_HEAD}({grouped}|{plain}){_TAIL}"

    def numbers(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the numbers of a column that has been matched, as whole ones where all are."""
        import pyarrow as pa
        import pyarrow.compute as pc

        away = rf"({THOUSANDS[self.thousands]}|{_MONEY}|\s|\x{{a0}}|[%‰+])"
        bare = pc.replace_substring_regex(column, away, "")
        bare = pc.replace_substring(bare, "−", "-")
        bare = pc.replace_substring(bare, self.decimal, ".")
        for sign, share in (("%", 100.0), ("‰", 1000.0)):
            if pc.any(pc.match_substring(column, sign)).as_py():
                return pc.divide(bare.cast(pa.float64()), share)
        return _cast(bare)


ALL = tuple(Marks(d, t) for d in _DECIMALS for t in THOUSANDS if d != t)
# A number as anybody may write it, and a date as people do; those of ISO 8601 are dates already.
NUMBER = "|".join(f"({marks.pattern})" for marks in ALL)
DATE = (
    r"^\s*([0-9]{1,2}[-./ ]\s?([0-9]{1,2}|\pL{3,9}\.?)[-./ ]\s?[0-9]{4}|"
    r"[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2})([ T]+[0-9]{1,2}:[0-9]{2}.*)?\s*$"
)
NO_LEVEL_AMONG = f"{NUMBER}|({DATE})"


@dataclass(frozen=True)
class WrittenColumn:
    """A column of numbers as people write them, with every way to read it."""

    place: int
    name: str
    column: pa.ChunkedArray
    ways: tuple[tuple[Marks, pa.ChunkedArray], ...]

    @property
    def marks(self) -> str:
        """Return which of the two marks stand in it that may be either."""
        import pyarrow.compute as pc

        return "".join(m for m in ",." if pc.any(pc.match_substring(self.column, m)).as_py())


def check_marks(decimal: str | None, thousands: object) -> str | None:
    """Refuse unknown marks, and one mark for both; return the decimal mark if it is known."""
    if thousands is None:
        return decimal
    if not isinstance(thousands, str) or thousands not in THOUSANDS:
        raise FormatError(
            f"{arg('thousands')} is not a valid separator",
            needs="',', '.', ' ' or \"'\"",
            got=check.show(thousands),
        )
    if thousands == decimal:
        raise FormatError(
            f"{arg('decimal')} and {arg('thousands')} are the same",
            needs="two different separators",
            got=repr(thousands),
        )
    return decimal or {",": ".", ".": ","}.get(thousands)


def has_only_thousands(table: pa.Table, labels: set[str]) -> bool:
    """Tell whether every comma of a table may stand between thousands, as in '12,573'."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for index, field in enumerate(table.schema):
        column = table.column(index)
        if not pa.types.is_string(field.type) or field.name in labels:
            continue
        decimal = pc.match_substring_regex(column, r"^\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*$")
        either = pc.match_substring_regex(column, r"^\s*[-+]?[1-9][0-9]{0,2},[0-9]{3}\s*$")
        if pc.any(pc.and_(decimal, pc.invert(either))).as_py():
            return False
    return True


@dataclass(frozen=True)
class ReadNumbers:
    """A table whose numbers are numbers, notes about how they were read, and what is in doubt."""

    table: pa.Table
    notes: tuple[Caution, ...]
    doubts: tuple[ColumnFault, ...]


def read_written(
    table: pa.Table,
    path: Path,
    labels: Set[str],
    decimal: str | None,
    *,
    signs: Mapping[str, object],
    missing: tuple[str, ...] | None,
    counts: Mapping[str, Mapping[str, int]],
) -> ReadNumbers:
    """Return the table with the numbers that people wrote as numbers, and a note about them.

    Parameters
    ----------
    table : pyarrow.Table
        As it was parsed; numbers with marks are still text.
    path : Path
        The file, for messages.
    labels : set of str
        Columns of labels, which stay text.
    decimal : str, optional
        The decimal mark of the file, said or guessed.
    signs : mapping
        `decimal` and `thousands` as the user said them, None where not.
    missing : tuple of str, optional
        What the user calls missing; if None, marks of missing values are not looked for.
    counts : mapping
        The marks that the parser read as missing by itself, by column, and how many cells have
        them.
    """
    import pyarrow as pa

    plain = _PLAIN[decimal or "."]
    written: list[WrittenColumn] = []
    counts = dict(counts)
    for index, field in enumerate(table.schema):
        if field.name.strip() in labels:
            continue
        column = table.column(index)
        cleared = (
            ClearedColumn(column)
            if missing is None
            else clear_column(column, missing, NO_LEVEL_AMONG)
        )
        if cleared.counts:
            name = field.name.strip()
            counts[name] = {**counts.get(name, {}), **cleared.counts}
            table = table.set_column(index, field.name, cleared.column)
        if not pa.types.is_string(field.type):
            continue
        if cleared.counts and are_numbers(cleared.column, plain):
            numbers = read_plain(cleared.column, decimal or ".")
            table = table.set_column(index, field.name, numbers)
        else:
            ways = _find_ways(index, field.name, cleared.column, signs, plain)
            written += [] if ways is None else [ways]
    readings = [(column, _choose(column, written, decimal)) for column in written]
    certain = [(column, numbers) for column, numbers in readings if numbers is not None]
    for column, numbers in certain:
        table = table.set_column(column.place, column.name, numbers)
    return ReadNumbers(
        table,
        (*_note_examples(certain, path, plain), *note_missing(repr(path.name), counts)),
        tuple(_make_doubt(column) for column, numbers in readings if numbers is None),
    )


def are_numbers(column: pa.ChunkedArray, plain: str = PLAIN_NUMBER) -> bool:
    """Tell whether the cells of a column of text are plain numbers, and none of them a code."""
    import pyarrow.compute as pc

    cells = column.drop_null()
    cells = cells.filter(pc.match_substring_regex(cells, r"\S"))
    if not len(cells) or not pc.all(pc.match_substring_regex(cells, plain)).as_py():
        return False
    return not are_codes(cells)


def are_codes(cells: pa.ChunkedArray) -> bool:
    """Tell whether digits are codes, such as '00123', rather than numbers of which one has a zero.

    They are where a cell begins with two zeros, where all cells have the same number of digits,
    three at least, and one begins with a zero, and where one cell in ten begins with a zero. A
    column with a sign or a decimal has numbers, and so has one with a single '07' among others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.tables.formats.numbers import are_codes
    >>> [are_codes(pa.array(cells)) for cells in (["0123", "4567"], ["07", "45", "8"] * 5)]
    [True, True]
    >>> are_codes(pa.array(["07", *map(str, range(20, 80))])), are_codes(pa.array(["-06", "12"]))
    (False, False)
    """
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(cells.drop_null())
    cells = cells.filter(pc.not_equal(cells, ""))
    count = pc.sum(pc.match_substring_regex(cells, CODE)).as_py() or 0
    if not count or not pc.all(pc.match_substring_regex(cells, "^[0-9]+$")).as_py():
        return False
    widths = pc.min_max(pc.utf8_length(cells)).as_py()
    return bool(
        count >= CODE_SHARE * len(cells)
        or widths["min"] == widths["max"] >= CODE_WIDTH
        or pc.any(pc.match_substring_regex(cells, "^00")).as_py()
    )


def read_plain(column: pa.ChunkedArray, decimal: str = ".") -> pa.ChunkedArray:
    """Return the plain numbers of a column of text, as whole ones where all are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(column, r"[\s+]", "")
    bare = pc.if_else(pc.equal(bare, ""), pa.scalar(None, column.type), bare)
    return _cast(pc.replace_substring(bare, decimal, "."))


def _cast(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts that are numbers as numbers; whole ones beyond 2**53 stay floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = texts.cast(pa.float64())
    if pc.any(pc.match_substring_regex(texts, r"[.eE]")).as_py():
        return numbers
    largest = pc.max(pc.abs(numbers)).as_py()
    small = largest is not None and largest < 2**53
    return numbers.cast(pa.int64(), safe=False) if small else numbers


def _find_ways(
    index: int, name: str, column: pa.ChunkedArray, signs: Mapping[str, object], plain: str
) -> WrittenColumn | None:
    """Return the ways to read a column, None where it is not of numbers with marks or signs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.match_substring_regex(column, r"^\s*$")  # empty cells in quotation marks
    column = pc.if_else(blank, pa.scalar(None, pa.string()), column)
    cells = column.drop_null()
    if not len(cells) or not _FIRST.fullmatch(cells[0].as_py()):
        return None
    if not pc.all(pc.match_substring_regex(cells, NUMBER)).as_py():
        return None
    if are_codes(cells):
        return None
    if pc.all(pc.match_substring_regex(cells, plain)).as_py() or _has_mixed_signs(cells):
        return None
    ways: list[tuple[Marks, pa.ChunkedArray]] = []
    for marks in ALL:
        is_possible = all(mark in (None, getattr(marks, name)) for name, mark in signs.items())
        if is_possible and pc.all(pc.match_substring_regex(cells, marks.pattern)).as_py():
            numbers = marks.numbers(column)
            if not any(_is_same(numbers, other) for _, other in ways):
                ways.append((marks, numbers))
    return WrittenColumn(index, name, column, tuple(ways)) if ways else None


def _is_same(numbers: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    first, second = np.asarray(numbers, np.float64), np.asarray(other, np.float64)
    return bool(np.array_equal(first, second, equal_nan=True))


def _has_mixed_signs(cells: pa.ChunkedArray) -> bool:
    """Tell whether some numbers are percentages and some not, or of two currencies."""
    import pyarrow.compute as pc

    for sign in ("%", "‰"):
        share = pc.mean(pc.match_substring(cells, sign)).as_py()
        if 0 < share < 1:
            return True
    money = pc.replace_substring_regex(cells, r"[^$€£¥₹A-Z]|[eE][-+]?[0-9]+", "")
    return len(set(pc.unique(money).to_pylist()) - {""}) > 1


def _choose(
    column: WrittenColumn, all_: Sequence[WrittenColumn], decimal: str | None
) -> pa.ChunkedArray | None:
    """Return the numbers of a column that can be read in one way, by itself or by the file."""
    if len(column.ways) == 1:
        return column.ways[0][1]
    decimals = {decimal} if decimal is not None else set()
    for other in all_:
        shown = {marks.decimal for marks, _ in other.ways}
        decimals |= shown if len(shown) == 1 and set(column.marks) & set(other.marks) else set()
    left = [numbers for marks, numbers in column.ways if {marks.decimal} == decimals]
    return left[0] if len(left) == 1 else None


def _make_doubt(column: WrittenColumn) -> ColumnFault:
    """Return the fault of a column that can be read in two ways."""
    import pyarrow.compute as pc

    (first, some), (second, others) = column.ways[:2]
    row = pc.index(pc.not_equal(some, others), True).as_py()
    shown = [f"{numbers[row].as_py():.12g}" for numbers in (some, others)]
    readings = [
        arg("thousands", marks.thousands)
        if marks.thousands in column.marks
        else arg("decimal", marks.decimal)
        for marks in (first, second)
    ]
    return ColumnFault(
        column.name.strip(),
        "has numbers that can be read in two ways",
        needs=f"{arg('decimal')} or {arg('thousands')} to say what the separator means",
        value=show_cell(column.column[row].as_py().strip()),
        row=row,
        detail=f", which may be {shown[0]} or {shown[1]}",
        cure=f"Pass {readings[0]} for the first reading, or {readings[1]} for the second.",
    )


def _note_examples(
    readings: Sequence[tuple[WrittenColumn, pa.ChunkedArray]], path: Path, plain: str
) -> tuple[Caution, ...]:
    if not readings:
        return ()
    import pyarrow.compute as pc

    examples = []
    for column, numbers in readings:
        row = pc.index(pc.match_substring_regex(column.column, plain), False).as_py()
        cell = show_cell(column.column[row].as_py().strip())
        examples.append((column.name.strip(), cell, float(numbers[row].as_py())))
    return (of_tables.numbers_for_people(path.name, tuple(examples)),)
