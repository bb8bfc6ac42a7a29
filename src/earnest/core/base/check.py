"""Argument checks, each with one form of message."""

from __future__ import annotations

import errno
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import SupportsFloat, SupportsIndex, cast

from earnest.core.base.errors import FormatError, InputError
from earnest.core.text.doors import arg


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the strings in `allowed`."""
    options = [str(option) for option in allowed]  # enum members print as their words
    if not isinstance(value, str) or value not in options:
        raise InputError(
            f"{arg(name)} is unknown",
            needs=", ".join(repr(o) for o in options),
            got=show(value),
            cure=nearest(spell(value, str), options),
        )
    return value


def one_of_or_none(name: str, value: object, allowed: Iterable[str]) -> str | None:
    """Return `value` if it is None or one of the strings in `allowed`."""
    return None if value is None else one_of(name, value, allowed)


def whole_number(name: str, value: object, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int within [low, high]."""
    try:
        number = operator.index(cast("SupportsIndex", value))
    except TypeError:  # no integer, or an array of several
        number = None
    most = math.inf if high is None else high
    if number is None or isinstance(value, bool) or not low <= number <= most:
        wanted = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise InputError(
            f"{arg(name)} is out of range", needs=f"an integer {wanted}", got=show(value)
        )
    return number


SMALLEST_TAIL = 1e-9  # what a level leaves out; rounding hides less


def read_number(value: object) -> float:
    """Return a number, or the text of one, as a float; NaN for anything else.

    Examples
    --------
    >>> from earnest.core.base.check import read_number
    >>> read_number("0.5"), read_number(None), read_number([1.0])
    (0.5, nan, nan)
    """
    if not isinstance(value, str | bytes | SupportsFloat | SupportsIndex):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):  # an array of several, or text that is not a number
        return math.nan
    except OverflowError:  # a whole number with hundreds of digits
        return math.inf


def check_share(name: str, value: object) -> float:
    """Return `value` as a float strictly between 0 and 1, as far from 1 as tails can be told."""
    number = read_number(value)
    if type(value).__name__ in ("float16", "float32"):  # of NumPy: 0.9 is meant, not 0.89999998
        number = read_number(str(value))
    if 1.0 - SMALLEST_TAIL < number < 1.0:
        raise InputError(
            f"{arg(name)} is too close to 1",
            needs=f"at most {1.0 - SMALLEST_TAIL}",
            got=show(value),
        )
    if not 0.0 < number < 1.0:
        cure = ""
        if 1.0 < number < 100.0:
            cure = f"For {number:g} percent use {number / 100:g}."
        raise InputError(
            f"{arg(name)} is out of range",
            needs="a number between 0 and 1",
            got=show(value),
            cure=cure,
        )
    return number


def read_range(name: str, ends: object, what: str) -> tuple[float, float]:
    """Return the smallest and the largest value that something can have.

    Examples
    --------
    >>> from earnest.core.base.check import read_range
    >>> read_range("limits", (0, "inf"), "score")
    (0.0, inf)
    """
    try:
        least, most = (read_number(end) for end in cast("Iterable[object]", ends))
    except (TypeError, ValueError):
        least = most = math.nan
    if not least < most:
        raise InputError(
            f"{arg(name)} cannot be read",
            needs=f"the smallest and the largest {what} that is possible, such as (0, 1)",
            got=show(ends),
        )
    return least, most


NEAR = 2 / 3  # the least likeness of a name that may have been meant


def find_nearest(name: str, options: Iterable[str], least: float = NEAR) -> str | None:
    """Return the option that is most like a name, None where none is near.

    Likeness is that of `difflib`: twice the number of letters that both have in the same order,
    over the letters of both. It is 1 for names that differ in capitals and spaces around them
    alone, and 2/3 for one wrong letter of three.

    Examples
    --------
    >>> from earnest.core.base.check import find_nearest
    >>> find_nearest("svn", ["rf", "SVM"]), find_nearest("income", ["outcome", "age"])
    ('SVM', None)
    """
    spellings: dict[str, str] = {}
    for option in options:
        spellings.setdefault(option.strip().casefold(), option)
    match = get_close_matches(name.strip().casefold(), spellings, n=1, cutoff=least)
    return spellings[match[0]] if match else None


def suggest_spelling(names: Iterable[str]) -> str:
    """Return 'Did you mean ...?' for what may have been meant, or nothing.

    Examples
    --------
    >>> from earnest.core.base.check import suggest_spelling
    >>> suggest_spelling(["'age'", "'stage'"])
    "Did you mean 'age' or 'stage'?"
    """
    listed = " or ".join(names)
    return f"Did you mean {listed}?" if listed else ""


def nearest(name: str, options: Iterable[str]) -> str:
    """Return 'Did you mean ...?' for the nearest option, or nothing."""
    match = find_nearest(name, options)
    return suggest_spelling([] if match is None else [repr(match)])


def spell(value: object, form: Callable[[object], str] = repr) -> str:
    """Return the repr of any object, or its `str`, and its type where it has none.

    What a list holds may be nested deeper than Python can follow, a whole number may have more
    digits than Python writes, and the repr of somebody's class may fail.

    Examples
    --------
    >>> from earnest.core.base.check import spell
    >>> spell([1, "a"]), spell(10**5000)
    ("[1, 'a']", '<int that cannot be shown>')
    """
    try:
        return form(value)
    except Exception:  # noqa: BLE001  # whatever somebody's class raises, a message is due
        return f"<{type(value).__name__} that cannot be shown>"


def show(value: object, width: int = 60) -> str:
    """Return a short repr for a message."""
    return show_text(spell(value), width)


def read_path(value: object, needs: str = "the path of a file", name: str = "path") -> Path:
    """Return what a user passes as a path, and refuse what cannot be one.

    Examples
    --------
    >>> from earnest.core.base.check import read_path
    >>> read_path("pi.npz").name
    'pi.npz'
    >>> read_path(1.5)
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: `path` is not a path. Expected the path of a file, got 1.5.
    """
    try:
        path = Path(os.fsdecode(cast("os.PathLike[str]", value)))
        os.lstat(path)
    except (TypeError, ValueError) as error:  # not a path; half a character, or a zero within
        raise InputError(f"{arg(name)} is not a path", needs=needs, got=show(value)) from error
    except OSError as error:  # most are told where the file is opened
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"{arg(name)} is too long", needs=needs, got=show(value)) from error
    return path


def show_text(text: str, width: int = 200) -> str:
    """Return a text as it is, cut where it is too long for a message."""
    return text if len(text) <= width else text[: width - 1] + "…"


def some(values: Iterable[object], limit: int = 5) -> str:
    """Return the first few values, comma separated, and how many more there are.

    Values that hold commas themselves are separated by semicolons.
    """
    items = [str(v) for v in values]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    between = "; " if any(", " in item for item in items[:limit]) else ", "
    return between.join(items[:limit]) + more


def refuse_given(options: Mapping[str, object], source: str) -> None:
    """Refuse options that were given although they mean nothing for a source; None is not given.

    Examples
    --------
    >>> from earnest.core.base.check import refuse_given
    >>> refuse_given({"study": None, "fold": "k"}, "a table")
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: `fold` does not apply to a table: 'k'. Leave it out.
    """
    for name, value in options.items():
        if value is not None:
            raise InputError(
                f"{arg(name)} does not apply to {source}", got=show(value), cure="Leave it out."
            )


def refuse_stream(path: Path) -> None:
    """Refuse a pipe or a device: its writer may never come, and it can be read only once."""
    if path.exists() and not path.is_file() and not path.is_dir():
        pipe = path.is_fifo() or path.is_socket()
        raise FormatError(
            f"{str(path)!r} is {'a pipe' if pipe else 'a device'}, not a file",
            needs="a regular file",
            cure="Write its output to a file first and pass that."
            if pipe
            else "Pass a regular file.",
        )
