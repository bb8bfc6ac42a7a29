"""A damaged table is refused by the reader of predictions, not by the look for fold scores."""

from __future__ import annotations

import gzip
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
