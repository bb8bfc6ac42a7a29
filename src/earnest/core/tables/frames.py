"""Tables at the door: Π from a pandas, polars or Arrow frame, wide or long, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import RawArray, missing, whole_as_int
from earnest.core.base.errors import InputError
from earnest.core.data.case_weights import Weighting
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import MANY, Task, plain_labels, refuse_spellings
from earnest.core.results.cautions import Caution
from earnest.core.tables.column_names import NAMELESS, OF_PREDICTIONS
from earnest.core.tables.columns import (
    ColumnFile,
    Columns,
    Grid,
    Outcome,
    add_index_levels,
    clear_columns,
    find_stray_text,
    remark_stacked,
    split_repeats,
)
from earnest.core.tables.faults import ColumnFault, make_faults_error, show_cell
from earnest.core.tables.formats.missing import read_missing, refuse_marks
from earnest.core.tables.long import LongParts, is_long, read_long, refuse_parts_of_long
from earnest.core.tables.r_tables import fill_in_roles, find_r_table, remark_winner_alone
from earnest.core.tables.raw import remark_data
from earnest.core.tables.roles import (
    LABEL_COLUMNS,
    Roles,
    TableArrays,
    TableMeaning,
    assign_roles,
    find_class_columns,
    hint_at_long,
    order_as_columns,
    read_about_cases,
    read_case_outcome,
    refuse_both_classes,
    sort_labels,
)
from earnest.core.tables.rows_of_models import refuse_rows_of_models
from earnest.core.tables.writing import make_long_table, make_wide_table
from earnest.core.text.doors import arg

# Names that nobody gives to a configuration: as one, such a column would be scored and might win.
_SUSPECTS = {
    *(name for role in OF_PREDICTIONS.values() for name in role.usual if name != "y_pred"),
    *(*NAMELESS, "index", "target", "label", "stratum"),
}
_COUNTED = 5  # rows from which numbers that count them are taken to do so


def read_wide_table(
    columns: Columns,
    roles: Roles,
    configs: Sequence[str] | None,
    meaning: TableMeaning,
) -> TableArrays:
    """Return the arguments of `Predictions.from_arrays` that a wide table holds."""
    task, classes = meaning.task, meaning.classes
    names = _find_config_columns(columns, roles, configs)
    if configs is None:
        refuse_rows_of_models(columns, roles)
    grid: Grid | None = None
    if roles.repeat is not None:
        assert roles.id is not None
        grid = Grid.of(columns, roles.id, roles.repeat)
        grid.refuse_duplicates(np.zeros_like(grid.case), ())
    y = read_case_outcome(columns, roles, grid)
    labels = _find_labels(y, task, classes)
    class_columns = _find_class_columns(columns, names, labels, in_order=classes is not None)
    if class_columns is None and configs is None:
        by_class = find_class_columns(columns, names, _order_labels(labels, classes))
        if by_class is None:
            refuse_both_classes(columns, names, labels)
        else:
            class_columns = (
                list(by_class.ids),
                by_class.classes,
                [list(row) for row in by_class.table],
            )
    cases = read_about_cases(columns, roles, grid)
    if class_columns is None:
        remarks: list[Caution] = []
        if configs is None and meaning.response is None:
            remarks = remark_data(columns, names, y, roles.target, folds=roles.fold is not None)
        _refuse_one_column_a_config(columns, names, labels, task)
        scores = _fill(columns, [[name] for name in names], grid, labels, roles)[..., 0]
        return TableArrays(y, scores, names, cases, meaning, remarks)
    ids, order, table = class_columns
    task = task if task is not None or len(order) == 2 else Task.MULTICLASS
    scores = _fill(columns, table, grid, (), roles)
    return TableArrays(y, scores, ids, cases, replace(meaning, classes=order, task=task))


def _find_config_columns(
    columns: Columns, roles: Roles, configs: Sequence[str] | None
) -> list[str]:
    if configs is not None:
        names = [configs] if isinstance(configs, str) else [str(name) for name in configs]
        present = set(columns.names)
        for name in names:
            if name not in present:
                raise columns.make_missing_error(name, "names of columns in the table")
            if name in roles.used():
                raise InputError(
                    f"column {name!r} cannot also be a configuration",
                    needs="configurations that have no other role",
                    got=f"{name!r} among {arg('configs')}",
                    cure="Leave it out, or pass another column for the other role.",
                )
        return names
    left_out = {r for r in ("fold", "group", "repeat", "strata") if getattr(roles, r) is None}
    # Where such a column stands and has no part, the user said None.
    names = [name for name in columns.names if name not in roles.used() | left_out]
    names = [name for name in names if name != columns.row_names()]
    strange = [name for name in names if _is_strange(columns, name)]
    if strange:
        raise InputError(
            f"column {strange[0]!r} does not look like a configuration",
            needs="a configuration in every column without another role",
            got=f"{check.some(map(repr, strange))} left over",
            cure=f"{_give_hint(columns, strange[0])}, or name the configurations with "
            f"{arg('configs', ...)}.",
        )
    if not names:
        raise InputError(
            "the table has no predictions",
            needs="one column per configuration",
            got=f"columns {check.some(map(repr, columns.names))}",
        )
    return names


def _is_strange(columns: Columns, name: str) -> bool:
    """Tell whether a column has the name of something else, or counts the rows."""
    plain = name.strip().casefold()
    return plain in _SUSPECTS or _is_case_name(columns, name)


def _is_case_name(columns: Columns, name: str) -> bool:
    """Tell whether numbers are those of the rows: such a column would be scored, and might win."""
    values = columns.array(name)
    if values.dtype.kind not in "iu" or columns.rows < _COUNTED:
        return False
    named = OF_PREDICTIONS["id"].is_named(name) and len(np.unique(values)) == columns.rows
    return named or bool(np.array_equal(values - values[0], np.arange(columns.rows)))


def _give_hint(columns: Columns, name: str) -> str:
    plain = name.strip().casefold()
    if plain in (*NAMELESS, "index"):
        return "Drop it (pandas leaves an index out with index=False, R with row.names=FALSE)"
    if OF_PREDICTIONS["id"].is_named(name) or _is_case_name(columns, name):
        return f"If it identifies the cases pass {arg('id', name)}; otherwise drop it"
    if OF_PREDICTIONS["weight"].is_named(name):
        return f"If it holds case weights pass {arg('weight', name)}; otherwise drop it"
    return "Drop it"


def _suggest_part(name: str, values: RawArray, roles: Roles) -> str:
    """Say what a column of text may be, and else to drop it: the names of cases, or of units."""
    count = len(dict.fromkeys(values.tolist()))
    role = "id" if count == len(values) else "group"
    named = role == "id" or OF_PREDICTIONS["id"].is_named(name)
    if not named or getattr(roles, role) is not None:
        return "Drop "
    what = "the cases" if role == "id" else "the groups"
    return f"If it identifies {what} pass {arg(role, name)}; otherwise drop "


def _order_labels(
    labels: tuple[object, ...], classes: tuple[object, ...] | None
) -> tuple[object, ...]:
    """Return the classes as they were given, else in their own order."""
    return labels if classes is not None else sort_labels(labels)


def _find_labels(
    y: Outcome, task: Task | str | None, classes: tuple[object, ...] | None
) -> tuple[object, ...]:
    """Return the labels that predictions may be, none where the outcome has no classes."""
    if isinstance(y, tuple) or (task is not None and str(task) == Task.REGRESSION):
        return ()
    if classes is not None:
        return plain_labels(classes)
    levels = dict.fromkeys(whole_as_int(y[~missing(y)]).tolist())
    return tuple(levels) if y.dtype.kind in "UOb" or len(levels) <= MANY else ()


def _find_class_columns(
    columns: Columns, names: list[str], labels: tuple[object, ...], *, in_order: bool
) -> tuple[list[str], tuple[object, ...], list[list[str]]] | None:
    """Read 'config:class' names: the configurations, the classes, and their columns (C, K).

    The classes stand in the order of `labels` if that is one, numbers in their own, and texts in
    that of the columns.
    """
    if len(labels) < 2 or not all(":" in name for name in names):
        return None
    ends = sorted(((f":{label}", label) for label in labels), key=lambda e: -len(e[0]))
    table: dict[str, dict[object, str]] = {}
    for name in names:
        match = next(((end, label) for end, label in ends if name.endswith(end)), None)
        if match is None:
            return None
        table.setdefault(name[: -len(match[0])], {})[match[1]] = name
    first = next(iter(table.values()))
    if any(set(row) != set(labels) for row in table.values()):
        _refuse_lacking_class(columns, table, labels)
        return None
    if len(labels) == 2:  # 'depth:0' and 'depth:1' may be two configurations
        pair = [columns.array(name) for name in first.values()]
        if any(p.dtype.kind not in "iuf" for p in pair) or not _is_sum_one(*pair):
            return None
    order = labels if in_order else order_as_columns(tuple(first))
    return list(table), order, [[row[label] for label in order] for row in table.values()]


def _refuse_lacking_class(
    columns: Columns, table: dict[str, dict[object, str]], labels: tuple[object, ...]
) -> None:
    """Refuse numbers for some classes of a configuration; labels may be called like a class."""
    present = [name for row in table.values() for name in row.values()]
    if isinstance(labels[0], str) and all(columns.array(n).dtype.kind in "iuf" for n in present):
        lacking = [
            f"{c}:{label}" for c, row in table.items() for label in labels if label not in row
        ]
        if len(labels) > 2:
            raise InputError(
                "a class has no column of predictions",
                needs="a column for every class of every configuration",
                got=f"{check.some(map(repr, present))}, and no {check.some(map(repr, lacking))}",
                cure=f"Add it, or name the configurations to keep with {arg('configs', ...)}.",
            )


def _refuse_one_column_a_config(
    columns: Columns, names: list[str], labels: tuple[object, ...], task: Task | str | None
) -> None:
    """Refuse numbers where every class needs its own, with the words of a table."""
    many = len(labels) > 2 and (str(task) == Task.MULTICLASS or isinstance(labels[0], str))
    first = columns.array(names[0]) if many else np.empty(0)
    present = first[~missing(first)]
    if first.dtype.kind == "f" and not np.isin(present, np.asarray(labels)).all():
        raise InputError(
            "a multiclass task needs a score for every class, or labels",
            needs="columns "
            + check.some((repr(f"{names[0]}:{label}") for label in labels), limit=3)
            + ", or columns of labels",
            got=f"numbers in column {names[0]!r}",
            cure="You can also use the long format with columns 'proba_<class>'.",
        )


def _is_sum_one(first: RawArray, other: RawArray) -> bool:
    total = np.asarray(first + other, dtype=np.float64)
    return bool((np.isnan(total) | (np.abs(total - 1.0) <= 1e-5)).all())


def _fill(
    columns: Columns,
    table: list[list[str]],
    grid: Grid | None,
    labels: tuple[object, ...],
    roles: Roles,
) -> RawArray:
    """Return the scores (n, C, R, K); `table` names the column of each configuration and class."""
    kind = _find_common_type(columns, [name for row in table for name in row], labels, roles)
    n = columns.rows if grid is None else grid.n
    shape = (n, len(table), 1 if grid is None else grid.repeats, len(table[0]))
    if kind.kind == "f" and columns.large:
        return _fill_mapped(columns, table, grid, shape, kind)
    out = np.full(shape, None if kind.kind == "O" else np.nan, dtype=kind)
    for c, row in enumerate(table):
        for k, name in enumerate(row):
            where = (slice(None), c, 0, k) if grid is None else (grid.case, c, grid.repeat, k)
            out[where] = columns.array(name)
    return out


def _fill_mapped(
    columns: Columns,
    table: list[list[str]],
    grid: Grid | None,
    shape: tuple[int, int, int, int],
    kind: np.dtype[np.generic],
) -> RawArray:
    """Return the scores as `_fill` does, in a mapped file: no two columns are in memory."""
    n, _, repeats, _ = shape
    with ColumnFile(kind) as file:
        for name in (name for row in table for name in row):
            values = columns.array(name)
            if grid is not None:
                placed = np.full((repeats, n), np.nan, dtype=kind)
                placed[grid.repeat, grid.case] = values
                values = placed
            file.append(values)
        return file.mapped(shape)


def _find_common_type(
    columns: Columns, names: list[str], labels: tuple[object, ...], roles: Roles
) -> np.dtype[np.generic]:
    """Return the type that holds all predictions; columns of nothing but gaps fit every one."""
    hint = hint_at_long(columns)
    checked = [_find_fault(columns, name, labels, roles, hint) for name in names]
    faults = [fault for fault in checked if fault is not None]
    if faults:
        raise make_faults_error(faults, columns.name_row)
    types = {name: _find_type(columns.array(name)) for name in names}
    filled = [name for name in names if not missing(columns.array(name)).all()]
    text = [name for name in filled if types[name].kind == "O"]
    if text and any(types[name].kind == "f" for name in filled):
        raise InputError(
            "some configurations are labels and some are numbers",
            needs="predictions of one kind",
            got=f"labels in {check.some(map(repr, text))}",
            cure=f"Read the two kinds separately with {arg('configs', ...)}."
            + f" {hint}" * bool(hint),
        )
    kind = np.result_type(*{types[name] for name in filled or names})
    # A case that a repeat did not test is missing, which bool cannot be.
    return np.dtype(object) if kind.kind == "b" else kind


def _find_fault(
    columns: Columns, name: str, labels: tuple[object, ...], roles: Roles, hint: str
) -> ColumnFault | None:
    """Return why a column cannot be predictions: numbers, or labels of the outcome."""
    values = columns.array(name)
    if values.dtype.kind in "biuf":
        return None
    texts = {str(label) for label in labels}
    cells = enumerate(values.tolist())
    strange = next(((row, v) for row, v in cells if v is not None and str(v) not in texts), None)
    if strange is None:
        return None
    stray = find_stray_text(name, columns.arrow(name))
    if stray is not None:
        return stray
    return ColumnFault(
        name,
        "does not hold predictions",
        needs="numbers" + (f", or labels of y ({check.some(labels)})" if labels else ""),
        value=f"values such as {show_cell(strange[1])}",
        row=strange[0],
        cure=_suggest_part(name, values, roles)
        + f"the column, or name the configurations with {arg('configs', ...)}."
        + (f" {hint}" if hint else ""),
    )


def _find_type(values: RawArray) -> np.dtype[np.generic]:
    """Return the type in which a column of predictions is kept."""
    if values.dtype.kind == "b":
        return np.dtype(bool)
    if values.dtype.kind in "iuf":
        return np.dtype(np.float32 if values.dtype == np.float32 else np.float64)
    return np.dtype(object)


def read_frame(
    frame: object,
    *,
    format: str | None = None,
    target: str | None = None,
    fold: str | None = "fold",
    group: str | None = "group",
    repeat: str | None = "repeat",
    id: str | None = None,
    strata: str | None = "strata",
    by: str | Sequence[str] = (),
    time: str | None = None,
    event: str | None = None,
    configs: Sequence[str] | None = None,
    model: str | Sequence[str] | None = None,
    prediction: str | None = None,
    task: Task | str | None = None,
    positive: object = None,
    classes: Sequence[object] | None = None,
    response: ResponseKind | str | None = None,
    threshold: float | None = None,
    when: str | bool | None = None,
    missing: str | Sequence[str] = (),
    weight: str | None = None,
    weights: Weighting | str = Weighting.IMPORTANCE,
) -> Predictions:
    """Make Π from a table.

    *Wide*: a column `y`, a column `fold`, perhaps `group`, `repeat`, `strata` and `row_id` (or
    `id`), and one column per configuration: every other column, which must then hold numbers, or
    labels of `y`. With `repeat` a case has one row per repeat, and `row_id` tells which rows are
    the same case. Class probabilities stand in columns `config:class`, or in columns that begin
    or end with the class, such as `.pred_yes` and `.pred_no`.

    *Long*: one row per case, configuration and repeat, with `row_id`, `config_id`, `y_true` and
    either `y_pred` or one column `proba_<class>` (or `score_<class>` for decision values, or named
    by the classes as above) a class; the positive class alone will do. `model` and `prediction` say
    other names than `config_id` and `y_pred`. `repeat`, `fold` and `group` are optional, other
    columns are not looked at, and where a row is missing the configuration was not evaluated.
    Where both stand there, `y_pred` is read with `response='label'`, the probabilities else.

    Folds that are named `Fold1.Rep2` are fold and repeat in one. What R's caret, tidymodels, mlr3
    and mlr write is long, and is read by the names that these packages give to columns; what you
    say of a column counts.

    Parameters
    ----------
    frame : table
        Any eager frame that narwhals reads: pandas, polars, pyarrow, Modin, cuDF.
    format : {'wide', 'long'}, optional
        If None, long where there is a column `config_id`, where `model` is said, and where the
        columns are those of an R package.
    target, fold, group, repeat, id, strata : str, optional
        Names of columns. Those of the default names are used where they stand; another name must
        stand there, and None leaves the column out. `fold=None` makes one hold-out fold.
    by : str or sequence of str
        Columns that divide the cases into subgroups; they are kept with the predictions.
    time, event : str, optional
        Survival: the columns of times and events, by default those of these names.
    configs : sequence of str, optional
        Wide: the columns that are configurations. Long: the configurations to keep.
    model : str or sequence of str, optional
        Long: the column that names the configuration, or several of hyperparameters.
    prediction : str, optional
        Long: the column of predictions.
    missing : str or sequence of str
        What stands for a missing value, besides empty cells and the usual marks: '?', '-', '.',
        '*', 'n/a', 'none', 'missing' and 'unknown' among numbers, '?', '.' and 'N.A.' among text.
    when : str or bool, optional
        The column of the times of the cases, numbers or dates; True where the rows are in order.
    weight : str, optional
        The column of case weights, and with `weights` what they mean.
    task, positive, classes, response, threshold, weights
        As in `Predictions.from_arrays`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.tables.frames import read_frame
    >>> table = pa.table(
    ...     {
    ...         "row_id": [1, 1, 2, 2],
    ...         "config_id": ["a", "b", "a", "b"],
    ...         "y_true": [0, 0, 1, 1],
    ...         "y_pred": [0.2, 0.5, 0.7, 0.6],
    ...     }
    ... )
    >>> read_frame(table)
    Predictions(n=2, configs=2, repeats=1, folds=1, task=binary, response=probability)
    """
    divided = _list_models(by)
    timed = when if isinstance(when, str) else None
    named = (target, fold, group, repeat, id, strata, time, event, timed, weight, *divided)
    opened = frame if isinstance(frame, Columns) else Columns.of(add_index_levels(frame, named))
    singles = (fold, group, repeat, id, strata)
    labels = {name for name in (*singles, *divided, *_list_models(model)) if name}
    labels |= LABEL_COLUMNS
    opened = clear_columns(opened, read_missing(missing), labels, _list_labels(opened, target))
    if format is not None:
        check.one_of("format", format, ("wide", "long"))
    named_roles = Roles(
        target, time, event, fold, group, repeat, id, strata, timed, divided, weight
    )
    parts = LongParts.of(model, prediction)
    written_by_r = None if format == "wide" else find_r_table(opened)
    if written_by_r is None:
        columns = split_repeats(opened, fold, repeat)
    else:
        columns, named_roles = fill_in_roles(opened, written_by_r, named_roles)
        parts = parts.fill_in(written_by_r, model_named=model is not None)
    is_known = model is not None or written_by_r is not None or is_long(columns)
    long = is_known if format is None else format == "long"
    refuse_parts_of_long(long, model, prediction)
    roles = assign_roles(
        columns,
        long=long,
        named=named_roles,
        survival=task is not None and str(task) == Task.SURVIVAL,
    )
    meaning = TableMeaning(
        Task.SURVIVAL if roles.time is not None else task,
        positive,
        None if classes is None else tuple(classes),
        response,
    )
    if long:
        arrays = read_long(columns, roles, configs, parts, meaning)
    else:
        arrays = read_wide_table(columns, roles, configs, meaning)
    if task is None and classes is None and roles.target is not None:
        _ask_about_classes(roles.target, arrays.y)
    pi = Predictions.from_arrays(
        arrays.y,
        arrays.scores,
        **(arrays.cases if when is None or timed else {**arrays.cases, "when": bool(when)}),
        configs=arrays.configs,
        task=arrays.meaning.task,
        positive=arrays.meaning.positive,
        classes=arrays.meaning.classes,
        response=arrays.meaning.response,
        threshold=threshold,
        weights=weights,
    )
    remarks = [*arrays.remarks, *opened.notes]
    if written_by_r is not None:
        remarks += remark_winner_alone(written_by_r, arrays.configs)
    if roles.id is None:
        remarks += remark_stacked(columns, arrays.y, arrays.cases["fold"])
    return replace(pi, remarks=tuple(remarks)) if remarks else pi


def _ask_about_classes(name: str, y: Outcome) -> None:
    texts = [] if isinstance(y, tuple) or y.dtype.kind not in "UO" else y.tolist()
    labels = Counter(text for text in texts if isinstance(text, str))
    refuse_spellings(name, tuple(labels), tuple(labels.values()))
    refuse_marks(name, tuple(labels), tuple(labels.values()))


def _list_labels(columns: Columns, target: str | None) -> set[str]:
    """Return the texts of the outcome of a frame: '-' and '?' may be labels there."""
    usual = next((name for name in ("y", "y_true") if name in columns.names), None)
    name = target if target in columns.names else usual
    labels = [] if name is None or name in columns.doubts else columns.codes(name)[1].tolist()
    return {label for label in labels if isinstance(label, str)}


def _list_models(model: str | Sequence[str] | None) -> tuple[str, ...]:
    return (model,) if isinstance(model, str) else tuple(model or ())


def write_frame(pi: Predictions, *, form: str = "wide", backend: str = "pyarrow") -> object:
    """Return Π as a table that `read_frame` reads back.

    Parameters
    ----------
    pi : Predictions
        What to write; groups, strata and folds without a name are written as numbers.
    form : {'wide', 'long'}
        One column per configuration (and class), or one row per case, configuration and repeat.
    backend : {'pyarrow', 'pandas', 'polars'}
        The library of the table.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1], [[0.2, 0.5], [0.7, 0.6]], configs=["a", "b"])
    >>> pi.to_frame().column_names
    ['y', 'fold', 'a', 'b']
    >>> pi.to_frame(form="long").num_rows
    4
    """
    check.one_of("form", form, ("wide", "long"))
    check.one_of("backend", backend, ("pyarrow", "pandas", "polars"))
    table = make_wide_table(pi) if form == "wide" else make_long_table(pi)
    if backend == "pyarrow":
        return table
    import narwhals as nw

    wrapped = nw.from_native(table, eager_only=True)
    try:
        return wrapped.to_pandas() if backend == "pandas" else wrapped.to_polars()
    except ModuleNotFoundError as error:
        raise InputError(
            f"backend {backend!r} is not installed",
            cure=f"Install {backend}, or use {arg('backend', 'pyarrow')}.",
        ) from error
