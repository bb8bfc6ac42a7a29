"""What holds of every run that is read, be it of a tool that runs or of a recording of one.

The ordinary tests ask it of the recordings in `files`, and `tests/extras` asks the same of the
tools themselves, and that a recording made now reads as the run that it is of. So a recording that
no longer tells what its tool says is noticed in `make test-all`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, roc_auc_score

import earnest as en
from tests.adapters.files.data import table

TASKS = ("binary", "multiclass", "regression")


def reads_alike(one: en.Predictions, other: en.Predictions) -> None:
    """Both are the same, apart from digits that text has lost."""
    assert one.configs.ids == other.configs.ids
    assert json.dumps(one.configs.params) == json.dumps(other.configs.params)  # (1, 5) or [1, 5]
    assert one.configs.static == other.configs.static
    assert one.target.classes == other.target.classes
    assert one.remarks == other.remarks
    np.testing.assert_array_equal(one.target.y, other.target.y)
    np.testing.assert_array_equal(one.folds, other.folds)
    np.testing.assert_allclose(one.responses, other.responses, rtol=1e-6, atol=1e-7)


def has_groups(pi: en.Predictions, names: Any) -> None:
    """Its groups are those of these names, case by case."""
    np.testing.assert_array_equal(pi.target.groups, np.unique(names, return_inverse=True)[1])


def has_the_outcome(source: Any, task: str) -> None:
    """Cases and labels are those of the table that the tool was given."""
    y = table(task)["outcome"]
    alone, given = en.predictions_from(source), en.predictions_from(source, y)
    assert alone.fingerprint == given.fingerprint
    labels = np.asarray(alone.target.classes)[alone.target.y] if alone.target.classes else None
    np.testing.assert_array_equal(alone.target.y if labels is None else labels, y)


def _loss(pi: en.Predictions, column: int) -> float:
    answer = pi.responses[:, column, 0]
    if pi.target.task == "regression":
        return float(mean_squared_error(pi.target.y, answer) ** 0.5)
    return float(log_loss(pi.target.y, answer.astype(np.float32)))  # mljar has such numbers


# ---- AutoGluon


def autogluon_scores(predictor: Any, task: str) -> None:
    """Every score on the leaderboard is that of the predictions that are read."""
    board = predictor.leaderboard(display=False).set_index("model")["score_val"]
    pi = en.predictions_from(predictor, ensembles=True)
    assert set(pi.configs.ids) == set(board.index)
    for column, name in enumerate(pi.configs.ids):
        answer = pi.responses[:, column, 0]
        if task == "regression":
            score = -(mean_squared_error(pi.target.y, answer) ** 0.5)  # AutoGluon turns its sign
        else:
            choice = answer > 0.5 if task == "binary" else np.argmax(answer, axis=1)
            score = accuracy_score(pi.target.y, choice)
        assert score == pytest.approx(board[name], rel=1e-6)


def autogluon_cautions(predictor: Any, task: str) -> None:
    """Boosted models, ensembles, models out of bag and unknown folds are told of, by name."""
    told = {remark.kind: remark.what for remark in en.predictions_from(predictor).remarks}
    assert set(told) == {"stopped_on_tests", "ensembles_left_out", "out_of_bag", "folds_unknown"}
    assert "LightGBM_BAG_L1, LightGBMXT_BAG_L1" in told["stopped_on_tests"]
    assert "WeightedEnsemble_L2" in told["ensembles_left_out"]
    assert "KNeighbors_BAG_L1" in told["out_of_bag"]
    assert "RandomForest_BAG_L1" in told["out_of_bag"]
    assert "LinearModel" not in told["out_of_bag"]


AUTOGLUON = (has_the_outcome, autogluon_scores, autogluon_cautions)


# ---- H2O


def h2o_scores(automl: Any, task: str) -> None:
    """Every score on the leaderboard is that of the predictions that are read."""
    pi = en.predictions_from(automl)
    header, *rows = automl.leaderboard.as_data_frame(use_pandas=False)
    board = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    for column, name in enumerate(pi.configs.ids):
        answer, told = pi.responses[:, column, 0], board[name]
        if task == "binary":  # the AUC of all folds together
            score, own = roc_auc_score(pi.target.y, answer), told["auc"]
        elif task == "multiclass":
            score, own = log_loss(pi.target.y, answer), told["logloss"]
        else:
            score, own = mean_squared_error(pi.target.y, answer) ** 0.5, told["rmse"]
        assert score == pytest.approx(float(own), rel=1e-5)  # from text of eight digits


def h2o_folds(automl: Any, task: str) -> None:
    """AutoML deals rows by turns."""
    pi = en.predictions_from(automl)
    np.testing.assert_array_equal(pi.folds[:, 0], np.arange(pi.n_cases) % 5)


def h2o_cautions(automl: Any, task: str) -> None:
    """Boosted models stop early, the linear one does not; ensembles are left out."""
    pi = en.predictions_from(automl)
    told = {remark.kind: remark.what for remark in pi.remarks}
    assert set(told) == {"stopped_on_tests", "ensembles_left_out"}
    assert "GBM" in told["stopped_on_tests"]
    assert "GLM" not in told["stopped_on_tests"]
    assert "StackedEnsemble" in told["ensembles_left_out"]
    assert not pi.configs.static


H2O = (has_the_outcome, h2o_scores, h2o_folds, h2o_cautions)


# ---- mljar-supervised


def mljar_losses(folder: Path, task: str) -> None:
    """The loss that mljar reports of a model is that of its predictions."""
    pi = en.predictions_from(folder, ensembles=True)
    for column, name in enumerate(pi.configs.ids):
        file = folder / name / "framework.json"
        file = file if file.is_file() else folder / name / "ensemble.json"
        told = float(json.loads(file.read_text(encoding="utf-8"))["final_loss"])
        assert _loss(pi, column) == pytest.approx(told, rel=1e-5)  # of 32 bits


def mljar_folds(folder: Path, task: str) -> None:
    """Folds are those whose rows stand in its files."""
    pi = en.predictions_from(folder)
    files = sorted(folder.glob("folds/*_validation_indices.npy"))
    assert pi.n_folds == len(files)
    for number, file in enumerate(files):
        rows = np.load(file)
        assert set(np.flatnonzero(pi.folds[:, 0] == number)) == set(rows.tolist())


MLJAR = (has_the_outcome, mljar_losses, mljar_folds)
