"""The order in which the site's search shows what it found, as a browser computes it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BEST = 100  # of Sphinx: the whole word is an entry of the index
WORST = 2  # a part of a word is in the text
GUIDES = ("tutorials/1-first-honest-estimate", "how-to/choose-a-threshold", "explanation/pitfalls")
NOTES = ("development/laws", "development/speed")  # for contributors


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    made = browser.new_page()
    made.add_script_tag(path=DOCS / "search_scorer.js")
    return made


def score(page: Any, docname: str, points: float) -> float:
    result = [docname, "title", "", None, points, f"{docname}.md", "text"]
    return float(page.evaluate("found => Scorer.score(found)", result))


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("note", NOTES)
def test_the_least_of_a_guide_comes_before_the_best_of_a_page_for_contributors(
    page: Any, guide: str, note: str
) -> None:
    assert score(page, guide, WORST) > score(page, note, 2 * BEST)


def test_a_guide_comes_before_a_part_of_a_name_and_after_the_name_itself(page: Any) -> None:
    points = page.evaluate("Scorer")
    part = points["objPartialMatch"] + points["objPrio"]["1"]
    whole = points["objNameMatch"] + points["objPrio"]["1"]
    guide = score(page, GUIDES[0], points["term"])
    assert score(page, "reference/api/earnest.results.Interval", part) < guide
    assert score(page, "reference/api/earnest.results.Interval", whole) > guide


def test_the_site_uses_this_scorer() -> None:
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    # Sphinx opens the path as it is, from wherever it was started
    name = re.search(r'html_search_scorer = .*Path\(__file__\)\.with_name\("([^"]+)"\)', conf)
    assert name is not None
    assert (DOCS / name[1]) == DOCS / "search_scorer.js"


def test_a_word_that_must_lead_to_a_page_is_in_its_title_alone() -> None:
    """A word of a title counts three times as much as a word of the text; see the scorer."""
    for word, name in runpy.run_path(str(DOCS / "check_search.py"))["FIRST"].items():
        titles = {
            page.relative_to(DOCS).with_suffix("").as_posix(): page.read_text("utf-8").split("\n")[
                0
            ]
            for folder in ("tutorials", "how-to", "explanation")
            for page in (DOCS / folder).glob("*.md")
        }
        assert [page for page, title in titles.items() if word in title] == [name]


def test_what_is_found_too_early_or_at_all_is_noticed() -> None:
    misplaced = runpy.run_path(str(DOCS / "check_search.py"))["list_misplaced"]
    assert misplaced([*GUIDES, "methods/bbc", *NOTES]) == []
    assert misplaced([GUIDES[0], NOTES[0], "methods/bbc", GUIDES[1]]) == [NOTES[0]]
    for name in ("development/decisions/0001-weights", "_modules/earnest/methods/run"):
        assert misplaced([*GUIDES, name]) == [name]
