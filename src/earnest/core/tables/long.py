"""Long tables: one row per case, configuration and repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import RawArray, missing, whole_as_int
from earnest.core.base.errors import InputError
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.tables.columns import Columns, Grid, Outcome, refuse_stray_text
from earnest.core.tables.r_tables import RTable
from earnest.core.tables.roles import (
    ONE_MODEL,
    ClassColumns,
    Roles,
    TableArrays,
    TableMeaning,
    find_class_columns,
    list_class_names,
    order_as_columns,
    read_about_cases,
    read_case_outcome,
    sort_labels,
    suggest_nearest_column,
)
from earnest.core.text.doors import arg

CONFIG = "config_id"
PREDICTION = "y_pred"
# The beginnings of columns with one number per class, and what the numbers are.
PREFIXES = {"proba_": ResponseKind.PROBABILITY, "score_": ResponseKind.DECISION}


@dataclass(frozen=True)
class LongParts:
    """The columns that only a long table has: of the configuration, and of its prediction.

    Without a column of the configuration there is one. `usual` is the column of predictions where
    none is named and none is about a class, and `by_class` those that may be about one.
    """

    model: tuple[str, ...] = (CONFIG,)
    prediction: str | None = None
    usual: str = PREDICTION
    by_class: tuple[str, ...] | None = None

    @classmethod
    def of(cls, model: str | Sequence[str] | None, prediction: str | None) -> LongParts:
        """Read the names of the columns, None for the usual ones."""
        if model is None:
            return cls(prediction=prediction)
        if not model:
            raise InputError(
                f"{arg('model')} is empty", needs="at least one column", got="an empty list"
            )
        return cls((model,) if isinstance(model, str) else tuple(model), prediction)

    def fill_in(self, table: RTable, *, model_named: bool) -> LongParts:
        """Return the columns with those of a table of R, except a configuration that was said."""
        return replace(
            self,
            model=self.model if model_named else table.model,
            usual=table.prediction,
            by_class=table.by_class,
        )


def refuse_parts_of_long(
    long: bool, model: str | Sequence[str] | None, prediction: str | None
) -> None:
    """Refuse names of columns that a wide table does not have."""
    if not long and (model is not None or prediction is not None):
        which = "model" if model is not None else "prediction"
        raise InputError(
            f"{arg(which)} is for long tables",
            needs="one row per case and configuration",
            got="a wide table",
            cure=f"Pass {arg('format', 'long')}, and the column that names the configuration as "
            f"{arg('model')}."
            if model is None
            else f"Leave it out, or pass {arg('format', 'long')}.",
        )


def is_long(columns: Columns) -> bool:
    """Tell whether a table is long."""
    return CONFIG in columns.names


def read_long(
    columns: Columns,
    roles: Roles,
    configs: Sequence[str] | None,
    parts: LongParts,
    meaning: TableMeaning,
) -> TableArrays:
    """Return the arguments of `Predictions.from_arrays` that a long table holds."""
    _refuse_lacking(columns, roles, parts)
    assert roles.id is not None
    grid = Grid.of(columns, roles.id, roles.repeat)
    config, names = _read_configurations(columns, parts.model)
    grid.refuse_duplicates(config, names)
    y = read_case_outcome(columns, roles, grid)
    cases = read_about_cases(columns, roles, grid)
    spare = [n for n in columns.names if n not in roles.used() | {*parts.model}]
    rows = _Rows(columns, grid, config, y, parts, tuple(spare))
    scores, meaning = _read_responses(rows, meaning)
    if configs is not None:
        chosen = _find_kept(names, configs)
        scores, names = scores[:, chosen], tuple(names[c] for c in chosen)
    return TableArrays(y, scores, names, cases, meaning)


def _refuse_lacking(columns: Columns, roles: Roles, parts: LongParts) -> None:
    """Refuse a table without the column that names the configuration, or with one part twice."""
    _refuse_two_parts(roles, parts)
    for name in parts.model:
        if name not in columns.names:
            near = suggest_nearest_column(name, columns, roles.used())
            cure = (
                f"Pass the column that names the configuration as {arg('model')}, or "
                f"{arg('format', 'wide')} if "
                "each has its own column."
            )
            raise columns.make_missing_error(
                name, f"a long table with {name!r}", f"{near} {cure}".lstrip()
            )


def _refuse_two_parts(roles: Roles, parts: LongParts) -> None:
    """Refuse a column that would be two things."""
    counts = Counter([*parts.model, *roles.used(), *filter(None, [parts.prediction])])
    twice = [name for name in (*parts.model, parts.prediction) if name and counts[name] > 1]
    if twice:
        raise InputError(
            f"column {twice[0]!r} has two roles",
            needs=(
                "one role per column: the configuration, its prediction, the outcome, the fold ..."
            ),
            got=f"{twice[0]!r} twice",
            cure=f"Check {arg('model')} and {arg('prediction')}.",
        )


def _read_configurations(
    columns: Columns, model: tuple[str, ...]
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return the code of each row's configuration, and the names in order of appearance."""
    if not model:
        return np.zeros(columns.rows, np.intp), (ONE_MODEL,)
    if len(model) == 1:
        config, labels = columns.complete_codes(model[0])
        # A number alone says nothing: 'mtry=2'.
        word = f"{model[0]}=" if model[0] != CONFIG and labels.dtype.kind in "iuf" else ""
        return config, tuple(f"{word}{label}" for label in labels.tolist())
    parts = [columns.complete_codes(name) for name in model]
    rows = np.column_stack([codes for codes, _ in parts])
    _, first, config = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    names = [
        ", ".join(f"{name}={parts[k][1][rows[row, k]]}" for k, name in enumerate(model))
        for row in np.sort(first)
    ]
    return rank[config.ravel()], tuple(names)


def _find_kept(names: tuple[str, ...], configs: Sequence[str]) -> list[int]:
    wanted = [configs] if isinstance(configs, str) else [str(name) for name in configs]
    places = {name: index for index, name in enumerate(names)}
    for name in wanted:
        if name not in places:
            raise InputError(
                f"configuration {name!r} is not in the table",
                needs=check.some(names),
                cure=check.nearest(name, names),
            )
    return [places[name] for name in wanted]


@dataclass(frozen=True)
class _Rows:
    """What the rows of a long table are about, and the columns that have no other part."""

    columns: Columns
    grid: Grid
    config: NDArray[np.intp]
    y: Outcome
    parts: LongParts
    spare: tuple[str, ...]


def _read_responses(rows: _Rows, meaning: TableMeaning) -> tuple[RawArray, TableMeaning]:
    """Return the scores, and what the names of their columns say of them."""
    names, classes, response = rows.columns.names, meaning.classes, meaning.response
    prefix = next((p for p in PREFIXES if any(n.startswith(p) for n in names)), None)
    name = rows.parts.prediction or rows.parts.usual
    labels_wanted = response is not None and str(response) == ResponseKind.LABEL
    if rows.parts.prediction is not None or (labels_wanted and name in names):
        return _read_one_column(rows, name), meaning
    if prefix is None:
        by_class = _find_by_class(rows, classes)
        if by_class is None:
            return _read_one_column(rows, name), meaning
        kind = response or ResponseKind.PROBABILITY
        return _spread(rows, list(by_class.table[0])), _add_classes(meaning, by_class.classes, kind)
    found_names = [name for name in names if name.startswith(prefix)]
    labels = _find_class_labels(found_names, prefix, rows.y, classes)
    has_all_classes = classes is not None and set(labels) == set(classes)
    order = tuple(classes or ()) if has_all_classes else order_as_columns(labels)
    scores = _spread(rows, [found_names[labels.index(label)] for label in order])
    kind = PREFIXES[prefix] if response is None else response
    if len(order) == 1:
        positive = _check_only_class(order[0], meaning.positive, prefix)
        return scores[..., 0], replace(meaning, positive=positive, response=kind)
    return scores, _add_classes(meaning, order, kind)


def _add_classes(
    meaning: TableMeaning, labels: tuple[object, ...], kind: ResponseKind | str
) -> TableMeaning:
    task = Task.BINARY if len(labels) == 2 else Task.MULTICLASS
    return replace(meaning, classes=labels, response=kind, task=task)


def _find_by_class(rows: _Rows, classes: tuple[object, ...] | None) -> ClassColumns | None:
    """Return the columns that are named by the classes alone, of one kind."""
    if isinstance(rows.y, tuple):
        return None
    levels = whole_as_int(rows.y[~missing(rows.y)])
    if levels.dtype.kind == "f":
        return None
    labels = classes or sort_labels(levels.tolist())
    among = rows.spare if rows.parts.by_class is None else rows.parts.by_class
    class_columns = find_class_columns(rows.columns, list_class_names(among, labels), labels)
    return class_columns if class_columns is not None and len(class_columns.ids) == 1 else None


def _read_one_column(rows: _Rows, name: str) -> RawArray:
    """Return the scores of a table whose predictions stand in one column."""
    columns, y = rows.columns, rows.y
    if name not in columns.names:
        near = suggest_nearest_column(name, columns, {CONFIG, "row_id", "id", "y_true", "y"})
        raise columns.make_missing_error(
            name,
            f"{name!r}, or 'proba_<class>' for every class",
            f"{near} Pass the column as {arg('prediction')}.".lstrip(),
        )
    levels = () if isinstance(y, tuple) else dict.fromkeys(y.tolist())
    return _spread(rows, [name], levels)[..., 0]


def _spread(rows: _Rows, names: list[str], labels: Iterable[object] = ()) -> RawArray:
    """Return (n, C, R, K) with NaN (None among labels) where the table has no row."""
    columns, grid, config = rows.columns, rows.grid, rows.config
    parts = [columns.array(name) for name in names]
    if not any(isinstance(label, str) for label in labels):  # else all may be meant as labels
        refuse_stray_text(columns, names)
    numeric = all(values.dtype.kind in "iuf" for values in parts)
    single = all(values.dtype == np.float32 for values in parts)
    kind = (np.float32 if single else np.float64) if numeric else object
    shape = (grid.n, int(config.max()) + 1, grid.repeats, len(names))
    out = np.full(shape, np.nan if numeric else None, dtype=kind)
    for k, values in enumerate(parts):
        out[grid.case, config, grid.repeat, k] = values
    return out


def _find_class_labels(
    columns: list[str], prefix: str, y: Outcome, classes: tuple[object, ...] | None
) -> tuple[object, ...]:
    """Return the class that each column of probabilities is about."""
    if isinstance(y, tuple):
        raise InputError(
            f"columns {check.some(map(repr, columns))} are for classification only",
            needs=f"{PREDICTION!r} with risks for a survival task",
        )
    by_text = {str(label): label for label in whole_as_int(y[~missing(y)]).tolist()}
    by_text |= {str(label): label for label in classes or ()}
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in by_text.values())
    labels = []
    for name in columns:
        text = name.removeprefix(prefix)
        number = whole and text.lstrip("-").isdecimal()  # a class that no case has
        labels.append(by_text.get(text, int(text) if number else text))
    lacking = [text for text, label in by_text.items() if label not in labels]
    if lacking and not (len(by_text) == 2 and len(labels) == 1 and len(lacking) == 1):
        raise InputError(
            "a class has no column of predictions",
            needs=check.some(repr(prefix + text) for text in by_text),
            got=f"{check.some(map(repr, columns))}, and no "
            + check.some(repr(prefix + text) for text in lacking),
            cure="Name the columns after the labels of y_true.",
        )
    return tuple(labels)


def _check_only_class(label: object, positive: object, prefix: str) -> object:
    """Return the positive class where only its column is there."""
    if positive is not None and str(positive) != str(label):
        raise InputError(
            "the table has no predictions for the positive class",
            needs=f"a column {prefix + str(positive)!r}",
            got=f"{prefix + str(label)!r} only",
        )
    return label
