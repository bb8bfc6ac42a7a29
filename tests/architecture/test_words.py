"""Nothing edits or reads back a sentence that is written: facts are fields, words come last."""

from __future__ import annotations

from pathlib import Path

import pytest

import earnest
from tests.words import Package

HELPERS = """
from enum import StrEnum

MESSAGE = "The interval is as wide as that"
CUT = " as that"


def describe(width: float) -> str:
    return f"band {width} wide"


class Leaf:
    @property
    def facts(self) -> str:
        return ", ".join(["three trials", describe(3.0)])
"""


def find_edits(source: str) -> list[str]:
    """Return the edits in a module that imports from another one."""
    imports = "from pack.words import CUT, MESSAGE, Leaf, describe\n"
    return Package.parse({"pack.words": HELPERS, "pack.user": imports + source}).find_edits()


def test_no_module_edits_words() -> None:
    assert Package.read(Path(earnest.__file__).parent).find_edits() == []


@pytest.mark.parametrize(
    "source",
    [
        "def f() -> str:\n    return describe(1.0).removeprefix('band ')",
        "def f() -> str:\n    words = describe(1.0)\n    return words.replace('wide', 'narrow')",
        "def f(leaf: Leaf) -> str:\n    return leaf.facts.rpartition(', ')[0]",
        "def f(leaf: Leaf) -> str:\n    return f'{leaf.facts}.'.removesuffix('.')",
        "def f() -> str:\n    return MESSAGE.removesuffix(CUT)",
        "def f() -> bool:\n    return MESSAGE.startswith('The')",
        "def f() -> str:\n    return re.sub('wide', 'narrow', describe(1.0))",
        "def f() -> str:\n    return PATTERN.sub('', describe(1.0))",
        "def f() -> list[str]:\n    return [w.split(' ')[0] for w in (describe(1.0), MESSAGE)]",
        "def f(caution: object) -> str:\n    return str(caution.cure).replace('a', 'b')",
        "def f(error: Exception) -> str:\n    return error.what.replace('`y`', 'target')",
        "def cut(words: str) -> str:\n    return words.removeprefix('band ')\n"
        "def f() -> str:\n    return cut(describe(1.0))",
        "class Row:\n    said: str\n\ndef f() -> Row:\n    return Row(said=describe(1.0))\n"
        "def g(row: Row) -> str:\n    return row.said.lstrip('b')",
    ],
)
def test_edits_are_found(source: str) -> None:
    assert len(find_edits(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def f(path: str) -> str:\n    return path.removesuffix('.csv')",
        "def f(name: str) -> str:\n    return name.partition('(')[0]",
        "def f() -> str:\n    return describe(1.0).replace('-', '\u2212')",
        "def f() -> str:\n    return describe(1.0).replace('\xa0', ' ')",
        "def f() -> str:\n    return describe(1.0).capitalize()",
    ],
)
def test_data_and_signs_may_be_edited(source: str) -> None:
    assert find_edits(source) == []
