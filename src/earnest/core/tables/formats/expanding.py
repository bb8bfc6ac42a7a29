"""How large a compressed file becomes: told, and refused where it is too much, before it is read.

A file of some kilobytes can unpack to more than any memory holds. An honest table shrinks to a
tenth, seldom to a hundredth; what is smaller still, and large when unpacked, is refused, and so
is what the memory has no room for. Arrays that are not compressed are as large as their file.
What a library says of a file that is damaged becomes an error of earnest here, too.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from numpy.lib import format as npy

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError, InputError

ALWAYS = 256 << 20  # bytes to which any file may unpack
RATIO = 100  # times its own size to which a file may unpack beyond that
VARIABLE = "EARNEST_UNPACK_LIMIT"  # of the environment: a size that takes the place of both
_SIZE = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)i?b?\s*$", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_BLOCK = 1 << 20
WHOLE = "a complete file of the format that its extension names"


def unpack_limit(size: int) -> int:
    """Return to how many bytes a file of so many may unpack.

    Parameters
    ----------
    size : int
        Of the file on the disk, in bytes.

    Examples
    --------
    >>> from earnest.core.tables.formats.expanding import unpack_limit
    >>> unpack_limit(1000) == 256 * 2**20
    True
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return max(ALWAYS, min(RATIO * size, measure_free_memory()))
    match = _SIZE.match(text)
    if match is None:
        raise InputError(
            f"{VARIABLE} is not a size",
            needs="bytes, or a number with its unit, such as 500MB or 20GB",
            got=repr(text),
        )
    return int(float(match[1]) * 1024 ** _POWERS[match[2].lower()])


def refuse_expanding(archive: ZipFile, path: Path, size: int | None = None) -> None:
    """Refuse an archive by the sizes that it declares; nothing of it is unpacked.

    The library that unpacks a member stops at its declared size, so no file gives more than it
    declares. Members that are not compressed do not count: they are as large as they lie there.
    """
    size = path.stat().st_size if size is None else size
    packed = [info for info in archive.infolist() if info.compress_type != ZIP_STORED]
    declared = sum(info.file_size for info in packed)
    if declared > unpack_limit(size):
        raise _make_large_error(path, size, f"{show_bytes(declared)} from {show_bytes(size)}")
    for info in archive.infolist():
        if info.compress_type == ZIP_STORED and info.file_size > size:
            raise _make_damaged_error(
                path, f"{info.filename!r} of {show_bytes(info.file_size)} in {show_bytes(size)}"
            )


def check_arrays(archive: ZipFile, path: Path) -> None:
    """Refuse an archive with an array that claims more than its member holds."""
    for info in archive.infolist():
        if info.filename.endswith(".npy"):
            with archive.open(info) as member:
                check_array(member, info, path)


def check_array(member: IO[bytes], info: ZipInfo, path: Path) -> None:
    """Refuse an array whose own header claims more than its member holds, before it is made.

    Parameters
    ----------
    member : binary file
        The member at its beginning; only its header is read.
    info : ZipInfo
        What the archive says of it.
    path : Path
        The archive, for messages.
    """
    if not info.file_size:
        raise _make_damaged_error(path, f"{info.filename!r} is empty")
    version = npy.read_magic(member)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(member)
    claimed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or (not dtype.hasobject and claimed > info.file_size):
        raise _make_damaged_error(
            path,
            (
                f"{info.filename!r} declares {show_bytes(claimed)} and has "
                f"{show_bytes(info.file_size)}"
            ),
        )


def read_gzip(path: Path) -> bytes:
    """Return what a gzip file holds; stop as soon as it is more than it may be.

    The size that the file declares at its end may be anything, and counts up to 4 GB only. Where it
    is too large, the file is unpacked once without being kept, so that it does not fill the memory
    before it is refused.
    """
    raw = path.read_bytes()
    limit = unpack_limit(len(raw))
    if int.from_bytes(raw[-4:], "little") > limit:
        for _ in _unpack_blocks(raw, limit, path):
            pass
    buffer = io.BytesIO()
    for block in _unpack_blocks(raw, limit, path):
        buffer.write(block)
    return buffer.getvalue()


def _unpack_blocks(raw: bytes, limit: int, path: Path) -> Iterator[bytes]:
    """Yield what was compressed in blocks, and refuse it where it is more than the limit."""
    count = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            while block := stream.read(_BLOCK):
                count += len(block)
                if count > limit:
                    raise _make_large_error(
                        path,
                        len(raw),
                        f"more than {show_bytes(limit)} from {show_bytes(len(raw))}",
                    )
                yield block
    except zlib.error as error:  # told as other damage is
        raise gzip.BadGzipFile(str(error)) from error


def _make_large_error(path: Path, size: int, got: str) -> FormatError:
    limit = unpack_limit(size)
    return FormatError(
        f"{path.name!r} unpacks to more than is safe to read",
        needs=f"at most {show_bytes(limit)} for a file of this size",
        got=got,
        cure=f"If you trust the file, set {VARIABLE}, such as {VARIABLE}=20GB, or unpack it first.",
    )


def _make_damaged_error(path: Path, got: str) -> FormatError:
    return FormatError(
        f"{path.name!r} is damaged",
        needs="an archive whose members have the size they declare",
        got=got,
        cure="Create or copy it again.",
    )


def show_bytes(size: float) -> str:
    """Return a size with its unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:,.0f} TB"


def measure_free_memory() -> int:
    """Return about how many bytes of memory are free, of a container where there is one."""
    free = [_read_available(), _read_container_limit()]
    sizes = [size for size in free if size is not None]
    return min(sizes, default=8 << 30)


def _read_available() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return int(text.split("MemAvailable:")[1].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _read_container_limit() -> int | None:
    try:
        most, used = (
            int(Path(f"/sys/fs/cgroup/memory.{name}").read_text(encoding="ascii"))
            for name in ("max", "current")
        )
    except (OSError, ValueError):  # no container, or one without a limit
        return None
    return max(0, most - used)


@contextmanager
def foreign_content(path: str | Path, *, needs: str = WHOLE, cure: str = "") -> Iterator[None]:
    """Turn whatever a library says of a file that it cannot read into one form of message.

    A damaged file makes libraries raise nearly anything (a TypeError of Optuna, a KeyError of
    skops, a RecursionError of JSON), so this is the one place that catches every exception. Only
    the reading by a library belongs inside. What earnest then does with the content stays outside,
    for a fault there is a fault of earnest, and must be seen as one.
    """
    try:
        yield
    except EarnestError:
        raise
    except Exception as error:  # see above
        kind = type(error).__name__
        first = next(iter(str(error).strip().splitlines()), "")
        plain = first and not isinstance(error, (LookupError, TypeError, AttributeError))
        raise FormatError(
            f"{Path(path).name!r} cannot be read",
            needs=needs,
            got=check.show_text(first if plain else f"{kind}: {first}" if first else kind),
            cure="There is not enough memory for it." if isinstance(error, MemoryError) else cure,
        ) from error
