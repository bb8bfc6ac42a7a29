"""Tables of predictions as R writes them: caret, tidymodels, mlr3 and mlr, by their own columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_search
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, number_repeats, split_repeats
from earnest.core.tables.roles import Roles
from earnest.core.text.doors import arg

FOLD, REPEAT = "fold", "repeat"  # the defaults
_PROBABILITY = ".pred_"  # the beginning of a class of tidymodels
_NOT_A_CLASS = (".pred_class", ".pred_time", ".pred_linear_pred", ".pred_lower", ".pred_upper")
_NO_PARAMETER = {"parameter", "weights"}  # columns of caret that are not hyperparameters
_OF_A_SET = ("preproc", "model")  # what workflow sets say beside the name of a workflow


@dataclass(frozen=True)
class RTable:
    """The parts of a table of an R package, by the names of their columns.

    Parameters
    ----------
    package : str
        The package whose columns these are.
    target, id, fold, repeat : str or None
        The outcome, the case, what tested it, and the repeat where that has its own column.
    model : tuple of str
        The columns that name the configuration; none where there is only one.
    prediction : str
        The column of labels or numbers, which is read where no column is about a class.
    by_class : tuple of str
        The columns that may be about a class.
    tuned : tuple of str
        The hyperparameters.
    numbered : bool
        Whether folds are numbered through all repeats.
    """

    package: str
    target: str | None
    id: str
    fold: str | None
    model: tuple[str, ...]
    prediction: str
    by_class: tuple[str, ...]
    repeat: str | None = None
    tuned: tuple[str, ...] = ()
    numbered: bool = False


def find_r_table(columns: Columns) -> RTable | None:
    """Return the parts of a table that caret, tidymodels, mlr3 or mlr wrote, None for others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.tables.columns import Columns
    >>> from earnest.core.tables.r_tables import find_r_table
    >>> table = pa.table({"pred": [1.5], "obs": [2.0], "rowIndex": [1], "k": [5]})
    >>> find_r_table(Columns.of(table)).model
    ('k',)
    >>> find_r_table(Columns.of(pa.table({"y": [1], "svm": [0.5]}))) is None
    True
    """
    names = columns.names
    if "config_id" in names or len(names) > MOST_COLUMNS:
        return None
    present, answers = set(names), _has_answers(names)
    if {"pred", "obs", "rowIndex"} <= present:
        return _read_caret(columns)
    if ".row" in present and any(name.startswith(".pred") for name in names):
        return _read_tidymodels(columns)
    if {"row_ids", "truth"} <= present and answers:
        return _read_mlr3(columns)
    if {"id", "truth"} <= present and present & {"iter", "set"} and answers:
        return _read_mlr(columns)
    return None


MOST_COLUMNS = 200  # of such a table; a hyperparameter or a class each


def fill_in_roles(columns: Columns, table: RTable, named: Roles) -> tuple[Columns, Roles]:
    """Return the table with its repeats in a column, and all its roles; what was said counts."""
    target = named.target
    if target is None and named.time is None and named.event is None:
        target = table.target
    roles = replace(
        named,
        target=target,
        id=named.id or table.id,
        fold=table.fold if named.fold == FOLD and FOLD not in columns.names else named.fold,
    )
    if roles.fold is None:
        if named.fold is not None:
            raise _make_no_folds_error(columns, table)
        return columns, roles
    if table.repeat is not None and named.repeat == REPEAT and roles.fold == table.fold:
        return columns, replace(roles, repeat=table.repeat)
    columns = split_repeats(columns, roles.fold, roles.repeat)
    if roles.repeat in columns.names or roles.fold not in columns.names:
        return columns, roles
    return _number_repeats(columns, table, roles), roles


def remark_winner_alone(table: RTable, names: Sequence[str]) -> list[Caution]:
    """Warn of a table with one configuration of a search, which may be its winner."""
    if len(names) > 1 or not table.tuned:
        return []
    return [of_search.winner_alone(table.package, tuple(table.tuned))]


def _has_answers(names: Sequence[str]) -> bool:
    return "response" in names or any(name.startswith("prob.") for name in names)


def _read_caret(columns: Columns) -> RTable:
    labels = {str(label) for label in columns.codes("obs")[1].tolist()}
    by_class = tuple(n for n in columns.names if n in labels and _is_number(columns, n))
    parts = {"pred", "obs", "rowIndex", "Resample", columns.row_names(), *by_class}
    others = tuple(name for name in columns.names if name not in parts)
    tuned = tuple(name for name in others if name not in _NO_PARAMETER)
    return RTable(
        "caret",
        target="obs",
        id="rowIndex",
        fold="Resample" if "Resample" in columns.names else None,
        model=_keep_varying(columns, tuned),
        prediction="pred",
        by_class=by_class,
        tuned=tuned,
    )


def _read_tidymodels(columns: Columns) -> RTable:
    names = columns.names
    by_class = tuple(n for n in names if n.startswith(_PROBABILITY) and n not in _NOT_A_CLASS)
    parts = {"id", "id2", "wflow_id", columns.row_names()}
    parts |= set(_OF_A_SET) if "wflow_id" in names else set()
    plain = [name for name in names if not name.startswith(".") and name not in parts]
    target = _find_tidy_outcome(columns, plain, by_class)
    tuned = tuple(name for name in plain if name != target) if target is not None else ()
    keys = tuple(name for name in ("wflow_id", ".config") if name in names)
    named = keys == (".config",) and _tell_apart(columns, tuned, ".config")
    return RTable(
        "tidymodels",
        target=target,
        id=".row",
        fold="id2" if "id2" in names else "id" if "id" in names else None,
        repeat="id" if "id2" in names else None,
        model=_keep_varying(columns, tuned) if named else _keep_varying(columns, keys),
        prediction=".pred_class" if ".pred_class" in names else ".pred",
        by_class=by_class,
        tuned=tuned,
    )


def _read_mlr3(columns: Columns) -> RTable:
    names = columns.names
    _refuse_several_tasks(columns, "task_id", "mlr3")
    keys = [name for name in ("learner_id", "nr", "uhash") if name in names]
    key = next((name for name in keys if _tell_apart(columns, keys, name)), None)
    return RTable(
        "mlr3",
        target="truth",
        id="row_ids",
        fold="iteration" if "iteration" in names else None,
        model=_keep_varying(columns, [key] if key is not None else keys),
        prediction="response",
        by_class=tuple(name for name in names if name.startswith("prob.")),
        numbered=True,
    )


def _read_mlr(columns: Columns) -> RTable:
    names = columns.names
    _refuse_several_tasks(columns, "task.id", "mlr")
    if "set" in names and any(str(word) != "test" for word in columns.codes("set")[1].tolist()):
        raise InputError(
            "the table of mlr holds predictions of training cases",
            needs="'test' in every row of column 'set'",
            got=check.some(map(repr, columns.codes("set")[1].tolist())),
            cure='Keep the test cases: subset(x, set == "test").',
        )
    return RTable(
        "mlr",
        target="truth",
        id="id",
        fold="iter" if "iter" in names else None,
        model=_keep_varying(columns, ["learner.id"] if "learner.id" in names else []),
        prediction="response",
        by_class=tuple(name for name in names if name.startswith("prob.")),
        numbered=True,
    )


_MAKE_FOLDS = {
    "caret": "Keep its column 'Resample'. caret has none after trainControl(method = \"LOOCV\"): "
    f"then pass {arg('fold', 'rowIndex')}.",
    "tidymodels": "Write collect_predictions(x, summarize = FALSE), which keeps the column 'id'.",
    "mlr3": 'Write rbindlist(lapply(rr$predictions(), as.data.table), idcol = "iteration").',
    "mlr": "Keep its column 'iter'.",
}
_USE_FOLDS = {
    "caret": 'trainControl(method = "cv") or trainControl(method = "repeatedcv")',
    "tidymodels": "vfold_cv()",
    "mlr3": 'rsmp("cv") or rsmp("repeated_cv")',
    "mlr": 'makeResampleDesc("CV") or makeResampleDesc("RepCV")',
}


def _find_tidy_outcome(
    columns: Columns, plain: Sequence[str], by_class: Sequence[str]
) -> str | None:
    """Return the column of the outcome, which has the name that it has in the user's data.

    It says the same in all rows of a case. A hyperparameter does so only where it never varies,
    and a constant is no outcome.
    """
    case, _ = columns.codes(".row")
    classes = {name.removeprefix(_PROBABILITY) for name in by_class}
    outcomes = []
    for name in plain:
        codes, labels = columns.codes(name)
        words = {str(label) for label in labels.tolist()}
        first = np.zeros(int(case.max()) + 1, np.intp)
        first[case] = codes
        varies = len(labels) > 1 and bool((first[case] == codes).all())
        if varies and (not classes or words <= classes):
            outcomes.append(name)
    return outcomes[0] if len(outcomes) == 1 else None


def _tell_apart(columns: Columns, names: Sequence[str], key: str) -> bool:
    """Tell whether columns without gaps are as many different rows as a key, and so name it."""
    if not names:
        return False
    codes = [columns.codes(name)[0] for name in (*names, key)]
    if any((column_codes < 0).any() for column_codes in codes):
        return False
    pairs = np.column_stack(codes)
    rows = len(np.unique(pairs, axis=0))
    return rows == len(np.unique(pairs[:, :-1], axis=0)) == len(np.unique(pairs[:, -1]))


def _keep_varying(columns: Columns, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with several values, and all of them where none has."""
    varying = tuple(name for name in names if len(columns.codes(name)[1]) > 1)
    return varying or tuple(names)


def _is_number(columns: Columns, name: str) -> bool:
    return columns.array(name).dtype.kind in "iuf"


def _refuse_several_tasks(columns: Columns, name: str, package: str) -> None:
    tasks = columns.codes(name)[1].tolist() if name in columns.names else []
    if len(tasks) > 1:
        raise InputError(
            f"the table of {package} holds several tasks",
            needs=f"one value in column {name!r}",
            got=check.some(map(repr, tasks)),
            cure=f"Write one table per task, such as subset(x, {name} == {str(tasks[0])!r}).",
        )


def _make_no_folds_error(columns: Columns, table: RTable) -> InputError:
    return InputError(
        f"the table of {table.package} does not say which fold tested a case",
        needs="a column of folds",
        got=f"columns {check.some(map(repr, columns.names))}",
        cure=f"{_MAKE_FOLDS[table.package]} For one hold-out test set without folds pass "
        f"{arg('fold', None)}.",
    )


def _number_repeats(columns: Columns, table: RTable, roles: Roles) -> Columns:
    """Return the columns with one of repeats, where a case is in several numbered folds.

    mlr3 and mlr count on from one repeat to the next. A repeat is then a run of numbers whose
    folds hold every case once; where there are no such runs, resamples overlap as those of the
    bootstrap do, and no fold tested a case.
    """
    assert roles.id is not None
    assert roles.fold is not None
    case, ids = columns.complete_codes(roles.id)
    fold, labels = columns.complete_codes(roles.fold)
    tested = np.zeros((len(labels), len(ids)), bool)
    tested[fold, case] = True
    if not (tested.sum(axis=0) > 1).any():
        return columns
    numbered = table.numbered and roles.repeat is not None
    runs = number_repeats(tested, labels) if numbered else None
    if runs is None:
        raise InputError(
            f"the resamples of {table.package} overlap: a case is tested more than once",
            needs="cross-validation, perhaps repeated, in which every repeat tests a case once",
            got=f"{check.some(map(repr, labels.tolist()))}, and up to "
            f"{int(tested.sum(axis=0).max())} of them for a case",
            cure=f"Tune again with {_USE_FOLDS[table.package]}.",
        )
    import pyarrow as pa

    numbers = pa.array(runs[fold])
    read, name = columns.read, roles.repeat
    return replace(
        columns,
        names=(*columns.names, str(name)),
        read=lambda wanted: numbers if wanted == name else read(wanted),
    )
