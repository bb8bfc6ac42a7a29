"""The function that the page on AutoML gives to users of PyCaret writes what earnest reads.

PyCaret 3.3.2 needs NumPy below 1.27 and earnest 2.1 or newer, so no environment has both. Hence two
kinds of tests. What PyCaret itself let the function write is recorded, with PyCaret's leaderboard
beside it. And where PyCaret is not, the function is run with an experiment that has the members
it uses, with the same meaning: raw training data, the splitter of the folds, and a leaderboard of
fitted pipelines.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from tests.adapters.files.pycaret.make import FILES, read_function

write_predictions = read_function()


# ------------------------------------------------------------------------- recorded with PyCaret


@pytest.mark.parametrize(
    ("task", "metrics"),
    [
        ("binary", {"Accuracy": "accuracy", "AUC": "roc_auc"}),
        ("multiclass", {"Accuracy": "accuracy"}),
        ("regression", {"MAE": "mae", "RMSE": "rmse", "R2": "r2"}),
        ("groups", {"Accuracy": "accuracy", "AUC": "roc_auc"}),
    ],
)
def test_scores_by_fold_have_the_means_of_the_leaderboard(
    task: str, metrics: dict[str, str]
) -> None:
    recorded = json.loads((FILES / f"{task}.json").read_text(encoding="utf-8"))
    positive = {"positive": "malignant"} if task in ("binary", "groups") else {}
    pi = en.Predictions.load(FILES / f"{task}.csv", **positive)
    assert (pi.n_cases, pi.n_folds, len(pi.configs)) == (recorded["cases"], 4, 3)
    by_fold = np.arange(4)[:, None] == pi.folds[:, 0]  # a resample is a fold
    names = tuple(f"{at} {row['Model Name']}" for at, row in enumerate(recorded["leaderboard"]))
    assert pi.configs.ids == names
    groups = pi.target.groups
    assert (0 if groups is None else len(np.unique(groups))) == (10 if task == "groups" else 0)
    for theirs, ours in metrics.items():
        means = en.kernels.score_table(pi, ours, by_fold.astype(np.uint8)).mean(axis=0)
        board = [row[theirs] for row in recorded["leaderboard"]]
        np.testing.assert_allclose(means, board, atol=6e-5)  # PyCaret gives four digits


# ------------------------------------------------------------------- an experiment like PyCaret's


@dataclass
class Experiment:
    X_train: pd.DataFrame
    y_train: pd.Series
    fold_generator: StratifiedKFold | KFold
    models: dict[str, Any]

    def get_leaderboard(self, verbose: bool) -> pd.DataFrame:
        pipelines = [
            Pipeline([("normalize", StandardScaler()), ("trained_model", model)]).fit(
                self.X_train, self.y_train
            )
            for model in self.models.values()
        ]
        board = pd.DataFrame({"Model Name": list(self.models), "Model": pipelines, "AUC": 0.5})
        return board.rename_axis("Index")


def iris(models: dict[str, Any], kinds: int) -> Experiment:
    X, codes = load_iris(return_X_y=True, as_frame=True)
    kept = np.random.default_rng(0).permutation(np.flatnonzero(codes < kinds))  # PyCaret shuffles
    y = codes.map({0: "setosa", 1: "versicolor", 2: "virginica"}).rename("species")
    return Experiment(X.iloc[kept], y.iloc[kept], StratifiedKFold(4), models)


@pytest.mark.parametrize("kinds", [2, 3])
def test_probabilities_are_those_of_the_folds_of_the_experiment(tmp_path: Path, kinds: int) -> None:
    models = {"Logistic Regression": LogisticRegression(C=0.01), "Tree": DecisionTreeClassifier()}
    experiment = iris(models, kinds)
    write_predictions(experiment, tmp_path / "pycaret.csv")
    positive = {"positive": "versicolor"} if kinds == 2 else {}
    pi = en.Predictions.load(tmp_path / "pycaret.csv", **positive)
    assert (pi.n_cases, pi.n_folds, pi.kind) == (len(experiment.X_train), 4, "probability")
    assert pi.configs.ids == ("0 Logistic Regression", "1 Tree")
    X, y, cv = experiment.X_train, experiment.y_train, experiment.fold_generator
    pipeline = experiment.get_leaderboard(verbose=False)["Model"][0]
    oracle = pd.DataFrame(cross_val_predict(pipeline, X, y, cv=cv, method="predict_proba"), X.index)
    rows = [int(str(one)) for one in pd.read_csv(tmp_path / "pycaret.csv")["row_id"].unique()]
    found = pi.responses[:, 0, 0]
    expected = oracle.loc[rows].to_numpy()
    np.testing.assert_allclose(found, expected[:, 1] if kinds == 2 else expected, atol=1e-12)
    assert en.estimate(pi, metric="accuracy", n_resamples=20, rng=0).value > 0.5


def test_a_model_without_probabilities_makes_all_predictions_labels(tmp_path: Path) -> None:
    write_predictions(
        iris({"Ridge": RidgeClassifier(), "Logistic": LogisticRegression()}, 3), tmp_path / "p.csv"
    )
    pi = en.Predictions.load(tmp_path / "p.csv")
    assert (pi.kind, len(pi.configs)) == ("label", 2)


def test_a_regression_has_numbers(tmp_path: Path) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    models = {"Linear Regression": LinearRegression(), "Tree": DecisionTreeRegressor(max_depth=2)}
    write_predictions(Experiment(X, y, KFold(5), models), tmp_path / "p.csv")
    pi = en.Predictions.load(tmp_path / "p.csv")
    assert (pi.target.task, pi.kind, pi.n_folds) == ("regression", "value", 5)
    estimate = en.estimate(pi, metric="r2", n_resamples=20, rng=0)
    assert estimate.winner == "0 Linear Regression"
