"""Trials from tables and files of tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.space.space import Space
from earnest.core.space.trials import Trials
from earnest.core.tables.columns import Columns

if TYPE_CHECKING:
    import pyarrow as pa

DONE = ("complete", "completed", "success", "ok", "done", "finished", "1", "1.0", "true")
PRUNED = ("pruned", "stopped", "early_stopped")
MEAN = "mean_test_"
# How tables of other libraries are known: the objective, the status, the prefix of parameters.
# Only what has the prefix is a parameter: times, ranks, splits and spreads stand beside them.
_KNOWN = (
    ("value", "state", "params_"),  # Study.trials_dataframe of Optuna
    (MEAN, None, "param_"),  # cv_results_ of scikit-learn
)


class TrialOptions(TypedDict, total=False):
    """What a user may say of a table of trials; see `Trials.load`."""

    objective: str | None
    direction: str | None
    params: Sequence[str] | None
    standard_error: str | None
    status: str | None
    space: Space | None
    source: str


class TrialFileOptions(TrialOptions, total=False):
    """What a user may say of a file of trials: the marks of a CSV, too."""

    delimiter: str | None
    decimal: str | None
    thousands: str | None


def read_trials(
    frame: object,
    *,
    objective: str | None = None,
    direction: str | None = None,
    params: Sequence[str] | None = None,
    standard_error: str | None = None,
    status: str | None = None,
    space: Space | None = None,
    source: str = "a table",
) -> Trials:
    """Make trials from a table; see `Trials.from_frame` and `Trials.load`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.space.trial_tables import read_trials
    >>> table = pa.table({"a": list(range(10)), "score": [float(i % 4) for i in range(10)]})
    >>> len(read_trials(table, objective="score", direction="maximize"))
    10
    """
    columns = Columns.of(frame)
    objective, status, prefix = _recognise(columns, objective, status)
    if direction is None and prefix == "param_" and objective.startswith(MEAN):
        direction = "maximize"  # scikit-learn's scorers are all greater is better
    if params is not None and prefix:  # with or without the prefix
        params = [prefix + name if prefix + name in columns.names else name for name in params]
    _refuse_unknown(columns, [objective, standard_error, status, *(params or ())])
    if direction is None:
        raise InputError(
            "`direction` is not given",
            needs="'maximize' or 'minimize'",
            cure=f"Pass `direction` to say which way column {objective!r} is better.",
        )
    taken = {objective, standard_error, status}
    both = [name for name in params or () if name in taken]
    if both:
        raise InputError(
            f"column {both[0]!r} cannot be a hyperparameter and something else",
            needs="hyperparameters other than the objective, its standard error and the status",
            got=check.some(both),
        )
    taken |= {"", columns.row_names()}  # what has no name is the index of a frame
    names = list(params) if params is not None else [n for n in columns.names if n not in taken]
    if prefix and params is None:
        names = [name for name in columns.names if name.startswith(prefix)]
    values = columns.array(objective)
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"column {objective!r} does not hold numbers",
            needs="the objective, one number per trial",
            got=str(values.dtype),
        )
    state = _read_states(columns, status)
    return Trials.from_configs(
        _read_configs(columns, names, prefix),
        np.where(state == "failed", np.nan, values.astype(np.float64)),
        direction=direction,
        space=space,
        standard_error=None if standard_error is None else columns.array(standard_error),
        pruned=state == "pruned",
        objective_name=objective,
        source=source,
    )


def load_trials(
    path: Path,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    **options: Unpack[TrialOptions],
) -> Trials:
    """Read trials from a file of a table; see `Trials.load`."""
    options.setdefault("source", path.name)
    table = read_table(path, delimiter=delimiter, decimal=decimal, thousands=thousands)
    return read_trials(table, **options)


def refuse_absent(path: Path, needs: str) -> None:
    """Refuse a file that is not there, and offer the nearest name in its folder."""
    if path.is_file():
        return
    check.refuse_stream(path)
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise FormatError(
        f"there is no file {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
    )


def read_table(
    path: Path,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> pa.Table:
    """Return the Arrow table of a CSV, JSON lines, Parquet or Arrow file."""
    from earnest.core.tables.formats.table_files import find_table_suffix, open_foreign_table

    refuse_absent(path, "a file of trials")
    suffix = find_table_suffix(path)
    with open_foreign_table(
        path, suffix, delimiter=delimiter, decimal=decimal, thousands=thousands
    ) as file:
        if file.header is not None:  # a file that `Predictions.save` wrote
            raise FormatError(
                f"{path.name!r} holds predictions, not trials",
                needs="one row per trial, with its hyperparameters and its objective",
                cure=(
                    "If the predictions have hyperparameters, `earnest report` shows what the "
                    "search learned."
                ),
            )
        return file.table()[0]


def _recognise(
    columns: Columns, objective: str | None, status: str | None
) -> tuple[str, str | None, str]:
    """Return objective, status and prefix; those of other libraries' tables without being told.

    Of `cv_results_` an objective may be said as the metric alone: 'roc_auc' for
    'mean_test_roc_auc'.
    """
    for start, state, prefix in _KNOWN:
        scores = [n for n in columns.names if n == start or n.startswith((MEAN, "values_"))]
        if not scores or not any(name.startswith(prefix) for name in columns.names):
            continue
        found = objective
        if objective is None:
            usual = [n for n in (start, f"{MEAN}score") if n in scores]
            found = (usual or scores)[0] if usual or len(scores) == 1 else None
        elif objective not in columns.names and start + objective in scores:
            found = start + objective
        if found is not None:
            state = state if state in columns.names else None
            return found, state if status is None else status, prefix
    if objective is not None:
        return objective, status, ""
    if "objective" in columns.names:
        return "objective", status, ""
    raise InputError(
        "`objective` is not given",
        needs="the name of the column with the objective",
        got=f"columns {check.some(columns.names, limit=12)}",
    )


def _refuse_unknown(columns: Columns, names: Sequence[str | None]) -> None:
    for name in names:
        if name is not None and name not in columns.names:
            raise InputError(
                f"there is no column {check.show(name)}",
                needs=check.some(columns.names, limit=12),
                cure=check.nearest(name, columns.names),
            )


def _read_states(columns: Columns, status: str | None) -> NDArray[np.generic]:
    """Return 'done', 'pruned' or 'failed' for every row."""
    if status is None:
        return np.full(columns.rows, "done")
    words = [str(word).rpartition(".")[2].casefold() for word in columns.arrow(status).to_pylist()]
    return np.array(["done" if w in DONE else "pruned" if w in PRUNED else "failed" for w in words])


def _read_configs(columns: Columns, names: Sequence[str], prefix: str) -> list[dict[str, object]]:
    read = {name.removeprefix(prefix): _read_values(columns, name) for name in names}
    absent = _ABSENT
    return [
        {name: values[i] for name, values in read.items() if values[i] is not absent}
        for i in range(columns.rows)
    ]


_ABSENT = object()


def _read_values(columns: Columns, name: str) -> list[object]:
    """Return the values of a column; text that is a number or None all through is read as such."""
    values = columns.arrow(name).to_pylist()
    if any(isinstance(value, (date, time, timedelta)) for value in values):
        raise InputError(
            f"column {name!r} holds times, which cannot be a hyperparameter",
            needs="numbers, text or bool",
            cure="Name the columns with hyperparameters in `params`.",
        )
    texts = [v for v in values if v is not None]
    if "None" in texts and all(_parse_number(v) != v for v in texts):
        return [_ABSENT if v is None else _parse_number(v) for v in values]
    return [_ABSENT if v is None else v for v in values]


def _parse_number(text: str) -> object:
    """Return the number that a text is, None for 'None', else the text."""
    if text == "None":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
