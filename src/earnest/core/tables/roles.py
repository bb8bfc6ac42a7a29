"""Which column of a table plays which part, also of columns that are named by the classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.data.folds import refuse_no_labels
from earnest.core.data.responses import SUM, ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, Grid, Outcome, refuse_stray_text
from earnest.core.text.doors import arg


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

    def used(self) -> set[str]:
        """Return the names of the columns that have a part."""
        return {getattr(self, f.name) for f in fields(self)} - {None}


_OPTIONAL = Roles(fold="fold", group="group", repeat="repeat", strata="strata")
_IDS = ("row_id", "id")
LABEL_COLUMNS = {
    "fold",
    "group",
    "repeat",
    "strata",
    "config_id",
    *_IDS,
}  # any text is a name there
MOST_FOLDS = 100  # labels that a column which was meant as folds may have
SHOWN = 3  # of the columns that may be meant
_DECIMALS = re.compile(r"[-+]?\d*\.\d+")
# What the two columns that make a table long are called elsewhere.
_MODELS = {"model", "models", "config", "configuration", "estimator", "algorithm", "classifier"}
_ANSWERS = {"pred", "prediction", "predictions", "y_pred", "y_hat", "yhat", "score", "proba"}
_ANSWERS |= {"prob", "probability", "predicted", "y_score", "y_prob", "y_proba"}
_MODELS |= {".config", "mtry", "learner"}
_HOLD_OUT = f"For one hold-out test set without folds pass {arg('fold', None)}."
# What the columns are called elsewhere, the likeliest first.
_ELSEWHERE = {
    "target": (
        "obs",
        "truth",
        "y_true",
        "outcome",
        "observed",
        "actual",
        "target",
        "label",
        "status",
    ),
    "fold": ("resample", "fold_id", "foldid", "cv_fold", "cvfold", "split", "id2"),
    "id": (".row", "rowindex", "row_index", "case_id", "patient_id", "subject_id", "pid"),
    "event": ("status", "died", "death", "dead", "cens", "delta"),
}
WORDS_OF_PREDICTIONS = {"config_id", "fold", "folds", *_MODELS, *_ANSWERS, *_ELSEWHERE["fold"]}
WORDS_OF_CASES = {"group", "repeat", "strata", "time", "event", *_IDS, *_ELSEWHERE["id"]}


def assign_roles(columns: Columns, *, long: bool, given: Roles, survival: bool) -> Roles:
    """Find the columns: those named must be there, those of the usual names may be."""
    time, event, target = _find_outcome(columns, given, long, survival)
    fold = _find_optional(columns, given, "fold", needed=not long)
    group, repeat, strata = (
        _find_optional(columns, given, role) for role in ("group", "repeat", "strata")
    )
    needs_id = long or repeat is not None
    found = next((name for name in _IDS if name in columns.names), None)
    id_column = _check_present(columns, given.id, "id") if given.id is not None else found
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
    roles = Roles(target, time, event, fold, group, repeat, id_column, strata)
    _refuse_near_misses(columns, given, roles)
    return roles


def outcome(columns: Columns, roles: Roles, grid: Grid | None) -> Outcome:
    """Return the outcome of the cases: labels, numbers, or times and events."""
    if roles.target is not None:
        _refuse_stray_outcome(columns, roles.target)
        return case_values(columns, roles.target, grid)
    assert roles.time is not None
    assert roles.event is not None
    times = case_values(columns, roles.time, grid)
    events = case_values(columns, roles.event, grid)
    if events.dtype != bool and not (events.dtype.kind in "iuf" and np.isin(events, (0, 1)).all()):
        raise InputError(
            f"column {roles.event!r} does not hold events",
            needs="bool, or 1 for an event and 0 for a censored case",
            got=check.some(map(repr, dict.fromkeys(events.tolist()))),
            cure="Subtract 1: R's survival package codes an event as 2 and a censored case as 1."
            if events.dtype.kind in "iuf" and np.isin(events, (1, 2)).all()
            else "",
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


@dataclass(frozen=True)
class Meaning:
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
    meaning: Meaning
    remarks: Sequence[Caution] = ()


def about_cases(columns: Columns, roles: Roles, grid: Grid | None) -> CaseColumns:
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
        "groups": None if roles.group is None else case_values(columns, roles.group, grid),
        "strata": None if roles.strata is None else case_values(columns, roles.strata, grid),
    }


def _may_be_folds(columns: Columns, roles: Roles) -> list[str]:
    """Return the columns that could be meant as folds, those that are called so first."""
    called = _find_called_elsewhere(columns, "fold")
    called += [n for n in columns.names if "fold" in n.casefold() and n not in called]
    parts = roles.used() - {None}
    free = [n for n in columns.names if n not in parts and n not in called]
    found = [n for n in called if n != roles.fold] + free
    return [name for name in found if _looks_like_folds(columns, name)][:SHOWN]


def _looks_like_folds(columns: Columns, name: str) -> bool:
    """Tell whether a column holds a few labels, each of them several times."""
    values = columns.array(name)
    if values.dtype.kind not in "iuUO" and not (
        values.dtype.kind == "f" and bool((values == np.rint(values)).all())
    ):
        return False
    codes, labels = columns.codes(name)
    return 2 <= len(labels) <= MOST_FOLDS and bool((np.bincount(codes[codes >= 0]) > 1).all())


def case_values(columns: Columns, name: str, grid: Grid | None) -> RawArray:
    """Return a column of the cases, one value each."""
    return columns.array(name) if grid is None else grid.of_case(name)


def _find_outcome(
    columns: Columns, given: Roles, long: bool, survival: bool
) -> tuple[str | None, str | None, str | None]:
    """Return the columns of time, event and target."""
    usual = ("y_true", "y") if long else ("y", "y_true")
    target = next((name for name in usual if name in columns.names), None)
    if given.target is not None:
        target = _check_present(columns, given.target, "target")
    pair = {"time", "event"} <= set(columns.names) and target is None
    if survival or pair or given.time is not None or given.event is not None:
        time = _check_present(columns, given.time or "time", "time")
        return time, _check_present(columns, given.event or "event", "event"), None
    return (
        None,
        None,
        target or _check_present(columns, usual[0], "target", _say_also(columns, given, long)),
    )


def _say_also(columns: Columns, given: Roles, long: bool) -> str:
    """Say what else a table lacks, so that one message says it all."""
    events = _find_called_elsewhere(columns, "event")
    if "time" in columns.names and events:
        return f"For survival pass {arg('time', 'time')} and {arg('event', events[0])}."
    if long or given.fold is None or given.fold in columns.names:
        return ""
    folds = _find_called_elsewhere(columns, "fold") + [
        name for name in columns.names if name.strip().casefold() == given.fold
    ]
    said = f"pass {arg('fold', folds[0])}" if folds else f"pass its name as {arg('fold')}"
    return (
        f"There is no column {given.fold!r} either; {said}, or {arg('fold', None)} for a "
        "hold-out test set."
    )


def _suggest_column(columns: Columns, role: str) -> str:
    """Return 'Did you mean ...?' for a column that others call so, or nothing."""
    return check.suggest(map(repr, _find_called_elsewhere(columns, role)[:1]))


def _find_called_elsewhere(columns: Columns, role: str) -> list[str]:
    plain = {name.strip().casefold(): name for name in columns.names}
    return [plain[word] for word in _ELSEWHERE.get(role, ()) if word in plain]


def _find_optional(
    columns: Columns, given: Roles, role: str, *, needed: bool = False
) -> str | None:
    name = getattr(given, role)
    if name is None:
        return None
    if name == getattr(_OPTIONAL, role) and not needed and name not in columns.names:
        return None
    return _check_present(columns, name, role)


def _check_present(columns: Columns, name: str, role: str, also: str = "") -> str:
    if name not in columns.names:
        near = _suggest_column(columns, role) if name in (role, "y", "y_true") else ""
        near = near or suggest_nearest_column(name, columns, {*_IDS, "config_id", "y_pred"})
        cures = [
            "" if also.startswith("For survival") else near,
            f"Pass the column as {arg(role)}.",
            also,
        ]
        cures += [_HOLD_OUT if role == "fold" else "", hint_at_long(columns)]
        raise columns.make_missing_error(name, cure=" ".join(cure for cure in cures if cure))
    return name


def hint_at_long(columns: Columns) -> str:
    """Say how to read a table that looks long, or nothing."""
    if "config_id" in columns.names:
        return ""
    looks = [name for name in columns.names if name.strip().casefold() in _MODELS]
    answers = [name for name in columns.names if name.strip().casefold() in _ANSWERS]
    if not looks or not answers:
        return ""
    numbers = [name for name in answers if columns.array(name).dtype.kind in "iuf"]
    said = [arg("model", looks[0])]
    said += [arg("prediction", numbers[0])] if numbers and numbers[0] != "y_pred" else []
    return f"If each row is one case of one configuration, pass {' and '.join(said)}."


def refuse_rows_of_models(columns: Columns, roles: Roles) -> None:
    """Refuse a table that would be read as wide, and has a row for each case and configuration."""
    found = _find_rows_of_models(columns, roles)
    if found is None:
        return
    case, model, rows, prediction = found
    said = [arg("model", model)]
    said += [arg("prediction", prediction)] if prediction not in (None, "y_pred") else []
    said += [arg("id", case)] if case not in (None, *_IDS) else []
    tail = "" if case is not None else ", and add a column 'row_id' that identifies the cases"
    raise InputError(
        "the table has several rows per case",
        needs=(
            "one row per case with a column for each configuration, or the column that names "
            f"the configuration as {arg('model')}"
        ),
        got=(f"{rows} rows for each {case!r}" if case is not None else "the same outcomes")
        + f", one for each of the {len(columns.codes(model)[1])} values of {model!r}",
        cure=(
            f"If each row is one case of one configuration, pass {' and '.join(said)}{tail}; "
            f"otherwise name the configurations with {arg('configs', ...)}."
        ),
    )


def _find_rows_of_models(
    columns: Columns, roles: Roles
) -> tuple[str | None, str, int, str | None] | None:
    """Return the case, the configuration, the rows per case and the prediction of a long table.

    A case has then one row per configuration, always with the same outcome; without a column that
    names the cases, every configuration has the same outcomes and folds.
    """
    if len(columns.names) > MOST_COLUMNS or (roles.target is None and roles.time is None):
        return None
    used = roles.used()
    free = [name for name in columns.names if name not in used]
    codes = {name: columns.codes(name) for name in free if _is_discrete(columns, name)}
    outcome_codes = columns.codes(roles.target or roles.time or "")[0]
    models = {
        name: found
        for name, found in codes.items()
        if 2 <= len(found[1]) <= MOST_MODELS and (found[0] >= 0).all()
    }
    cases = {roles.id: columns.codes(roles.id)} if roles.id is not None else codes
    repeat = np.zeros(columns.rows, np.intp)
    if roles.repeat is not None:
        repeat = columns.codes(roles.repeat)[0]
    for case, (ids, labels) in cases.items():
        if len(labels) < FEWEST_CASES or (ids < 0).any() or not _is_same_within(outcome_codes, ids):
            continue
        for model, (which, kinds) in models.items():
            cells = len(labels) * len(kinds) * (int(repeat.max()) + 1)
            full = FULL * cells <= columns.rows <= cells and model != case
            key = (ids * len(kinds) + which) * (int(repeat.max()) + 1) + repeat
            if full and len(np.unique(key)) == columns.rows:
                return case, model, len(kinds), _find_answers(columns, {*used, case, model})
    if roles.id is not None:
        return None
    known = set(columns.codes(roles.target)[1].tolist()) if roles.target is not None else set()
    for model, (which, kinds) in models.items():
        rows, rest = divmod(columns.rows, len(kinds))
        if rest or rows < FEWEST_CASES or set(kinds.tolist()) <= known | {True, False}:
            continue
        folds = columns.codes(roles.fold)[0] if roles.fold is not None else outcome_codes
        pairs = np.column_stack([which, outcome_codes, folds])
        order = np.lexsort(pairs.T[::-1])
        parts = pairs[order][:, 1:].reshape(len(kinds), rows, 2) if _is_even(which, rows) else None
        if parts is not None and (parts == parts[0]).all() and len(np.unique(parts[0], axis=0)) > 1:
            named = kinds.dtype.kind in "UO" or model.strip().casefold() in _MODELS
            if named:
                return None, model, len(kinds), _find_answers(columns, {*used, model})
    return None


MOST_COLUMNS = 20  # of a long table; wide ones with more are not searched
MOST_MODELS = 1000
FEWEST_CASES = 5
FULL = 0.8  # of the predictions of every configuration for every case


def _is_discrete(columns: Columns, name: str) -> bool:
    return columns.array(name).dtype.kind in "iubUO"


def _is_same_within(values: NDArray[np.intp], units: NDArray[np.intp]) -> bool:
    """Tell whether values are the same in all rows of a unit."""
    first = np.zeros(int(units.max()) + 1, np.intp)
    first[units] = values
    return bool((first[units] == values).all())


def _is_even(which: NDArray[np.intp], rows: int) -> bool:
    return bool((np.bincount(which) == rows).all())


def _find_answers(columns: Columns, used: set[str | None]) -> str | None:
    """Return the column of predictions of a long table, None where it cannot be told."""
    free = [n for n in columns.names if n not in used and columns.array(n).dtype.kind in "iuf"]
    called = [name for name in free if name.strip().casefold() in _ANSWERS]
    found = called or free
    return found[0] if len(found) == 1 else None


def suggest_nearest_column(name: str, columns: Columns, others: set[str]) -> str:
    """Return 'Did you mean ...?' for the nearest column that has no part of its own."""
    free = [n for n in columns.names if n not in others | _OPTIONAL.used()]
    return check.nearest(name, free)


def _refuse_near_misses(columns: Columns, given: Roles, roles: Roles) -> None:
    """Refuse 'Fold' and 'folds' where 'fold' was looked for, since they would be ignored."""
    for role in ("fold", "group", "repeat", "strata"):
        if getattr(roles, role) is not None or getattr(given, role) is None:
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
    known = set(numbers)
    spare = [name for name in names if name not in known]
    for at_end in (True, False):
        found = _group_by_model(numbers, labels, at_end=at_end)
        if found and all(len(row) == len(labels) for row in found.values()):
            break
    else:
        return None
    if len(spare) > len(found) or not all(_are_labels(columns, name, labels) for name in spare):
        return None
    table = tuple(tuple(row[label] for label in labels) for row in found.values())
    if not all(_add_up(columns, row) for row in table):
        return None
    return ClassColumns(_name_models(found), tuple(labels), table)


def sort_labels(labels: Iterable[object]) -> tuple[object, ...]:
    """Return labels sorted as numbers or as text, each once; mixed ones by their texts.

    Examples
    --------
    >>> from earnest.core.tables.roles import sort_labels
    >>> sort_labels([10, 2, 1, 2])
    (1, 2, 10)
    """
    known = dict.fromkeys(labels)
    if any(isinstance(label, str) for label in known):
        return tuple(sorted(known, key=str))
    return tuple(sorted(known))  # type: ignore[type-var]  # numbers


def order_as_columns(labels: Sequence[object]) -> tuple[object, ...]:
    """Return the classes of columns in their order; numbers count upward wherever they stand.

    'low', 'mid', 'high' may be an order that only the columns show; 1, 10, 2 is not one.
    """
    numbers = not any(isinstance(label, str) for label in labels)
    return sort_labels(labels) if numbers else tuple(labels)


def class_names(names: Sequence[str], labels: Sequence[object]) -> list[str]:
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
    rest = name[: len(name) - len(text)] if at_end else name[len(text) :]
    edge = rest[-1:] if at_end else rest[:1]
    apart = not edge.isalnum() or (rest.casefold() in _NO_MODEL and text.isdecimal())
    return rest if apart else None


def _name_models(found: dict[str, dict[object, str]]) -> tuple[str, ...]:
    bare = [re.sub(r"^\W+|[\W_]+$|^_+", "", stem) for stem in found]
    if len(bare) == 1 and bare[0].casefold() in _NO_MODEL:
        return (ONE_MODEL,)
    return tuple(bare) if len(set(bare)) == len(bare) and all(bare) else tuple(found)


def _are_labels(columns: Columns, name: str, labels: Sequence[object]) -> bool:
    known = {str(label) for label in labels}
    _, values = columns.codes(name)
    return all(str(value) in known for value in values.tolist())


def _add_up(columns: Columns, names: Sequence[str]) -> bool:
    """Tell whether numbers are shares of 1 in each row; three or more may have been rounded.

    Two numbers of two decimals still add up, and two models are named like classes more easily.
    """
    table = np.column_stack([columns.array(name).astype(np.float64) for name in names])
    known = table[~np.isnan(table).any(axis=1)]
    if len(known) < FEWEST or known.min() < -SUM or known.max() > 1.0 + SUM:
        return False
    off = SUM if len(names) == 2 else len(names) * ROUNDED
    return bool((np.abs(known.sum(axis=1) - 1.0) <= off + SUM).all())
