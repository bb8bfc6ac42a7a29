from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from earnest import Predictions, Target
from earnest.core import Task
from earnest.core.base.arrays import as_array, missing
from earnest.core.data.target import encode_classes, label_array, survival_parts, usual_positive
from earnest.errors import InputError

S = np.linspace(0.05, 0.95, 6)
made = Predictions.from_arrays


def target(y: Any, scores: Any = S, **options: Any) -> Target:
    return made(y, scores, **options).target


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1], (0, 1)),
        ([0.0, 1.0], (0, 1)),
        ([False, True], (False, True)),
        ([-1, 1], (-1, 1)),
        (["0", "1"], ("0", "1")),
        (["-1", "1"], ("-1", "1")),
        (["False", "True"], ("False", "True")),
        (["false", "true"], ("false", "true")),
    ],
)
def test_pairs_that_nobody_doubts_need_no_positive(labels: list[Any], classes: Any) -> None:
    made = target(labels * 3)
    assert repr(made.classes) == repr(classes)
    assert made.y.tolist() == [0, 1] * 3


@pytest.mark.parametrize("labels", [["b", "a"], [1, 2], [10, -3], ["müde", "wach"], ["", "x"]])
@pytest.mark.parametrize("which", [0, 1])
def test_the_positive_class_has_code_one(labels: list[Any], which: int) -> None:
    made = target(labels * 3, positive=labels[which])
    assert made.classes[1] == labels[which]
    assert made.y.tolist() == [int(i % 2 == which) for i in range(6)]
    assert made.labels.tolist() == labels * 3


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([1, 2], "2"),
        ([1, 2], 2.0),
        ([1, 2], np.int8(2)),
        (["a", "b"], np.str_("b")),
        ([False, True], "true"),
        ([False, True], "1"),
        ([False, True], 1),
        ([0, 1], True),
        (["0", "1"], 1),
    ],
)
def test_the_positive_class_may_be_named_as_text_or_number(
    labels: list[Any], positive: Any
) -> None:
    assert target(labels * 3, positive=positive).classes == tuple(labels)


SAME_LABELS = [
    np.array(["a", "b"] * 3),
    np.array(["a", "b"] * 3, dtype=object),
    np.array([b"a", b"b"] * 3),
    np.array(["a", "b"] * 3, dtype=np.dtypes.StringDType()),
    ["a", "b"] * 3,
    tuple("ababab"),
    pd.Series(["a", "b"] * 3),
    pd.Series(["a", "b"] * 3, dtype="category"),
    pd.Categorical(["a", "b"] * 3, categories=["b", "a", "z"]),
    pl.Series(["a", "b"] * 3),
    pl.Series(["a", "b"] * 3, dtype=pl.Categorical),
    pa.chunked_array([["a", "b", "a"], ["b", "a", "b"]]),
    np.ma.masked_array(["a", "b"] * 3),
    pd.DataFrame({"y": ["a", "b"] * 3}),
    np.array([b"a", b"b"] * 3, dtype=object),
]


@pytest.mark.parametrize("y", SAME_LABELS, ids=lambda y: f"{type(y).__module__}.{type(y).__name__}")
def test_labels_of_any_container_are_the_same_target(y: Any) -> None:
    expected = made(["a", "b"] * 3, S, positive="a")
    assert made(y, S, positive="a").fingerprint == expected.fingerprint


def test_numbers_of_any_container_are_the_same_target() -> None:
    values = [1, 2, 4, 7, 8, 9.5]
    expected = made(values, S)
    containers: list[Any] = [
        np.array(values, dtype=object),
        [Decimal(str(v)) for v in values],
        pd.Series(values, dtype="Float64"),
        pl.Series(values, dtype=pl.Float64),
        pa.array(values),
    ]
    assert expected.target.task == Task.REGRESSION
    for y in containers:
        assert made(y, S).fingerprint == expected.fingerprint


def test_classes_are_plain_python_values() -> None:
    for y in (np.array([3, 5] * 3), np.array(["a", "b"] * 3), np.array([True, False] * 3)):
        kinds = {type(c) for c in target(y, positive=y[0]).classes}
        assert kinds <= {int, str, bool}
    given = target([3, 5] * 3, positive=5, classes=np.array([5, 3]))
    assert [type(c) for c in given.classes] == [int, int]


def test_classes_may_be_given_in_another_order_and_with_one_that_no_case_has() -> None:
    scores = np.full((6, 1, 1, 4), 0.25)
    made = target(["b", "a", "c"] * 2, scores, classes=["c", "b", "a", "z"])
    assert made.classes == ("c", "b", "a", "z")
    assert made.y.tolist() == [1, 2, 0] * 2


def test_label_array_keeps_types() -> None:
    assert label_array((0, 1)).dtype.kind == "i"
    assert label_array(("a", "bb")).dtype.kind == "U"
    assert label_array((1, "a")).tolist() == [1, "a"]


def test_encoding_twice_is_encoding_once() -> None:
    y = np.array(["x", "y", "z", "x"])
    codes, labels = encode_classes(y, Task.MULTICLASS, None, None)
    again, same = encode_classes(label_array(labels)[codes], Task.MULTICLASS, None, None)
    assert labels == same
    np.testing.assert_array_equal(codes, again)


# ---------------------------------------------------------------- the task


@pytest.mark.parametrize(
    ("y", "scores", "task"),
    [
        ([0, 1] * 3, S, Task.BINARY),
        ([0.0, 1.0] * 3, S, Task.BINARY),
        ([0.5, 1.5] * 3, S, Task.REGRESSION),
        ([0, 1, 2] * 2, S, Task.REGRESSION),  # counts, predicted by numbers
        ([0, 1, 2] * 2, [0, 2, 1] * 2, Task.MULTICLASS),  # predicted by classes
        ([0, 1, 2] * 2, [0.0, np.nan, 1.0] * 2, Task.MULTICLASS),
        ([0, 1, 2] * 2, ["0", "2", "1"] * 2, Task.MULTICLASS),
        ([0, 1, 2] * 2, np.full((6, 1, 1, 3), 1 / 3), Task.MULTICLASS),
        (list("abcabc"), list("abcabc"), Task.MULTICLASS),
        (np.arange(60) % 40, np.arange(60) % 40, Task.REGRESSION),  # too many to be classes
        ((S, [True, False] * 3), S, Task.SURVIVAL),
    ],
)
def test_the_task_is_told_where_it_is_clear(y: Any, scores: Any, task: Task) -> None:
    fold = None if len(scores) != 6 else [0, 1, 2] * 2  # a NaN prediction is a whole fold
    assert made(y, scores, fold).target.task == task


def test_the_task_may_be_said() -> None:
    assert target([0, 1, 2] * 2, np.full((6, 1, 3), 1 / 3), repeats=1).task == Task.MULTICLASS
    assert target([0, 1] * 3, task="regression").task == Task.REGRESSION
    assert target([True, False] * 3, task="regression").y.tolist() == [1.0, 0.0] * 3
    assert target([0, 1, 2] * 2, list("012012"), task="multiclass").task == Task.MULTICLASS


# ---------------------------------------------------------------- survival


def test_survival_is_the_same_in_every_form() -> None:
    time, event = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]), np.array([True, False] * 3)
    structured = np.empty(6, dtype=[("event", bool), ("time", float)])
    structured["event"], structured["time"] = event, time
    expected = made((time, event), S)
    assert expected.target.task == Task.SURVIVAL
    forms: list[Any] = [structured, (event, time), (time, event.astype(int)), (list(time), event)]
    for y in forms:
        assert made(y, S).fingerprint == expected.fingerprint
    tables: list[Any] = [
        np.column_stack([time, event]),
        pd.DataFrame({"t": time, "e": event}),
        list(zip(event.tolist(), time.tolist(), strict=True)),
    ]
    for y in tables:
        assert made(y, S, task="survival").fingerprint == expected.fingerprint


def test_two_cases_in_a_tuple_are_not_taken_for_survival() -> None:
    assert survival_parts((0, 1)) is None
    assert target((0, 1), [0.2, 0.4]).task == Task.BINARY


# ---------------------------------------------------------------- what else is known of the cases


def test_groups_are_codes_of_sorted_labels_and_keep_their_codes_when_cut() -> None:
    groups = ["z", "b", "b", "a", "z", "a"]
    made = target([0, 1] * 3, groups=pd.DataFrame(groups), strata=[1.5, 2.5] * 3)
    assert made.groups is not None
    assert made.groups.tolist() == [2, 1, 1, 0, 2, 0]
    part = made.take(np.array([0, 4]))
    assert part.groups is not None
    assert part.groups.tolist() == [2, 2]
    assert part.strata is not None
    assert part.strata.tolist() == [0, 0]


def test_groups_of_mixed_types_are_told_apart_as_text() -> None:
    made = target([0, 1] * 3, groups=pd.Series([1, "a", 1, "a", 2.5, 2.5], dtype=object))
    assert made.groups is not None
    assert len(set(made.groups.tolist())) == 3


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        ([5, 3, 4, 1, 2, 0], [5, 3, 4, 1, 2, 0]),
        ([5.0, 3.0, 4.0, 1.0, 2.0, 0.0], [5, 3, 4, 1, 2, 0]),
        (list("fedcba"), list("fedcba")),
        (np.arange(6, dtype=np.uint8), list(range(6))),
        (
            pd.date_range("2020-01-01", periods=6, unit="s").date,
            [f"2020-01-0{i}" for i in range(1, 7)],
        ),
    ],
)
def test_names_of_cases_are_whole_numbers_or_text(ids: Any, kept: list[Any]) -> None:
    names = target([0, 1] * 3, ids=ids).ids
    assert names is not None
    assert names.tolist() == kept


# ---------------------------------------------------------------- arrays at the door


@pytest.mark.parametrize(
    "values",
    [
        ["a", None],
        ["a", float("nan")],
        np.array(["a", None], dtype=object),
        np.ma.masked_array(["a", "b"], mask=[False, True]),
        pd.Series(["a", None]),
        pd.Series(["a", None], dtype=object),
        pd.Series(["a", pd.NA], dtype="string[python]"),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series([1.0, None]),
        pd.to_datetime(pd.Series(["2020-01-01", None])),
        [1, None],
        pl.Series(["a", None]),
        pl.Series([1, None]),
        pa.array([True, None]),
        np.ma.masked_array([1, 2], mask=[False, True]),
    ],
)
def test_missing_values_of_every_kind_are_found(values: Any) -> None:
    assert missing(as_array("y", values)).tolist() == [False, True]


def test_as_array_copies_no_numbers() -> None:
    values = np.arange(4.0)
    assert np.shares_memory(as_array("x", values), values)
    assert np.shares_memory(as_array("x", values[::2]), values)
    series = pl.Series(values)
    assert np.shares_memory(as_array("x", series), series.to_numpy())


def test_as_array_says_what_it_cannot_read() -> None:
    with pytest.raises(InputError, match="rows of equal length"):
        as_array("scores", [[1, 2], [3]])


def test_a_task_may_be_given_by_its_name_and_no_other() -> None:
    y = np.array([0, 1])
    assert Target(y=y, task="binary", classes=(0, 1)).task is Task.BINARY
    with pytest.raises(InputError, match="task"):
        Target(y=y, task="classification")


@pytest.mark.parametrize(
    ("labels", "counts", "positive"),
    [
        (("case", "control"), [9, 1], "case"),
        (("Control", "Case"), [1, 9], "Case"),
        (("diseased", "healthy"), [9, 1], "diseased"),
        (("No", "Yes"), [1, 9], "Yes"),
        (("event", "no event"), [9, 1], "event"),
        ((0, 1), [1, 9], 1),
        ((False, True), [1, 9], True),
        (("0", "1"), [1, 9], "1"),
        (("defect", "ok"), [1, 9], "defect"),
        (("a", "b"), [9, 1], "b"),
        (("a", "b"), [5, 5], "b"),  # the last of two that are equally frequent
        (("negative", "no"), [5, 5], "no"),  # both are words for the negative one
        ((1, 2), [1, 9], 1),
    ],
)
def test_the_usual_positive_class_is_named_so_or_not_the_negative_one_or_the_rarer(
    labels, counts, positive
):
    assert usual_positive(labels, counts) == positive


def test_a_positive_class_that_nothing_tells_is_asked_for_and_the_rarer_one_proposed():
    y = ["ok"] * 9 + ["defect"] * 3
    with pytest.raises(InputError, match="positive class is ambiguous") as raised:
        Predictions.from_arrays(y, np.linspace(0, 1, 12))
    assert "positive='defect'" in raised.value.cure
