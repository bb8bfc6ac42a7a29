"""A browser for the tests of pages: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import earnest as en
from earnest.results import Explanation

MARGIN = 40.0  # points at the foot of a printed page
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


KINDS = (
    {"model": "polynomial_svm", "degree": 2, "C": 0.1, "gamma": 1.0, "coef0": 1},
    {"model": "hist_gradient_boosting", "learning_rate": 0.1, "max_leaf_nodes": 24, "rounds": 150},
    {"model": "elastic_net", "C": 0.01, "l1_ratio": 0.5},
    {"model": "random_forest", "trees": 200, "min_leaf": 5, "mtry": 0.5},
)


@cache
def long_names() -> en.results.Report:
    """Return a report on models of several kinds with many settings each, as `tune` has them."""
    rng = np.random.default_rng(19)
    y = np.tile([0, 1], 60)
    params = [
        {**KINDS[i % 4], "C" if "C" in KINDS[i % 4] else "min_leaf": i + 1, "select": select}
        | ({"ses_alpha": 0.05, "ses_max_k": 2} if select == "ses" else {})
        for i, select in enumerate(["none", "ses"] * 8)
    ]
    scores = y[:, None] * 1.2 + rng.standard_normal((120, 16))
    configs = en.Configs(ids=tuple(f"c{i}" for i in range(16)), params=tuple(params))
    pi = en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5, configs=configs)
    return en.report(pi, metric="roc_auc", explain=False)


def ten_classes() -> en.results.Report:
    """Return a report on ten classes."""
    rng = np.random.default_rng(20)
    y = np.repeat([f"digit {k}" for k in range(10)], 12)
    scores = rng.random((120, 2, 1, 10)) + 0.8 * (y[:, None] == np.unique(y))[:, None, None, :]
    scores /= scores.sum(axis=-1, keepdims=True)
    pi = en.Predictions.from_arrays(y, scores, np.arange(120) % 6)
    return en.report(pi, metric="accuracy", explain=False)


def with_flat_effects() -> Explanation:
    """Return an explanation in which the model matters and another parameter does nothing."""
    rng = np.random.default_rng(21)
    gain = dict(zip((kind["model"] for kind in KINDS), (0.1, 0.3, 0.0, 0.2), strict=True))
    configs = [
        {"model": str(rng.choice(list(gain))), "rate": float(rng.random()), "idle": rng.random()}
        for _ in range(60)
    ]
    found = [gain[one["model"]] - (one["rate"] - 0.5) ** 2 for one in configs]
    trials = en.Trials.from_configs(configs, found, direction="maximize")
    return en.explain(trials, n_points=80, grid_size=6, rng=0, regions=1)


class Head(NamedTuple):
    """A heading of a printed page, and how many points of paper are below its top."""

    words: str
    page: int
    above: float


def print_outline(page: Any) -> tuple[int, list[Head]]:
    """Return how many pages are printed, and the headings that the outline of the PDF lists."""
    data = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
    parts = {int(m[1]): m[2] for m in re.finditer(rb"(\d+) 0 obj\n(.*?)endobj", data, re.S)}

    def list_pages(number: int) -> list[int]:
        kids = re.search(rb"/Kids \[(.*?)\]", parts[number], re.S)
        if kids is None:
            return [number]
        return [n for kid in re.findall(rb"(\d+) 0 R", kids[1]) for n in list_pages(int(kid))]

    tops = [n for n, text in parts.items() if b"/Type /Pages" in text and b"/Parent" not in text]
    pages = list_pages(tops[0])
    heads = []
    for text in parts.values():
        words = re.search(rb"/Title \((.*?)\)\n", text)
        place = re.search(rb"/Dest \[(\d+) 0 R /XYZ [\d.]+ ([\d.]+)", text)
        if words and place:
            named = words[1].decode("latin-1")
            heads.append(Head(named, pages.index(int(place[1])), float(place[2]) - MARGIN))
    return len(pages), heads


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a whole report as a file: every section, more rows than are shown at once."""
    made = en.report(many(), metric="roc_auc")
    return made.save(tmp_path_factory.mktemp("report") / "report.html")
