"""Link the first use of an uncommon word on a page to the glossary, its meaning as a tooltip."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that the tests read this module where Sphinx is not installed
    from docutils import nodes
    from sphinx.application import Sphinx

PAGE = "reference/glossary"
LINKED = (
    "configuration",
    "early dropping",
    "estimand",
    "in-bag",
    "naive score",
    "nested cross-validation",
    "optimism",
    "out-of-bag",
    "out-of-sample prediction",
    "partial dependence",
    "pooled score",
    "resample",
    "selector",
    "stratum",
    "surrogate",
    "winner",
    "winner's curse",
)
SECTIONS = ("tutorials/", "how-to/", "explanation/", "methods/", "comparison/", "papers/")


@dataclass(frozen=True)
class Term:
    """A word of the glossary: its section there, and what it means."""

    anchor: str
    meaning: str


def terms_of(text: str) -> dict[str, Term]:
    """Return the words that the glossary explains, by word."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        anchor = re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")
        meaning = " ".join(re.sub(r"\[([^\]]+)\]\([^)]*\)|`", r"\1", body).split())
        for word in heading.split(", "):
            found[word] = Term(anchor, meaning)
    return found


@cache
def pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of these words, the longest first, in the plural too."""
    longest = sorted(words, key=len, reverse=True)
    said = "|".join(re.escape(word).replace("'", "['\u2019]") for word in longest)
    return re.compile(rf"(?<![\w-])(?P<word>{said})s?(?![\w-])", re.IGNORECASE)


def first_use(text: str, left: tuple[str, ...]) -> tuple[int, int, str] | None:
    """Return where a text first uses one of the words that are left, and which one."""
    found = pattern_of(left).search(text) if left else None
    if found is None:
        return None
    return found.start(), found.end(), found["word"].lower().replace("\u2019", "'")


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link the words of a page."""
    from docutils import nodes

    if not docname.startswith(SECTIONS) or docname.endswith("/index"):
        return
    terms = terms_of((Path(app.srcdir) / f"{PAGE}.md").read_text(encoding="utf-8"))
    uri = app.builder.get_relative_uri(docname, PAGE)
    left = LINKED
    for paragraph in list(doctree.findall(nodes.paragraph)):
        for text in [child for child in paragraph.children if isinstance(child, nodes.Text)]:
            use = first_use(str(text), left)
            if use is None:
                continue
            start, end, word = use
            term = terms[word]
            reference = nodes.reference(
                "", str(text)[start:end], internal=True, refuri=f"{uri}#{term.anchor}"
            )
            reference["reftitle"], reference["classes"] = term.meaning, ["term"]
            pieces = [nodes.Text(str(text)[:start]), reference, nodes.Text(str(text)[end:])]
            paragraph.replace(text, pieces)
            left = tuple(other for other in left if other != word)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
