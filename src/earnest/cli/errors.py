"""What a user of the command line reads when something goes wrong."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Protocol, TextIO

from earnest.core.base.check import show, show_text
from earnest.core.base.errors import EarnestError, PluginWarning
from earnest.core.text.cleaning import clean_text


def say_error(error: EarnestError) -> None:
    """Write an error: on a terminal a line for each of its parts, elsewhere one line.

    A log and a pipe keep one line, which can be searched and counted.
    """
    from earnest.cli.show.progress import is_live

    if not is_live(sys.stderr):
        write_line(str(error))
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from earnest.cli.show.estimate import grid
    from earnest.cli.show.terminal import WIDEST, clean

    write_line(error.what)
    parts = (("expected", error.needs), ("found", error.got), ("try", error.cure))
    table = grid(2)
    for label, words in parts:
        if words:
            table.add_row(Text(label), Text(clean(" ".join(words.split()))))
    console = Console(stderr=True, highlight=False, markup=False)
    console.width = min(console.width, WIDEST)
    if table.row_count:
        console.print(Padding(table, (0, 0, 0, 2), expand=False))


class Complaint(Protocol):
    """What the parser of the command line raises; `ctx` tells which command, where it has one."""

    def format_message(self) -> str:
        """Return what is wrong."""


def usage_line(error: Complaint, defaults: Path | None = None) -> str:
    """Return the line of a complaint about arguments, with where help is.

    Where the value stands in a file of defaults, that is said.
    """
    context, param = getattr(error, "ctx", None), getattr(error, "param", None)
    if defaults is not None and context is not None and param is not None:
        source = context.get_parameter_source(param.name)
        if source is not None and source.name == "DEFAULT_MAP":
            words = error.format_message().strip().rstrip(".")
            return f"{words}. The value is in {defaults.name}."
    path = context.command_path if context is not None else "earnest"
    message = error.format_message().strip()
    stop = "" if message.endswith((".", "?", "!")) else "."
    return f"{message}{stop} Try '{path} --help'."


def system_line(error: OSError) -> str:
    """Return the line of what the system refuses: a path that is too long, a disk.

    Examples
    --------
    >>> from earnest.cli.errors import system_line
    >>> system_line(OSError(36, "File name too long", "a" * 300))[-27:]
    'aaaaa…: File name too long.'
    """
    why = error.strerror or str(error) or type(error).__name__
    return f"{show(error.filename)}: {why}." if error.filename is not None else f"{why}."


# What libraries say, in errors of many kinds, when no memory or address is left.
_NO_MEMORY = (
    "Cannot allocate memory",
    "Failed to launch worker thread",
    "can't start new thread",
    "bad_alloc",
    "malloc of size",
    "failed to map segment",
    "libllvmlite",
)
LEAST_SPACE = 1_500_000_000  # bytes of addresses below which libraries abort, or never end


def find_memory_error(error: BaseException) -> BaseException | None:
    """Return what says that no memory was left: an error or one that it comes from."""
    seen: BaseException | None = error
    while seen is not None:
        few = isinstance(seen, OSError) and seen.errno == errno.ENOMEM
        if isinstance(seen, MemoryError) or few or any(word in str(seen) for word in _NO_MEMORY):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def make_memory_error(cause: BaseException) -> EarnestError:
    """Return the error of a command that found no memory: how much it wanted, and what needs less.

    Examples
    --------
    >>> from earnest.cli.errors import make_memory_error
    >>> make_memory_error(MemoryError("Unable to allocate 7 GiB for an array")).got
    'Unable to allocate 7 GiB for an array'
    """
    limit = read_space_limit()
    raised = "" if limit is None else f"Raise the limit of {limit / 1e9:.2g} GB (ulimit -v). "
    return EarnestError(
        "there is not enough memory",
        got=show_text(str(cause).rstrip(".")),
        cure=f"{raised}Use fewer rows or configurations, fewer resamples, or --n-jobs 1; or use a "
        "machine with more memory.",
    )


def refuse_little_space() -> None:
    """Refuse a limit of addresses (ulimit -v) under which libraries abort, or never end."""
    limit = read_space_limit()
    if limit is not None and limit < LEAST_SPACE:
        raise EarnestError(
            "the addresses of this process are limited (ulimit -v)",
            needs=f"at least {LEAST_SPACE / 1e9:g} GB",
            got=f"{limit / 1e9:.2g} GB",
            cure="Raise it with ulimit -v unlimited; to limit memory, use a container.",
        )


def read_space_limit() -> int | None:
    """Return how many bytes of addresses this process may have, None without a limit."""
    try:
        import resource
    except ModuleNotFoundError:  # not on Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def write_line(text: str, *, label: str = "error") -> None:
    """Write one line to standard error, whatever the text holds."""
    from rich.console import Console
    from rich.text import Text

    from earnest.cli.show.progress import is_live
    from earnest.cli.show.terminal import WARN, clean

    if sys.stderr is None:  # a closed descriptor: there is nobody to tell
        return
    words = clean(" ".join(text.split()))
    line = Text.assemble(
        (label + (":" if words else ""), f"bold {WARN}"), " " if words else "", words
    )
    # On a terminal words stay whole; a log and a pipe have one line.
    live = is_live(sys.stderr)
    Console(stderr=True, highlight=False, markup=False, soft_wrap=not live).print(line)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Write a warning as Python does, that of a plug-in without the line of code it comes from."""
    if issubclass(category, PluginWarning):
        write_line(str(message), label="warning")
    elif sys.stderr is not None:
        sys.stderr.write(
            clean_text(warnings.formatwarning(message, category, filename, lineno, line))
        )


def internal_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Report a fault of earnest itself in one line; EARNEST_TRACEBACK=1 shows where it was.

    Python calls this for whatever nobody caught, and then leaves with exit code 1.
    """
    if os.environ.get("EARNEST_TRACEBACK", "0") not in ("", "0"):
        if sys.stderr is not None:
            sys.stderr.write(clean_text("".join(traceback.format_exception(kind, error, trace))))
        return
    write_line(
        f"{kind.__name__}: {error}. This is a bug in earnest, not an error in your input. Please "
        "report the command and what it prints with EARNEST_TRACEBACK=1.",
        label="internal error",
    )
