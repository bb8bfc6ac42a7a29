"""What each finished search must say, from its own table by plain pandas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd


def best_mean(*columns: str, sign: float = 1.0) -> Callable[[pd.DataFrame], float]:
    """Return the best mean over the columns whose names begin so, in the metric's own units."""

    def find(table: pd.DataFrame) -> float:
        names = [name for name in table if name.startswith(columns)]
        return sign * float(table[names].mean(axis=1).max())

    return find


def of_last_round(table: pd.DataFrame) -> float:
    last = table[table["iter"] == table["iter"].max()]
    return float(last["mean_test_score"].max())


def of_groups(by: str, column: str, *, smallest: bool) -> Callable[[pd.DataFrame], float]:
    def find(table: pd.DataFrame) -> float:
        means = table.groupby(by)[column].mean()
        return float(means.min() if smallest else means.max())

    return find


@dataclass(frozen=True)
class Wanted:
    """A file, what is asked of it, and what must be found; `table` is where the numbers are."""

    file: str
    metric: str | None
    name: str
    configs: int
    folds: int
    naive: Callable[[pd.DataFrame], float]
    repeats: int = 1
    interval: bool = True
    of: str = ""

    @property
    def table(self) -> str:
        return self.of or self.file


NEGATED = "neg_mean_absolute_error"
WANTED = (
    Wanted("sklearn_grid.csv", "roc_auc", "roc_auc", 20, 10, best_mean("mean_test_score")),
    Wanted(
        "sklearn_random.csv",
        "neg_log_loss",
        "log_loss",
        25,
        15,
        best_mean("mean_test_neg_log_loss", sign=-1.0),
        interval=False,  # the table does not say that these are five folds three times
    ),
    Wanted("sklearn_halving.csv", "accuracy", "accuracy", 7, 5, of_last_round),
    Wanted("skopt_bayes.csv", NEGATED, "mae", 15, 5, best_mean("mean_test_score", sign=-1.0)),
    Wanted("optuna_search.csv", "roc_auc", "roc_auc", 20, 5, best_mean("value")),
    Wanted("optuna_trials.csv", None, "accuracy", 20, 5, best_mean("value")),
    Wanted("optuna_study.db", None, "accuracy", 20, 5, best_mean("value"), of="optuna_trials.csv"),
    Wanted("mlflow_runs.csv", None, "roc_auc", 15, 5, best_mean("metrics.auc")),
    Wanted("caret_resample.csv", "ROC", "roc_auc", 6, 5, of_groups("k", "ROC", smallest=False), 3),
    Wanted("caret_rmse.csv", "RMSE", "rmse", 8, 10, of_groups("cp", "RMSE", smallest=True)),
)
