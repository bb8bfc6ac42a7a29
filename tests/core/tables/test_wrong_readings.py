"""Tables that could be read as something they are not: they are refused, or told of."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from earnest import Predictions
from earnest.errors import InputError

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
def test_measurements_are_no_folds(name, golden):
    with pytest.raises(InputError, match="folds are labels"):
        Predictions.from_arrays(Y, SCORES["svm"], NO_FOLDS[name])
    with pytest.raises(InputError) as refusal:
        Predictions.from_frame(pd.DataFrame({"y": Y, "fold": NO_FOLDS[name]} | SCORES))
    golden.check(str(refusal.value))


def test_real_numbers_as_folds_of_several_repeats_are_refused_too():
    with pytest.raises(InputError, match="folds are labels"):
        Predictions.from_arrays(Y, RNG.random((N, 2, 2)), np.column_stack([PARTS, REALS]))


def test_the_columns_that_could_be_meant_as_folds_are_named_likeliest_first(golden):
    table = pd.DataFrame(
        {"y": Y, "age": REALS, "clinic": PARTS, "cv_fold": PARTS, "nr": np.arange(N)} | SCORES
    )
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table, fold="age", configs=["svm", "tree"])
    cure = raised.value.cure
    golden.check(cure)
    assert not any(name in cure for name in ("age", "nr", "svm", "'y'"))


def test_a_table_without_a_column_that_could_be_folds_hears_how_to_go_on_without():
    table = pd.DataFrame({"y": Y, "age": REALS} | SCORES)
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table, fold="age")
    assert "fold=None" in raised.value.cure


MODELS = {"words": ["svm", "tree", "knn"], "numbers": [2, 4, 8]}


def long_table(models: list[object], case: str | None = "patient", n: int = 40) -> pd.DataFrame:
    """A row for each case and configuration, under names that nobody agreed on; seed 8."""
    rng = np.random.default_rng(8)
    y, part = rng.integers(0, 2, n), np.arange(n) % 5
    rows = [
        {"patient": i, "y": y[i], "fold": part[i], "algo": model, "p": rng.random()}
        for model in models
        for i in range(n)
    ]
    table = pd.DataFrame(rows)
    return (
        table.drop(columns="patient") if case is None else table.rename(columns={"patient": case})
    )


@pytest.mark.parametrize("case", ["patient", "row_id", "id"])
@pytest.mark.parametrize("models", MODELS)
def test_a_long_table_hears_what_makes_it_one_and_then_is_read(models, case):
    table = long_table(MODELS[models], case)
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(table)
    said = "model='algo' and prediction='p'" + (" and id='patient'" if case == "patient" else "")
    assert f"pass {said};" in raised.value.cure
    named = {"id": "patient"} if case == "patient" else {}
    pi = Predictions.from_frame(table, model="algo", prediction="p", **named)
    assert (pi.n_cases, pi.n_configs) == (40, 3)


def test_a_long_table_of_numbers_alone_is_not_read_as_wide():
    rng = np.random.default_rng(8)
    table = long_table(MODELS["numbers"], n=30)
    outcome = rng.normal(size=30)[table["patient"]]
    for y, models in ((outcome, [2, 4, 8]), (table["y"], [0, 1, 2])):
        numbers = table.assign(y=y, algo=np.repeat(models, 30))
        with pytest.raises(InputError, match="several rows per case"):
            Predictions.from_frame(numbers)


def test_a_long_table_without_names_of_cases_hears_that_they_are_needed(golden):
    with pytest.raises(InputError) as raised:
        Predictions.from_frame(long_table(MODELS["words"], None))
    golden.check(raised.value.cure)


def test_a_long_table_with_repeats_hears_it_too():
    table = pd.concat([long_table(MODELS["numbers"], "row_id").assign(repeat=r) for r in (0, 1)])
    with pytest.raises(InputError, match="several rows per case") as raised:
        Predictions.from_frame(table)
    assert "model='algo'" in raised.value.cure


def test_a_few_predictions_that_are_missing_make_a_table_no_less_long():
    table = long_table(MODELS["numbers"]).drop(index=[3, 50, 77])
    with pytest.raises(InputError, match="several rows per case"):
        Predictions.from_frame(table)


def test_wide_tables_with_whole_numbers_and_groups_are_not_taken_for_long_ones():
    y = np.tile([0, 0, 1, 1], 15)
    table = pd.DataFrame({"y": y, "group": np.arange(60) // 2, "fold": np.arange(60) // 4 % 5})
    labels = table.assign(svm=y, tree=1 - y, rf=np.arange(60) % 2)
    assert Predictions.from_frame(labels).n_configs == 3
    ratings = pd.DataFrame({"y": np.arange(60) % 5 + 1.0, "a": np.arange(60) % 5 + 1, "fold": 0})
    ratings["b"] = (np.arange(60) // 5) % 5 + 1
    assert Predictions.from_frame(ratings).n_configs == 2


def stacked(times: int, *, numbers: bool, sort: bool, n: int = 60) -> pd.DataFrame:
    """Repeats of one cross-validation, one under the other, without names of cases; seed 9."""
    rng = np.random.default_rng(9)
    y = rng.standard_normal(n) if numbers else (rng.random(n) < 0.4).astype(int)
    parts = []
    for _ in range(times):
        part = pd.DataFrame({"y": y, "fold": rng.permutation(np.arange(n) % 5)})
        alike = y + rng.standard_normal(n)  # learners err on the same cases
        part["svm"] = alike + 0.3 * rng.standard_normal(n)
        part["tree"] = alike + 0.3 * rng.standard_normal(n)
        parts.append(part.sort_values("fold", kind="stable") if sort else part)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("times", [2, 5])
def test_repeats_that_are_stacked_without_names_of_cases_bring_a_caution(times, numbers, sort):
    table = stacked(times, numbers=numbers, sort=sort)
    pi = Predictions.from_frame(table)
    assert [remark.kind for remark in pi.remarks] == ["cases_stacked"]
    assert f"60 cases, {times} times each" in pi.remarks[0].what
    once = Predictions.from_frame(table[:60])
    assert once.remarks == ()


def test_repeats_with_names_and_numbers_bring_none():
    table = stacked(3, numbers=True, sort=False)
    table = table.assign(row_id=np.arange(180) % 60, repeat=np.arange(180) // 60)
    pi = Predictions.from_frame(table)
    assert (pi.n_cases, pi.n_repeats, pi.remarks) == (60, 3, ())


@pytest.mark.parametrize("fold", [np.arange(N) % 5, np.arange(N) // 30, np.arange(N) // 2 % 5])
def test_outcomes_by_turns_and_folds_that_are_dealt_out_are_no_repeats(fold):
    table = pd.DataFrame({"y": Y, "fold": fold} | SCORES)
    assert Predictions.from_frame(table).remarks == ()
