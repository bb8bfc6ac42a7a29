"""`earnest predict`: a row for each row, or a clear refusal."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import earnest as en
from tests.core.base.test_writing import full_disk
from tests.snapshots import Golden
from tests.training.tune_tables import of, portfolio


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    en.tune(
        of("relapse"), target="relapse", out=folder / "run", portfolio=portfolio(folder),
        n_configs=2, folds=3, rng=7, n_jobs=1,
    )  # fmt: skip
    return folder


@pytest.fixture
def here(made, monkeypatch):
    monkeypatch.chdir(made)
    csv.write_csv(of("relapse").drop_columns(["relapse"]).slice(0, 4), "new.csv")
    return made


def test_a_row_for_each_row_in_its_order(run, here):
    done = run("predict", "run", "new.csv")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith('"row","prediction",')
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2", "3", "4"]
    assert {line.split(",")[1] for line in lines[1:]} <= {'"no"', '"yes"'}


def test_json_has_the_rows_and_the_cautions(run, here):
    said = json.loads(run("predict", "run/", "new.csv", "--json").out)
    assert said["n_rows"] == 4
    assert said["rows"]["row"] == [1, 2, 3, 4]
    assert said["cautions"] == []
    assert said["task"] == "binary"


def test_an_interval_adds_a_set_of_classes_to_each_row(run, here, golden: Golden):
    said = json.loads(run("predict", "run", "new.csv", "--interval", "0.9", "--json").out)
    assert said["interval"] == 0.9
    assert list(said["rows"])[-2:] == ["set_no", "set_yes"]
    sets = [said["rows"][name] for name in ("set_no", "set_yes")]
    assert all(map(any, zip(*sets, strict=True)))
    lines = run("predict", "run", "new.csv", "--interval", "0.9").out.splitlines()
    assert lines[0].endswith('"p_no","p_yes","set_no","set_yes"')
    done = run("predict", "run", "new.csv", "--interval", "90")
    assert (done.code, done.out) == (2, "")
    golden.check(done.err)
    done = run("predict", "run", "new.csv", "--interval", "0.999")
    assert (done.code, done.out) == (2, "")
    golden.check(done.err)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_out_writes_a_table_and_nothing_else(run, here, name):
    done = run("predict", "run", "new.csv", "--out", name)
    assert (done.code, done.out, done.err) == (0, "", f"wrote: 4 rows to {name}\n")
    table = csv.read_csv(name) if name.endswith(".csv") else pq.read_table(name)
    assert table["row"].to_pylist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["kept.csv", "kept.parquet"])
def test_a_file_that_is_there_is_replaced_only_when_that_is_said(run, here, name):
    (here / name).write_bytes(b"all there is")
    done = run("predict", "run", "new.csv", "--out", name)
    assert (done.code, done.out) == (2, "")
    assert f"'{name}' already exists" in done.err
    assert "--overwrite" in done.err
    assert (here / name).read_bytes() == b"all there is"
    assert run("predict", "run", "new.csv", "--out", name, "--overwrite").code == 0
    table = csv.read_csv(name) if name.endswith(".csv") else pq.read_table(name)
    assert table["row"].to_pylist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["full.csv", "full.parquet"])
def test_a_full_disk_spares_the_predictions_that_were_there(run, here, name):
    (here / name).write_bytes(b"all there is")
    before = sorted(here.iterdir())
    with full_disk():
        done = run("predict", "run", "new.csv", "--out", name, "--overwrite")
    assert (done.code, "cannot be written" in done.err) == (2, True)
    assert (here / name).read_bytes() == b"all there is"
    assert sorted(here.iterdir()) == before


def test_a_column_may_name_the_rows(run, here, golden: Golden):
    names = csv.read_csv("new.csv")["patient_id"].to_pylist()
    said = json.loads(run("predict", "run", "new.csv", "--id", "patient_id", "--json").out)
    assert list(said["rows"])[:3] == ["row", "patient_id", "prediction"]
    assert said["rows"]["patient_id"] == names
    dates = run("predict", "run", "new.csv", "--id", "seen").out.splitlines()
    assert dates[0].startswith('"row","seen","prediction",')
    assert dates[1].split(",")[1].count("-") == 2
    model, other = (
        en.load_model("run"),
        csv.read_csv("new.csv").rename_columns({"patient_id": "prediction"}),
    )
    with golden.raises(en.errors.InputError):
        model.predict(other, id="prediction")


def test_unknown_levels_and_extra_columns_are_told_on_standard_error(run, here, golden):
    table = csv.read_csv("new.csv")
    place = table.column_names.index("sex")
    other = table.set_column(place, "sex", pa.array(["x"] * 4)).append_column("z", [[1, 2, 3, 4]])
    csv.write_csv(other, "odd.csv")
    done = run("predict", "run", "odd.csv")
    assert done.code == 0
    golden.check(done.err)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["nowhere", "new.csv"],
            "there is no model in 'nowhere'. Expected a folder that `earnest tune` wrote, with "
            "'model.skops', or that file, got no such file.",
        ),
        (
            ["run", "none.csv"],
            "there is no file 'none.csv'. Expected a table: .csv, .csv.gz, .tsv, .txt, .parquet, "
            ".arrow, .feather, .jsonl, .jsonl.gz, .ndjson, .xlsx, .xlsm. Did you mean 'new.csv'?",
        ),
        (
            ["new.csv", "run"],
            "'new.csv' is a table, not a model. Expected a folder that `earnest tune` wrote, "
            "with 'model.skops', or that file. Pass the run first, then the table: earnest "
            "predict run/ new.csv.",
        ),
        (
            ["run", "new.csv", "--id", "patient"],
            "--id names no column: there is no 'patient'. Expected 'patient_id', 'age', 'sex', "
            "'marker', 'smoker', 'seen', 'site'. Did you mean 'patient_id'?",
        ),
        (
            ["run", "new.csv", "--out", "out.txt"],
            "--out has an unsupported file extension. Expected a name that ends in .csv or "
            ".parquet, got out.txt.",
        ),
        (
            ["run", "new.csv", "--out", "no/out.csv"],
            "there is no folder 'no'. Create it first.",
        ),
        (
            ["run", "new.csv", "--out", "new.csv"],
            "--out is the table itself. Expected another file, got new.csv.",
        ),
    ],
)
def test_what_cannot_be_predicted_is_refused_in_one_line(run, here, args, message):
    done = run("predict", *args)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_other_columns_and_types_are_refused_with_their_names(run, here, golden):
    table = csv.read_csv("new.csv")
    csv.write_csv(table.drop_columns(["age"]), "less.csv")
    less = run("predict", "run", "less.csv")
    assert less.code == 2
    golden.check(less.err)
    place = table.column_names.index("age")
    csv.write_csv(table.set_column(place, "age", pa.array(["1", "2", "old", "4"])), "text.csv")
    text = run("predict", "run", "text.csv")
    assert (text.code, text.out) == (2, "")
    assert "column 'age'" in text.err
    assert "'old' in line 4" in text.err
    told = run("predict", "run", "text.csv", "--missing", "old")
    assert told.code == 0, told.err


def test_survival_at_times_is_written_beside_the_risk_and_refused_for_classes(
    run, tmp_path, monkeypatch, made, golden: Golden
):
    monkeypatch.chdir(tmp_path)
    columns = {"days": [float(k) for k in range(1, 41)], "died": [k % 3 > 0 for k in range(40)]}
    csv.write_csv(pa.table({"x": [k * 7 % 13 / 4 for k in range(40)], **columns}), "t.csv")
    asked = ("--n-configs", "1", "--folds", "3", "--rng", "1", "--n-jobs", "1", "--out", "r")
    assert run("tune", "t.csv", "--time", "days", "--event", "died", *asked).code == 0
    lines = run("predict", "r", "t.csv", "--at", "30", "--at", "5.5").out.splitlines()
    assert lines[0] == '"row","risk","survival_5.5","survival_30"'
    assert len(lines) == 41
    for refused in (("r", "t.csv", "--at", "400"), ("r", "t.csv", "--at", "0")):
        done = run("predict", *refused)
        assert (done.code, done.out) == (2, "")
        golden.check(done.err)
    monkeypatch.chdir(made)
    done = run("predict", "run", "new.csv", "--at", "5")
    assert (done.code, done.out) == (2, "")
    golden.check(done.err)
