"""Columns of any table: read, laid out by case and repeat, mapped where large.

Repeats may have no column of their own: 'Fold1.Rep2', and repeats stacked without names.

Tables come by columns, and Π is read by rows. A matrix of gigabytes is therefore written twice: its
columns one after the other, then turned over block by block. Both files have no name, and go when
nobody has them open; they lie where Python keeps temporary files (`TMPDIR`).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import BLOCK, RawArray, as_array
from earnest.core.base.errors import FormatError, InputError
from earnest.core.cautions import of_evidence
from earnest.core.results.cautions import Caution
from earnest.core.tables.column_names import NAMELESS
from earnest.core.tables.faults import (
    ColumnFault,
    list_missing_marks,
    make_faults_error,
    name_plain_row,
    show_cell,
)
from earnest.core.tables.formats.missing import MARKS, clear_column, find_marks, note_missing
from earnest.core.tables.formats.numbers import (
    NO_LEVEL_AMONG,
    NUMBER,
    PLAIN_NUMBER,
    are_numbers,
    read_plain,
)
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa


# Labels or numbers, one per case; for survival the times and the events.
Outcome: TypeAlias = RawArray | tuple[RawArray, RawArray]

# Tables of any library as named columns, and the case and repeat that each row is about.


@dataclass(frozen=True)
class TextRow:
    """A row of a text file: the line that it begins in, and its cells as they are written."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Columns:
    """The columns of a table, each read as an Arrow array when it is asked for.

    Parameters
    ----------
    names : tuple of str
        The names, all different.
    rows : int
        The number of rows, at least one.
    read : callable
        `name -> Arrow array or narwhals series`.
    large : bool
        Whether the table is on the disk, since its columns together are too large for memory.
    find_row : callable, optional
        `row -> TextRow` of the text file that the table was read from.
    doubts : mapping of str to ColumnFault
        The columns that can be read in two ways, and are refused when they are asked for.
    source : str, optional
        The name of the file, if they come from one.
    notes : tuple of Caution
        What was guessed to read them.
    cleared : bool
        Whether marks of missing values have been looked for.
    """

    names: tuple[str, ...]
    rows: int
    read: Callable[[str], Any]
    large: bool = False
    find_row: Callable[[int], TextRow] | None = None
    doubts: Mapping[str, ColumnFault] = field(default_factory=dict)
    source: str | None = None
    notes: tuple[Caution, ...] = ()
    cleared: bool = False

    @classmethod
    def of(cls, frame: object) -> Columns:
        """Open a pandas, polars, Arrow or other eager frame; columns are returned as they are."""
        import narwhals as nw

        if isinstance(frame, Columns):
            return frame

        plain = _decode(frame)
        try:
            table = nw.from_native(plain, eager_only=True)
        except nw.exceptions.DuplicateError:
            raise _make_duplicates_error(frame) from None
        except TypeError as error:
            lazy = hasattr(frame, "collect")
            raise InputError(
                f"{arg('frame')} is not a supported table",
                needs="a pandas, polars or pyarrow table",
                got=f"{type(frame).__module__}.{type(frame).__qualname__}",
                cure="Collect it first." if lazy else "For arrays use Predictions.from_arrays.",
            ) from error
        native: list[object] = list(table.columns)  # pandas allows names that are not text
        names = tuple(str(name) for name in native)
        if len(set(names)) < len(names):
            raise _make_duplicates_error(frame)
        _refuse_empty(names, len(table))
        if nw.dependencies.is_pyarrow_table(plain):  # three times as fast, of many columns
            places = {name: index for index, name in enumerate(names)}
            return cls(names, len(table), lambda name: plain.column(places[name]))
        lookup = dict(zip(names, native, strict=True))
        return cls(names, len(table), lambda name: table.get_column(lookup[name]))

    @classmethod
    def on_disk(cls, names: Sequence[str], rows: int, read: Callable[[str], Any]) -> Columns:
        """Open a table whose columns are read as Arrow arrays when they are asked for."""
        if len(set(names)) < len(names):
            raise _make_twice_error(names)
        _refuse_empty(names, rows)
        return cls(tuple(names), rows, read, large=True)

    def name_row(self, row: int) -> str:
        """Return where a user finds a row, counted from 0: its line in a text file, if it is one.

        The file is read again, since only errors ask for it.
        """
        if self.find_row is None:
            return name_plain_row(row)
        return f"line {self.find_row(row).line}"

    def find_mark(self, name: str, row: int) -> str:
        """Return what stands in a text file where a value is missing, nothing in other tables."""
        cells = {} if self.find_row is None else self.find_row(row).cells
        return cells.get(name, "").strip()

    def arrow(self, name: str) -> pa.Array:
        """Return a column as an Arrow array, without dictionaries and views."""
        import pyarrow as pa

        if name in self.doubts:
            doubts = [self.doubts[name], *(d for n, d in self.doubts.items() if n != name)]
            raise make_faults_error(doubts, self.name_row, FormatError)
        series = self.read(name)
        try:
            column = series.to_arrow() if hasattr(series, "to_arrow") else series
        except OverflowError as error:
            raise InputError(
                f"column {name!r} holds a number that is too large",
                needs="numbers of at most 64 bits, or text",
                got=check.some(check.show(v) for v in series.to_list()[:1]),
                cure="Convert the column to text if it holds labels.",
            ) from error
        except UnicodeError as error:
            raise InputError(
                f"column {name!r} holds text that UTF-8 cannot hold",
                needs="whole characters",
                got="half of a surrogate pair, such as '\\ud800'",
                cure="Such halves come from cut text: mend or remove them.",
            ) from error
        # What pandas cannot hand over is a TypeError of Arrow, or a plain one of NumPy.
        except (pa.ArrowInvalid, TypeError, pa.ArrowNotImplementedError) as error:
            kinds = dict.fromkeys(type(v).__name__ for v in series.to_list())
            raise InputError(
                f"column {name!r} mixes values of different types"
                if len(kinds) > 1
                else f"column {name!r} is of a type that cannot be read",
                needs="numbers, text or bool, of one type",
                got=check.some(kinds) if len(kinds) > 1 else str(series.to_native().dtype),
                cure="" if len(kinds) > 1 else "Convert the column with astype(float).",
            ) from error
        kind = column.type
        if pa.types.is_dictionary(kind):
            column = _decode_column(column)
            kind = column.type
        if isinstance(kind, pa.BaseExtensionType):
            raise InputError(
                f"column {name!r} is of a type that cannot be read",
                needs="numbers, text or bool",
                got=str(kind),
                cure="Convert the column to text if it holds labels.",
            )
        if pa.types.is_nested(kind):
            raise _make_nested_error(name, kind)
        if pa.types.is_string_view(kind):
            column = column.cast(pa.large_string())
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

    def array(self, name: str) -> RawArray:
        """Return a column as NumPy: numbers, text or bool; NaN or None where it is missing."""
        import pyarrow as pa

        column = self.arrow(name)
        if pa.types.is_null(column.type):
            return np.full(self.rows, np.nan)
        return as_array(name, convert_column(column))

    def codes(self, name: str) -> tuple[NDArray[np.intp], RawArray]:
        """Return codes in the order of first appearance, -1 where missing, and the labels."""
        import pyarrow as pa

        column = self.arrow(name)
        if pa.types.is_null(column.type):
            return np.full(self.rows, -1), np.empty(0)
        if pa.types.is_floating(column.type) and _holds_nan(column):  # missing, as null is
            column = pa.array(column.to_numpy(zero_copy_only=False), from_pandas=True)
        encoded = column.dictionary_encode()
        places = encoded.indices.cast(pa.int64())
        if places.null_count:
            places = places.fill_null(-1)
        labels = as_array(name, convert_column(encoded.dictionary))
        return convert_column(places).astype(np.intp), labels

    def complete_codes(self, name: str) -> tuple[NDArray[np.intp], RawArray]:
        """Return codes and labels of a column that may not be missing anywhere."""
        codes, labels = self.codes(name)
        absent = np.flatnonzero(codes < 0)
        if len(absent):
            first = int(absent[0])
            mark = self.find_mark(name, first)
            raise InputError(
                f"column {name!r} has missing values",
                needs="a value in every row",
                got=f"{len(absent)} of {self.rows} missing, the first in {self.name_row(first)}"
                + (f": {show_cell(mark)}" if mark else ""),
            )
        return codes, labels

    def make_missing_error(self, name: str, needs: str = "", cure: str = "") -> InputError:
        """Return the error about a column that is missing; by default it offers the nearest."""
        has = check.some(map(repr, self.names))
        return InputError(
            f"column {name!r} is missing",
            needs=needs,
            got=f"columns {has}" if needs else f"the table has {has}",
            cure=cure or check.nearest(name, self.names),
        )

    def row_names(self) -> str | None:
        """Return the first column where it only names the rows, as pandas and R write it.

        It has no name, or pandas' word for none, and another value in every row.
        """
        first = self.names[0]
        if first.casefold() not in NAMELESS:
            return None
        codes, rows = self.codes(first)
        whole = len(rows) == self.rows and bool((codes >= 0).all())
        return first if whole and rows.dtype.kind in "iuUO" else None


@dataclass(frozen=True)
class Grid:
    """Which case and which repeat each of the `m` rows of a table is about.

    Parameters
    ----------
    columns : Columns
        The table.
    case, repeat : ndarray, shape (m,)
        Codes of the cases in the order of their first appearance, and of the repeats.
    first : ndarray, shape (n,)
        The first row of each case.
    repeats : int
        The number of repeats.
    ids : ndarray, shape (n,)
        The names of the cases.
    """

    columns: Columns
    case: NDArray[np.intp]
    repeat: NDArray[np.intp]
    first: NDArray[np.intp]
    repeats: int
    ids: RawArray

    @classmethod
    def of(cls, columns: Columns, id_column: str, repeat_column: str | None) -> Grid:
        """Read the columns that name the case and the repeat."""
        case, ids = columns.complete_codes(id_column)
        first = np.empty(len(ids), dtype=np.intp)
        first[case[::-1]] = np.arange(columns.rows)[::-1]  # the earliest row is written last
        if repeat_column is None:
            return cls(columns, case, np.zeros_like(case), first, 1, ids)
        repeat_codes, labels = columns.complete_codes(repeat_column)
        rank = np.argsort(np.argsort(labels, kind="stable"), kind="stable")
        return cls(columns, case, rank[repeat_codes], first, len(labels), ids)

    @property
    def n(self) -> int:
        """The number of cases."""
        return len(self.first)

    def of_case(self, name: str) -> RawArray:
        """Return a column that is the same in all rows of a case: (n,)."""
        codes, _ = self.columns.codes(name)
        other = codes != codes[self.first][self.case]
        if other.any():
            where = self.ids[np.unique(self.case[other])]
            raise InputError(
                f"column {name!r} differs between the rows of a case",
                needs="one value per case",
                got=f"several in {len(where)} of {self.n} cases: {check.some(where)}",
                cure="Use different names for different cases.",
            )
        return as_array(name, self.columns.array(name)[self.first])

    def of_repeat(self, name: str) -> RawArray:
        """Return a column that is the same in all rows of a case and repeat: (n, R)."""
        codes, labels = self.columns.codes(name)
        cell = self.case * self.repeats + self.repeat
        has_fold = codes >= 0
        out = np.full(self.n * self.repeats, -1)
        out[cell[has_fold]] = codes[has_fold]
        other = out[cell[has_fold]] != codes[has_fold]
        if other.any():
            where = self.ids[np.unique(self.case[has_fold][other])]
            raise InputError(
                "a case is in more than one fold of a repeat",
                got=f"case {check.some(where)} in column {name!r}",
                cure="For repeated cross-validation, add a column 'repeat'.",
            )
        texts = np.full(len(labels) + 1, None, dtype=object)  # code -1 reads the last, None
        texts[:-1] = labels
        return np.asarray(texts[out]).reshape(self.n, self.repeats)

    def refuse_duplicates(self, config: NDArray[np.intp], names: tuple[str, ...]) -> None:
        """Refuse a second row of the same case, configuration (if there are names) and repeat."""
        width = max(1, len(names))
        counts = np.bincount((self.case * width + config) * self.repeats + self.repeat)
        if counts.max() > 1:
            case, within_case = divmod(int(counts.argmax()), width * self.repeats)
            which, repeat = divmod(within_case, self.repeats)
            name = f", configuration {names[which]!r}" if names else ""
            raise InputError(
                "the table has two predictions for the same case",
                needs=f"one row for each case{', configuration' if names else ''} and repeat",
                got=(
                    f"{int((counts > 1).sum())} duplicates, such as case {self.ids[case]}{name}, "
                    f"repeat {repeat}"
                ),
                cure=(
                    "For repeated cross-validation, add a column 'repeat', or remove one of "
                    "the rows."
                ),
            )


FEW_WORDS = 10_000  # rows of text that Python converts sooner than pandas is imported


def convert_column(column: pa.Array) -> RawArray:
    """Return an Arrow array as NumPy, as its `to_numpy` does, which imports pandas where it can.

    The import takes a third of a second, so numbers and short columns of text go another way.
    """
    import pyarrow as pa

    kind = column.type
    if not column.null_count and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return np.from_dlpack(column)
    words = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if words and len(column) <= FEW_WORDS:
        return np.array(column.to_pylist(), dtype=object)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _holds_nan(column: pa.Array) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.is_nan(column)).as_py())  # None where all are null


def add_index_levels(frame: Any, parts: Iterable[str | None]) -> Any:
    """Return a pandas frame with those levels of its index as columns that have a part.

    A group that stands in the index would else be lost without notice; other names of rows are
    left out, as they always are.
    """
    levels = getattr(getattr(frame, "index", None), "names", None)
    if levels is None or not hasattr(frame, "reset_index"):
        return frame
    wanted = {*parts, "y", "y_true", "row_id", "config_id"} - {None, *frame.columns}
    named = [name for name in levels if name in wanted]
    return frame.reset_index(level=named) if named else frame


MANY_WORDS = 3  # so many words among numbers may be marks of what is missing


def find_stray_text(
    name: str, column: pa.Array, leave_out: str = "", *, missing: bool = True
) -> ColumnFault | None:
    """Return what made numbers text in a column, None where it is not text of mostly numbers.

    Numbers that people wrote are numbers, too: a text file has them read where they can mean one
    thing, so those that are left do not go together, or come from a table that is not text.

    Parameters
    ----------
    name : str
        The column.
    column : Arrow array
        Its text.
    leave_out : str
        How to leave the column out, as the end of a sentence.
    missing : bool
        Whether the reader takes `missing`.
    """
    import pyarrow.compute as pc

    if not _is_text(column):
        return None
    cells = column.filter(pc.invert(pc.fill_null(find_marks(column, MARKS), False))).drop_null()
    cells = cells.filter(pc.match_substring_regex(cells, r"\S"))
    numbers = pc.match_substring_regex(cells, NUMBER)
    count = pc.sum(numbers).as_py() or 0
    if 2 * count <= len(cells):
        return None
    words = pc.unique(cells.filter(pc.invert(numbers))).to_pylist()
    if words:
        row = pc.index(column, words[0]).as_py()
        return ColumnFault(
            name,
            "has cells that are not numbers",
            needs="a number in every row, or nothing",
            value=show_cell(words[0]),
            row=row,
            detail=f", {len(cells) - count:,} cells in total" if len(cells) > count + 1 else "",
            cure=_suggest_for_words([word.strip() for word in words], leave_out, missing),
        )
    plain = pc.match_substring_regex(cells, PLAIN_NUMBER)
    if pc.all(plain).as_py():
        return None
    value = cells.filter(pc.invert(plain))[0]
    others = cells.filter(plain)
    return ColumnFault(
        name,
        "has numbers written as text",
        needs="plain numbers, such as 1234.5",
        value=show_cell(value.as_py()),
        row=pc.index(column, value).as_py(),
        detail=f", beside {show_cell(others[0].as_py())}" if len(others) else "",
        cure=f"Write plain numbers{leave_out}.",
    )


def _suggest_for_words(words: Sequence[str], leave_out: str, missing: bool) -> str:
    if len(words) > MANY_WORDS or not missing:
        return f"Correct them, or leave cells without a value empty{leave_out}."
    stand = f"{show_cell(words[0])} stands" if len(words) == 1 else "they stand"
    marks = list_missing_marks(words)
    return f"If {stand} for a missing value, pass {marks}; otherwise correct it{leave_out}."


def refuse_stray_text(columns: Columns, names: Iterable[str], *, missing: bool = True) -> None:
    """Refuse columns of numbers that a few cells have made text, all of them at once."""
    faults = []
    for name in names:
        try:
            column = columns.arrow(name)
        except InputError:  # of another type; it is refused where it is used
            continue
        fault = find_stray_text(name, column, missing=missing)
        faults += [] if fault is None else [fault]
    if faults:
        raise make_faults_error(faults, columns.name_row)


def _is_text(column: pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def clear_columns(
    columns: Columns,
    missing: Sequence[str],
    text: Iterable[str] = (),
    labels: Set[str] = frozenset(),
) -> Columns:
    """Return the columns of a table without marks of missing values, and with a note about them.

    Numbers that only a mark had made text are numbers. A text file has this done when it is read.

    Parameters
    ----------
    columns : Columns
        The table; of one on the disk only what the user calls missing is looked for.
    missing : sequence of str
        What the user calls missing, besides the usual marks.
    text : iterable of str
        Columns that are left as they are.
    labels : set of str
        A column of nothing but these texts has no usual marks.
    """
    if columns.cleared:
        return columns
    left = {*text, *columns.doubts}
    cleared: dict[str, pa.Array] = {}
    counts: dict[str, Mapping[str, int]] = {}
    for name in columns.names:
        if name in left or (columns.large and not missing):
            continue
        try:
            column = columns.arrow(name)
        except InputError:  # of another type; it is refused where it is used
            continue
        if not missing and labels and _is_text(column):
            texts = set(column.unique().drop_null().to_pylist())
            if texts <= labels:
                continue
        unmarked = clear_column(column, missing, NO_LEVEL_AMONG)
        if unmarked.counts:
            counts[name] = unmarked.counts
            numbers = _is_text(column) and are_numbers(unmarked.column)
            cleared[name] = read_plain(unmarked.column) if numbers else unmarked.column
    read, source = columns.read, columns.source
    notes = note_missing("The table" if source is None else repr(source), counts)
    return replace(
        columns,
        read=(lambda name: cleared[name] if name in cleared else read(name)) if cleared else read,
        notes=(*columns.notes, *notes),
        cleared=True,
    )


def _decode(frame: Any) -> Any:
    """Return an Arrow table without dictionaries, some of which narwhals cannot read."""
    if type(frame).__module__.partition(".")[0] != "pyarrow" or not hasattr(frame, "schema"):
        return frame
    import pyarrow as pa

    for index, name in enumerate(frame.column_names):
        if pa.types.is_dictionary(frame.schema.field(index).type):
            frame = frame.set_column(index, name, _decode_column(frame.column(index)))
    return frame


def _decode_column(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a dictionary column as its values; Arrow cannot cast to a view of text by itself."""
    import pyarrow as pa

    kind = column.type.value_type
    kind = pa.large_string() if pa.types.is_string_view(kind) else kind
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([c.dictionary.cast(kind).take(c.indices) for c in chunks], type=kind)


def _make_nested_error(name: str, kind: pa.DataType) -> InputError:
    import pyarrow as pa

    word = "structs" if pa.types.is_struct(kind) else "maps" if pa.types.is_map(kind) else "lists"
    return InputError(
        f"column {name!r} holds {word}",
        needs="one number, text or bool in every row",
        got=f"type {kind}",
        cure="Put each value in its own column.",
    )


def _refuse_empty(names: Sequence[str], rows: int) -> None:
    if rows == 0 or not names:
        raise InputError(
            "the table is empty",
            needs="at least one row and one column",
            got=f"{rows} rows, {len(names)} columns",
        )


def _make_duplicates_error(frame: Any) -> InputError:
    names = getattr(frame, "column_names", None) or list(frame.columns)
    return _make_twice_error([str(name) for name in names])


def _make_twice_error(names: Sequence[str]) -> InputError:
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names, 1):
        places.setdefault(name, []).append(number)
    twice = [
        f"{name!r} in columns {', '.join(map(str, several))}"
        for name, several in places.items()
        if len(several) > 1
    ]
    return InputError(
        "column names are not unique",
        needs="a different name for every column",
        got=check.some(twice, limit=len(twice)),
        cure="Rename or remove all but one of each.",
    )


_REPEAT = r"rep(eat)?[._ -]*(?P<repeat>\d+)"
_BOTH = (  # the fold first, as caret writes it, or the repeat first
    re.compile(rf"(?P<fold>.*?\d)[._ -]*{_REPEAT}", re.IGNORECASE),
    re.compile(rf"{_REPEAT}[._ -]*(?P<fold>fold[._ -]*\d+)", re.IGNORECASE),
)

FEWEST = 20  # cases under which an order of outcomes may come about again by chance
RUN = 3  # rows of a fold, on average, from which folds are sorted rather than dealt out


def split_repeats(columns: Columns, fold: str | None, repeat: str | None) -> Columns:
    """Return the columns with a column of repeats that was part of the names of the folds.

    Nothing is done where there is a column of repeats, where none is wanted, and where a fold
    has another name.
    """
    if fold not in columns.names or repeat is None or repeat in columns.names:
        return columns
    codes, labels = columns.codes(fold)
    texts = [str(label).strip() for label in labels.tolist()]
    parsed = next(
        (all_ for form in _BOTH if all(all_ := [form.fullmatch(text) for text in texts])), []
    )
    matches = [match for match in parsed if match is not None]
    if not matches or (codes < 0).any() or len({m["repeat"] for m in matches}) < 2:
        return columns
    import narwhals as nw
    import pyarrow as pa

    folds = np.array([match["fold"] for match in matches])[codes]
    times = np.array([int(match["repeat"]) for match in matches])[codes]
    table = nw.from_native(pa.table({"fold": folds, "repeat": times}), eager_only=True)
    derived = {fold: table.get_column("fold"), repeat: table.get_column("repeat")}
    read = columns.read
    names = (*columns.names, repeat)
    return replace(
        columns, names=names, read=lambda name: derived[name] if name in derived else read(name)
    )


def number_repeats(tested: NDArray[np.bool_], labels: RawArray) -> NDArray[np.intp] | None:
    """Return the repeat of each fold, None where no runs of folds test every case once.

    Parameters
    ----------
    tested : ndarray, shape (F, n)
        Which fold tested which case.
    labels : ndarray, shape (F,)
        What the folds are called; they are looked at in this order, numbers as numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.tables.columns import number_repeats
    >>> number_repeats(np.array([[1, 0], [0, 1], [1, 1]], bool), np.array([1, 2, 3]))
    array([0, 0, 1])
    >>> number_repeats(np.array([[1, 0], [1, 1]], bool), np.array([1, 2])) is None
    True
    """
    repeats = np.zeros(len(labels), np.intp)
    counts, repeat = np.zeros(tested.shape[1], np.intp), 0
    for fold in np.argsort(labels, kind="stable"):
        counts += tested[fold]
        repeats[fold] = repeat
        if counts.max() > 1:
            return None
        if counts.min() == 1:
            counts[:], repeat = 0, repeat + 1
    return repeats if not counts.any() else None


def remark_stacked(columns: Columns, y: Outcome, fold: RawArray | None) -> list[Caution]:
    """Warn of rows that may be repeats of the same cases, stacked without a name.

    So it looks where a real outcome has every value equally often, where the outcomes come in the
    same order again and again, and where sorted folds begin again with the same outcomes.
    """
    values = y[0] if isinstance(y, tuple) else y
    times = _count_by_values(values) or _count_by_order(values) or _count_by_folds(values, fold)
    if times < 2:
        return []
    return [of_evidence.cases_stacked(columns.rows, times)]


def _count_by_values(values: RawArray) -> int:
    """Return how often each value of a real outcome stands there, 0 where that differs."""
    if values.dtype.kind != "f":
        return 0
    levels, counts = np.unique(values, return_counts=True)
    real = len(levels) >= FEWEST and bool((levels != np.rint(levels)).any())
    return int(counts[0]) if real and bool((counts == counts[0]).all()) else 0


def _count_by_order(values: RawArray) -> int:
    """Return how often the outcomes come in the same order, 0 for short and for single orders."""
    n = len(values)
    for period in range(1, n // 2 + 1):
        if n % period == 0 and bool((values[period:] == values[:-period]).all()):
            return n // period if period >= FEWEST else 0
    return 0


def _count_by_folds(values: RawArray, fold: RawArray | None) -> int:
    """Return how often sorted folds begin again, each time with as many of every outcome."""
    if fold is None or fold.ndim != 1 or values.dtype.kind == "f":
        return 0
    starts = np.flatnonzero(np.append(True, fold[1:] != fold[:-1]))
    labels = fold[starts].tolist()
    width = len(set(labels))
    times, remainder = divmod(len(labels), width)
    if width < 2 or times < 2 or remainder or len(values) < RUN * len(labels):
        return 0
    if labels != labels[:width] * times or len(values) // times < FEWEST:
        return 0
    parts = np.split(values, starts[width::width])
    first = np.sort(parts[0])
    return times if all(np.array_equal(np.sort(block), first) for block in parts[1:]) else 0


LARGE = 1 << 26  # bytes from which a matrix is mapped unless the user says otherwise


class ColumnFile:
    """Takes the columns of a matrix, all of one length, and gives it back mapped.

    Parameters
    ----------
    dtype : dtype
        Of its values, which are kept to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.tables.columns import ColumnFile
    >>> with ColumnFile(np.dtype(np.float64)) as columns:
    ...     columns.append(np.array([1.0, 2.0, 3.0]))
    ...     columns.append(np.array([4.0, 5.0, 6.0]))
    ...     matrix = columns.mapped((3, 2, 1, 1))  # cases, configurations, repeats, classes
    >>> matrix[:, :, 0, 0].tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """

    def __init__(self, dtype: np.dtype[np.generic]) -> None:
        self.dtype = dtype
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="earnest-")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, values: RawArray) -> None:
        """Write one column: its values, repeat after repeat."""
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)

    def mapped(self, shape: tuple[int, int, int, int]) -> RawArray:
        """Return the matrix (n, C, R, K); its columns were given by configuration, then class."""
        n, configs, repeats, classes = shape
        self._file.flush()
        step = max(1, BLOCK // max(1, configs * repeats * classes))
        with tempfile.TemporaryFile(prefix="earnest-") as turned:
            for start in range(0, n, step):
                # Mapped anew for each block: pages that were read would stay in memory.
                whole: RawArray = np.memmap(
                    self._file, self.dtype, "r", shape=(configs, classes, repeats, n)
                )
                block = whole[..., start : start + step].transpose(3, 0, 2, 1)
                turned.write(np.ascontiguousarray(block).data)
                del whole, block
            turned.flush()
            return np.memmap(turned, self.dtype, "r", shape=shape)
