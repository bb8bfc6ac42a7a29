"""Small predictions that the tests of comparisons share."""

from __future__ import annotations

from typing import Any

import numpy as np

from earnest import Predictions
from earnest.comparison import TESTS
from earnest.core import Evidence

METRIC_OF = {"delong": "roc_auc"}  # all other tests take accuracy
# Tests of any predictions; the others are for five repeats of two folds, or for replicates.
EVERY_TEST = sorted(
    name
    for name in TESTS
    if TESTS[name].spec.needs is Evidence.OUT_OF_SAMPLE and TESTS[name].spec.design is None
)
WITH_P = [name for name in EVERY_TEST if TESTS[name].spec.p_value]
# Those with a joint distribution of all values.
JOINT = {
    *("bayle", "delong", "bootstrap", "corrected_z", "corrected_bootstrap", "diebold_mariano"),
}


def metric_of(test: str) -> str:
    """A metric that a test takes."""
    return METRIC_OF.get(test, "accuracy")


def classified(
    n: int = 60, seed: int = 0, folds: int = 5, repeats: int = 1, **about: Any
) -> Predictions:
    """Probabilities of three configurations, 'good', 'fair' and 'poor', for a balanced outcome."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    signal = (y - 0.5)[:, None, None] * np.array([2.5, 1.5, 0.2])[None, :, None]
    noise = rng.standard_normal((n, 3, repeats))
    scores = 1 / (1 + np.exp(-(signal + noise)))
    shift = np.arange(repeats)
    fold = (np.arange(n)[:, None] // 2 + shift * (np.arange(n)[:, None] // 10)) % folds
    return Predictions.from_arrays(y, scores, fold, configs=["good", "fair", "poor"], **about)


def columns(y: Any, scores: Any, fold: Any = None, **about: Any) -> Predictions:
    """Predictions of configurations 'a', 'b', ... from plain lists."""
    table = np.asarray(scores, dtype=float)
    names = [chr(ord("a") + i) for i in range(table.shape[1])]
    return Predictions.from_arrays(y, table, fold, configs=names, **about)
