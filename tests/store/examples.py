"""Outcomes of every kind, and when two of them are the same."""

from __future__ import annotations

import math

import numpy as np

from earnest.core import TaskOutcome

IDENTITY = {"data": "ndarray 3x2 float64 0a", "seed": "7"}


def outcomes() -> list[TaskOutcome]:
    record = np.dtype([("event", "?"), ("time", "<f8")], align=True)
    arrays = {
        "response": np.array([[0.1, np.nan], [-np.inf, 5e-324]]),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "label": np.array(["a", "ßπ 漢", ""]),
        "flag": np.array([True, False]),
        "whole": np.arange(-2, 3, dtype="<i2"),
        "other order": np.arange(3, dtype=">i4"),
        "date": np.array(["2026-11-15", "NaT"], dtype="M8[D]"),
        "record": np.array([(True, 1.5), (False, 2.5)], dtype=record),
        "nothing": np.empty((0, 3)),
        "one": np.array(2.5),
    }
    return [
        TaskOutcome((0, 0, 0), arrays, {"fit_time": 0.25, "score": 0.1 + 0.2}),
        TaskOutcome((12, 1, 3), {}, {"a": math.nan, "b": math.inf, "c": -math.inf, "d": -0.0}),
        TaskOutcome((2**40,), {}, {}, error="Traceback ß\n  boom \udcff", note="time limit"),
        TaskOutcome((), {}, {}, error="", note=""),
    ]


def same(left: TaskOutcome, right: TaskOutcome) -> bool:
    """Whether two outcomes are the same to the last bit, times aside."""
    if (left.key, list(left.arrays)) != (right.key, list(right.arrays)):
        return False
    if (clean(left.error), clean(left.note)) != (clean(right.error), clean(right.note)):
        return False
    numbers = [
        {name: repr(value) for name, value in o.numbers.items() if not name.endswith("_time")}
        for o in (left, right)
    ]
    return numbers[0] == numbers[1] and all(
        same_array(left.arrays[name], right.arrays[name]) for name in left.arrays
    )


def same_array(left: np.ndarray, right: np.ndarray) -> bool:
    if left.dtype.names:
        columns = [same_array(left[name], right[name]) for name in left.dtype.names]
        return left.dtype.names == right.dtype.names and all(columns)
    form = (left.dtype.str, left.shape) == (right.dtype.str, right.shape)
    return form and left.tobytes() == right.tobytes()


def clean(text: str | None) -> str | None:
    return text and text.encode("utf-8", "backslashreplace").decode()
