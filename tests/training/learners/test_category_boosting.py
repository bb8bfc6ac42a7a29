"""Boosting with categories of its own, against scikit-learn's own way."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from earnest.training.learners.category_boosting import take_categories
from earnest.training.learners.preprocessing import Preprocessor, number_codes


@pytest.mark.parametrize("kind", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
def test_it_predicts_as_scikit_learn_does_with_the_same_categories(kind: type) -> None:
    rng = np.random.default_rng(3)
    codes = rng.choice([2.0, 5.0, 9.0, np.nan], 300)
    X = np.column_stack([rng.normal(size=300), codes, rng.normal(size=300)])
    y = (codes == 5) ^ (X[:, 0] > 0)
    oracle = kind(categorical_features=[1], max_iter=20, random_state=0).fit(X, y)
    prepare = Preprocessor((1,), impute="none", encode="native", scale=False)
    prepared = prepare.fit_transform(X)
    model = take_categories(kind(max_iter=20, random_state=0), 1).fit(prepared, y)
    new = X.copy()
    new[::7, 1] = 77.0  # a level that training never saw
    assert_array_equal(model.predict(prepare.transform(new)), oracle.predict(new))
    assert model._preprocessor is None


def test_codes_are_numbered_without_gaps_and_others_are_missing() -> None:
    numbered = number_codes(np.array([4.0, 1.0, 9.0, np.nan]), np.array([1.0, 4.0]))
    assert_array_equal(numbered, [1.0, 0.0, np.nan, np.nan])
