"""A run folder is reported on by another metric than that of its search, from its predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import earnest as en
from tests.training.tune_tables import of, portfolio


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other")
    ask = {"target": "relapse", "folds": 3, "rng": 7, "n_jobs": 1, "n_configs": 3}
    found = en.tune(of("relapse"), **ask, portfolio=portfolio(folder), out=folder / "run")
    assert found.folder is not None
    return found.folder


def test_another_metric_is_answered_from_the_predictions_of_the_run(run: Path) -> None:
    page = en.report(run, metric="accuracy", explain=False)
    results = json.loads(page.to_json())["results"]
    pi = en.Predictions.load(run / "predictions.parquet")
    asked = {"rng": results["estimate"]["seed"], "n_resamples": results["estimate"]["n_resamples"]}
    own = en.estimate(pi, metric="accuracy", **asked)
    assert results["estimate"]["metric"] == "accuracy"
    assert results["estimate"]["value"] == own.value
    assert results["estimate"]["n_configs"] == own.n_configs


def test_an_alias_is_the_metric_of_the_run(run: Path) -> None:
    plain, alias = (en.report(run, metric=m, explain=False).to_json() for m in (None, "auc"))
    assert json.loads(plain)["results"] == json.loads(alias)["results"]
