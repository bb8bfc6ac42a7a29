"""A results folder of mljar-supervised 1.3 is read as Π, with what the tool does to the numbers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error

import earnest as en
from earnest.core.errors import EvidenceError, FormatError, InputError
from tests.adapters.files.data import table
from tests.adapters.replays import FILES

ROOT = FILES / "mljar"
TASKS = ("binary", "multiclass", "regression")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(ROOT / "binary", tmp_path / "results"))


def codes(pi: en.Predictions) -> dict[str, str]:
    return {remark.code: remark.what for remark in pi.remarks}


def loss(pi: en.Predictions, column: int) -> float:
    answer = pi.responses[:, column, 0]
    if pi.target.task == "regression":
        return float(mean_squared_error(pi.target.y, answer) ** 0.5)
    return float(log_loss(pi.target.y, answer.astype(np.float32)))  # mljar has such numbers


@pytest.mark.parametrize("task", [*TASKS, "split"])
def test_the_loss_that_mljar_reports_is_that_of_the_predictions(task: str) -> None:
    pi = en.predictions_from(ROOT / task, ensembles=True)
    for column, name in enumerate(pi.configs.ids):
        file = next((ROOT / task / name).glob("*.json"))
        told = float(json.loads(file.read_text(encoding="utf-8"))["final_loss"])
        assert loss(pi, column) == pytest.approx(told, rel=1e-5)  # of 32 bits


@pytest.mark.parametrize("task", TASKS)
def test_the_outcome_is_the_one_that_mljar_was_given(task: str) -> None:
    y = table(task)["outcome"].to_numpy()
    alone, given = en.predictions_from(ROOT / task), en.predictions_from(ROOT / task, y)
    assert alone.fingerprint == given.fingerprint
    labels = np.asarray(alone.target.classes)[alone.target.y] if alone.target.classes else None
    np.testing.assert_array_equal(alone.target.y if labels is None else labels, y)


def test_folds_are_those_that_mljar_wrote() -> None:
    pi = en.predictions_from(ROOT / "binary")
    assert pi.n_folds == 5
    for fold in range(5):
        rows = np.load(ROOT / "binary" / "folds" / f"fold_{fold}_validation_indices.npy")
        assert set(np.flatnonzero(pi.folds[:, 0] == fold)) == set(rows.tolist())


def test_single_models_are_configurations_and_others_are_left_out() -> None:
    pi = en.predictions_from(ROOT / "binary")
    assert set(pi.configs.ids) == {
        "1_Baseline",
        "2_DecisionTree",
        "3_DecisionTree",
        "4_Linear",
        "5_Default_LightGBM",
        "6_Default_Xgboost",
        "7_Xgboost",
        "8_LightGBM",
    }
    told = codes(pi)
    assert set(told) == {"EN101", "EN102"}
    assert "4 models" in told["EN101"]
    assert "Ensemble" in told["EN102"]
    assert (pi.configs.params or ())[4]["model"] == "LightGBM"
    assert not pi.configs.static


def test_ensembles_come_in_if_asked() -> None:
    pi = en.predictions_from(ROOT / "binary", ensembles=True)
    assert {"Ensemble", "7_Xgboost_Stacked"} <= set(pi.configs.ids)
    assert "fitted to the out-of-fold predictions" in codes(pi)["EN102"]


def test_many_classes_keep_their_names() -> None:
    pi = en.predictions_from(str(ROOT / "multiclass"))
    assert pi.target.classes == ("setosa", "versicolor", "virginica")
    assert pi.responses.shape[3] == 3
    assert en.estimate(pi, metric="accuracy", rng=0, n_resamples=100).naive > 0.9


def test_an_automl_is_read_by_its_folder() -> None:
    class AutoML:
        __module__ = "supervised.automl"
        results_path: str | None = None
        _results_path = str(ROOT / "regression")

    pi = en.predictions_from(AutoML())
    assert pi.fingerprint == en.predictions_from(ROOT / "regression").fingerprint
    AutoML._results_path = None  # type: ignore[assignment]
    with pytest.raises(InputError, match="not fitted"):
        en.predictions_from(AutoML())


def test_a_model_without_its_file_is_cautioned_of(folder: Path) -> None:
    (folder / "4_Linear" / "predictions_out_of_folds.csv").unlink()
    pi = en.predictions_from(folder)
    assert "4_Linear" in codes(pi)["EN100"]
    assert pi.n_configs == 7


def test_repeats_are_known_to_be_averaged(folder: Path) -> None:
    for path in (folder / "folds").glob("*.npy"):
        shutil.copy(path, path.with_name(path.name.replace("_validation", "_repeat_1_validation")))
    pi = en.predictions_from(folder)
    assert pi.n_folds == 1
    assert "averages" in codes(pi)["EN104"]


def test_a_single_split_is_a_hold_out_set() -> None:
    y = table("binary")["outcome"].to_numpy()
    pi = en.predictions_from(ROOT / "split", y, ensembles=True)
    rows = np.sort(np.load(ROOT / "split" / "split_validation_indices.npy"))
    assert (pi.n_cases, pi.n_folds) == (len(rows), 1)
    np.testing.assert_array_equal(np.asarray(pi.target.classes)[pi.target.y], y[rows])
    assert "EN104" not in codes(pi)


def test_without_indices_the_folds_are_not_known(folder: Path) -> None:
    shutil.rmtree(folder / "folds")
    pi = en.predictions_from(folder)
    assert pi.n_folds == 1
    assert "does not tell" in codes(pi)["EN104"]


def test_another_outcome_is_refused() -> None:
    y = table("binary")["outcome"].to_numpy()
    with pytest.raises(InputError, match="differs from the outcome"):
        en.predictions_from(ROOT / "binary", y[::-1])
    with pytest.raises(InputError, match="120 values"):
        en.predictions_from(ROOT / "binary", y[:50])
    numbers = table("regression")["outcome"].to_numpy()
    with pytest.raises(InputError, match="differs"):
        en.predictions_from(ROOT / "regression", numbers + 1)


def test_spoilt_folders_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="`store` means nothing"):
        en.predictions_from(folder, store="x")
    table_file = folder / "1_Baseline" / "predictions_out_of_folds.csv"
    text = table_file.read_text(encoding="utf-8")
    table_file.write_text(text.replace("0.59375", "many", 1), encoding="utf-8")
    with pytest.raises(FormatError, match="1_Baseline"):
        en.predictions_from(folder)
    table_file.write_text("\n".join(text.splitlines()[:-3]) + "\n", encoding="utf-8")
    with pytest.raises((FormatError, EvidenceError), match="same cases"):
        en.predictions_from(folder)
    (folder / "params.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=r"params\.json"):
        en.predictions_from(folder)


def test_a_folder_without_models_or_task_is_refused(folder: Path) -> None:
    facts = json.loads((folder / "params.json").read_text(encoding="utf-8"))
    (folder / "params.json").write_text(json.dumps(facts | {"saved": []}), encoding="utf-8")
    with pytest.raises(EvidenceError, match="kept no predictions"):
        en.predictions_from(folder)
    (folder / "params.json").write_text(json.dumps(facts | {"ml_task": "?"}), encoding="utf-8")
    with pytest.raises(EvidenceError, match="task of mljar"):
        en.predictions_from(folder)


def test_labels_that_are_numbers_keep_their_type(folder: Path) -> None:
    for path in folder.glob("*/framework.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        for step in facts["preprocessing"]:
            step["categorical_y"] = {"1": 0, "2": 1}
        path.write_text(json.dumps(facts), encoding="utf-8")
    y = np.where(table("binary")["outcome"] == "malignant", 2, 1)
    assert en.predictions_from(folder, y).target.classes == (1, 2)
    assert en.predictions_from(folder).target.classes == ("1", "2")


def test_codes_without_labels_are_whole_numbers(folder: Path) -> None:
    for path in folder.glob("*/framework.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**facts, "preprocessing": []}), encoding="utf-8")
    assert en.predictions_from(folder).target.classes == (0, 1)


def test_weights_are_cautioned_of(folder: Path) -> None:
    facts = json.loads((folder / "data_info.json").read_text(encoding="utf-8"))
    text = json.dumps({**facts, "is_sample_weighted": True})
    (folder / "data_info.json").write_text(text, encoding="utf-8")
    assert "EN047" in codes(en.predictions_from(folder))
