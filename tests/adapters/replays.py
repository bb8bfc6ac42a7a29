"""Recorded runs of AutoML tools, asked as the tools themselves are; see files/README.md.

That a stand-in answers as its tool does is tested with the tool, in `tests/extras`.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

FILES = Path(__file__).resolve().parent / "files"


class TabularPredictor:
    """What a predictor of AutoGluon said, from `files/autogluon/<task>`."""

    __module__ = "autogluon.tabular.predictor.predictor"

    def __init__(self, task: str | Path) -> None:
        self.folder = FILES / "autogluon" / task  # or a folder elsewhere, as `/` has it
        self.facts = json.loads((self.folder / "info.json").read_text(encoding="utf-8"))
        self.class_labels = self.facts["class_labels"]
        self.positive_class = self.facts["positive_class"]
        self._learner = SimpleNamespace(_pre_X_rows=self.facts["rows_given"])
        self.refitted: dict[str, str] = {}
        self.refuses = False

    def info(self) -> dict[str, Any]:
        return self.facts

    def leaderboard(self, display: bool) -> pd.DataFrame:
        board = self.facts["leaderboard"]
        return pd.DataFrame({"model": list(board), "score_val": list(board.values())})

    def model_names(self) -> list[str]:
        return [*self.facts["model_info"], *self.refitted.values()]

    def model_refit_map(self) -> dict[str, str]:
        return self.refitted

    def predict_proba_oof(self, model: str, *, internal_oof: bool) -> pd.DataFrame:
        assert self.class_labels is not None
        assert not self.refuses, f"Model {model} does not have out-of-fold predictions"
        table = self._table(model)
        table.columns = pd.Index(self.class_labels)  # CSV has them as text
        return table

    def predict_oof(self, model: str, *, internal_oof: bool) -> pd.Series:
        assert self.class_labels is None
        return self._table(model)["outcome"]

    def load_data_internal(self, data: str, return_X: bool) -> tuple[None, pd.Series]:
        assert (data, return_X) == ("train", False)
        return None, self._table("outcome")["outcome"]

    def transform_labels(self, labels: pd.Series, inverse: bool) -> pd.Series:
        assert inverse
        return labels

    def _table(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self.folder / f"{name}.csv", index_col=0)


class Frame:
    """A frame of H2O, of which only its text is known."""

    def __init__(
        self,
        rows: list[list[str]],
        types: dict[str, str] | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.rows, self.types = rows, types
        self.names = names or rows[0]

    def as_data_frame(self, use_pandas: bool = True) -> list[list[str]]:
        assert not use_pandas
        return self.rows

    def __getitem__(self, column: str) -> Frame:
        assert self.rows[0] == [column]
        return self


class ModelBase:
    """What a model of H2O said, from `files/h2o/<task>.json`."""

    __module__ = "h2o.model.model_base"

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.model_id, self.algo = facts["model_id"], facts["algo"]
        self.params = facts["params"]
        self.actual_params = facts["actual_params"]
        self.default_params = facts["default_params"]

    def cross_validation_holdout_predictions(self) -> Frame | None:
        rows = self.facts["predictions"]
        return None if rows is None else Frame(rows, names=self.facts["names"])

    def cross_validation_fold_assignment(self) -> Frame | None:
        rows = self.facts["folds"]
        return None if rows is None else Frame(rows)


class H2OAutoML:
    """What the AutoML of H2O said."""

    __module__ = "h2o.automl._estimator"

    def __init__(self, task: str | Path) -> None:
        text = (FILES / "h2o" / task).with_suffix(".json").read_text(encoding="utf-8")
        self.facts = json.loads(text)
        self.models = {one["model_id"]: ModelBase(one) for one in self.facts["models"]}
        self.leaderboard = Frame(self.facts["leaderboard"])

    # The functions of the module `h2o` that a reader calls.

    def get_model(self, name: str) -> ModelBase:
        return self.models[name]

    def get_frame(self, name: str) -> Frame:
        return Frame(self.facts["outcome"], {"outcome": self.facts["type"]})
