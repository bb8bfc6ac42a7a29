"""Fill in the tables that the source itself words, such as options, when the site is built.

A page asks for one with `<!-- made: NAME ARGUMENTS -->`, from the tables of `_tables.py`. Elsewhere
the same words are in `earnest COMMAND --help-all`, so the repository need not hold them twice.
"""

from __future__ import annotations

from _tables import fill
from sphinx.application import Sphinx


def fill_in(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the tables into the text of a page that is being read."""
    source[0] = fill(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
