"""A table of data that is given for predictions is told the way, and nothing else is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from earnest import InputError, Predictions, estimate
from earnest.core.tables.raw import IS_DATA, holds_data

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
    assert "Pass the column as" in raised.value.cure
    said = " --target y" if "y" in DATA[name] else ""
    assert f"earnest tune 'my data.csv'{said} trains models on them" in raised.value.cure


@pytest.mark.parametrize("name", OTHERS)
def test_a_table_that_may_hold_predictions_is_not_taken_for_data(name):
    assert not holds_data(OTHERS[name])


def test_predictions_with_another_fault_hear_of_that_fault_alone(tmp_path):
    path = tmp_path / "t.csv"
    OTHERS["probabilities without folds"].to_csv(path, index=False)
    with pytest.raises(InputError, match="column 'fold' is missing") as raised:
        Predictions.load(path)
    assert "tune" not in str(raised.value)


def mixed(n: int = 200) -> pd.DataFrame:
    """Measurements of patients from 0 upward, so that all ranges overlap; any seed."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "births": rng.integers(0, 17, n),
            "glucose": rng.integers(0, 199, n),
            "insulin": rng.integers(0, 846, n),
            "bmi": (67 * rng.random(n)).round(1),
            "ill": rng.integers(0, 2, n),
        }
    )


IRIS = load_iris(as_frame=True).frame
SURE = {
    "wine": (DATA["wine"], "target"),
    "breast cancer": (DATA["breast cancer"], "target"),
    "diabetes": (load_diabetes(as_frame=True).frame, "target"),
    "patients": (mixed(), "ill"),
    "patients and a word": (mixed().assign(sex=["m", "f"] * 100), "ill"),
}
DOUBTFUL = {
    "iris": (IRIS, "target"),
    "two of iris": (IRIS[IRIS["target"] < 2], "target"),
}


@pytest.mark.parametrize("name", SURE)
def test_data_read_as_predictions_without_folds_are_refused_and_pointed_to_tune(tmp_path, name):
    table, target = SURE[name]
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table, target=target, fold=None)
    assert raised.value.what == IS_DATA
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    with pytest.raises(InputError) as raised:
        Predictions.load(path, target=target, fold=None)
    assert raised.value.what == IS_DATA
    assert f"earnest tune data.csv --target {target} " in raised.value.cure


@pytest.mark.parametrize("name", SURE)
def test_configurations_that_are_named_are_never_taken_for_data(name):
    table, target = SURE[name]
    names = [n for n in table.columns if n != target and table[n].dtype.kind in "if"][:4]
    pi = Predictions.from_frame(table, target=target, fold=None, configs=names)
    assert (pi.n_configs, pi.remarks) == (4, ())


@pytest.mark.parametrize("name", DOUBTFUL)
def test_columns_that_may_be_data_bring_a_caution(name):
    table, target = DOUBTFUL[name]
    pi = Predictions.from_frame(table, target=target, fold=None)
    assert [remark.code for remark in pi.remarks] == ["EN120"]
    assert "EN120" in {c.code for c in estimate(pi, metric=METRIC[name], rng=0).cautions}


METRIC = {"iris": "rmse", "two of iris": "roc_auc"}


def test_a_table_with_folds_is_never_refused_as_data_and_told_of_where_it_is_sure():
    table = mixed().assign(fold=np.arange(200) % 5)
    pi = Predictions.from_frame(table, target="ill")
    assert [remark.code for remark in pi.remarks] == ["EN120"]


RISKS = np.random.default_rng(6).random((N, 4))  # any seed: only ranges are looked at
PREDICTED = {
    "probabilities": RISKS,
    "percentages": 100 * RISKS,
    "decision values": 8 * RISKS - 4,
    "probabilities beside decision values": RISKS * [1, 1, 8, 8] - [0, 0, 4, 4],
    "logarithms of probabilities": np.log(RISKS),
    "labels": (RISKS > 0.5).astype(int),
    "votes of trees": np.rint(500 * RISKS),
    "points of two scores": np.rint([24, 71, 24, 71] * RISKS),
}


@pytest.mark.parametrize("name", PREDICTED)
@pytest.mark.parametrize("labels", [Y, np.where(Y == 1, 1, -1), np.array(["no", "yes"])[Y]])
def test_predictions_of_classes_are_not_taken_for_data(name, labels):
    table = pd.DataFrame(PREDICTED[name], columns=list("abcd")).assign(y=labels)
    if not (name == "labels" and labels.dtype.kind == "U"):
        pi = Predictions.from_frame(table, fold=None, positive=labels[1].item())
        assert pi.remarks == ()


def test_predictions_of_numbers_are_not_taken_for_data_unless_they_lie_elsewhere():
    y = 100 + 50 * RISKS[:, 0]
    table = pd.DataFrame({"y": y, "ridge": y + 3, "tree": y - 20, "mean": y.mean()})
    assert Predictions.from_frame(table, fold=None).remarks == ()
    far = Predictions.from_frame(table.assign(log=np.log(y)), fold=None)
    assert [remark.code for remark in far.remarks] == ["EN120"]
