"""Tables at the door: Π from a pandas, polars or Arrow frame, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.tables.columns import Columns, remark_stacked, with_index, with_repeats
from earnest.core.tables.long import LongParts, is_long, read_long, refuse_parts_of_long
from earnest.core.tables.r_tables import fill_in_roles, find_r_table, remark_winner_alone
from earnest.core.tables.roles import Meaning, Roles, assign_roles
from earnest.core.tables.wide import read_wide_table
from earnest.core.tables.writing import long_table, make_wide_table


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
    ordered: bool = False,
    sample_weight: None = None,
) -> Predictions:
    """Make Π from a table.

    *Wide*: a column `y`, a column `fold`, perhaps `group`, `repeat`, `strata` and `row_id` (or
    `id`), and one column a configuration: every other column, which must then hold numbers, or
    labels of `y`. With `repeat` a case has one row a repeat, and `row_id` tells which rows are
    the same case. Class probabilities stand in columns `config:class`, or in columns that begin
    or end with the class, such as `.pred_yes` and `.pred_no`.

    *Long*: one row a case, configuration and repeat, with `row_id`, `config_id`, `y_true` and
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
    time, event : str, optional
        Survival: the columns of times and events, by default those of these names.
    configs : sequence of str, optional
        Wide: the columns that are configurations. Long: the configurations to keep.
    model : str or sequence of str, optional
        Long: the column that names the configuration, or several of hyperparameters.
    prediction : str, optional
        Long: the column of predictions.
    task, positive, classes, response, threshold, ordered, sample_weight
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
    named = (target, fold, group, repeat, id, strata, time, event)
    opened = frame if isinstance(frame, Columns) else Columns.of(with_index(frame, named))
    if format is not None:
        check.one_of("format", format, ("wide", "long"))
    given = Roles(target, time, event, fold, group, repeat, id, strata)
    parts = LongParts.of(model, prediction)
    written_by_r = None if format == "wide" else find_r_table(opened)
    if written_by_r is None:
        columns = with_repeats(opened, fold, repeat)
    else:
        columns, given = fill_in_roles(opened, written_by_r, given)
        parts = parts.fill_in(written_by_r, said=model is not None)
    is_known = model is not None or written_by_r is not None or is_long(columns)
    long = is_known if format is None else format == "long"
    refuse_parts_of_long(long, model, prediction)
    roles = assign_roles(
        columns,
        long=long,
        given=given,
        survival=task is not None and str(task) == Task.SURVIVAL,
    )
    meaning = Meaning(
        Task.SURVIVAL if roles.time is not None else task,
        positive,
        None if classes is None else tuple(classes),
        response,
    )
    if long:
        found = read_long(columns, roles, configs, parts, meaning)
    else:
        found = read_wide_table(columns, roles, configs, meaning)
    pi = Predictions.from_arrays(
        found.y,
        found.scores,
        **found.cases,
        configs=found.configs,
        task=found.meaning.task,
        positive=found.meaning.positive,
        classes=found.meaning.classes,
        response=found.meaning.response,
        threshold=threshold,
        ordered=ordered,
        sample_weight=sample_weight,
    )
    remarks = [*found.remarks]
    if written_by_r is not None:
        remarks += remark_winner_alone(written_by_r, found.configs)
    if roles.id is None:
        remarks += remark_stacked(columns, found.y, found.cases["fold"])
    return replace(pi, remarks=tuple(remarks)) if remarks else pi


def write_frame(pi: Predictions, *, form: str = "wide", backend: str = "pyarrow") -> object:
    """Return Π as a table that `read_frame` reads back.

    Parameters
    ----------
    pi : Predictions
        What to write; groups, strata and folds without a name are written as numbers.
    form : {'wide', 'long'}
        One column a configuration (and class), or one row a case, configuration and repeat.
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
    table = make_wide_table(pi) if form == "wide" else long_table(pi)
    if backend == "pyarrow":
        return table
    import narwhals as nw

    wrapped = nw.from_native(table, eager_only=True)
    try:
        return wrapped.to_pandas() if backend == "pandas" else wrapped.to_polars()
    except ModuleNotFoundError as error:
        raise InputError(
            f"backend {backend!r} is not installed",
            cure=f"Install {backend}, or use backend='pyarrow'.",
        ) from error
