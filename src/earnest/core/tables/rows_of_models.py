"""Long tables given as wide ones: a row for each case and configuration.

Read as wide, numbers that name cases and configurations would be scored, and might win. Nothing
else refuses such a table: of 19 long tables whose columns have names of their own, 3 more would be
read as wide without this (2 are, whose configurations are numbers and whose cases have no names),
with the caution that the cases are stacked. Another 6 would hear that a column of text holds no
predictions and may be dropped, which leads to the same reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.tables.column_names import OF_PREDICTIONS
from earnest.core.tables.columns import Columns
from earnest.core.tables.roles import Roles, find_predictions
from earnest.core.text.doors import arg

MOST_COLUMNS = 20  # of a long table; wide ones with more are not searched
MOST_MODELS = 1000
FEWEST_CASES = 5
FULL = 0.8  # of the predictions of every configuration for every case
Codes: TypeAlias = tuple[NDArray[np.intp], RawArray]  # of a column, and its labels


@dataclass(frozen=True)
class RowsOfModels:
    """The column that names the configuration, and the one that names the case, if any does."""

    model: str
    case: str | None


def refuse_rows_of_models(columns: Columns, roles: Roles) -> None:
    """Refuse a table that would be read as wide, and has a row for each case and configuration."""
    rows = _find_rows_of_models(columns, roles)
    if rows is None:
        return
    case, count = rows.case, len(columns.codes(rows.model)[1])
    prediction = find_predictions(columns, {*roles.used(), case, rows.model})
    options = [arg("model", rows.model)]
    options += [arg("prediction", prediction)] if prediction not in (None, "y_pred") else []
    options += [arg("id", case)] if case not in (None, "row_id", "id") else []
    tail = "" if case is not None else ", and add a column 'row_id' that identifies the cases"
    raise InputError(
        "the table has several rows per case",
        needs=(
            "one row per case with a column for each configuration, or the column that names "
            f"the configuration as {arg('model')}"
        ),
        got=(f"{count} rows for each {case!r}" if case is not None else "the same outcomes")
        + f", one for each of the {count} values of {rows.model!r}",
        cure=(
            f"If each row is one case of one configuration, pass {' and '.join(options)}{tail}; "
            f"otherwise name the configurations with {arg('configs', ...)}."
        ),
    )


def _find_rows_of_models(columns: Columns, roles: Roles) -> RowsOfModels | None:
    """Return the columns that make a table long, None where it is not."""
    outcome = roles.target or roles.time
    if outcome is None or len(columns.names) > MOST_COLUMNS:
        return None
    free = [name for name in columns.names if name not in roles.used()]
    labelled = {name: columns.codes(name) for name in free if _is_discrete(columns, name)}
    complete = {name: codes for name, codes in labelled.items() if (codes[0] >= 0).all()}
    models = {name: c for name, c in complete.items() if 2 <= len(c[1]) <= MOST_MODELS}
    if roles.id is not None:
        return _find_crossed(columns, roles, {roles.id: columns.codes(roles.id)}, models)
    return _find_crossed(columns, roles, complete, models) or _find_stacked(columns, roles, models)


def _find_crossed(
    columns: Columns, roles: Roles, cases: Mapping[str, Codes], models: Mapping[str, Codes]
) -> RowsOfModels | None:
    """Return a case and a configuration of which every pair has a row, with one outcome a case."""
    y = columns.codes(roles.target or roles.time or "")[0]
    repeat = np.zeros_like(y) if roles.repeat is None else columns.codes(roles.repeat)[0]
    times = int(repeat.max()) + 1
    for case, (units, names) in cases.items():
        if len(names) < FEWEST_CASES or (units < 0).any() or not _is_same_within(y, units):
            continue
        for model, (kinds, labels) in models.items():
            cells = len(names) * len(labels) * times
            cell = (units * len(labels) + kinds) * times + repeat
            is_full = FULL * cells <= columns.rows <= cells
            if model != case and is_full and len(np.unique(cell)) == columns.rows:
                return RowsOfModels(model, case)
    return None


def _find_stacked(
    columns: Columns, roles: Roles, models: Mapping[str, Codes]
) -> RowsOfModels | None:
    """Return a configuration that has the same outcomes and folds as every other."""
    y, classes = columns.codes(roles.target or roles.time or "")
    fold = y if roles.fold is None else columns.codes(roles.fold)[0]
    answers = {True, False} | (set() if roles.target is None else set(classes.tolist()))
    for model, (kinds, labels) in models.items():
        counts = np.bincount(kinds)
        is_even = bool((counts == counts[0]).all()) and counts[0] >= FEWEST_CASES
        is_name = labels.dtype.kind in "UO" or OF_PREDICTIONS["model"].is_named(model)
        if not is_even or not is_name or set(labels.tolist()) <= answers:
            continue
        order = np.lexsort((fold, y, kinds))
        blocks = np.column_stack([y, fold])[order].reshape(len(labels), counts[0], 2)
        if (blocks == blocks[0]).all() and len(np.unique(blocks[0], axis=0)) > 1:
            return RowsOfModels(model, None)
    return None


def _is_discrete(columns: Columns, name: str) -> bool:
    return columns.array(name).dtype.kind in "iubUO"


def _is_same_within(values: NDArray[np.intp], units: NDArray[np.intp]) -> bool:
    """Tell whether values are the same in all rows of a unit."""
    first = np.zeros(int(units.max()) + 1, np.intp)
    first[units] = values
    return bool((first[units] == values).all())
