"""The outcome: which task, which classes, which rows, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from earnest.core import Columns, Task, render
from earnest.errors import InputError
from earnest.training import TableOutcome, read_outcome
from tests.snapshots import Golden


def read(values=None, **options) -> TableOutcome:
    given = {"target": "y", "time": None, "event": None, "task": None, "positive": None}
    table = options.pop("table", {"y": values})
    return read_outcome(Columns.of(pa.table(table)), **{**given, **options})


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["no", "yes"] * 5, Task.BINARY),
        ([True, False] * 5, Task.BINARY),
        ([0, 1] * 5, Task.BINARY),
        ([1.5, 2.5] * 5, Task.BINARY),
        (["a", "b", "c"] * 5, Task.MULTICLASS),
        ([3, 4, 5] * 5, Task.MULTICLASS),
        ([3.0, 4.0, 5.0, None] * 5, Task.MULTICLASS),
        (list(range(10)), Task.REGRESSION),  # one value per case
        (list(range(11)) * 9, Task.REGRESSION),  # many values
        ([0.5, 1.5, 2.5] * 9, Task.REGRESSION),
    ],
)
def test_the_values_tell_the_task(values, task):
    assert read(values).task is task


def test_a_task_that_could_be_another_is_told_and_can_be_asked_for(golden):
    reason = render(read([3, 4, 5] * 5).task_note)
    golden.check(reason)
    asked = read([3, 4, 5] * 5, task="regression")
    assert (asked.task, asked.task_note, asked.y.dtype) == (Task.REGRESSION, "", np.float64)
    assert read([0.5, 1.5, 2.5] * 9, task="multiclass").classes == (0.5, 1.5, 2.5)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["yes", "no", "No", "YES"], "multiclass"),
        (["yes", "no", "yes ", "no"], "multiclass"),
        (["Yes", "yes"], "binary"),
    ],
)
def test_classes_that_differ_in_capitals_or_spaces_alone_are_asked_about(values, task):
    with pytest.raises(InputError, match="capitals or spaces") as raised:
        read(values * 5)
    assert f"task={task!r}" in raised.value.cure
    assert len(read(values * 5, task=task).classes) == len(set(values))
    assert read(["a", "b", "c"] * 5).task_note == ""


@pytest.mark.parametrize(
    ("values", "full"),
    [(["yes", "no", "Y", "N"], "'Y'"), (["no", "yes", "n"], "'n'"), (["pos", "Positive"], "'pos'")],
)
def test_classes_in_short_and_in_full_are_asked_about(values, full, golden: Golden):
    with golden.raises(InputError) as raised:
        read(values * 5)
    assert full in raised.value.got
    assert "task=" in raised.value.cure
    assert len(read(values * 5, task="multiclass").classes) == len(values)
    assert read(["Y", "N"] * 5).classes == ("N", "Y")
    assert read(["A", "AB", "B", "O"] * 5).task is Task.MULTICLASS


@pytest.mark.parametrize("mark", ["none", "-", "unknown", "Missing", "*"])
@pytest.mark.parametrize("times", [1, 7])
def test_marks_of_missing_values_among_classes_are_asked_about(mark, times):
    values = ["yes", "no"] * 20 + [mark] * times
    for task in (None, "binary"):
        with pytest.raises(InputError, match="may be a missing value") as raised:
            read(values, task=task)
        assert f"{mark!r} ({times} time" in raised.value.got
        assert f"missing={mark!r}" in raised.value.cure
        assert "task='multiclass'" in raised.value.cure
    assert read(values, task="multiclass").task is Task.MULTICLASS
    assert read(["mild", mark] * 9).task is Task.BINARY  # of two, it is a class
    assert read(["+", "-", "++"] * 9).task is Task.MULTICLASS


def test_the_positive_class_is_the_last_or_the_one_asked_for():
    usual = read(["benign", "malignant", "benign"])
    assert usual.classes == ("benign", "malignant")
    assert usual.y.tolist() == [0, 1, 0]
    assert usual.words == "y: 1 malignant (positive), 2 benign"
    turned = read(["benign", "malignant", "benign"], positive="benign")
    assert turned.classes == ("malignant", "benign")
    assert turned.y.tolist() == [1, 0, 1]


def test_labels_keep_their_types():
    assert read([True, False]).classes == (False, True)
    assert read([2.0, 1.0]).classes == (1, 2)
    assert read(["b", "a"]).classes == ("a", "b")


def test_rows_without_an_outcome_are_left_out():
    found = read([0.0, None, 1.0, float("nan"), 1.0])
    assert found.rows.tolist() == [0, 2, 4]
    assert found.y.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([7, 7, 7], {}, "the outcome 'y' has only one value"),
        (["a", None, "a"], {}, "the outcome 'y' has only one value"),
        ([None, None], {}, "the outcome 'y' is empty"),
        ([str(i) for i in range(50)] + ["abc"], {}, "column 'y' has cells that are not numbers"),
        ([f"t{i}" for i in range(50)], {}, "the outcome 'y' has 50 different values in 50 rows"),
        (["a", "b"], {"target": "z"}, "`target` names no column: there is no 'z'"),
        (["a", "b"], {"target": None}, "`target` is not given"),
        (["a", "b"], {"task": "rank"}, "`task` is unknown"),
        (["a", "b"], {"task": "regression"}, "the outcome 'y' does not hold numbers"),
        ([1, 2, 3], {"task": "binary"}, "the outcome 'y' has 3 values"),
        ([1.5, 2.5, 3.5], {"positive": "1"}, "`positive` needs two classes"),
        (["a", "b"], {"positive": "c"}, "`positive` is not a class of 'y'"),
        ([1.5, 2.5], {"task": "survival"}, "a survival outcome needs two columns"),
        ([1.5, float("inf")], {}, "column 'y' has infinite values"),
    ],
)
def test_what_is_no_outcome_is_refused(values, options, message):
    with pytest.raises(InputError) as caught:
        read(values, **options)
    assert message in str(caught.value)


def test_a_date_is_no_outcome():
    with pytest.raises(InputError, match="neither numbers nor classes"):
        read(pa.array([0, 1], pa.int32()).cast(pa.date32()))


SURVIVAL = {"days": [3.0, 5.0, None, 7.0], "died": [1, 0, 1, 1]}


def test_time_and_event_are_survival():
    found = read(table=SURVIVAL, target=None, time="days", event="died")
    assert found.task is Task.SURVIVAL
    assert found.rows.tolist() == [0, 1, 3]
    assert found.y["event"].tolist() == [True, False, True]
    assert found.y["time"].tolist() == [3.0, 5.0, 7.0]
    assert found.words == "died: 2 events, 1 censored"


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"time": "days"}, "a survival outcome needs two columns"),
        ({}, {"event": "died"}, "a survival outcome needs two columns"),
        ({}, {"time": "days", "event": "died", "target": "days"}, "are a survival outcome"),
        ({}, {"time": "days", "event": "died", "task": "binary"}, "are a survival outcome"),
        ({"died": [1, 2, 1, 0]}, {"time": "days", "event": "died"}, "does not hold events"),
        ({"died": ["a", "b", "a", "b"]}, {"time": "days", "event": "died"}, "does not hold events"),
        ({"died": [0, 0, 0, 0]}, {"time": "days", "event": "died"}, "every case is censored"),
        ({"days": [-1.0, 1, 2, 3]}, {"time": "days", "event": "died"}, "times are not valid"),
    ],
)
def test_what_is_no_survival_is_refused(change, options, message):
    with pytest.raises(InputError) as caught:
        read(table={**SURVIVAL, **change}, **{"target": None, **options})
    assert message in str(caught.value)
