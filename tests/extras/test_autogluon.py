"""AutoGluon itself, from its fit to an estimate."""

from __future__ import annotations

from pathlib import Path

import pytest

import earnest as en
from earnest.core.errors import EvidenceError
from tests.adapters.files.data import table

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings

MODELS = {"LR": {}, "RF": [{"n_estimators": 30}], "KNN": [{"weights": "uniform"}]}


def test_a_bagged_predictor_becomes_an_estimate(tmp_path: Path) -> None:
    from autogluon.tabular import TabularPredictor

    data = table("binary")
    predictor = TabularPredictor("outcome", path=str(tmp_path / "ag"), verbosity=0).fit(
        data,
        num_bag_folds=4,
        hyperparameters=MODELS,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
    )
    pi = en.predictions_from(predictor, data["outcome"])
    board = predictor.leaderboard().set_index("model")["score_val"]
    for name in pi.configs.ids:
        made = en.estimate(pi.select(name), method="naive", metric="accuracy")
        assert made.value == pytest.approx(board[name])
    made = en.estimate(pi, metric="roc_auc", rng=0)
    assert {"EN102", "EN103", "EN104"} <= {caution.code for caution in made.cautions}
    again = en.predictions_from(tmp_path / "ag", trust_pickle=True)
    assert again.fingerprint == pi.fingerprint


def test_a_predictor_without_bags_is_refused(tmp_path: Path) -> None:
    from autogluon.tabular import TabularPredictor

    predictor = TabularPredictor("outcome", path=str(tmp_path / "ag"), verbosity=0)
    predictor.fit(table("binary"), hyperparameters={"KNN": {}})
    with pytest.raises(EvidenceError, match="not bagged"):
        en.predictions_from(predictor)
