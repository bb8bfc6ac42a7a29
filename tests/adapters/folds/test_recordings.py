"""Finished searches as their tools wrote them, each answered in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from tests.adapters.files.folds.wanted import WANTED, Wanted

FILES = Path(__file__).parents[1] / "files" / "folds"


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.file)
def test_a_finished_search_is_answered_in_one_line(wanted: Wanted) -> None:
    found = en.estimate(FILES / wanted.file, metric=wanted.metric, rng=0)
    assert found.n_configs == wanted.configs
    assert (found.provenance.n_folds, found.provenance.n_repeats) == (wanted.folds, wanted.repeats)
    assert found.metric == wanted.name
    assert found.naive == pytest.approx(wanted.naive(pd.read_csv(FILES / wanted.table)), abs=1e-9)
    assert (found.interval is not None) is wanted.interval
    worse = (
        found.value <= found.naive if found.scale.greater_is_better else found.value >= found.naive
    )
    assert worse
    if wanted.file.endswith(".csv"):
        frame = en.estimate(pd.read_csv(FILES / wanted.file), metric=wanted.metric, rng=0)
        assert frame.value == pytest.approx(found.value, abs=1e-12)


def test_a_search_with_several_scores_asks_which() -> None:
    with pytest.raises(en.errors.InputError) as error:
        en.estimate(FILES / "sklearn_random.csv")
    assert "log_loss" in error.value.needs


def test_a_halving_search_is_judged_by_its_last_round() -> None:
    table = pd.read_csv(FILES / "sklearn_halving.csv")
    found = en.estimate(FILES / "sklearn_halving.csv", metric="accuracy", rng=0)
    last = table[table["iter"] == table["iter"].max()]
    assert found.n_configs == len(last) < len(table)
    assert "last_round" in {caution.kind for caution in found.cautions}
    assert found.guide == "all"


def test_repeats_of_caret_are_known_by_their_names() -> None:
    found = en.estimate(FILES / "caret_resample.csv", metric="ROC", rng=0)
    table = pd.read_csv(FILES / "caret_resample.csv")
    means = table.groupby("k")["ROC"].mean()
    assert found.naive == pytest.approx(means.max())
    assert found.provenance.n_repeats == 3


def test_tables_that_hold_cases_are_no_fold_scores() -> None:
    # the columns of caret's `pred`, tune's `collect_predictions`, mlr3's predictions, and our own
    from earnest.adapters.folds.tables import holds_fold_scores

    for names in (
        ("pred", "obs", "rowIndex", "k", "Resample"),
        (".pred_yes", "id", ".row", "truth", ".config"),
        ("row_ids", "truth", "response", "iteration", "learner_id"),
        ("y", "fold", "svm", "rf"),
        ("item", "model", "score"),
        ("config", "score", "n"),
    ):
        assert not holds_fold_scores(names), names


def test_tune_and_mlr3_are_read_by_the_columns_that_they_document() -> None:
    # shapes of `collect_metrics(summarize = FALSE)` and of `benchmark_result$score()`; neither
    # package was there to write them
    rng = np.random.default_rng(0)
    scores = 0.8 + 0.05 * rng.standard_normal((3, 2, 5))
    tune = [
        {
            "id": f"Repeat{r + 1}",
            "id2": f"Fold{k + 1}",
            "penalty": 10.0**-c,
            ".metric": metric,
            ".estimator": "binary",
            ".estimate": scores[c, r, k] - 0.1 * (metric == "accuracy"),
            ".config": f"Preprocessor1_Model{c + 1}",
        }
        for c in range(3)
        for r in range(2)
        for k in range(5)
        for metric in ("roc_auc", "accuracy")
    ]
    found = en.estimate(pd.DataFrame(tune), metric="roc_auc", method="naive")
    assert found.naive == pytest.approx(scores.mean(axis=(1, 2)).max())
    assert found.provenance.n_repeats == 2
    assert "penalty" in str(found.winner_label)
    mlr3 = [
        {
            "nr": c + 1,
            "task_id": "spam",
            "learner_id": "classif.rpart",
            "resampling_id": "cv",
            "iteration": k + 1,
            "classif.ce": 1 - scores[c, 0, k],
        }
        for c in range(3)
        for k in range(5)
    ]
    found = en.estimate(pd.DataFrame(mlr3), rng=0)
    assert (found.metric, found.scale.greater_is_better) == ("error_rate", False)
    assert found.naive == pytest.approx(1 - scores[:, 0].mean(axis=1).max())


def test_runs_of_trackers_are_rows_or_runs_below_runs() -> None:
    scores = 0.7 + 0.05 * np.random.default_rng(1).standard_normal((4, 5))
    wandb = pd.DataFrame(
        [
            {"Name": f"run{c}", "State": "finished", "config/lr": 0.1 * c}
            | {f"fold_{k}/val_auc": scores[c, k] for k in range(5)}
            | {"val_auc": scores[c].mean()}
            for c in range(4)
        ]
    )
    nested = pd.DataFrame(
        [
            {
                "run_id": f"{c}-{k}",
                "tags.mlflow.parentRunId": f"parent{c}",
                "params.fold": str(k),
                "metrics.auc": scores[c, k],
            }
            for c in range(4)
            for k in range(5)
        ]
        + [{"run_id": "parent0", "tags.mlflow.parentRunId": None, "params.fold": None}]
    )
    for frame in (wandb, nested):
        found = en.estimate(frame, rng=0)
        assert found.metric == "roc_auc"
        assert found.naive == pytest.approx(scores.mean(axis=1).max())
        assert found.n_configs == 4


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    from earnest.adapters.folds.tables import load_fold_scores

    scores = load_fold_scores(FILES / "sklearn_grid.csv").pick("roc_auc")
    again = load_fold_scores(scores.save(tmp_path / "folds.csv"))
    np.testing.assert_array_equal(again.values, scores.values)
    assert again.configs.params == scores.configs.params
