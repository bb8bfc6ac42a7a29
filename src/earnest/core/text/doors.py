"""Arguments in messages, in the words of the reader's door: Python or the command line.

A message that names an argument holds a mark for it, made by `arg`. What shows the message renders
the mark: `method='bbc'` for a reader who came through Python, `--method bbc` for one who typed a
command. The name is the same in both, so no table translates it.
"""

from __future__ import annotations

import json
import operator
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import EllipsisType
from typing import SupportsIndex, TypeAlias

Value: TypeAlias = "str | float | bool | list[str] | EllipsisType | None"

_BEGIN, _SPLIT, _ELSE, _END = "\x02", "\x1f", "\x1e", "\x03"
_MARK = re.compile(f"{_BEGIN}(\\w+)(?:{_SPLIT}([^{_END}]*))?{_END}")
_WORDING = re.compile(f"{_BEGIN}([^{_ELSE}{_END}]*){_ELSE}([^{_END}]*){_END}")
_ANY = "..."  # the value of a mark that leaves it to the reader


@dataclass(frozen=True)
class Door:
    """Where a reader came in: with the options of a command, or through Python."""

    options: frozenset[str] | None = None

    @property
    def is_python(self) -> bool:
        """Whether the reader came through Python."""
        return self.options is None

    def name(self, argument: str) -> str:
        """Return an argument as the reader would write it, without a value."""
        option = self._find_option(argument)
        return f"`{argument}`" if option is None else option

    def assign(self, argument: str, value: Value) -> str:
        """Return an argument with a value, as the reader would write it."""
        option = self._find_option(argument)
        if option is None:
            shown = "[...]" if value is ... else repr(value)
            return f"{argument}={shown}" + ("" if self.is_python else " in Python")
        if value is True:
            return option
        if value is False and (off := f"--no{option[1:]}") in (self.options or ()):
            return off
        if value is ...:
            return f"{option} NAME"
        if isinstance(value, list):  # an option that is repeated
            return " ".join(self.assign(argument, each) for each in value)
        text = shlex.quote("" if value is None else str(value))
        return f"{option} '{text}'" if text.endswith(".") else f"{option} {text}"

    def _find_option(self, argument: str) -> str | None:
        option = f"--{argument.replace('_', '-')}"
        return option if self.options is not None and option in self.options else None


PYTHON = Door()
_CURRENT: ContextVar[Door] = ContextVar("door", default=PYTHON)


def current_door() -> Door:
    """Return the door of whoever reads what is written now."""
    return _CURRENT.get()


def enter(options: Iterable[str] | None) -> None:
    """Say by which door the reader came: the options of a command, or None for Python."""
    _CURRENT.set(PYTHON if options is None else Door(frozenset(options)))


@contextmanager
def through(door: Door) -> Iterator[None]:
    """Write for a reader who came by a door."""
    token = _CURRENT.set(door)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class _NoValue:
    """Stands for an argument of which no value is named."""


_NO_VALUE = _NoValue()


def arg(name: str, value: object = _NO_VALUE) -> str:
    """Return the mark of an argument, for a message.

    Parameters
    ----------
    name : str
        The argument in Python; its option has the same name.
    value : object, optional
        What to set it to; `...` where the reader knows, as with the name of a column.

    Examples
    --------
    >>> from earnest.core.text.doors import Door, arg, render
    >>> advice = f"{arg('confidence_level')} is out of range. Use {arg('method', 'bbc')}."
    >>> print(render(advice))
    `confidence_level` is out of range. Use method='bbc'.
    >>> print(render(advice, Door(frozenset({"--confidence-level", "--method"}))))
    --confidence-level is out of range. Use --method bbc.
    >>> print(render(arg("ignore", ["a", "b c"]), Door(frozenset({"--ignore"}))))
    --ignore a --ignore 'b c'
    """
    if isinstance(value, _NoValue):
        return f"{_BEGIN}{name}{_END}"
    text = _ANY if value is ... else json.dumps(value, default=_to_plain)
    return f"{_BEGIN}{name}{_SPLIT}{text}{_END}"


def _to_plain(value: object) -> int | str:
    """Return a whole number of NumPy, or the text of anything else, for a mark."""
    return operator.index(value) if isinstance(value, SupportsIndex) else str(value)


def word(python: str, command: str) -> str:
    """Return the mark of words that differ by door beyond the name of an argument.

    Examples
    --------
    >>> from earnest.core.text.doors import Door, render, word
    >>> cure = word("predictions_from(source, y)", "Use --data TABLE.")
    >>> print(render(cure))
    predictions_from(source, y)
    >>> print(render(cure, Door(frozenset({"--data"}))))
    Use --data TABLE.
    """
    return f"{_BEGIN}{python}{_ELSE}{command}{_END}"


def render(text: str, door: Door | None = None) -> str:
    """Return a message with its marks in the words of a door, the current one by default."""
    if _BEGIN not in text:
        return text
    chosen = current_door() if door is None else door
    worded = _WORDING.sub(lambda mark: mark[1 if chosen.is_python else 2], text)
    return _MARK.sub(lambda mark: _render_mark(mark, chosen), worded)


def _render_mark(mark: re.Match[str], door: Door) -> str:
    name, text = mark[1], mark[2]
    if text is None:
        return door.name(name)
    try:
        return door.assign(name, ... if text == _ANY else json.loads(text))
    except ValueError:  # not a mark of ours: a name in a file can hold anything
        return mark[0]
