"""Every script of the gallery runs, draws, and shows the public names it is about."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

import earnest as en
from tests.public_names import public_names

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


PLOTTED = {  # what a public class with `plot` comes from
    "Comparison": "en.compare(",
    "Comparisons": "en.compare_many(",
    "EffectCurve": ".effect(",
    "EffectSurface": ".effect2d(",
    "Estimate": "en.estimate(",
    "Estimates": "en.estimate_all(",
    "Explanation": "en.explain(",
    "Gain": "en.gain(",
    "LearningCurve": "en.learning_curve(",
    "Plan": "en.plan(",
    "RegionTree": ".region_tree(",
    "Thresholds": "en.thresholds(",
}


def test_every_plot_of_a_result_is_shown() -> None:
    texts = [script.read_text(encoding="utf-8") for script in SCRIPTS]
    drawn = {one.__name__ for one in public_names().values() if hasattr(one, "plot")}
    assert drawn == set(PLOTTED)
    for call in PLOTTED.values():
        assert any(call in text and ".plot()" in text for text in texts), call


def test_every_door_is_named() -> None:
    shown = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    doors = [name for name in en.__all__ if name.endswith("_from") and name != "trials_from"]
    for name in (*doors, "harvest", "keep_predictions", "BoosterFolds", "Scores", "from_frame"):
        assert name in shown, name
