"""Dress the Python API: a table before every group, and types of parameters that read as written.

The groups are the `{eval-rst}` blocks of auto directives in reference/api.md: the table follows
from the block, so that a name is written down once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that the tests read this module where Sphinx is not installed
    from sphinx.application import Sphinx

PAGE = "reference/api"
_GROUP = re.compile(r"^```\{eval-rst\}\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^\.\. auto(?:class|function|exception):: (\S+)$", re.MULTILINE)
_SHAPE = re.compile(r"(?<=[ (])\(\w+(?:, \w*)*\)")
_BEFORE_NAPOLEON = 400


def with_summaries(text: str) -> str:
    """Return the page with a table before each group."""
    return _GROUP.sub(_with_table, text)


def _with_table(group: re.Match[str]) -> str:
    names = "".join(f"   ~{name}\n" for name in _NAME.findall(group["body"]))
    table = f".. autosummary::\n   :nosignatures:\n\n{names}\n" if names else ""
    return "```{eval-rst}\n" + table + group["body"] + "```"


def with_whole_shapes(line: str) -> str:
    """Return a line `name : type` with shapes without spaces, where napoleon would part them."""
    name, colon, kind = line.partition(" : ")
    if not colon or "shape" not in kind:
        return line
    return name + colon + _SHAPE.sub(lambda shape: shape[0].replace(", ", ","), kind)


def add_summaries(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the tables as the page is read."""
    if docname == PAGE:
        source[0] = with_summaries(source[0])


def keep_shapes(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Make the shapes of a docstring whole."""
    lines[:] = [with_whole_shapes(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", add_summaries)
    app.connect("autodoc-process-docstring", keep_shapes, priority=_BEFORE_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
