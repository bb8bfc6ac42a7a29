"""Writing files: the old one stays until the new one is whole and on the disk."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError

PATIENCE = 10.0  # seconds for the reader of a pipe to come
# Names of what is open already: replacing the file behind one would take it from its owner.
_OPEN = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
_TEMPORARY = re.compile(r"\.earnest-[0-9a-f]{16}\.tmp")  # names of files that are being written
_SWEPT: set[str] = set()  # folders in which this process has looked for those of dead writers


def write_file(path: str | Path, content: str | bytes, *, follow: bool = True) -> Path:
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
    with replacing(path, follow=follow) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(path)


@contextmanager
def replacing(path: str | Path, *, follow: bool = True) -> Iterator[Path]:
    """Give a file to write; it takes the place of `path` when it is whole and on the disk.

    The file lies beside `path`, so that it can be moved there in one step. When writing fails or
    is interrupted, it is removed, and what stood under the name is still there; a file that a
    killed process has left is removed by the next one that writes to the folder. Permissions and
    owner stay those of the old file. A device, a pipe or a name of standard output cannot be
    replaced: it is given the bytes at the end.

    Parameters
    ----------
    path : str or Path
        Where the file shall be.
    follow : bool
        Whether `path` may be a link, or a device: the link stays and what it points to is
        replaced. False for a name that the user did not choose, see `refuse_links`.
    """
    path = check.read_path(path)
    try:
        if not follow:
            refuse_links(path)
        through = follow and _is_stream(path)
        target = path if through or not follow else Path(os.path.realpath(path))
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


def refuse_links(*paths: Path) -> None:
    """Refuse names that are links, pipes or devices, for files whose names earnest chooses.

    Whoever prepares a folder could otherwise have another file replaced by what is written there.
    """
    for path in paths:
        try:
            mode = os.lstat(path).st_mode
        except OSError:  # not there, or out of reach, which writing tells
            continue
        if not stat.S_ISREG(mode):
            folder = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
            raise FormatError(
                f"{str(path)!r} is not a regular file",
                needs="a file or none, because earnest chose this name and not you",
                got="a link" if stat.S_ISLNK(mode) else folder,
                cure="Remove it, or choose another folder.",
            )


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
    if str(path.parent) not in _SWEPT:
        _SWEPT.add(str(path.parent))
        remove_abandoned(path.parent)
    temporary, handle = _make_temporary(path.parent)
    try:
        yield temporary
        _sync(temporary)
        if path.exists():
            _take_over(path, temporary)
        os.replace(temporary, path)
    except BaseException:  # also when interrupted from the keyboard
        _remove_quietly(temporary)
        raise
    finally:
        if handle is not None:
            os.close(handle)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        with suppress(OSError):  # the file is there; some file systems cannot wait for folders
            _sync(path.parent)


def _make_temporary(folder: Path) -> tuple[Path, int | None]:
    """Make a file to write, and lock it as long as this process writes it.

    Where files cannot be locked there is no handle, and nobody removes it but its writer.
    """
    while True:
        path = folder / f".earnest-{secrets.token_hex(8)}.tmp"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)  # EXCL: no link
        if sys.platform == "win32":  # there an open file cannot be replaced
            os.close(handle)
            return path, None
        if _lock(handle) is not False and path.exists():  # else another has just swept it
            return path, handle
        os.close(handle)


def remove_abandoned(folder: Path) -> None:
    """Remove files that were being written to a folder by processes that were killed.

    A living writer holds a lock on its file, which the system drops however a process ends.
    """
    with suppress(OSError):  # of a folder that is not there, or may not be listed
        for entry in os.scandir(folder):
            if _TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    if sys.platform == "win32":
        return
    with suppress(OSError):  # it is gone already, or another user's
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if _lock(handle):
                os.unlink(path)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool | None:
    """Lock an open file; tell whether it is locked now, None where the system has no locks."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _take_over(old: Path, new: Path) -> None:
    """Give a file the permissions of another, and its owner where the system allows it."""
    shutil.copymode(old, new)
    if hasattr(os, "chown"):
        old_stat, mine = old.stat(), new.stat()
        if (old_stat.st_uid, old_stat.st_gid) != (mine.st_uid, mine.st_gid):
            with suppress(OSError):
                os.chown(new, old_stat.st_uid, old_stat.st_gid)


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
