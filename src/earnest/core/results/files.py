"""Results as files of JSON: written by `save` or by `earnest ... --json`, read by `load`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from earnest.core.base.errors import FormatError

T = TypeVar("T", covariant=True)


class _Readable(Protocol[T]):
    def from_dict(self, data: Mapping[str, Any], /) -> T: ...


def write_result(data: Mapping[str, Any], path: str | Path) -> Path:
    """Write the plain data of a result, and return where to."""
    target = Path(path)
    text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")  # a device or a pipe takes it as it comes
        else:
            _write_whole(target, text)
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be written", got=why) from error
    return target


def _write_whole(target: Path, text: str) -> None:
    """Write a file that takes its place when it is whole, so that a full disk spares an old one."""
    from earnest.core.tables.files import _replacing

    with _replacing(target.resolve()) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_result(kind: _Readable[T], path: str | Path) -> T:
    """Read a result of a kind that has `from_dict`."""
    try:
        data = json.loads(Path(path).read_bytes())  # UTF-16 too, which PowerShell makes of --json
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{str(path)!r} is not a file of JSON",
            needs="what `save` or --json wrote",
            got=str(error),
        ) from error
    return kind.from_dict(data)
