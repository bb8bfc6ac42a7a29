"""Excel workbooks read like the CSV file of the same table."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import earnest as en
from earnest.core.tables.formats import expanding
from earnest.core.tables.formats.excel import read_excel
from earnest.errors import FormatError

RNG = np.random.default_rng(3)
N = 40
TABLE = pd.DataFrame(
    {
        "row_id": [f"p{i}" for i in range(N)],
        "y": np.tile([0, 1], N // 2),
        "fold": np.arange(N) // 2 % 5,
        "svm": RNG.random(N).round(6),  # Excel keeps 15 digits
        "forest": RNG.random(N).round(6),  # Excel keeps 15 digits
    }
)


def write(path: Path, **sheets: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_predictions_in_a_workbook_are_those_of_the_csv_file(tmp_path: Path) -> None:
    TABLE.to_excel(tmp_path / "pi.xlsx", index=False)
    TABLE.to_csv(tmp_path / "pi.csv", index=False)
    found, wanted = (en.Predictions.load(tmp_path / f"pi.{end}") for end in ("xlsx", "csv"))
    assert found.fingerprint == wanted.fingerprint
    assert found.remarks == ()


def test_an_index_that_pandas_wrote_is_no_configuration(tmp_path: Path) -> None:
    TABLE.drop(columns="row_id").to_excel(tmp_path / "pi.xlsx")
    assert en.Predictions.load(tmp_path / "pi.xlsx").configs.ids == ("svm", "forest")


def test_cells_keep_their_kinds(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["n", "x", "mixed", "truth", "day", "gone"],
        [1, 0.5, 12, True, datetime(2020, 1, 2), "#N/A"],
        [2, None, "a", False, datetime(2020, 1, 3), None],
        [3, 2.5, 1.5, None, None, 7],
    ]
    table, cautions = read_excel(write(tmp_path / "t.xlsx", s=rows))
    assert table.column("n").to_pylist() == [1, 2, 3]
    assert str(table.schema.field("n").type) == "int64"
    assert table.column("x").to_pylist() == [0.5, None, 2.5]
    assert table.column("mixed").to_pylist() == ["12", "a", "1.5"]
    assert table.column("truth").to_pylist() == [True, False, None]
    assert table.column("day").to_pylist()[:2] == [datetime(2020, 1, 2), datetime(2020, 1, 3)]
    assert table.column("gone").to_pylist() == [None, None, 7]
    assert cautions == ()


def test_other_sheets_are_named_and_empty_ones_passed_over(tmp_path: Path) -> None:
    rows: list[list[object]] = [["y", "x"], [0, 1.0], [1, 2.0]]
    path = write(tmp_path / "t.xlsx", blank=[], first=rows, second=rows)
    table, cautions = read_excel(path)
    assert table.num_rows == 2
    assert [caution.kind for caution in cautions] == ["other_sheets"]
    assert "'second'" in str(cautions[0])


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], "empty workbook"),
        ([["A title of the table"], ["y", "x"], [0, 1.0]], "without a name"),
    ],
)
def test_a_workbook_without_a_table_says_what_is_wrong(
    tmp_path: Path, rows: list[list[object]], found: str
) -> None:
    with pytest.raises(FormatError, match=found):
        en.Predictions.load(write(tmp_path / "t.xlsx", s=rows))


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.xlsx").write_bytes(b"y,x\n0,1\n")
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as archive:
        archive.writestr("a.txt", "x")
    for name in ("text.xlsx", "other.xlsx"):
        with pytest.raises(FormatError, match="cannot be read"):
            en.Predictions.load(tmp_path / name)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.xlsx"
    monkeypatch.setattr(expanding, "ALWAYS", 4 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (5 << 20))
    with pytest.raises(FormatError, match="unpacks to more"):
        en.Predictions.load(path)


def test_a_table_to_tune_on_may_be_a_workbook(tmp_path: Path) -> None:
    from earnest.training import open_training_table

    TABLE.to_excel(tmp_path / "data.xlsx", index=False)
    columns = open_training_table(tmp_path / "data.xlsx")
    assert columns.source == "data.xlsx"
    assert list(columns.names) == list(TABLE.columns)
