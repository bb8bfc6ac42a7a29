"""Stages of XGBoost, LightGBM and CatBoost: those of a search, and those of their cv functions.

Run with XGBoost 3.2, LightGBM 4.7 and CatBoost 1.2.10.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest.errors import InputError

pytestmark = pytest.mark.extra

ROUNDS = [5, 10, 15]
CLOSE = 1e-5  # single precision
DATA = {"binary": load_breast_cancer, "many": load_iris, "numbers": load_diabetes}


def make_learner(library: str, kind: str) -> tuple[Any, str]:
    numbers = kind == "numbers"
    if library == "xgboost":
        import xgboost

        booster = xgboost.XGBRegressor if numbers else xgboost.XGBClassifier
        return booster(n_estimators=15, max_depth=2, n_jobs=1, random_state=0), "n_estimators"
    if library == "lightgbm":
        import lightgbm

        trees = lightgbm.LGBMRegressor if numbers else lightgbm.LGBMClassifier
        return (
            trees(n_estimators=15, num_leaves=4, n_jobs=1, verbose=-1, random_state=0),
            "n_estimators",
        )
    import catboost

    cat = catboost.CatBoostRegressor if numbers else catboost.CatBoostClassifier
    options: dict[str, Any] = {"thread_count": 1, "allow_writing_files": False, "verbose": False}
    return cat(iterations=15, depth=2, learning_rate=0.1, random_state=0, **options), "iterations"


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
@pytest.mark.parametrize("kind", DATA)
def test_a_search_of_stages_equals_a_search_that_fits_each_number_of_rounds(
    library: str, kind: str
) -> None:
    pytest.importorskip(library)
    X, y = DATA[kind](return_X_y=True)
    learner, name = make_learner(library, kind)
    piped = make_pipeline(StandardScaler(), learner)
    step = piped.steps[-1][0]
    scoring = "neg_root_mean_squared_error" if kind == "numbers" else "neg_log_loss"
    options: dict[str, Any] = {"scoring": scoring, "cv": 3, "random_state": 0, "n_resamples": 50}
    staged = en.SearchCV(piped, {}, stages=3, **options).fit(X, y)
    fresh = en.SearchCV(piped, {f"{step}__{name}": ROUNDS}, **options).fit(X, y)
    np.testing.assert_allclose(
        staged.predictions_.responses, fresh.predictions_.responses, rtol=1e-4, atol=CLOSE
    )
    assert staged.best_params_ == fresh.best_params_
    np.testing.assert_allclose(
        staged.cv_results_["mean_test_score"], fresh.cv_results_["mean_test_score"], rtol=1e-4
    )
    np.testing.assert_allclose(staged.predict(X), fresh.predict(X), rtol=1e-4)
    assert (staged.n_fits_, fresh.n_fits_) == (3, 9)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_early_stopping_of_the_libraries_is_refused(library: str) -> None:
    pytest.importorskip(library)
    learner, _ = make_learner(library, "binary")
    learner.set_params(early_stopping_rounds=3)
    with pytest.raises(InputError):
        en.SearchCV(learner, {}, stages=True).fit(*load_breast_cancer(return_X_y=True))


def run_cv(library: str, folds: en.BoosterFolds, X: Any, y: Any, rounds: int, **keep: Any) -> None:
    """Call a cv function, and keep its predictions."""
    if library == "xgboost":
        import xgboost

        params: dict[str, Any] = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
        xgboost.cv(
            params,
            xgboost.DMatrix(X, label=y),
            num_boost_round=rounds,
            folds=folds.folds,
            callbacks=[folds.xgboost(params, **keep)],
        )
    elif library == "lightgbm":
        import lightgbm

        params = {"objective": "binary", "num_leaves": 4, "num_threads": 1, "verbose": -1}
        lightgbm.cv(
            params,
            lightgbm.Dataset(X, label=y),
            num_boost_round=rounds,
            folds=folds.folds,
            callbacks=[folds.lightgbm(params, **keep)],
        )
    else:
        import catboost

        params = {"loss_function": "Logloss", "depth": 2, "thread_count": 1, "verbose": False}
        params |= {"iterations": rounds, "learning_rate": 0.1, "allow_writing_files": False}
        _, models = catboost.cv(catboost.Pool(X, y), params, folds=folds.folds, return_models=True)
        folds.catboost(models, params, **keep)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_kept_stages_are_what_shorter_calls_keep(library: str) -> None:
    pytest.importorskip(library)
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2], y[::2]
    staged, fresh = en.BoosterFolds(y, 3, X=X), en.BoosterFolds(y, 3, X=X)
    run_cv(library, staged, X, y, 15, name="a", stages=3)
    for rounds in ROUNDS:
        run_cv(library, fresh, X, y, rounds)
    pi = staged.predictions()
    assert pi.configs.ids == ("a@5", "a@10", "a@15")
    np.testing.assert_allclose(pi.responses, fresh.predictions().responses, rtol=1e-4, atol=CLOSE)


@pytest.mark.parametrize("stages", [False, 5])
def test_early_stopping_is_a_choice_among_stages_or_a_caution(stages: Any) -> None:
    xgboost = pytest.importorskip("xgboost")
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2], y[::2]
    kept = en.BoosterFolds(y, 3)
    params = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1, "eta": 1.0}
    table = xgboost.cv(
        params,
        xgboost.DMatrix(X, label=y),
        num_boost_round=60,
        early_stopping_rounds=5,
        folds=kept.folds,
        callbacks=[kept.xgboost(params, stages=stages)],
        as_pandas=False,
    )
    assert len(table["test-logloss-mean"]) < 60
    pi = kept.predictions()
    assert len(pi.configs.ids) == (stages or 1)
    assert [caution.kind for caution in pi.remarks] == ([] if stages else ["stopped_on_tests"])
