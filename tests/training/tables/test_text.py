"""Text tables as people have them: separators, encodings, and first lines without names."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import earnest as en
from earnest.core import find_separator
from earnest.errors import EarnestError, FormatError, InputError
from earnest.training import open_training_table

ROWS = [("München", 1.5, "ja"), ("Köln", 2.25, "nein"), ("Bern", -0.5, "ja")]


def text(sign: str, decimal: str = ".", head: str = "Stadt|Größe|krank") -> str:
    lines = [head.replace("|", sign)]
    lines += [sign.join((a, str(b).replace(".", decimal), c)) for a, b, c in ROWS]
    return "\n".join(lines) + "\n"


def same(path) -> None:
    columns = open_training_table(path)
    assert (columns.source, columns.names) == (path.name, ("Stadt", "Größe", "krank"))
    assert columns.array("Größe").tolist() == [1.5, 2.25, -0.5]
    assert columns.array("Stadt").tolist() == ["München", "Köln", "Bern"]


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.tsv", "t.csv.gz"])
@pytest.mark.parametrize(
    ("sign", "decimal"), [(",", "."), (";", ","), (";", "."), ("\t", ","), ("|", ".")]
)
def test_what_separates_the_columns_is_seen_whatever_the_suffix(tmp_path, name, sign, decimal):
    data = text(sign, decimal).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    same(path)


@pytest.mark.parametrize(
    ("encoding", "codes"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        ("utf-16", []),
        ("latin-1", ["read_as_windows_1252"]),
        ("cp1252", ["read_as_windows_1252"]),
    ],
)
def test_encodings_of_spreadsheets_are_read(tmp_path, encoding, codes):
    path = tmp_path / "t.csv"
    path.write_bytes(text(";", ",").encode(encoding))
    same(path)
    found = open_training_table(path).notes
    assert [one.kind for one in found] == codes
    assert all("'Größe', for example" in one.what for one in found)


@pytest.mark.parametrize(
    ("lines", "sign"),
    [
        (["a;b, c;d", "1;2;3"], ";"),
        (["a;b", "1,5;2,5", "3;4"], ";"),
        (["a,b", "1;2,3"], ","),
        (['a,"b;c;d"', '1,"2;3"', '2,"x\n;y"'], ","),
        (["a\tb, c", "1\t2", "3\t4, 5"], "\t"),
        (["alone", "1", "2"], None),
        (["a,b", "1,2,3"], None),
        ([], None),
    ],
)
def test_the_separator_stands_in_every_line_equally_often(lines, sign):
    assert find_separator("\n".join(lines)) == sign


def test_a_line_that_the_look_cuts_in_two_does_not_count(monkeypatch):
    monkeypatch.setattr("earnest.core.tables.formats.text.LOOKED_AT", 20)
    assert find_separator("a;b;c\n1;2;3\n4;5;6\n7;8") == ";"


def test_a_line_that_tells_the_separator_is_no_row(tmp_path):
    path = tmp_path / "t.csv"
    for start in (b"sep=;\n", b"\xef\xbb\xbfSEP=;\r\n"):
        path.write_bytes(start + text(";", ",").encode())
        same(path)


def test_spaces_around_names_and_texts_do_not_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a , y, note \n 1.5, yes ,  \n2.5,yes,x y\n 3.5,no,\n")
    columns = open_training_table(path)
    assert columns.names == ("a", "y", "note")
    assert columns.array("a").tolist() == [1.5, 2.5, 3.5]
    assert columns.arrow("y").to_pylist() == ["yes", "yes", "no"]
    assert columns.arrow("note").to_pylist() == [None, "x y", None]


def test_empty_columns_without_a_name_are_no_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;;\n1;2;;\n3;4;;\n")
    assert open_training_table(path).names == ("a", "b")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("# of 2024\na,b,y\n1,2,x\n3,4,z\n", "has different columns from the lines below"),
        ("a,b\nr1,1,2\nr2,3,4\n", "has different columns from the lines below"),
        ("Study,,\na,b,y\n1,2,x\n", "2 columns of 't.csv' have no name"),
        ("a b y\n1 2 x\n3 4 z\n", "has only one column"),
    ],
)
def test_a_title_and_columns_that_are_not_separated_are_told(tmp_path, data, what):
    path = tmp_path / "t.csv"
    path.write_text(data)
    with pytest.raises(FormatError) as raised:
        open_training_table(path)
    assert what in raised.value.what
    assert raised.value.cure


def test_a_delimiter_that_is_said_is_taken(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a b y\n1 2 x\n3 4 z\n")
    assert open_training_table(path, delimiter=" ").names == ("a", "b", "y")


NO_NAMES = {
    "numbers": "6,148,0.5\n1,85,0.3\n8,183,0.6\n",
    "the same twice": "0,0,1\n0,1,0\n1,0,1\n",
    "words": "5.7,Present,1\n2.1,Absent,0\n3.3,Present,1\n",
    "dates": "2020-01-01,3,no\n2020-01-02,4,yes\n2020-01-03,5,no\n",
    "true and false": "true,1.5\nfalse,2.5\ntrue,3.5\n",
}


@pytest.mark.parametrize("data", NO_NAMES.values(), ids=NO_NAMES.keys())
def test_a_first_line_like_the_others_is_refused(tmp_path, data, golden):
    path = tmp_path / "t.csv"
    path.write_text(data)
    with pytest.raises(FormatError) as raised:
        open_training_table(path)
    golden.check(str(raised.value))
    golden.check(raised.value.cure)


@pytest.mark.parametrize(
    "data",
    [
        "0,1,2,3\n5,6,7,1\n5,6,7,0\n",
        "400,402,404,kind\n.1,.2,.3,a\n.2,.3,.4,b\n",
        "400,402,404\n.1,.2,.3\n.2,.3,.4\n",
        "x,2\n1,2\n2,3\n",
        ",a\n0,5\n1,6\n",
        "sex,outcome\nm,yes\nf,no\n",
        "2019,2020,name\n1,2,a\n1,3,b\n",
    ],
)
def test_names_that_are_numbers_stay_names(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_text(data)
    assert open_training_table(path).names == tuple(data.splitlines()[0].split(","))


@pytest.mark.parametrize(
    ("given", "got", "cure"),
    [
        (np.zeros((5, 3)), "numpy.ndarray of shape (5, 3)", "pandas.DataFrame(X)"),
        ([[1, 2], [3, 4]], "list", "pandas.DataFrame(X)"),
        ((np.zeros((5, 3)), np.zeros(5)), "tuple", "pandas.DataFrame(X)"),
        (None, "NoneType", "pandas.DataFrame(X)"),
    ],
)
def test_what_has_no_named_columns_is_refused_with_the_way_to_make_some(given, got, cure, golden):
    with pytest.raises(InputError) as raised:
        en.tune(given, target="y")
    golden.check(raised.value.what)
    assert raised.value.got == got
    assert cure in raised.value.cure


def test_a_lazy_frame_and_an_open_file_are_told_what_to_do(tmp_path):
    import polars as pl

    with pytest.raises(InputError, match="Collect it first"):
        open_training_table(pl.LazyFrame({"a": [1]}))
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with path.open() as file, pytest.raises(EarnestError, match="Pass the path"):
        open_training_table(file)
