"""Tables of R's caret, tidymodels, mlr3 and mlr are read without options, or refused with the cure.

The files in `r/` are what real packages wrote: `make.R` made them with caret 6.0-93, mlr 2.19.1 and
rsample 1.1.1 of Debian 12. Debian has neither tidymodels' tune nor mlr3: their tables are composed
here as their documentation prints them, tidymodels' with the resamples that the real rsample drew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.errors import InputError

R = Path(__file__).parent / "r"
ILL = {"positive": "ill"}


def read_raw(name: str) -> pd.DataFrame:
    return pd.read_csv(R / f"{name}.csv")


def check_cells(pi: en.Predictions, table: pd.DataFrame, id: str, answer: str, model: str) -> None:
    """Every row of the table is the response of its case, configuration and repeat in Π."""
    assert pi.target.ids is None or len(pi.target.ids) == pi.n_cases
    cases = {str(one): place for place, one in enumerate(pd.unique(table[id]))}
    configs = {str(one): place for place, one in enumerate(pd.unique(table[model]))}
    repeats = {one: place for place, one in enumerate(sorted(pd.unique(table["repeat"])))}
    for row in table.to_dict("records"):
        at = cases[str(row[id])], configs[str(row[model])], repeats[row["repeat"]]
        assert pi.responses[at] == row[answer]


# ---------------------------------------------------------------- caret


def test_a_table_of_caret_needs_no_options_but_the_positive_class() -> None:
    pi = en.Predictions.load(R / "caret-cv.csv", **ILL)
    assert (pi.n_cases, pi.n_folds, pi.n_repeats, pi.kind) == (40, 4, 1, "probability")
    assert pi.configs.ids == ("k=1", "k=5", "k=9")
    check_cells(pi, read_raw("caret-cv").assign(repeat=1), "rowIndex", "ill", "k")
    assert pi.remarks == ()


def test_a_repeated_table_of_caret_has_its_repeats() -> None:
    pi = en.Predictions.load(R / "caret-repeated.csv", **ILL)
    assert (pi.n_repeats, pi.n_folds, len(pi.configs)) == (2, 4, 3)
    table = read_raw("caret-repeated")
    repeat = table["Resample"].str[-1].astype(int)
    check_cells(pi, table.assign(repeat=repeat), "rowIndex", "ill", "k")


def test_regression_labels_and_one_fixed_model_of_caret_are_read() -> None:
    regression = en.Predictions.load(R / "caret-regression.csv")
    assert (regression.target.task, len(regression.configs)) == ("regression", 3)
    check_cells(regression, read_raw("caret-regression").assign(repeat=1), "rowIndex", "pred", "k")
    labels = en.Predictions.load(R / "caret-labels.csv", **ILL)
    assert (labels.kind, labels.configs.ids) == ("label", ("maxdepth=3", "maxdepth=1"))
    fixed = en.Predictions.load(R / "caret-glm.csv", **ILL)
    assert (len(fixed.configs), fixed.kind, fixed.remarks) == (1, "probability", ())


def test_a_table_of_the_winner_alone_has_a_caution_in_every_estimate() -> None:
    pi = en.Predictions.load(R / "caret-final.csv", **ILL)
    assert [one.kind for one in pi.remarks] == ["winner_alone"]
    estimate = en.estimate(pi, metric="roc_auc", rng=0)
    assert "winner_alone" in [one.kind for one in estimate.cautions]
    whole = en.Predictions.load(R / "caret-cv.csv", **ILL)
    assert "winner_alone" not in [
        one.kind for one in en.estimate(whole, metric="roc_auc", rng=0).cautions
    ]


def test_resamples_that_overlap_are_refused_with_what_to_use() -> None:
    with pytest.raises(InputError, match="overlap") as refusal:
        en.Predictions.load(R / "caret-boot.csv", **ILL)
    assert 'trainControl(method = "cv")' in str(refusal.value)


def test_leave_one_out_of_caret_asks_for_the_fold_and_is_read_with_it() -> None:
    with pytest.raises(InputError, match="which fold tested a case") as refusal:
        en.Predictions.load(R / "caret-loo.csv", **ILL)
    assert "fold='rowIndex'" in str(refusal.value)
    pi = en.Predictions.load(R / "caret-loo.csv", fold="rowIndex", **ILL)
    assert (pi.n_folds, len(pi.configs)) == (40, 3)
    assert en.Predictions.load(R / "caret-loo.csv", fold=None, **ILL).n_folds == 1


def test_what_is_said_of_a_column_of_r_counts() -> None:
    table = read_raw("caret-cv").assign(
        truth=lambda t: t["obs"], mine=lambda t: "k" + t["k"].map(str)
    )
    pi = en.Predictions.from_frame(table, target="truth", model="mine", prediction="pred", **ILL)
    assert (pi.configs.ids, pi.kind) == (("k1", "k5", "k9"), "label")


# ---------------------------------------------------------------- tidymodels


def tidymodels(
    resamples: str, grid: tuple[float, ...] = (0.01, 0.1), seed: int = 0
) -> pd.DataFrame:
    """What `collect_predictions(summarize = FALSE)` gives: the order of columns of tune 1.2."""
    rng = np.random.default_rng(seed)
    ids = read_raw(f"rsample-{resamples}")
    truth = pd.Series(np.where(np.arange(41) % 3, "ill", "well"))
    parts = []
    for place, penalty in enumerate((0.01, 0.1)):
        p = rng.random(len(ids)).round(4)
        part = pd.DataFrame({".pred_class": np.where(p > 0.5, "ill", "well")})
        part = part.assign(**{".pred_ill": p, ".pred_well": (1 - p).round(4)})
        part = pd.concat([part, ids[[c for c in ("id", "id2") if c in ids]]], axis=1)
        part = part.assign(outcome=truth[ids[".row"]].to_numpy(), penalty=penalty, mixture=1)
        part[".row"], part[".config"] = ids[".row"], f"Preprocessor1_Model{place + 1}"
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def test_a_table_of_tidymodels_finds_its_outcome_and_names_hyperparameters() -> None:
    table = tidymodels("vfold")
    pi = en.Predictions.from_frame(table, **ILL)
    assert (pi.n_cases, pi.n_folds, pi.n_repeats, pi.kind) == (40, 4, 1, "probability")
    assert pi.configs.ids == ("penalty=0.01", "penalty=0.1")
    check_cells(pi, table.assign(repeat=1), ".row", ".pred_ill", "penalty")


def test_id_and_id2_of_tidymodels_are_repeat_and_fold() -> None:
    table = tidymodels("repeated")
    pi = en.Predictions.from_frame(table, **ILL)
    assert (pi.n_repeats, pi.n_folds) == (2, 4)
    check_cells(pi, table.assign(repeat=table["id"]), ".row", ".pred_ill", ".config")


def test_bootstraps_and_summaries_of_tidymodels_are_refused_with_the_cure() -> None:
    with pytest.raises(InputError, match="overlap") as refusal:
        en.Predictions.from_frame(tidymodels("boot"), **ILL)
    assert "vfold_cv()" in str(refusal.value)
    with pytest.raises(InputError, match="which fold tested a case") as refusal:
        en.Predictions.from_frame(tidymodels("vfold").drop(columns="id"), **ILL)
    assert "summarize = FALSE" in str(refusal.value)


def test_a_regression_of_tidymodels_is_read_and_two_outcomes_are_asked_about() -> None:
    table = tidymodels("vfold").drop(columns=[".pred_class", ".pred_ill", ".pred_well"])
    kg = np.random.default_rng(1).normal(70, 5, 41).round(1)[table[".row"]]
    table = table.assign(outcome=kg, **{".pred": kg + table["penalty"]})
    pi = en.Predictions.from_frame(table)
    assert (pi.target.task, pi.kind) == ("regression", "value")
    twice = table.assign(other=-table["outcome"])
    with pytest.raises(InputError, match="`target`"):
        en.Predictions.from_frame(twice)
    told = en.Predictions.from_frame(twice, target="outcome")
    np.testing.assert_array_equal(told.responses, pi.responses)


def test_workflow_sets_are_told_apart_by_their_names() -> None:
    one, two = tidymodels("vfold"), tidymodels("vfold", seed=1)
    said = {"preproc": "recipe", "model": "linear_reg"}
    parts = [one.assign(wflow_id="lasso", **said), two.assign(wflow_id="tree", **said)]
    sets = pd.concat(parts).drop(columns=["penalty", "mixture"])
    pi = en.Predictions.from_frame(sets, **ILL)
    assert len(pi.configs) == 4
    assert pi.configs.ids[0] == "wflow_id=lasso, .config=Preprocessor1_Model1"


# ---------------------------------------------------------------- mlr3 and mlr


def mlr3(folds: int = 4, repeats: int = 2, learners: int = 2) -> pd.DataFrame:
    """What binding `as.data.table()` of the predictions of every iteration gives."""
    rng, parts = np.random.default_rng(2), []
    for nr in range(1, learners + 1):
        for repeat in range(repeats):
            of = (np.arange(40) + repeat * (np.arange(40) // 4)) % folds
            for fold in range(folds):
                rows = np.flatnonzero(of == fold) + 1
                p = rng.random(len(rows)).round(4)
                part = pd.DataFrame({"nr": nr, "learner_id": "classif.ranger", "row_ids": rows})
                part["iteration"] = repeat * folds + fold + 1
                part["truth"] = np.where(rows % 3, "ill", "well")
                part["response"] = np.where(p > 0.5, "ill", "well")
                part["prob.ill"], part["prob.well"] = p, (1 - p).round(4)
                parts.append(part.assign(repeat=repeat))
    return pd.concat(parts, ignore_index=True)


def test_iterations_of_mlr3_that_test_every_case_once_are_a_repeat() -> None:
    table = mlr3()
    pi = en.Predictions.from_frame(table.drop(columns="repeat"), **ILL)
    assert (pi.n_cases, pi.n_folds, pi.n_repeats) == (40, 4, 2)
    assert pi.configs.ids == ("nr=1", "nr=2")
    check_cells(pi, table, "row_ids", "prob.ill", "nr")
    shuffled = table.drop(columns="repeat").sample(frac=1, random_state=0).sort_values("row_ids")
    again = en.Predictions.from_frame(shuffled, **ILL)
    assert (again.n_folds, again.n_repeats) == (4, 2)


def test_mlr3_without_iterations_with_overlaps_or_of_two_tasks_is_refused_with_the_cure() -> None:
    table = mlr3(repeats=1).drop(columns="repeat")
    with pytest.raises(InputError, match="which fold tested a case") as refusal:
        en.Predictions.from_frame(table.drop(columns="iteration"), **ILL)
    assert 'idcol = "iteration"' in str(refusal.value)
    overlapping = table.assign(iteration=table["iteration"] + 4)
    overlapping = pd.concat([table, overlapping[overlapping["row_ids"] > 5]])
    with pytest.raises(InputError, match="overlap") as refusal:
        en.Predictions.from_frame(overlapping, **ILL)
    assert "repeated_cv" in str(refusal.value)
    with pytest.raises(InputError, match="several tasks"):
        en.Predictions.from_frame(table.assign(task_id=np.arange(len(table)) % 2), **ILL)


def test_learners_of_mlr_are_configurations_and_its_repeats_are_found() -> None:
    pi = en.Predictions.load(R / "mlr-benchmark.csv", **ILL)
    assert (pi.configs.ids, pi.n_folds, pi.kind) == (("deep", "stump"), 4, "probability")
    table = read_raw("mlr-benchmark").assign(repeat=1)
    check_cells(pi, table, "id", "prob.ill", "learner.id")
    repeated = en.Predictions.load(R / "mlr-repeated.csv", **ILL)
    assert (repeated.n_repeats, repeated.n_folds, len(repeated.configs)) == (2, 4, 1)
    with pytest.raises(InputError, match="training cases"):
        en.Predictions.from_frame(table.assign(set=np.where(table["id"] > 9, "test", "train")))


def test_a_column_of_configurations_means_that_no_names_of_r_are_looked_for() -> None:
    table = read_raw("caret-cv").rename(columns={"k": "config_id"})
    with pytest.raises(InputError, match="'y_true'"):
        en.Predictions.from_frame(table, **ILL)
