"""From what a search gave to its winner, its trials and its cautions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import LeaveOneOut
from sklearn.tree import DecisionTreeClassifier

from earnest import SearchCV
from tests.snapshots import Golden

Array = NDArray[Any]
X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::3, :6], Y[::3]
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}


@pytest.mark.filterwarnings("ignore")
def test_where_folds_have_no_score_the_first_wins_and_failures_are_told_of() -> None:
    grid = {"max_depth": [1, -1, 2, 3]}
    search = SearchCV(TREE, grid, scoring="roc_auc", cv=LeaveOneOut(), random_state=0)
    search.fit(X[::4], Y[::4])
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    assert search.best_index_ == 0
    assert search.estimate_.winner == "c0"
    codes = {caution.kind for caution in search.estimate_.cautions}
    assert {"fits_failed", "no_mean_scores"} <= codes


def broken(model: Any, X: Array, y: Array) -> float:
    raise ValueError("no such score")


def good(model: Any, X: Array, y: Array) -> float:
    return float(model.score(X, y))


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_a_configuration_has_failed_where_the_score_that_chooses_has() -> None:
    both = {"good": good, "broken": broken}
    for chooser, status in (("good", "complete"), ("broken", "failed")):
        search = SearchCV(TREE, DEPTHS, scoring=both, refit=chooser, random_state=0).fit(X, Y)
        assert [trial.status for trial in search.trials_] == [status] * 3


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_failed_scores_are_told_apart_from_failed_fits(golden: Golden) -> None:
    both = {"accuracy": "accuracy", "broken": broken}
    knobs = {"refit": "accuracy", "random_state": 0}
    scores = SearchCV(TREE, DEPTHS, scoring=both, **knobs).fit(X, Y)
    remarks = [str(one) for one in scores.estimate_.cautions if one.code == "EN045"]
    assert len(remarks) == 1
    golden.check(remarks[0])
    assert "(ValueError: no such score)" in remarks[0]
    assert "left out" not in remarks[0]
    with pytest.warns(FitFailedWarning):
        mixed = SearchCV(TREE, {"max_depth": [-1, 2]}, scoring=both, **knobs).fit(X, Y)
    remarks = [str(one) for one in mixed.estimate_.cautions if one.code == "EN045"]
    assert len(remarks) == 2
    golden.check(remarks[0])
    golden.check(remarks[1])


def test_warnings_point_at_the_line_that_called_fit() -> None:
    search = SearchCV(TREE, {"max_depth": [-1, 2]}, random_state=0)
    with pytest.warns() as caught:
        search.fit(X, Y)
    assert {warning.category for warning in caught} == {FitFailedWarning, UserWarning}
    assert {warning.filename for warning in caught} == {__file__}
