"""What columns are called: one list for tables of predictions, one for tables of scores.

A column of a usual name is read without being said. One that others call so is suggested, or, in
the log of an evaluation tool, read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NAMELESS = ("", "unnamed: 0")  # what pandas and R write above the names of rows


@dataclass(frozen=True)
class ColumnRole:
    """The names of the columns of one role, the likeliest first.

    Examples
    --------
    >>> from earnest.core.tables.column_names import OF_PREDICTIONS
    >>> OF_PREDICTIONS["fold"].find_elsewhere(["age", "CV_Fold"])
    ['CV_Fold']
    >>> OF_PREDICTIONS["model"].is_named("Estimator")
    True
    """

    usual: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the usual ones first."""
        return (*self.usual, *self.elsewhere)

    def is_named(self, column: str) -> bool:
        """Tell whether a column has one of the names, in any capitals."""
        return fold_name(column) in self.names

    def find_usual(self, columns: Sequence[str]) -> str | None:
        """Return the column that has a usual name as it is written."""
        return next((name for name in self.usual if name in columns), None)

    def find_elsewhere(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that others call so, in any capitals."""
        return _find_all(columns, self.elsewhere)

    def find(self, columns: Sequence[str]) -> str | None:
        """Return the first column of a usual name, in any capitals."""
        return next(iter(_find_all(columns, self.usual)), None)

    def find_any(self, columns: Sequence[str]) -> str | None:
        """Return the first column of any of the names, in any capitals."""
        return next(iter(_find_all(columns, self.names)), None)


def fold_name(column: str) -> str:
    """Return the name of a column without spaces around it, in small letters."""
    return column.strip().casefold()


def _find_all(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    written = {fold_name(column): column for column in reversed(columns)}
    return [written[name] for name in names if name in written]


OF_PREDICTIONS: Mapping[str, ColumnRole] = {
    "target": ColumnRole(
        ("y", "y_true"),
        ("obs", "truth", "outcome", "observed", "actual", "target", "label", "status"),
    ),
    "time": ColumnRole(("time",)),
    "event": ColumnRole(("event",), ("status", "died", "death", "dead", "cens", "delta")),
    "fold": ColumnRole(
        ("fold",), ("resample", "fold_id", "foldid", "cv_fold", "cvfold", "split", "id2")
    ),
    "group": ColumnRole(("group",)),
    "repeat": ColumnRole(("repeat",)),
    "strata": ColumnRole(("strata",), ("stratum",)),
    "weight": ColumnRole(
        ("weight", "weights", "sample_weight"),
        ("case_weight", "case_weights", "survey_weight", "sampling_weight", "wt", "pweight"),
    ),
    "id": ColumnRole(
        ("row_id", "id"),
        (
            *(".row", "rowindex", "row_index", "case_id", "patient_id", "subject_id", "pid"),
            *("index", "patient", "patientid", "ptid", "subject", "subjid", "usubjid", "case"),
            *("caseid", "record_id", "row", "rownames", "sample_id", "mrn"),
        ),
    ),
    "model": ColumnRole(
        ("config_id",),
        (
            *("model", "models", "config", "configuration", "estimator", "algorithm"),
            *("classifier", ".config", "mtry", "learner"),
        ),
    ),
    "prediction": ColumnRole(
        ("y_pred",),
        (
            *("pred", "prediction", "predictions", "y_hat", "yhat", "score", "proba", "prob"),
            *("probability", "predicted", "y_score", "y_prob", "y_proba"),
        ),
    ),
}

OF_SCORES: Mapping[str, ColumnRole] = {
    "id": ColumnRole(
        ("item", "item_id", "id", "row_id", "question_id", "example_id", "doc_id", "case"),
        ("instance_id", "sample_id", "case_id", "problem", "problem_id", "task_id"),
    ),
    "groups": ColumnRole(("group",), ("passage", "cluster", "group_id")),
    "tasks": ColumnRole(("task",), ("subject", "dataset", "category")),
    "repeat": ColumnRole(("repeat", "sample", "epoch"), ("attempt", "trial", "seed", "run")),
    "config": ColumnRole(
        ("config", "config_id", "configuration", "model", "prompt", "system", "candidate"),
        ("model_id",),
    ),
    "score": ColumnRole(
        ("score", "correct", "value"),
        ("accuracy", "acc", "is_correct", "passed", "success", "reward", "grade"),
    ),
    "judge": ColumnRole(("judge",)),
    "human": ColumnRole(("human",)),
    "probability": ColumnRole(("probability",)),
}
