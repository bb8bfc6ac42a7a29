"""What stands beside the package, benchmarks and scripts, asks it for names that it has."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path
    for folder in ("benchmarks", "docs", "scripts")
    for path in (ROOT / folder).rglob("*.py")
    if "_build" not in path.parts
)


def names_of_earnest(path: Path) -> list[tuple[str, str]]:
    """Return (module, name) of everything a script imports from earnest."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "earnest"
        for alias in node.names
        if node.module is not None
    ]


def test_there_are_scripts_to_look_at() -> None:
    assert sum(bool(names_of_earnest(path)) for path in SCRIPTS) > 20


def test_a_script_imports_names_that_earnest_has() -> None:
    for path in SCRIPTS:
        for module, name in names_of_earnest(path):
            known = hasattr(import_module(module), name) or find_spec(f"{module}.{name}")
            assert known, f"{path}: {module}.{name}"
