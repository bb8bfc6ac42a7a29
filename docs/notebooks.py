"""Make the tutorials into notebooks: `python docs/notebooks.py` writes them beside their pages.

A tutorial is written once, as a Markdown page. Its Python blocks become cells, its commands become
cells that begin with `!`, what a block prints becomes the output of its cell, and the text between
them becomes cells of text. Blocks of other kinds, which no test runs, stay text. The notebooks are
not kept in the repository: `make docs` and Binder make them, and the tests run them.

Between `<!-- page only -->` and `<!-- page and notebook -->` a page may show what a notebook should
not carry. A notebook travels alone, to Colab for one: it holds its pictures, and its first cell
installs earnest where that is missing. Addresses come from `[project.urls]` of pyproject.toml. As
long as there are none, links to other pages are words, the first cell installs a wheel that lies
beside the notebook, and no page offers Binder.
"""

from __future__ import annotations

import base64
import json
import re
import shlex
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))  # tests load this file by its path
import _generate as generate

if TYPE_CHECKING:  # so that the tests read this module where Sphinx is not installed
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
TUTORIALS = sorted((DOCS / "tutorials").glob("[0-9]*.md"))

FROM_WHEEL = """\
# Where earnest is not installed (Colab, for one), put its wheel into this folder first.
# `make test-package` builds the wheel in a clone of the repository.
from importlib.util import find_spec

if find_spec("earnest") is None:
    %pip install --quiet earnest-*.whl
"""
FROM_REPOSITORY = """\
# Installs earnest where it is missing: in Colab, for one.
from importlib.util import find_spec

if find_spec("earnest") is None:
    %pip install --quiet git+{repository}
"""

_PAGE_ONLY = re.compile(r"<!-- page only -->.*?<!-- page and notebook -->\n*", re.DOTALL)
_LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_PICTURE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ESCAPE = re.compile(r"^(?P<indent> *)(?P<line>[!%].*)$", re.MULTILINE)

Cell = dict[str, Any]  # as JSON has it


class Addresses(NamedTuple):
    """Where the repository and the documentation are; nothing as long as they are nowhere."""

    repository: str = ""
    site: str = ""

    @property
    def binder(self) -> str:
        """Where Binder starts the folder of notebooks; it knows GitHub by name."""
        found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", self.repository)
        return f"https://mybinder.org/v2/gh/{found[1]}/HEAD?urlpath=lab/tree/" if found else ""


NOWHERE = Addresses()


def find_addresses() -> Addresses:
    """Return the addresses that pyproject.toml has."""
    config = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    urls = config["project"].get("urls", {})
    return Addresses(urls.get("Repository", ""), urls.get("Documentation", ""))


# ---- from a page to a notebook


def make_notebook(page: Path, addresses: Addresses = NOWHERE) -> dict[str, Any]:
    """Return the notebook of a tutorial, as JSON has it."""
    site = addresses.site
    text = _PAGE_ONLY.sub("", page.read_text(encoding="utf-8"))
    found = [b for b in generate.blocks(text) if b.language in ("python", "console", "text")]
    cells: list[Cell] = []
    place = 0
    for block, after in pairwise([*found, generate.Block("", "", len(text), len(text))]):
        if block.start < place or block.language == "text":
            continue  # the output of the cell before, or a diagram
        cells += _make_text(text[place : _find_fence(text, block)], page, site)
        place = text.index("\n", block.stop) + 1
        if block.language == "console":
            cells += _make_commands(block.body)
        elif generate.is_output(text, block, after):
            cells.append(_make_code(block.body, after.body))
            place = text.index("\n", after.stop) + 1
        else:
            cells.append(_make_code(block.body))
    cells += _make_text(text[place:], page, site)
    install = FROM_REPOSITORY if addresses.repository else FROM_WHEEL
    cells.insert(1, _make_code(install.replace("{repository}", addresses.repository)))
    return {
        "cells": [{"id": f"cell-{place}", **cell} for place, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _find_fence(text: str, block: generate.Block) -> int:
    """Return where the line of backquotes before a block begins."""
    return text.rindex("\n", 0, block.start - 1) + 1


def _make_code(source: str, shown: str = "") -> Cell:
    stream = {"output_type": "stream", "name": "stdout", "text": _split(shown)}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [stream] if shown else [],
        "source": _split(source.rstrip("\n")),
    }


def _make_commands(body: str) -> list[Cell]:
    """Return a cell for each command of a console block, with what it prints."""
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    split = (part.partition("\n") for part in parts)
    return [_make_code(f"!{command}", printed) for command, _, printed in split]


def _make_text(text: str, page: Path, site: str) -> list[Cell]:
    text = text.strip("\n")
    if not text:
        return []
    attachments: dict[str, dict[str, str]] = {}

    def attach(match: re.Match[str]) -> str:
        path = page.parent / match["target"]
        attachments[path.name] = {"image/png": base64.b64encode(path.read_bytes()).decode()}
        return f"![{match['words']}](attachment:{path.name})"

    def lead(match: re.Match[str]) -> str:
        return _make_link(match["words"], match["target"], page, site)

    source = _LINK.sub(lead, _PICTURE.sub(attach, text))
    cell: Cell = {"cell_type": "markdown", "metadata": {}, "source": _split(source)}
    return [cell | {"attachments": attachments}] if attachments else [cell]


def _make_link(words: str, target: str, page: Path, site: str) -> str:
    """Return a link that works away from the page, or its words alone."""
    if re.match(r"[a-z]+:", target):
        return f"[{words}]({target})"
    if not site:
        return words
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve().relative_to(DOCS).with_suffix(".html").as_posix()
    return f"[{words}]({site.rstrip('/')}/{there}{'#' if anchor else ''}{anchor})"


def _split(text: str) -> list[str]:
    return text.splitlines(keepends=True)


# ---- from a notebook to what it prints


def run_notebook(notebook: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Run a notebook in a folder; return what each cell shows beside what it prints.

    It runs in this process, without Jupyter: a line that begins with `!` may call `earnest` alone.
    """
    outputs = []
    with generate.example_module() as names, generate.hearing_ctrl_c():
        names["run_line"] = lambda line: print(_run_line(line, folder), end="")
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            code = _ESCAPE.sub(_call_line, "".join(cell["source"]))
            printed = generate.run_python(code, names, folder)
            if cell["outputs"] or code.startswith("run_line"):
                shown = "".join(line for out in cell["outputs"] for line in out["text"])
                outputs.append((shown, printed))
    return outputs


def _call_line(match: re.Match[str]) -> str:
    return f"{match['indent']}run_line({match['line']!r})"


def _run_line(line: str, folder: Path) -> str:
    words = shlex.split(line.removesuffix(generate.REFUSED))
    if words[0] != "!earnest":
        raise ValueError(f"a notebook runs earnest only, not {line!r}")
    return generate.run_cli(words[1:], folder, refused=line.endswith(generate.REFUSED))


# ---- on disk, and on the site


def write_notebooks(folder: Path) -> list[Path]:
    """Write the notebook of every tutorial to a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in TUTORIALS:
        path = folder / f"{page.stem}.ipynb"
        made = (
            json.dumps(make_notebook(page, find_addresses()), ensure_ascii=False, indent=1) + "\n"
        )
        if not path.exists() or path.read_text(encoding="utf-8") != made:
            path.write_text(made, encoding="utf-8")
        written.append(path)
    return written


def add_link(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a link to the notebook under the title of a tutorial."""
    page = DOCS / f"{docname}.md"
    if page in TUTORIALS:
        source[0] = with_link(source[0], page, find_addresses())


def with_link(text: str, page: Path, addresses: Addresses) -> str:
    """Return the text of a tutorial with the ways to its notebook under the title."""
    title, rest = text.split("\n", 1)
    link = f"{{download}}`Download this tutorial as a notebook <{page.stem}.ipynb>`"
    if addresses.binder:
        link += f" or [run it in Binder]({addresses.binder}docs/tutorials/{page.stem}.ipynb)."
    return f"{title}\n\n{link}\n{rest}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register this file as an extension of the site."""
    app.connect("builder-inited", lambda app: write_notebooks(DOCS / "tutorials") and None)
    app.connect("source-read", add_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    asked = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "tutorials"
    for path in write_notebooks(asked):
        print("wrote", path)
