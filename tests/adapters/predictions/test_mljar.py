"""A results folder of mljar-supervised 1.3 is read as Π, with what the tool does to the numbers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError, FormatError, InputError
from tests.adapters import laws
from tests.adapters.files.data import table
from tests.adapters.replays import FILES
from tests.snapshots import Golden

ROOT = FILES / "mljar"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(ROOT / "binary", tmp_path / "results"))


def codes(pi: en.Predictions) -> dict[str, str]:
    return {remark.kind: remark.what for remark in pi.remarks}


@pytest.mark.parametrize("task", laws.TASKS)
@pytest.mark.parametrize("law", laws.MLJAR)
def test_what_mljar_wrote_keeps_its_laws(law: Callable[[Any, str], None], task: str) -> None:
    law(ROOT / task, task)


def test_the_loss_of_a_single_split_is_that_of_the_predictions() -> None:
    laws.mljar_losses(ROOT / "split", "binary")


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
    assert set(told) == {"stopped_on_tests", "ensembles_left_out"}
    assert "4 models" in told["stopped_on_tests"]
    assert "Ensemble" in told["ensembles_left_out"]
    assert (pi.configs.params or ())[4]["model"] == "LightGBM"
    assert not pi.configs.static


def test_the_ensemble_that_mljar_delivers_is_chosen_anew() -> None:
    pi = en.predictions_from(ROOT / "binary")
    assert pi.ensemble_rule == "greedy_ensemble(size=8)"  # as many steps as single models
    made = en.estimate(pi, metric="log_loss", rng=0, n_resamples=100)
    # Its own choice on all cases is that of mljar: `ensemble.json` of the recorded run.
    written = json.loads((ROOT / "binary" / "Ensemble" / "ensemble.json").read_text("utf-8"))
    shares = {one["model"]: one["repeat"] / 8 for one in written["selected_models"]}
    assert made.ensemble == pytest.approx(shares)
    assert made.naive == pytest.approx(written["final_loss"], rel=1e-5)
    assert made.value > made.naive  # a loss
    assert "delivered_chosen_anew" in {one.kind for one in made.cautions}
    assert en.predictions_from(ROOT / "regression").ensemble_rule is None  # delivers one model


def test_ensembles_come_in_if_asked() -> None:
    pi = en.predictions_from(ROOT / "binary", ensembles=True)
    assert {"Ensemble", "7_Xgboost_Stacked"} <= set(pi.configs.ids)
    assert "learned from" in codes(pi)["ensembles_included"]


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
    assert "4_Linear" in codes(pi)["models_without_predictions"]
    assert pi.n_configs == 7


def test_repeats_are_known_to_be_averaged() -> None:
    pi = en.predictions_from(ROOT / "repeats")
    assert (pi.n_cases, pi.n_folds) == (120, 1)
    assert "averages" in codes(pi)["folds_unknown"]
    laws.mljar_losses(ROOT / "repeats", "binary")


def test_models_that_peeked_are_named() -> None:
    """The mode Compete makes and selects features by a look at the folds that test."""
    told = codes(en.predictions_from(ROOT / "compete"))
    for name in ("_GoldenFeatures,", "_SelectedFeatures,", "_BoostOnErrors."):
        assert name in told["tests_seen_in_training"]
    assert "3 models" in told["tests_seen_in_training"]
    assert "tests_seen_in_training" not in codes(en.predictions_from(ROOT / "binary"))


def test_a_model_that_optuna_tuned_has_peeked(folder: Path, golden: Golden) -> None:
    for path in folder.glob("*/framework.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["params"]["optuna_time_budget"] = 60
        path.write_text(json.dumps(facts), encoding="utf-8")
    told = codes(en.predictions_from(folder))["tests_seen_in_training"]
    golden.check(told)
    assert "4_Linear" not in told


def test_a_run_that_was_stopped_is_read_as_far_as_it_came(folder: Path, golden: Golden) -> None:
    facts = json.loads((folder / "params.json").read_text(encoding="utf-8"))
    some = {"saved": facts["saved"][:2], "fit_level": "simple_algorithms"}
    (folder / "params.json").write_text(json.dumps(facts | some), encoding="utf-8")
    (folder / "3_DecisionTree" / "predictions_out_of_folds.csv").write_text("target,pre")
    assert en.predictions_from(folder).n_configs == 2
    (folder / "params.json").rename(folder / "progress.json")
    with golden.raises(EvidenceError):
        en.predictions_from(folder)


def test_rows_without_an_outcome_are_those_that_mljar_dropped(golden: Golden) -> None:
    y = np.insert(table("binary")["outcome"].to_numpy().astype(object), [5, 90], [None, np.nan])
    groups = np.arange(122) // 3
    pi = en.predictions_from(ROOT / "binary", y, groups=groups)
    laws.has_groups(pi, np.delete(groups, [5, 91]))
    golden.check(codes(pi)["cases_left_out_by_tool"])
    with pytest.raises(InputError, match="with missing values"):
        en.predictions_from(ROOT / "binary", y[:100])


def test_groups_of_all_rows_are_cut_to_a_single_split() -> None:
    groups = np.arange(120) // 3
    pi = en.predictions_from(ROOT / "split", groups=groups)
    rows = np.sort(np.load(ROOT / "split" / "split_validation_indices.npy"))
    laws.has_groups(pi, groups[rows])
    assert "cases_left_out_by_tool" not in codes(pi)


def test_a_single_split_is_a_hold_out_set() -> None:
    y = table("binary")["outcome"].to_numpy()
    pi = en.predictions_from(ROOT / "split", y, ensembles=True)
    rows = np.sort(np.load(ROOT / "split" / "split_validation_indices.npy"))
    assert (pi.n_cases, pi.n_folds) == (len(rows), 1)
    np.testing.assert_array_equal(np.asarray(pi.target.classes)[pi.target.y], y[rows])
    assert "folds_unknown" not in codes(pi)


def test_without_indices_the_folds_are_not_known(folder: Path) -> None:
    shutil.rmtree(folder / "folds")
    pi = en.predictions_from(folder)
    assert pi.n_folds == 1
    assert "does not report" in codes(pi)["folds_unknown"]


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
    with pytest.raises(InputError, match="`store` does not apply"):
        en.predictions_from(folder, store="x")
    table_file = folder / "1_Baseline" / "predictions_out_of_folds.csv"
    text = table_file.read_text(encoding="utf-8")
    table_file.write_text(text.replace("0.59375", "many", 1), encoding="utf-8")
    with pytest.raises(FormatError, match="1_Baseline"):
        en.predictions_from(folder)
    table_file.write_text("\n".join(text.splitlines()[:-3]) + "\n", encoding="utf-8")
    with pytest.raises((FormatError, EvidenceError), match="different cases"):
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


@pytest.mark.parametrize("codes", [{"1": 0, "2": 1}, {"1.0": 0, "2.0": 1}])
def test_labels_that_are_numbers_keep_their_type(folder: Path, codes: dict[str, int]) -> None:
    for path in folder.glob("*/framework.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        for step in facts["preprocessing"]:
            step["categorical_y"] = codes
        path.write_text(json.dumps(facts), encoding="utf-8")
    y = np.where(table("binary")["outcome"] == "malignant", 2, 1)
    assert en.predictions_from(folder).target.classes == tuple(codes)  # text, as the folder says
    facts = json.loads((folder / "data_info.json").read_text(encoding="utf-8"))
    text = json.dumps({**facts, "target_is_numeric": True})
    (folder / "data_info.json").write_text(text, encoding="utf-8")
    assert en.predictions_from(folder).target.classes == (1, 2)
    for given in (y, y.astype(float), y.astype(object)):
        assert en.predictions_from(folder, given).target.classes == (1, 2)
    assert en.predictions_from(folder, y.astype(str)).target.classes == ("1", "2")
    with pytest.raises(InputError, match="120 of 120 different values"):
        en.predictions_from(folder, 3 - y)


def test_codes_without_labels_are_whole_numbers(folder: Path) -> None:
    for path in folder.glob("*/framework.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**facts, "preprocessing": []}), encoding="utf-8")
    assert en.predictions_from(folder).target.classes == (0, 1)


def test_weights_are_cautioned_of(folder: Path) -> None:
    facts = json.loads((folder / "data_info.json").read_text(encoding="utf-8"))
    text = json.dumps({**facts, "is_sample_weighted": True})
    (folder / "data_info.json").write_text(text, encoding="utf-8")
    assert "tool_weighted" in codes(en.predictions_from(folder))
