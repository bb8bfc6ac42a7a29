"""Boosted trees of CatBoost, kept as arrays: the same predictions, with or without the package."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from earnest.errors import FormatError
from earnest.training.learners import oblivious
from earnest.training.learners.oblivious import CatBoostClassifier, CatBoostRegressor

SPLITS = [
    {"border": 0.5, "float_feature_index": 1, "split_type": "FloatFeature"},
    {"border": -1.0, "float_feature_index": 0, "split_type": "FloatFeature"},
]
FEATURES = [
    {"flat_feature_index": 2, "nan_value_treatment": "AsFalse"},
    {"flat_feature_index": 0, "nan_value_treatment": "AsIs"},
]


def dump(**changes: object) -> dict[str, object]:
    trees = [
        {"splits": SPLITS, "leaf_values": [1.0, 2.0, 4.0, 8.0]},
        {"splits": [SPLITS[1]], "leaf_values": [16.0, 32.0]},
        {"splits": None, "leaf_values": [64.0]},
    ]
    model = {"features_info": {"float_features": FEATURES}, "oblivious_trees": trees}
    return {**model, "scale_and_bias": [0.5, [100.0]], **changes}


def test_a_leaf_is_the_number_of_the_answers() -> None:
    model = CatBoostRegressor()
    model.n_features_in_ = 3
    model._keep(dump())
    nan = np.nan
    X = np.array([[0.5, 9.0, -1.0], [0.6, 9, -1], [0.5, 9, -0.9], [0.6, 9, 0], [nan, nan, nan]])
    by_hand = [1 + 16 + 64, 2 + 16 + 64, 4 + 32 + 64, 8 + 32 + 64, 1 + 16 + 64]
    assert_array_equal(model.predict(X), 100.0 + 0.5 * np.array(by_hand))


@pytest.mark.parametrize("change", ["categories", "gaps"])
def test_what_the_arrays_cannot_hold_is_refused(change: str) -> None:
    model = dump()
    if change == "gaps":
        model = dump(
            features_info={"float_features": [{**FEATURES[0], "nan_value_treatment": "AsTrue"}]}
        )
    else:
        split = {**SPLITS[0], "split_type": "OnlineCtr"}
        model = dump(oblivious_trees=[{"splits": [split], "leaf_values": [1.0, 2.0]}])
    with pytest.raises(FormatError):
        CatBoostRegressor()._keep(model)


@pytest.mark.extra
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("patience", [None, 5])
def test_arrays_predict_as_catboost_does(classes: int, patience: int | None, monkeypatch) -> None:
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=300)
    y = y if not classes else np.digitize(y, [-0.5, 0.5][: classes - 1])
    fitted = []

    class Watched(catboost.CatBoost):
        def fit(self, *given, **more):
            fitted.append(self)
            return super().fit(*given, **more)

    monkeypatch.setattr(catboost, "CatBoost", Watched)
    kind = CatBoostClassifier if classes else CatBoostRegressor
    model = kind(rounds=40, depth=4, patience=patience, random_state=1).fit(X, y)
    new = rng.normal(size=(200, 4))
    new[rng.random(new.shape) < 0.2] = np.nan
    raw = fitted[0].predict(new, prediction_type="RawFormulaVal").reshape(200, -1)
    assert_allclose(model._add(new), raw, atol=1e-9)  # sums of the same leaves
    if classes:
        chances = fitted[0].predict(new, prediction_type="Probability")
        assert_allclose(model.predict_proba(new), chances, atol=1e-9)
    monkeypatch.setattr(oblivious, "import_catboost", None)  # predicting needs none
    assert len(model.predict(new)) == 200
