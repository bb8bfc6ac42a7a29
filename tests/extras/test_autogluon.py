"""AutoGluon itself, from its fit to an estimate; and its recordings read as the tool does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.errors import EvidenceError, InputError
from tests.adapters import laws, replays
from tests.adapters.files.autogluon import make
from tests.adapters.files.data import table

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings

MODELS = {"LR": {}, "KNN": [{"weights": "uniform"}]}
AT_ONCE = {"fold_fitting_strategy": "sequential_local"}


@pytest.fixture(scope="module", params=laws.TASKS)
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A predictor fitted as the recorded ones were, and its task."""
    folder = tmp_path_factory.mktemp("ag") / "predictor"
    return make.fitted(request.param, str(folder)), request.param


@pytest.mark.parametrize("law", laws.AUTOGLUON)
def test_the_tool_keeps_the_laws_of_its_recordings(
    live: tuple[Any, str], law: Callable[[Any, str], None]
) -> None:
    law(*live)


def test_a_recording_reads_as_the_run_that_it_is_of(live: tuple[Any, str], tmp_path: Path) -> None:
    predictor, task = live
    make.record(predictor, tmp_path / task)
    for options in ({}, {"ensembles": True}):
        now = en.predictions_from(predictor, **options)
        laws.reads_alike(
            now, en.predictions_from(replays.TabularPredictor(tmp_path / task), **options)
        )


def test_what_is_recorded_is_what_would_be_recorded_now(live: tuple[Any, str]) -> None:
    predictor, task = live
    old, now = replays.TabularPredictor(task).facts, make.answers(predictor)
    assert set(old) == set(now)
    assert list(old["model_info"]) == list(now["model_info"])
    for name, facts in now["model_info"].items():
        assert set(old["model_info"][name]) == set(facts)
        assert set(old["model_info"][name]["bagged_info"]) == set(facts["bagged_info"])


def test_a_folder_is_read_in_another_process(live: tuple[Any, str]) -> None:
    predictor, _ = live
    code = (
        "import earnest as en, sys;"
        "print(en.predictions_from(sys.argv[1], trust_pickle=True).fingerprint)"
    )
    run = [sys.executable, "-W", "ignore", "-c", code, predictor.path]
    told = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert told.split()[-1] == en.predictions_from(predictor).fingerprint


# ---- what the recordings do not have


def fit(path: Path, data: pd.DataFrame, *, about: dict[str, Any] | None = None, **more: Any) -> Any:
    from autogluon.tabular import TabularPredictor

    options = {"num_bag_folds": 3, "hyperparameters": MODELS, "ag_args_ensemble": AT_ONCE} | more
    predictor = TabularPredictor("outcome", path=str(path), verbosity=0, **(about or {}))
    return predictor.fit(data, num_cpus=1, **options)


def test_a_predictor_without_bags_is_refused(tmp_path: Path) -> None:
    options = {"num_bag_folds": None, "ag_args_ensemble": None, "presets": "medium_quality"}
    predictor = fit(tmp_path / "ag", table("binary"), **options)
    with pytest.raises(EvidenceError, match="not bagged"):
        en.predictions_from(predictor)


def test_a_predictor_that_was_not_fitted_is_refused(tmp_path: Path) -> None:
    from autogluon.tabular import TabularPredictor

    data = table("binary")
    data.loc[3, "outcome"] = None
    predictor = TabularPredictor("outcome", path=str(tmp_path / "ag"), verbosity=0)
    with pytest.raises(ValueError, match="label"):  # AutoGluon takes no missing outcome
        predictor.fit(data, hyperparameters=MODELS)
    with pytest.raises(InputError, match="not fitted"):
        en.predictions_from(predictor)


@pytest.mark.parametrize("index", ["shuffled", "the same name for all"])
def test_the_index_of_the_table_does_not_matter(tmp_path: Path, index: str) -> None:
    data = table("binary").assign(outcome=lambda d: d["outcome"] == "benign")  # booleans, too
    names = np.random.default_rng(7).permutation(len(data)) * 3 + 100
    data.index = pd.Index(names if index == "shuffled" else np.zeros(len(data), dtype=int))
    predictor = fit(tmp_path / "ag", data)
    pi = en.predictions_from(predictor, data["outcome"])
    np.testing.assert_array_equal(pi.target.y.astype(bool), data["outcome"])
    laws.autogluon_scores(predictor, "binary")


def test_cases_of_a_rare_class_that_autogluon_drops_are_told_of(tmp_path: Path) -> None:
    data = table("multiclass")
    data.iloc[40, -1] = "rare"
    data.index = pd.Index([f"flower {i}" for i in range(len(data))])
    predictor = fit(tmp_path / "ag", data)
    groups = pd.Series(np.arange(len(data)) // 2, index=data.index)
    pi = en.predictions_from(predictor, data["outcome"], groups=groups)
    assert pi.n_cases == len(data) - 1
    assert pi.target.classes == ("setosa", "versicolor", "virginica")
    assert {"cases_left_out_by_tool"} <= {remark.kind for remark in pi.remarks}
    with pytest.raises(InputError, match="differs"):
        en.predictions_from(predictor, data["outcome"].to_numpy())  # nothing tells which are gone


def test_the_only_case_of_a_class_is_copied_by_autogluon(tmp_path: Path) -> None:
    data = table("multiclass")
    data.iloc[5, -1] = "rare"
    predictor = fit(tmp_path / "ag", data, about={"eval_metric": "log_loss"})
    pi = en.predictions_from(predictor, data["outcome"])
    assert pi.n_cases == len(data)
    assert "tests_seen_in_training" in {remark.kind for remark in pi.remarks}


def test_sets_of_bags_and_refitted_models_are_read(tmp_path: Path) -> None:
    data = table("binary")
    predictor = fit(tmp_path / "ag", data, num_bag_sets=2, num_stack_levels=1, refit_full=True)
    pi = en.predictions_from(predictor, data["outcome"])
    assert pi.configs.ids == ("KNeighbors_BAG_L1", "LinearModel_BAG_L1")
    told = {remark.kind: remark.what for remark in pi.remarks}
    assert "averages" in told["folds_unknown"]


def test_folds_by_a_column_of_groups_are_known_to_the_user(tmp_path: Path) -> None:
    data = table("binary").assign(clinic=lambda d: np.arange(len(d)) % 4)
    predictor = fit(tmp_path / "ag", data, about={"groups": "clinic"}, num_bag_folds=None)
    pi = en.predictions_from(predictor, fold=data["clinic"])
    assert pi.n_folds == 4
    assert "out_of_bag" not in {remark.kind for remark in pi.remarks}


def test_models_with_a_holdout_of_their_own_say_so(tmp_path: Path) -> None:
    predictor = fit(tmp_path / "ag", table("binary"), use_bag_holdout=True)
    with pytest.raises(EvidenceError, match="use_bag_holdout"):
        en.predictions_from(predictor, table("binary")["outcome"])
