"""Keep the pages true: tables from the registries, outputs from running the examples.

`python docs/_generate.py [PAGE ...]` rewrites the pages; tests/docs/test_code_blocks.py checks
that they are up to date.

In a page, the text between `<!-- generated: NAME -->` and `<!-- end -->` is a table from
`_tables.py`. Python blocks run in the order of the page and share their names; a text block right
after one shows what it prints. A console block holds commands after `$ ` and what they print;
`earnest` commands are run. End a command that earnest should refuse with `|| echo $?`: the block
then shows its error and its exit code.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import shlex
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))  # tests load this file by its path
import _tables as tables

ROOT = Path(__file__).resolve().parents[1]
LEFT_ALONE = {
    "api",
    "examples",
    "_build",
    "decisions",
}  # decisions are records: never edited afterwards
WIDTH = "80"  # of the terminal that console blocks show

_FENCE = re.compile(
    r"^(?P<fence>```+)(?P<language>[^`\n]*)\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
REFUSED = " || echo $?"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines, and where they stand in the page."""

    language: str
    body: str
    start: int
    stop: int


@dataclass(frozen=True)
class Output:
    """What a page shows as the output of an example, and what the example printed."""

    block: Block
    shown: str
    printed: str


def pages() -> list[Path]:
    """Return the pages that may hold tables and examples."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    kept = [page for page in found if not LEFT_ALONE & set(page.relative_to(ROOT).parts)]
    return [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *kept]


def main() -> None:
    """Rewrite every page, or those named on the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("page", nargs="*", type=Path, help="a page to rewrite; all by default")
    asked = {path.resolve() for path in parser.parse_args().page}
    if unknown := asked - set(pages()):
        parser.error(f"not a page of the site: {', '.join(map(str, sorted(unknown)))}")
    for path, text in tables.evidence_files():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for page in [page for page in pages() if not asked or page in asked]:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            fresh = with_outputs(tables.with_tables(text), Path(folder))
        if fresh != text:
            page.write_text(fresh, encoding="utf-8")
            print("rewrote", page.relative_to(ROOT))


# ---- examples


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(m["language"].strip(), m["body"], m.start("body"), m.end("body"))
        for m in _FENCE.finditer(text)
    ]


def run_page(text: str, folder: Path) -> list[Output]:
    """Run the examples of a page in a folder, and return what it shows beside what they print."""
    outputs = []
    with example_module() as names, hearing_ctrl_c():
        for block, after in pairwise([*blocks(text), Block("", "", len(text), len(text))]):
            if block.language == "python":
                printed = run_python(block.body, names, folder)
                if is_output(text, block, after):
                    outputs.append(Output(after, after.body, printed))
            elif block.language == "console":
                outputs.append(Output(block, block.body, run_console(block.body, folder)))
    return outputs


@contextmanager
def example_module() -> Iterator[dict[str, Any]]:
    """Yield the names of a module that is there while a page runs, so that its things pickle."""
    module = ModuleType("example")
    sys.modules[module.__name__] = module
    try:
        yield vars(module)
    finally:
        del sys.modules[module.__name__]


@contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """Let examples hear Ctrl-C, to which a shell makes its background jobs and theirs deaf."""
    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if deaf:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if deaf:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def is_output(text: str, block: Block, after: Block) -> bool:
    """Whether a block shows what the Python block right before it prints."""
    return after.language == "text" and _adjacent(text, block, after)


def _adjacent(text: str, block: Block, after: Block) -> bool:
    between = text[block.stop : after.start]
    return between.replace("`", "").removesuffix("text\n").strip() == ""


def run_python(code: str, names: dict[str, Any], folder: Path) -> str:
    """Run code as a notebook does, and return what it prints, the last expression included."""
    body = ast.parse(code).body
    end = body[-1] if body else None
    last = ast.Expression(end.value) if isinstance(end, ast.Expr) else None
    out = io.StringIO()
    with redirect_stdout(out), chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(
            compile(ast.Module(body if last is None else body[:-1], []), "<example>", "exec"), names
        )
        value = None if last is None else eval(compile(last, "<example>", "eval"), names)
        if value is not None:
            print(repr(value))
    return _tidy(out.getvalue())


def run_console(body: str, folder: Path) -> str:
    """Run the commands of a console block that are ours, and return the block as it should be."""
    lines: list[str] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            lines.append(line)
            words = shlex.split(line[2:].removesuffix(REFUSED))
            if words[0] != "earnest":
                raise ValueError(f"a console block runs earnest only, not {line!r}")
            refused = line.endswith(REFUSED)
            lines += run_cli(words[1:], folder, refused=refused).splitlines()
    return "\n".join(lines) + "\n"


def run_cli(arguments: list[str], folder: Path, *, refused: bool = False) -> str:
    """Run `earnest` as in a terminal of a known width, and return what it writes.

    It runs in this process: starting one takes longer than most commands.
    """
    from earnest.cli import main as earnest

    plain = {"COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.dict(os.environ, plain),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        code = earnest(arguments)
    printed, complaint = (_read_all(stream) for stream in (out, err))
    if bool(code) != refused:
        raise RuntimeError(f"earnest {shlex.join(arguments)}: {complaint or printed}")
    return _tidy(f"{complaint}{code}" if refused else printed)


def _read_all(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _tidy(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())


def with_outputs(text: str, folder: Path) -> str:
    """Return a page with the outputs of its examples as they are now."""
    for output in reversed(run_page(text, folder)):
        text = text[: output.block.start] + output.printed + text[output.block.stop :]
    return text


if __name__ == "__main__":
    main()
