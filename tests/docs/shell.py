"""Whether a line of shell on a page could be typed as it stands."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from click import ClickException

from earnest.cli.app import UsageError

ROOT = Path(__file__).resolve().parents[2]


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a script, as words: without comments, assignments, pipes and redirections."""
    for name, option in re.findall(r"\b(\w+)=(--[\w-]+)", script):
        script = re.sub(rf"\${name}\b", option, script)
    for line in script.replace("\\\n", " ").splitlines():
        words: list[str] = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.wordchars += "$[]:@,"
        for word in lexer:
            if word in ("|", "||", "&&", "&", ";"):
                yield from _without_redirection(words)
                words = []
            else:
                words.append(word)
        yield from _without_redirection(words)


def _without_redirection(words: list[str]) -> Iterator[list[str]]:
    end = next((place for place, word in enumerate(words) if word in ("<", ">")), len(words))
    if end and not re.fullmatch(r"\w+=.*", words[0]):
        yield words[:end]


def trouble(words: list[str], page: str = "") -> str:
    """What is wrong with a command, or nothing; `page` is the text that it stands in."""
    check = PROGRAMS.get(words[0])
    if check is None:
        return f"{words[0]!r} is not a program that the pages use"
    return check(words[1:], page)


# ---- programs


@cache
def _group(name: str) -> Any:
    if name == "dask":
        from dask.cli import cli
        from distributed.cli.dask_scheduler import main as scheduler
        from distributed.cli.dask_worker import main as worker

        cli.add_command(scheduler, "scheduler")
        cli.add_command(worker, "worker")
        return cli
    from earnest.cli.app import build_program

    return build_program()


def _parsed(program: str) -> Callable[[list[str], str], str]:
    """A check that the program itself understands its arguments; nothing is run."""

    def check(arguments: list[str], page: str) -> str:
        group = _group(program)
        if arguments in (["--help"], ["--version"]):
            return ""
        command = group.commands.get(arguments[0]) if arguments else None
        if command is None:
            return f"{program} has no command {arguments[:1]}"
        try:
            command.make_context(arguments[0], arguments[1:])
        except (UsageError, ClickException) as error:
            return str(error)
        return ""

    return check


def options_trouble(words: list[str]) -> str:
    """Whether a command that may be abridged names a command and options that exist."""
    command = _group("earnest").commands.get(words[1])
    if command is None:
        return f"earnest has no command {words[1]!r}"
    known = {"-h", "--help"}
    for option in command.params:
        known |= {*option.opts, *option.secondary_opts}
    asked = {word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)}
    return "" if asked <= known else f"earnest {words[1]} has no {sorted(asked - known)}"


def _make(arguments: list[str], page: str) -> str:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    asked = {word for word in arguments if "=" not in word}
    return "" if asked <= targets else f"no target {sorted(asked - targets)}"


def _pip(arguments: list[str], page: str) -> str:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    known = set(config["project"]["optional-dependencies"])
    ours = [word for word in arguments[1:] if re.match(r"(earnest|\.)(\[|$)", word)]
    asked = {extra for word in ours for extra in re.findall(r"[\w-]+", word.partition("[")[2])}
    if arguments[0] != "install" or not ours:
        return "pip installs earnest here, and nothing else"
    return "" if asked <= known else f"no extra {sorted(asked - known)}"


def _python(arguments: list[str], page: str) -> str:
    """A module or script of the repository, or a script that the page tells of."""
    if arguments[0] == "-m" and arguments[1] in sys.stdlib_module_names:
        return ""
    if arguments[0] == "-m":
        path = ROOT / arguments[1].replace(".", "/")
        there = path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
        return "" if there else f"no module {arguments[1]}"
    there = (ROOT / arguments[0]).is_file() or f"`{arguments[0]}`" in page
    return "" if there else f"no script {arguments[0]}"


def _srun(arguments: list[str], page: str) -> str:
    return trouble(arguments, page)


def _source(arguments: list[str], page: str) -> str:
    return "" if arguments[0].endswith("bin/activate") else "only an environment is activated here"


def _anything(arguments: list[str], page: str) -> str:
    return ""


PROGRAMS: dict[str, Callable[[list[str], str], str]] = {
    "earnest": _parsed("earnest"),
    "dask": _parsed("dask"),
    "make": _make,
    "pip": _pip,
    "python": _python,
    "python3": _python,
    ".": _source,
    "srun": _srun,
    "test": _anything,
    "jq": _anything,  # reads what earnest wrote; not a part of the tests
    "trec_eval": _anything,  # writes what earnest reads
}
