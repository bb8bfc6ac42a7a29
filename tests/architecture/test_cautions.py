"""No module but the catalogue looks at the code or the kind of a caution, or words one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import earnest
from earnest.core import list_kinds
from tests.scripts import load_script

ROOT = Path(earnest.__file__).parent
CATALOGUE = {
    *(ROOT / "core" / "cautions").glob("*.py"),
    ROOT / "core" / "results" / "cautions.py",
}
EVERYWHERE = sorted(ROOT.rglob("*.py"))
SOURCES = [path for path in EVERYWHERE if path not in CATALOGUE]
CODE = re.compile(r"EN\d{3}")
EQUALITY = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
SENTENCE = re.compile(r"\w\s+\w+\s+\w")  # three words


def find_faults(tree: ast.Module) -> Iterator[str]:
    """Yield what a module must not do with cautions."""
    documented = {id(text) for node in ast.walk(tree) for text in _list_docstrings(node)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if CODE.fullmatch(node.value) and id(node) not in documented:
                yield f"line {line} names the code {node.value}"
        elif isinstance(node, ast.Compare) and any(isinstance(o, EQUALITY) for o in node.ops):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Attribute) and side.attr == "code" for side in sides):
                yield f"line {line} compares a code"
            if any(_names_kind(side) for side in sides):
                yield f"line {line} compares a kind of caution"
        elif isinstance(node, ast.Call):
            yield from _find_faulty_call(node)
        elif isinstance(node, ast.Name) and node.id == "Caution" and _is_called(tree, node):
            yield f"line {line} makes a caution beside the catalogue"


def _list_docstrings(node: ast.AST) -> list[ast.expr]:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    return [first.value] if isinstance(first, ast.Expr) else []


def _names_kind(side: ast.expr) -> bool:
    names = [part.value for part in ast.walk(side) if isinstance(part, ast.Constant)]
    looks = isinstance(side, ast.Constant | ast.Set | ast.Tuple | ast.List)
    return looks and any(name in UNMISTAKABLE for name in names if isinstance(name, str))


# Kinds whose name is no other word of the source; names of one word may be.
UNMISTAKABLE = {name for name in list_kinds() if "_" in name}


def _find_faulty_call(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "attr", "")
    owner = getattr(call.func, "value", None)
    if isinstance(owner, ast.Name) and owner.id.startswith("of_") and name in list_kinds():
        facts = [*call.args, *(word.value for word in call.keywords)]
        parts = [part for fact in facts for part in ast.walk(fact)]
        if any(SENTENCE.search(_read_text(part)) for part in parts):
            yield f"line {call.lineno} words a caution"


def _read_text(part: ast.AST) -> str:
    """Return a literal text, with x for what is filled in."""
    if isinstance(part, ast.JoinedStr):
        return "".join(map(_read_text, part.values))
    if isinstance(part, ast.FormattedValue):
        return "x"
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def _is_called(tree: ast.Module, name: ast.Name) -> bool:
    return any(isinstance(node, ast.Call) and node.func is name for node in ast.walk(tree))


def test_nothing_at_all_compares_a_code() -> None:
    count = load_script("scripts/house.py").count_code_comparisons
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in EVERYWHERE}
    assert [path for path, tree in trees.items() if count(tree)] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_neither_compares_nor_words_cautions(path: Path) -> None:
    assert list(find_faults(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "source",
    [
        "kept = [c for c in cautions if c.code not in LEFT]",
        "grave = caution.code == other",
        "LEFT = {'EN001'}",
        "low = each.kind == 'few_folds'",
        "low = each.kind in ('few_folds', 'few_repeats')",
        "yield_ = Caution('few_folds')",
        "of_limits.no_tilt('that of Wilson at the level')",
        "of_limits.no_tilt(limit=f'{one} of the {other} cases here')",
    ],
)
def test_what_is_forbidden_is_found(source: str) -> None:
    assert list(find_faults(ast.parse(source)))


def test_what_is_allowed_is_not_found() -> None:
    source = '''
"""Says `EN001`."""
names = {caution.code for caution in cautions}
about = caution.about is Scope.FOLDS
yielded = of_limits.few_folds(3)
'''
    assert list(find_faults(ast.parse(source))) == []
