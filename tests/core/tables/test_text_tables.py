"""Text tables of others are read alike as predictions, as data to learn from and as trials."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from earnest import Predictions, trials_from
from earnest.errors import FormatError, InputError
from earnest.training import open_training_table

ROWS = [("müde", 1, 0.125), ("wach", 1, 0.75), ("müde", 2, 0.25), ("wach", 2, 1.5)]


def text(sign: str = ",", decimal: str = ".") -> str:
    rows = [sign.join((y, str(fold), str(s).replace(".", decimal))) for y, fold, s in ROWS]
    return "\n".join([sign.join(("y", "fold", "svm")), *rows]) + "\n"


def same(path: Path, **options: Any) -> Predictions:
    """Return the predictions of a file, once both doors have read the same in it."""
    pi = Predictions.load(path, positive="wach", **options)
    opened = open_training_table(path, **options)
    assert opened.names == ("y", "fold", "svm")
    assert opened.array("svm").tolist() == pi.responses[:, 0, 0].tolist()
    assert pi.responses[:, 0, 0].tolist() == [0.125, 0.75, 0.25, 1.5]
    assert pi.target.classes == ("müde", "wach")
    assert [one.kind for one in pi.remarks] == [one.kind for one in opened.notes]
    return pi


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.tsv", "t.csv.gz", "T.CSV"])
@pytest.mark.parametrize(
    ("sign", "decimal"), [(",", "."), (";", ","), (";", "."), ("\t", ","), ("|", ".")]
)
def test_predictions_are_read_whatever_separates_them(tmp_path, name, sign, decimal):
    data = text(sign, decimal).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert same(path).remarks == ()


@pytest.mark.parametrize(
    ("encoding", "codes"),
    [
        ("utf-8-sig", []),
        ("utf-16", []),
        ("latin-1", ["read_as_windows_1252"]),
        ("cp1252", ["read_as_windows_1252"]),
    ],
)
def test_predictions_in_the_encodings_of_spreadsheets_are_read(tmp_path, encoding, codes):
    path = tmp_path / "t.csv"
    path.write_bytes(text(";", ",").encode(encoding))
    pi = same(path)
    assert [one.kind for one in pi.remarks] == codes
    kept = Predictions.load(pi.save(tmp_path / "kept.csv"))
    assert kept.remarks == pi.remarks
    assert kept.fingerprint == pi.fingerprint


def test_a_line_that_tells_the_separator_is_no_row_of_predictions(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=;\r\n" + text(";", ","))
    same(path)


def test_a_delimiter_that_is_said_is_taken_by_both(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(text(" "))
    same(path, delimiter=" ")


def test_spaces_around_names_and_labels_do_not_count_and_names_of_cases_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(" row_id , y ,fold, svm \n 01, no ,1, .5\n 2,yes,1,.25 \n")
    pi = Predictions.load(path, positive="yes")
    assert (pi.configs.ids, pi.target.classes) == (("svm",), ("no", "yes"))
    assert pi.target.ids is not None
    assert pi.target.ids.tolist() == ["01", "2"]


@pytest.mark.parametrize(
    "data", [b"", b"\n \n", b"\xef\xbb\xbf", b"\xff\xfe", b"sep=;\n", b"\0\0\0"]
)
def test_a_file_without_text_is_empty(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="is empty"):
        Predictions.load(path)


@pytest.mark.parametrize("data", ["y,fold,svm", "y,fold,svm\n", "y\n"])
def test_names_alone_are_a_table_without_rows(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_text(data)
    with pytest.raises(InputError, match="the table is empty"):
        Predictions.load(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  \n",
        b"Trial 7\ny,fold,a\n0,1,0.5\n1,1,0.6\n",
        b"0,1,0.5\n1,1,0.6\n0,2,0.7\n",
        b"y fold a\n0 1 0.5\n1 1 0.6\n",
        b"y,,\n0,1,0.5\n1,1,0.6\n",
        b"y,fold,a\n\x81\x8d,1,0.5\n",
        b"y,fold,a\n0,1,0.5\n1,1\n",
    ],
)
def test_both_doors_refuse_in_the_same_words(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    doors: list[Callable[[Path], Any]] = [Predictions.load, open_training_table]
    found = []
    for door in doors:
        with pytest.raises(FormatError) as raised:
            door(path)
        found.append(str(raised.value))
    assert found[0] == found[1]


def test_the_table_of_saved_predictions_is_data_to_learn_from_too(tmp_path):
    y = np.arange(12) % 2
    pi = Predictions.from_arrays(y, np.linspace(0, 1, 12), y, configs=["svm, linear"])
    names = {
        suffix: open_training_table(pi.save(tmp_path / f"pi.{suffix}")).names
        for suffix in ("csv", "tsv", "parquet")
    }
    assert set(names.values()) == {("y", "fold", "svm, linear")}


def test_trials_are_read_as_tables_are(tmp_path):
    path = tmp_path / "trials.csv"
    rows = "".join(f"{k / 4};{k / 8}\n" for k in range(20))
    path.write_bytes(("größe;objective\n" + rows).replace(".", ",").encode("cp1252"))
    trials = trials_from(path, direction="maximize")
    assert [one["größe"] for one in trials.configs][:2] == [0.0, 0.25]


@pytest.mark.parametrize("sign", [",", ";"])
def test_a_ragged_line_is_named_with_the_fields_it_has_and_should_have(tmp_path, sign):
    rows = [["a", "b", "y"], ["1", '"two\nlines"', "0"], ["1", "2"], ["1", "2", "0", "4"]]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(sign.join(row) for row in rows) + "\n")
    for read in (open_training_table, Predictions.load):
        with pytest.raises(FormatError, match="number of fields") as raised:
            read(path)
        assert "3 fields" in raised.value.needs
        assert raised.value.got == "2 in line 4, 4 in line 5"


def test_a_quotation_mark_that_is_never_closed_is_named_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    for text in ('a,b,"\n1,2,3\n4,5,6\n', 'a,b,c\n1,2,3\n4,"5,6\n'):
        path.write_text(text)
        with pytest.raises(FormatError) as raised:
            Predictions.load(path)
        if text.startswith("a,b,c"):
            assert raised.value.got == "2 in line 3"  # as ragged as it looks
        else:
            assert raised.value.got == "one in line 1"


def test_all_names_that_stand_there_twice_are_listed_with_their_places(tmp_path, golden):
    path = tmp_path / "t.csv"
    path.write_text("a,b,a,c,b,a\n1,2,3,4,5,6\n")
    frame = pd.DataFrame([[1, 2, 3, 4, 5, 6]], columns=list("abacba"))
    for source in (path, frame):
        with pytest.raises(InputError, match="not unique") as raised:
            open_training_table(source)
        golden.check(raised.value.got)
