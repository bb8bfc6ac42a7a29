"""The door for fold scores: what a finished search, a tracker or a table keeps, recognised."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from earnest.adapters.folds import arrays, optuna, sklearn, tables
from earnest.adapters.readers import FOLD_SCORES_READERS, find_reader
from earnest.adapters.trials.files import is_storage
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions

TOOLS = (optuna, sklearn)  # each registers its readers


def is_frame(source: object) -> bool:
    """Tell whether this is a table of pandas, polars or Arrow."""
    return hasattr(source, "columns") and hasattr(source, "shape")


def open_in_hand(source: object, by: tuple[str, ...] = ()) -> Predictions | FoldScores | None:
    """Return the evidence in an object of another library, or in a mapping; None where none is.

    `by` are columns of a table of predictions that divide its cases into subgroups.
    """
    reader = find_reader(FOLD_SCORES_READERS, source)
    if reader is not None:
        return reader.read(source)
    if is_frame(source):
        named: Any = getattr(source, "column_names", None) or getattr(source, "columns", None)
        if tables.holds_fold_scores([str(name) for name in named]):
            return tables.read_fold_table(source)
        return Predictions.from_frame(source, by=by)
    return arrays.read_mapping(source) if isinstance(source, Mapping) and source else None


def open_fold_file(path: Path) -> FoldScores | None:
    """Return the fold scores of a file, None where it holds something else."""
    if tables.has_fold_scores(path):
        return tables.load_fold_scores(path)
    return optuna.find_in_file(path) if path.is_file() and is_storage(path) else None
