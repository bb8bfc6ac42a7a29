"""The matrix of a table, made again of other rows, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from earnest.core import Columns
from earnest.errors import FormatError, InputError
from earnest.training import ColumnKind, Feature, Schema, open_training_table, read_training_table

SCHEMA = Schema(
    (
        Feature("age", ColumnKind.NUMBER),
        Feature("sex", ColumnKind.CATEGORY, ("f", "m")),
        Feature("smoker", ColumnKind.CATEGORY, ("false", "true"), logical=True),
    ),
    {"id": "identifier"},
    {"target": "y"},
)
TABLE = {"smoker": [True, None, False], "sex": ["m", "f", None], "age": [1.5, None, 3.0]}
MATRIX = [[1.5, 1.0, 1.0], [np.nan, 0.0, np.nan], [3.0, np.nan, 0.0]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_stay_and_categories_become_codes_in_the_order_of_the_schema(frame):
    np.testing.assert_array_equal(SCHEMA.encode(frame(TABLE)), MATRIX)


def test_some_rows_are_those_rows_of_the_whole():
    rows = np.array([2, 0])
    np.testing.assert_array_equal(SCHEMA.encode(pa.table(TABLE), rows), np.array(MATRIX)[rows])


def test_a_schema_survives_json():
    assert Schema.from_dict(json.loads(json.dumps(SCHEMA.to_dict()))) == SCHEMA


@pytest.mark.parametrize("data", [{}, {"features": 3}, {"features": [{"name": "a"}]}])
def test_what_is_no_schema_is_refused(data):
    with pytest.raises(FormatError, match="a schema cannot be read"):
        Schema.from_dict(data)


def test_unknown_levels_are_missing_and_counted(golden):
    found = SCHEMA.read(pa.table({**TABLE, "sex": ["m", "x", "y"]}))
    np.testing.assert_array_equal(found.X[:, 1], [1.0, np.nan, np.nan])
    (caution,) = found.cautions
    assert caution.code == "EN079"
    golden.check(caution.what)


@pytest.mark.parametrize("smoker", [[1, None, 0], ["True", None, "FALSE"], [1.0, None, 0.0]])
def test_true_and_false_are_read_in_other_spellings(smoker):
    X = SCHEMA.encode(pa.table({**TABLE, "smoker": smoker}))
    np.testing.assert_array_equal(X[:, 2], [1.0, np.nan, 0.0])


def test_levels_that_look_like_numbers_are_found_whatever_type_the_file_gives_them():
    schema = Schema((Feature("code", ColumnKind.CATEGORY, ("1", "2", "A")),), {}, {})
    for codes in (["2", "1"], [2, 1], [2.0, 1.0]):
        assert schema.encode(pa.table({"code": codes})).tolist() == [[1.0], [0.0]]


def test_numbers_where_categories_were_are_refused(golden):
    with pytest.raises(InputError) as caught:
        SCHEMA.encode(pa.table({**TABLE, "sex": [3, None, 4]}))
    golden.check(str(caught.value))


def test_a_missing_column_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="column 'age' is missing") as caught:
        SCHEMA.encode(pa.table({"aeg": [1.0], "sex": ["m"], "smoker": [True]}))
    assert caught.value.cure == "Did you mean 'aeg'?"


def test_several_missing_columns_are_listed(golden):
    with pytest.raises(InputError) as refusal:
        SCHEMA.encode(pa.table({"x": [1.0]}))
    golden.check(str(refusal.value))


def test_text_where_numbers_were_is_refused_with_its_cell(golden):
    with pytest.raises(InputError, match="'old' in row 2") as caught:
        SCHEMA.encode(pa.table({**TABLE, "age": ["1.5", "old", None]}))
    golden.check(str(caught.value))


def test_dates_where_numbers_were_are_refused(golden):
    dates = pa.array([0, 1, 2], pa.int32()).cast(pa.date32())
    with pytest.raises(InputError) as refusal:
        SCHEMA.encode(pa.table({**TABLE, "age": dates}))
    golden.check(str(refusal.value))


def test_an_empty_column_is_all_missing():
    X = SCHEMA.encode(pa.table({"age": [None], "sex": [None], "smoker": [None]}))
    assert np.isnan(X).all()


def test_only_columns_that_nobody_knows_are_unexpected():
    table = pa.table({**TABLE, "id": [1, 2, 3], "y": [0, 1, 0], "extra": [1, 2, 3]})
    assert SCHEMA.list_unexpected(Columns.of(table)) == ("extra",)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_whole_numbers_beyond_what_floats_hold_exactly_are_rounded(kind):
    large = [2**53 + 1, 1_600_000_000_000_000_001, None]
    schema = Schema((Feature("stamp", ColumnKind.NUMBER),), {}, {})
    made = schema.encode(pa.table({"stamp": pa.array(large, kind)}))[:, 0]
    np.testing.assert_array_equal(made, [float(2**53 + 1), 1.6e18, np.nan])


def test_numbers_too_large_for_a_level_are_levels_that_training_never_saw():
    schema = Schema((Feature("code", ColumnKind.CATEGORY, ("1", "2")),), {}, {})
    found = schema.read(pa.table({"code": [1.0, 1e300]}))
    np.testing.assert_array_equal(found.X[:, 0], [0.0, np.nan])
    assert [caution.code for caution in found.cautions] == ["EN079"]


def test_long_spans_in_nanoseconds_are_read():
    schema = Schema((Feature("wait", ColumnKind.NUMBER),), {}, {})
    waits = pa.array([400 * 86_400 * 10**9 + 1, None], pa.duration("ns"))
    np.testing.assert_allclose(
        schema.encode(pa.table({"wait": waits}))[:, 0], [400 * 86_400, np.nan]
    )


def test_spans_of_time_are_seconds():
    schema = Schema((Feature("wait", ColumnKind.NUMBER),), {}, {})
    spans = pa.array([1500, None], pa.duration("ms"))
    np.testing.assert_array_equal(schema.encode(pa.table({"wait": spans})), [[1.5], [np.nan]])


def test_a_schema_reads_marks_of_another_table_as_in_training(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{k if k != 3 else '?'},{'ab?'[k % 3]},{'none' if k % 2 else 'X'},{k % 2}"
            for k in range(30)]  # fmt: skip
    path.write_text("\n".join(["size,kind,note,y", *rows]) + "\n")
    schema = read_training_table(path, target="y", missing="X", keep=["size", "note"]).schema
    assert schema.missing == ("X",)
    assert Schema.from_dict(schema.to_dict()) == schema
    new = tmp_path / "new.csv"
    new.write_text("size,kind,note\nunknown,?,none\nX,a,x\n")
    opened = open_training_table(new, missing=schema.missing, text=schema.texts)
    found = schema.read(opened)
    np.testing.assert_array_equal(found.X, [[np.nan, np.nan, 0.0], [np.nan, 0.0, np.nan]])
    assert found.cautions == ()


def test_every_column_of_a_new_table_that_is_not_numbers_is_named_at_once(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{k / 7},{k / 3},{k % 2}\n" for k in range(30)))
    schema = read_training_table(path, target="y").schema
    path.write_text("a,b\n1.5,2.5\nfew,2\n1,many\n")
    with pytest.raises(InputError) as raised:
        schema.read(open_training_table(path))
    assert "'few' in line 3" in raised.value.got
    assert "'many' in line 4" in raised.value.got
