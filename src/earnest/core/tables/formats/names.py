"""Files for Arrow, which takes names in UTF-8 only; a system may have others."""

from __future__ import annotations

import mmap
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import pyarrow as pa


def is_utf8(path: Path) -> bool:
    """Tell whether a name can be written in UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def open_named(path: Path, stack: ExitStack) -> str | BinaryIO:
    """Return what Arrow reads a file by: its name, else the file itself."""
    return str(path) if is_utf8(path) else stack.enter_context(path.open("rb"))


def map_named(path: Path, stack: ExitStack) -> pa.NativeFile:
    """Map a file into memory for Arrow."""
    import pyarrow as pa

    if is_utf8(path):
        return stack.enter_context(pa.memory_map(str(path)))
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return stack.enter_context(pa.BufferReader(pa.py_buffer(mapped)))
