"""An outcome survives the way into a row and back, and damage is seen."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earnest.core import TaskOutcome
from earnest.errors import InputError
from earnest.store.rows import DamagedRow, decode, encode, read_key, write_key
from tests.snapshots import Golden
from tests.store.examples import outcomes, same


@pytest.mark.parametrize("outcome", outcomes(), ids=lambda o: write_key(o.key) or "empty")
def test_an_outcome_comes_back_to_the_last_bit(outcome: TaskOutcome) -> None:
    assert same(decode(encode(outcome)), outcome)


@given(st.lists(st.integers(0, 2**50)).map(tuple))
def test_a_key_comes_back(key: tuple[int, ...]) -> None:
    assert read_key(write_key(key)) == key


@given(st.dictionaries(st.text(), st.floats(), max_size=4))
def test_numbers_come_back_to_the_last_bit(numbers: dict[str, float]) -> None:
    found = decode(encode(TaskOutcome((0,), {}, numbers))).numbers
    assert {n: repr(v) for n, v in found.items()} == {n: repr(v) for n, v in numbers.items()}


def test_numbers_are_json_that_others_read() -> None:
    numbers = encode(outcomes()[1])[1]
    assert json.loads(numbers, parse_constant=pytest.fail) == {
        "a": None,
        "b": "inf",
        "c": "-inf",
        "d": -0.0,
    }
    with sqlite3.connect(":memory:") as connection:
        (found,) = connection.execute("SELECT json_extract(?, '$.b')", (numbers,)).fetchone()
    connection.close()
    assert found == "inf"


def test_arrays_that_come_back_can_be_written_to() -> None:
    array = decode(encode(TaskOutcome((0,), {"x": np.zeros(3)}))).arrays["x"]
    array[0] = 1.0
    assert array.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("place", range(6))
def test_a_changed_row_is_seen(place: int) -> None:
    row = list(encode(outcomes()[0]))
    row[place] = (row[place] or "") + (b"\0" if place == 5 else "0")
    with pytest.raises(DamagedRow):
        decode(tuple(row))


def test_every_flipped_bit_of_an_array_is_seen() -> None:
    row = encode(TaskOutcome((1,), {"x": np.arange(2.0)}))
    for bit in range(8 * len(row[5])):
        data = bytearray(row[5])
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DamagedRow, match="row '1'"):
            decode((*row[:5], bytes(data), row[6]))


def test_a_row_of_other_types_is_damaged() -> None:
    row = encode(outcomes()[0])
    with pytest.raises(DamagedRow):
        decode((*row[:5], None, row[6]))  # type: ignore[arg-type]  # as a file may hold it


@pytest.mark.parametrize(
    "array",
    [np.array([{}, 1], dtype=object), np.zeros(2, dtype=[("a", "f8", (2,))])],
    ids=["objects", "arrays in records"],
)
def test_what_needs_pickle_is_refused(array: np.ndarray, golden: Golden) -> None:
    with golden.raises(InputError):
        encode(TaskOutcome((0,), {"x": array}))
