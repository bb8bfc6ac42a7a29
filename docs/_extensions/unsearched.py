"""Leave records of decisions out of the site's search: they have the words of guides, for others.

Source listings (`_modules`) are not in the search of Sphinx; `docs/check_search.py` looks for both.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

LEFT_OUT = "development/decisions/"  # how the names of pages begin


def leave_out(app: Sphinx, doctree: nodes.document) -> None:
    """Mark a page as Sphinx's field `nosearch` does."""
    name = app.env.docname
    if name.startswith(LEFT_OUT):
        app.env.metadata[name]["nosearch"] = ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-read", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
