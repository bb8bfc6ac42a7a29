"""Predictions of every task and shape, for the tests of the data doors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from earnest import Predictions


def make_predictions(
    task: str, *, n: int = 12, width: int = 3, repeats: int = 1, seed: int = 0, **options: Any
) -> Predictions:
    """Return Π of a task from three folds; the first configuration misses a fold of the first."""
    rng = np.random.default_rng(seed)
    fold = np.stack([rng.permutation(n) % 3 for _ in range(repeats)], axis=1)
    shape = (n, width, repeats)
    y: Any = np.arange(n) % 2
    scores: Any = rng.standard_normal(shape)
    if task == "probability":
        scores = rng.random(shape)
    elif task in ("multiclass", "labels"):
        y = np.array(["low", "mid", "high"])[np.arange(n) % 3]
        scores = rng.dirichlet(np.ones(3), shape)
        if task == "labels":
            scores = np.array(["low", "mid", "high"], dtype=object)[rng.integers(0, 3, shape)]
    elif task == "regression":
        y = rng.standard_normal(n)
    elif task == "survival":
        y = (rng.random(n), np.arange(n) % 3 > 0)
    scores[fold[:, 0] == 1, 0, 0] = None if task == "labels" else np.nan
    return Predictions.from_arrays(y, scores, fold, **options)


TASKS = ("probability", "decision", "multiclass", "labels", "regression", "survival")


@pytest.fixture
def make() -> Callable[..., Predictions]:
    return make_predictions


@pytest.fixture(params=TASKS)
def pi(request: pytest.FixtureRequest) -> Predictions:
    return make_predictions(request.param, repeats=2)
