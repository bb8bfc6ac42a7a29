"""Writing files: the old one stays until the new one is whole and on the disk."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from earnest.core.base.errors import FormatError

PATIENCE = 10.0  # seconds for the reader of a pipe to come
# Names of what is open already: replacing the file behind one would take it from its owner.
_OPEN = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


def write_file(path: str | Path, content: str | bytes) -> Path:
    """Write text (as UTF-8) or bytes under a name, and return it; see `replacing`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from earnest.core.base.writing import write_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_file(Path(folder) / "answer.txt", "0.72")
    ...     path.read_text()
    '0.72'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(path)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a file to write; it takes the place of `path` when it is whole and on the disk.

    The file lies beside `path`, so that it can be moved there in one step. When writing fails or
    is interrupted, it is removed, and what stood under the name is still there. A link stays and
    what it points to is replaced; permissions and owner stay those of the old file. A device, a
    pipe or a name of standard output cannot be replaced: it is given the bytes at the end.

    Parameters
    ----------
    path : str or Path
        Where the file shall be.
    """
    path = Path(path)
    try:
        through = _is_stream(path)
        target = path if through else Path(os.path.realpath(path))
        _refuse_folders(target)
        if through:
            with _pass_on(target) as temporary:
                yield temporary
        else:
            with _write_beside(target) as temporary:
                yield temporary
    except OSError as error:
        raise FormatError(
            f"{str(path)!r} cannot be written",
            needs="a writable folder with enough free space",
            got=os.strerror(error.errno) if error.errno else str(error),
        ) from error
    except UnicodeError as error:
        raise FormatError(
            f"{str(path)!r} cannot be written",
            needs="text that UTF-8 can hold",
            got="a name with half of a surrogate pair, such as '\\ud800'",
            cure="Look at the names of cases and configurations: such halves come from cut text.",
        ) from error


def _is_stream(path: Path) -> bool:
    """Tell whether a name stands for a device, a pipe, or something that is open already."""
    if os.path.abspath(path).startswith(_OPEN):
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def _refuse_folders(path: Path) -> None:
    if path.is_dir() or not path.parent.is_dir():
        raise FormatError(
            f"{str(path)!r} cannot be written",
            needs="a file name in a folder that exists",
            got="a folder" if path.is_dir() else f"no folder {str(path.parent)!r}",
        )
    if path.exists() and not os.access(path, os.W_OK):
        raise FormatError(
            f"{str(path)!r} cannot be written",
            needs="a file that you may write to",
            got="a read-only file",
            cure="Choose another file, or change its permissions.",
        )


@contextmanager
def _pass_on(stream: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        temporary = Path(folder) / "content"
        yield temporary
        with temporary.open("rb") as source, os.fdopen(_open_stream(stream), "wb") as sink:
            shutil.copyfileobj(source, sink)


def _open_stream(stream: Path) -> int:
    """Open a device or a pipe to write to; a pipe that nobody reads would wait forever."""
    waits = getattr(os, "O_NONBLOCK", 0)
    begun = time.monotonic()
    while True:
        try:
            handle = os.open(stream, os.O_WRONLY | os.O_APPEND | waits)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() - begun >= PATIENCE:
                raise FormatError(
                    f"{str(stream)!r} cannot be written",
                    needs="a pipe with a reader",
                    got="a pipe without one",
                    cure="Start the reader first.",
                ) from error
            time.sleep(0.05)
        else:
            if waits:
                os.set_blocking(handle, True)
            return handle


@contextmanager
def _write_beside(path: Path) -> Iterator[Path]:
    temporary = path.with_name(f".earnest-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        _sync(temporary)
        if path.exists():
            _take_over(path, temporary)
        os.replace(temporary, path)
    except BaseException:  # also when interrupted from the keyboard
        _remove_quietly(temporary)
        raise
    if os.name == "posix":  # elsewhere a folder cannot be opened
        with suppress(OSError):  # the file is there; some file systems cannot wait for folders
            _sync(path.parent)


def _take_over(old: Path, new: Path) -> None:
    """Give a file the permissions of another, and its owner where the system allows it."""
    shutil.copymode(old, new)
    if hasattr(os, "chown"):
        found, mine = old.stat(), new.stat()
        if (found.st_uid, found.st_gid) != (mine.st_uid, mine.st_gid):
            with suppress(OSError):
                os.chown(new, found.st_uid, found.st_gid)


def _remove_quietly(temporary: Path) -> None:
    """Remove half a file; where even this is refused, the first error is the one to tell."""
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
