"""Every script of the gallery runs, draws, and shows the public names it is about."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

import earnest as en

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_and_draws(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    monkeypatch.chdir(script.parent)
    names = runpy.run_path(str(script))
    assert plt.get_fignums(), "no figure was drawn"
    assert names["en"] is en


def test_every_plot_of_a_result_is_shown() -> None:
    shown = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    for call in ("estimate(", "estimate_all(", "compare_many(", "explain(", "effect2d("):
        assert call in shown, call
    assert shown.count(".plot()") >= len(SCRIPTS)
