"""Marks of missing values: where they are missing, where they are values, and what is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from earnest import Predictions, Scores
from earnest.core import LISTED, MARKS, ColumnFault, make_faults_error
from earnest.errors import InputError
from earnest.training import open_training_table
from tests.snapshots import Golden


def write(folder: Path, cells: list[str], name: str = "x", sign: str = ",") -> Path:
    path = folder / "t.csv"
    rows = "".join(f'"{cell}"{sign}{row % 2}\n' for row, cell in enumerate(cells))
    path.write_text(f"{name}{sign}z\n{rows}", encoding="utf-8")
    return path


def values(path: Path, **options: object) -> list[object]:
    return list(open_training_table(path, **options).arrow("x").to_pylist())  # type: ignore[arg-type]


@pytest.mark.parametrize("mark", [*(m for m in MARKS if m != "nan"), "N.A.", "NONE", " ? "])
def test_a_mark_among_numbers_is_missing_with_a_note_that_counts_it(
    tmp_path: Path, mark: str
) -> None:
    opened = open_training_table(write(tmp_path, ["1", mark, "2.5", mark]))
    assert opened.arrow("x").to_pylist() == [1.0, None, 2.5, None]
    (note,) = opened.notes
    assert (note.code, note.severity) == ("EN121", "note")
    assert f"'x' has {mark.strip()!r} in 2 cells" in note.what


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234.50", "?", "12"], [1234.5, None, 12.0]),
        (["45 %", "-", "5 %"], [0.45, None, 0.05]),
        (["$12.50", "none", "$3"], [12.5, None, 3.0]),
        (["0,5", "N.A.", "1,25"], [0.5, None, 1.25]),
        (["+3", "missing", "4"], [3, None, 4]),
    ],
)
def test_a_mark_among_numbers_as_people_write_them_is_missing(
    tmp_path: Path, cells: list[str], numbers: list[float | None]
) -> None:
    read = np.array(values(write(tmp_path, cells)), dtype=float)
    np.testing.assert_allclose(read, np.array(numbers, dtype=float), rtol=1e-15)


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["2024-01-02", "unknown", "2024-03-01"], ["2024-01-02", None, "2024-03-01"]),
        (["24.12.2025", "-", "1.1.2026"], ["24.12.2025", None, "1.1.2026"]),
        (["red", "?", "none", "-", "unknown"], ["red", None, "none", "-", "unknown"]),
        (["red", ".", "N.A.", "*"], ["red", None, None, "*"]),
        (["red", ".", "n.a."], ["red", None, None]),
        (["+", "-", "?"], ["+", "-", "?"]),
        (["Na", "K", "Ca"], ["Na", "K", "Ca"]),
        (["none", "unknown"], ["none", "unknown"]),
        (["1", "none", "A"], ["1", "none", "A"]),
        (["?", "?"], [None, None]),
    ],
)
def test_among_text_only_marks_that_are_no_level_are_missing(
    tmp_path: Path, cells: list[str], read: list[str | None]
) -> None:
    assert values(write(tmp_path, cells)) == read


def test_what_the_user_calls_missing_is_so_in_every_column(tmp_path: Path) -> None:
    assert values(write(tmp_path, ["1", "-9", "3", "k.A."]), missing=["-9", "K.a."]) == [
        1,
        None,
        3,
        None,
    ]
    assert values(write(tmp_path, ["red", "none"]), missing="none") == ["red", None]
    frame = pd.DataFrame({"x": [1.0, 999.0], "z": ["999", "b"]})
    columns = open_training_table(frame, missing=[999])
    assert columns.arrow("x").to_pylist() == [1.0, None]
    assert columns.arrow("z").to_pylist() == [None, "b"]
    for wrong in ("", [None], [True], [" "]):
        with pytest.raises(InputError, match="`missing`"):
            open_training_table(frame, missing=wrong)  # type: ignore[arg-type]


def test_frames_and_other_files_are_read_alike(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": ["1", "?", "2.5"], "z": ["a", "none", "?"]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for source in (frame, tmp_path / "t.parquet", tmp_path / "t.jsonl"):
        opened = open_training_table(source)
        assert opened.arrow("x").to_pylist() == [1.0, None, 2.5]
        assert opened.arrow("z").to_pylist() == ["a", "none", None]
        assert [note.code for note in opened.notes] == ["EN121"]


def test_predictions_and_scores_take_the_same_marks(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = [f"{k % 2},{k // 2},0.{k + 1},{('-', '-', 0.55, 0.25)[k // 2]}" for k in range(8)]
    path.write_text("\n".join(["y,fold,a,b", *rows]) + "\n")
    pi = Predictions.load(path)
    assert np.isnan(pi.responses[:4, 1]).all()
    assert "EN121" in {remark.code for remark in pi.remarks}
    assert np.isnan(Predictions.load(path, missing="0.55").responses[:6, 1]).all()
    labels = pd.DataFrame({"y": ["?", "1"] * 4, "fold": [0, 1] * 4, "a": ["?", "1", "1", "1"] * 2})
    assert Predictions.from_frame(labels, positive="1").target.classes == ("?", "1")
    frame = pd.read_csv(path)
    assert np.isnan(Predictions.from_frame(frame).responses[:4, 1]).all()
    path.write_text(
        "item,a,b\n" + "".join(f"q{k},{k % 2},{'?' if k == 3 else 1}\n" for k in range(8))
    )
    assert np.isnan(Scores.load(path).values[3, 1]).all()
    assert np.isnan(Scores.load(path, missing="1").values[0, 1]).all()


@pytest.mark.parametrize("mark", ["NA", "n/a", "nan", "NaN", "#N/A", "NULL"])
@pytest.mark.parametrize("others", [["1", "2.5"], ["low", "high"], ["true", "false"]])
def test_what_the_parser_reads_as_missing_is_told_too(
    tmp_path: Path, mark: str, others: list[str]
) -> None:
    path = tmp_path / "t.csv"
    cells = [others[0], mark, "", others[1], mark]
    path.write_text("x,z\n" + "".join(f"{cell},{row % 2}\n" for row, cell in enumerate(cells)))
    opened = open_training_table(path)
    assert opened.arrow("x").null_count == 3  # the empty cell is no mark
    (note,) = opened.notes
    assert note.code == "EN121"
    assert f"'x' has {mark!r} in 2 cells" in note.what
    path.write_text(f'x,z\nNAtrium,0\n"{mark}",1\nUNANIMOUS,0\n')  # quoted: it is text
    assert not [note for note in open_training_table(path).notes if mark in note.what]


def test_a_mark_among_groups_is_named_with_its_line(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{k},{'?' if k == 5 else f'g{k % 4}'},{'yes' if k % 2 else 'no'}" for k in range(20)]
    path.write_text("\n".join(["x,clinic,y", *rows]) + "\n")
    with golden.raises(InputError):
        open_training_table(path).complete_codes("clinic")


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (["07", *map(str, range(20, 80))], False),  # one typing error among numbers
        (["-06", "12", "030"], False),
        (["+06", "12"], False),
        (["0123", *map(str, range(1000, 1060))], True),  # one postal code of many
        (["07", "08", "12", "1"], True),
        (["007", *map(str, range(20, 80))], True),
        (["0", "1", "0"], False),
        (["01", "02", "01"], True),
    ],
)
def test_digits_are_codes_by_one_rule(tmp_path: Path, cells: list[str], codes: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,z\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells)))
    for content in (path.read_text(), path.read_text() + "?,1\n"):
        path.write_text(content)
        read = [value for value in values(path) if value is not None]
        assert read == (cells if codes else [int(cell) for cell in cells])


@pytest.mark.parametrize("sign", [",", ";"])
def test_digits_with_leading_zeros_are_codes_in_every_part(tmp_path: Path, sign: str) -> None:
    path = write(tmp_path, ["00123", "4567", "00042"], sign=sign)
    opened = open_training_table(path)
    assert opened.arrow("x").to_pylist() == ["00123", "4567", "00042"]
    assert [note.code for note in opened.notes] == ["EN121"]
    assert "'00123'" in opened.notes[0].what
    assert values(write(tmp_path, ["0", "10", "0.5"], sign=sign)) == [0, 10, 0.5]
    assert values(write(tmp_path, ["00123", "?", "7"], sign=sign)) == ["00123", None, "7"]
    grouped = tmp_path / "g.csv"
    lines = [sign.join(("y", "fold", "a", "group", "id"))]
    lines += [sign.join((str(k % 2), "0", f"0.{k}5", f"0{k // 2}", f"00{k}")) for k in range(8)]
    grouped.write_text("\n".join(lines) + "\n")
    target = Predictions.load(grouped).target
    assert target.ids is not None
    assert target.ids.tolist() == [f"00{k}" for k in range(8)]
    assert target.groups is not None
    assert target.groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_row_is_named_by_its_line_whatever_stands_above_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('sep=;\nx;z\n\n1;"two\nlines"\n2;b\n"12,573";c\n')
    columns = open_training_table(path)
    assert columns.name_row(0) == "line 4"  # the third line is empty
    assert columns.name_row(1) == "line 6"  # a text has two lines
    assert open_training_table(pd.DataFrame({"x": [1]})).name_row(0) == "row 1"


def test_an_error_names_every_column_up_to_a_limit() -> None:
    faults = [ColumnFault(f"c{k}", "has text", value="'x'", row=k) for k in range(LISTED + 3)]
    text = str(make_faults_error(faults))
    assert text.count("has text") == LISTED
    assert "and 3 more" in text


@pytest.mark.parametrize("name", ["id", "row_id"])
def test_names_of_cases_in_a_frame_are_never_missing(name: str) -> None:
    frame = pd.DataFrame(
        {name: [".", "?", "a", "00"], "y": [0, 1, 0, 1], "m": [0.1, 0.8, 0.3, 0.9]}
    )
    ids = Predictions.from_frame(frame, fold=None).target.ids
    assert ids is not None
    assert ids.tolist() == [".", "?", "a", "00"]
