"""What H2O 3.46.0.12 said of its models is read as Π, with what it does to the numbers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_squared_error, roc_auc_score

import earnest as en
from earnest.core.errors import EvidenceError, InputError
from tests.adapters.replays import H2OAutoML, ModelBase


@pytest.fixture
def automl(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(task: str) -> H2OAutoML:
        made = H2OAutoML(task)
        monkeypatch.setitem(sys.modules, "h2o", made)  # whose functions a reader calls
        return made

    return make


def codes(pi: en.Predictions) -> dict[str, str]:
    return {remark.code: remark.what for remark in pi.remarks}


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


def test_the_auc_of_the_leaderboard_is_that_of_the_predictions(automl: Any) -> None:
    run = automl("binary")
    pi = en.predictions_from(run)
    for row in run.facts["leaderboard"][1:]:
        if row[0] in pi.configs.ids:
            scores = pi.responses[:, pi.configs.index(row[0]), 0]
            auc = roc_auc_score(pi.target.y, scores)  # of all folds together, as H2O has it
            assert auc == pytest.approx(float(row[1]), abs=1e-6)  # from text of eight digits


def test_cautions_tell_of_early_stopping_and_of_stacked_ensembles(automl: Any) -> None:
    told = codes(en.predictions_from(automl("binary")))
    assert set(told) == {"EN101", "EN102"}
    assert "GBM" in told["EN101"]
    assert "GLM" not in told["EN101"]
    assert "StackedEnsemble" in told["EN102"]


def test_many_classes_and_numbers_are_read(automl: Any) -> None:
    many = en.predictions_from(automl("multiclass"))
    assert many.target.classes == ("setosa", "versicolor", "virginica")
    assert many.responses.shape[0] == 75
    assert many.responses.shape[3] == 3
    run = automl("regression")
    numbers = en.predictions_from(run)
    assert numbers.target.task == "regression"
    row = next(row for row in run.facts["leaderboard"][1:] if row[0] in numbers.configs.ids)
    scores = numbers.responses[:, numbers.configs.index(row[0]), 0]
    assert mean_squared_error(numbers.target.y, scores) ** 0.5 == pytest.approx(
        float(row[1]), rel=1e-6
    )


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


def test_labels_that_are_numbers_are_found_behind_their_prefix(automl: Any) -> None:
    run = automl("binary")
    models = [model for model in run.models.values() if model.facts["predictions"]]
    for model in models:  # H2O writes p0 and p1 for the labels 0 and 1
        model.facts["predictions"] = [["predict", "p0", "p1"], *model.facts["predictions"][1:]]
    y = np.array([int(row[0] == "malignant") for row in run.facts["outcome"][1:]])
    pi = en.predictions_from(models, y)
    assert pi.target.classes == (0, 1)
    with pytest.raises(InputError, match="other labels"):
        en.predictions_from(models, np.where(y == 1, "yes", "no"))


def test_folds_that_were_not_kept_are_not_known(automl: Any) -> None:
    run = automl("binary")
    for model in run.models.values():
        model.actual_params["keep_cross_validation_fold_assignment"] = False
    pi = en.predictions_from(run)
    assert pi.n_folds == 1
    assert "EN104" in codes(pi)


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


def test_one_model_without_kept_predictions_is_cautioned_of(automl: Any) -> None:
    run = automl("binary")
    first = next(iter(run.models.values()))
    first.facts["predictions"] = None
    assert first.model_id in codes(en.predictions_from(run))["EN100"]


def test_an_empty_list_is_no_list_of_models() -> None:
    assert ModelBase.__module__.startswith("h2o.")
    with pytest.raises(InputError, match="no predictions in 'list'"):
        en.predictions_from([])
