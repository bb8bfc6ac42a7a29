"""What H2O 3.46.0.12 said of its models is read as Π, with what it does to the numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError, InputError
from tests.adapters import laws
from tests.adapters.replays import Frame, H2OAutoML, ModelBase
from tests.snapshots import Golden


@pytest.fixture
def automl(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(task: str) -> H2OAutoML:
        made = H2OAutoML(task)
        monkeypatch.setitem(sys.modules, "h2o", made)  # whose functions a reader calls
        return made

    return make


def codes(pi: en.Predictions) -> dict[str, str]:
    return {remark.kind: remark.what for remark in pi.remarks}


@pytest.mark.parametrize("task", laws.TASKS)
@pytest.mark.parametrize("law", laws.H2O)
def test_recordings_keep_the_laws_of_the_tool(
    automl: Any, law: Callable[[Any, str], None], task: str
) -> None:
    law(automl(task), task)


def test_every_model_with_kept_predictions_is_a_configuration(automl: Any) -> None:
    run = automl("binary")
    pi = en.predictions_from(run)
    kept = {name for name, model in run.models.items() if model.facts["predictions"]}
    assert set(pi.configs.ids) == kept
    for column, name in enumerate(pi.configs.ids):
        rows = run.models[name].facts["predictions"][1:]
        np.testing.assert_allclose(
            pi.responses[:, column, 0], [float(row[2]) for row in rows], atol=1e-7
        )
    assert pi.target.classes == ("benign", "malignant")
    np.testing.assert_array_equal(pi.folds[:, 0], np.arange(120) % 5)  # AutoML deals by turns


def test_many_classes_and_numbers_are_read(automl: Any) -> None:
    many = en.predictions_from(automl("multiclass"))
    assert many.target.classes == ("setosa", "versicolor", "virginica")
    assert many.responses.shape[0] == 75
    assert many.responses.shape[3] == 3
    numbers = en.predictions_from(automl("regression"))
    assert numbers.target.task == "regression"


def test_models_and_lists_of_models_are_read_like_automl(automl: Any) -> None:
    run = automl("binary")
    models = [model for model in run.models.values() if model.facts["predictions"]]
    whole, listed = en.predictions_from(run), en.predictions_from(models)
    assert not whole.configs.static  # AutoML goes on by what it has seen
    assert listed.configs.static
    np.testing.assert_array_equal(whole.responses, listed.responses)
    assert en.predictions_from(models[0]).n_configs == 1


def test_parameters_are_those_that_differ_from_the_defaults(automl: Any) -> None:
    pi = en.predictions_from(automl("binary"))
    column = next(i for i, name in enumerate(pi.configs.ids) if name.startswith("XGBoost_1"))
    params = (pi.configs.params or ())[column]
    assert params["model"] == "xgboost"
    assert params["max_depth"] == 15
    assert not {"seed", "nfolds", "training_frame", "booster"} & set(params)


def test_labels_that_are_numbers_are_found_behind_their_prefix(automl: Any, golden: Golden) -> None:
    run = automl("binary")
    models = [model for model in run.models.values() if model.facts["predictions"]]
    for model in models:  # H2O writes p0 and p1 for the labels 0 and 1
        model.facts["names"] = ["predict", "p0", "p1"]
    code = {"benign": "0", "malignant": "1"}
    run.facts["outcome"] = [["outcome"], *([code[row[0]]] for row in run.facts["outcome"][1:])]
    y = np.array([int(row[0]) for row in run.facts["outcome"][1:]])
    assert en.predictions_from(models, y).target.classes == (0, 1)
    assert en.predictions_from(models).target.classes == ("0", "1")
    assert en.predictions_from(models, positive=0).target.classes == ("1", "0")
    with pytest.raises(InputError, match="differs from the outcome"):
        en.predictions_from(models, 1 - y)
    with pytest.raises(InputError, match="120 values"):
        en.predictions_from(models, y[:50])
    run.get_frame = lambda name: None
    with golden.raises(InputError):
        en.predictions_from(models, np.where(y == 1, "yes", "no"))


def spoilt(run: Any, column: str, cells: list[list[str]], kind: str) -> None:
    """Let the training frame have another column, as every model says."""
    frame = run.get_frame("any")
    whole = {"outcome": frame, column: Frame([[column], *cells], {column: kind})}
    run.get_frame = lambda name: whole
    for model in run.models.values():
        model.actual_params[f"{column}_column"] = {"column_name": column}


def test_rows_of_no_weight_are_left_out(automl: Any, golden: Golden) -> None:
    run = automl("regression")
    for model in run.models.values():
        if model.facts["predictions"]:
            model.facts["predictions"][1:4] = [["0.0"]] * 3  # as H2O writes for them
    spoilt(run, "weights", [["0.0"]] * 3 + [["1.0"]] * 96 + [[]], "real")
    pi = en.predictions_from(run, groups=np.arange(100) // 3)
    laws.has_groups(pi, np.arange(3, 99) // 3)
    golden.check(codes(pi)["cases_left_out_by_tool"])
    assert "tool_weighted" in codes(pi)
    y = np.array([float(row[0]) for row in run.facts["outcome"][1:]])
    run.get_frame = lambda name: None  # then the zeros tell
    assert en.predictions_from(run, y).n_cases == 97


def test_rows_without_an_outcome_are_left_out(automl: Any) -> None:
    run = automl("binary")
    y = np.array([row[0] for row in run.facts["outcome"][1:]], dtype=object)
    run.facts["outcome"][1], y[0] = [], None
    pi = en.predictions_from(run)
    assert pi.n_cases == 119
    assert "no outcome" in codes(pi)["cases_left_out_by_tool"]
    assert en.predictions_from(run, y).fingerprint == pi.fingerprint
    numbers = automl("regression")
    numbers.facts["outcome"][1] = []
    assert en.predictions_from(numbers).n_cases == 99


def test_folds_that_were_not_kept_are_known_from_how_they_were_made(automl: Any) -> None:
    run = automl("binary")
    for model in run.models.values():
        model.actual_params["keep_cross_validation_fold_assignment"] = False
    assert en.predictions_from(run).n_folds == 5  # dealt by turns
    for model in run.models.values():
        model.actual_params["fold_assignment"] = "Random"
    pi = en.predictions_from(run)
    assert pi.n_folds == 1
    assert "folds_unknown" in codes(pi)
    spoilt(run, "fold", [[f"clinic {i % 3}"] for i in range(120)], "enum")
    assert en.predictions_from(run).n_folds == 3


def test_a_frame_that_is_gone_is_made_up_for_by_the_outcome(automl: Any, golden: Golden) -> None:
    run = automl("binary")
    whole = en.predictions_from(run)
    y = np.array([row[0] for row in run.facts["outcome"][1:]])
    for model in run.models.values():  # as of one that was loaded
        model.actual_params["training_frame"] = None
        model.facts["folds"] = None
    with golden.raises(InputError):
        en.predictions_from(run)
    assert en.predictions_from(run, y).fingerprint == whole.fingerprint


def test_what_was_not_trained_is_refused(automl: Any) -> None:
    run = automl("binary")
    next(iter(run.models.values())).model_id = None
    with pytest.raises(InputError, match="H2O model was not trained"):
        en.predictions_from(list(run.models.values()))
    run.leaderboard = Frame([[""]])
    with pytest.raises(InputError, match="H2OAutoML was not trained"):
        en.predictions_from(run)


def test_models_with_unlike_folds_are_refused(automl: Any) -> None:
    run = automl("binary")
    models = [model for model in run.models.values() if model.facts["predictions"]]
    folds = models[1].facts["folds"]
    models[1].facts["folds"] = [folds[0], *folds[:0:-1]]
    with pytest.raises(EvidenceError, match=r"different folds.*fold_column"):
        en.predictions_from(models)


def test_models_without_kept_predictions_say_what_to_switch_on(automl: Any) -> None:
    run = automl("binary")
    for model in run.models.values():
        model.facts["predictions"] = None
    with pytest.raises(EvidenceError, match="keep_cross_validation_predictions=True"):
        en.predictions_from(run)


def test_the_leader_alone_is_mostly_an_ensemble(automl: Any) -> None:
    stacked = [m for m in automl("binary").models.values() if m.algo == "stackedensemble"]
    with pytest.raises(EvidenceError, match="pass the H2OAutoML"):
        en.predictions_from(stacked[0])


def test_one_model_without_kept_predictions_is_cautioned_of(automl: Any) -> None:
    run = automl("binary")
    first = next(iter(run.models.values()))
    first.facts["predictions"] = None
    assert first.model_id in codes(en.predictions_from(run))["models_without_predictions"]


def test_an_empty_list_is_no_list_of_models() -> None:
    assert ModelBase.__module__.startswith("h2o.")
    with pytest.raises(InputError, match="no predictions in 'list'"):
        en.predictions_from([])
