"""The Python API: a page for every public name, a table of each group, shapes as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]


api_pages = load_script("docs/_extensions/api_pages.py")


GROUP = (
    ".. autofunction:: earnest.tune\n.. autoclass:: earnest.results.Model\n   :members: predict\n"
)
TEXT = f"## Verbs\n\n```{{eval-rst}}\n{GROUP}```\n\nMore.\n"


def test_a_group_becomes_a_table_of_its_names_with_their_pages() -> None:
    names = "   ~earnest.tune\n   ~earnest.results.Model\n"
    table = f".. autosummary::\n   :nosignatures:\n\n{names}```\n\n"
    links = "tune <api/earnest.tune>\nresults.Model <api/earnest.results.Model>\n"
    pages = f"```{{toctree}}\n:hidden:\n\n{links}"
    assert api_pages.with_summaries(TEXT) == TEXT.replace(f"{GROUP}", table + pages)


def test_a_block_without_names_is_left_as_it_is() -> None:
    text = "```{eval-rst}\n.. note:: nothing\n```\n"
    assert api_pages.with_summaries(text) == text


def test_every_name_of_the_page_gets_a_page_with_its_members(tmp_path: Path) -> None:
    api_pages.write_pages(TEXT, tmp_path)
    block = ".. autoclass:: earnest.results.Model\n   :members: predict\n"
    model = f"# results.Model\n\n```{{eval-rst}}\n{block}```\n"
    assert (tmp_path / "earnest.results.Model.md").read_text(encoding="utf-8") == model
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    api_pages.write_pages(page, tmp_path)
    assert len(list(tmp_path.glob("*.md"))) == page.count("\n.. auto")


def test_no_two_pages_have_names_that_differ_in_case_alone() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    names = [entry.name for entry in api_pages.list_entries(page)]
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert f" <api/{name}>\n" in api_pages.with_summaries(page)


def test_a_page_of_a_name_that_is_gone_is_removed_and_others_are_left(tmp_path: Path) -> None:
    api_pages.write_pages(TEXT, tmp_path)
    before = (tmp_path / "earnest.tune.md").stat().st_mtime_ns
    api_pages.write_pages(
        TEXT.replace(".. autoclass:: earnest.results.Model\n   :members: predict\n", ""), tmp_path
    )
    assert [path.name for path in tmp_path.glob("*.md")] == ["earnest.tune.md"]
    assert (tmp_path / "earnest.tune.md").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("line", "dressed"),
    [
        ("counts : ndarray, shape (B, n)", "counts : ndarray, shape (B,n)"),
        ("y : array-like of shape (n,), optional", "y : array-like of shape (n,), optional"),
        ("a : ndarray, shape (n, C) or (n, C, R)", "a : ndarray, shape (n,C) or (n,C,R)"),
        ("pair : tuple (a, b)", "pair : tuple (a, b)"),
        ("    The shape (B, n) of the draws.", "    The shape (B, n) of the draws."),
    ],
)
def test_only_the_shape_of_a_type_loses_its_spaces(line: str, dressed: str) -> None:
    assert api_pages.with_whole_shapes(line) == dressed
