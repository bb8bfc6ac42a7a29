"""Pictures of a report for the documentation, taken in Chromium: `python docs/screenshots.py`.

Needs the extra `test` and Debian's chromium. Each picture is one section at one width and theme;
look at every one of them after a change of template, style or figure.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATIC = Path(__file__).resolve().parent / "_static" / "report"
SECTIONS = ("answer", "methods", "rivals", "curves", "audit", "learned", "computed")
SIZES = {"wide": (1280, 980), "phone": (390, 844)}
TALLEST = {"wide": 1500, "phone": 1700}  # pixels of a section that are kept
FRONT = {"wide": (1000, 665), "phone": (390, 820)}  # of the first page: the answer, no more


def search() -> object:
    """Tune two kinds of models on the breast cancer data; about half a minute."""
    from scipy.stats import loguniform
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    import earnest as en

    data = load_breast_cancer(as_frame=True)
    y = data.target.map({0: "malignant", 1: "benign"}).to_numpy()
    candidates = [
        {"model": [LogisticRegression(max_iter=3000)], "model__C": loguniform(1e-4, 1e3)},
        {
            "model": [DecisionTreeClassifier(random_state=0)],
            "model__max_depth": [1, 2, 3, 4, 6, 8, 12],
            "model__min_samples_leaf": [1, 2, 5, 10, 20, 40],
        },
    ]
    pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    made = en.SearchCV(
        pipeline,
        candidates,
        n_iter=100,
        scoring="roc_auc",
        cv=10,
        drop="bced_adjusted",
        random_state=7,
        n_jobs=2,
    )
    return made.fit(data.data, (y == "malignant").astype(int))


def example() -> object:
    """Return the predictions of the first example of the documentation."""
    import numpy as np

    import earnest as en

    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 200)
    scores = y[:, None] + 1.5 * rng.standard_normal((200, 50))
    return en.Predictions.from_arrays(y, scores, fold=np.arange(200) % 10)


def shoot_front(page_file: Path, out: Path) -> None:
    """Write the first screen of a report."""
    with browser() as chromium:
        for width_name, (width, height) in FRONT.items():
            for theme in ("light", "dark"):
                page = chromium.new_page(
                    viewport={"width": width, "height": height}, color_scheme=theme
                )
                page.goto(page_file.resolve().as_uri())
                path = out / f"front-{width_name}-{theme}.png"
                page.screenshot(path=str(path))
                _fewer_colours(path)
                page.close()


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a Chromium without a window."""
    from playwright.sync_api import sync_playwright

    path = next(found for found in map(shutil.which, ("chromium", "chromium-browser")) if found)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def shoot(page_file: Path, out: Path) -> None:
    """Write a picture of each section."""
    with browser() as chromium:
        for width_name, (width, height) in SIZES.items():
            for theme in ("light", "dark"):
                page = chromium.new_page(
                    viewport={"width": width, "height": height}, color_scheme=theme
                )
                page.goto(page_file.resolve().as_uri())
                ready = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
                print(f"{width_name} {theme}: ready after {ready:.0f} ms")
                for section in SECTIONS:
                    name = f"{section}-{width_name}-{theme}.png"
                    _section(page, section, width_name, out / name)
                page.close()


def _section(page: object, section: str, width_name: str, path: Path) -> None:
    page.add_style_tag(content=".bar { position: static !important; }")
    box = page.locator(f"#{section}").bounding_box()
    top = 0 if section == "answer" else box["y"] - 28
    bottom = box["y"] + box["height"] + 28
    clip = {
        "x": 0,
        "y": top,
        "width": SIZES[width_name][0],
        "height": min(bottom - top, TALLEST[width_name]),
    }
    page.screenshot(path=str(path), clip=clip, full_page=True)
    _fewer_colours(path)


def _fewer_colours(path: Path) -> None:
    """Write the picture with a palette: a third of the bytes, and no difference to the eye."""
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=0)
    small.save(path, optimize=True)


def main() -> None:
    """Make the reports, and their pictures, in the documentation or in the folder given."""
    import earnest as en

    out = Path(sys.argv[1]) if len(sys.argv) > 1 else STATIC
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        front = en.report(example(), metric="roc_auc", rng=7).save(Path(folder) / "front.html")
        shoot_front(front, out)
        page = en.report(search()).save(Path(folder) / "report.html")
        print(f"{page.stat().st_size:,} bytes")
        shoot(page, out)


if __name__ == "__main__":
    main()
