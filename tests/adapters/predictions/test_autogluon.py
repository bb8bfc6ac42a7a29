"""What AutoGluon 1.6.3 said of its models is read as Π, with what it does to the numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.adapters.predictions import autogluon
from earnest.errors import EvidenceError, InputError
from tests.adapters import laws
from tests.adapters.files.data import table
from tests.adapters.replays import TabularPredictor
from tests.snapshots import Golden

BASE = {
    "KNeighbors_BAG_L1",
    "KNeighbors_2_BAG_L1",
    "LightGBM_BAG_L1",
    "LightGBMXT_BAG_L1",
    "RandomForest_BAG_L1",
    "ExtraTrees_BAG_L1",
    "LinearModel_BAG_L1",
}


@pytest.fixture(autouse=True)
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell the reader that objects are frozen, as they are here: to count them takes longest."""
    monkeypatch.setattr(autogluon, "gc", SimpleNamespace(get_freeze_count=lambda: 1))


def codes(pi: en.Predictions) -> dict[str, str]:
    return {remark.kind: remark.what for remark in pi.remarks}


@pytest.mark.parametrize("task", laws.TASKS)
@pytest.mark.parametrize("law", laws.AUTOGLUON)
def test_recordings_keep_the_laws_of_the_tool(law: Callable[[Any, str], None], task: str) -> None:
    law(TabularPredictor(task), task)


def test_every_base_model_is_a_configuration_with_its_own_predictions() -> None:
    predictor = TabularPredictor("binary")
    pi = en.predictions_from(predictor)
    assert set(pi.configs.ids) == BASE
    assert (pi.n_cases, pi.target.task, pi.kind) == (120, "binary", "probability")
    for column, name in enumerate(pi.configs.ids):
        table = predictor.predict_proba_oof(name, internal_oof=True)
        np.testing.assert_allclose(pi.responses[:, column, 0], table["malignant"], rtol=1e-6)
    assert pi.target.classes == ("benign", "malignant")
    assert (pi.configs.params or ())[0] == {"model": "KNNModel", "weights": "uniform"}
    assert pi.configs.static


def test_the_score_that_autogluon_reports_is_the_naive_one() -> None:
    # leaderboard of the recorded run: LightGBMXT_BAG_L1 leads the base models with 0.9333 accuracy
    pi = en.predictions_from(TabularPredictor("binary"))
    made = en.estimate(pi, metric="accuracy", selector="pooled", rng=0)
    assert made.naive == pytest.approx(112 / 120)
    assert made.value < made.naive
    assert (
        next(one for one in made.cautions if one.kind == "delivered_not_judged").severity
        == "caution"
    )


def test_the_ensemble_that_autogluon_delivers_is_chosen_anew(tmp_path: Path) -> None:
    pi = en.predictions_from(TabularPredictor("binary"))
    assert pi.ensemble_rule == "greedy_ensemble"  # of 25 steps, as recorded
    made = en.estimate(pi, metric="log_loss", rng=0, n_resamples=100)
    asked = en.estimate(
        pi, metric="log_loss", selector=en.rules.GreedyEnsemble(size=25), rng=0, n_resamples=100
    )
    assert (made.value, made.ensemble) == (asked.value, asked.ensemble)
    assert made.value >= made.naive  # a loss; one model may win everywhere
    assert (
        next(one for one in made.cautions if one.kind == "delivered_chosen_anew").severity == "note"
    )
    for suffix in (".csv", ".parquet", ".npz"):
        again = en.Predictions.load(pi.save(tmp_path / f"pi{suffix}"))
        assert again.ensemble_rule == pi.ensemble_rule
    single = en.estimate(pi.select(0), metric="log_loss", rng=0, n_resamples=100)
    assert "delivered_not_judged" not in {one.kind for one in single.cautions}  # nothing to combine


def test_the_size_of_the_ensemble_is_read_and_a_single_model_has_none() -> None:
    predictor = TabularPredictor("regression")
    best = predictor.facts["model_info"]["WeightedEnsemble_L2"]
    best["bagged_info"]["child_hyperparameters"]["ensemble_size"] = 40
    assert en.predictions_from(predictor).ensemble_rule == "greedy_ensemble(size=40)"
    assert en.predictions_from(predictor, ensembles=True).ensemble_rule is None
    predictor.facts["best_model"] = "LightGBM_BAG_L1"
    assert en.predictions_from(predictor).ensemble_rule is None


def test_cautions_name_the_models_that_they_are_about(golden: Golden) -> None:
    pi = en.predictions_from(TabularPredictor("binary"))
    told = codes(pi)
    assert set(told) == {"stopped_on_tests", "ensembles_left_out", "out_of_bag", "folds_unknown"}
    assert "LightGBM_BAG_L1, LightGBMXT_BAG_L1" in told["stopped_on_tests"]
    golden.check(told["ensembles_left_out"])
    assert "RandomForest_BAG_L1" in told["out_of_bag"]
    made = en.estimate(pi, metric="roc_auc", rng=0, n_resamples=200)
    assert set(told) <= {caution.kind for caution in made.cautions}


def test_ensembles_come_in_if_asked_and_are_cautioned_of() -> None:
    pi = en.predictions_from(TabularPredictor("binary"), ensembles=True)
    assert pi.n_configs == 14
    assert "7 models learned from" in codes(pi)["ensembles_included"]


def test_folds_that_the_user_knows_are_taken() -> None:
    fold = np.arange(120) % 5
    pi = en.predictions_from(TabularPredictor("binary"), fold=fold)
    assert pi.n_folds == 5
    assert "folds_unknown" not in codes(pi)


def test_many_classes_and_numbers_are_read() -> None:
    many = en.predictions_from(TabularPredictor("multiclass"))
    assert many.responses.shape == (75, 7, 1, 3)
    assert many.target.classes == ("setosa", "versicolor", "virginica")
    assert en.estimate(many, metric="accuracy", rng=0, n_resamples=100).naive > 0.9
    numbers = en.predictions_from(TabularPredictor("regression"))
    assert numbers.target.task == "regression"
    assert numbers.n_cases == 100
    table = TabularPredictor("regression").predict_oof(numbers.configs.ids[0], internal_oof=True)
    np.testing.assert_allclose(numbers.responses[:, 0, 0], table)


def test_a_model_without_predictions_is_cautioned_of() -> None:
    predictor = TabularPredictor("binary")
    predictor.facts["model_info"]["LightGBM_BAG_L1"]["val_in_fit"] = True  # use_bag_holdout
    pi = en.predictions_from(predictor)
    assert "LightGBM_BAG_L1" not in pi.configs.ids
    assert "use_bag_holdout" in codes(pi)["models_without_predictions"]


def test_an_ensemble_of_models_without_predictions_has_none_either() -> None:
    predictor = TabularPredictor("binary")
    for facts in predictor.facts["model_info"].values():
        facts["val_in_fit"] = facts["stacker_info"]["num_base_models"] == 0
    predictor.refuses = True  # as AutoGluon does under use_bag_holdout
    for ensembles in (False, True):
        with pytest.raises(EvidenceError, match="use_bag_holdout"):
            en.predictions_from(predictor, ensembles=ensembles)


def test_a_refitted_model_is_not_counted_twice() -> None:
    predictor = TabularPredictor("binary")
    predictor.refitted = {"LightGBM_BAG_L1": "LightGBM_BAG_L1_FULL"}
    assert set(en.predictions_from(predictor).configs.ids) == BASE


def test_repeats_of_bagging_are_known_to_be_averaged() -> None:
    predictor = TabularPredictor("binary")
    predictor.facts["model_info"]["LightGBM_BAG_L1"]["bagged_info"]["_n_repeats"] = 3
    assert "averages" in codes(en.predictions_from(predictor))["folds_unknown"]


def test_proposals_of_a_tuner_make_the_search_dynamic() -> None:
    predictor = TabularPredictor("regression")
    info = predictor.facts["model_info"]
    info["LightGBM_BAG_L1/T1"] = info.pop("LightGBM_BAG_L1")
    original = predictor._table
    predictor._table = lambda name: original(name.removesuffix("/T1"))  # type: ignore[method-assign]
    assert not en.predictions_from(predictor).configs.static


def test_without_bagging_there_is_nothing_to_read() -> None:
    predictor = TabularPredictor("binary")
    predictor.facts["num_bag_folds"] = 0
    with pytest.raises(EvidenceError, match="num_bag_folds=8"):
        en.predictions_from(predictor)


def test_another_task_or_outcome_is_refused() -> None:
    predictor = TabularPredictor("binary")
    with pytest.raises(InputError, match="differs from the outcome"):
        en.predictions_from(predictor, np.array(["benign"] * 120))
    with pytest.raises(InputError, match="differs from the outcome"):
        en.predictions_from(predictor, np.array(["benign"] * 7))
    predictor.facts["problem_type"] = "quantile"
    with pytest.raises(EvidenceError, match="quantile"):
        en.predictions_from(predictor)


# ---- the rows of the user's table


class Spoilt(TabularPredictor):
    """A recording as it would be of another table: other rows, names of rows and labels."""

    def __init__(self, keep: Any, names: Any, rows_given: int) -> None:
        super().__init__("multiclass")
        self.keep, self.names = np.asarray(keep), pd.Index(names)
        self._learner._pre_X_rows = rows_given

    def _table(self, name: str) -> pd.DataFrame:
        return super()._table(name).iloc[self.keep].set_axis(self.names)


def test_rows_that_were_dropped_are_found_by_their_names(golden: Golden) -> None:
    kept = np.arange(50)  # no case is left of the last class
    names = [f"flower {i}" for i in range(75)]
    y = pd.Series(table("multiclass")["outcome"].to_numpy(), index=names)
    predictor = Spoilt(kept, names[:50], 75)
    predictor.class_labels = ["setosa", "versicolor", "virginica"]
    groups = pd.Series(np.arange(75) // 3, index=names)
    pi = en.predictions_from(predictor, y, groups=groups[::-1])
    assert pi.target.classes == ("setosa", "versicolor")
    laws.has_groups(pi, groups.iloc[:50])
    told = codes(pi)
    golden.check(told["cases_left_out_by_tool"])
    with pytest.raises(InputError, match=r"shape \(75,\)"):
        en.predictions_from(predictor, y.to_numpy())  # nothing tells which are gone


def test_rows_that_were_dropped_are_found_by_their_place() -> None:
    kept = np.setdiff1d(np.arange(75), [3, 50])
    y = table("multiclass")["outcome"].to_numpy()
    pi = en.predictions_from(Spoilt(kept, kept, 75), y, groups=np.arange(75) // 3)
    laws.has_groups(pi, kept // 3)
    shuffled = Spoilt(kept, kept[::-1], 75)  # names, not places
    with pytest.raises(InputError, match="differs"):
        en.predictions_from(shuffled, y)


def test_copies_of_cases_are_no_cases() -> None:
    twice = np.append(np.arange(75), [0, 1])
    pi = en.predictions_from(Spoilt(twice, np.arange(77), 75))
    assert pi.n_cases == 75
    assert "copies" in codes(pi)["tests_seen_in_training"]


def test_labels_may_be_booleans() -> None:
    predictor = TabularPredictor("binary")
    benign = {"benign": False, "malignant": True}
    predictor.class_labels, predictor.positive_class = [False, True], True
    predictor.transform_labels = lambda labels, inverse: labels.map(benign)  # type: ignore[method-assign]
    pi = en.predictions_from(predictor)
    assert pi.target.classes == (False, True)
    np.testing.assert_array_equal(
        pi.responses, en.predictions_from(TabularPredictor("binary")).responses
    )


def test_a_predictor_that_was_not_fitted_is_refused() -> None:
    predictor = TabularPredictor("binary")

    def info() -> dict[str, Any]:
        raise AssertionError("Predictor is not fit. Call `.fit` before calling `.info`.")

    predictor.info = info  # type: ignore[method-assign]
    with pytest.raises(InputError, match="not fitted"):
        en.predictions_from(predictor)


def test_a_folder_of_pickles_is_read_only_if_trusted(tmp_path: Path) -> None:
    for name in ("predictor.pkl", "learner.pkl"):
        (tmp_path / name).write_bytes(b"\x80\x04N.")
    with pytest.raises(InputError, match="trust_pickle=True"):
        en.predictions_from(tmp_path)
