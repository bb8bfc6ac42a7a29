"""CSV: a table as text, after one line that says what a table cannot hold."""

from __future__ import annotations

import csv as plain_csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, TextRow
from earnest.core.tables.formats.expanding import read_gzip
from earnest.core.tables.formats.header import HeaderFacts, make_changed_error
from earnest.core.tables.formats.numbers import (
    CODE,
    ReadNumbers,
    are_codes,
    check_marks,
    has_only_thousands,
    read_written,
)
from earnest.core.tables.formats.written_wide import list_column_types
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa


SIGNS = ("delimiter", "decimal", "thousands")  # options of CSV alone
LABELS = frozenset({"group", "fold", "repeat", "strata"})  # columns of names, if they are there


@dataclass(frozen=True)
class TextOptions:
    """What a user says of the signs of a text table, and which of its columns hold names.

    Parameters
    ----------
    delimiter, decimal, thousands : object, optional
        What separates the columns, and the marks before the decimals and between the thousands;
        by default the file tells.
    missing : tuple of str, optional
        What stands for a missing value besides the usual marks; if None, none is looked for.
    text : frozenset of str
        Columns that are text whatever they hold, besides those that name cases and configurations.
    labels : frozenset of str
        Columns of labels, in which no number is made out of text.
    """

    delimiter: object = None
    decimal: object = None
    thousands: object = None
    missing: tuple[str, ...] | None = ()
    text: frozenset[str] = frozenset()
    labels: frozenset[str] = LABELS

    @classmethod
    def of(
        cls,
        options: Mapping[str, object],
        *,
        missing: tuple[str, ...] | None,
        text: Iterable[str] = (),
        labels: Iterable[str] = LABELS,
    ) -> TextOptions:
        """Return the signs that are among the options of a reader, with what its columns are."""
        delimiter, decimal, thousands = map(options.get, SIGNS)
        return cls(delimiter, decimal, thousands, missing, frozenset(text), frozenset(labels))

    @property
    def marks(self) -> dict[str, object]:
        """The signs, which only a text table has."""
        return {name: getattr(self, name) for name in SIGNS}


# From the bytes of a text table to its columns: delimiters, decimals and what is missing.


NAMES = frozenset({"row_id", "id", "config_id"})  # columns that are read as text at first
_BLOCK = 1 << 30  # bytes whose values decide the types of the columns


@dataclass(frozen=True)
class ParsedText:
    """The table of a text, and what separates its columns."""

    numbers: ReadNumbers
    delimiter: str


def peek_names(path: Path, suffix: str) -> list[str]:
    """Return the names of the columns of a text table, by its first lines alone."""
    with path.open("rb") as file:
        start = file.read(LOOKED_AT)
    text = _decode_to_utf8(start[: start.rfind(b"\n") + 1] or start, path)[0].decode("utf-8-sig")
    mark = find_separator(text, suffix) or guess_delimiter(suffix)
    _, names = next(list_rows(text.encode(), mark), (1, []))
    return [name.strip() for name in names]


def drop_cut_row(data: bytes, suffix: str) -> tuple[bytes, bool]:
    """Return a text without a last row that is cut off, and whether there was one."""
    if data.endswith(b"\n"):
        return data, False
    head, _, last = data.rpartition(b"\n")
    mark = find_separator(head[:LOOKED_AT].decode("utf-8-sig", "replace"), suffix)
    delimiter = mark or guess_delimiter(suffix)
    _, names = next(list_rows(head, delimiter), (1, []))
    _, cells = next(list_rows(last, delimiter), (1, []))
    is_cut = bool(head) and len(cells) < len(names)
    return (head + b"\n", True) if is_cut else (data, False)


def parse_text(data: bytes, path: Path, suffix: str, options: TextOptions) -> ParsedText:
    """Return the Arrow table of a text in UTF-8, and a note where numbers had to be made out."""
    import pyarrow as pa

    line = _read_first_line(data, path)
    delimiter = _find_delimiter(line, path, suffix, options)
    decimal = check_marks(_check_decimal(options.decimal), options.thousands)
    ids = {*NAMES, *options.text}
    names = ids | {name for name in line.rstrip("\r").split(delimiter) if name.strip() in ids}
    try:
        table = _parse(data, delimiter, decimal or ".", names)
    except pa.ArrowInvalid:
        _refuse_ragged(data, delimiter, path)
        _refuse_open_quote(data, path)
        raise
    names |= (codes := _find_codes(data, delimiter, table, names))
    if codes:
        table = _parse(data, delimiter, decimal or ".", names)
    if decimal is None and delimiter != "," and _has_decimal_commas(table, names):
        other = _parse(data, delimiter, ",", names)
        if _count_texts(other) < _count_texts(table) and not has_only_thousands(table, names):
            table, decimal = other, ","
    binary = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if binary:
        raise _make_other_bytes_error(
            path, f"other bytes in column {check.some(map(repr, binary))}"
        )
    numbers = read_written(
        table,
        path,
        names | options.labels,
        decimal,
        signs={"decimal": options.decimal, "thousands": options.thousands},
        missing=options.missing,
        counts={} if options.missing is None else _count_nulls(data, delimiter, table),
    )
    notes = (*numbers.notes, *_note_codes(table, codes - ids, path))
    table = _read_plain_ids(_tidy(numbers.table))
    return ParsedText(replace(numbers, table=table, notes=notes), delimiter)


def _find_codes(data: bytes, delimiter: str, table: pa.Table, names: set[str]) -> set[str]:
    """Return the columns of whole numbers that are codes, see `are_codes`."""
    import pyarrow as pa
    from pyarrow import csv

    whole = {field.name for field in table.schema if pa.types.is_integer(field.type)} - names
    edge = rf'[\s"{re.escape(delimiter)}]'.encode()
    code = re.compile(rb"(^|" + edge + rb")0[0-9]+(" + edge + rb"|$)")
    if not whole or not code.search(data) or len(set(table.column_names)) < table.num_columns:
        return set()
    texts = csv.read_csv(
        make_buffer(data),
        read_options=csv.ReadOptions(block_size=measure_block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            include_columns=sorted(whole), column_types=dict.fromkeys(whole, pa.string())
        ),
    )
    return {name for name in whole if are_codes(texts.column(name))}


def _count_nulls(data: bytes, delimiter: str, table: pa.Table) -> dict[str, Mapping[str, int]]:
    """Return how many cells of each column the parser read as missing by itself, by their words."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    if len(set(table.column_names)) < table.num_columns:
        return {}  # refused later
    names = {name for name in table.column_names if table.column(name).null_count}
    if not names or not _NULL.search(data):
        return {}
    texts = csv.read_csv(
        make_buffer(data),
        read_options=csv.ReadOptions(block_size=measure_block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            include_columns=sorted(names),
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            **STRINGS,
        ),
    )
    counts: dict[str, Mapping[str, int]] = {}
    for name in (name for name in table.column_names if name in names):
        cells = texts.column(name).filter(pc.is_null(table.column(name)))
        words = pc.utf8_trim_whitespace(cells.drop_null())
        words = words.filter(pc.not_equal(words, ""))
        if len(words):
            values = pc.value_counts(words).to_pylist()
            counts[name.strip()] = {value["values"]: value["counts"] for value in values}
    return counts


# What Arrow reads as missing in every column.
_NULL = re.compile(rb"#N/?A|[Nn]/[Aa]|\bNA\b|NULL|null|[Nn]a[Nn]|1\.#(IND|QNAN)")


def _note_codes(table: pa.Table, codes: set[str], path: Path) -> tuple[Caution, ...]:
    if not codes:
        return ()
    import pyarrow.compute as pc

    examples = []
    for name in (name for name in table.column_names if name in codes):
        column = table.column(name)
        row = pc.index(pc.match_substring_regex(column, CODE), True).as_py()
        examples.append((name.strip(), column[row].as_py().strip()))
    return (of_tables.digits_read_as_codes(path.name, tuple(examples)),)


def list_rows(data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a text that are not empty, each with the line of the file it begins in."""
    reader = plain_csv.reader(
        io.StringIO(data.decode("utf-8-sig", "replace"), newline=""), delimiter=delimiter
    )
    begins = 1
    try:
        for row in reader:
            if row:
                yield begins, row
            begins = reader.line_num + 1
    except plain_csv.Error:  # a field too long to be looked at
        return


def _refuse_ragged(data: bytes, delimiter: str, path: Path) -> None:
    """Refuse rows that have more or fewer fields than the first line, by their lines."""
    rows = list_rows(data, delimiter)
    _, names = next(rows, (1, [""]))
    width = len(names)
    if width == 1:
        raise _make_lines_above_error(names[0], path)
    ragged = [(line, len(row)) for line, row in rows if len(row) != width]
    if not ragged:
        return
    more = any(count > width for _, count in ragged)
    raise FormatError(
        f"{path.name!r} has lines with another number of fields than its first line",
        needs=f"{width} fields in every line, separated by {delimiter!r}",
        got=check.some((f"{count} in line {line}" for line, count in ragged), limit=5),
        cure="Correct these lines."
        + (f" A text that contains {delimiter!r} needs quotation marks around it." * more),
    )


def _refuse_open_quote(data: bytes, path: Path) -> None:
    """Refuse a text in which all that follows a quotation mark stands in one field."""
    line = next((k for k, text in enumerate(data.split(b"\n"), 1) if text.count(b'"') % 2), None)
    if data.count(b'"') % 2:
        raise FormatError(
            f"a quotation mark in {path.name!r} is never closed",
            needs="two quotation marks around a text",
            got=f"one in line {line}",
            cure="Close it, or remove it.",
        )


# An empty cell is missing in a column of text too, a quoted one is text.
STRINGS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}


def _parse(data: bytes, delimiter: str, decimal: str, names: set[str]) -> pa.Table:
    """Return the table of a CSV; the columns of these names stay text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        make_buffer(data),
        read_options=csv.ReadOptions(block_size=measure_block(data)),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), decimal_point=decimal, **STRINGS
        ),
    )


def _has_decimal_commas(table: pa.Table, names: set[str]) -> bool:
    """Tell whether a column that was read as text has numbers with decimal commas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return any(
        pc.any(pc.match_substring_regex(table.column(index), _COMMA)).as_py()
        for index, field in enumerate(table.schema)
        if pa.types.is_string(field.type) and field.name not in names
    )


_COMMA = r"^\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*$"


def _count_texts(table: pa.Table) -> int:
    import pyarrow as pa

    return sum(pa.types.is_string(field.type) for field in table.schema)


def _read_first_line(data: bytes, path: Path) -> str:
    try:
        return data.partition(b"\n")[0].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _make_other_bytes_error(path, "other bytes in the names of the columns") from error


def _make_other_bytes_error(path: Path, got: str) -> FormatError:
    return FormatError(
        f"{path.name!r} is not UTF-8",
        got=got,
        cure="Save it as 'CSV UTF-8'.",
    )


def _tidy(table: pa.Table) -> pa.Table:
    """Return the table without spaces around texts, and without empty columns that have no name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [str(name).strip() for name in table.column_names]
    columns = []
    for column in table.columns:
        if pa.types.is_string(column.type):
            trimmed = pc.utf8_trim_whitespace(column)
            gone = pc.and_(pc.equal(trimmed, ""), pc.not_equal(column, ""))
            column = pc.if_else(gone, pa.scalar(None, pa.string()), trimmed)
        columns.append(column)
    filled = [k for k, name in enumerate(names) if name or columns[k].null_count < len(columns[k])]
    return pa.table([columns[k] for k in filled], names=[names[k] for k in filled])


def _read_plain_ids(table: pa.Table) -> pa.Table:
    """Let names of cases that are plain numbers be numbers, as in other formats; '01' stays."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in ("row_id", "id"):
        index = table.column_names.index(name) if table.column_names.count(name) == 1 else None
        if index is None:
            continue
        column = table.column(index)
        if pc.all(pc.match_substring_regex(column, "^(0|-?[1-9][0-9]{0,17})$")).as_py():
            table = table.set_column(index, name, column.cast(pa.int64()))
    return table


def guess_delimiter(suffix: str) -> str:
    """Return what separates columns where nothing else is said."""
    return "\t" if suffix == ".tsv" else ","


def _find_delimiter(line: str, path: Path, suffix: str, options: TextOptions) -> str:
    """Return what separates the columns: as said, as usual, or the semicolon if the names tell."""
    delimiter = options.delimiter
    mark = guess_delimiter(suffix) if delimiter is None else delimiter
    if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii():
        raise FormatError(
            f"{arg('delimiter')} cannot be used",
            needs="one character such as ',' or ';'",
            got=check.show(mark),
        )
    other = next((sign for sign in ";,\t|" if sign in line), None)
    if mark in line or other is None:
        return mark
    if delimiter is None and other == ";" and "," not in line:
        return other
    raise FormatError(
        f"{path.name!r} is not separated by {mark!r}",
        needs=f"several columns, separated by {mark!r}",
        got=f"one column {check.show(line.strip())}",
        cure=f"Pass {arg('delimiter', other)}.",
    )


def _check_decimal(mark: object) -> str | None:
    """Return the mark before the decimals, None where the numbers are to tell."""
    if mark is not None and (not isinstance(mark, str) or mark not in (".", ",")):
        raise FormatError(
            f"{arg('decimal')} is not a valid separator", needs="'.' or ','", got=check.show(mark)
        )
    return mark


def make_buffer(data: bytes | memoryview) -> pa.BufferReader:
    """Return bytes as a file that Arrow reads."""
    import pyarrow as pa

    return pa.BufferReader(data)


def measure_block(data: bytes | memoryview) -> int:
    """Return the size of a block that holds the whole text, as far as Arrow allows."""
    return max(1, min(len(data) + 1, _BLOCK))


# Text tables as people have them: what separates their columns, their encoding, their names.


MARKS = ",;\t|"
LOOKED_AT = 1 << 16  # bytes, and
LINES = 50  # lines that tell what separates the columns
_QUOTED = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"^\s*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?\s*$")
_DATE = re.compile(r"^\s*[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}")
_SEP = re.compile(rb"^(?:\xef\xbb\xbf)?\s*[sS][eE][pP]=(.)[ \t]*\r?\n")
BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_as_utf8(path: Path, suffix: str) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the text of a file in UTF-8, and a caution where its encoding had to be guessed."""
    return _decode_to_utf8(read_gzip(path) if suffix.endswith(".gz") else path.read_bytes(), path)


def read_text(data: bytes, path: Path, suffix: str, options: TextOptions) -> Columns:
    """Return the columns of a text in UTF-8 that anyone may have written, with notes about it.

    What separates the columns is what stands in every line equally often. Text that is not UTF-8
    is read as Windows-1252, which older spreadsheets write, with a caution. A first line that is
    like the others has no names, and is refused.

    Parameters
    ----------
    data : bytes
        The text, as `read_as_utf8` gives it.
    path : Path
        The file, for messages.
    suffix : str
        Its suffix, which says what separates the columns if nothing else does.
    options : TextOptions
        What the user says of it.
    """
    sep_line = _SEP.match(data)  # a line by which spreadsheets tell the separator
    above = 1 if sep_line else 0
    data = data[sep_line.end() :] if sep_line else data
    text = data[:LOOKED_AT].decode("utf-8-sig", "replace")
    if not text.strip("\0 \t\r\n"):
        raise FormatError(f"{path.name!r} is empty", needs="a table with at least one row")
    data = data if b"\n" in data or b"\r" in data else data + b"\n"  # names alone are a table, too
    mark = options.delimiter or (sep_line and sep_line[1].decode()) or find_separator(text, suffix)
    if mark is None:
        _refuse_lines_above(text, suffix, path)
    parsed = parse_text(
        data, path, suffix, options if mark is None else replace(options, delimiter=mark)
    )
    table = parsed.numbers.table
    _refuse_nameless(table, path)
    _refuse_no_names(table, path)

    def find_row(row: int) -> TextRow:
        rows = list_rows(read_as_utf8(path, suffix)[0], parsed.delimiter)  # only errors ask for it
        _, names = next(islice(rows, above, None), (1, []))
        line, cells = next(islice(rows, row, None), (row + 2 + above, []))
        stripped = (name.strip() for name in names)
        return TextRow(line, dict(zip(stripped, cells, strict=False)))

    doubts = {doubt.name: doubt for doubt in parsed.numbers.doubts}
    notes = parsed.numbers.notes
    return replace(
        Columns.of(table),
        find_row=find_row,
        doubts=doubts,
        notes=notes,
        cleared=options.missing is not None,
    )


def _decode_to_utf8(data: bytes, path: Path) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the same text in UTF-8; bytes that are not text are left for the reader."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace").encode(), ()
    if data.isascii():  # fast, and nearly always so
        return data, ()
    try:
        data.decode()
        return data, ()
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return data, ()
    return text.encode(), (_remark_encoding(text, path),)


def _remark_encoding(text: str, path: Path) -> Caution:
    shown = next((w for w in re.findall(r"[^\s,;|\"]+", text) if not w.isascii()), "")
    return of_tables.read_as_windows_1252(path.name, shown)


def find_separator(text: str, suffix: str = ".csv") -> str | None:
    r"""Return what separates the columns: what stands in every line equally often, and oftenest.

    None where nothing does, so that the reader has to decide or to complain.

    Examples
    --------
    >>> from earnest.core.tables.formats.text import find_separator
    >>> find_separator("name;size, cm\nA;1,5\nB;2\n"), find_separator("a,b\n1;2,3\n")
    (';', ',')
    """
    whole = text[: text.rfind("\n")] if len(text) >= LOOKED_AT else text
    lines = [line for line in _QUOTED.sub("", whole).splitlines() if line.strip()][:LINES]
    usual = guess_delimiter(suffix)
    counts = {mark: {line.count(mark) for line in lines} for mark in (usual, *MARKS)}
    same = {mark: numbers.pop() for mark, numbers in counts.items() if len(numbers) == 1}
    best = max(same, key=lambda mark: same[mark], default=usual)
    return best if same.get(best, 0) > 0 else None


def _refuse_lines_above(text: str, suffix: str, path: Path) -> None:
    """Refuse a title above the names, and columns that single spaces separate."""
    first, _, below = text.lstrip("\r\n\ufeff").partition("\n")
    mark = find_separator(below, suffix)
    separated = mark is not None and mark not in first and any(sign in first for sign in MARKS)
    if mark is not None and not separated and below.count("\n") > 1:
        raise _make_lines_above_error(first, path)
    lines = [line.strip() for line in text.splitlines() if line.strip()][:LINES]
    if len(lines) > 1 and len({line.count(" ") for line in lines}) == 1 and " " in lines[0]:
        raise FormatError(
            f"{path.name!r} has only one column",
            needs="columns separated by commas, semicolons, tabs or bars",
            got=check.show(lines[0], 40),
            cure=f"Pass {arg('delimiter', ' ')} if single spaces separate them.",
        )


def _make_lines_above_error(first: str, path: Path) -> FormatError:
    return FormatError(
        f"the first line of {path.name!r} has different columns from the lines below",
        needs="the names of the columns in the first line",
        got=check.show(first.strip(), 40),
        cure="Remove everything above the column names, or give every column a name.",
    )


def _refuse_nameless(table: pa.Table, path: Path) -> None:
    """Refuse several columns that have values and no name."""
    count = sum(not name for name in table.column_names)
    if count > 1:
        raise FormatError(
            f"{count} columns of {path.name!r} have no name",
            needs="the names of the columns in the first line",
            got=check.some(map(repr, table.column_names), limit=6),
            cure="Name them, and remove everything above the names.",
        )


def _refuse_no_names(table: pa.Table, path: Path) -> None:
    """Refuse a table whose first line is a row like the others.

    So it is when every name could be a value of its column: a number above numbers, a word above
    the same word. Names that count on in equal steps (0, 1, 2; 400, 402, 404) are names.
    """
    names = [str(name) for name in table.column_names]
    if not names or not table.num_rows or _count_on(names):
        return
    alike = [_is_alike(name, table.column(k)) for k, name in enumerate(names) if name.strip()]
    if not alike or not all(alike):
        return
    raise FormatError(
        f"the first line of {path.name!r} looks like data, not column names",
        needs="the names of the columns in the first line",
        got=check.some(map(repr, names), limit=6),
        cure="Add a line with column names above it.",
    )


def _count_on(names: list[str]) -> bool:
    whole = [int(name) for name in names if name.strip().isascii() and name.strip().isdigit()]
    steps = {after - before for before, after in pairwise(whole)}
    return len(whole) > 2 and len(steps) == 1 and steps != {0}


def _is_alike(name: str, column: pa.ChunkedArray) -> bool:
    """Tell whether a name could be a value of its column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return bool(_NUMBER.match(name))
    if pa.types.is_boolean(kind):
        return name.strip().lower() in ("true", "false")
    if pa.types.is_string(kind):
        return bool(_NUMBER.match(name) or _DATE.match(name) or pc.index(column, name).as_py() >= 0)
    return bool(_DATE.match(name) or pa.types.is_null(kind))


def write_csv(
    path: Path, suffix: str, schema: str, header: str, batches: Iterator[pa.RecordBatch]
) -> None:
    """Write the header as a comment, and the table with every digit of its numbers."""
    import pyarrow as pa
    from pyarrow import csv

    first = next(batches)
    options = csv.WriteOptions(delimiter=guess_delimiter(suffix))
    with ExitStack() as stack:
        sink = stack.enter_context(path.open("wb"))
        if suffix.endswith(".gz"):
            sink = stack.enter_context(pa.CompressedOutputStream(sink, "gzip"))
        sink.write(f"# {schema} {header}\n".encode())
        writer = stack.enter_context(csv.CSVWriter(sink, first.schema, write_options=options))
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


@dataclass(frozen=True)
class TextFile:
    """The bytes of a text table, and what earnest wrote above it, if it wrote the file.

    Parameters
    ----------
    path, suffix
        The file, and how its name ends.
    data : bytes
        The text in UTF-8.
    header : str, optional
        The first line of a file of earnest's own.
    begin : int
        Where the table begins.
    notes : tuple of Caution
        What was guessed of the encoding.
    """

    path: Path
    suffix: str
    data: bytes
    header: str | None
    begin: int
    notes: tuple[Caution, ...]

    def read_batches(self, facts: HeaderFacts) -> Iterator[pa.RecordBatch]:
        """Read the table by what its header says."""
        return _read_own(memoryview(self.data)[self.begin :], facts, guess_delimiter(self.suffix))

    def read(self, options: TextOptions) -> Columns:
        """Return the columns, with cautions about what was guessed."""
        columns = read_text(self.data[self.begin :], self.path, self.suffix, options)
        find_row = columns.find_row if self.header is None else None
        return replace(columns, find_row=find_row, notes=(*self.notes, *columns.notes))


def open_text(path: Path, suffix: str) -> TextFile:
    """Read the bytes of a text table, and the header of a file that earnest wrote."""
    data, notes = read_as_utf8(path, suffix)
    if not data[:200].removeprefix(BOM).lstrip(b'"').startswith(_BEGINS):
        return TextFile(path, suffix, data, None, 0, notes)
    end = max(data.find(b"\n"), 0) or len(data)
    header = _read_header_line(data[:end].removeprefix(BOM), path)
    return TextFile(path, suffix, data, header, end + 1, notes)


_BEGINS = b"# earnest/"  # the schema of what earnest wrote follows


def peek_header(path: Path, suffix: str) -> str | None:
    """Return the header of a file that earnest wrote, None where it did not."""
    if suffix.endswith(".gz"):
        line = read_as_utf8(path, suffix)[0].partition(b"\n")[0]
    else:
        with path.open("rb") as file:
            line = file.readline()
    return _read_header_line(line, path) if line.startswith(_BEGINS) else None


def _read_header_line(line: bytes, path: Path) -> str:
    if line.startswith(b'"'):
        raise make_changed_error(path, "the first line as it was written", "a line in quotes")
    return line.decode().split(" ", 2)[2] if line.count(b" ") > 1 else line[2:].decode()


def _read_own(data: memoryview, facts: HeaderFacts, delimiter: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import csv

    types = list_column_types(facts)
    names = [str(position) for position in range(len(types))]
    table = csv.read_csv(
        make_buffer(data),
        read_options=csv.ReadOptions(
            column_names=names, skip_rows_after_names=1, block_size=measure_block(data)
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)), null_values=[""], **STRINGS
        ),
    )
    yield from table.to_batches()
