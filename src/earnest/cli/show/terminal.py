"""Writing to standard output: colours, widths, encodings, and pipes that close early."""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO, cast

from earnest.core.base.errors import FormatError
from earnest.core.text.cleaning import clean_line, clean_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

# Middle-light colours of the 256: at least 3.9 : 1 on black and on white.
ACCENT = "color(32)"
WARN = "color(166)"
GREY = "earnest.grey"  # see `make_theme`
_GREYS = {"standard": "bright_black"}  # there the nearest to 244 is white, lost on white

WIDEST = 100  # a longer line is hard to read
CLOSED_PIPE = 141  # what a shell reports of a program that SIGPIPE ended
NO_BREAK = "\ue000"  # stands for a no-break space while rich, which would break there, lays out

_TRAILING = re.compile(r"[ ]+$", re.MULTILINE)
_ASCII = {
    "\u00a0": " ",
    "\u00b1": "+-",
    "\u00b2": "^2",
    "\u00b7": "-",
    "\u00d7": "x",
    "\u2013": "-",
    "\u2026": "...",
    "\u2212": "-",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2500": "-",
    "\u2506": ":",
    "\u253c": "+",
    "\u254c": ".",
    "\u251c": "|",
    "\u2524": "|",
    **dict(zip("\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", "_.,-=+*#", strict=True)),
    "\u25b6": ">",
    "\u25c0": "<",
    "\u25c7": "x",
    "\u25cb": "O",
    "\u25cf": "o",
}


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding lacks: by a look-alike, else by its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    escaped = (_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lost)
    return "".join(escaped), error.end


codecs.register_error("earnest.ascii", _in_ascii)


def clean(text: str) -> str:
    r"""Return text in one line, laid out as it is seen: `clean_line`, with spaces that hold.

    Examples
    --------
    >>> from earnest.cli.show.terminal import clean
    >>> print(clean("svm C=1" + chr(27) + "[31m"))
    svm C=1\x1b[31m
    """
    return clean_line(text).replace("\u00a0", NO_BREAK)


# What is laid out for a console of somebody else: the parts so far, and its columns.
_COLLECTED: ContextVar[tuple[list[Any], int] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting(width: int) -> Iterator[list[Any]]:
    """Gather what is emitted meanwhile, for so many columns, instead of writing it."""
    parts: list[Any] = []
    token = _COLLECTED.set((parts, width))
    try:
        yield parts
    finally:
        _COLLECTED.reset(token)


def columns() -> int:
    """Return how many columns there are to write on."""
    collected = _COLLECTED.get()
    return int(_console().width) if collected is None else collected[1]


def _console() -> Any:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def make_theme(color_system: str | None) -> Any:
    """Return the styles that are ours, for a console of so many colours."""
    from rich.theme import Theme

    return Theme({GREY: _GREYS.get(color_system or "", "color(244)")})


class CleanPart:
    """A renderable of rich without control characters, whatever its text holds.

    Names are cleaned before they are laid out, so that columns stand right; this is for those that
    were forgotten.
    """

    def __init__(self, renderable: Any) -> None:
        self._part = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Yield the segments of the part."""
        for segment in console.render(self._part, options):
            words = segment.text.split(NO_BREAK)
            yield segment._replace(text=NO_BREAK.join(map(clean_text, words)))


def emit(*parts: Any) -> None:
    """Lay out rich renderables for this terminal and write them."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected[0].extend(parts)
        return
    console = _console()
    console.push_theme(make_theme(console.color_system))
    laid_out = io.StringIO()
    console.file = laid_out  # the colours are those of the terminal that it has seen before
    for renderable in parts:
        console.print(CleanPart(renderable))
    _send(_TRAILING.sub("", laid_out.getvalue().replace(NO_BREAK, " ")))


def write(text: str) -> None:
    """Write text to standard output, without control characters."""
    _send(_TRAILING.sub("", clean_text(text)))


def write_data(text: str) -> None:
    """Write data to standard output: as they are for a program, cleaned for a terminal."""
    stream = sys.stdout
    _send(clean_text(text) if stream is not None and stream.isatty() else text)


def _send(text: str) -> None:
    """Write in the encoding of standard output; a closed pipe ends the program silently."""
    stream = sys.stdout
    if stream is None:  # the caller has closed it: nobody listens
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "earnest.ascii").decode(encoding))
        stream.flush()
    except OSError as error:
        raise _lost(stream, error) from None


def _lost(stream: Any, error: OSError) -> BaseException:
    """Return how to leave when standard output takes nothing more."""
    # Python flushes once more when it ends, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if isinstance(error, BrokenPipeError):
        return SystemExit(CLOSED_PIPE)
    return FormatError("the result cannot be written", got=str(error.strerror))


class _OutputGuard:
    """Standard output for libraries that write help: what fails ends as in `write`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return int(self._stream.write(text))
        except OSError as error:
            raise _lost(self._stream, error) from None

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise _lost(self._stream, error) from None


@contextmanager
def guard_output() -> Iterator[None]:
    """Treat a closed pipe and a full disk alike, whoever writes to standard output."""
    stream = sys.stdout
    if stream is None:
        yield
        return
    with redirect_stdout(cast(TextIO, _OutputGuard(stream))):
        yield


def write_json(data: Any) -> None:
    """Write one JSON object that every parser can read: no NaN, no infinities, pure ASCII."""
    write(json.dumps(_finite(data), indent=2, allow_nan=False) + "\n")


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
