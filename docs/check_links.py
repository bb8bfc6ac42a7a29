"""Check every link of a built site without a network: `python docs/check_links.py FOLDER`.

A link inside the site must lead to a file, and its anchor to an element of that page. Paths must be
relative, so that the site also works from a folder on a disk. A link to elsewhere need only be well
formed, but nothing that a page loads (scripts, styles, pictures, fonts) may come from elsewhere.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

_LOADED = {"img", "script", "iframe", "source", "video", "audio", "embed", "object", "use", "image"}
_LOADED_BY_LINK = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}
_ADDRESSES = ("href", "src", "data", "poster", "xlink:href")


@dataclass(frozen=True)
class Link:
    """An address as a page has it, its line, and whether the page loads what is there."""

    target: str
    line: int
    loaded: bool


@dataclass(frozen=True)
class Problem:
    """A link that is broken, and why."""

    page: str
    line: int
    target: str
    why: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.target!r} {self.why}"


class Page(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.anchors: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what a tag points to, and what can be pointed to."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        loaded = tag in _LOADED or bool(_LOADED_BY_LINK & set(values.get("rel", "").split()))
        found = [values[name] for name in _ADDRESSES if name in values and not _is_text(tag, name)]
        found += [part.split()[0] for part in values.get("srcset", "").split(",") if part.strip()]
        self.links += [Link(target, self.getpos()[0], loaded) for target in found]


def _is_text(tag: str, attribute: str) -> bool:
    return attribute == "data" and tag != "object"


@dataclass
class Site:
    """A folder of pages, each read once."""

    root: Path
    _pages: dict[Path, Page] = field(default_factory=dict)

    def files(self) -> list[Path]:
        """Return the pages in order; what the theme keeps beside its scripts is none."""
        found = sorted(self.root.rglob("*.html"))
        return [path for path in found if path.relative_to(self.root).parts[0] != "_static"]

    def page(self, path: Path) -> Page:
        """Return what is on a page."""
        if path not in self._pages:
            self._pages[path] = Page(path.read_text(encoding="utf-8"))
        return self._pages[path]

    def problems(self) -> Iterator[Problem]:
        """Yield every link that is broken."""
        for path in self.files():
            for link in self.page(path).links:
                why = self.trouble(path, link)
                if why:
                    where = path.relative_to(self.root).as_posix()
                    yield Problem(where, link.line, link.target, why)

    def trouble(self, path: Path, link: Link) -> str:
        """Say what is wrong with a link, or nothing."""
        if not link.target.strip():
            return "is empty"
        try:
            parts = urlsplit(link.target)
        except ValueError as error:
            return f"is not an address: {error}"
        if parts.scheme or parts.netloc:
            return _trouble_outside(parts, link.loaded)
        if parts.path.startswith("/"):
            return "is absolute: it works on one server only"
        return self._trouble_inside(path, parts)

    def _trouble_inside(self, path: Path, parts: SplitResult) -> str:
        there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if there.is_dir():
            there /= "index.html"
        if not there.is_file():
            return "leads to no file"
        if not there.is_relative_to(self.root):
            return "leads out of the site"
        anchor = unquote(parts.fragment)
        if anchor and there.suffix == ".html" and anchor not in self.page(there).anchors:
            return f"leads to no place: {there.name} has no element of that id"
        return ""


def _trouble_outside(parts: SplitResult, loaded: bool) -> str:
    if parts.scheme == "data":
        return ""
    if loaded:
        return "is loaded from elsewhere: the page does not work without a network"
    if parts.scheme == "mailto":
        return "" if re.fullmatch(r"[^@\s]+@[^@\s]+", parts.path) else "is no mail address"
    if parts.scheme not in ("http", "https"):
        return "has an unknown scheme"
    if not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc) or " " in parts.path:
        return "is not well formed"
    return ""


def main(arguments: list[str]) -> int:
    """Check a site, tell of each broken link, and return how the process shall end."""
    site = Site(Path(arguments[0]).resolve())
    pages = site.files()
    if not pages:
        print(f"no page in {arguments[0]}", file=sys.stderr)
        return 2
    problems = list(site.problems())
    for problem in problems:
        print(problem, file=sys.stderr)
    links = sum(len(site.page(path).links) for path in pages)
    print(f"{len(pages)} pages, {links} links and pictures, {len(problems)} broken")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
