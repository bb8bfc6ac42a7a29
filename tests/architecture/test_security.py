"""Each promise of SECURITY.md has tests that hold it, and they are there."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
with (Path(__file__).parent / "security.csv").open(encoding="utf-8", newline="") as _file:
    ROWS = [[row["promise"], row["tests"]] for row in csv.DictReader(_file)]


def list_promises(page: str) -> list[str]:
    """Return what a page promises: its points with a name, and the limits of its table."""
    points = re.findall(r"^- \*\*(.+?)\.\*\*", page, re.MULTILINE)
    limits = page.split("## Limits")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.+?) \|", limits, re.MULTILINE)
    return [*points, *cells[2:]]


def test_each_promise_has_a_row_and_each_row_a_promise() -> None:
    promises = list_promises(PAGE)
    assert len(promises) >= 15
    assert sorted(set(promises)) == sorted({promise for promise, _ in ROWS})
    more = PAGE.replace("## Limits", "- **Fly.** Never.\n\n## Limits", 1)
    assert "Fly" in list_promises(more)


def test_each_row_names_a_test() -> None:
    assert len(ROWS) >= 15
    assert all(tests.startswith("tests/") for _, tests in ROWS)


def test_the_tests_of_each_promise_are_there() -> None:
    for name in (name for _, tests in ROWS for name in tests.split(", ")):
        path, _, function = name.partition("::")
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        tests = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not function or function in tests, name
        assert any(test.startswith("test_") for test in tests), name
