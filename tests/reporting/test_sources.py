"""Whatever holds a run is read whole, and what it lacks is told."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.reporting.material import Material
from earnest.reporting.sources import material_from
from tests.reporting.scenes import Picky, cases


def search(**options: Any) -> en.SearchCV:
    grid = [{"n_neighbors": [3, 9], "p": [1, 2]}, {"leaf_size": [1], "p": [1, 2]}]
    asked = {"scoring": "roc_auc", "cv": 5, "random_state": 7, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the fits that fail
        return en.SearchCV(Picky(), grid, **asked).fit(*cases())


def scores(found: Material) -> list[float | None]:
    return [one.score for one in found.tried]


def test_a_search_gives_the_scores_that_it_reported() -> None:
    made = search()
    found = material_from(made)
    means = made.cv_results_["mean_test_score"]
    assert scores(found)[:4] == pytest.approx(means[:4].tolist())
    assert [one.status for one in found.tried] == ["complete"] * 4 + ["failed"] * 2
    assert found.tried[4].score is None
    assert found.model == "Picky"
    assert (found.n_features, found.n_fits, found.seed) == (4, 30, 7)
    assert found.estimate is made.estimate_


def test_of_a_loss_the_scores_are_in_its_own_units() -> None:
    made = search(scoring="neg_brier_score")
    assert material_from(made).scale.greater_is_better is False
    assert all(score > 0 for score in scores(material_from(made)) if score is not None)


def test_a_search_by_several_scores_tells_the_one_that_chose() -> None:
    made = search(scoring=["roc_auc", "accuracy"], refit="accuracy")
    found = material_from(made)
    assert found.scale.name == "accuracy"
    assert scores(found)[0] == made.cv_results_["mean_test_accuracy"][0]


def test_a_search_by_another_score_shows_the_metric_of_its_estimate() -> None:
    made = search(scoring="accuracy", metric="roc_auc")
    found = material_from(made)
    alone = en.score_table(made.predictions_, "roc_auc", np.ones((1, 120), dtype=np.uint8))[0]
    assert scores(found)[0] == pytest.approx(alone[0])


def test_another_metric_may_be_asked_for() -> None:
    found = material_from(search(), "accuracy")
    assert found.scale.name == "accuracy"
    assert found.estimate is None


def test_a_run_file_gives_what_the_search_gave(tmp_path: Path) -> None:
    made = search(store=tmp_path / "run.db")
    found, whole = material_from(tmp_path / "run.db"), material_from(made)
    assert found.predictions is None
    assert scores(found)[:4] == scores(whole)[:4]
    assert [one.status for one in found.tried] == [one.status for one in whole.tried]
    assert found.best == whole.tried[made.best_index_].config
    assert "in 5 folds: " in found.tried[5].reason
    assert any("not the outcome" in words for words in found.missing)


def test_a_folder_without_a_run_file_is_of_predictions(tmp_path: Path) -> None:
    made = search()
    made.predictions_.save(tmp_path / "predictions.parquet")
    found = material_from(tmp_path, "roc_auc")
    assert found.predictions is not None
    assert found.speaker == "the search"
    with pytest.raises(en.InputError, match="what to measure"):
        material_from(tmp_path)


def test_an_estimate_of_other_predictions_is_not_taken(tmp_path: Path) -> None:
    made, other = search(), search(random_state=8, n_repeats=2)
    made.predictions_.save(tmp_path / "predictions.parquet")
    told = json.dumps(other.estimate_.to_dict(draws=True))
    (tmp_path / "estimate.json").write_text(told, encoding="utf-8")
    found = material_from(tmp_path)
    assert found.estimate is None
    assert any("made anew" in words for words in found.missing)


def test_predictions_with_parameters_can_be_explained_and_tell_the_metric() -> None:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 30)
    configs = [{"rate": 0.1 * i, "kind": "ab"[i % 2]} for i in range(12)]
    scores = y[:, None] * np.linspace(0.5, 2, 12) + rng.standard_normal((60, 12))
    pi = en.Predictions.from_arrays(y, scores, np.arange(60) // 2 % 5, configs=configs)
    made = en.report(pi, metric="roc_auc").content
    assert made.learned is not None
    assert "search roc_auc, not corrected" in made.learned.lede
