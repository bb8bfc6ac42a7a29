"""Count what makes the house hard to read: `python scripts/house.py`, a tool for reviews.

`python scripts/house.py ../other` counts another tree, and `--json` writes one JSON object.
`--list inference/curves` shows where the empty names of a folder stand, `--twins` the names with
two meanings, and `--sentences` what tests assert in words. Run it on two trees and compare: a count
has no target of its own, and none of them is a test.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EMPTY_NAMES = frozenset(
    {"made", "found", "said", "told", "one", "own", "known", "kept", "given", "asked"}
    | {"place", "part", "rest"}
)
SENTENCE = 5  # words that a sentence has at least
WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
GAP = re.compile(r"\s+|\.\*")  # between words; names such as `cases_left_out` are one word
CODE = re.compile(r"EN\d{3}")
WORDLESS = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
COUNT_OPTIONS = """
import json, pathlib, sys
import earnest
from earnest.cli.app import build_program
assert pathlib.Path(earnest.__file__).is_relative_to(sys.argv[1])  # not the one installed here
print(json.dumps({
    name: sum(
        param.param_type_name == "option" and param.name not in ("help", "help_all")
        for param in each.params
    )
    for name, each in build_program().commands.items()
}))
"""


@dataclass(frozen=True)
class Assignment:
    """A name that something is bound to.

    Attributes
    ----------
    name : str
        The name: of a variable, a field, an argument, or a target of a loop.
    line : int
        Where it stands in its module.
    """

    name: str
    line: int

    @property
    def is_empty(self) -> bool:
        """Whether the name says nothing about the value."""
        return self.name in EMPTY_NAMES


@dataclass(frozen=True)
class Definition:
    """A public function or class of a module.

    Attributes
    ----------
    name : str
        What it is called.
    file : Path
        The module, seen from the package.
    line : int
        Where it stands there.
    """

    name: str
    file: Path
    line: int


@dataclass(frozen=True)
class House:
    """What was counted in one tree.

    Attributes
    ----------
    modules, code_lines : int
        Of the package, without blank lines, comments and docstrings.
    public_names : int
        What can be imported from `earnest` itself.
    caution_codes, code_comparisons : int
        Distinct codes in the source, and comparisons with one (or with the `code` of a caution).
    any_lines : int
        Lines that use `Any`, imports aside.
    empty_names : dict of str to float
        Per room, the share of assignments that bind an empty name.
    twin_names : int
        Names of public functions and classes with two meanings: see `list_twins`.
    words, decisions : int
        Words of Markdown outside of tests, and records of decisions.
    deep_test_files, test_files : int
        Test files that import two levels deep or more, and all of them.
    asserted_sentences, sentence_files : int
        Strings of five words or more that tests assert in place of a golden file, and the files.
    options : dict of str to int
        Per command, its options without those that show help; empty if the program does not start.
    """

    modules: int
    code_lines: int
    public_names: int
    caution_codes: int
    code_comparisons: int
    any_lines: int
    empty_names: dict[str, float]
    twin_names: int
    words: int
    decisions: int
    deep_test_files: int
    test_files: int
    asserted_sentences: int
    sentence_files: int
    options: dict[str, int]


def list_files(tree: Path, *patterns: str) -> list[Path]:
    """Return the files of a tree that git tracks or would track, and that exist."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True).stdout
    files = (tree / name for name in sorted(set(names.split("\0"))) if name)
    return [file for file in files if file.is_file()]


def list_assignments(module: ast.AST) -> Iterator[Assignment]:
    """Yield every name that a module binds: variables, arguments, targets of loops."""
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Assignment(node.id, node.lineno)
        elif isinstance(node, ast.arg):
            yield Assignment(node.arg, node.lineno)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            yield Assignment(node.name, node.lineno)


def count_code_lines(source: str) -> int:
    """Count the lines that hold code: no blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in WORDLESS:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_code_comparisons(module: ast.AST) -> int:
    """Count the comparisons with a caution's code, or with the `code` of something."""
    return sum(
        any(
            _is_code(node)
            for side in (compare.left, *compare.comparators)
            for node in ast.walk(side)
        )
        for compare in ast.walk(module)
        if isinstance(compare, ast.Compare)
    )


def _is_code(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "code"
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CODE.fullmatch(node.value) is not None
    )


def count_any_lines(module: ast.AST) -> int:
    """Count the lines that use `Any`, imports aside."""
    return len(
        {
            node.lineno
            for node in ast.walk(module)
            if (isinstance(node, ast.Name) and node.id == "Any")
            or (isinstance(node, ast.Attribute) and node.attr == "Any")
        }
    )


def count_public_names(package: Path) -> int:
    """Count the names that the stub of the package imports."""
    stub = ast.parse((package / "__init__.pyi").read_text(encoding="utf-8"))
    names = {
        alias.asname or alias.name
        for node in ast.walk(stub)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return sum(not name.startswith("_") for name in names)


def list_twins(modules: dict[Path, ast.Module], package: Path) -> dict[str, list[Definition]]:
    """Return the public functions and classes that modules of two folders define under one name.

    Modules of one folder may share a name: they do one thing, each for a source, a command or a
    result. A drawing shares the name of what it draws, the kind of a caution that of the function
    which yields it, and a law that of the law about another contract. `register` puts something
    into the registry of its room, and is part of what plug-ins call.
    """
    by_name: dict[str, list[Definition]] = {}
    for file, module in modules.items():
        place = file.relative_to(package)
        for node in module.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                definition = Definition(node.name, place, node.lineno)
                by_name.setdefault(node.name, []).append(definition)
    twins = {}
    for name, definitions in sorted(by_name.items()):
        meanings = [each for each in definitions if not _shares_names(each.file)]
        if len({each.file.parent for each in meanings}) > 1 and name != "register":
            twins[name] = meanings
    return twins


def _shares_names(file: Path) -> bool:
    return file.parts[0] in ("plotting", "testing") or file.parts[:2] == ("core", "cautions")


def list_sentences(module: ast.AST) -> list[ast.Constant]:
    """Return the strings of five words or more in what a module of tests asserts.

    These are strings within `assert` and the `match` of `pytest.raises`; what an `assert` says of
    its own failure does not count.
    """
    checks: list[ast.AST] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Assert):
            checks.append(node.test)
        elif isinstance(node, ast.keyword) and node.arg == "match":
            checks.append(node.value)
    sentences = {
        (node.lineno, node.col_offset): node
        for check in checks
        for node in ast.walk(check)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and sum(bool(WORD.search(word)) for word in GAP.split(node.value)) >= SENTENCE
    }
    return [sentences[place] for place in sorted(sentences)]


def imports_deep(module: ast.AST) -> bool:
    """Tell whether a module imports from two levels deep in earnest, or deeper."""
    for node in ast.walk(module):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if any(name.startswith("earnest.") and name.count(".") >= 2 for name in names):
            return True
    return False


def count_options(tree: Path) -> dict[str, int]:
    """Ask the program of a tree how many options each command has."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-c", COUNT_OPTIONS, str(tree)]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        return {}
    counts: dict[str, int] = json.loads(answer.stdout)
    return counts


def measure_empty_names(modules: dict[Path, ast.Module], package: Path) -> dict[str, float]:
    """Return the share of empty names per room, which is the first folder below the package."""
    bound: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    for file, module in modules.items():
        parents = file.relative_to(package).parts[:-1]
        room = parents[0] if parents else "(top)"
        for assignment in list_assignments(module):
            bound[room] += 1
            bound["(all)"] += 1
            empty[room] += assignment.is_empty
            empty["(all)"] += assignment.is_empty
    return {room: empty[room] / bound[room] for room in sorted(bound)}


def count_house(tree: Path) -> House:
    """Count a tree."""
    package = tree / "src" / "earnest"
    sources = {
        file: file.read_text(encoding="utf-8") for file in list_files(tree, "src/earnest/*.py")
    }
    modules = {file: ast.parse(source) for file, source in sources.items()}
    tests = [ast.parse(file.read_text(encoding="utf-8")) for file in list_files(tree, "tests/*.py")]
    sentences = [len(list_sentences(test)) for test in tests]
    pages = [
        file for file in list_files(tree, "*.md") if file.relative_to(tree).parts[0] != "tests"
    ]
    records = [file for file in pages if re.match(r"\d{4}-", file.name)]
    return House(
        modules=len(modules),
        code_lines=sum(map(count_code_lines, sources.values())),
        public_names=count_public_names(package),
        caution_codes=len({code for source in sources.values() for code in CODE.findall(source)}),
        code_comparisons=sum(map(count_code_comparisons, modules.values())),
        any_lines=sum(map(count_any_lines, modules.values())),
        empty_names=measure_empty_names(modules, package),
        twin_names=len(list_twins(modules, package)),
        words=sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
        decisions=len(records),
        deep_test_files=sum(map(imports_deep, tests)),
        test_files=len(tests),
        asserted_sentences=sum(sentences),
        sentence_files=sum(count > 0 for count in sentences),
        options=count_options(tree),
    )


def show_house(house: House) -> str:
    """Return the counts as one table."""
    rows = [
        ("modules", f"{house.modules:,}"),
        ("code lines", f"{house.code_lines:,}"),
        ("public names", f"{house.public_names:,}"),
        ("caution codes", f"{house.caution_codes:,}"),
        ("comparisons of caution codes", f"{house.code_comparisons:,}"),
        ("lines with Any", f"{house.any_lines:,}"),
        ("words of Markdown outside tests", f"{house.words:,}"),
        ("decision records", f"{house.decisions:,}"),
        ("test files that import deep", f"{house.deep_test_files:,} of {house.test_files:,}"),
        (
            "sentences asserted in tests",
            f"{house.asserted_sentences:,} in {house.sentence_files:,}",
        ),
        ("names with two meanings", f"{house.twin_names:,}"),
        *((f"empty names in {room}", f"{share:.1%}") for room, share in house.empty_names.items()),
        *((f"options of {name}", f"{count:,}") for name, count in house.options.items()),
    ]
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value:>10}" for label, value in rows)


def list_empty_names(tree: Path, folder: str) -> list[str]:
    """Return where the empty names of a folder of the package stand, and their share."""
    bound, lines = 0, []
    for file in list_files(tree, f"src/earnest/{folder}/*.py", f"src/earnest/{folder}.py"):
        for assignment in list_assignments(ast.parse(file.read_text(encoding="utf-8"))):
            bound += 1
            if assignment.is_empty:
                lines.append(f"{file.relative_to(tree)}:{assignment.line}: {assignment.name}")
    return [*lines, f"{len(lines)} of {bound} assignments: {len(lines) / max(bound, 1):.1%}"]


def list_twin_names(tree: Path) -> list[str]:
    """Return where the names with two meanings of a tree stand, a line each."""
    package = tree / "src" / "earnest"
    modules = {
        file: ast.parse(file.read_text(encoding="utf-8"))
        for file in list_files(tree, "src/earnest/*.py")
    }
    return [
        f"{name}: {', '.join(f'{each.file}:{each.line}' for each in definitions)}"
        for name, definitions in list_twins(modules, package).items()
    ]


def list_asserted_sentences(tree: Path) -> list[str]:
    """Return where tests assert sentences, a line each."""
    return [
        f"{file.relative_to(tree)}:{sentence.lineno}: {sentence.value}"
        for file in list_files(tree, "tests/*.py")
        for sentence in list_sentences(ast.parse(file.read_text(encoding="utf-8")))
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Count the tree that is named, this one by default, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path, nargs="?", default=ROOT, help="a checkout of earnest")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    parser.add_argument("--list", metavar="FOLDER", help="show the empty names of a folder")
    parser.add_argument("--twins", action="store_true", help="show names with two meanings")
    parser.add_argument("--sentences", action="store_true", help="show what tests assert in words")
    options = parser.parse_args(arguments)
    if options.twins or options.sentences:
        listing = list_twin_names if options.twins else list_asserted_sentences
        print("\n".join(listing(options.tree.resolve())))
        return
    if options.list is not None:
        print("\n".join(list_empty_names(options.tree, options.list)))
        return
    house = count_house(options.tree.resolve())
    print(json.dumps(asdict(house), indent=2) if options.json else show_house(house))


if __name__ == "__main__":
    main()
