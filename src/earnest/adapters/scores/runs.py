"""What one evaluation log says, whatever tool wrote it, and how files of JSON are read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TypeAlias

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions.reasons import Breach, LogEnd
from earnest.core.results.base import parse_json

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonDict: TypeAlias = "dict[str, Json]"

# Letters and words that judges write in place of a number.
WORDS = {
    "c": 1.0,
    "correct": 1.0,
    "true": 1.0,
    "yes": 1.0,
    "pass": 1.0,
    "passed": 1.0,
    "p": 0.5,
    "partial": 0.5,
    "i": 0.0,
    "incorrect": 0.0,
    "false": 0.0,
    "no": 0.0,
    "fail": 0.0,
    "failed": 0.0,
    "n": 0.0,
    "noanswer": 0.0,
}


@dataclass(frozen=True)
class ItemScore:
    """The scores of one answer to one item.

    Attributes
    ----------
    item : str
        The item, as the log names it.
    scores : mapping of str to float or None
        Each score by its name; None where the answer has none, such as after an error.
    repeat : int or None
        The number of one of several answers to the item; None where the log does not number them.
    group : str or None
        What items belong together, such as questions on one passage.
    config : str or None
        The configuration, where one log has several.
    """

    item: str
    scores: Mapping[str, float | None]
    repeat: int | None = None
    group: str | None = None
    config: str | None = None


@dataclass(frozen=True, kw_only=True)
class EvaluationRun:
    """One run of an evaluation: a configuration on the items of a task.

    Attributes
    ----------
    path : PurePath
        The log; only its name is used here.
    config : str
        What was evaluated, mostly the model.
    rows : list of ItemScore
        The answers.
    task : str
        Which items; empty where the log does not say.
    settings : mapping
        What else was set, by which runs of one model are told apart.
    unfinished : LogEnd, optional
        Why the log is not whole; None where it is.
    greater_is_better : mapping of str to bool
        What the log says of its scores.
    static : bool
        Whether the configurations were fixed before any was evaluated.
    """

    path: PurePath
    config: str
    rows: list[ItemScore]
    task: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    unfinished: LogEnd | None = None
    greater_is_better: Mapping[str, bool] = field(default_factory=dict)
    static: bool = True


def read_score_number(value: object) -> float | None:
    """Return the number that a score stands for, None where it is no number.

    Examples
    --------
    >>> from earnest.adapters.scores.runs import read_score_number
    >>> (
    ...     read_score_number("C"),
    ...     read_score_number(True),
    ...     read_score_number("0.25"),
    ...     read_score_number([1]),
    ... )
    (1.0, 1.0, 0.25, None)
    >>> read_score_number(10**400), read_score_number("1e999")
    (None, None)
    """
    if isinstance(value, bool | int | float):
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return None
    elif isinstance(value, str):
        word = value.strip().casefold()
        if word in WORDS:
            return WORDS[word]
        try:
            number = float(word)
        except ValueError:
            return None
    else:
        return None
    return number if math.isfinite(number) else None


def name_item(value: object) -> str:
    """Return the name of an item: a text as it is, anything else as JSON.

    Examples
    --------
    >>> from earnest.adapters.scores.runs import name_item
    >>> name_item("q1"), name_item(7), name_item({"b": 1, "a": 2})
    ('q1', '7', '{"a": 2, "b": 1}')
    """
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def read_log_bytes(path: Path) -> bytes:
    """Return the content of a log."""
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error


def read_document(path: Path, what: str) -> Json:
    """Read a file of one JSON value; one that was cut off is refused, as no part of it is known."""
    try:
        document: Json = parse_json(read_log_bytes(path))
    except ValueError as error:
        raise FormatError(
            f"{str(path)!r} is cut off or damaged",
            needs=f"{what}, whole",
            got=str(error),
            cure="Let the run finish, or leave the file out.",
        ) from error
    return document


def read_lines(path: Path, what: str) -> tuple[list[JsonDict], LogEnd | None]:
    """Return the objects of a file of JSON lines, and why it is not whole where it is not.

    A last line that is cut off is that of a run which goes on or was killed, and the rest is read;
    a damaged line elsewhere is refused.
    """
    lines = read_log_bytes(path).split(b"\n")
    last = max((at for at, line in enumerate(lines) if line.strip()), default=-1)
    objects: list[JsonDict] = []
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            if at == last and objects:
                return objects, LogEnd(Breach.LINE, held=at + 1)
            raise FormatError(
                f"line {at + 1} of {str(path)!r} is not JSON",
                needs=f"{what}, a JSON object a line",
                got=check.show(str(error)),
            ) from error
        if not isinstance(value, dict):
            raise FormatError(
                f"line {at + 1} of {str(path)!r} is not a JSON object",
                needs=f"{what}, a JSON object a line",
                got=check.show(value),
            )
        objects.append(value)
    return objects, None


def peek_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a file, none of one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def peek_line(path: Path) -> JsonDict:
    """Return the first object of a file of JSON lines, an empty one of any other file."""
    try:
        with path.open("rb") as file:
            value = parse_json(file.readline(50_000_000))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def get_dict(value: Json, *names: str) -> JsonDict:
    """Return the object under names within names, an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def get_list(value: Json, *names: str) -> list[Json]:
    """Return the list under names within names, an empty one where there is none."""
    *above, last = names
    content = get_dict(value, *above).get(last)
    return content if isinstance(content, list) else []


def take_objects(listed: list[Json], path: Path, tool: str, needs: str) -> list[JsonDict]:
    """Return entries that are all objects; refuse a list in which one is not."""
    objects = [entry for entry in listed if isinstance(entry, dict)]
    if len(objects) < len(listed):
        at = next(at for at, entry in enumerate(listed) if not isinstance(entry, dict))
        got = f"{check.show(listed[at])} as entry {at + 1} of {len(listed)}"
        raise make_other_version_error(path, tool, needs, got)
    return objects


def get_text(value: Json, *names: str) -> str:
    """Return the text or number under names within names as text, empty where there is none."""
    *above, last = names
    content = get_dict(value, *above).get(last)
    if content is None or isinstance(content, dict | list):
        return ""
    return str(content)


def get_count(value: Json, *names: str) -> int | None:
    """Return the whole number under names within names, None where there is none."""
    text = get_text(value, *names)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def make_other_version_error(path: Path, tool: str, needs: str, got: str) -> FormatError:
    """Return the error for a log of a version that is not known."""
    return FormatError(
        f"{str(path)!r} is a log of {tool} in a form that earnest does not know",
        needs=needs,
        got=got,
        cure=f"Another version of {tool} wrote it: write a table with the columns item, "
        "configuration and score instead, or report the file.",
    )
