"""The words of the glossary are linked from the pages that use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")


glossary_links = load_script("docs/_extensions/glossary_links.py")


def test_every_word_that_is_linked_is_explained() -> None:
    assert set(glossary_links.LINKED) <= set(glossary_links.terms_of(GLOSSARY))


def test_a_heading_of_several_words_explains_each_and_has_one_anchor() -> None:
    terms = glossary_links.terms_of("# G\n\n## in-bag, out-of-bag\n\nDrawn, `or` [not](a.md).\n")
    assert terms["in-bag"] == terms["out-of-bag"]
    assert terms["in-bag"].anchor == "in-bag-out-of-bag"
    assert terms["in-bag"].meaning == "Drawn, or not."


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("The winner's curse is old.", "winner's curse"),
        ("The winner\u2019s curse is old.", "winner's curse"),
        ("The winner's score", "winner"),
        ("Two Winners.", "winner"),
        ("of all resamples", "resample"),
        ("resampled cases", None),
        ("a non-winner", None),
        ("over-optimism", None),
        ("nothing", None),
    ],
)
def test_a_word_is_found_whole_and_the_longest_first(text: str, use: str | None) -> None:
    found = glossary_links.first_use(text, glossary_links.LINKED)
    assert (found and found[2]) == use


def test_a_word_that_was_linked_is_not_looked_for_again() -> None:
    assert glossary_links.first_use("the winner", ()) is None
    assert glossary_links.first_use("the winner", ("optimism",)) is None
