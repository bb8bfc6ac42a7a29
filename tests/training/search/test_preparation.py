"""What is read and refused before the first fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_html_repr

import earnest as en
from earnest import SearchCV
from earnest.errors import InputError, MetricError
from earnest.methods import BBC
from earnest.store import MemoryStore

Array = NDArray[Any]
X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::3, :6], Y[::3]
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}
FITS: list[int] = []


class Recorded(DecisionTreeClassifier):
    """A tree that writes down that it was fitted."""

    def fit(self, X: Array, y: Array, **more: Any) -> Recorded:
        FITS.append(len(X))
        return super().fit(X, y, **more)


@pytest.mark.parametrize(
    ("knobs", "word"),
    [
        ({"method": 5}, "`method` cannot be read"),
        ({"method": BBC}, r"Write BBC\(\)"),
        ({"method": BBC(), "n_resamples": 60}, "with a configured method"),
        ({"time_limit": -1}, "`time_limit` is out of range"),
        ({"n_jobs": 0}, "`n_jobs` is out of range"),
        ({"n_jobs": "a"}, "`n_jobs` is out of range"),
        ({"random_state": "a"}, "`random_state` is not a seed"),
        ({"random_state": True}, "`random_state` is not a seed"),
        ({"random_state": -3}, "`random_state` is not a seed"),
    ],
)
def test_a_wrong_knob_is_refused_before_any_fit_or_file(
    knobs: dict[str, Any], word: str, tmp_path: Path
) -> None:
    FITS.clear()
    given = {"random_state": 0, "store": tmp_path / "run.db", **knobs}
    with pytest.raises(InputError, match=word):
        SearchCV(Recorded(), DEPTHS, **given).fit(X, Y)
    assert not FITS
    assert not list(tmp_path.iterdir())


def test_outcomes_of_another_number_are_refused_in_our_words() -> None:
    with pytest.raises(InputError, match="X and y do not match"):
        SearchCV(TREE, DEPTHS).fit(X, Y[:-1])


def test_rows_of_a_table_in_another_order_than_its_outcomes_are_refused() -> None:
    """Joined by place, a table that was shuffled without its outcome gave an accuracy of 0.5."""
    table, outcome = pd.DataFrame(X), pd.Series(Y)
    shuffled = table.sample(frac=1.0, random_state=0)
    with pytest.raises(InputError, match="another order"):
        SearchCV(TREE, DEPTHS).fit(shuffled, outcome)
    with pytest.raises(InputError, match="another order"):
        en.assess(TREE, shuffled, outcome, method="cv", metric="accuracy")
    both = SearchCV(TREE, DEPTHS, random_state=0).fit(shuffled, outcome[shuffled.index])
    assert both.estimate_.n_cases == len(Y)


def test_listed_estimators_decide_the_task_whatever_stands_before_them() -> None:
    search = SearchCV(Ridge(), [("t", TREE), ("u", SVC())], random_state=0)
    assert is_classifier(search)
    search.fit(X, Y)
    plain = SearchCV(None, [("t", TREE), ("u", SVC())], random_state=0).fit(X, Y)
    assert search.estimate_.metric == "accuracy"
    assert search.predictions_.fingerprint == plain.predictions_.fingerprint
    assert search.estimate_.value == plain.estimate_.value


def test_a_generator_of_candidates_is_refused_and_not_consumed() -> None:
    made = (model for model in [TREE, SVC()])
    with pytest.raises(InputError, match=r"Write list\(\.\.\.\)"):
        SearchCV(TREE, made).fit(X, Y)
    assert len(list(made)) == 2
    with pytest.raises(InputError):
        SearchCV(None, (model for model in [TREE])).fit(X, Y)


def test_a_search_that_cannot_be_fitted_can_be_shown() -> None:
    assert "SearchCV" in estimator_html_repr(SearchCV(None, DEPTHS))
    assert SearchCV(None, DEPTHS)._repr_html_()


def test_values_of_numpy_stand_as_numbers_in_the_run_file() -> None:
    grid, store = {"max_depth": np.array([1, 2])}, MemoryStore()
    SearchCV(TREE, grid, store=store, random_state=0).fit(X, Y)
    listed = json.loads(store.documents()["configs"])
    assert [one["params"] for one in listed] == [{"max_depth": 1}, {"max_depth": 2}]


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_one_candidate_with_probabilities_is_enough_for_a_metric_of_them() -> None:
    grid, scaled = {"loss": ["hinge", "log_loss"]}, (X - X.mean(axis=0)) / X.std(axis=0)
    model = SGDClassifier(random_state=0)
    search = SearchCV(model, grid, scoring="neg_log_loss", random_state=0).fit(scaled, Y)
    assert [failure.config for failure in search.failures_] == ["c0"] * 5
    assert search.best_params_ == {"loss": "log_loss"}
    assert search.estimate_.n_configs == 1
    with pytest.raises(MetricError, match="SGDClassifier has no predict_proba"):
        SearchCV(SGDClassifier(), {"alpha": [0.1]}, metric="log_loss").fit(X, Y)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("y", [{}, {"a": 1}] * 15),
        ("y", np.array([[1], [2, 3]] * 15, dtype=object)),
        ("y", [0, 10**400] * 15),
        ("y", [0.5, 10**400] * 15),
        ("groups", [{"a": case} for case in range(30)]),
    ],
)
def test_what_is_no_label_is_refused_before_any_fit(name: str, values: object) -> None:
    FITS.clear()
    given: dict[str, Any] = {"y": Y[:30], name: values}
    with pytest.raises(InputError) as refused:
        SearchCV(Recorded(), DEPTHS, random_state=0).fit(X[:30], **given)
    assert f"`{name}`" in refused.value.what
    assert refused.value.needs
    assert refused.value.cure
    assert not FITS
