"""No module but the catalogue looks at the code or the kind of a caution, or words one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
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
    worded = {id(call): names for call, names in _follow_words(tree)}
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
            yield from _find_faulty_call(node, worded)
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


def _follow_words(tree: ast.Module) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Yield every call within a function, with the variables there that may hold a sentence."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        inner = {id(node) for part in function.body for node in ast.walk(part)}
        inner -= {
            id(node)
            for other in functions
            if other is not function and id(other) in inner
            for node in ast.walk(other)
        }
        nodes = [node for node in ast.walk(function) if id(node) in inner]
        pairs = [pair for node in nodes for pair in _list_assigned(node)]
        names: frozenset[str] = frozenset()
        while (more := names | {name for name, text in pairs if _holds(text, names)}) != names:
            names = more
        yield from ((node, names) for node in nodes if isinstance(node, ast.Call))


def _list_assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a statement assigns to which variable."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=True)
                yield from ((t.id, value) for t, value in pairs if isinstance(t, ast.Name))
            elif isinstance(target, ast.Name):
                yield target.id, node.value
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield ast.unparse(node.target), node.value


def _holds(text: ast.expr, names: frozenset[str]) -> bool:
    """Tell whether an expression gives a sentence, by itself or from variables that hold one."""
    match text:
        case ast.Name(id=name):
            return name in names
        case ast.IfExp(body=body, orelse=other):
            return _holds(body, names) or _holds(other, names)
        case ast.BinOp(left=left, right=right):
            return _holds(left, names) or _holds(right, names)
        case ast.Dict(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            return any(_holds(value, names) for value in values)
        case ast.Subscript(value=value):
            return _holds(value, names)
    return SENTENCE.search(_read_text(text)) is not None


def _find_faulty_call(call: ast.Call, worded: dict[int, frozenset[str]]) -> Iterator[str]:
    name = getattr(call.func, "attr", "")
    owner = getattr(call.func, "value", None)
    if isinstance(owner, ast.Name) and owner.id.startswith("of_") and name in list_kinds():
        facts = [*call.args, *(word.value for word in call.keywords)]
        parts = [part for fact in facts for part in ast.walk(fact)]
        if any(SENTENCE.search(_read_text(part)) for part in parts):
            yield f"line {call.lineno} words a caution"
        if any(_holds(fact, worded.get(id(call), frozenset())) for fact in facts):
            yield f"line {call.lineno} hands a caution words in a variable"


def _read_text(part: ast.AST) -> str:
    """Return a literal text, with x for what is filled in."""
    if isinstance(part, ast.JoinedStr):
        return "".join(map(_read_text, part.values))
    if isinstance(part, ast.FormattedValue):
        return "x"
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def _is_called(tree: ast.Module, name: ast.Name) -> bool:
    return any(isinstance(node, ast.Call) and node.func is name for node in ast.walk(tree))


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_nothing_at_all_compares_a_code() -> None:
    count = load_script("scripts/house.py").count_code_comparisons
    assert [path for path in EVERYWHERE if count(parse(path))] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_neither_compares_nor_words_cautions(path: Path) -> None:
    assert list(find_faults(parse(path))) == []


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
        "def f():\n    limit = 'that of Wilson'\n    return of_limits.no_tilt(limit)",
        "def f():\n    words, n = f'the limit of {law} for', 3\n    of_limits.no_tilt(limit=words)",
        "def f(law):\n    limit = LAWS\n    limit = {1: 'that of Wilson'}[law]\n"
        "    words = limit\n    words += '.'\n    return of_limits.no_tilt(words)",
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
