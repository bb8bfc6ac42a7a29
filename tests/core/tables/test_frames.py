from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest import Configs, Predictions
from earnest.errors import InputError
from tests.core.strategies import predictions
from tests.snapshots import Golden

from_frame = Predictions.from_frame
WIDE = {
    "y": [0, 1, 0, 1],
    "fold": [1, 1, 2, 2],
    "svm": [0.2, 0.7, 0.4, 0.9],
    "tree": [0.0, 0.6, 0.1, 0.3],
}
LONG = {
    "row_id": ["p", "p", "q", "q"],
    "config_id": ["svm", "tree"] * 2,
    "y_true": [0, 0, 1, 1],
    "y_pred": [0.1, 0.2, 0.6, 0.7],
}


def ids_of(pi: Predictions) -> list[Any]:
    assert pi.target.ids is not None
    return list(pi.target.ids.tolist())


# ---------------------------------------------------------------- both forms


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_the_index_that_pandas_writes_is_no_configuration(name: str, golden: Golden) -> None:
    counted = {name: [0, 1, 2, 3]}
    assert from_frame(pa.table(counted | WIDE)).configs.ids == ("svm", "tree")
    for names in ([1, 2, 3, 4], [4, 9, 2, 7], ["P1", "P2", "P3", "P4"]):  # R's row names too
        assert from_frame(pa.table({name: names} | WIDE)).configs.ids == ("svm", "tree")
    twice, numbers = {name: [1, 1, 2, 2]} | WIDE, {name: [0.1, 0.2, 0.3, 0.4]} | WIDE
    for other in (twice, numbers, WIDE | counted):  # the last is not the first column
        with pytest.raises(InputError) as refusal:
            from_frame(pa.table(other))
        golden.check(str(refusal.value))


@pytest.mark.parametrize("values", [pa.string(), pa.large_string(), pa.string_view()])
def test_dictionaries_of_any_text_are_read(values: pa.DataType) -> None:
    codes = pa.array([0, 1, None, 1], pa.int8())
    names = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]).cast(values))
    table = pa.table({"y": [0, 1, 0, 1], "fold": names, "svm": [0.2, 0.7, None, 0.9]})
    for one in (table, pa.concat_tables([table, table])):
        assert from_frame(one).fold_names == (("a", "b"),)


def test_labels_that_are_mostly_numbers_are_labels_where_the_outcome_has_them() -> None:
    labels = ["1", "2", "3", "x"]
    wide = pd.DataFrame({"y": labels, "fold": 0, "svm": labels})
    assert from_frame(wide).kind == "label"
    long = pd.DataFrame({"row_id": range(4), "config_id": "a", "y_true": labels, "y_pred": labels})
    assert from_frame(long).kind == "label"


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("form", ["wide", "long"])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize(
    "task", ["probability", "decision", "multiclass", "labels", "regression", "survival"]
)
def test_from_frame_of_to_frame_is_the_same_predictions(
    task: str, repeats: int, form: str, backend: str, make: Any
) -> None:
    pi = make(
        task,
        repeats=repeats,
        ids=[f"case {i}" for i in range(12)],
        groups=np.arange(12) // 2,
        strata=np.arange(12) % 2,
    )
    table = pi.to_frame(form=form, backend=backend)
    assert type(table).__module__.split(".")[0] == backend
    assert from_frame(table).fingerprint == pi.fingerprint


@pytest.mark.parametrize("form", ["wide", "long"])
def test_tables_keep_single_precision(form: str) -> None:
    scores = np.random.default_rng(4).random((6, 2)).astype(np.float32)
    pi = Predictions.from_arrays([0, 1] * 3, scores, ids=list("abcdef"))
    back = from_frame(pi.to_frame(form=form))
    assert back.responses.dtype == np.float32
    assert back.fingerprint == pi.fingerprint


def test_every_library_gives_the_same_predictions() -> None:
    frames = [
        pd.DataFrame(WIDE),
        pd.DataFrame(WIDE).convert_dtypes(),
        pd.DataFrame(WIDE).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame(WIDE).set_index(pd.Index(list("wxyz"))),
        pl.DataFrame(WIDE),
        pa.table(WIDE),
        pa.table(WIDE | {"svm": pa.array([Decimal(str(v)) for v in WIDE["svm"]])}),
        pa.table(WIDE | {"y": pa.array([False, True] * 2)}),
    ]
    made = [from_frame(frame) for frame in frames]
    assert {pi.fingerprint for pi in made[:-1]} == {made[0].fingerprint}
    assert made[-1].target.classes == (False, True)


def test_labels_of_any_column_type_are_the_same_classes() -> None:
    labels = ["yes", "no", "yes", "no"]
    columns = [
        pd.Series(labels),
        pd.Series(labels, dtype=object),
        pd.Series(labels, dtype="category"),
        pd.Series(labels, dtype="string[pyarrow]"),
    ]
    frames: list[Any] = [pd.DataFrame(WIDE).assign(y=column) for column in columns]
    frames += [pl.DataFrame(WIDE).with_columns(y=pl.Series(labels, dtype=pl.Categorical))]
    frames += [pl.DataFrame(WIDE).with_columns(y=pl.Series(labels, dtype=pl.Enum(["yes", "no"])))]
    frames += [pa.table(WIDE | {"y": pa.array(labels, pa.string_view())})]
    made = [from_frame(frame, positive="yes") for frame in frames]
    assert {pi.fingerprint for pi in made} == {made[0].fingerprint}
    assert made[0].target.classes == ("no", "yes")


def test_columns_may_have_other_names() -> None:
    table = pd.DataFrame(
        WIDE | {"patient": [7, 7, 8, 8], "site": [1, 2, 1, 2], "case": list("abcd")}
    )
    named = {"y": "outcome", "fold": "split"}
    pi = from_frame(
        table.rename(columns=named),
        target="outcome",
        fold="split",
        group="patient",
        strata="site",
        id="case",
    )
    assert pi.configs.ids == ("svm", "tree")
    assert pi.target.groups is not None
    assert pi.target.groups.tolist() == [0, 0, 1, 1]
    assert pi.target.strata is not None
    assert pi.target.strata.tolist() == [0, 1, 0, 1]
    assert ids_of(pi) == list("abcd")
    assert pi.fold_names == (("1", "2"),)


@settings(max_examples=24, deadline=None, derandomize=True, database=None)
@given(predictions(), st.sampled_from(["pyarrow", "pandas", "polars"]))
def test_any_predictions_come_back_from_both_forms_when_told_what_they_are(
    pi: Predictions, backend: str
) -> None:
    ids = np.arange(pi.n_cases) if pi.target.ids is None else pi.target.ids
    names = tuple(f"m{i}" for i in range(pi.n_configs))  # a column has no parameters
    pi = replace(pi, target=replace(pi.target, ids=ids), configs=Configs(ids=names))
    told: dict[str, Any] = {"task": pi.target.task, "response": pi.kind}
    if pi.target.has_classes:
        told["classes"] = pi.target.classes
    if pi.target.task == "binary":
        told |= {"positive": pi.target.classes[1], "threshold": pi.threshold}
    for form in ("wide", "long"):
        table = pi.to_frame(form=form, backend=backend)
        back = from_frame(table, when=pi.target.ordered, **told)
        assert back.fingerprint == pi.fingerprint


# ---------------------------------------------------------------- wide


def test_wide_without_folds_is_one_hold_out_set() -> None:
    pi = from_frame(pd.DataFrame(WIDE), fold=None)
    assert pi.fold_names == (("0",),)
    assert pi.configs.ids == ("svm", "tree")  # the column 'fold' is left out, and no configuration


def test_wide_reads_the_columns_asked_for_in_that_order() -> None:
    table = pd.DataFrame(WIDE | {"site": ["Oslo"] * 4, "weight": [1.0] * 4})
    assert from_frame(table, configs=["tree", "svm"]).configs.ids == ("tree", "svm")


def test_wide_takes_names_that_are_not_text() -> None:
    table = pd.DataFrame(WIDE).rename(columns={"svm": 0, "tree": 1})
    assert from_frame(table).configs.ids == ("0", "1")


def test_wide_reads_labels_as_predictions() -> None:
    table = pd.DataFrame({"y": list("abca"), "fold": [1, 1, 2, 2], "m": ["a", "b", None, None]})
    pi = from_frame(table)
    assert (pi.target.task, pi.kind) == ("multiclass", "label")
    assert pi.responses[:2, 0, 0].tolist() == [0.0, 1.0]
    assert np.isnan(pi.responses[2:]).all()


def test_wide_reads_bools_as_labels_of_bools() -> None:
    table = pd.DataFrame({"y": [True, False] * 2, "fold": [1, 1, 2, 2], "m": [True, True] * 2})
    assert from_frame(table).kind == "label"
    assert from_frame(table.assign(n=0.5)).kind == "probability"  # beside numbers they are 0 and 1


def test_wide_class_columns_are_named_by_configuration_and_class() -> None:
    rng = np.random.default_rng(5)
    scores = rng.dirichlet([1, 1, 1], (6, 2, 1))
    y = ["a", "b:a", "c"] * 2  # 'm:b:a' is class 'b:a' of 'm', not class 'a' of 'm:b'
    pi = Predictions.from_arrays(y, scores, configs=["m", "n:x"])
    table = pi.to_frame(backend="pandas")
    assert list(table)[2:5] == ["m:a", "m:b:a", "m:c"]
    assert from_frame(table).fingerprint == pi.fingerprint
    other = from_frame(table[["y", "fold", *reversed(list(table)[2:])]])
    assert other.configs.ids == ("n:x", "m")
    assert other.target.classes == ("c", "b:a", "a")  # the order of the columns
    np.testing.assert_array_equal(other.responses[:, ::-1, :, ::-1], pi.responses)


@pytest.mark.parametrize("form", ["wide", "long"])
def test_classes_that_are_given_set_the_order_of_the_class_axis(form: str, make: Any) -> None:
    pi = make("multiclass", ids=np.arange(12))
    assert pi.target.classes == ("high", "low", "mid")
    other = from_frame(pi.to_frame(form=form), classes=["mid", "high", "low"])
    assert other.target.classes == ("mid", "high", "low")
    assert other.target.labels.tolist() == pi.target.labels.tolist()
    np.testing.assert_array_equal(other.responses, pi.responses[..., [2, 0, 1]])


def test_wide_class_columns_of_whole_numbers_are_a_classification() -> None:
    table = pd.DataFrame({"y": [0, 1, 2, 0], "fold": 1, "m:0": 0.2, "m:1": 0.3, "m:2": 0.5})
    pi = from_frame(table)
    assert (pi.target.task, pi.responses.shape) == ("multiclass", (4, 1, 1, 3))


def test_wide_pairs_of_class_columns_are_one_configuration_if_they_sum_to_one() -> None:
    pair = {"y": ["no", "yes"] * 2, "fold": [1, 1, 2, 2], "m:no": [0.2, 0.4, 0.6, 0.9]}
    table = pd.DataFrame(pair).assign(**{"m:yes": lambda t: 1 - t["m:no"]})
    pi = from_frame(table, positive="yes")
    assert pi.configs.ids == ("m",)
    np.testing.assert_array_equal(pi.responses[:, 0, 0], table["m:yes"])
    two = from_frame(table.assign(**{"m:yes": 0.5}), positive="yes")
    assert two.configs.ids == ("m:no", "m:yes")


def test_wide_names_with_colons_that_are_not_classes_are_configurations() -> None:
    table = pd.DataFrame(
        {"y": list("abca"), "fold": 1, "svm:rbf": list("abca"), "svm:b": list("aaaa")}
    )
    assert from_frame(table, classes=["a", "b", "c"]).configs.ids == ("svm:rbf", "svm:b")
    assert from_frame(table.drop(columns="svm:rbf")).configs.ids == ("svm:b",)


def test_a_configuration_that_was_never_evaluated_is_a_column_of_nothing() -> None:
    pi = from_frame(pa.table(WIDE | {"none": pa.nulls(4)}))
    assert pi.complete.tolist() == [True, True, False]
    labels = {"y": list("abc"), "fold": [1, 1, 1], "none": pa.nulls(3), "m": list("aab")}
    assert from_frame(pa.table(labels)).complete.tolist() == [False, True]


def test_wide_refuses_a_second_column_of_folds(golden: Golden) -> None:
    with pytest.raises(InputError) as refusal:
        from_frame(pd.DataFrame(WIDE).assign(split=[1, 2, 1, 2]), fold="split")
    golden.check(str(refusal.value))


def test_wide_with_repeats_has_a_row_a_case_and_repeat() -> None:
    table = pd.DataFrame(
        {
            "row_id": ["b", "a", "c", "b", "a"],
            "repeat": [10, 10, 10, 9, 9],  # 'c' was not tested in repeat 9
            "y": [1, 0, 1, 1, 0],
            "fold": [1, 1, 2, 1, 2],
            "m": [0.9, 0.2, 0.3, 0.8, 0.1],
        }
    )
    pi = from_frame(table)
    assert ids_of(pi) == ["b", "a", "c"]
    assert pi.target.y.tolist() == [1, 0, 1]
    assert pi.folds.tolist() == [[0, 0], [1, 0], [-1, 1]]  # repeats in the order 9, 10
    np.testing.assert_array_equal(pi.responses[:, 0], [[0.8, 0.9], [0.1, 0.2], [np.nan, 0.3]])


def test_wide_survival_is_told_by_its_columns_or_by_the_task() -> None:
    columns = {"time": [1.0, 2.0, 3.0], "event": [1, 0, 1], "fold": 1, "cox": [0.5, 0.2, 0.1]}
    table = pd.DataFrame(columns)
    renamed = table.rename(columns={"time": "days", "event": "death"})
    made = [
        from_frame(table),
        from_frame(table, task="survival"),
        from_frame(table.assign(event=table["event"] == 1)),
        from_frame(renamed, time="days", event="death"),
    ]
    assert {pi.fingerprint for pi in made} == {made[0].fingerprint}
    assert made[0].configs.ids == ("cox",)
    assert made[0].target.event is not None
    assert made[0].target.event.tolist() == [True, False, True]


def test_wide_refuses_times_and_events_beside_an_outcome(golden: Golden) -> None:
    table = pd.DataFrame(WIDE | {"time": [1.0] * 4, "event": [1] * 4})
    with pytest.raises(InputError) as refusal:
        from_frame(table)
    golden.check(str(refusal.value))
    assert from_frame(table.drop(columns="y")).target.task == "survival"


# ---------------------------------------------------------------- long


def test_long_keeps_the_order_of_first_appearance() -> None:
    table = pd.DataFrame(LONG).iloc[[3, 0, 2, 1]]
    pi = from_frame(table)
    assert ids_of(pi) == ["q", "p"]
    assert pi.configs.ids == ("tree", "svm")
    assert pi.responses[:, :, 0].tolist() == [[0.7, 0.6], [0.2, 0.1]]


def test_long_rows_that_are_missing_were_not_evaluated() -> None:
    pi = from_frame(pd.DataFrame(LONG | {"fold": [1, 1, 2, 2]}).iloc[:3])
    np.testing.assert_array_equal(pi.responses[:, :, 0], [[0.1, 0.2], [0.6, np.nan]])
    assert pi.complete.tolist() == [True, False]


def test_long_does_not_look_at_other_columns() -> None:
    table = pd.DataFrame(LONG | {"C": [1, 10, 1, 10], "model": ["svm", "tree"] * 2})
    assert from_frame(table).fingerprint == from_frame(pd.DataFrame(LONG)).fingerprint


def test_long_keeps_the_configurations_asked_for() -> None:
    pi = from_frame(pd.DataFrame(LONG), configs=["tree"])
    assert pi.configs.ids == ("tree",)
    assert pi.responses.ravel().tolist() == [0.2, 0.7]


def test_long_probabilities_of_the_positive_class_name_it() -> None:
    table = pd.DataFrame(LONG | {"y_true": ["sick", "sick", "well", "well"]})
    table = table.rename(columns={"y_pred": "proba_sick"})
    pi = from_frame(table)
    assert pi.target.classes == ("well", "sick")
    assert pi.kind == "probability"
    both = from_frame(table.assign(proba_well=1 - table["proba_sick"]), positive="sick")
    np.testing.assert_array_equal(both.responses, pi.responses)
    assert both.case_fingerprint == pi.case_fingerprint


def test_long_scores_of_classes_are_decisions() -> None:
    table = pd.DataFrame(LONG).rename(columns={"y_pred": "score_1"})
    assert from_frame(table).kind == "decision"
    assert from_frame(table, response="probability").kind == "probability"


def test_long_with_both_reads_labels_only_when_asked() -> None:
    table = pd.DataFrame(LONG | {"y_pred": [0, 1, 1, 0], "proba_1": [0.3, 0.6, 0.7, 0.2]})
    assert from_frame(table).responses.ravel().tolist() == [0.3, 0.6, 0.7, 0.2]
    assert from_frame(table, response="label").responses.ravel().tolist() == [0, 1, 1, 0]


def test_long_probabilities_may_know_a_class_that_no_case_has() -> None:
    table = pd.DataFrame(LONG).drop(columns="y_pred")
    pi = from_frame(table.assign(proba_0=0.2, proba_1=0.3, proba_2=0.5))
    assert (pi.target.task, pi.target.classes) == ("multiclass", (0, 1, 2))


def test_long_survival_has_times_and_events() -> None:
    table = pd.DataFrame(LONG).drop(columns="y_true")
    pi = from_frame(table.assign(time=[1.0, 1.0, 2.0, 2.0], event=[1, 1, 0, 0]))
    assert (pi.target.task, pi.kind) == ("survival", "risk")


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.permutations(range(12 * 2 * 2)), st.sampled_from(["regression", "multiclass", "labels"]))
def test_the_order_of_the_rows_of_a_long_table_does_not_matter(rows: list[int], task: str) -> None:
    pi = _made(task)
    mixed = from_frame(pi.to_frame(form="long").take(rows), classes=pi.target.classes or None)
    back = np.argsort(ids_of(mixed))
    columns = [mixed.configs.index(name) for name in pi.configs.ids]
    np.testing.assert_array_equal(mixed.responses[back][:, columns], pi.responses)
    np.testing.assert_array_equal(mixed.folds[back], pi.folds)
    np.testing.assert_array_equal(mixed.target.y[back], pi.target.y)


def _made(task: str) -> Predictions:
    rng = np.random.default_rng(6)
    fold = rng.permuted(np.tile(np.arange(12)[:, None] % 3, 2), axis=0)
    y: Any = rng.standard_normal(12)
    scores: Any = rng.standard_normal((12, 2, 2))
    if task != "regression":
        y = np.array(["a", "b", "c"] * 4)
        scores = rng.dirichlet([1, 1, 1], (12, 2, 2))
    if task == "labels":
        scores = np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, (12, 2, 2))]
    scores[fold[:, 1] == 2, 1, 1] = None if task == "labels" else np.nan
    return Predictions.from_arrays(y, scores, fold, ids=np.arange(12))
