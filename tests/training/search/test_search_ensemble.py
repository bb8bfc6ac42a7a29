"""A search that delivers an ensemble: its members, its model, and the estimate of both."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from earnest.training import AveragedClassifier, AveragedRegressor

X, Y = make_classification(160, 6, n_informative=4, flip_y=0.2, random_state=0)
GRID = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 10]}
TREE = DecisionTreeClassifier(random_state=0)


def search(**knobs: object) -> en.SearchCV:
    given = {
        "refit": en.rules.GreedyEnsemble(size=8),
        "random_state": 3,
        "n_resamples": 60,
        **knobs,
    }
    return en.SearchCV(TREE, GRID, scoring="roc_auc", **given).fit(X, Y)  # type: ignore[arg-type]


def test_the_estimate_is_of_the_ensemble_that_is_delivered() -> None:
    found = search()
    made = found.estimate_
    assert len(found.ensemble_) > 1
    assert (made.ensemble, made.winner) == (found.ensemble_, None)
    asked = en.estimate(
        found.predictions_,
        metric="roc_auc",
        selector=en.rules.GreedyEnsemble(size=8),
        n_resamples=60,
        rng=made.provenance.seed,
    )
    assert asked.value == made.value
    assert found.predictions_.kind == "probability"


def test_the_model_averages_the_refitted_members_by_their_shares() -> None:
    found = search()
    assert isinstance(found.best_estimator_, AveragedClassifier)
    params = dict(zip(found.predictions_.configs.ids, found.cv_results_["params"], strict=True))
    expected = sum(
        share
        * DecisionTreeClassifier(random_state=0).set_params(**params[name]).fit(X, Y)
        .predict_proba(X)
        for name, share in found.ensemble_.items()
    )  # fmt: skip
    np.testing.assert_allclose(found.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X), np.argmax(expected, axis=1))
    again = pickle.loads(pickle.dumps(found.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    fitted_anew = clone(again).fit(X, Y)  # saved without its unfitted members
    np.testing.assert_array_equal(fitted_anew.predict_proba(X), found.predict_proba(X))


def test_members_of_a_regression_average_their_values() -> None:
    X, y = make_regression(120, 5, noise=40.0, random_state=1)
    found = en.SearchCV(
        DecisionTreeRegressor(random_state=0),
        GRID,
        scoring="r2",
        refit=en.rules.GreedyEnsemble(size=8),
        random_state=3,
        n_resamples=40,
    ).fit(X, y)
    assert isinstance(found.best_estimator_, AveragedRegressor)
    members = zip(found.best_estimator_.estimators_, found.ensemble_.values(), strict=True)
    expected = sum(share * one.predict(X) for one, share in members)
    np.testing.assert_allclose(found.predict(X), expected)


def test_a_resumed_search_with_an_ensemble_trains_nothing_again(tmp_path: Path) -> None:
    first = search(store=tmp_path / "run.db")
    again = search(store=tmp_path / "run.db")
    assert again.estimate_ == first.estimate_
    assert again.ensemble_ == first.ensemble_
    np.testing.assert_array_equal(again.predict_proba(X), first.predict_proba(X))


def test_an_ensemble_of_one_is_the_model_itself() -> None:
    found = search(refit=en.rules.TopAverage(k=1))
    assert isinstance(found.best_estimator_, DecisionTreeClassifier)
    assert list(found.ensemble_.values()) == [1.0]
    assert found.estimate_.winner == next(iter(found.ensemble_))


def test_learners_without_probabilities_and_other_methods_are_refused() -> None:
    with pytest.raises(en.errors.EarnestError):
        en.SearchCV(
            LinearSVC(), {"C": [0.1, 1.0]}, scoring="roc_auc", refit=en.rules.GreedyEnsemble()
        ).fit(X, Y)
    with pytest.raises(en.errors.InputError, match="bbc"):
        search(method="near_winner")
    with pytest.raises(en.errors.InputError, match="several scores"):
        en.SearchCV(
            LogisticRegression(),
            {"C": [0.1, 1.0]},
            scoring=["roc_auc", "accuracy"],
            refit=en.rules.GreedyEnsemble(),
        ).fit(X, Y)
