"""Reads a file or a frame into the matrix and the outcome that models see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_tables
from earnest.core.data.case_weights import CaseWeights
from earnest.core.data.order import encode_order
from earnest.core.data.subgroups import SubgroupColumn
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, clear_columns
from earnest.core.tables.faults import ColumnFault, make_faults_error
from earnest.core.tables.formats.missing import read_missing
from earnest.core.tables.formats.text import TextOptions
from earnest.core.tables.opening import open_table
from earnest.core.text.doors import arg
from earnest.training.learners.preprocessing import Inputs
from earnest.training.tables.hidden_groups import warn_of_group_columns
from earnest.training.tables.kinds import (
    ENOUGH,
    ColumnFinding,
    ColumnKind,
    is_named_as_identifier,
    look_at,
    look_kept,
)
from earnest.training.tables.moments import PARTS
from earnest.training.tables.outcome import TableOutcome, find_column, read_outcome
from earnest.training.tables.schema import Feature, Schema, make_indices


def open_training_table(
    source: object,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] = (),
    text: Sequence[str] = (),
) -> Columns:
    """Return the columns of a file or of a pandas, polars or Arrow frame, with notes on reading it.

    Parameters
    ----------
    source : str, Path or frame
        A CSV, JSON lines, Parquet, Arrow or Excel file by its suffix, or a frame.
    delimiter, decimal, thousands : str, optional
        What separates the columns of a CSV file, its decimal mark, and the mark between its
        thousands; by default they are read from the file where it tells.
    missing : str or sequence of str
        What stands for a missing value, besides empty cells and the usual marks.
    text : sequence of str
        Columns that are text whatever they hold.
    """
    marks = read_missing(missing)
    if not isinstance(source, str | Path):
        _refuse_no_table(source)
        return clear_columns(Columns.of(source), marks, text)
    options = TextOptions(delimiter, decimal, thousands, marks, frozenset(text))
    with open_table(check.read_path(source).expanduser()) as file:
        return clear_columns(file.read(options), marks, text)


def _refuse_no_table(source: object) -> None:
    """Refuse data without named columns, and say how to name them."""
    import narwhals as nw

    if bool(nw.dependencies.is_into_dataframe(source)):
        return
    kind = f"{type(source).__module__}.{type(source).__qualname__}".removeprefix("builtins.")
    shape = getattr(source, "shape", None)
    cure = f"Make one with pandas.DataFrame(X).assign(y=y), and pass {arg('target', 'y')}."
    if hasattr(source, "collect"):
        cure = "Collect it first."
    elif hasattr(source, "read"):
        cure = "Pass the path of the file."
    raise InputError(
        "the data are not a table with named columns",
        needs="the path of a CSV, Parquet or Arrow file, or a pandas, polars or pyarrow table",
        got=kind if shape is None else f"{kind} of shape {shape}",
        cure=cure,
    )


FEWEST = 10  # cases of a class


def find_layers(task: Task, y: NDArray[np.generic]) -> NDArray[np.int64] | None:
    """Return what samples and folds are stratified by: classes or events; None for numbers."""
    if task is Task.REGRESSION:
        return None
    return np.asarray(
        cast(NDArray[np.void], y)["event"] if task is Task.SURVIVAL else y, dtype=np.int64
    )


def sample_rows(
    n: int,
    most: int,
    rng: np.random.Generator,
    *,
    layers: NDArray[np.int64] | None = None,
    fewest: int = FEWEST,
) -> NDArray[np.intp]:
    """Return about `most` of `n` rows, in their order, classes or events in their shares.

    A class keeps at least `fewest` cases if it has them. All rows are returned if there are no
    more than `most`. Groups lose rows too: a few rows of many groups tell more than all rows of a
    few groups, and large groups would leave too few for the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tables.table import sample_rows
    >>> layers = np.array([0, 0, 0, 0, 1, 1])
    >>> layers[sample_rows(6, 3, np.random.default_rng(0), layers=layers, fewest=1)].tolist()
    [0, 0, 1]
    """
    if n <= most:
        return np.arange(n)
    if layers is None:
        return np.sort(rng.choice(n, most, replace=False))
    chosen = [
        rng.choice(rows, max(round(most * len(rows) / n), min(len(rows), fewest)), False)
        for rows in (np.flatnonzero(layers == code) for code in np.unique(layers))
    ]
    return np.sort(np.concatenate(chosen))


# Cautions about what is left out of a table.

Findings: TypeAlias = Mapping[str, ColumnFinding]


def warn_of_table(
    looks: Mapping[str, ColumnFinding], outcome: TableOutcome, n_rows: int, group: str | None
) -> Iterator[Caution]:
    """Yield what was left out of a table: columns of each kind, and rows without an outcome."""
    makers: tuple[tuple[tuple[ColumnKind, ...], Callable[[Findings], Caution]], ...] = (
        ((ColumnKind.IDENTIFIER,), lambda findings: _warn_of_identifiers(findings, group)),
        ((ColumnKind.OUTCOME,), _warn_of_copies),
        ((ColumnKind.EMPTY, ColumnKind.CONSTANT, ColumnKind.REPEATED), _warn_of_empty),
        ((ColumnKind.NAMES,), _warn_of_names),
        ((ColumnKind.DATE, ColumnKind.TEXT, ColumnKind.LEVELS), _note_encoded),
    )
    for kinds, make in makers:
        findings = {name: look for name, look in looks.items() if look.kind in kinds}
        if findings:
            yield make(findings)
    lost = n_rows - len(outcome.rows)
    if lost:
        yield of_tables.outcomes_missing(lost, n_rows)


def _warn_of_identifiers(findings: Findings, group: str | None) -> Caution:
    several = next((name for name, finding in findings.items() if finding.several), None)
    grouped = several is not None and group is None and is_named_as_identifier(several)
    return of_tables.identifiers_left_out(
        tuple((name, look.n_values) for name, look in findings.items()),
        keep=next(filter(None, findings), ""),
        group=several if grouped else None,
    )


def _warn_of_copies(findings: Findings) -> Caution:
    return of_tables.copies_of_outcome_left_out(
        tuple((name, look.like) for name, look in findings.items())
    )


def _warn_of_empty(findings: Findings) -> Caution:
    return of_tables.empty_left_out(
        tuple((name, str(look.kind), look.like) for name, look in findings.items())
    )


def _warn_of_names(findings: Findings) -> Caution:
    return of_tables.names_left_out(tuple((name, look.n_values) for name, look in findings.items()))


def _note_encoded(findings: Findings) -> Caution:
    kinds = (ColumnKind.DATE, ColumnKind.TEXT, ColumnKind.LEVELS)
    dates, texts, coded = (
        tuple(name for name, look in findings.items() if look.kind is kind) for kind in kinds
    )
    return of_tables.columns_encoded(dates, texts, coded)


def _count_columns(findings: Findings) -> str:
    return "1 column" if len(findings) == 1 else f"{len(findings)} columns"


def _count_left_out(findings: Findings) -> str:
    return f"{_count_columns(findings)} {'is' if len(findings) == 1 else 'are'} left out"


LONG = 1_000_000  # rows from which on kinds are told by the rows that were sampled


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingTable:
    """A table that is ready for training.

    Attributes
    ----------
    X : ndarray of float64, shape (n, p)
        Numbers as they are, categories as codes into the levels of the schema, NaN where missing.
    y : ndarray, shape (n,)
        Codes of the classes (1 is the positive one of two), numbers, or for survival a structured
        array of events and times.
    task : Task
        Binary, multiclass, regression or survival.
    classes : tuple
        The labels in the order of their codes, in the table's own words.
    groups : ndarray of int64, shape (n,), optional
        Codes of the cases that belong together.
    order : ndarray of int64, shape (n,), optional
        The rank of the time of each case.
    inputs : Inputs
        The columns of X.
    schema : Schema
        How another table becomes such a matrix.
    subgroups : tuple of SubgroupColumn
        Columns that divide the cases; models may see them, too.
    weights : CaseWeights, optional
        How much each case counts; no model sees them.
    rows : ndarray of intp, shape (n,)
        Which rows of the table the cases are.
    n_rows, n_known : int
        How many rows the table has, and how many of them have an outcome.
    cautions : tuple of Caution
        What was left out, and why.
    words, task_note : str
        The outcome in short; how the task was chosen if it could be another.
    source : str
        The name of the file.
    """

    X: NDArray[np.float64]
    y: NDArray[np.generic]
    task: Task
    classes: tuple[object, ...]
    groups: NDArray[np.int64] | None
    inputs: Inputs
    schema: Schema
    rows: NDArray[np.intp]
    n_rows: int
    n_known: int
    cautions: tuple[Caution, ...]
    words: str
    task_note: str
    source: str
    subgroups: tuple[SubgroupColumn, ...] = ()
    order: NDArray[np.int64] | None = None
    weights: CaseWeights | None = None

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return len(self.y)

    @property
    def layers(self) -> NDArray[np.int64] | None:
        """What samples and folds are stratified by: classes or events; None for numbers."""
        return find_layers(self.task, self.y)

    def sample(self, most: int, rng: np.random.Generator, *, fewest: int = FEWEST) -> TrainingTable:
        """Return a table of about `most` of the cases, with `fewest` of each class or more."""
        rows = sample_rows(self.n_cases, most, rng, layers=self.layers, fewest=fewest)
        return self if len(rows) == self.n_cases else self.take(rows)

    def count_missing(self) -> dict[str, int]:
        """Return how many cases lack a value of each column that models see.

        A text without a word counts as missing.
        """
        return {
            name: int(np.isnan(self.X[:, self.schema.find_features(name)]).all(axis=1).sum())
            for name in self.schema.columns
        }

    def blank(self, columns: Sequence[str]) -> TrainingTable:
        """Return a table in which some columns are constant, so that they tell nothing."""
        X = self.X.copy()
        for index in (place for name in columns for place in self.schema.find_features(name)):
            values = X[:, index]
            present = values[~np.isnan(values)]
            X[:, index] = present.min() if len(present) else 0.0
        return replace(self, X=X)

    def drop_texts(self) -> TrainingTable | None:
        """Return the table without free text; None where nothing else is there."""
        words = {place for places in self.inputs.texts for place in places}
        if not words:
            return self
        others = [i for i in range(self.inputs.n_columns) if i not in words]
        if not others:
            return None
        schema = replace(self.schema, features=tuple(self.schema.features[i] for i in others))
        X = self.X[:, others]
        return replace(self, X=X, schema=schema, inputs=_make_inputs(X, schema))

    def take(self, cases: NDArray[np.intp]) -> TrainingTable:
        """Return a table of some of the cases."""
        return replace(
            self,
            X=self.X[cases],
            y=self.y[cases],
            groups=None if self.groups is None else _encode_groups(self.groups[cases]),
            inputs=replace(self.inputs, n_cases=len(cases)),
            rows=self.rows[cases],
            subgroups=tuple(column.take(cases) for column in self.subgroups),
            order=None if self.order is None else encode_order(self.order[cases], len(cases)),
            weights=None if self.weights is None else self.weights.take(cases),
        )


def read_training_table(
    source: object,
    *,
    target: str | None = None,
    group: str | None = None,
    when: str | None = None,
    time: str | None = None,
    event: str | None = None,
    task: str | None = None,
    positive: object = None,
    ignore: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    weight: str | None = None,
    weights: str = "importance",
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] = (),
    most_rows: int | None = None,
    fewest: int = FEWEST,
    rng: np.random.Generator | None = None,
) -> TrainingTable:
    """Read a table into the matrix and the outcome that models see.

    A column of numbers is kept unchanged. Text with repeated levels, and booleans, are categories:
    their codes stand in the matrix, their levels in the schema. Dates become numbers such as the
    month, and free text the marks of its words, each in columns of their own. Left out, each with
    a caution, are columns that identify the rows, names with few rows each, and columns that are
    empty, constant, or the same as another or as the outcome. Rows without an outcome are left out
    too.
    The task follows from the outcome: text and two values are classes, integers with at most
    ten values are classes as well (`task_note` tells so), other numbers are numbers; `task`
    overrides it.

    `Schema.encode(table)` makes the same matrix of other rows: it refuses a missing column, and
    text where numbers were, and reads levels that it does not know as missing.

    Parameters
    ----------
    source : str, Path or frame
        A CSV, Parquet or Arrow file, or a pandas, polars or Arrow frame.
    target : str, optional
        The column to be predicted.
    group : str, optional
        The column that tells which cases belong together.
    when : str, optional
        The column with the time of each case, dates or numbers; models see it too.
    time, event : str, optional
        The columns of a survival outcome, in place of `target`.
    task : str, optional
        'binary', 'multiclass', 'regression' or 'survival'.
    positive : object, optional
        The positive class of two; the last in their order by default.
    ignore, keep : str or sequence of str
        Columns to leave out, and columns to use that would be left out.
    delimiter, decimal, thousands : str, optional
        Of a CSV file that does not tell.
    missing : str or sequence of str
        What stands for a missing value, besides empty cells and the usual marks: '?', '-', '.',
        '*', 'n/a', 'none', 'missing' and 'unknown' among numbers and dates, '?', '.' and 'N.A.'
        among text.
    by : str or sequence of str
        Columns that divide the cases into subgroups.
    weight : str, optional
        The column of case weights, and `weights` what they mean.
    most_rows : int, optional
        How many cases to encode at most; more are sampled, classes in their shares.
    fewest : int
        How many cases of a class a sample keeps, if it has them.
    rng : Generator, optional
        What they are sampled with.
    """
    target, group, when, time, event = map(read_name, (target, group, when, time, event))
    marks = read_missing(missing)
    columns = open_training_table(
        source, delimiter=delimiter, decimal=decimal, thousands=thousands, missing=marks
    )
    outcome = read_outcome(
        columns, target=target, time=time, event=event, task=task, positive=positive
    )
    groups = None if group is None else _read_groups(columns, group, outcome.rows)
    weight = read_name(weight)
    roles = {"target": target, "time": time, "event": event, "group": group, "weight": weight}
    named = {role: column for role, column in roles.items() if column is not None}
    _refuse_twice(named)
    cases = np.arange(len(outcome.rows))
    if most_rows is not None:
        layers = find_layers(outcome.task, outcome.y)
        draws = rng if rng is not None else np.random.default_rng(0)
        cases = sample_rows(len(cases), most_rows, draws, layers=layers, fewest=fewest)
    rows = None if len(cases) == columns.rows else outcome.rows[cases]
    looks = _look_at_columns(
        columns, set(named.values()), read_names(ignore), read_names(keep), rows
    )
    schema = _make_schema(looks, named, marks)
    X, schema = drop_constant_parts(schema.encode(columns, rows), schema)
    answers = list_answers(outcome.task, outcome.y[cases], named)
    X, schema, looks = drop_repeats(X, schema, looks, answers, read_names(keep))
    _refuse_nothing(schema, looks)
    return TrainingTable(
        X=X,
        y=outcome.y[cases],
        task=outcome.task,
        classes=outcome.classes,
        groups=None if groups is None else _encode_groups(groups[cases]),
        inputs=_make_inputs(X, schema),
        schema=schema,
        rows=outcome.rows[cases],
        n_rows=columns.rows,
        n_known=len(outcome.rows),
        cautions=(
            *columns.notes,
            *warn_of_table(looks, outcome, columns.rows, group),
            *warn_of_group_columns(X, outcome.y[cases], schema, group),
        ),
        words=outcome.words,
        task_note=outcome.task_note,
        source=columns.source or "the table",
        subgroups=_read_subgroups(columns, read_names(by), outcome.rows[cases]),
        order=None if when is None else _read_order(columns, when, outcome.rows[cases]),
        weights=_read_weights(columns, weight, weights, outcome.rows[cases]),
    )


def _read_weights(
    columns: Columns, name: str | None, kind: str, rows: NDArray[np.intp]
) -> CaseWeights | None:
    """Return how much each case counts; None where all count alike."""
    if name is None:
        return None
    find_column(columns, name, "weight")
    read = CaseWeights.of(columns.array(name)[rows], kind)
    return None if read.equal else read


def _read_subgroups(
    columns: Columns, names: Sequence[str], rows: NDArray[np.intp]
) -> tuple[SubgroupColumn, ...]:
    """Return the columns that divide the cases, a missing value as a level."""
    for name in names:
        find_column(columns, name, "by")
    return tuple(
        SubgroupColumn.of(name, columns.array(name)[rows]) for name in dict.fromkeys(names)
    )


def _read_order(columns: Columns, name: str, rows: NDArray[np.intp]) -> NDArray[np.int64] | None:
    """Return the rank of the time of each case."""
    find_column(columns, name, "when")
    return encode_order(columns.array(name)[rows], len(rows))


def _encode_groups(groups: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return groups numbered from 0 without gaps."""
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _read_groups(columns: Columns, name: str, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    find_column(columns, name, "group")
    codes, _ = columns.complete_codes(name)
    groups = _encode_groups(codes[rows])
    if groups.max() == 0:
        raise InputError(
            f"column {name!r} has only one value", needs="at least two groups", got="one group"
        )
    return groups


def _refuse_twice(roles: Mapping[str, str]) -> None:
    for role, name in roles.items():
        other = next((r for r, n in roles.items() if n == name and r != role), None)
        if other is not None:
            raise InputError(
                f"{arg(role)} and {arg(other)} name the same column",
                needs="one column for each",
                got=repr(name),
            )


def read_names(names: object) -> tuple[str, ...]:
    """Return the names of one or several columns as text; pandas may number columns."""
    if isinstance(names, Iterable) and not isinstance(names, str):
        return tuple(map(str, names))
    return (str(names),)


def read_name(name: object) -> str | None:
    """Return the name of a column as text, or None."""
    return None if name is None else str(name)


def _look_at_columns(
    columns: Columns,
    roles: set[str],
    ignore: Sequence[str],
    keep: Sequence[str],
    rows: NDArray[np.intp] | None,
) -> dict[str, ColumnFinding]:
    """Look at every column, or at the sampled rows if there are very many."""
    present, ignored, wanted = set(columns.names), set(ignore), set(keep)
    for role, names in (("ignore", ignore), ("keep", keep)):
        for name in names:
            if name not in present:
                find_column(columns, name, role)  # says which ones there are
            if name in roles:
                raise InputError(
                    f"{arg(role)} names a column of the outcome or the groups: {name!r}"
                )
    looks: dict[str, ColumnFinding] = {}
    faults: list[ColumnFault] = []
    sampled = None if columns.rows <= LONG else rows
    for name in columns.names:
        if name in ignored:
            looks[name] = ColumnFinding(ColumnKind.IGNORED)
        elif name in columns.doubts:
            faults.append(columns.doubts[name])
        elif name not in roles:
            column = columns.arrow(name)
            seen = column if sampled is None else column.take(make_indices(sampled))
            look = (look_kept if name in wanted else look_at)(name, seen, column)
            if isinstance(look, ColumnFinding):
                looks[name] = look
            elif sampled is None or look.row is None:
                faults.append(look)
            else:
                faults.append(replace(look, row=int(sampled[look.row])))
    if faults:
        raise make_faults_error(faults, columns.name_row)
    return looks


def _make_schema(
    looks: Mapping[str, ColumnFinding], roles: Mapping[str, str], missing: tuple[str, ...]
) -> Schema:
    used = {name: look for name, look in looks.items() if look.kind.used}
    features = tuple(f for name, finding in used.items() for f in _list_features(name, finding))
    left_out = {name: str(look.kind) for name, look in looks.items() if not look.kind.used}
    schema = Schema(features, left_out, dict(roles), missing)
    _refuse_nothing(schema, looks)
    return schema


def _list_features(name: str, finding: ColumnFinding) -> Iterator[Feature]:
    """Yield what a column of a table becomes in the matrix."""
    if finding.kind is ColumnKind.DATE:
        for part in PARTS:
            yield Feature(
                f"{name}: {part}", finding.kind, source=name, part=part, form=finding.form
            )
    elif finding.kind is ColumnKind.TEXT:
        for place in range(finding.n_words):
            yield Feature(f"{name}: word {place + 1}", finding.kind, source=name, part=str(place))
    else:
        yield Feature(name, finding.kind, finding.levels, finding.logical)


def drop_constant_parts(
    X: NDArray[np.float64], schema: Schema
) -> tuple[NDArray[np.float64], Schema]:
    """Leave out the parts of dates that are the same in all rows; the days since 1970 stay."""
    constant = {
        index
        for index, feature in enumerate(schema.features)
        if feature.kind is ColumnKind.DATE
        and feature.part != PARTS[-1]
        and len(np.unique(X[:, index][~np.isnan(X[:, index])])) < 2
    }
    if not constant:
        return X, schema
    varying = [index for index in range(len(schema.features)) if index not in constant]
    features = tuple(schema.features[index] for index in varying)
    return X[:, varying], replace(schema, features=features)


def _refuse_nothing(schema: Schema, looks: Mapping[str, ColumnFinding]) -> None:
    if not schema.features:
        left = [f"{name!r} ({look.kind})" for name, look in looks.items()]
        raise InputError(
            "no features are left",
            needs="at least one column of numbers or categories besides the outcome",
            got=check.some(left) if left else "only the outcome",
        )


def _make_inputs(X: NDArray[np.float64], schema: Schema) -> Inputs:
    return Inputs(
        names=schema.names,
        levels=tuple(len(feature.levels) for feature in schema.features),
        missing=tuple(bool(np.isnan(X[:, column]).any()) for column in range(X.shape[1])),
        n_cases=len(X),
        texts=tuple(
            schema.find_features(name)
            for name in dict.fromkeys(
                feature.source for feature in schema.features if feature.kind is ColumnKind.TEXT
            )
        ),
    )


HEAD = 1000  # rows that are compared first


def drop_repeats(
    X: NDArray[np.float64],
    schema: Schema,
    looks: Mapping[str, ColumnFinding],
    answers: Mapping[str, NDArray[np.generic]],
    keep: tuple[str, ...] = (),
) -> tuple[NDArray[np.float64], Schema, dict[str, ColumnFinding]]:
    """Leave out columns that repeat an earlier one, and copies of the outcome.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The matrix of the schema.
    schema, looks
        What its columns are.
    answers : mapping of str to ndarray
        The columns of the outcome by name; see `list_answers`.
    keep : tuple of str
        Columns to keep even if they are copies of the outcome.
    """
    names = schema.names
    copies = _find_copies(X, answers)
    gone = {
        column: ColumnFinding(ColumnKind.OUTCOME, like=name)
        for column, name in copies.items()
        if names[column] not in keep
    }
    for column, before in _find_repeats(X, schema).items():
        repeat = ColumnFinding(ColumnKind.REPEATED, like=names[before])
        gone.setdefault(column, repeat)
    if not gone:
        return X, schema, dict(looks)
    distinct = [column for column in range(len(names)) if column not in gone]
    left_out = {**schema.left_out, **{names[p]: str(look.kind) for p, look in gone.items()}}
    features = tuple(schema.features[column] for column in distinct)
    smaller = replace(schema, features=features, left_out=left_out)
    return X[:, distinct], smaller, {**looks, **{names[p]: look for p, look in gone.items()}}


def list_answers(
    task: Task, y: NDArray[np.generic], roles: Mapping[str, str]
) -> dict[str, NDArray[np.generic]]:
    """Return the columns of an outcome by name: codes of classes as whole numbers, else floats."""
    if task is not Task.SURVIVAL:
        return {roles["target"]: y}
    pair = cast(NDArray[np.void], y)
    event, time = pair["event"].astype(np.int64), pair["time"].astype(np.float64)
    return {roles["event"]: event, roles["time"]: time}


def _find_repeats(X: NDArray[np.float64], schema: Schema) -> dict[int, int]:
    """Return the columns that repeat another, and which."""
    first: dict[bytes, int] = {}
    repeats: dict[int, int] = {}
    for column, feature in enumerate(schema.features):
        if feature.source:
            continue
        head = np.ascontiguousarray(X[:HEAD, column]).tobytes() + "\0".join(feature.levels).encode()
        before = first.setdefault(head, column)
        if before != column and np.array_equal(X[:, before], X[:, column], equal_nan=True):
            repeats[column] = before
    return repeats


def _find_copies(
    X: NDArray[np.float64], answers: Mapping[str, NDArray[np.generic]]
) -> dict[int, str]:
    """Return the columns that say the same as an outcome in every row, and which outcome."""
    if len(X) < ENOUGH:  # by chance
        return {}
    return {
        column: name
        for column in range(X.shape[1])
        for name, answer in answers.items()
        if _is_same(X[:HEAD, column], answer[:HEAD]) and _is_same(X[:, column], answer)
    }


def _is_same(column: NDArray[np.float64], answer: NDArray[np.generic]) -> bool:
    """Tell whether two columns are equal numbers, or the same classes under other names."""
    if answer.dtype.kind == "f":
        return np.array_equal(column, answer)
    if np.isnan(column).any():
        return False
    levels, codes = np.unique(column, return_inverse=True)
    classes = np.unique(answer)
    pairs = np.unique(codes * (int(classes[-1]) + 1) + answer.astype(np.int64))
    return len(levels) == len(classes) == len(pairs)
