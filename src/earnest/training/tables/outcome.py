"""The outcome of a table: its task, its classes, and the rows that have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import whole_as_int
from earnest.core.base.errors import InputError
from earnest.core.data.target import (
    TASKS,
    Task,
    encode_classes,
    label_array,
    plain_labels,
    read_target,
    refuse_spellings,
    tell_competing,
    usual_positive,
)
from earnest.core.tables.columns import Columns, refuse_stray_text
from earnest.core.tables.formats.missing import refuse_marks
from earnest.core.text.doors import arg
from earnest.training.fit.problem import make_survival_outcome
from earnest.training.tables.kinds import is_number, is_text
from earnest.training.tables.schema import read_numbers

if TYPE_CHECKING:
    import pyarrow as pa


FEW_CLASSES = 10  # whole numbers with more values than this are numbers,
CASES_A_CLASS = 5  # and those with fewer cases per value
MOST_CLASSES = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class TableOutcome:
    """What is to be predicted.

    Attributes
    ----------
    y : ndarray, shape (n,)
        Codes of the classes, values, or a structured array of events and times.
    task : Task
        What it is.
    classes : tuple
        The labels in the order of their codes, the positive one of two last.
    rows : ndarray of intp, shape (n,)
        The rows of the table that have an outcome.
    words : str
        The outcome in short, for people.
    task_note : str
        How the task was chosen if it could be another one, otherwise empty.
    """

    y: NDArray[np.generic]
    task: Task
    classes: tuple[object, ...]
    rows: NDArray[np.intp]
    words: str
    task_note: str = ""


def read_outcome(
    columns: Columns,
    *,
    target: str | None,
    time: str | None,
    event: str | None,
    task: str | None,
    positive: object,
) -> TableOutcome:
    """Read the outcome; the task is `task`, or follows from the values.

    Text, booleans, and two values of any kind are classes, and so are integers with at most ten
    values and on average at least five cases per value. All other numbers are numbers.
    """
    if task is not None:
        check.one_of("task", str(task), [str(name) for name in TASKS])
    if (time is None) != (event is None):
        raise InputError(
            "a survival outcome needs two columns",
            needs=f"{arg('time')} and {arg('event')}",
            got=f"{arg('time')} alone" if event is None else f"{arg('event')} alone",
        )
    if time is not None and event is not None:
        return _read_survival(columns, target, time, event, task)
    if target is None:
        raise InputError(
            f"{arg('target')} is not given",
            needs=f"the column to predict, or {arg('time')} and {arg('event')} for survival",
            got=f"columns {check.some(map(repr, columns.names), limit=8)}",
        )
    if task == Task.SURVIVAL:
        raise InputError(
            "a survival outcome needs two columns", needs=f"{arg('time')} and {arg('event')}"
        )
    return _read_single(columns, target, None if task is None else Task(task), positive)


def find_column(columns: Columns, name: str, role: str) -> pa.ChunkedArray:
    """Return a column by name; the error names the nearest one."""
    if name not in columns.names:
        raise InputError(
            f"{arg(role)} names no column: there is no {name!r}",
            needs=check.some(map(repr, columns.names), limit=8),
            cure=_suggest_several(name, role, columns.names) or check.nearest(name, columns.names),
        )
    return columns.arrow(name)


def _suggest_several(name: str, role: str, names: Sequence[str]) -> str:
    """Return how to name several columns that were joined by commas."""
    parts = [word.strip() for word in name.split(",")]
    if role not in ("ignore", "keep") or len(parts) < 2 or not set(parts) <= set(names):
        return ""
    options = " ".join(f"--{role} {word}" for word in parts)
    return f"Repeat the option, {options}, or pass a list in Python."


def _read_single(columns: Columns, name: str, task: Task | None, positive: object) -> TableOutcome:
    import pyarrow as pa

    column = find_column(columns, name, "target")
    if pa.types.is_null(column.type) or column.null_count == len(column):
        raise InputError(f"the outcome {name!r} is empty", needs="an outcome in some rows")
    if not (is_number(column.type) or is_text(column.type) or pa.types.is_boolean(column.type)):
        raise InputError(
            f"the outcome {name!r} is neither numbers nor classes",
            needs="numbers, text, or true and false",
            got=str(column.type),
        )
    rows = _find_known(column)
    codes, labels = _encode(name, column.take(pa.array(rows, pa.int64())))
    # Labels such as '1', '2', 'A' are few; numbers that a cell has made text are many.
    if len(labels) > FEW_CLASSES:
        refuse_stray_text(columns, [name])
    if len(labels) < 2:
        raise InputError(
            f"the outcome {name!r} has only one value",
            needs="at least two values",
            got=f"{check.show(labels[0].item(), 30)} in {_describe_rows(len(codes))}",
            cure=f"Check whether {arg('target')} names the right column.",
        )
    if task is None:
        refuse_spellings(name, plain_labels(labels), np.bincount(codes).tolist())
    if task is not Task.MULTICLASS:
        refuse_marks(name, plain_labels(labels), np.bincount(codes).tolist())
    inferred, reason = _choose_task(name, len(codes), labels, task)
    if inferred is Task.REGRESSION:
        _refuse_positive(name, positive)
        return TableOutcome(
            y=labels.astype(np.float64)[codes],
            task=inferred,
            classes=(),
            rows=rows,
            words=f"{name}: {labels[0]:g} to {labels[-1]:g}",
            task_note=reason,
        )
    return _read_classes(name, codes, plain_labels(labels), inferred, positive, rows, reason)


def _describe_rows(count: int) -> str:
    return "the only row" if count == 1 else f"all {count:,} rows"


def _find_known(column: pa.ChunkedArray) -> NDArray[np.intp]:
    """Return the rows that have a value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    valid = pc.is_valid(column)
    if pa.types.is_floating(column.type):
        valid = pc.and_(valid, pc.fill_null(pc.invert(pc.is_nan(column)), False))
    return np.flatnonzero(valid.to_numpy(zero_copy_only=False))


def _encode(name: str, column: pa.ChunkedArray) -> tuple[NDArray[np.intp], NDArray[np.generic]]:
    """Return codes (n,) into the sorted different values: text, bool, whole numbers or floats."""
    import pyarrow as pa

    if is_number(column.type):
        column = pa.array(read_numbers(name, column))
    encoded = column.dictionary_encode()
    labels = encoded.dictionary.to_numpy(zero_copy_only=False)
    levels = whole_as_int(labels) if labels.dtype.kind == "f" else _read_labels(labels)
    order = np.argsort(levels, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy(zero_copy_only=False)], levels[order]


def _read_labels(labels: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return labels as text or bool."""
    truths = labels.dtype == bool or all(isinstance(label, bool) for label in labels)
    return labels.astype(bool if truths else str)


def _choose_task(
    name: str, n: int, levels: NDArray[np.generic], requested: Task | None
) -> tuple[Task, str]:
    """Return the task, with a remark if others might choose another one."""
    numeric = levels.dtype.kind in "if"
    if requested is Task.REGRESSION and not numeric:
        raise InputError(
            f"the outcome {name!r} does not hold numbers",
            needs=f"numbers for {arg('task', 'regression')}",
            got=check.some(map(repr, plain_labels(levels)), limit=3),
            cure=f"Leave {arg('task')} out.",
        )
    if requested is Task.BINARY and len(levels) > 2:
        raise InputError(
            f"the outcome {name!r} has {len(levels):,} values",
            needs=f"two for {arg('task', 'binary')}",
            got=check.some(map(repr, plain_labels(levels)), limit=5),
            cure=f"Use {arg('task', 'multiclass')}.",
        )
    if requested is Task.REGRESSION:
        return requested, ""
    if len(levels) == 2:
        return Task.BINARY, ""
    if requested is not None or not numeric:
        _refuse_many(name, levels, n)
        return Task.MULTICLASS, ""
    few = len(levels) <= FEW_CLASSES and n >= CASES_A_CLASS * len(levels)
    if levels.dtype.kind == "i" and few:
        return Task.MULTICLASS, (
            f"{len(levels)} integers, read as classes (pass {arg('task', 'regression')} otherwise)"
        )
    return Task.REGRESSION, ""


def _refuse_many(name: str, levels: NDArray[np.generic], count: int) -> None:
    if len(levels) > MOST_CLASSES or 2 * len(levels) > count:
        raise InputError(
            f"the outcome {name!r} has {len(levels):,} different values in {count:,} rows",
            needs=f"at most {MOST_CLASSES} classes, each in several rows",
            got=check.some(map(repr, plain_labels(levels)), limit=3),
            cure=f"Check whether {arg('target')} names the right column.",
        )


def _read_classes(
    name: str,
    codes: NDArray[np.intp],
    labels: tuple[object, ...],
    task: Task,
    positive: object,
    rows: NDArray[np.intp],
    reason: str,
) -> TableOutcome:
    if task is Task.BINARY and positive is None:
        positive = usual_positive(labels, np.bincount(codes).tolist())
    class_codes, classes = _encode_labels(name, labels, task, positive)
    y = class_codes[codes]
    counts = np.bincount(y)
    listed = [count_in_words(count, label) for count, label in zip(counts, classes, strict=True)]
    shown = [f"{listed[1]} (positive)", listed[0]] if task is Task.BINARY else listed
    return TableOutcome(
        y=y,
        task=task,
        classes=classes,
        rows=rows,
        words=f"{name}: {check.some(shown, limit=6)}",
        task_note=reason,
    )


def _encode_labels(
    name: str, labels: tuple[object, ...], task: Task, positive: object
) -> tuple[NDArray[np.generic], tuple[object, ...]]:
    """Return the codes of the labels; errors name the column."""
    return encode_classes(label_array(labels), task, positive, None, name=repr(name))


def count_in_words(count: int, label: object) -> str:
    """Return the count of a class in words; 'of' separates it from a numeric label.

    Examples
    --------
    >>> from earnest.training.tables.outcome import count_in_words
    >>> count_in_words(12, "benign"), count_in_words(12, 0)
    ('12 benign', '12 of 0')
    """
    return f"{count:,} {label}" if isinstance(label, str) else f"{count:,} of {label}"


def _read_survival(
    columns: Columns, target: str | None, time: str, event: str, task: str | None
) -> TableOutcome:
    if target is not None or task not in (None, Task.SURVIVAL):
        raise InputError(
            f"{arg('time')} and {arg('event')} are a survival outcome",
            got=f"{arg('target')} {target!r} too"
            if target is not None
            else f"{arg('task')} {task!r} too",
            cure="Leave it out.",
        )
    times, events = find_column(columns, time, "time"), find_column(columns, event, "event")
    rows = np.intersect1d(_find_known(times), _find_known(events))
    if not len(rows):
        raise InputError("the outcome is empty", needs="a time and an event in some rows")
    seen = _read_events(event, events)[rows]
    pair = (read_numbers(time, times)[rows], seen)
    nothing: NDArray[np.float64] = np.zeros((len(rows), 1))
    read_target(
        pair, nothing, task=Task.SURVIVAL, positive=None, classes=None, groups=None, strata=None,
        ordered=False, ids=None,
    )  # fmt: skip
    return TableOutcome(
        y=np.asarray(make_survival_outcome(pair)),
        task=Task.SURVIVAL,
        classes=(),
        rows=rows,
        words=f"{event}: {int(seen.sum()):,} events, {int((~seen).sum()):,} censored",
    )


def _read_events(name: str, column: pa.ChunkedArray) -> NDArray[np.bool_]:
    import pyarrow as pa

    if pa.types.is_boolean(column.type) or is_number(column.type):
        values = read_numbers(name, column)
        present = values[~np.isnan(values)]
        if np.isin(present, (0.0, 1.0)).all():
            return np.nan_to_num(values).astype(bool)
        kinds = np.unique(present).tolist()
        got = f"values such as {present[~np.isin(present, (0.0, 1.0))][0]:g}"
    elif is_text(column.type):
        kinds = column.unique().drop_null().to_pylist()
        got = check.some(map(repr, kinds), limit=3)
    else:
        kinds, got = [], str(column.type)
    raise InputError(
        f"the event {name!r} does not hold events",
        needs="1 or true if the event was seen, 0 or false if the case is censored",
        got=got,
        cure=f"Write it as 1 and 0. {tell_competing(len(kinds))}".rstrip(),
    )


def _refuse_positive(name: str, positive: object) -> None:
    if positive is not None:
        raise InputError(
            f"{arg('positive')} needs two classes",
            got=f"numbers in {name!r}",
            cure=f"Leave {arg('positive')} out, or pass {arg('task', 'binary')}.",
        )
