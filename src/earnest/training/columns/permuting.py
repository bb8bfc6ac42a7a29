"""How much worse the models of the folds score when columns get values of other cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base.threads import each, one_blas_thread
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.model.columns import ColumnImportance, ImportanceKind
from earnest.inference.cases.permuted import PermutedScore, draw_donors, score_permuted
from earnest.metrics.families import Metric
from earnest.training.columns.fold_models import TrainedFolds

Floats = NDArray[np.float64]
CELLS = 4_000_000  # of a matrix that is predicted at a time


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Cases that the models have not seen, what these say of them, and who gives to whom.

    Attributes
    ----------
    models : TrainedFolds
        One per fold.
    cases : ndarray of intp, shape (n,)
        Which cases of the table they are, fold by fold.
    folds : ndarray of intp, shape (n,)
        Which model judges each.
    donors : ndarray of intp, shape (n, R)
        From which of them each receives values.
    plain : ndarray, shape (n,) or (n, K)
        What the models say of them as they are.
    """

    models: TrainedFolds
    cases: NDArray[np.intp]
    folds: NDArray[np.intp]
    donors: NDArray[np.intp]
    plain: Floats

    @classmethod
    def of(
        cls,
        models: TrainedFolds,
        cases: Sequence[NDArray[np.intp]],
        count: int,
        rng: np.random.Generator,
    ) -> HeldOut:
        """Predict some cases of each fold, and draw who gives to whom."""
        folds = np.repeat(np.arange(len(cases)), [len(mine) for mine in cases])
        X = models.table.X
        with one_blas_thread():
            plain = [models.answer(place, X[mine]) for place, mine in enumerate(cases)]
        every, groups = np.concatenate(cases), models.table.groups
        donors = draw_donors(folds, count, rng, None if groups is None else groups[every])
        return cls(models, every, folds, donors, np.concatenate(plain))

    def predict_permuted(self, features: Sequence[int]) -> Floats:
        """Return what models say with the values of donors in some columns: (R, n) or (R, n, K)."""
        X = self.models.table.X
        count = self.donors.shape[1]
        answers = np.empty((count, *self.plain.shape))
        for place in range(len(self.models.models)):
            rows = np.flatnonzero(self.folds == place)
            at_once = max(1, CELLS // max(1, len(rows) * X.shape[1]))
            for start in range(0, count, at_once):
                turns = range(start, min(start + at_once, count))
                mixed = np.tile(X[self.cases[rows]], (len(turns), 1))
                donors = np.concatenate([self.cases[self.donors[rows, turn]] for turn in turns])
                mixed[:, features] = X[donors][:, features]
                said = self.models.answer(place, mixed)
                answers[start : turns.stop, rows] = said.reshape(
                    len(turns), len(rows), *said.shape[1:]
                )
        return answers

    def make_predictions(self, answers: Floats) -> Predictions:
        """Return the predictions as they are, and those of every permutation, as configurations."""
        table = self.models.table
        stacked = np.moveaxis(np.concatenate([self.plain[None], answers]), 0, 1)  # (n, 1 + R, ...)
        y: ArrayLike | tuple[ArrayLike, ArrayLike] = table.y[self.cases]
        if table.task is Task.SURVIVAL:
            lifetimes: Any = table.y[self.cases]  # of two fields
            y = (lifetimes["time"], lifetimes["event"])
        classes = bool(table.classes) and np.issubdtype(stacked.dtype, np.floating)
        return Predictions.from_arrays(
            y,
            stacked[:, :, None, :] if stacked.ndim == 3 else stacked,
            groups=None if table.groups is None else table.groups[self.cases],
            task=str(table.task),
            positive=1 if table.task is Task.BINARY else None,
            response=ResponseKind.PROBABILITY if classes else None,
        )

    def score(
        self, columns: Sequence[str], metric: Metric, rng: np.random.Generator
    ) -> PermutedScore:
        """Return how much worse the score is if columns of the table get values of others."""
        schema = self.models.table.schema
        features = sorted({place for name in columns for place in schema.find_features(name)})
        pi = self.make_predictions(self.predict_permuted(features))
        return score_permuted(
            pi, metric, self.folds, self.donors, rng, crossed=self.models.find_crossed(self.folds)
        )


def measure_importances(
    held: HeldOut,
    items: Sequence[tuple[ImportanceKind, tuple[str, ...]]],
    metric: Metric,
    level: float,
    seeds: Sequence[np.random.Generator],
    n_jobs: int,
) -> tuple[ColumnImportance, ...]:
    """Return the importance of every item, the largest first."""

    def measure(place: int) -> ColumnImportance:
        kind, columns = items[place]
        drop = held.score(columns, metric, seeds[place])
        return ColumnImportance(columns, kind, drop.value, *drop.find_limits(level))

    with one_blas_thread():
        measured = each(measure, range(len(items)), n_jobs)
    return tuple(sorted(measured, key=lambda item: -item.value))
