"""Tables that could be read as something they are not: they are refused, or told of."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from earnest import InputError, Predictions

N = 150
RNG = np.random.default_rng(11)  # any seed: the tests are about forms, not about values
Y = np.arange(N) % 2
SCORES = {"svm": RNG.random(N), "tree": RNG.random(N)}
PARTS = np.arange(N) // 2 % 5
REALS = RNG.standard_normal(N)
FOLDS = {
    "whole numbers": PARTS,
    "whole numbers as floats": PARTS.astype(float),
    "with gaps": np.where(np.arange(N) < 0, np.nan, PARTS),
    "text": np.array([f"part {k}" for k in PARTS]),
    "true and false": PARTS > 2,
    "each case its own": np.arange(N),
}
NO_FOLDS = {
    "real numbers": REALS,
    "one real number": np.where(np.arange(N) == 7, 2.5, PARTS),
    "endless": np.where(np.arange(N) == 7, np.inf, PARTS),
    "among text": np.where(np.arange(N) == 7, 2.5, np.array([f"p{k}" for k in PARTS], object)),
    "dates": np.array([date(2020, 1, 1) + timedelta(int(k)) for k in PARTS], dtype=object),
    "moments": (np.datetime64("2020-01-01") + PARTS.astype("m8[D]")).astype("M8[s]"),
}


@pytest.mark.parametrize("name", FOLDS)
def test_labels_are_folds(name):
    pi = Predictions.from_arrays(Y, SCORES["svm"], FOLDS[name])
    assert pi.n_folds == len(np.unique(FOLDS[name]))
    table = pd.DataFrame({"y": Y, "fold": FOLDS[name]} | SCORES)
    assert Predictions.from_frame(table).n_folds == pi.n_folds


@pytest.mark.parametrize("name", NO_FOLDS)
def test_measurements_are_no_folds(name):
    with pytest.raises(InputError, match="folds are labels"):
        Predictions.from_arrays(Y, SCORES["svm"], NO_FOLDS[name])
    with pytest.raises(InputError, match=r"folds are labels|mixes values"):
        Predictions.from_frame(pd.DataFrame({"y": Y, "fold": NO_FOLDS[name]} | SCORES))


def test_real_numbers_as_folds_of_several_repeats_are_refused_too():
    with pytest.raises(InputError, match="folds are labels"):
        Predictions.from_arrays(Y, RNG.random((N, 2, 2)), np.column_stack([PARTS, REALS]))


def test_the_columns_that_could_be_meant_as_folds_are_named_likeliest_first():
    table = pd.DataFrame(
        {"y": Y, "age": REALS, "clinic": PARTS, "cv_fold": PARTS, "nr": np.arange(N)} | SCORES
    )
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table, fold="age", configs=["svm", "tree"])
    cure = raised.value.cure
    assert "fold='cv_fold' or fold='clinic'" in cure
    assert not any(name in cure for name in ("age", "nr", "svm", "'y'"))


def test_a_table_without_a_column_that_could_be_folds_hears_how_to_go_on_without():
    table = pd.DataFrame({"y": Y, "age": REALS} | SCORES)
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table, fold="age")
    assert "fold=None" in raised.value.cure
