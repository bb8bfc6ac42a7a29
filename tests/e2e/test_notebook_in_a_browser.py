"""Results inside the style sheets of notebooks: words whole, nothing hidden, all legible.

`notebooks/` has the rules of Jupyter's own style sheets that reach what a cell shows. VS Code has
no classes of Jupyter; the page for it says in our words what it does to tables and code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import earnest as en
from earnest.core import Result
from tests.column_importances import explain_columns
from tests.e2e.conftest import many, with_flat_effects

STYLES = Path(__file__).parent / "notebooks"
CONTRAST = 4.5  # of text, by WCAG 2.1 AA
IN_LAB = """<body class="jp-Notebook" data-jp-theme-light="{light}"><main>{cells}</main></body>"""
LAB_CELL = """<div class="jp-Cell jp-CodeCell jp-Notebook-cell"><div class="jp-Cell-outputWrapper">
<div class="jp-OutputArea jp-Cell-outputArea">
<div class="jp-OutputArea-child jp-OutputArea-executeResult">
<div class="jp-OutputPrompt jp-OutputArea-prompt">Out[1]:</div>
<div class="jp-RenderedHTMLCommon jp-RenderedHTML jp-OutputArea-output jp-OutputArea-executeResult"
data-mime-type="text/html">{html}</div></div></div></div></div>"""
IN_CLASSIC = """<body><div class="border-box-sizing" id="notebook"><div class="container"
id="notebook-container">{cells}</div></div></body>"""
CLASSIC_CELL = """<div class="output_wrapper"><div class="output"><div class="output_area">
<div class="prompt output_prompt">Out[1]:</div><div class="output_html rendered_html output_subarea
output_execute_result">{html}</div></div></div></div>"""
# VS Code stripes tables, pads cells, takes borders away, aligns heads, and colours code.
VSCODE = """:root { --vscode-foreground: INK; --vscode-editor-background: PAPER; }
body { margin: 0; padding: 0 20px; color: var(--vscode-foreground); font: 13px sans-serif;
  background: var(--vscode-editor-background); }
table { width: 100%; } table, thead, tbody, tr, th, td { border: none !important; }
table, tr, th { text-align: left !important; } th, td { padding: 4px 8px; }
thead { background: rgb(130 130 130 / 16%); }
tr:nth-child(even) { background: rgb(130 130 130 / 8%); }
@layer preset { code { color: #d7ba7d; background: #333; padding: 1px 3px; } }"""
HOSTS = (
    "lab light",
    "lab dark",
    "classic",
    "vscode-light",
    "vscode-dark",
    "vscode-high-contrast",
    "vscode-high-contrast vscode-high-contrast-light",
)


def is_dark(host: str) -> bool:
    return host in ("lab dark", "vscode-dark", "vscode-high-contrast")


def make_page(host: str, results: dict[str, str]) -> str:
    """Return a page in which a notebook shows results."""
    light = not is_dark(host)
    shown = {name: f'<div data-name="{name}">{html}</div>' for name, html in results.items()}
    if host.startswith("lab"):
        files = ("lab.css", f"lab-theme-{'light' if light else 'dark'}.css")
        css = "".join((STYLES / name).read_text(encoding="utf-8") for name in files)
        cells = "".join(LAB_CELL.format(html=html) for html in shown.values())
        body = IN_LAB.format(light=str(light).lower(), cells=cells)
    elif host == "classic":
        css = (STYLES / "classic.css").read_text(encoding="utf-8")
        cells = "".join(CLASSIC_CELL.format(html=html) for html in shown.values())
        body = IN_CLASSIC.format(cells=cells)
    else:
        ink, paper = ("#3b3b3b", "#ffffff") if light else ("#cccccc", "#1f1f1f")
        css = VSCODE.replace("INK", ink).replace("PAPER", paper)
        cells = "".join(f'<div class="output">{html}</div>' for html in shown.values())
        body = f'<body class="{host}">{cells}</body>'
    return f"<!doctype html><html><head><meta charset=utf-8><style>{css}</style></head>{body}"


def list_kinds(base: type) -> Iterator[type]:
    """Yield the classes of results that can be made."""
    for kind in base.__subclasses__():
        yield from list_kinds(kind)
        if kind.__module__.startswith("earnest.") and not getattr(
            kind, "__abstractmethods__", None
        ):
            yield kind


@cache
def make_results() -> dict[str, Any]:
    """Return something of every kind that shows itself in a notebook."""
    pi = many(count=12)
    rng = np.random.default_rng(2)
    X = rng.standard_normal((90, 4))
    y = (X[:, 0] + rng.standard_normal(90) > 0).astype(int)
    grid = {"C": [0.01, 1.0], "max_iter": [50, 100, 200]}
    search = en.SearchCV(LogisticRegression(), grid, scoring="roc_auc", random_state=0)
    names = pi.configs.ids
    scores = en.Scores(rng.random((30, 3)), configs=["small prompt", "large prompt", "none"])
    return {
        "search": search,
        "fitted search": en.SearchCV(
            LogisticRegression(), grid, scoring="roc_auc", random_state=0
        ).fit(X, y),
        "estimate": en.estimate(pi, metric="roc_auc", rng=0),
        "lower bound": en.estimate(pi, metric="log_loss", side="upper", rng=0),
        "naive": en.estimate(pi, method="naive", metric="balanced_accuracy"),
        "nested": en.nested_cv(search, X, y),
        "estimates": en.estimate_all(pi, metric="roc_auc", n_resamples=50, rng=0),
        "comparison": en.compare(pi, names[0], names[1], metric="roc_auc"),
        "comparisons": en.compare_many(pi, metric="roc_auc", rng=0),
        "gain": en.gain(pi, metric="roc_auc", n_resamples=50, rng=0),
        "gain of a long metric": en.gain(pi, metric="balanced_accuracy", n_resamples=50, rng=0),
        "learning curve": en.learning_curve(
            Ridge(), X, X[:, 0], metric="rmse", fractions=(0.5, 1), cv=3, rng=0
        ),
        "thresholds": en.thresholds(pi, metric="roc_auc", n_resamples=50, rng=0),
        "statistic": en.inference.jackknife(
            lambda w: float(np.average(X[:, 0], weights=w)), X[:, 0]
        ),
        "verdict": en.gate(pi.select(names[0]), metric="roc_auc", above=0.5),
        "plan": en.plan(pi, metric="accuracy", detect=0.1, rng=0),
        "model plan": en.plan(en.rules.ModelStudy(prevalence=0.2, r2=0.2, n_parameters=9)),
        "validation": en.validate(
            en.Predictions.from_arrays(y, 1 / (1 + np.exp(-X[:, 0]))), n_resamples=30, rng=0
        ),
        "floor": en.floor([0.6, 0.7, 0.65], n=100),
        "subgroups": en.estimate(
            pi, metric="accuracy", n_resamples=50, by={"half": np.arange(pi.n_cases) % 2}, rng=0
        ).subgroups,
        "inclusions": en.calibrate(
            pi, metric="accuracy", methods=["bbc", "naive"], n_simulations=5, n_resamples=50, rng=0
        ),
        "explanation": with_flat_effects(),
        "model explanation": explain_columns(),
        "explanation of long names": explain_long_names(),
        "predictions": pi,
        "scores": scores,
        "trials": en.Trials.from_configs(
            [{"depth": 1 + i % 6, "rate": 0.1 * (1 + i)} for i in range(12)],
            [i % 5 for i in range(12)],
            direction="maximize",
        ),
        "report": en.report(pi, metric="roc_auc", explain=False, n_resamples=50),
    }


def explain_long_names() -> Any:
    """Return an explanation of a pipeline of pipelines."""
    rng = np.random.default_rng(4)
    name = "columntransformer__numeric__simpleimputer__strategy"
    configs = [
        {name: str(rng.choice(["mean", "median"])), "logisticregression__C": float(rng.random())}
        for _ in range(30)
    ]
    gains = [float(one["logisticregression__C"]) for one in configs]
    trials = en.Trials.from_configs(configs, gains, direction="maximize")
    return en.explain(trials, n_points=60, grid_size=4, rng=0, regions=1)


def show(result: Any) -> str:
    bundle = getattr(result, "_repr_mimebundle_", None)
    return str(result._repr_html_() if bundle is None else bundle()["text/html"])


@cache
def show_all() -> dict[str, str]:
    return {name: show(result) for name, result in make_results().items()}


def test_every_kind_of_result_is_looked_at() -> None:
    made = {type(one) for one in make_results().values()}
    assert set(list_kinds(Result)) <= made


# What is wrong in a page, as lines of text: which result, what, where.
LOOK = """() => {
  const wrong = [];
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const part = parse(colour).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0.99) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const say = (what, element, words) => wrong.push(
    `${element.closest("[data-name]").dataset.name} ${what}: ${element.tagName} ${words}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push("the page scrolls");
  for (const box of document.querySelectorAll(".earnest-fragment")) {
    const edge = box.getBoundingClientRect();
    for (const element of box.querySelectorAll("*")) {
      const own = element.getBoundingClientRect();
      if (!own.width || element.closest("style")) continue;
      if (own.right > edge.right + 1 || own.left < edge.left - 1)
        say("leaves its box", element, element.textContent.slice(0, 40));
      if (!element.closest("svg") && element.scrollWidth > element.clientWidth + 1 &&
          getComputedStyle(element).display !== "inline")
        say("is wider than its room", element, element.textContent.slice(0, 40));
    }
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode, parent = node.parentElement;
      if (!node.data.trim() || parent.closest("style, title, desc")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const area = range.getBoundingClientRect();
      if (!area.width) continue;
      const svg = parent.closest("svg");
      const ink = svg ? getComputedStyle(parent).fill : getComputedStyle(parent).color;
      const both = [light(ink), light(paper(svg ?? parent))].sort((a, b) => b - a);
      if ((both[0] + 0.05) / (both[1] + 0.05) < CONTRAST) say("is too pale", parent, node.data);
      if (svg) {
        const frame = svg.getBoundingClientRect();
        if (area.left < frame.left - 1 || area.right > frame.right + 1 ||
            area.top < frame.top - 1 || area.bottom > frame.bottom + 1)
          say("is cut by its picture", parent, node.data);
        if (node.data.includes("\\u2026")) say("is shortened", parent, node.data);
        continue;
      }
      for (const word of node.data.matchAll(/[^\\s-]+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
        if (lines.size > 1) say("is broken", parent, word[0]);
      }
    }
  }
  return wrong;
}""".replace("CONTRAST", str(CONTRAST))


def look_at(browser: Any, host: str, width: int, shown: dict[str, str]) -> list[str]:
    """Return what is wrong with results in a notebook, on a machine of the other theme."""
    other = "light" if is_dark(host) else "dark"
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=other)
    try:
        page.set_content(make_page(host, shown))
        return list(page.evaluate(LOOK))
    finally:
        page.close()


@pytest.mark.parametrize("width", [600, 900])
@pytest.mark.parametrize("host", HOSTS)
def test_words_are_whole_and_legible_and_nothing_overflows(
    browser: Any, host: str, width: int
) -> None:
    assert look_at(browser, host, width, show_all()) == []


@pytest.mark.parametrize("host", ["lab light", "lab dark", "vscode-light", "vscode-dark"])
def test_a_result_has_the_theme_of_its_notebook(browser: Any, host: str) -> None:
    other = "light" if is_dark(host) else "dark"
    page = browser.new_page(color_scheme=other)
    page.set_content(make_page(host, {"estimate": show_all()["estimate"]}))
    paper = page.evaluate(
        "() => getComputedStyle(document.querySelector('.earnest-fragment')).backgroundColor"
    )
    page.close()
    brightness = sum(int(part) for part in paper.strip("rgb()").split(","))
    assert (brightness < 200) is is_dark(host)


def test_the_look_sees_what_is_wrong(browser: Any) -> None:
    """A label in Jupyter's own style, pale ink and a wide row are found, so that none is missed."""
    bad = (
        '<div class="earnest-fragment" style="width: 200px; overflow-wrap: anywhere">'
        '<dl style="display: grid; grid-template-columns: max-content 1fr"><dt>Winner</dt>'
        '<dd>c7</dd></dl><p style="color: #aaa; background: #fff">pale</p>'
        '<p style="width: 300px">wide</p></div>'
    )
    found = " ".join(look_at(browser, "lab light", 900, {"bad": bad}))
    for words in ("is broken: DT Winner", "is too pale: P pale", "leaves its box: P wide"):
        assert words in found
