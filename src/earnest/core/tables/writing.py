"""Π as Arrow tables, wide and long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers, count_block_rows
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, label_array

if TYPE_CHECKING:
    import pyarrow as pa


def make_wide_table(pi: Predictions) -> pa.Table:
    """Return a pyarrow table with one column per configuration (and class)."""
    import pyarrow as pa

    names = list_wide_names(pi)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(
            f"the name {twice[0]!r} of a configuration is the name of another column",
            needs="unique column names",
            got=check.some(map(repr, names)),
            cure="Use form='long', or rename the configuration.",
        )
    return pa.Table.from_batches(make_wide_batches(pi, names))


def list_wide_names(pi: Predictions) -> list[str]:
    """Return the names of the columns of a wide table: about the cases, then the predictions."""
    suffixes = [f":{label}" for label in name_columns(pi)] if pi.responses.ndim == 4 else [""]
    return list_about_names(pi) + [name + suffix for name in pi.configs.ids for suffix in suffixes]


def name_columns(pi: Predictions) -> tuple[object, ...]:
    """Return what the last of four axes of responses holds: classes, or the risk and times."""
    if pi.kind is ResponseKind.SURVIVAL:
        return ("risk", *(f"{time:.12g}" for time in pi.target.times))
    return pi.target.classes


def list_unique_names(pi: Predictions) -> list[str]:
    """Return the same names, made different where a configuration is called 'y'."""
    names: dict[str, None] = {}
    for name in list_wide_names(pi):
        while name in names:
            name = f"config:{name}"
        names[name] = None
    return list(names)


def list_about_names(pi: Predictions) -> list[str]:
    """Return the names of the columns about the cases."""
    target = pi.target
    names = ["row_id"] if target.ids is not None or pi.n_repeats > 1 else []
    names += ["repeat"] if pi.n_repeats > 1 else []
    names += ["y"] if target.event is None else ["time", "event"]
    names += ["fold"]
    names += ["group"] if target.groups is not None else []
    names += ["strata"] if target.strata is not None else []
    return names + (["weight"] if target.weights is not None else [])


def make_wide_batches(
    pi: Predictions, names: list[str], values: int = 1 << 24
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a wide table, all cases of a repeat together, in bounded memory."""
    import pyarrow as pa

    for repeat in range(pi.n_repeats):
        block = pi.responses[:, :, repeat]  # (n, C[, K])
        folds = fold_column(pi, repeat)
        step = count_block_rows(block, values)
        for start in range(0, pi.n_cases, step):
            rows = np.arange(start, min(start + step, pi.n_cases))
            arrays = _make_about(pi, rows, repeat, folds)
            flat = np.ascontiguousarray(block[rows[0] : rows[-1] + 1].reshape(len(rows), -1).T)
            arrays += [make_response_column(pi, column) for column in flat]
            yield pa.RecordBatch.from_arrays(arrays, names=names)


def make_response_column(pi: Predictions, column: Numbers) -> pa.Array:
    """Return one column of responses as Arrow: numbers or labels, null where not evaluated."""
    import pyarrow as pa

    if pi.kind is not ResponseKind.LABEL:
        return pa.array(column, from_pandas=True)  # NaN becomes null
    absent = np.isnan(column)
    codes = np.where(absent, 0, column).astype(np.int64)
    return pa.array(label_array(pi.target.classes)[codes], mask=absent)


def fold_column(pi: Predictions, repeat: int) -> pa.Array:
    """Return the folds of a repeat by name, as numbers where all of them are; null for none."""
    import pyarrow as pa

    codes, names = pi.folds[:, repeat], np.array(pi.fold_names[repeat])
    labels = names.astype(np.int64) if is_numbered(pi.fold_names) else names
    return pa.array(labels[np.maximum(codes, 0)], mask=codes < 0)


def is_numbered(fold_names: Iterable[Sequence[str]]) -> bool:
    """Tell whether the folds are numbers that stand in order, so that reading gives them back."""
    for names in fold_names:
        numbers = [int(name) for name in names if _is_number(name)]
        if len(numbers) < len(names) or numbers != sorted(numbers):
            return False
    return True


def _is_number(name: str) -> bool:
    return (
        name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0") and len(name) < 19
    )


def make_outcome_columns(target: Target) -> list[pa.Array]:
    """Return the outcome as Arrow: the labels or numbers, or the times and the events."""
    import pyarrow as pa

    if target.event is not None:
        return [pa.array(target.y), pa.array(target.event)]
    return [pa.array(target.labels)]


def _make_about(
    pi: Predictions, rows: NDArray[np.intp], repeat: int, folds: pa.Array
) -> list[pa.Array]:
    import pyarrow as pa

    target = pi.target.take(rows)
    columns: list[pa.Array] = []
    if target.ids is not None or pi.n_repeats > 1:
        columns.append(pa.array(rows if target.ids is None else target.ids))
    if pi.n_repeats > 1:
        columns.append(pa.array(np.full(len(rows), repeat)))
    columns += [*make_outcome_columns(target), folds.slice(int(rows[0]), len(rows))]
    weights = None if target.weights is None else target.weights.values
    return columns + [pa.array(v) for v in (target.groups, target.strata, weights) if v is not None]


def make_long_table(pi: Predictions) -> pa.Table:
    """Return a pyarrow table with one row per case, configuration and repeat."""
    import pyarrow as pa

    n, width, repeats = pi.responses.shape[:3]
    target, case = pi.target, np.repeat(np.arange(n), width * repeats)
    config = np.tile(np.repeat(np.arange(width), repeats), n)
    repeat = np.tile(np.arange(repeats), n * width)
    folds = pa.concat_arrays([fold_column(pi, r) for r in range(repeats)])  # repeat by repeat
    columns: dict[str, pa.Array] = {
        "row_id": pa.array(case if target.ids is None else target.ids[case]),
        "config_id": pa.array(np.array(pi.configs.ids)[config]),
        "repeat": pa.array(repeat),
        "fold": folds.take(pa.array(repeat * n + case)),
    }
    names = ["y_true"] if target.event is None else ["time", "event"]
    columns |= dict(zip(names, make_outcome_columns(target.take(case)), strict=True))
    for name, codes in (("group", target.groups), ("strata", target.strata)):
        if codes is not None:
            columns[name] = pa.array(codes[case])
    if target.weights is not None:
        columns["weight"] = pa.array(target.weights.values[case])
    return pa.table(columns | _make_long_responses(pi))


def _make_long_responses(pi: Predictions) -> dict[str, pa.Array]:
    prefix = {
        ResponseKind.PROBABILITY: "proba_",
        ResponseKind.DECISION: "score_",
        ResponseKind.SURVIVAL: "survival_",
    }.get(pi.kind)
    if pi.responses.ndim == 4:
        flat = np.ascontiguousarray(pi.responses.reshape(-1, pi.responses.shape[3]).T)
        labels = name_columns(pi)
        return {
            f"{prefix}{label}": make_response_column(pi, column)
            for label, column in zip(labels, flat, strict=True)
        }
    name = "y_pred" if prefix is None else f"{prefix}{pi.target.classes[1]}"
    return {name: make_response_column(pi, pi.responses.reshape(-1))}
