"""Each promise of SECURITY.md names the tests that hold it, and they are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
TABLE = PAGE.split("## What holds each promise")[1].split("\n## ")[0]
ROWS = [line for line in TABLE.splitlines() if line.startswith("| ")][2:]


def test_each_promise_names_a_test() -> None:
    assert len(ROWS) >= 10
    assert all("`tests/" in row.split("|")[2] for row in ROWS)


def test_the_tests_of_each_promise_are_there() -> None:
    for name in re.findall(r"`(tests/[^`]+)`", PAGE):
        path, _, function = name.partition("::")
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        tests = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not function or function in tests, name
        assert any(test.startswith("test_") for test in tests), name
