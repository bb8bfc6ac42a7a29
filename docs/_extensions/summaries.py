"""Put a table of names and first sentences before every group of the Python API.

The groups are the `{eval-rst}` blocks of auto directives in reference/api.md: the table follows
from the block, so that a name is written down once.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

PAGE = "reference/api"
_GROUP = re.compile(r"^```\{eval-rst\}\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^\.\. auto(?:class|function|exception):: (\S+)$", re.MULTILINE)


def with_summaries(text: str) -> str:
    """Return the page with a table before each group."""
    return _GROUP.sub(_with_table, text)


def _with_table(group: re.Match[str]) -> str:
    names = "".join(f"   {name}\n" for name in _NAME.findall(group["body"]))
    table = f".. autosummary::\n   :nosignatures:\n\n{names}\n" if names else ""
    return "```{eval-rst}\n" + table + group["body"] + "```"


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the tables as the page is read."""
    if docname == PAGE:
        source[0] = with_summaries(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
