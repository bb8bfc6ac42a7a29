"""mljar-supervised itself, from its fit to an estimate."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.metrics import log_loss

import earnest as en
from tests.adapters.files.data import table

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings


def test_a_run_of_mljar_becomes_an_estimate(tmp_path: Path) -> None:
    from supervised import AutoML

    data = table("binary")
    automl = AutoML(
        results_path=str(tmp_path / "results"),
        total_time_limit=120,
        algorithms=["Linear", "Decision Tree"],
        train_ensemble=True,
        explain_level=0,
        start_random_models=1,
        golden_features=False,
        features_selection=False,
        random_state=7,
        validation_strategy={"validation_type": "kfold", "k_folds": 3, "shuffle": True},
        verbose=0,
    )
    automl.fit(data.drop(columns="outcome"), data["outcome"])
    pi = en.predictions_from(automl, data["outcome"])
    assert pi.fingerprint == en.predictions_from(tmp_path / "results").fingerprint
    assert (pi.n_cases, pi.n_folds) == (120, 3)
    board = automl.get_leaderboard().set_index("name")["metric_value"]
    column = next(i for i, name in enumerate(pi.configs.ids) if "Linear" in name)
    loss = log_loss(pi.target.y, pi.responses[:, column, 0])
    assert loss == pytest.approx(board[pi.configs.ids[column]], rel=1e-4)
    made = en.estimate(pi, metric="roc_auc", rng=0)
    assert 0.8 < made.value <= 1.0
    assert "EN102" in {caution.code for caution in made.cautions}
