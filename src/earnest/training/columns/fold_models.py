"""The delivered model as the folds trained it: models that have not seen the cases they judge."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.threads import each, one_blas_thread
from earnest.core.data.target import Task
from earnest.training.protocols import Classifier, Estimator, Predictor
from earnest.training.tables.table import TrainingTable

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[NDArray[np.integer], NDArray[np.integer]]]


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """Models of some folds, and the cases that each has not seen.

    Attributes
    ----------
    table : TrainingTable
        The cases of all folds.
    models : tuple of estimator
        One per fold.
    tests : tuple of ndarray
        The cases of the table that each is judged on.
    n_trained : tuple of int
        On how many cases each was trained.
    """

    table: TrainingTable
    models: tuple[Estimator, ...]
    tests: tuple[NDArray[np.intp], ...]
    n_trained: tuple[int, ...]

    def join(self, other: TrainedFolds) -> TrainedFolds:
        """Return it with the models of other folds."""
        return TrainedFolds(
            self.table,
            self.models + other.models,
            self.tests + other.tests,
            self.n_trained + other.n_trained,
        )

    def find_crossed(self, folds: NDArray[np.intp]) -> float:
        """Return the share of its training cases that a model has judged by others.

        `folds` are the models of the cases that are judged.
        """
        judged = np.bincount(folds, minlength=len(self.models))
        shares = (len(folds) - judged) / np.array(self.n_trained)
        return float(min(np.average(shares, weights=judged), 1.0))

    def answer(self, place: int, X: Floats) -> Floats:
        """Return what the model of a fold says of rows: (m,), or (m, K) for several classes."""
        return answer_rows(self.models[place], X, self.table.task, len(self.table.classes))


def fit_fold_models(
    estimator: Estimator, table: TrainingTable, folds: Pairs, n_jobs: int
) -> TrainedFolds:
    """Train a model on the training cases of each fold, as the search did; so many at once."""
    from sklearn.base import clone

    def fit(train: NDArray[np.integer]) -> Estimator:
        model: Estimator = clone(estimator)
        model.fit(table.X[train], table.y[train])
        return model

    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = each(fit, [train for train, _ in folds], n_jobs)
    tests = tuple(np.asarray(test, np.intp) for _, test in folds)
    return TrainedFolds(table, tuple(models), tests, tuple(len(train) for train, _ in folds))


def answer_rows(model: Estimator, X: Floats, task: Task, n_classes: int) -> Floats:
    """Return probabilities where there are some, otherwise what is predicted: (m,) or (m, K).

    Of two classes it is that of the second.
    """
    if task in (Task.REGRESSION, Task.SURVIVAL) or not hasattr(model, "predict_proba"):
        return np.asarray(cast(Predictor, model).predict(X), dtype=np.float64)
    classifier = cast(Classifier, model)
    chances = np.zeros((len(X), n_classes))
    codes = np.asarray(classifier.classes_).astype(np.intp)
    chances[:, codes] = classifier.predict_proba(X)
    return chances[:, 1] if n_classes == 2 else chances
