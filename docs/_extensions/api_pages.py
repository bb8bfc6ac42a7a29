"""One page per public name, made from reference/api.md, where every name is written down once.

Each `{eval-rst}` block of auto directives on that page becomes a table of its names with links, and
each directive gets a page of its own under reference/api/, which is not kept in the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # so that the tests read this module where Sphinx is not installed
    from sphinx.application import Sphinx

PAGE = "reference/api"
_GROUP = re.compile(r"^```\{eval-rst\}\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(
    r"^\.\. (?P<directive>auto(?:class|function|exception)):: (?P<name>\S+)\n"
    r"(?P<options>(?:   .*\n)*)",
    re.MULTILINE,
)
_SHAPE = re.compile(r"(?<=[ (])\(\w+(?:, \w*)*\)")
_BEFORE_NAPOLEON = 400


class Entry(NamedTuple):
    """A public name with the directive that documents it."""

    directive: str
    name: str
    options: str

    @property
    def title(self) -> str:
        """The name as a reader writes it; of a module further down, with the module alone."""
        return ".".join(self.name.removeprefix("earnest.").split(".")[-2:])

    @property
    def page(self) -> str:
        """The Markdown page of this name alone."""
        body = f".. {self.directive}:: {self.name}\n{self.options}"
        return f"# {self.title}\n\n```{{eval-rst}}\n{body}```\n"


def list_entries(text: str) -> Iterator[Entry]:
    """Yield the names of a page in their order."""
    for group in _GROUP.finditer(text):
        for found in _ENTRY.finditer(group["body"]):
            yield Entry(found["directive"], found["name"], found["options"])


def with_summaries(text: str) -> str:
    """Return the page with each group as a table, and its pages in the table of contents."""
    return _GROUP.sub(lambda group: _make_table(group[0]), text)


def _make_table(group: str) -> str:
    entries = list(list_entries(group))
    if not entries:
        return group
    names = "".join(f"   ~{entry.name}\n" for entry in entries)
    pages = "".join(f"{entry.title} <api/{entry.name}>\n" for entry in entries)
    return (
        f"```{{eval-rst}}\n.. autosummary::\n   :nosignatures:\n\n{names}```\n\n"
        f"```{{toctree}}\n:hidden:\n\n{pages}```"
    )


def write_pages(text: str, folder: Path) -> None:
    """Write the page of every name, and remove pages of names that are gone.

    A page that has not changed is not written again, so that Sphinx need not read it again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{entry.name}.md": entry.page for entry in list_entries(text)}
    for path in folder.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, page in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


def with_whole_shapes(line: str) -> str:
    """Return a line `name : type` with shapes without spaces, where napoleon would part them."""
    name, colon, kind = line.partition(" : ")
    if not colon or "shape" not in kind:
        return line
    return name + colon + _SHAPE.sub(lambda shape: shape[0].replace(", ", ","), kind)


def make_pages(app: Sphinx) -> None:
    """Write the pages before Sphinx looks for its sources."""
    text = (Path(app.srcdir) / f"{PAGE}.md").read_text(encoding="utf-8")
    write_pages(text, Path(app.srcdir) / PAGE)


def add_summaries(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put tables in place of the directives as the page is read."""
    if docname == PAGE:
        source[0] = with_summaries(source[0])


def keep_shapes(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Make the shapes of a docstring whole."""
    lines[:] = [with_whole_shapes(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", make_pages)
    app.connect("source-read", add_summaries)
    app.connect("autodoc-process-docstring", keep_shapes, priority=_BEFORE_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
