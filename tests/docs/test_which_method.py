"""The picture of the choice of a method says what the methods declare and do."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.methods import METHODS
from earnest.plotting import TOKENS
from tests.docs.test_code_blocks import ROOT, generate
from tests.scripts import load_script

STATIC = ROOT / "docs" / "_static"
figures = load_script("docs/figures.py", "docs_figures")
tables = generate.tables
SEARCH, SCORED, TEST_SET, LEARNER, RETRAINED, PAIR = tables.WHICH_METHOD
NAMES = [f"which-method{width}{theme}.svg" for width in ("", "-phone") for theme in ("", "-dark")]
SVG = "{http://www.w3.org/2000/svg}"


def make_predictions(situation: Any, n: int) -> en.Predictions:
    """Predictions as in a situation: of ten configurations or one, with folds or of a test set."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], n // 2)
    score = y[:, None] + rng.standard_normal((n, 10 if situation is SEARCH else 1))
    probability = 1 / (1 + np.exp(0.5 - score))
    folds = None if situation is TEST_SET else np.arange(n) // 2 % 10
    return en.Predictions.from_arrays(y, probability, folds)


@pytest.mark.parametrize(
    ("situation", "leaf"),
    [(s, leaf) for s in (SEARCH, TEST_SET, LEARNER) for leaf in s.leaves],
    ids=lambda part: getattr(part, "method", None),
)
def test_a_leaf_gives_an_interval_for_what_leads_to_it(situation: Any, leaf: Any) -> None:
    few = "fewer than 100" in leaf.condition
    pi = make_predictions(situation, 80 if few else 200)
    found = en.estimate(pi, metric=leaf.metric, method=leaf.method, rng=0)
    assert np.isfinite(found.value)
    assert found.interval is not None
    if situation is SEARCH:
        assert METHODS[leaf.method].spec.corrected


def test_the_method_that_retrains_is_one_that_needs_replicates() -> None:
    (leaf,) = RETRAINED.leaves
    assert METHODS[leaf.method].spec.needs == "bootstrap-trained replicates"


def test_two_models_lead_to_the_guide_on_tests() -> None:
    (leaf,) = PAIR.leaves
    assert tables.find_leaf_page(leaf) == "../how-to/compare-two-models"


def test_the_default_method_is_the_first_leaf() -> None:
    found = en.estimate(make_predictions(SEARCH, 200), metric="accuracy", rng=0)
    assert SEARCH.leaves[0].method == found.method


def test_scores_are_judged_as_their_leaves_say() -> None:
    mean, other = SCORED.leaves
    scores = en.Scores(np.random.default_rng(0).random((40, 3)))
    assert en.estimate(scores, n_resamples=50, rng=0).method == mean.method
    assert en.estimate(scores, metric="median", n_resamples=50, rng=0).method == other.method


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_is_the_one_that_the_choices_give(name: str) -> None:
    theme = figures.Theme.of("dark" in name)
    made = figures.draw_choice(theme, narrow="phone" in name)
    assert (STATIC / name).read_text(encoding="utf-8") == made, "run docs/figures.py which-method"


@pytest.mark.parametrize("name", NAMES)
def test_every_leaf_is_a_link_to_a_page_and_every_word_is_on_the_picture(name: str) -> None:
    root = ET.parse(STATIC / name).getroot()
    links = [str(link.get("href")) for link in root.iter(f"{SVG}a")]
    leaves = [leaf for situation in tables.WHICH_METHOD for leaf in situation.leaves]
    assert links == [f"{tables.find_leaf_page(leaf)}.html" for leaf in leaves]
    for link in links:
        assert (ROOT / "docs" / "how-to" / link).resolve().with_suffix(".md").is_file()
    said = " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    for situation in tables.WHICH_METHOD:
        assert situation.have in said
        assert all(leaf.condition in said and leaf.method in said for leaf in situation.leaves)


@pytest.mark.parametrize("name", NAMES)
def test_letters_stay_on_the_picture_and_can_be_read(name: str) -> None:
    root = ET.parse(STATIC / name).getroot()
    width = float(root.attrib["viewBox"].split()[2])
    assert float(root.attrib["font-size"]) >= 15
    assert width <= (350 if "phone" in name else 760)  # of the column that shows it
    for text in root.iter(f"{SVG}text"):
        letter = 9.2 if text.get("font-weight") else 7.9
        assert float(text.attrib["x"]) + letter * len("".join(text.itertext())) <= width


def test_a_drawing_with_links_is_put_into_the_page_and_others_are_not(tmp_path: Path) -> None:
    fitting = load_script("docs/_extensions/fitting_pictures.py")
    assert fitting.read_linked_drawing(STATIC / NAMES[0]).startswith("<svg ")
    assert fitting.read_linked_drawing(STATIC / "logo.svg") == ""
    assert fitting.read_linked_drawing(STATIC / "report" / "front-wide-light.png") == ""
    assert fitting.with_classes("<svg/>", ["only-dark"]) == (
        '<span class="drawing only-dark"><svg/></span>'
    )


@pytest.mark.parametrize(("theme", "place"), [("light", 0), ("dark", 1)])
def test_the_site_has_the_colours_of_the_report(theme: str, place: int) -> None:
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    block = re.search(rf'html\[data-theme="{theme}"\] {{\n(.*?)}}', css, re.S)
    assert block is not None
    found = dict(re.findall(r"--(\w+): (#\w{6});", block[1]))
    assert found == {name: both[place] for name, both in TOKENS.items()}


@pytest.mark.parametrize(("ending", "place"), [("", 0), ("-dark", 1)])
def test_the_picture_of_the_curse_has_the_colours_of_the_report(ending: str, place: int) -> None:
    text = (STATIC / f"winners-curse{ending}.svg").read_text(encoding="utf-8").lower()
    for name in ("bg", "accent", "warn", "ink2"):
        assert TOKENS[name][place].lower() in text, name
