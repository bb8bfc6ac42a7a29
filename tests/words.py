"""Find where the package edits its own words, or reads them back.

Words are what the source says: literals of several words, and texts put together of them. They
are followed through variables, results of functions, properties and fields, over all modules at
once, until nothing new is found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SAID = re.compile(r"[A-Za-z][.,:;]? | [A-Za-z]")  # a word beside a space
FIELDS = frozenset({"what", "consequence", "cure"})  # the words of cautions and of errors
DATA = frozenset(  # names, whatever they are names of
    {"name", "names", "word", "metric", "method", "test", "label", "labels", "text"}
    | {"to_dict", "rows", "name_or_object"}
)
RENDERING = (
    frozenset(  # where words are rendered: arguments for a door, signs that harm, full stops
        {"earnest.core.text.doors", "earnest.core.text.cleaning", "earnest.core.base.errors"}
    )
)
CUTS = frozenset(
    {"removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "lstrip"}
    | {"rstrip", "startswith", "endswith"}
)
PATTERNS = frozenset({"sub", "subn", "split", "match", "search", "fullmatch", "findall"})
SAME = frozenset({"join", "format", "strip", "capitalize", "upper", "lower", "title", "replace"})
SAME_CALLS = frozenset({"str", "next", "list", "tuple", "sorted", "iter", "min", "max"})
Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Pair = tuple[ast.expr, ast.expr]


@dataclass
class Scope:
    """A function or the top of a module: what it binds, returns and calls, and what holds words."""

    module: str
    name: str
    member: bool
    texts: bool  # whether it returns text
    parameters: list[str]  # those that are text, an empty name for any other
    bindings: list[Pair]
    results: list[ast.expr]
    calls: list[tuple[ast.Call, list[ast.comprehension]]]
    said: set[str] = field(default_factory=set)


@dataclass
class Package:
    """All functions of a package, and what was found to hold words so far."""

    imported: dict[str, dict[str, str]]  # per module, the full names of what it imports
    fields: dict[str, set[str]]  # per class, its fields that are text
    scopes: list[Scope]
    said: set[str] = field(default_factory=set)  # functions and constants, by their full name
    members: set[str] = field(default_factory=lambda: set(FIELDS))  # properties and fields

    @classmethod
    def parse(cls, sources: dict[str, str]) -> Package:
        """Read modules from their names and texts."""
        trees = {name: ast.parse(text) for name, text in sources.items()}
        scopes = [scope for name, tree in trees.items() for scope in list_scopes(name, tree)]
        fields = {
            f"{name}.{node.name}": set(list_texts(node))
            for name, tree in trees.items()
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        }
        return cls({name: map_imports(tree) for name, tree in trees.items()}, fields, scopes)

    @classmethod
    def read(cls, root: Path) -> Package:
        """Read the modules of a folder."""
        return cls.parse(
            {
                ".".join((root.name, *path.relative_to(root).with_suffix("").parts)): (
                    path.read_text(encoding="utf-8")
                )
                for path in sorted(root.rglob("*.py"))
            }
        )

    def find_edits(self) -> list[str]:
        """Return the places that edit words or look into them: the module, the line, the call."""
        by_name = {f"{scope.module}.{scope.name}": scope for scope in self.scopes}
        while self._learn(by_name):
            pass
        return [
            f"{scope.module}, line {call.lineno}: {ast.unparse(call)}"
            for scope in self.scopes
            if scope.module not in RENDERING
            for call, loops in scope.calls
            if self._is_edit(call, scope, self._enter(loops, scope))
        ]

    def _learn(self, by_name: dict[str, Scope]) -> bool:
        """Follow words one step further through every function, and tell whether any moved."""
        moved = False
        for scope in self.scopes:
            for target, value in scope.bindings:
                if self._is_said(value, scope, scope.said):
                    names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
                    moved |= not names <= scope.said
                    scope.said |= names
            if scope.texts and any(
                self._is_said(each, scope, scope.said) for each in scope.results
            ):
                holders = self.members if scope.member else self.said
                name = scope.name if scope.member else f"{scope.module}.{scope.name}"
                moved |= name not in holders and name not in DATA
                holders.update({name} - DATA)
            if not scope.name:
                names = {f"{scope.module}.{name}" for name in scope.said}
                moved |= not names <= self.said
                self.said |= names
            for call, loops in scope.calls:
                moved |= self._learn_parameters(call, scope, self._enter(loops, scope), by_name)
        return moved

    def _learn_parameters(
        self, call: ast.Call, scope: Scope, local: set[str], by_name: dict[str, Scope]
    ) -> bool:
        """Mark the parameters and fields that a call gives words to."""
        if not isinstance(call.func, ast.Name):
            return False
        full = self._resolve(scope, call.func.id)
        names = {
            word.arg or "" for word in call.keywords if self._is_said(word.value, scope, local)
        }
        if full in self.fields:
            names = (names & self.fields[full]) - self.members - DATA
            self.members |= names
            return bool(names)
        callee = by_name.get(full)
        if callee is None:
            return False
        pairs = zip(callee.parameters, call.args, strict=False)
        names |= {name for name, value in pairs if self._is_said(value, scope, local)}
        names = (names & set(callee.parameters)) - DATA - {""} - callee.said
        callee.said |= names
        return bool(names)

    def _resolve(self, scope: Scope, name: str) -> str:
        return self.imported[scope.module].get(name, f"{scope.module}.{name}")

    def _enter(self, loops: list[ast.comprehension], scope: Scope) -> set[str]:
        """Return the variables that hold words within loops."""
        local = scope.said
        for loop in loops:
            names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
            local = local | names if self._is_said(loop.iter, scope, local) else local - names
        return local

    def _is_said(self, node: ast.AST | None, scope: Scope, local: set[str]) -> bool:
        """Tell whether an expression gives words."""
        match node:
            case ast.Constant(value=str(text)):
                return SAID.search(text) is not None
            case ast.FormattedValue() | ast.Starred() | ast.NamedExpr() | ast.Subscript():
                return self._is_said(node.value, scope, local)
            case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Mod()):
                return self._is_said(left, scope, local) or self._is_said(right, scope, local)
            case ast.IfExp(body=body, orelse=other):
                return self._is_said(body, scope, local) or self._is_said(other, scope, local)
            case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts) | ast.Dict(values=parts):
                return any(self._is_said(part, scope, local) for part in parts)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return any(self._is_said(part, scope, local) for part in parts)
            case ast.ListComp() | ast.GeneratorExp():
                inner = self._enter(node.generators, scope)
                return self._is_said(node.elt, scope, inner | local)
            case ast.Name(id=name):
                return name in local or self._resolve(scope, name) in self.said
            case ast.Attribute(attr=attr):
                return attr in self.members
            case ast.Call():
                return self._is_call_said(node, scope, local)
        return False

    def _is_call_said(self, call: ast.Call, scope: Scope, local: set[str]) -> bool:
        """Tell whether a call gives words: a function that says something, or a method of words."""
        match call.func:
            case ast.Name(id=name):
                if name in SAME_CALLS:
                    return any(self._is_said(each, scope, local) for each in call.args)
                return self._resolve(scope, name) in self.said
            case ast.Attribute(attr="join", value=owner):
                return any(self._is_said(each, scope, local) for each in (owner, *call.args))
            case ast.Attribute(attr=attr, value=owner) if attr in SAME | CUTS:
                return self._is_said(owner, scope, local)
            case ast.Attribute(attr=attr):
                return attr in self.members
        return False

    def _is_edit(self, call: ast.Call, scope: Scope, local: set[str]) -> bool:
        """Tell whether a call cuts words or replaces some of them; signs may be others."""
        if not isinstance(call.func, ast.Attribute) or not call.args:
            return False
        owner, attr = call.func.value, call.func.attr
        if attr in CUTS and not isinstance(owner, ast.Constant):
            return self._is_said(owner, scope, local)
        if attr == "replace":
            return not is_sign(call.args[0]) and self._is_said(owner, scope, local)
        if attr not in PATTERNS or (attr == "sub" and any(map(is_sign, call.args[:-1]))):
            return False
        return self._is_said(call.args[-1], scope, local)


def is_sign(node: ast.expr) -> bool:
    """Tell whether an argument is signs alone, such as a minus, a space or what escapes one."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return node.value != "" and re.search(r"[A-Za-z(\[]", node.value) is None


def map_imports(tree: ast.Module) -> dict[str, str]:
    """Return the full names of what a module imports, by the name it has there."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in walk_statements(tree.body)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def walk_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements with those within them, and no expression."""
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            for inner in getattr(node, block, ()):
                if isinstance(inner, ast.stmt):
                    yield from walk_statements([inner])
                elif isinstance(inner, ast.ExceptHandler | ast.match_case):
                    yield from walk_statements(inner.body)


CHILDREN = "_children"  # where a node keeps them, as several walks ask for them


def list_children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes below a node, those that say load or store aside."""
    children: list[ast.AST] | None = node.__dict__.get(CHILDREN)
    if children is None:
        below = ast.iter_child_nodes(node)
        children = [child for child in below if not isinstance(child, ast.expr_context)]
        setattr(node, CHILDREN, children)
    return children


def list_scopes(module: str, tree: ast.Module) -> Iterator[Scope]:
    """Yield the top of a module and all its functions; inner ones by their own name too."""
    top = [pair for node in tree.body for pair in list_bindings(node, deep=False)]
    yield Scope(module, "", False, False, [], top, [], [])
    for owner, function in list_functions(tree):
        arguments = function.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        names = [each.arg if is_text(each.annotation) else "" for each in every]
        bindings = [pair for node in function.body for pair in list_bindings(node, deep=True)]
        results, calls = list_results(function), list_calls(function, [])
        texts = is_text(function.returns)
        member = owner != ""
        yield Scope(module, function.name, member, texts, names, bindings, results, list(calls))


def is_text(annotation: ast.expr | None) -> bool:
    """Tell whether an annotation is of text, or of a row of texts."""
    return annotation is not None and re.search(r"\bstr\b", ast.unparse(annotation)) is not None


def list_texts(node: ast.ClassDef) -> Iterator[str]:
    """Yield the fields of a class that are text."""
    for field_ in node.body:
        if isinstance(field_, ast.AnnAssign) and is_text(field_.annotation):
            assert isinstance(field_.target, ast.Name)
            yield field_.target.id


def list_calls(
    node: ast.AST, loops: list[ast.comprehension]
) -> Iterator[tuple[ast.Call, list[ast.comprehension]]]:
    """Yield the calls of a function with the comprehensions they stand in."""
    for child in list_children(node):
        if isinstance(child, Function):
            continue
        inner = [*loops, *child.generators] if isinstance(child, Loop) else loops
        if isinstance(child, ast.Call):
            yield child, inner
        yield from list_calls(child, inner)


def list_functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, Function]]:
    """Yield all functions with the class they belong to."""
    for node in list_children(tree):
        if isinstance(node, Function):
            yield owner, node
            yield from list_functions(node)
        elif isinstance(node, ast.ClassDef):
            yield from list_functions(node, node.name)
        elif not isinstance(node, ast.expr):
            yield from list_functions(node, owner)


def list_bindings(node: ast.AST, *, deep: bool) -> Iterator[Pair]:
    """Yield what is bound to what below a statement, pair by pair where a tuple is unpacked."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
            return
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from pair(target, value)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            yield target, value
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value):
            yield target, value
    if deep:
        for child in list_children(node):
            if not isinstance(child, ast.comprehension):
                yield from list_bindings(child, deep=True)


def pair(target: ast.expr, value: ast.expr) -> Iterator[Pair]:
    """Yield the members of an unpacked tuple with their values."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for member, item in zip(targets, values, strict=True):
                yield from pair(member, item)
        case _:
            yield target, value


def list_results(function: Function) -> list[ast.expr]:
    """Return what a function returns or yields, that of its inner functions aside."""
    results: list[ast.expr] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            results.append(node.value)
        stack.extend(list_children(node))
    return results
