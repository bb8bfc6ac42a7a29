"""mljar-supervised itself, from its fit to an estimate; its recordings read as the tool does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.errors import EvidenceError
from tests.adapters import laws
from tests.adapters.files.data import table
from tests.adapters.files.mljar import make

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the mode Compete writes of one model and its variants."""
    folder = tmp_path_factory.mktemp("mljar") / "results"
    make.fitted("binary", "compete", folder)
    return folder


@pytest.mark.parametrize("law", laws.MLJAR)
def test_the_tool_keeps_the_laws_of_its_recordings(
    live: Path, law: Callable[[Any, str], None]
) -> None:
    law(live, "binary")


def test_a_recording_reads_as_the_run_that_it_is_of(live: Path, tmp_path: Path) -> None:
    make.keep(live, tmp_path / "kept", "mljar.make binary compete")
    assert (
        en.predictions_from(live).fingerprint == en.predictions_from(tmp_path / "kept").fingerprint
    )
    laws.reads_alike(en.predictions_from(live), en.predictions_from(tmp_path / "kept"))


def test_models_that_peeked_are_named(live: Path) -> None:
    pi = en.predictions_from(live)
    told = {remark.kind: remark.what for remark in pi.remarks}["tests_seen_in_training"]
    kinds = ("_GoldenFeatures", "_SelectedFeatures", "_BoostOnErrors")
    peeked = [name for name in pi.configs.ids if name.endswith(kinds)]
    assert peeked  # which of them mljar makes depends on the time that it has
    assert all(name in told for name in peeked)


def fit(folder: Path, data: pd.DataFrame, **options: Any) -> Any:
    from supervised import AutoML

    plain = {
        "algorithms": ["Decision Tree"],
        "total_time_limit": 300,
        "train_ensemble": False,
        "explain_level": 0,
        "start_random_models": 1,
        "random_state": 7,
        "verbose": 0,
        "n_jobs": 1,
        "validation_strategy": {"validation_type": "kfold", "k_folds": 2, "shuffle": True},
    }
    automl = AutoML(results_path=str(folder), **plain | options)
    return automl.fit(data.drop(columns="outcome"), data["outcome"])


def test_rows_without_an_outcome_are_left_out_by_mljar(tmp_path: Path) -> None:
    data = table("binary").assign(outcome=lambda d: (d["outcome"] == "benign") + 1.0)
    data.loc[::7, "outcome"] = np.nan
    data.index = pd.Index(np.arange(len(data)) * 2 + 5)
    automl = fit(tmp_path / "results", data)
    groups = np.arange(len(data)) // 2
    pi = en.predictions_from(automl, data["outcome"], groups=groups)
    known = data["outcome"].notna().to_numpy()
    np.testing.assert_array_equal(
        np.asarray(pi.target.classes)[pi.target.y], data["outcome"][known]
    )
    assert "cases_left_out_by_tool" in {remark.kind for remark in pi.remarks}
    assert en.predictions_from(tmp_path / "results").n_cases == known.sum()


def test_a_run_that_was_stopped_is_read_as_far_as_it_came(live: Path, tmp_path: Path) -> None:
    """mljar writes params.json anew with every model; before the first there is none."""
    folder = Path(shutil.copytree(live, tmp_path / "stopped"))
    (folder / "params.json").unlink()
    with pytest.raises(EvidenceError, match="before it had a"):
        en.predictions_from(folder)
