"""The score of a model that knows only the outcome's distribution."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, Target, metric
from earnest.core import Task
from earnest.inference import no_information
from earnest.metrics import make_metric

BINARY = Target(y=np.array([0] * 7 + [1] * 3), task=Task.BINARY, classes=("no", "yes"))
MANY = Target(
    y=np.array([0] * 5 + [1] * 3 + [2] * 2), task=Task.MULTICLASS, classes=("a", "b", "c")
)
VALUES = Target(y=np.array([1.0, 2.0, 3.0, 10.0]), task=Task.REGRESSION)
TIMES = Target(
    y=np.array([1.0, 2.0, 3.0, 4.0]), task=Task.SURVIVAL, event=np.array([True, True, False, True])
)


@pytest.mark.parametrize(
    ("target", "name", "expected"),
    [
        (BINARY, "roc_auc", 0.5),
        (BINARY, "accuracy", 0.7),
        (BINARY, "balanced_accuracy", 0.5),
        (BINARY, "brier", 0.21),
        (BINARY, "log_loss", -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))),
        (BINARY, "mcc", 0.0),
        (MANY, "accuracy", 0.5),
        (MANY, "log_loss", -(0.5 * np.log(0.5) + 0.3 * np.log(0.3) + 0.2 * np.log(0.2))),
        (VALUES, "mse", np.var([1, 2, 3, 10])),
        (VALUES, "rmse", np.std([1, 2, 3, 10])),
        (VALUES, "mae", np.abs(np.array([1, 2, 3, 10]) - 2.5).mean()),
        (VALUES, "r2", 0.0),
        (VALUES, "pearson", 0.0),
        (TIMES, "concordance", 0.5),
    ],
)
def test_the_zero_point_is_that_of_the_best_constant(
    target: Target, name: str, expected: float
) -> None:
    assert no_information(target, metric(name)) == pytest.approx(expected, abs=1e-9)


def test_a_function_that_refuses_constants_has_no_zero_point() -> None:
    def picky(y: np.ndarray, prediction: np.ndarray) -> float:
        raise ValueError("no constants here")

    assert no_information(VALUES, make_metric(picky, limits=(0, 1))) is None


def test_labels_try_every_class() -> None:
    y = np.repeat([0, 1], [70, 30])
    target = Predictions.from_arrays(y, np.zeros(100)).target
    # All positive: precision .3, recall 1, so F1 = .6 / 1.3; all negative has F1 = 0.
    assert no_information(target, metric("f1")) == pytest.approx(0.6 / 1.3)
    assert no_information(target, metric("accuracy")) == pytest.approx(0.7)


def test_a_function_that_fails_on_constants_has_no_zero_point() -> None:
    def relative(y: np.ndarray, p: np.ndarray) -> float:
        return float(y.mean()) / float(np.ptp(p))  # float division by zero on a constant

    def second(y: np.ndarray, p: np.ndarray) -> float:
        return float(np.unique(p)[1])  # a constant has no second value

    target = Target(y=np.arange(6.0), task=Task.REGRESSION)
    for function in (relative, second):
        assert no_information(target, make_metric(function, needs="value")) is None
