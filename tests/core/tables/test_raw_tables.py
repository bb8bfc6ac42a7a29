"""A table of data that is given for predictions is told the way, and nothing else is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from earnest import InputError, Predictions
from earnest.core.tables.raw import holds_data

N = 40
RNG = np.random.default_rng(7)  # any seed: only ranges and names are looked at
Y = np.arange(N) % 2
PROBABILITIES = {f"c{k}": RNG.random(N) for k in range(6)}
TEXTS = {
    "sex": ["m", "f"] * 20,
    "job": ["cook", "smith"] * 20,
    "town": ["Bern", "Köln"] * 20,
    "ill": ["yes", "no"] * 20,
}

DATA = {
    "wine": load_wine(as_frame=True).frame,
    "breast cancer": load_breast_cancer(as_frame=True).frame,
    "texts": pd.DataFrame(TEXTS),
    "numbers and a gap": pd.DataFrame(
        {"age": [40, None], "mass": [70.5, 80], "pulse": [99, 95], "y": [0, 1]}
    ),
}
OTHERS = {
    "probabilities without folds": pd.DataFrame({"y": Y} | PROBABILITIES),
    "with numbers of patients and rooms": pd.DataFrame(
        {"patient": np.arange(N) + 1001, "room": np.arange(N) % 9 + 1, "y": Y} | PROBABILITIES
    ),
    "labels": pd.DataFrame({"y": TEXTS["ill"], "svm": TEXTS["ill"], "rf": ["no"] * N}),
    "long by other names": pd.DataFrame(TEXTS | {"model": ["a", "b"] * 20, "answer": Y}),
    "with folds by another name": DATA["wine"].assign(cv_fold=0),
    "survival": pd.DataFrame(
        {"id": np.arange(N) + 900, "time": np.arange(N) + 30.0, "event": Y, "cox": Y - 0.5}
    ),
    "regression": pd.DataFrame({"y": Y * 50.0, "ridge": Y * 40.0 + 5, "tree": Y * 30.0 + 10}),
    "features that are all alike": load_diabetes(as_frame=True).frame,
    "one column": pd.DataFrame({"y": Y}),
    "nothing but gaps": pd.DataFrame({"a": [None], "b": [None], "c": [None], "d": [None]}),
}


@pytest.mark.parametrize("name", DATA)
def test_a_table_of_data_points_to_tune_after_what_is_wrong(tmp_path, name):
    path = tmp_path / "my data.csv"
    DATA[name].to_csv(path, index=False)
    with pytest.raises(InputError) as raised:
        Predictions.load(path)
    assert raised.value.what in ("column 'y' is missing", "column 'fold' is missing")
    assert "Say which column it is with" in raised.value.cure
    assert "earnest tune 'my data.csv' trains models on them" in raised.value.cure


@pytest.mark.parametrize("name", OTHERS)
def test_a_table_that_may_hold_predictions_is_not_taken_for_data(name):
    assert not holds_data(OTHERS[name])


def test_predictions_with_another_fault_hear_of_that_fault_alone(tmp_path):
    path = tmp_path / "t.csv"
    OTHERS["probabilities without folds"].to_csv(path, index=False)
    with pytest.raises(InputError, match="column 'fold' is missing") as raised:
        Predictions.load(path)
    assert "tune" not in str(raised.value)
