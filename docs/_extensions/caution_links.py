"""Link every code of a caution, such as EN001, to what it means, with its words as a tooltip."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

from earnest.core.cautions.meanings import MEANINGS

PAGE = "explanation/cautions"
_CODE = re.compile(r"\bEN\d{3}\b")


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link the codes of a page, in its text and in code, unless they are linked or are headings."""
    if docname == PAGE:
        return
    uri = app.builder.get_relative_uri(docname, PAGE)
    for text in list(doctree.findall(nodes.Text)):
        inside = text.parent
        if isinstance(inside, nodes.literal) and _CODE.fullmatch(str(text)):
            if not isinstance(inside.parent, nodes.reference | nodes.title):
                inside.parent.replace(inside, _reference(uri, str(text), inside))
        elif isinstance(inside, nodes.paragraph | nodes.strong | nodes.emphasis):
            inside.replace(text, list(_linked(uri, str(text))))


def _linked(uri: str, text: str) -> list[nodes.Node]:
    pieces: list[nodes.Node] = []
    end = 0
    for code in _CODE.finditer(text):
        pieces += [nodes.Text(text[end : code.start()]), _reference(uri, code[0])]
        end = code.end()
    return [*pieces, nodes.Text(text[end:])]


def _reference(uri: str, code: str, shown: nodes.Node | None = None) -> nodes.reference:
    made = nodes.reference("", "", internal=True, refuri=f"{uri}#{code.lower()}")
    made["reftitle"] = MEANINGS[code].title
    made += nodes.Text(code) if shown is None else shown.deepcopy()
    return made


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
