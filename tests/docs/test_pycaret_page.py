"""The function that the page on AutoML gives to users of PyCaret writes what earnest reads.

PyCaret 3.3.2 needs NumPy below 1.27 and earnest 2.1 or newer, so no environment has both. The
experiment here has the members of PyCaret's that the function uses, with the same meaning: raw
training data, the splitter of the folds, and a leaderboard of fitted pipelines.
"""

from __future__ import annotations

import re
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

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "from-automl.md"


def write_predictions(*arguments: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    (code,) = (block for block in blocks if "def write_predictions" in block)
    names: dict[str, Any] = {}
    exec(compile(code, "<PyCaret>", "exec"), names)
    names["write_predictions"](*arguments)


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
