"""Evidence without cases is refused where subgroups are asked for, before anything is computed."""

from __future__ import annotations

from pathlib import Path

import pytest

import earnest as en


def test_scores_of_items_have_no_subgroups(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("item,a,b\n" + "".join(f"{k},{k % 2},{k % 3 > 0:d}\n" for k in range(30)))
    with pytest.raises(en.errors.InputError, match="is for predictions"):
        en.report(path, by="item", scores=True)
