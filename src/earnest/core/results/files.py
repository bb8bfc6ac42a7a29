"""Results as files of JSON: written by `save` or by `earnest ... --json`, read by `load`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.writing import write_file


def parse_json(text: str | bytes) -> Any:
    """Return the value of a text of JSON; anything that is none is a ValueError.

    Python's parser has an error of its own for brackets within brackets by the thousand.

    Examples
    --------
    >>> from earnest.core.results.files import parse_json
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
        ...
    ValueError: the JSON is nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def write_result(data: Mapping[str, object], path: str | Path) -> Path:
    """Write the plain data of a result, and return where to."""
    return write_file(path, json.dumps(data, indent=2, allow_nan=False) + "\n")


def read_result(path: str | Path) -> Any:
    """Read the plain data of a result."""
    check.refuse_stream(Path(path))
    try:
        return parse_json(Path(path).read_bytes())  # UTF-16 too, which PowerShell makes of --json
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error
    except ValueError as error:
        raise FormatError(
            f"{str(path)!r} is not a JSON file",
            needs="a file that `save` or --json wrote",
            got=str(error),
        ) from error
