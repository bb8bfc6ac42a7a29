"""Nested cross-validation as a method of its evidence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from earnest import NestedPredictions, Predictions, SearchCV, estimate, nested_cv
from earnest.core import Estimand
from earnest.errors import EvidenceError
from tests.methods.learners import nested_ridge


def test_it_is_the_mean_of_the_outer_folds() -> None:
    nested = nested_ridge(repeats=1)
    outer = nested.outer
    losses = (outer.responses[:, 0, 0] - outer.target.y) ** 2
    each = [losses[outer.folds[:, 0] == k].mean() for k in range(5)]
    made = estimate(nested, method="nested", metric="mse")
    assert made.value == pytest.approx(np.mean(each), rel=1e-12)
    assert made.interval is None
    assert made.estimand == Estimand.PROCEDURE


def test_it_says_what_nested_cv_says_of_a_search() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    found = nested_cv(SearchCV(tree, {"max_depth": [1, 2]}, cv=3, random_state=0), X, y)
    nested = NestedPredictions(found.predictions, (found.inner,))
    made = estimate(nested, method="nested", metric="accuracy")
    assert made.value == pytest.approx(found.value, abs=1e-12)
    assert made.estimand == found.estimate.estimand


def test_plain_predictions_are_refused() -> None:
    pi = Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6], [0, 0, 1, 1])
    with pytest.raises(EvidenceError, match="assess"):
        estimate(pi, method="nested", metric="accuracy")


def test_a_metric_that_no_fold_defines_is_refused() -> None:
    y = np.repeat([0, 1], 6)
    fold = np.arange(12) // 4
    fold[:] = np.repeat([0, 1, 2, 3], 3)
    outer = Predictions.from_arrays(y, np.linspace(0, 1, 12), fold)
    inner = []
    for k in range(4):
        held = fold == k
        inner.append(
            Predictions.from_arrays(y, np.where(held, np.nan, 0.5), np.where(held, -1, fold))
        )
    with pytest.raises(EvidenceError, match="every outer fold"):
        estimate(NestedPredictions(outer, (tuple(inner),)), method="nested", metric="roc_auc")
