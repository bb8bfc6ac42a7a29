"""Which column of a table plays which part, also of columns that are named by the classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, fields
from typing import TypedDict

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.data.folds import refuse_no_labels
from earnest.core.data.responses import SUM, ResponseKind
from earnest.core.data.target import Task, tell_competing
from earnest.core.results.cautions import Caution
from earnest.core.tables.column_names import OF_PREDICTIONS
from earnest.core.tables.columns import Columns, Grid, Outcome, refuse_stray_text
from earnest.core.text.doors import arg, word


@dataclass(frozen=True)
class Roles:
    """The columns that are not predictions, None where a table has none."""

    target: str | None = None
    time: str | None = None
    event: str | None = None
    fold: str | None = None
    group: str | None = None
    repeat: str | None = None
    id: str | None = None
    strata: str | None = None
    when: str | None = None
    by: tuple[str, ...] = ()
    weight: str | None = None

    def used(self) -> set[str]:
        """Return the names of the columns that have a part."""
        singles = {getattr(self, f.name) for f in fields(self) if f.name != "by"}
        return (singles - {None}) | set(self.by)


_OPTIONAL = Roles(fold="fold", group="group", repeat="repeat", strata="strata")
# Any text is a name there.
LABEL_COLUMNS = {"fold", "group", "repeat", "strata", "config_id", *OF_PREDICTIONS["id"].usual}
MOST_FOLDS = 100  # labels that a column which was meant as folds may have
SHOWN = 3  # of the columns that may be meant
_DECIMALS = re.compile(r"[-+]?\d*\.\d+")
_HOLD_OUT = f"For one hold-out test set without folds pass {arg('fold', None)}."
_OTHER_TABLES = "Training data are for earnest tune, scores of items for " + word(
    "earnest.Scores.", "--scores."
)


def assign_roles(columns: Columns, *, long: bool, named: Roles, survival: bool) -> Roles:
    """Find the columns: those named must be there, those of the usual names may be."""
    time, event, target = _find_outcome(columns, named, long, survival)
    fold = _find_optional(columns, named, "fold", needed=not long)
    group, repeat, strata = (
        _find_optional(columns, named, role) for role in ("group", "repeat", "strata")
    )
    needs_id = long or repeat is not None
    usual = OF_PREDICTIONS["id"].find_usual(columns.names)
    id_column = _check_present(columns, named.id, "id") if named.id is not None else usual
    if needs_id and id_column is None:
        raise InputError(
            "the table has no column that identifies the cases",
            needs="a column 'row_id'" + ("" if long else ", because there is a column of repeats"),
            got=f"columns {check.some(map(repr, columns.names))}",
            cure=f"{_suggest_column(columns, 'id')} Add it, or pass its name as "
            f"{arg('id')}".lstrip()
            + (
                "."
                if long
                else f". If the column does not hold repeats, pass {arg('repeat', None)}."
            ),
        )
    when = None if named.when is None else _check_present(columns, named.when, "when")
    by = tuple(_check_present(columns, name, "by") for name in dict.fromkeys(named.by))
    weight = None if named.weight is None else _check_present(columns, named.weight, "weight")
    roles = Roles(target, time, event, fold, group, repeat, id_column, strata, when, by, weight)
    _refuse_near_misses(columns, named, roles)
    return roles


def read_case_outcome(columns: Columns, roles: Roles, grid: Grid | None) -> Outcome:
    """Return the outcome of the cases: labels, numbers, or times and events."""
    if roles.target is not None:
        _refuse_stray_outcome(columns, roles.target)
        return read_case_values(columns, roles.target, grid)
    assert roles.time is not None
    assert roles.event is not None
    times = read_case_values(columns, roles.time, grid)
    events = read_case_values(columns, roles.event, grid)
    if events.dtype != bool and not (events.dtype.kind in "iuf" and np.isin(events, (0, 1)).all()):
        raise InputError(
            f"column {roles.event!r} does not hold events",
            needs="bool, or 1 for an event and 0 for a censored case",
            got=check.some(map(repr, dict.fromkeys(events.tolist()))),
            cure="Subtract 1: R's survival package codes an event as 2 and a censored case as 1."
            if events.dtype.kind in "iuf" and np.isin(events, (1, 2)).all()
            else tell_competing(len(dict.fromkeys(events.tolist()))),
        )
    if times.dtype.kind not in "iuf":
        raise InputError(
            f"column {roles.time!r} does not hold times",
            needs="numbers",
            got=check.some(map(repr, dict.fromkeys(times.tolist()))),
        )
    return times, events.astype(bool)


def _refuse_stray_outcome(columns: Columns, name: str) -> None:
    """Refuse an outcome of numbers with some text; whole numbers may be labels as well."""
    values = columns.array(name)
    texts = values.tolist() if values.dtype.kind in "UO" else []
    if any(isinstance(text, str) and _DECIMALS.fullmatch(text) for text in texts):
        refuse_stray_text(columns, [name])


class CaseColumns(TypedDict):
    """What a table says of the cases, as `Predictions.from_arrays` takes it."""

    fold: RawArray | None
    ids: RawArray | None
    groups: RawArray | None
    strata: RawArray | None
    when: RawArray | bool | None
    by: dict[str, RawArray] | None
    sample_weight: RawArray | None


@dataclass(frozen=True)
class TableMeaning:
    """What the outcome and the predictions of a table mean, as far as it is known."""

    task: Task | str | None
    positive: object
    classes: tuple[object, ...] | None
    response: ResponseKind | str | None


@dataclass(frozen=True)
class TableArrays:
    """The arrays of Π that a table holds, and what is found of their meaning."""

    y: Outcome
    scores: RawArray
    configs: Sequence[str]
    cases: CaseColumns
    meaning: TableMeaning
    remarks: Sequence[Caution] = ()


def read_about_cases(columns: Columns, roles: Roles, grid: Grid | None) -> CaseColumns:
    """Return groups, strata, ids and folds as `Predictions.from_arrays` takes them."""
    fold: RawArray | None = None
    if roles.fold is not None:
        refuse_no_labels(
            columns.array(roles.fold), f"column {roles.fold!r}", _may_be_folds(columns, roles)
        )
        fold = columns.array(roles.fold) if grid is None else grid.of_repeat(roles.fold)
    ids: RawArray | None = None
    if roles.id is not None:
        ids = columns.array(roles.id) if grid is None else grid.ids
    return {
        "fold": fold,
        "ids": ids,
        "groups": None if roles.group is None else read_case_values(columns, roles.group, grid),
        "strata": None if roles.strata is None else read_case_values(columns, roles.strata, grid),
        "when": None if roles.when is None else read_case_values(columns, roles.when, grid),
        "by": {name: read_case_values(columns, name, grid) for name in roles.by} or None,
        "sample_weight": None
        if roles.weight is None
        else read_case_values(columns, roles.weight, grid),
    }


def _may_be_folds(columns: Columns, roles: Roles) -> list[str]:
    """Return the columns that could be meant as folds, those that are called so first."""
    called = OF_PREDICTIONS["fold"].find_elsewhere(columns.names)
    called += [n for n in columns.names if "fold" in n.casefold() and n not in called]
    parts = roles.used() - {None}
    free = [n for n in columns.names if n not in parts and n not in called]
    candidates = [n for n in called if n != roles.fold] + free
    return [name for name in candidates if _looks_like_folds(columns, name)][:SHOWN]


def _looks_like_folds(columns: Columns, name: str) -> bool:
    """Tell whether a column holds a few labels, each of them several times."""
    values = columns.array(name)
    if values.dtype.kind not in "iuUO" and not (
        values.dtype.kind == "f" and bool((values == np.rint(values)).all())
    ):
        return False
    codes, labels = columns.codes(name)
    return 2 <= len(labels) <= MOST_FOLDS and bool((np.bincount(codes[codes >= 0]) > 1).all())


def read_case_values(columns: Columns, name: str, grid: Grid | None) -> RawArray:
    """Return a column of the cases, one value each."""
    return columns.array(name) if grid is None else grid.of_case(name)


def _find_outcome(
    columns: Columns, named: Roles, long: bool, survival: bool
) -> tuple[str | None, str | None, str | None]:
    """Return the columns of time, event and target."""
    usual = ("y_true", "y") if long else ("y", "y_true")
    target = next((name for name in usual if name in columns.names), None)
    if named.target is not None:
        target = _check_present(columns, named.target, "target")
    pair = {"time", "event"} <= set(columns.names) and target is None
    if survival or pair or named.time is not None or named.event is not None:
        time = _check_present(columns, named.time or "time", "time")
        alone = named.time is not None and named.event is None
        hint = f"For the order of the cases in time pass {arg('when', time)}." if alone else ""
        return time, _check_present(columns, named.event or "event", "event", hint), None
    if target is None:
        events = _list_events(columns)
        also = _say_survival(events[0]) if events else _say_also(columns, named, long)
        target = _check_present(columns, usual[0], "target", also, suggest=not events)
    return None, None, target


def _list_events(columns: Columns) -> list[str]:
    """Return the columns that may be the events of a survival outcome."""
    return OF_PREDICTIONS["event"].find_elsewhere(columns.names) if "time" in columns.names else []


def _say_survival(event: str) -> str:
    return f"For survival pass {arg('time', 'time')} and {arg('event', event)}."


def _say_also(columns: Columns, named: Roles, long: bool) -> str:
    """Say what else a table lacks, so that one message says it all."""
    if long or named.fold is None or named.fold in columns.names:
        return ""
    folds = OF_PREDICTIONS["fold"].find_elsewhere(columns.names) + [
        name for name in columns.names if name.strip().casefold() == named.fold
    ]
    cure = f"pass {arg('fold', folds[0])}" if folds else f"pass its name as {arg('fold')}"
    return (
        f"There is no column {named.fold!r} either; {cure}, or {arg('fold', None)} for a "
        "hold-out test set."
    )


def _suggest_column(columns: Columns, role: str) -> str:
    """Return 'Did you mean ...?' for a column that others call so, or nothing."""
    if role not in OF_PREDICTIONS:  # such as columns of subgroups, which have no usual names
        return ""
    return check.suggest_spelling(map(repr, OF_PREDICTIONS[role].find_elsewhere(columns.names)[:1]))


def _find_optional(
    columns: Columns, named: Roles, role: str, *, needed: bool = False
) -> str | None:
    name = getattr(named, role)
    if name is None:
        return None
    if name == getattr(_OPTIONAL, role) and not needed and name not in columns.names:
        return None
    return _check_present(columns, name, role)


def _check_present(
    columns: Columns, name: str, role: str, also: str = "", *, suggest: bool = True
) -> str:
    if name not in columns.names:
        near = _suggest_column(columns, role) if name in (role, "y", "y_true") else ""
        near = near or suggest_nearest_column(
            name, columns, {*OF_PREDICTIONS["id"].usual, "config_id", "y_pred"}
        )
        long = hint_at_long(columns)
        is_bare = not near or "fold" not in columns.names
        is_other = name in ("y", "y_true") and is_bare and not long
        cures = [
            near if suggest else "",
            f"Pass the column as {arg(role)}.",
            also,
            _HOLD_OUT if role == "fold" else "",
            long,
            _OTHER_TABLES if is_other else "",
        ]
        raise columns.make_missing_error(name, cure=" ".join(cure for cure in cures if cure))
    return name


def hint_at_long(columns: Columns) -> str:
    """Say how to read a table that looks long, or nothing."""
    if "config_id" in columns.names:
        return ""
    looks = [name for name in columns.names if OF_PREDICTIONS["model"].is_named(name)]
    answers = [name for name in columns.names if OF_PREDICTIONS["prediction"].is_named(name)]
    if not looks or not answers:
        return ""
    numbers = [name for name in answers if columns.array(name).dtype.kind in "iuf"]
    options = [arg("model", looks[0])]
    options += [arg("prediction", numbers[0])] if numbers and numbers[0] != "y_pred" else []
    return f"If each row is one case of one configuration, pass {' and '.join(options)}."


def find_predictions(columns: Columns, used: Set[str | None]) -> str | None:
    """Return the column of predictions of a long table, None where it cannot be told."""
    free = [n for n in columns.names if n not in used and columns.array(n).dtype.kind in "iuf"]
    called = [name for name in free if OF_PREDICTIONS["prediction"].is_named(name)]
    numbers = called or free
    return numbers[0] if len(numbers) == 1 else None


def suggest_nearest_column(name: str, columns: Columns, others: set[str]) -> str:
    """Return 'Did you mean ...?' for the nearest column that has no part of its own."""
    free = [n for n in columns.names if n not in others | _OPTIONAL.used()]
    return check.nearest(name, free)


def _refuse_near_misses(columns: Columns, named: Roles, roles: Roles) -> None:
    """Refuse 'Fold' and 'folds' where 'fold' was looked for, since they would be ignored."""
    for role in ("fold", "group", "repeat", "strata"):
        if getattr(roles, role) is not None or getattr(named, role) is None:
            continue
        for name in set(columns.names) - roles.used():
            if name.strip().casefold() in (role, role + "s"):
                raise InputError(
                    f"column {name!r} may be meant to be {role!r}",
                    needs=f"the name {role!r}, or the column as {arg(role)}",
                    got=f"no column {role!r}",
                    cure=f"Pass {arg(role, name)}, or {arg(role, None)} if it is something else.",
                )


# What stands beside a class in the names of tools, and names no model: '.pred_yes', 'P_1', 'X0'.
_NO_MODEL = {"", "x", "p", "pr", "prob", "probs", "proba", "probability", "pred", "predicted"}
_NO_MODEL |= {"prediction", "predictions", "score", "class"}
ONE_MODEL = "model"
FEWEST = 3  # rows under which a sum of 1 may be chance
ROUNDED = 0.005  # by how much a number with two decimals may be off


@dataclass(frozen=True)
class ClassColumns:
    """The configurations, the classes, and the column of each: (C, K)."""

    ids: tuple[str, ...]
    classes: tuple[object, ...]
    table: tuple[tuple[str, ...], ...]


def find_class_columns(
    columns: Columns, names: Sequence[str], labels: Sequence[object]
) -> ClassColumns | None:
    """Read 'rf_yes', 'rf_no' or '.pred_yes', '.pred_no': None where names are others.

    All names have to end, or all to begin, with a class; every model needs every class, and its
    numbers have to add up to 1 in each row, as far as two decimals do. Columns of labels beside
    them, such as '.pred_class', say what the numbers say, and are left out.
    """
    if len(labels) < 2:
        return None
    numbers = [name for name in names if columns.array(name).dtype.kind in "iuf"]
    numeric = set(numbers)
    spare = [name for name in names if name not in numeric]
    for at_end in (True, False):
        by_model = _group_by_model(numbers, labels, at_end=at_end)
        if by_model and all(len(row) == len(labels) for row in by_model.values()):
            break
    else:
        return None
    if len(spare) > len(by_model) or not all(_are_labels(columns, name, labels) for name in spare):
        return None
    table = tuple(tuple(row[label] for label in labels) for row in by_model.values())
    if not all(_add_up(columns, row) for row in table):
        return None
    return ClassColumns(_name_models(by_model), tuple(labels), table)


def sort_labels(labels: Iterable[object]) -> tuple[object, ...]:
    """Return labels sorted as numbers or as text, each once; mixed ones by their texts.

    Examples
    --------
    >>> from earnest.core.tables.roles import sort_labels
    >>> sort_labels([10, 2, 1, 2])
    (1, 2, 10)
    """
    levels = dict.fromkeys(labels)
    if any(isinstance(label, str) for label in levels):
        return tuple(sorted(levels, key=str))
    return tuple(sorted(levels))  # type: ignore[type-var]  # numbers


def order_as_columns(labels: Sequence[object]) -> tuple[object, ...]:
    """Return the classes of columns in their order; numbers count upward wherever they stand.

    'low', 'mid', 'high' may be an order that only the columns show; 1, 10, 2 is not one.
    """
    numbers = not any(isinstance(label, str) for label in labels)
    return sort_labels(labels) if numbers else tuple(labels)


def list_class_names(names: Sequence[str], labels: Sequence[object]) -> list[str]:
    """Return the names that end or begin with a class."""
    texts = [str(label) for label in labels]
    return [
        name
        for name in names
        if any(
            _find_stem(name, text, at_end=end) is not None
            for text in texts
            for end in (True, False)
        )
    ]


def refuse_both_classes(columns: Columns, names: Sequence[str], labels: Sequence[object]) -> None:
    """Refuse two columns that add up to 1 in every row: they are both classes of one model."""
    if len(labels) != 2 or len(names) != 2:
        return
    pair = [columns.array(name) for name in names]
    whole = all(np.isin(values, (0, 1)).all() for values in pair if values.dtype.kind in "iuf")
    if any(values.dtype.kind != "f" for values in pair) or whole or not _add_up(columns, names):
        return
    raise InputError(
        f"columns {check.some(map(repr, names))} look like both classes of one model",
        needs="one column per configuration, with the scores of the positive class",
        got="two columns that sum to 1 in every row",
        cure=(
            "Name the column of the positive class with "
            f"{arg('configs', names[1])} or {arg('configs', names[0])}, or both if they are two "
            "configurations."
        ),
    )


def _group_by_model(
    names: Sequence[str], labels: Sequence[object], *, at_end: bool
) -> dict[str, dict[object, str]]:
    """Return the column of each model and class, nothing where a name has no class."""
    texts = sorted(((str(label), label) for label in labels), key=lambda each: -len(each[0]))
    table: dict[str, dict[object, str]] = {}
    for name in names:
        stems = ((_find_stem(name, text, at_end=at_end), label) for text, label in texts)
        stem, label = next((each for each in stems if each[0] is not None), (None, None))
        if stem is None or label in table.get(stem, {}):
            return {}
        table.setdefault(stem, {})[label] = name
    return table


def _find_stem(name: str, text: str, *, at_end: bool) -> str | None:
    """Return what is left of a name without its class, None where it does not stand apart."""
    if not (name.endswith(text) if at_end else name.startswith(text)):
        return None
    stem = name[: len(name) - len(text)] if at_end else name[len(text) :]
    edge = stem[-1:] if at_end else stem[:1]
    apart = not edge.isalnum() or (stem.casefold() in _NO_MODEL and text.isdecimal())
    return stem if apart else None


def _name_models(by_model: dict[str, dict[object, str]]) -> tuple[str, ...]:
    bare = [re.sub(r"^\W+|[\W_]+$|^_+", "", stem) for stem in by_model]
    if len(bare) == 1 and bare[0].casefold() in _NO_MODEL:
        return (ONE_MODEL,)
    return tuple(bare) if len(set(bare)) == len(bare) and all(bare) else tuple(by_model)


def _are_labels(columns: Columns, name: str, labels: Sequence[object]) -> bool:
    texts = {str(label) for label in labels}
    _, values = columns.codes(name)
    return all(str(value) in texts for value in values.tolist())


def _add_up(columns: Columns, names: Sequence[str]) -> bool:
    """Tell whether numbers are shares of 1 in each row; three or more may have been rounded.

    Two numbers of two decimals still add up, and two models are named like classes more easily.
    """
    table = np.column_stack([columns.array(name).astype(np.float64) for name in names])
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < FEWEST or complete.min() < -SUM or complete.max() > 1.0 + SUM:
        return False
    off = SUM if len(names) == 2 else len(names) * ROUNDED
    return bool((np.abs(complete.sum(axis=1) - 1.0) <= off + SUM).all())
