"""The table door: files and frames become one matrix, and bad ones a clear message."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from earnest.core import Severity, Task
from earnest.errors import EarnestError, FormatError, InputError
from earnest.training import read_training_table
from tests.training.tune_tables import of

TABLE = of("relapse")


def codes(found) -> list[str]:
    return [caution.kind for caution in found.cautions]


@pytest.fixture(scope="module")
def expected():
    return read_training_table(TABLE, target="relapse")


def test_a_table_becomes_a_matrix_with_its_columns_and_cautions(expected):
    parts = ("seen: month", "seen: day", "seen: weekday", "seen: days since 1970")
    assert expected.schema.names == ("age", "sex", "marker", "smoker", *parts)
    assert expected.schema.columns == ("age", "sex", "marker", "smoker", "seen")
    assert expected.inputs.levels == (0, 2, 0, 2, 0, 0, 0, 0)
    assert expected.inputs.missing == (False, False, True, *[False] * 5)
    assert expected.X.shape == (90, 8)
    assert (expected.X[:, -1] == np.arange(90)).all()  # the first 90 days of 1970
    assert expected.task is Task.BINARY
    assert expected.classes == ("no", "yes")
    assert dict(expected.schema.left_out) == {
        "patient_id": "identifier",
        "site": "constant",
    }
    assert codes(expected) == ["identifiers_left_out", "empty_left_out", "columns_encoded"]
    assert (np.asarray(TABLE["relapse"]) == np.array(expected.classes)[expected.y]).all()


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.arrow", "semi.csv", "bom.csv"]
)
def test_every_format_gives_the_same_matrix(tmp_path, expected, name):
    path = tmp_path / name
    if name.endswith(".parquet"):
        pq.write_table(TABLE, path)
    elif name.endswith(".arrow"):
        with pa.ipc.new_file(path, TABLE.schema) as sink:
            sink.write_table(TABLE)
    else:
        sign = {"t.tsv": "\t", "semi.csv": ";"}.get(name, ",")
        sink = pa.BufferOutputStream()
        csv.write_csv(TABLE, sink, csv.WriteOptions(delimiter=sign))
        data = sink.getvalue().to_pybytes()
        data = data.replace(b".", b",") if name == "semi.csv" else data  # decimal commas too
        data = b"\xef\xbb\xbf" + data if name == "bom.csv" else data
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = read_training_table(path, target="relapse")
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.y, expected.y)
    assert found.schema == expected.schema
    assert found.source == name


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.from_arrow])
def test_frames_give_the_same_matrix(expected, frame):
    given = TABLE.to_pandas() if frame is pd.DataFrame else frame(TABLE)
    found = read_training_table(given, target="relapse")
    np.testing.assert_array_equal(found.X, expected.X)
    assert found.schema == expected.schema


def test_a_copy_of_the_outcome_under_other_names_is_left_out_with_a_caution(golden):
    cured = ["later" if one == "yes" else "never" for one in TABLE["relapse"].to_pylist()]
    found = read_training_table(TABLE.append_column("cured", pa.array(cured)), target="relapse")
    assert found.schema.left_out["cured"] == "copy of the outcome"
    (said,) = [c for c in found.cautions if "'cured'" in c.what]
    golden.check(said.what)
    golden.check(said.cure)
    assert (said.kind, said.severity) == ("copies_of_outcome_left_out", Severity.CAUTION)


def test_a_copy_of_the_outcome_that_the_user_keeps_stays():
    cured = pa.array([one == "yes" for one in TABLE["relapse"].to_pylist()])
    found = read_training_table(TABLE.append_column("cured", cured), target="relapse", keep="cured")
    assert "cured" in found.schema.names


def test_a_copy_of_numbers_is_one_only_if_all_are_equal():
    table = of("score")
    table = table.append_column("same", table["score"])
    near = table["score"].to_numpy().copy()
    near[-1] += 1.0
    found = read_training_table(table.append_column("near", pa.array(near)), target="score")
    assert "near" in found.schema.names
    assert found.schema.left_out["same"] == "copy of the outcome"


def test_a_copy_of_an_event_is_left_out():
    died = np.arange(60) % 3 == 0
    x = np.random.default_rng(0).normal(size=60)
    frame = pa.table({"x": x, "died": died, "dead": died.astype(int), "days": 1.0 + np.arange(60)})
    assert read_training_table(frame, time="days", event="died").schema.names == ("x",)


def test_a_table_whose_only_column_is_a_copy_of_the_outcome_is_refused(golden):
    y = np.arange(40) % 2
    with pytest.raises(InputError) as refusal:
        read_training_table(pa.table({"y": y, "z": 5 - y}), target="y")
    golden.check(str(refusal.value))


def test_columns_that_repeat_another_are_left_out():
    twice = TABLE.append_column("years", TABLE["age"])
    found = read_training_table(twice, target="relapse")
    assert found.schema.left_out["years"] == "repeated"
    assert "'years' (repeated, as age)" in " ".join(c.what for c in found.cautions)


def test_ignored_columns_are_left_out_without_a_caution(expected):
    found = read_training_table(
        TABLE, target="relapse", ignore=["seen", "site", "patient_id", "marker"]
    )
    assert found.schema.names == ("age", "sex", "smoker")
    assert codes(found) == []


def test_a_column_that_would_be_left_out_can_be_kept(golden):
    found = read_training_table(TABLE, target="relapse", keep="patient_id")
    assert found.schema.names[0] == "patient_id"
    assert found.inputs.levels[0] == 0
    named = TABLE.append_column("name", pa.array([f"n{i}" for i in range(90)]))
    assert read_training_table(named, target="relapse", keep=["name"]).inputs.levels[-1] == 90
    with pytest.raises(InputError) as caught:
        read_training_table(TABLE, target="relapse", keep="site")
    golden.check(str(caught.value))
    assert caught.value.got == "constant, only 'Graz'"
    dated = read_training_table(TABLE, target="relapse", keep="seen")
    assert dated.schema.names == read_training_table(TABLE, target="relapse").schema.names


def test_rows_without_an_outcome_are_counted(golden):
    gaps = TABLE.set_column(
        TABLE.column_names.index("relapse"), "relapse", pa.array([None, *TABLE["relapse"][1:]])
    )
    found = read_training_table(gaps, target="relapse")
    assert (found.n_rows, found.n_known, found.rows[0]) == (90, 89, 1)
    golden.check(found.cautions[-1].what)


def test_text_with_many_levels_is_left_out_with_a_note():
    wide = TABLE.append_column("town", pa.array([f"t{i % 40}" for i in range(90)]))
    found = read_training_table(wide, target="relapse")
    assert found.schema.left_out["town"] == "names"
    assert "names_left_out" in codes(found)


def test_an_identifier_with_several_rows_suggests_a_group(golden):
    rows = TABLE.set_column(0, "patient_id", pa.array(np.arange(90) // 3))
    found = read_training_table(rows, target="relapse")
    golden.check(found.cautions[0].cure)
    grouped = read_training_table(rows, target="relapse", group="patient_id")
    assert grouped.groups.tolist() == (np.arange(90) // 3).tolist()
    assert "patient_id" not in grouped.schema.left_out


def test_a_sample_is_the_same_rows_of_all_parts():
    whole = read_training_table(of("relapse", keep=("ward",)), target="relapse", group="ward")
    some = whole.sample(30, np.random.default_rng(1))
    np.testing.assert_array_equal(some.X, whole.X[some.rows])
    np.testing.assert_array_equal(some.y, whole.y[some.rows])
    assert some.inputs.n_cases == some.n_cases == 30
    kept = whole.groups[some.rows]
    assert some.groups.tolist() == np.unique(kept, return_inverse=True)[1].tolist()


def test_most_rows_samples_before_anything_is_encoded(expected):
    found = read_training_table(TABLE, target="relapse", most_rows=40, rng=np.random.default_rng(2))
    assert abs(found.n_cases - 40) <= 1
    assert (found.n_rows, found.n_known) == (90, 90)
    np.testing.assert_array_equal(found.X, expected.X[found.rows])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "'t.csv' is empty"),
        (b"a,b\n", "the table is empty"),
        (b"a,relapse\n1,2\n1,2,3\n", "lines with another number of fields"),
        (b"gr\x81\xf6,relapse\n1,2\n", "'t.csv' is not UTF-8"),
        (b"6,148,relapse\n1,2\n3;4,5\n", "has different columns from the lines below"),
        (b"relapse a b\n1 2 3\n", "'t.csv' has only one column"),
        (b"a,a,relapse\n1,2,3\n2,3,4\n", "column names are not unique"),
        (b"relapse\nyes\nno\n", "no features are left"),
        (b"a,relapse\n1,yes\n1,no\n", "no features are left"),
        (b"PAR1xxxx", "'t.csv' is a Parquet file"),
    ],
)
def test_files_that_are_no_table_are_refused(tmp_path, data, message):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(EarnestError) as caught:
        read_training_table(path, target="relapse")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope.csv", "there is no file"),
        ("t.xls", "extension.* as .xlsx or CSV"),
        ("t.csv.zip", "extension.* Unpack it first"),
        ("t.dat", "extension.* end in .csv"),
        (".", "is a folder"),
    ],
)
def test_paths_that_are_no_table_are_refused(tmp_path, name, message):
    for other in ("t.xls", "t.csv.zip", "t.dat"):
        (tmp_path / other).write_bytes(b"x")
    with pytest.raises(FormatError, match=message):
        read_training_table(tmp_path / name, target="y")


def test_columns_that_pandas_numbered_are_named_by_their_numbers():
    import pandas as pd

    x = np.random.default_rng(0).normal(size=(40, 3))
    frame = pd.DataFrame(x).assign(y=np.tile([0, 1], 20))
    assert read_training_table(frame, target="y", ignore=[0]).schema.names == ("1", "2")
    assert read_training_table(frame, target="y", ignore=1).schema.names == ("0", "2")
    assert read_training_table(frame, target=2).schema.roles == {"target": "2"}
    with pytest.raises(EarnestError, match="there is no '9'"):
        read_training_table(frame, target=9)


def test_roles_must_be_different_columns(golden):
    with pytest.raises(InputError) as refusal:
        read_training_table(TABLE, target="relapse", group="relapse")
    golden.check(str(refusal.value))


def test_a_group_that_is_one_is_refused():
    with pytest.raises(InputError, match="at least two groups"):
        read_training_table(TABLE, target="relapse", group="site")


def test_unicode_and_odd_names_are_columns_as_well():
    table = pa.table({"größe 😀": [1.0, 2, 3, 4], "a\nb": [4.0, 3, 1, 1], "y": [0, 1, 0, 1]})
    assert read_training_table(table, target="y").schema.names == ("größe 😀", "a\nb")


def test_an_error_names_every_column_that_cannot_be_read_with_a_cell_and_its_line(tmp_path):
    n = 40
    rows = [f'{k},"{k + 1},{100 + k}",{"abc" if k == 7 else k / 3},{k % 2}' for k in range(n)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["size,price,mass,relapse", *rows]) + "\n")
    with pytest.raises(InputError) as raised:
        read_training_table(path, target="relapse")
    assert "'price'" in raised.value.got
    assert "'1,100' in line 2" in raised.value.got
    assert "'mass'" in raised.value.got
    assert "'abc' in line 9" in raised.value.got
    read = read_training_table(path, target="relapse", thousands=",", missing="abc")
    assert read.schema.names == ("price", "mass")
    assert np.isnan(read.X[7, 1])
    assert (
        read_training_table(path, target="relapse", ignore=["price", "mass"], keep="size").X.shape[
            1
        ]
        == 1
    )


def test_codes_with_leading_zeros_are_categories(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{k % 7:05d},{k / 3:.2f},{k % 2}" for k in range(60)]
    path.write_text("\n".join(["zip,mass,relapse", *rows]) + "\n")
    read = read_training_table(path, target="relapse")
    zip_code, mass = read.schema.features
    assert (zip_code.kind, mass.kind) == ("category", "number")
    assert zip_code.levels == tuple(f"{k:05d}" for k in range(7))
    assert "digits_read_as_codes" in {caution.kind for caution in read.cautions}
