"""Every script of the gallery runs, draws, and shows the public names it is about."""

from __future__ import annotations

import io
import itertools
import re
import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from tests.public_names import public_names

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("*.py"))


ALIKE = 0.65  # correlation: of pictures of two estimates up to .85, of the gallery at most .58
SIZE = (24, 32)


def test_every_script_runs_and_its_picture_is_unlike_those_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    pictures = {}
    for script in SCRIPTS:
        plt.close("all")
        monkeypatch.chdir(script.parent)
        names = runpy.run_path(str(script))
        assert names["en"] is en, script.name
        thumbnail = re.search(r"sphinx_gallery_thumbnail_path = '(.*)'", script.read_text("utf-8"))
        if thumbnail is None:
            assert plt.get_fignums(), f"{script.name} drew no figure"
            pictures[script.stem] = shrink(draw(plt.get_fignums()[0]))
        else:
            pictures[script.stem] = shrink(plt.imread(ROOT / "docs" / thumbnail[1]))
    for (name, picture), (other, against) in itertools.combinations(pictures.items(), 2):
        alike = np.corrcoef(picture, against)[0, 1]
        assert alike < ALIKE, f"{name} looks like {other}: {alike:.2f}"


def draw(number: int) -> NDArray[np.float64]:
    """Return a figure as its pixels."""
    import matplotlib.pyplot as plt

    with io.BytesIO() as file:
        plt.figure(number).savefig(file, format="png", dpi=50)
        file.seek(0)
        return plt.imread(file)


def shrink(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean grey of each field of a picture, so that small print does not count."""
    grey = pixels[..., :3].mean(axis=2)
    fields = [np.array_split(row, SIZE[1], axis=1) for row in np.array_split(grey, SIZE[0])]
    return np.array([field.mean() for row in fields for field in row])


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
    "Inclusions": "en.calibrate(",
    "Plan": "en.plan(",
    "RegionTree": ".region_tree(",
    "Subgroups": "by=",
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
