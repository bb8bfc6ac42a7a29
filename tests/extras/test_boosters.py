"""The cv functions of XGBoost, LightGBM and CatBoost: kept predictions give their own scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import earnest as en

pytestmark = pytest.mark.extra

# Single precision: XGBoost and LightGBM predict in float32, and XGBoost prints five digits of it.
CLOSE = 1e-5
PROBLEMS = {
    "binary": (load_breast_cancer, "log_loss", "binary:logistic", "binary", "Logloss"),
    "multi": (load_iris, "log_loss", "multi:softprob", "multiclass", "MultiClass"),
    "regression": (load_diabetes, "rmse", "reg:squarederror", "regression", "RMSE"),
}


def fold_mean(kept: en.BoosterFolds, metric: str, name: str) -> float:
    """Return the mean over folds of the score of a configuration, as the cv functions give it."""
    pi = kept.predictions().select([name])
    parts = np.zeros((len(kept.folds), pi.n_cases), dtype=np.uint8)
    for number, (_, test) in enumerate(kept.folds):
        parts[number, test] = 1
    return float(np.mean(en.kernels.score_table(pi, metric, en.resampling.Weights(parts))))


def problem(kind: str) -> tuple[Any, Any, en.BoosterFolds]:
    X, y = PROBLEMS[kind][0](return_X_y=True)
    X, y = X[::2], y[::2]
    return X, y, en.BoosterFolds(y, 4, X=X)


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_xgboost(kind: str, stop: bool) -> None:
    import xgboost

    X, y, kept = problem(kind)
    _, metric, objective, *_ = PROBLEMS[kind]
    params = {"objective": objective, "max_depth": 2, "nthread": 1}
    params |= {"num_class": 3} if kind == "multi" else {}
    found = xgboost.cv(
        params,
        xgboost.DMatrix(X, label=y),
        num_boost_round=40,
        early_stopping_rounds=3 if stop else None,
        folds=kept.folds,
        callbacks=[kept.xgboost(params, name="one")],
        as_pandas=False,
    )
    said = next(
        values[-1] for key, values in found.items() if key.startswith("test") and "mean" in key
    )
    assert fold_mean(kept, metric, "one") == pytest.approx(said, rel=CLOSE)
    assert [c.kind for c in kept.predictions().remarks] == (["stopped_on_tests"] if stop else [])


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_lightgbm(kind: str, stop: bool) -> None:
    import lightgbm

    X, y, kept = problem(kind)
    _, metric, _, objective, _ = PROBLEMS[kind]
    params = {"objective": objective, "num_leaves": 4, "verbose": -1, "num_threads": 1}
    params |= {"num_class": 3} if kind == "multi" else {}
    params |= {"metric": "rmse"} if kind == "regression" else {}
    stopping = [lightgbm.early_stopping(3, verbose=False)] if stop else []
    found = lightgbm.cv(
        params,
        lightgbm.Dataset(X, label=y),
        num_boost_round=60,
        folds=kept.folds,
        callbacks=[*stopping, kept.lightgbm(params, name="one")],
    )
    said = next(values[-1] for key, values in found.items() if key.endswith("mean"))
    assert fold_mean(kept, metric, "one") == pytest.approx(said, rel=CLOSE)
    assert [c.kind for c in kept.predictions().remarks] == (["stopped_on_tests"] if stop else [])


@pytest.mark.parametrize("kind", PROBLEMS)
def test_catboost(kind: str) -> None:
    import catboost

    X, y, kept = problem(kind)
    _, metric, _, _, loss = PROBLEMS[kind]
    params = {"loss_function": loss, "depth": 2, "iterations": 15, "allow_writing_files": False}
    found, models = catboost.cv(
        catboost.Pool(X, y), params, folds=kept.folds, return_models=True, logging_level="Silent"
    )
    kept.catboost(models, params, name="one")
    said = float(np.asarray(found[f"test-{loss}-mean"])[-1])
    assert fold_mean(kept, metric, "one") == pytest.approx(said, rel=CLOSE)
