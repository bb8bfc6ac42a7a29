"""`--weight COLUMN`: what counts it, and what refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from earnest import Predictions, report
from tests.cli.conftest import Run

RNG = np.random.default_rng(6)
N = 80
Y = np.tile([0, 1], N // 2)
SCORES = np.clip(0.5 + 0.2 * (Y[:, None] - 0.5) + 0.2 * RNG.standard_normal((N, 3)), 0, 1)
WEIGHTS = RNG.lognormal(0.0, 0.7, N)


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    """A table of others, with weights, strata and units; seed 6."""
    columns = {f"m{c}": SCORES[:, c] for c in range(3)}
    place = np.arange(N)
    about = {"y": Y, "fold": place // 2 % 4, "w": WEIGHTS, "layer": place // 20, "psu": place // 5}
    pd.DataFrame(about | columns).to_csv(tmp_path / "cases.csv", index=False)
    return tmp_path / "cases.csv"


def test_every_command_that_counts_weights_takes_the_column(
    weighted: Path, run: Run, tmp_path: Path
) -> None:
    names = ("--configs", "m0", "--configs", "m1", "--configs", "m2")
    usual = ("-m", "roc_auc", "--weight", "w", *names)
    result = json.loads(run("estimate", weighted, *usual, "--rng", "1", "--json").out)
    naive = [roc_auc_score(Y, SCORES[:, c], sample_weight=WEIGHTS) for c in range(3)]
    assert result["naive"] == pytest.approx(max(naive))
    assert result["weighting"]["kind"] == "importance"
    design = ("--weights", "survey", "--strata", "layer", "--group", "psu")
    survey = ("-m", "roc_auc", "--weight", "w", *design, *names)
    result = json.loads(run("estimate", weighted, *survey, "--json").out)
    assert (result["weighting"]["n_strata"], result["weighting"]["n_units"]) == (4, 16)
    done = run("compare", weighted, "m0", "m1", *survey, "--json")
    assert json.loads(done.out)["test"] == "corrected_bootstrap"
    assert run("gate", weighted, *survey, "--above", "0.99").code == 3
    page = tmp_path / "page.html"
    assert run("report", weighted, *survey, "-o", page).code == 0
    assert "survey weights" in page.read_text(encoding="utf-8")


def test_commands_that_do_not_count_weights_refuse_the_column(weighted: Path, run: Run) -> None:
    names = ("--configs", "m0", "--configs", "m1")
    for wrong in (
        ("thresholds", weighted, "-m", "roc_auc", "--weight", "w", *names),
        ("plan", weighted, "-m", "accuracy", "--detect", "0.1", "--weight", "w", *names),
        ("calibrate", weighted, "-m", "accuracy", "--weight", "w", *names),
        ("estimate", weighted, "-m", "accuracy", "--weight", "nope", *names),
        ("estimate", weighted, "-m", "accuracy", "--weight", "w", "--weights", "odd", *names),
    ):
        done = run(*wrong)
        assert done.code == 2, wrong
        assert "weight" in done.err or "--weight" in done.err
        assert "Traceback" not in done.err


def test_tune_chooses_and_judges_by_weights_and_says_how_models_are_fitted(
    run: Run, tmp_path: Path
) -> None:
    features = pd.DataFrame(np.column_stack([SCORES, WEIGHTS]), columns=["a", "b", "c", "w"])
    features.assign(y=Y).to_csv(tmp_path / "data.csv", index=False)
    asked = ("-t", "y", "--weight", "w", "--weights", "survey", "--n-configs", "2", "--folds", "3")
    folder = tmp_path / "run"
    done = run("tune", tmp_path / "data.csv", *asked, "--rng", "1", "--out", folder, "--json")
    assert done.code == 0, done.err
    result = json.loads((folder / "estimate.json").read_text(encoding="utf-8"))
    assert result["weighting"]["kind"] == "survey"
    assert "fitted_unweighted" in {caution["kind"] for caution in result["cautions"]}
    pi = Predictions.load(folder / "predictions.parquet")
    assert pi.target.weights is not None
    assert np.allclose(pi.target.weights.values, WEIGHTS)
    for wrong in (("--ensemble", "greedy"), ("--learning-curve",)):
        done = run("tune", tmp_path / "data.csv", *asked, *wrong, "--out", tmp_path / "other")
        assert done.code == 2
        assert "weight" in done.err


def test_the_report_of_weighted_cases_leaves_out_what_would_not_count_them(weighted: Path) -> None:
    pi = Predictions.load(weighted, weight="w", configs=["m0", "m1", "m2"])
    page = report(pi, metric="roc_auc", rng=1)
    plain = json.loads(page.to_json())
    assert plain["thresholds"] is None
    assert "by their importance weights" in page.to_html()
