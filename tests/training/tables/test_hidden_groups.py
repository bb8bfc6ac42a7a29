"""Copies of rows and columns that name groups: found, kept together or told, and no false alarm."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsClassifier

import earnest as en
from earnest.training import find_copies, read_training_table

FOREST = 'format = 1\n[[model]]\nmodel = "random_forest"\ntrees = 20\nmin_leaf = [1, 2]\n'


def noise(n: int = 50, times: int = 6, seed: int = 0):
    """Rows of noise, each several times."""
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(n), times)
    return rng.normal(size=(n, 4))[which], np.tile([0, 1], n // 2)[which], which


def as_table(X, **columns):
    return pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | columns)


def codes_of(made):
    return {caution.code for caution in made.cautions}


def tuned(table, tmp_path, **asked):
    path = tmp_path / "forest.toml"
    path.write_text(FOREST)
    known = {"target": "y", "portfolio": str(path), "folds": 5, "rng": 1, "n_jobs": 1}
    known["ensemble"] = "none"
    return en.tune(table, **{**known, **asked})


def test_copies_are_the_rows_that_are_equal():
    X, y, which = noise()
    found = find_copies(X, y)
    assert found is not None
    assert len(set(zip(found.tolist(), which.tolist(), strict=True))) == 50
    assert find_copies(X[:, :0], y) is None
    assert find_copies(sparse.csr_matrix(X), y) is None
    assert find_copies(X, None) is None


def test_copies_are_found_with_gaps_signed_zeros_and_text():
    X, y, _ = noise()
    X[:, 0] = np.where(X[:, 0] > 0, np.nan, 0.0)
    X[::2, 0] = np.where(np.isnan(X[::2, 0]), np.nan, -0.0)
    assert find_copies(X, y).max() == 49
    text = np.column_stack([X[:, 1].round(6).astype(str), np.where(y, "a", "b")]).astype(object)
    assert find_copies(text, np.where(y, "yes", "no")).max() == 49


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits, load_iris, load_wine])
def test_known_tables_have_no_copies(load):
    assert find_copies(*load(return_X_y=True)) is None


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_few_categories_are_equal_by_chance(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(400, 4))
    assert find_copies(X, (X.sum(axis=1) > 4).astype(int)) is None
    assert find_copies(X, (X.sum(axis=1) + rng.normal(size=400) > 4).astype(int)) is None


@pytest.mark.parametrize("seed", range(5))
def test_rare_categories_and_a_rare_class_are_equal_by_chance(seed):
    rng = np.random.default_rng(seed)
    X, y = (rng.random((400, 6)) < 0.02).astype(int), (rng.random(400) < 0.02).astype(int)
    assert find_copies(X, y) is None


def test_copies_of_a_single_number_are_found():
    X, y, _ = noise()
    assert find_copies(X[:, :1], y).max() == 49


def test_a_class_that_was_copied_to_balance_the_classes_is_found():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 3)), np.r_[np.zeros(100, int), np.ones(20, int)]
    many = np.r_[np.arange(100), np.repeat(np.arange(100, 120), 5)]
    assert find_copies(X[many], y[many]).max() == 119


def test_tune_keeps_copies_in_one_fold_and_says_so(tmp_path):
    """Noise, each row six times: an AUC of 1 when copies are split."""
    X, y, which = noise()
    made = tuned(as_table(X, y=y), tmp_path)
    assert "EN050" in codes_of(made.estimate)
    assert made.about()["grouped"]
    folds = made.predictions.folds[:, 0]
    assert all(len(set(folds[which == row])) == 1 for row in range(50))
    # An AUC of noise with 50 different rows: 0.5 with a standard error of about 0.08.
    assert made.estimate.value < 0.5 + 4 * 0.08
    assert made.estimate.interval.low < 0.5


def test_tune_with_too_few_different_rows_for_its_folds_splits_copies_with_a_caution(tmp_path):
    X, y, _ = noise(n=12, times=10)
    made = tuned(as_table(X, y=y), tmp_path)
    found = [caution for caution in made.estimate.cautions if caution.code == "EN050"]
    assert len(found) == 1
    assert "`group`" in found[0].cure
    assert not made.about()["grouped"]


def test_a_search_and_an_assessment_tell_of_copies_across_folds():
    X, y, which = noise()
    shuffled = np.random.default_rng(0).permutation(300)
    X, y, which = X[shuffled], y[shuffled], which[shuffled]
    grid = {"n_neighbors": [1, 3]}
    search = en.SearchCV(KNeighborsClassifier(), grid, cv=5, scoring="accuracy", random_state=0)
    assert "EN050" in codes_of(search.fit(X, y).estimate_)
    apart = search.set_params(cv=GroupKFold(5)).fit(X, y, groups=which)
    assert "EN050" not in codes_of(apart.estimate_)
    asked = {"metric": "accuracy", "method": "cv", "rng": 0}
    assert "EN050" in codes_of(en.assess(KNeighborsClassifier(1), X, y, **asked))
    once = np.unique(which, return_index=True)[1]
    assert "EN050" not in codes_of(en.assess(KNeighborsClassifier(1), X[once], y[once], **asked))


def patients(seed: int = 0):
    """60 patients with five rows each, the outcome being the patient's."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(60), 5)
    return rng.normal(size=(300, 2)), patient, rng.integers(0, 2, 60)[patient]


@pytest.mark.parametrize("written", ["text", "numbers"])
def test_a_column_that_names_groups_is_told_with_the_option_to_add(written):
    X, patient, y = patients()
    names = np.array([f"p{k:02d}" for k in patient]) if written == "text" else patient
    table = as_table(X, patient=names, y=y)
    found = [one for one in read_training_table(table, target="y").cautions if one.code == "EN156"]
    assert len(found) == 1
    assert "group='patient'" in found[0].cure


def test_a_score_falls_once_the_groups_are_kept_together(tmp_path):
    X, patient, y = patients()
    table = as_table(X, patient=np.array([f"p{k:02d}" for k in patient]), y=y)
    split, kept = tuned(table, tmp_path), tuned(table, tmp_path, group="patient")
    assert "EN156" in codes_of(split.estimate)
    assert "EN156" not in codes_of(kept.estimate)
    assert split.estimate.value > kept.estimate.value + 0.2


def test_the_command_line_names_its_option(tmp_path, capsys):
    from pyarrow import csv

    from earnest.cli import main

    X, patient, y = patients()
    path = tmp_path / "visits.csv"
    csv.write_csv(as_table(X, patient=np.array([f"p{k:02d}" for k in patient]), y=y), path)
    (tmp_path / "forest.toml").write_text(FOREST)
    asked = ["tune", path, "-t", "y", "--portfolio", tmp_path / "forest.toml", "--folds", "3",
             "--out", tmp_path / "run", "--rng", "1", "--n-jobs", "1", "--no-report"]  # fmt: skip
    assert main(list(map(str, asked))) == 0
    assert "--group patient" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "column",
    [
        lambda rng, y: np.where(y, rng.integers(20, 40, 300), rng.integers(0, 20, 300)),
        lambda rng, y: rng.integers(0, 30, 300),
        lambda rng, y: rng.normal(size=300),
        lambda rng, y: np.array(["a", "b", "c"])[rng.integers(0, 3, 300)],
    ],
    ids=["a number that tells the class", "whole numbers", "numbers", "a category"],
)
def test_ordinary_columns_are_no_groups(column):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    table = as_table(rng.normal(size=(300, 2)), other=column(rng, y), y=y)
    assert "EN156" not in {one.code for one in read_training_table(table, target="y").cautions}


def test_a_rare_class_makes_no_group_by_chance():
    rng = np.random.default_rng(5)
    y = np.r_[np.ones(4, int), np.zeros(296, int)]
    table = as_table(rng.normal(size=(300, 2)), ward=np.arange(300) // 4 % 75, y=y)
    found = {one.code for one in read_training_table(table, target="y").cautions}
    assert "EN156" not in found
