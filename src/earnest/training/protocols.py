"""What users and scikit-learn give to training: estimators, splitters, scorers, parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.protocols import Store

Params: TypeAlias = Mapping[str, object]  # by name: hyperparameters, or arguments of a fit
Scorer: TypeAlias = Callable[..., object]  # called with a model, X and y; a number, or a dict
Answer: TypeAlias = Any  # what a user's own estimator gives: arrays, frames, sparse matrices
StoreLike: TypeAlias = str | Path | Store  # the file of a run, or what keeps it


class Estimator(Protocol):
    """An estimator of scikit-learn's form, fitted or not.

    What it predicts with differs (`predict`, `predict_proba`, `decision_function`, a survival
    model's own), so that is looked up by name where it is asked for.
    """

    def fit(self, *args: Any, **kwargs: Any) -> object:
        """Learn from X, from y if there is one, and from further arguments."""

    def get_params(self, deep: bool = True) -> Mapping[str, object]:
        """Return the hyperparameters by name, those of parts as `part__name`."""

    def set_params(self, **params: Any) -> Self:
        """Set hyperparameters by name, and return the estimator itself."""


class Predictor(Estimator, Protocol):
    """An estimator that predicts one value per case."""

    def predict(self, X: object, /) -> NDArray[np.generic]:
        """Return one value per case."""


class Classifier(Predictor, Protocol):
    """A fitted classifier; whether it has probabilities or decision values depends on its kind."""

    classes_: NDArray[np.generic]

    def predict_proba(self, X: object, /) -> NDArray[np.float64]:
        """Return the probabilities of the classes: (n, K)."""

    def decision_function(self, X: object, /) -> NDArray[np.float64]:
        """Return decision values: (n,) of two classes, else (n, K)."""


class Splitter(Protocol):
    """A splitter of scikit-learn's form."""

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of splits."""

    def split(
        self, X: object, y: object = None, groups: object = None
    ) -> Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training rows and the test rows of every split."""


def shuffle_splitter(splitter: Splitter, random_state: int | None) -> Splitter:
    """Return a copy of a splitter that shuffles, by a seed of its own."""
    shuffled = copy(splitter)
    vars(shuffled).update(shuffle=True, random_state=random_state)
    return shuffled


class FitTask(Protocol):
    """One fit that an observer follows."""

    def fitting(
        self, model: Estimator, X: object, y: object, params: Params
    ) -> AbstractContextManager[None]:
        """Tell that a fit begins."""

    def end(self) -> None:
        """Tell that it has ended."""


class FitObserver(Protocol):
    """Is notified when a fit of a run begins and ends."""

    def evaluation(self, config: int, split: int) -> FitTask:
        """Return the task of evaluating one configuration on one split."""
