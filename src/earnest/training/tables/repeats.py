"""Columns that say again what another column, or the outcome itself, says already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.target import Task
from earnest.training.tables.kinds import ENOUGH, ColumnKind, Look
from earnest.training.tables.schema import Schema

HEAD = 1000  # rows by which most columns are told apart


def drop_repeats(
    X: NDArray[np.float64],
    schema: Schema,
    looks: Mapping[str, Look],
    answers: Mapping[str, NDArray[np.generic]],
    keep: tuple[str, ...] = (),
) -> tuple[NDArray[np.float64], Schema, dict[str, Look]]:
    """Leave out columns that are the same as one before, and copies of the outcome.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The matrix of the schema.
    schema, looks
        What its columns are.
    answers : mapping of str to ndarray
        The columns of the outcome by name; see `list_answers`.
    keep : tuple of str
        Columns that stay though they are copies of the outcome.
    """
    names = schema.names
    copies = _find_copies(X, answers)
    gone = {place: Look(ColumnKind.OUTCOME, detail=name)
            for place, name in copies.items() if names[place] not in keep}  # fmt: skip
    repeats = _find_repeats(X, schema)
    gone |= {p: Look(ColumnKind.REPEATED, detail=f"as {names[before]}")
             for p, before in repeats.items() if p not in gone}  # fmt: skip
    if not gone:
        return X, schema, dict(looks)
    kept = [place for place in range(len(names)) if place not in gone]
    left_out = {**schema.left_out, **{names[p]: str(look.kind) for p, look in gone.items()}}
    features = tuple(schema.features[place] for place in kept)
    made = replace(schema, features=features, left_out=left_out)
    return X[:, kept], made, {**looks, **{names[p]: look for p, look in gone.items()}}


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
    found: dict[int, int] = {}
    for place, feature in enumerate(schema.features):
        head = np.ascontiguousarray(X[:HEAD, place]).tobytes() + "\0".join(feature.levels).encode()
        before = first.setdefault(head, place)
        if before != place and np.array_equal(X[:, before], X[:, place], equal_nan=True):
            found[place] = before
    return found


def _find_copies(
    X: NDArray[np.float64], answers: Mapping[str, NDArray[np.generic]]
) -> dict[int, str]:
    """Return the columns that say the same as an outcome in every row, and which outcome."""
    if len(X) < ENOUGH:  # by chance
        return {}
    return {
        place: name
        for place in range(X.shape[1])
        for name, answer in answers.items()
        if _is_same(X[:HEAD, place], answer[:HEAD]) and _is_same(X[:, place], answer)
    }


def _is_same(column: NDArray[np.float64], answer: NDArray[np.generic]) -> bool:
    """Tell whether two columns are one: equal numbers, or classes under other names."""
    if answer.dtype.kind == "f":
        return np.array_equal(column, answer)
    if np.isnan(column).any():
        return False
    levels, codes = np.unique(column, return_inverse=True)
    classes = np.unique(answer)
    pairs = np.unique(codes * (int(classes[-1]) + 1) + answer.astype(np.int64))
    return len(levels) == len(classes) == len(pairs)
