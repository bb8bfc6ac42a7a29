"""The wide table that earnest writes, read back by the places of its columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import RawArray
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import label_array
from earnest.core.tables.formats.header import HeaderFacts, make_changed_error
from earnest.core.tables.writing import is_numbered

if TYPE_CHECKING:
    import pyarrow as pa


def list_column_types(facts: HeaderFacts) -> list[pa.DataType]:
    """Return the Arrow types of all columns of a file with this header."""
    import pyarrow as pa

    labels = pa.array(label_array(tuple(facts["classes"]))).type if facts["classes"] else None
    types = {
        "row_id": pa.string() if facts["ids"] == "str" else pa.int64(),
        "repeat": pa.int64(),
        "y": labels or pa.float64(),
        "time": pa.float64(),
        "event": pa.bool_(),
        "fold": pa.int64() if is_numbered(facts["fold_names"]) else pa.string(),
        "group": pa.int64(),
        "strata": pa.int64(),
        "weight": pa.float64(),
    }
    response = labels if facts["kind"] == ResponseKind.LABEL else pa.type_for_alias(facts["dtype"])
    width = int(np.prod(facts["shape"][1:])) // facts["shape"][2]
    return [types[name] for name in facts["columns"]] + [response] * width


def read_wide(
    facts: HeaderFacts, batches: Iterable[pa.RecordBatch], path: Path
) -> dict[str, RawArray]:
    """Return the arrays of Π from the batches of its table."""
    n, _, repeats = facts["shape"][:3]
    about: dict[str, list[RawArray]] = {name: [] for name in facts["columns"]}
    responses = np.empty(facts["shape"], dtype=facts["dtype"])
    types = list_column_types(facts)
    start = 0
    for batch in batches:
        if batch.num_columns != len(types) or start + batch.num_rows > n * repeats:
            raise make_changed_error(
                path,
                f"{n * repeats} rows and {len(types)} columns",
                f"{batch.num_columns} columns, or more rows",
            )
        columns = [c.cast(t) for c, t in zip(batch.columns, types, strict=True)]
        for name, column in zip(about, columns, strict=False):
            about[name].append(read_about(facts, name, column, path))
        _fill(facts, responses, columns[len(about) :], start)
        start += batch.num_rows
    if start != n * repeats:
        raise make_changed_error(path, f"{n * repeats} rows", f"{start} rows")
    whole = {name: np.concatenate(parts) for name, parts in about.items()}
    return assemble_arrays(facts, whole, path) | {"responses": responses}


def read_about(facts: HeaderFacts, name: str, column: pa.Array, path: Path) -> RawArray:
    """Return one column about the cases; labels of classes and folds as codes."""
    if name == "fold":
        return _fold_names(column)
    if column.null_count:
        raise make_changed_error(path, f"a value in every row of column {name!r}", "missing values")
    if name == "y" and facts["classes"]:
        codes = encode_classes_of_column(column, tuple(facts["classes"]))
        if np.isnan(codes).any():
            raise make_changed_error(
                path, f"the classes {facts['classes']}", f"others in column {name!r}"
            )
        return codes.astype(np.int64)
    text = name == "row_id" and facts["ids"] == "str"
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=str if text else None)


def _fold_names(column: pa.Array) -> RawArray:
    import pyarrow as pa

    return np.asarray(column.cast(pa.string()).to_numpy(zero_copy_only=False), dtype=object)


def encode_classes_of_column(column: pa.Array, classes: tuple[object, ...]) -> NDArray[np.float64]:
    """Return the places of labels among the classes, NaN where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.index_in(column, value_set=pa.array(label_array(classes)).cast(column.type))
    return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.float64)


def _fill(facts: HeaderFacts, responses: RawArray, columns: list[pa.Array], start: int) -> None:
    """Write the rows of a batch to their cases; a batch may run on into the next repeat."""
    n, labels = responses.shape[0], facts["kind"] == ResponseKind.LABEL
    shape = (*responses.shape[1:2], *responses.shape[3:])  # (C[, K])
    rows, done = len(columns[0]), 0
    while done < rows:
        repeat, case = divmod(start + done, n)
        count = min(rows - done, n - case)
        flat = np.empty((count, len(columns)), dtype=responses.dtype)
        for index, column in enumerate(columns):
            piece = column.slice(done, count)
            flat[:, index] = (
                encode_classes_of_column(piece, tuple(facts["classes"]))
                if labels
                else piece.to_numpy(zero_copy_only=False)
            )
        responses[case : case + count, :, repeat] = flat.reshape(count, *shape)
        done += count


def assemble_arrays(
    facts: HeaderFacts, about: dict[str, RawArray], path: Path
) -> dict[str, RawArray]:
    """Return what is known of the cases, told once, and the folds (n, R)."""
    n, _, repeats = facts["shape"][:3]
    rows = {name: values.reshape(repeats, n) for name, values in about.items()}
    expected = {"repeat": np.repeat(np.arange(repeats), n).reshape(repeats, n)}
    if facts["ids"] is None:
        expected["row_id"] = np.tile(np.arange(n), (repeats, 1))
    for name, values in rows.items():
        if name != "fold" and not (values == expected.get(name, values[:1])).all():
            raise make_changed_error(path, f"column {name!r} as it was written", "other values")
    out = {"folds": _fold_codes(rows["fold"], facts["fold_names"], path)}
    names = {"y": "y", "time": "y", "event": "event", "group": "groups", "strata": "strata"}
    names |= {"weight": "weights"}
    out |= {to: rows[name][0] for name, to in names.items() if name in rows}
    return out | ({} if facts["ids"] is None else {"ids": rows["row_id"][0]})


def _fold_codes(names: RawArray, names_by_repeat: list[list[str]], path: Path) -> NDArray[np.int32]:
    out = np.empty(names.T.shape, dtype=np.int32)
    for repeat, repeat_names in enumerate(names_by_repeat):
        codes = {name: code for code, name in enumerate(repeat_names)} | {None: -1}
        strange = set(names[repeat]) - set(codes)
        if strange:
            raise make_changed_error(
                path, f"the folds {repeat_names}", f"others in repeat {repeat}"
            )
        out[:, repeat] = [codes[name] for name in names[repeat]]
    return out
