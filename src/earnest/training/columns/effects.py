"""How the mean prediction moves when all cases get a value of a column (Friedman 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.target import Task
from earnest.core.results.model.columns import ColumnEffect
from earnest.core.text.numbers import write_round
from earnest.training.columns.alike import DAYS
from earnest.training.columns.fold_models import TrainedFolds
from earnest.training.tables.kinds import ColumnKind
from earnest.training.tables.table import TrainingTable

Floats = NDArray[np.float64]
POINTS = 12  # of the grid of a number
MOST_LEVELS = 10  # of a category that are shown, the most frequent ones
ENDS = (0.02, 0.98)  # the shares of cases between which a grid lies
MOST_CLASSES = 4  # whose probabilities are traced


@dataclass(frozen=True, eq=False)
class EffectGrid:
    """The values that all cases get in turn.

    Attributes
    ----------
    features : tuple of int
        Which columns of the matrix a column of the table is.
    values : ndarray, shape (G, f)
        What stands in them.
    labels : tuple of str
        The values as they are written.
    places : tuple of float, optional
        Where they stand on an axis; None for levels.
    """

    features: tuple[int, ...]
    values: Floats
    labels: tuple[str, ...]
    places: tuple[float, ...] | None = None


def make_grid(table: TrainingTable, column: str) -> EffectGrid | None:
    """Return the values of a column that occur; None for text, and for a column with one value."""
    features = table.schema.find_features(column)
    first = table.schema.features[features[0]]
    parts = [table.schema.features[place].part for place in features]
    if first.kind is ColumnKind.TEXT or (first.source and DAYS not in parts):
        return None
    if first.source:
        grid = _list_dates(table, features, parts.index(DAYS))
    elif first.levels:
        grid = _list_levels(table, features, first.levels)
    else:
        values = table.X[:, features[0]]
        points = find_points(values[~np.isnan(values)])
        labels = tuple(write_round(value) for value in points.tolist())
        grid = EffectGrid(features, points[:, None], labels, tuple(points.tolist()))
    return grid if len(grid.labels) > 1 else None


def find_points(values: Floats) -> Floats:
    """Return the values of a grid: all where they are few, otherwise quantiles that occur."""
    few = np.unique(values)
    if len(few) <= POINTS:
        return few
    return np.unique(np.quantile(values, np.linspace(*ENDS, POINTS), method="inverted_cdf"))


def _list_levels(
    table: TrainingTable, features: tuple[int, ...], levels: Sequence[str]
) -> EffectGrid:
    codes = table.X[:, features[0]]
    counts = np.bincount(codes[~np.isnan(codes)].astype(np.intp), minlength=len(levels))
    often = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    shown = np.sort(often[counts[often] > 0])
    labels = tuple(levels[code] for code in shown.tolist())
    return EffectGrid(features, shown[:, None].astype(np.float64), labels)


def _list_dates(table: TrainingTable, features: tuple[int, ...], days: int) -> EffectGrid:
    """Return dates of rows, whose parts belong together."""
    rows = table.X[:, features]
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        return EffectGrid(features, rows, ())
    points = find_points(rows[:, days])
    places = [int(np.flatnonzero(rows[:, days] == point)[0]) for point in points]
    start = datetime(1970, 1, 1, tzinfo=UTC)
    labels = tuple(f"{start + timedelta(days=float(point)):%Y-%m-%d}" for point in points)
    return EffectGrid(features, rows[places], labels, tuple(points.tolist()))


def trace_effect(
    models: TrainedFolds, column: str, cases: NDArray[np.intp], predicted: Sequence[str]
) -> tuple[ColumnEffect, ...]:
    """Return the effect of a column on what is predicted: one of each class, if there are several.

    Each model predicts all cases with each value; the mean over cases is the partial dependence.
    The line is the mean over models, and the band has all of them.
    """
    table = models.table
    grid = make_grid(table, column)
    if grid is None:
        return ()
    X = np.repeat(table.X[cases][None], len(grid.labels), axis=0)  # (G, m, p)
    X[:, :, grid.features] = grid.values[:, None, :]
    flat = X.reshape(-1, X.shape[2])
    means = np.stack(
        [
            models.answer(place, flat).reshape(len(grid.labels), len(cases), -1).mean(axis=1)
            for place in range(len(models.models))
        ]
    )  # (M, G, K)
    middle = means.mean(axis=0)
    moves = np.ptp(middle, axis=0)
    shown = np.sort(np.argsort(-moves, kind="stable")[:MOST_CLASSES])
    return tuple(
        ColumnEffect(
            column=column,
            predicted=predicted[k],
            grid=grid.labels,
            mean=tuple(middle[:, k].tolist()),
            low=tuple(means[:, :, k].min(axis=0).tolist()),
            high=tuple(means[:, :, k].max(axis=0).tolist()),
            places=grid.places,
        )
        for k in shown.tolist()
    )


def name_predicted(table: TrainingTable, probabilities: bool) -> tuple[str, ...]:
    """Return in words what the model predicts, one for each number of an answer."""
    roles = table.schema.roles
    target = str(roles.get("target") or roles.get("time") or "outcome")
    if table.task is Task.REGRESSION:
        return (f"predicted {target}",)
    if table.task is Task.SURVIVAL:
        return ("risk",)
    if not probabilities:
        return (f"class of {target}",)
    labels = table.classes[1:] if len(table.classes) == 2 else table.classes
    return tuple(f"probability of {label}" for label in labels)
