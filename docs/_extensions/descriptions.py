"""Give every page the description that search engines and previews show: its first sentences."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 200


def first_words(doctree: nodes.document) -> str:
    """Return the first paragraph of a page, short enough to be shown whole."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if text:
            return textwrap.shorten(text, LONGEST, placeholder=" ...")
    return ""


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add the description to the head of a page, unless it has one of its own."""
    if doctree is not None and 'name="description"' not in context.get("metatags", ""):
        words = escape(first_words(doctree), quote=True)
        context["metatags"] = context.get("metatags", "") + (
            f'<meta name="description" content="{words}" />\n' if words else ""
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
