"""Reading the outcome as the user gave it."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import (
    LARGEST,
    RawArray,
    as_array,
    first_other,
    missing,
    same_length,
    whole_as_int,
)
from earnest.core.base.errors import InputError
from earnest.core.data.target import (
    TASKS,
    Target,
    Task,
    encode_classes,
    encode_ids,
    encode_units,
    is_subset,
    look_like_class_columns,
    plain_labels,
    survival_parts,
)

MANY = 30  # whole numbers with more values than this are not taken for classes


def read_target(
    y: object,
    scores: RawArray,
    *,
    task: Task | str | None,
    positive: object,
    classes: tuple[object, ...] | None,
    groups: ArrayLike | None,
    strata: ArrayLike | None,
    ordered: bool,
    ids: ArrayLike | None,
    repeats: int | None = None,
) -> tuple[Target, tuple[object, ...]]:
    """Return the target, and the classes in the order of a class axis."""
    if task is not None:
        task = Task(check.one_of("task", str(task), [str(t) for t in TASKS]))
    pair = _read_pair(y) if task is Task.SURVIVAL else survival_parts(y)
    if pair is not None and task in (None, Task.SURVIVAL):
        _refuse_classes(positive, classes, Task.SURVIVAL)
        return _make_survival(*pair, _read_cases(len(pair[0]), groups, strata, ordered, ids)), ()
    values = _read_column(y)
    about = _read_cases(len(values), groups, strata, ordered, ids)
    classes = None if classes is None else plain_labels(classes)
    task = task or infer_task(values, scores, classes, repeats)
    if task is Task.REGRESSION:
        _refuse_classes(positive, classes, task)
        return _make_regression(values, about), ()
    values = whole_as_int(values)  # 0.0 and 1.0 are the classes 0 and 1
    order = classes or plain_labels(np.unique(values))
    codes, labels = encode_classes(values, task, positive, classes)
    return Target(y=codes, task=task, classes=labels, **about), order


def infer_task(
    values: NDArray[np.generic],
    scores: RawArray,
    classes: tuple[object, ...] | None = None,
    repeats: int | None = None,
) -> Task:
    """Tell the task from the outcome and the form of the scores."""
    if classes is not None:
        return Task.BINARY if len(classes) == 2 else Task.MULTICLASS
    found = np.unique(values)
    numbers = values.dtype.kind in "iuf"
    whole = not numbers or bool((found == np.rint(found)).all())
    if len(found) <= 2 and whole:
        return Task.BINARY
    if not numbers or scores.ndim == 4:
        return Task.MULTICLASS
    if not whole or len(found) > MANY:
        return Task.REGRESSION
    if scores.ndim == 3 and repeats == 1 and scores.shape[2] == len(found):
        return Task.MULTICLASS
    if scores.dtype.kind in "OU" or is_subset(scores, tuple(float(v) for v in found)):
        return Task.MULTICLASS
    if look_like_class_columns(scores, len(found)):
        raise InputError(
            (
                "`y` may hold classes or numbers, and `scores` look like the probabilities of its "
                f"{len(found)} values"
            ),
            needs="`task`",
            got="none",
            cure="Pass task='multiclass' with scores of shape (n, C, R, K), or task='regression'.",
        )
    return Task.REGRESSION


def _read_column(y: object) -> NDArray[np.generic]:
    values = as_array("y", y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 0:
        raise InputError("`y` is a single value", needs="one outcome per case", got=check.show(y))
    if values.ndim != 1:
        raise InputError(
            "multilabel and multi-output targets are not supported",
            needs="one outcome per case, shape (n,)",
            got=f"shape {values.shape}",
            cure=(
                "Estimate each outcome separately; pass one-hot columns as one column of "
                "labels, and times with events as task='survival'."
            ),
        )
    if len(values) == 0:
        raise InputError("`y` is empty", needs="at least two cases", got="none")
    absent = missing(values)
    if absent.any():
        raise InputError(
            "`y` has missing values",
            needs="an outcome for every case",
            got=f"{int(absent.sum())} of {len(values)} missing",
            cure="Remove these cases from y, scores and fold.",
        )
    _check_type(values)
    return values


def _check_type(values: NDArray[np.generic]) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(
            "`y` has infinite values",
            needs="finite numbers",
            got=f"{int(np.isinf(values).sum())} of {len(values)} infinite",
        )
    if values.dtype.kind not in "iufbU":
        kinds = dict.fromkeys(type(v).__name__ for v in values.tolist())
        if values.dtype.kind in "mM":  # to the nanosecond they would be told as integers
            kinds = {"dates" if values.dtype.kind == "M" else "spans of time": None}
        raise InputError(
            "`y` mixes labels of different types"
            if len(kinds) > 1
            else "`y` holds neither labels nor numbers",
            needs="text, integers or bool as labels, or numbers",
            got=check.some(kinds),
            cure="Convert all labels to text with [str(v) for v in y].",
        )


class _Cases(TypedDict):
    """What is known of the cases, whatever the task."""

    groups: NDArray[np.int64] | None
    strata: NDArray[np.int64] | None
    ordered: bool
    ids: NDArray[np.generic] | None


def _read_cases(
    n: int,
    groups: ArrayLike | None,
    strata: ArrayLike | None,
    ordered: bool,
    ids: ArrayLike | None,
) -> _Cases:
    return {
        "groups": encode_units(groups, n, "groups"),
        "strata": encode_units(strata, n, "strata"),
        "ordered": bool(ordered),
        "ids": encode_ids(ids, n),
    }


def _refuse_classes(positive: object, classes: tuple[object, ...] | None, task: Task) -> None:
    for name, value in (("positive", positive), ("classes", classes)):
        if value is not None:
            raise InputError(
                f"`{name}` is for classification, but the task is {task}",
                cure=f"Leave `{name}` out"
                + (", or pass task='binary' or 'multiclass'." if task is Task.REGRESSION else "."),
            )


def _make_regression(values: NDArray[np.generic], about: _Cases) -> Target:
    if values.dtype.kind not in "iufb":
        other = first_other(values)
        raise InputError(
            "`y` is not numeric",
            needs="numbers for a regression",
            got=f"text such as {check.show(values[0].item())}"
            if other is None
            else f"{check.show(other[1])} in row {other[0] + 1}",
            cure="Convert it, or pass task='multiclass'.",
        )
    y = values.astype(np.float64)
    size = float(np.abs(y).max(initial=0.0))
    if size > LARGEST:
        raise InputError(
            "the values of `y` are too large to be squared",
            needs=f"sizes up to {LARGEST:g}",
            got=f"up to {size:g}",
            cure="Measure outcome and predictions in another unit.",
        )
    return Target(y=y, task=Task.REGRESSION, **about)


def _read_pair(y: object) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read times and events out of what the user says is a survival outcome."""
    pair = survival_parts(y)
    table = as_array("y", y) if pair is None else None
    if table is not None and table.ndim == 2 and table.shape[1] == 2:
        pair = survival_parts((as_array("y", table[:, 0]), as_array("y", table[:, 1])))
    if pair is None:
        raise InputError(
            "`y` does not hold times and events",
            needs="a pair (time, event), a structured array, or two columns",
            got=f"shape {None if table is None else table.shape}",
        )
    return pair


def _make_survival(time: NDArray[np.float64], event: NDArray[np.bool_], about: _Cases) -> Target:
    same_length("event", event, len(time))
    bad = ~np.isfinite(time) | (time < 0)
    if bad.any():
        raise InputError(
            "survival times are not valid",
            needs="finite times of at least 0",
            got=f"{int(bad.sum())} of {len(time)} missing, infinite or negative",
        )
    if not event.any():
        raise InputError(
            "every case is censored",
            needs="at least one event",
            got="none",
            cure="Check which column is the event.",
        )
    return Target(y=time, task=Task.SURVIVAL, event=event, **about)
