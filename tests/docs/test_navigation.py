"""A reader finds every page: from the front page to a section, from a section to the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GALLERY = "examples/index"  # made of docs/gallery by `make docs`
BY_HAND = ["tutorials", "how-to", "explanation", "reference", "papers", "development"]


def entries(page: Path) -> list[str]:
    """The pages of the tables of contents of a page, one after the other."""
    found = re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    return [line for part in found for line in part.splitlines() if line and line[0] != ":"]


def linked(page: Path) -> list[str]:
    """The pages that a page links to, without `.md` or `.rst`, in their order."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    return re.findall(r"\]\(([^)#\s]+)\.(?:md|rst)(?:#[^)]*)?\)", text)


@pytest.mark.parametrize("section", BY_HAND)
def test_a_section_lists_its_pages_as_its_sidebar_does(section: str) -> None:
    index = DOCS / section / "index.md"
    mine = [link for link in linked(index) if not link.startswith("..")]
    assert mine == [entry for entry in entries(index) if not entry.startswith("..")]


@pytest.mark.parametrize("section", BY_HAND)
def test_every_page_of_a_section_has_its_place(section: str) -> None:
    pages = {page.stem for page in (DOCS / section).glob("*.md")} - {"index"}
    placed = entries(DOCS / section / "index.md")
    assert {entry for entry in placed if "/" not in entry} == pages
    assert len(set(placed)) == len(placed)


def test_the_front_page_and_the_readme_lead_to_every_section() -> None:
    sections = entries(DOCS / "index.md")
    front = [link for link in linked(DOCS / "index.md") if link.endswith("/index")]
    readme = [link for link in linked(ROOT / "README.md") if link.endswith("/index")]
    assert front == sections
    assert readme == [f"docs/{section}" for section in sections if section != GALLERY]
    assert "](docs/gallery/)" in (ROOT / "README.md").read_text("utf-8")


def test_the_gallery_is_a_section_of_its_own_and_in_no_other() -> None:
    conf = (DOCS / "conf.py").read_text("utf-8")
    assert f'"gallery_dirs": "{Path(GALLERY).parent}"' in conf
    pages = [page for page in DOCS.rglob("*.md") if "_build" not in page.parts]
    holding = [page for page in pages if any(line.endswith(GALLERY) for line in entries(page))]
    assert holding == [DOCS / "index.md"]


def test_the_page_for_language_models_leads_to_every_section_and_to_pages_that_are_there() -> None:
    text = (DOCS / "llms.txt").read_text("utf-8")
    assert text.startswith("# earnest\n\n> ")
    found = re.findall(r"\]\((\S+)\.html\)", text)
    assert found
    assert [name for name in found if not (DOCS / f"{name}.md").is_file()] == []
    sections = {name.partition("/")[0] for name in found}
    assert sections == {"how-to", "explanation", "papers", "reference", "methods"}
    assert 'html_extra_path = ["llms.txt"]' in (DOCS / "conf.py").read_text("utf-8")


def test_the_paper_cites_what_its_bibliography_has_and_nothing_else() -> None:
    text, entries = (
        (ROOT / "paper" / name).read_text("utf-8") for name in ("paper.md", "paper.bib")
    )
    assert set(re.findall(r"@(\w+)\]", text)) == set(re.findall(r"^@\w+\{(\w+),", entries, re.M))
    assert "# AI usage disclosure" in text


def test_every_folder_of_pages_is_a_section_or_part_of_one() -> None:
    folders = {page.parent.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    made = {"examples", "reference/api"}  # by `make docs`, and not kept
    folders = {folder for folder in folders if not folder.startswith("_")} - made
    sections = {Path(section).parent.as_posix() for section in entries(DOCS / "index.md")}
    assert folders - sections == {".", "comparison", "development/decisions"}
    assert sections - folders == {"examples"}
