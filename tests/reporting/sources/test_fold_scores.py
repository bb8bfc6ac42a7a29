"""A report on the scores of folds says what these tell, and what predictions would add."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import earnest as en


@pytest.fixture(scope="module")
def search() -> GridSearchCV:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, grid, cv=10, scoring="accuracy").fit(X, y)


def test_the_page_has_the_numbers_of_the_verbs(search: GridSearchCV) -> None:
    page = en.report(search, rng=0)
    estimate = en.estimate(search, rng=0)
    gain = en.gain(search, rng=0)
    comparisons = en.compare_many(search, rng=0)
    results = json.loads(page.to_json())["results"]
    for name, result in (("estimate", estimate), ("gain", gain), ("comparison", comparisons)):
        again = json.loads(json.dumps(result.to_dict(draws=False)))
        for key in ("value", "naive", "interval", "adjusted"):
            assert results[name].get(key) == again.get(key), (name, key)
    assert results["counts"]["complete"] == 6


def test_a_table_of_fold_scores_is_reported_on_like_the_search(
    search: GridSearchCV, tmp_path: Path
) -> None:
    import pandas as pd

    path = tmp_path / "cv_results.csv"
    pd.DataFrame(search.cv_results_).to_csv(path, index=False)
    value = en.estimate(search, rng=0).value
    results = json.loads(en.report(path, rng=0).to_json())["results"]
    assert results["estimate"]["value"] == pytest.approx(value, abs=1e-12)


def test_one_configuration_and_an_unfinished_one_have_a_page() -> None:
    alone = en.report({"svm": [0.8, 0.7, 0.9, 0.6, 0.75]}, rng=0)
    assert "svm" in alone.to_markdown()
    scores = {"svm": [0.8, 0.7, 0.9, 0.6, 0.75], "tree": [0.6, 0.7, np.nan, 0.5, 0.7]}
    assert "tree" in en.report(scores, rng=0).to_markdown()


def test_subgroups_and_thresholds_need_predictions(search: GridSearchCV) -> None:
    with pytest.raises(en.errors.EvidenceError, match="predictions"):
        en.report(search, by=np.arange(100) % 2)
    with pytest.raises(en.errors.EvidenceError, match="scores of folds"):
        en.thresholds(search)
