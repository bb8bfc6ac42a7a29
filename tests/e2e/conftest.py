"""A browser for the tests of pages: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def missing(what: str) -> None:
    """Say what is missing: a failure where everything must be installed, else a skip."""
    words = f"{what} was not found, so no page was looked at in a browser"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{words}; .ci/run installs Debian's chromium", pytrace=False)
    pytest.skip(words)


def chromium() -> str:
    """Return the path of the browser; without one the tests are skipped, or fail under CI."""
    path = next((found for found in map(shutil.which, NAMES) if found), None)
    if path is None:
        missing("Chromium")
    return str(path)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright (in the extra `test`)")
    path = chromium()
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


def many(n: int = 150, count: int = 72, seed: int = 6) -> en.Predictions:
    """Predictions of many configurations whose parameters are known, one of them incomplete."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    rates = 10 ** rng.uniform(-4, 0, count)
    depths = rng.integers(1, 9, count)
    skill = 2.2 - 0.25 * (np.log10(rates) + 2) ** 2 - 0.02 * depths
    scores = y[:, None] * skill + rng.standard_normal((n, count))
    scores = 1 / (1 + np.exp(-(scores - 0.8)))
    folds = np.arange(n) // 2 % 5
    scores[folds > 2, 3] = np.nan
    params = tuple(
        {"model__rate": float(rate), "model__depth": int(depth)}
        for rate, depth in zip(rates, depths, strict=True)
    )
    configs = en.Configs(
        ids=tuple(f"c{i}" for i in range(count)),
        params=params,
        complexity=tuple(float(d) for d in depths),
    )
    return en.Predictions.from_arrays(y, scores, folds, configs=configs)


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a whole report as a file: every section, more rows than are shown at once."""
    made = en.report(many(), metric="roc_auc")
    return made.save(tmp_path_factory.mktemp("report") / "report.html")
