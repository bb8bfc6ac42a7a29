"""Fill in the tables that the source itself words when the site is built: options, metrics, facts.

A page asks for one with `<!-- made: NAME ARGUMENTS -->`, from the tables of `_tables.py`. Elsewhere
`earnest COMMAND --help-all`, `earnest metrics`, `methods` and `tests` say the same, so the
repository need not hold it twice.
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
