"""A damaged table is refused by the reader of predictions, not by the look for fold scores."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

import earnest as en
from earnest.adapters.folds.tables import has_fold_scores


@pytest.mark.parametrize("place", [10, 20, 40, -9])
def test_a_damaged_gzip_file_holds_no_fold_scores(tmp_path: Path, place: int) -> None:
    rows = "\n".join(f"{k % 2},{k % 5},{k * 0.37 % 1:.6f}" for k in range(400))
    content = bytearray(gzip.compress(f"y,fold,a\n{rows}\n".encode()))
    content[place] ^= 0xFF
    content[place + 1] ^= 0x5A
    path = tmp_path / "damaged.csv.gz"
    path.write_bytes(bytes(content))
    assert not has_fold_scores(path)
    with pytest.raises(en.errors.EarnestError):
        en.Predictions.load(path)


def test_a_gzip_file_that_ends_early_holds_no_fold_scores(tmp_path: Path) -> None:
    path = tmp_path / "short.csv.gz"
    path.write_bytes(gzip.compress(b"split0_test_score,split1_test_score\n0.5,0.6\n")[:25])
    assert not has_fold_scores(path)


def test_a_missing_column_of_subgroups_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("row_id,y_true,fold,config_id,y_pred\n0,1,0,a,.5\n1,0,1,a,.2\n")
    with pytest.raises(en.errors.EarnestError, match="'y' is missing"):
        en.Predictions.load(path, by="y")


def test_an_archive_whose_names_are_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("é.json", "{}")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xba\xba"))
    with pytest.raises(en.errors.EarnestError):
        en.scores_from(path, score="match")
