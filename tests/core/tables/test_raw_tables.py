"""A table of data that is given for predictions is told the way, and nothing else is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from earnest import Predictions, estimate
from earnest.core import IS_DATA
from earnest.errors import InputError

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
    assert ("earnest tune" in raised.value.cure) == ("y" not in DATA[name])


@pytest.mark.parametrize("name", OTHERS)
def test_a_table_that_may_hold_predictions_is_not_taken_for_data(name):
    table = OTHERS[name].assign(fold=np.arange(len(OTHERS[name])) % 4)
    assert name_refusal(table) != IS_DATA


def name_refusal(table: pd.DataFrame) -> str:
    """Return what is wrong with a table of predictions, nothing if it is read."""
    try:
        Predictions.from_frame(table)
    except InputError as error:
        return error.what
    return ""


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
    "iris": (IRIS, "target"),
    "diabetes in its own units": (load_diabetes(as_frame=True, scaled=False).frame, "target"),
    "patients": (mixed(), "ill"),
    "patients and a word": (mixed().assign(sex=["m", "f"] * 100), "ill"),
}
DOUBTFUL = {
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
    assert "EN120" in {c.code for c in estimate(pi, metric="roc_auc", rng=0).cautions}


APART = [name for name in SURE if name not in ("diabetes", "patients and a word")]


@pytest.mark.parametrize("name", APART)
def test_columns_on_several_scales_that_do_not_agree_are_data_whatever_folds_there_are(name):
    table, target = SURE[name]
    folded = table.assign(fold=np.arange(len(table)) % 5)
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(folded, target=target)
    assert raised.value.what == IS_DATA
    assert "configs=[...]" in raised.value.cure
    if folded[target].nunique() == 2:
        assert "response='decision'" in raised.value.cure
        said = Predictions.from_frame(folded, target=target, response="decision")
        assert said.n_configs == table.shape[1] - 1


def test_ages_and_codes_with_a_fold_column_are_not_scored_as_configurations(tmp_path):
    rng = np.random.default_rng(8)
    age, y = rng.integers(20, 80, 90), rng.integers(0, 2, 90)
    data = {"age": age, "code": rng.integers(1, 6, 90), "y": y, "fold": np.arange(90) % 5}
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(pd.DataFrame(data))
    assert raised.value.what == IS_DATA


HEART = np.random.default_rng(11)  # any seed
PATIENTS = {
    "age": HEART.integers(20, 80, 120),
    "bmi": HEART.normal(27, 4, 120).round(1),
    "chol": HEART.normal(230, 40, 120).round(0),
}


@pytest.mark.parametrize("names", [("age", "bmi"), ("bmi", "chol"), ("age", "bmi", "chol")])
@pytest.mark.parametrize("standardized", [True, False])
def test_features_with_folds_that_are_read_as_decision_values_are_told(names, standardized):
    columns = {name: PATIENTS[name] for name in names}
    if standardized:
        columns = {n: (v - v.mean()) / v.std() for n, v in columns.items()}
    rows = {"y": HEART.integers(0, 2, 120), "fold": np.arange(120) % 5}
    table = pd.DataFrame(rows | columns)
    refusal = name_refusal(table)
    assert refusal == "" or (refusal == IS_DATA and not standardized)
    if not refusal:
        remarks = Predictions.from_frame(table).remarks
        assert [(remark.code, remark.severity) for remark in remarks] == [("EN120", "note")]
    assert Predictions.from_frame(table, response="decision").remarks == ()


N_REAL = 120


def make_real(noise: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """Out-of-fold predictions of unlike learners, for a real outcome or for coin flips."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(9)
    rows = rng.permutation(len(y))[:N_REAL]
    X, y = X[rows], rng.integers(0, 2, N_REAL) if noise else y[rows]
    learners = {
        "linear": (make_pipeline(StandardScaler(), LogisticRegression()), "decision_function"),
        "svm": (make_pipeline(StandardScaler(), SVC()), "decision_function"),
        "near": (make_pipeline(StandardScaler(), KNeighborsClassifier(7)), "predict_proba"),
        "forest": (RandomForestClassifier(25, random_state=0), "predict_proba"),
        "stump": (DecisionTreeClassifier(max_depth=1, random_state=0), "predict_proba"),
    }
    answers = {}
    for name, (learner, method) in learners.items():
        scores = cross_val_predict(learner, X, y, cv=5, method=method)
        answers[name] = scores[:, 1] if scores.ndim == 2 else scores
    return pd.DataFrame(answers), y


SCALES = {
    "as they are": {},
    "votes of 500 trees": {"forest": 500.0, "near": 7.0},
    "percentages beside shares": {"forest": 100.0},
}


# Of coin flips, predictions on several scales need not agree, and are asked about.
@pytest.mark.parametrize(("scale", "noise"), [*((s, False) for s in SCALES), ("as they are", True)])
def test_real_predictions_with_folds_are_never_taken_for_data(scale, noise):
    answers, y = make_real(noise)
    for name, times in SCALES[scale].items():
        answers[name] *= times
    table = answers.assign(y=y, fold=np.arange(N_REAL) % 5)
    assert Predictions.from_frame(table).n_configs == 5


@pytest.mark.parametrize("noise", [False, True])
def test_real_predictions_of_numbers_are_never_taken_for_data(noise):
    X, y = load_diabetes(return_X_y=True)
    y = np.random.default_rng(9).normal(50, 9, len(y)) if noise else y
    learners = (Ridge(1.0), Ridge(1e4), KNeighborsRegressor(9), DecisionTreeRegressor(max_depth=3))
    answers = {f"m{k}": cross_val_predict(m, X, y, cv=5) for k, m in enumerate(learners)}
    table = pd.DataFrame(answers).assign(y=y, fold=np.arange(len(y)) % 5)
    assert Predictions.from_frame(table).remarks == ()
    logarithms = np.log(table[list(answers)].clip(1)).assign(y=y, fold=table["fold"])
    if not noise:  # real predictions on another scale agree, and are told of
        assert "EN120" in {remark.code for remark in Predictions.from_frame(logarithms).remarks}


DRAWS = np.random.default_rng(6).random((N, 5))  # any seed: only ranges and ranks are looked at
RISKS = 0.7 * DRAWS[:, :1] + 0.3 * DRAWS[:, 1:]  # predictions of one outcome agree
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
