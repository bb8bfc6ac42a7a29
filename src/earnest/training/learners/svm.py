"""Support vector machines whose kernels fit the number of columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from earnest.training.learners.base import ClassLearner, InnerLearner, NumberLearner
from earnest.training.protocols import Predictor

Array = NDArray[np.float64]


class _BorderLearner(ClassLearner):
    """A learner of classes with decision values."""

    def decision_function(self, X: Array) -> Array:
        """Return the distances from the border; only those of one model are comparable."""
        X = self._check_input(X)
        return np.asarray(self.inner_.decision_function(X))


class _KernelMachine(InnerLearner):
    """A support vector machine whose width fits the number of columns.

    Parameters
    ----------
    kernel : {'rbf', 'poly', 'linear'}
        The kernel.
    C : float
        The inverse of the penalty.
    gamma : float
        The factor inside the kernel; with `relative` a multiple of 1 / (columns * variance).
    degree : int
        The degree of a polynomial.
    relative : bool
        Whether `gamma` is a multiple.
    coef0 : float
        What a polynomial adds before its power.
    max_steps : int
        The most steps.
    """

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        C: float = 1.0,
        gamma: float = 1.0,
        degree: int = 3,
        relative: bool = True,
        coef0: float = 1.0,
        max_steps: int = 200_000,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.relative = relative
        self.coef0 = coef0
        self.max_steps = max_steps

    def _choose_kind(self) -> Callable[..., Predictor]:
        """Return the class of the machine."""
        raise NotImplementedError

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        variance = float(X.var()) if self.relative else 1.0
        unit = 1.0 / (X.shape[1] * variance) if self.relative and variance > 0.0 else 1.0
        return self._choose_kind()(
            kernel=self.kernel,
            C=self.C,
            gamma=self.gamma * unit,
            degree=self.degree,
            coef0=self.coef0,
            max_iter=self.max_steps,
            cache_size=500,
        )


class KernelClassifier(_KernelMachine, _BorderLearner):
    """A support vector machine of classes; see `_KernelMachine` for its knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.svm import SVC

        return SVC


class KernelRegressor(_KernelMachine, NumberLearner):
    """A support vector machine of numbers; see `_KernelMachine` for its knobs."""

    def _choose_kind(self) -> Callable[..., Predictor]:
        from sklearn.svm import SVR

        return SVR


class _LinearMachine(InnerLearner):
    """A linear support vector machine with squared losses, for many cases.

    Parameters
    ----------
    C : float
        The inverse of the penalty.
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C


class LinearClassifier(_LinearMachine, _BorderLearner):
    """A linear support vector machine of classes; see `_LinearMachine` for its knob."""

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        from sklearn.svm import LinearSVC

        return LinearSVC(C=self.C, dual=False, max_iter=500)


class LinearRegressor(_LinearMachine, NumberLearner):
    """A linear support vector machine of numbers; see `_LinearMachine` for its knob."""

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        from sklearn.svm import LinearSVR

        loss = "squared_epsilon_insensitive"
        return LinearSVR(C=self.C, loss=loss, epsilon=0.1, dual=False, max_iter=500)
