"""Change one place of the package at a time, and see whether a test notices.

`python scripts/mutants.py --count 60 --seed 1 --out mutants.jsonl` draws as many places in every
room, changes each in a copy of the package (another comparison, operator, number or truth value)
and runs the tests nearest to it: those of its module, those of the same name elsewhere, those of
its folder, and those beside it on the way up to its room; the first failure ends them. A mutant
that no test kills is a line of code that nothing checks, or one that does not matter: read it, and
add a test or leave it.

What cannot matter is not drawn: assertions, the words of errors, what is drawn on a canvas or
printed in a style, and arguments such as `strict` and `stacklevel`, which change no result.

`--under training/search/dropping` keeps to a folder or a module: after a bug there, it tells what
else nothing checks.

The tree itself is never changed. A run that exceeds its time limit counts as killed ('timeout'),
unless the same tests exceed it without the change ('slow').
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "earnest"
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
IDLE = ("strict", "stacklevel", "indent", "ensure_ascii", "style")  # arguments
DRAWN = ("canvas", "Text", "warnings", "warn", "lru_cache")  # what is called, or whose method


@dataclass(frozen=True)
class Mutant:
    """One change of one expression.

    Attributes
    ----------
    path : str
        The module, relative to the package.
    line, start, end : int
        Where the expression stands: its line, and its place in the bytes of the file.
    before, after : str
        The expression, and what takes its place.
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def room(self) -> str:
        """The first folder of the module."""
        return Path(self.path).parts[0]

    def apply(self, source: bytes) -> bytes:
        """Return the module with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def list_mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield every change of a module: what functions compute, and numbers that have a name."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for owner in ast.walk(ast.parse(source)):
        for node in _list_expressions(owner):
            after = _change(node)
            if after is None or node.end_lineno is None or node.end_col_offset is None:
                continue
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            yield Mutant(path, node.lineno, start, end, source[start:end].decode(), after)


def _list_expressions(owner: ast.AST) -> Iterator[ast.expr]:
    """Yield what may be changed in a function, or right in a class or a module.

    That is all of a function's body; elsewhere, and among defaults, plain values: a table of data
    is no rule.
    """
    values: list[ast.expr | None] = []
    if isinstance(owner, ast.FunctionDef):
        yield from (each for part in owner.body for each in _walk(part))
        values = [*owner.args.defaults, *owner.args.kw_defaults]
    elif isinstance(owner, ast.Module | ast.ClassDef):
        values = [one.value for one in owner.body if isinstance(one, ast.Assign | ast.AnnAssign)]
    yield from (value for value in values if isinstance(value, ast.Constant))


def _walk(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions below a node that are computed: no types, no functions within."""
    if isinstance(node, ast.FunctionDef | ast.JoinedStr | ast.Assert | ast.Raise):
        return  # found by itself; words; what never happens; words
    if isinstance(node, ast.keyword) and node.arg in IDLE:
        return
    if isinstance(node, ast.Call) and _find_name(node.func) in DRAWN:
        return
    if isinstance(node, ast.expr):
        yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _find_name(called: ast.expr) -> str | None:
    """Return the name of a function, or of the object whose method is called."""
    if isinstance(called, ast.Attribute):
        called = called.value
    return called.id if isinstance(called, ast.Name) else None


def _change(node: ast.expr) -> str | None:
    """Return what an expression becomes, None where there is nothing to change."""
    made: ast.expr | None = None
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        made = ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED and not _is_text(node):
        made = ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        made = ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        made = node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        made = ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        made = ast.Constant(node.value + 1)
    return None if made is None else f"({ast.unparse(made)})"


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def draw_mutants(count: int, seed: int, places: list[str]) -> list[Mutant]:
    """Return mutants drawn at random, about as many in every room; only below places, if any."""
    found: dict[str, list[Mutant]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        room = path.partition("/")[0]
        if "/" in path and (not places or any(_is_under(path, place) for place in places)):
            found.setdefault(room, []).extend(list_mutants(path, file.read_bytes()))
    rng = random.Random(seed)
    for room in found.values():
        rng.shuffle(room)
    rounds = (mutant for each in zip(*found.values(), strict=False) for mutant in each)
    return [mutant for mutant, _ in zip(rounds, range(count), strict=False)]


def _is_under(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def read_place(given: str) -> str:
    """Return a folder or module relative to the package, as it is or below src/earnest."""
    place = given.removeprefix("src/earnest/").rstrip("/")
    if not place or not (PACKAGE / place).exists():
        raise argparse.ArgumentTypeError(
            f"{given!r} is no folder or module of src/earnest, such as training/search/dropping"
        )
    return place


def find_tests(path: str) -> list[list[str]]:
    """Return the tests to ask: of the module, of its name elsewhere, of its folder, on the way up.

    The way up ends at the room: a module in `reporting/parts` may be checked by the tests right in
    `tests/reporting`.
    """
    module, tests = Path(path), ROOT / "tests"
    if module.parts[0] == "testing":
        return [["tests/contract"]]  # which it is for
    name = f"test_{module.stem}.py"
    own = tests / module.parent / name
    like = [one for one in sorted(tests.rglob(name)) if one != own and one.parent.name != "e2e"]
    ups = [tests / up for up in (module.parent, *module.parent.parents) if up != Path()]
    there = [up for up in ups if up.is_dir()]
    beside = [file for up in there[1:] for file in sorted(up.glob("test_*.py")) if file not in like]
    asked = [[own] if own.is_file() else [], like, there[:1], beside]
    return [[str(one.relative_to(ROOT)) for one in some] for some in asked if some]


def try_mutant(mutant: Mutant, copy: Path, seconds: float, *, folders: bool) -> str:
    """Return what became of a mutant: 'killed', 'timeout', 'slow', 'survived' or 'untested'."""
    place = copy / "earnest" / mutant.path
    source = place.read_bytes()
    asked = find_tests(mutant.path)
    asked = asked if folders else asked[:1]
    ended = "untested"
    for tests in asked:
        place.write_bytes(mutant.apply(source))
        try:
            found = _run_tests(tests, copy, seconds)
        finally:
            place.write_bytes(source)
        if found == "timeout" and _run_tests(tests, copy, seconds) == "timeout":
            found = "slow"
        if found in ("killed", "timeout"):
            return found
        ended = found if ended != "slow" else ended
    return ended


def _run_tests(tests: list[str], copy: Path, seconds: float) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    marks = ["-m", "not slow and not extra"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, *marks, *tests],
            cwd=ROOT,
            env=environment,
            timeout=seconds,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return "survived" if done.returncode in (0, 5) else "killed"


def main() -> int:
    """Try mutants one by one, and write what became of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=60, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of a test run")
    parser.add_argument(
        "--under",
        action="append",
        default=[],
        type=read_place,
        metavar="PLACE",
        help="only this room, folder or module: training/search/dropping",
    )
    parser.add_argument("--module-only", action="store_true", help="do not ask the whole folder")
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"), help="where to")
    asked = parser.parse_args()
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, asked.out.open("a") as out:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        for mutant in draw_mutants(asked.count, asked.seed, asked.under):
            ended = try_mutant(mutant, copy, asked.seconds, folders=not asked.module_only)
            counts[ended] = counts.get(ended, 0) + 1
            out.write(json.dumps({"ended": ended, **vars(mutant)}) + "\n")
            out.flush()
            print(f"{ended:9} {mutant.path}:{mutant.line}  {mutant.before} -> {mutant.after}")
    print(", ".join(f"{number} {ended}" for ended, number in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
