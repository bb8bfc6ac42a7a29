"""The Python API has a table before every group, and shapes that read as they were written."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    path = ROOT / "docs" / "_extensions" / "api_pages.py"
    spec = importlib.util.spec_from_file_location("api_pages", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


api_pages = load()


def test_a_group_gets_a_table_of_its_names() -> None:
    group = ".. autofunction:: earnest.tune\n.. autoclass:: earnest.Model\n   :members: predict\n"
    text = f"## Verbs\n\n```{{eval-rst}}\n{group}```\n\nMore.\n"
    table = ".. autosummary::\n   :nosignatures:\n\n   ~earnest.tune\n   ~earnest.Model\n\n"
    assert api_pages.with_summaries(text) == text.replace(group, table + group)


def test_a_block_without_names_is_left_as_it_is() -> None:
    text = "```{eval-rst}\n.. note:: nothing\n```\n"
    assert api_pages.with_summaries(text) == text


def test_every_group_of_the_page_gets_one_and_every_name_is_in_one() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    dressed = api_pages.with_summaries(page)
    assert dressed.count(".. autosummary::") == page.count("```{eval-rst}")
    assert dressed.count("   ~earnest.") == page.count("\n.. auto")


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
