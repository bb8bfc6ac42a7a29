"""One writer at a time: a lock that dies with the process that holds it.

The system drops the lock of a process however it ends, so that a dead writer never blocks. The
lock is on a file beside the run file, because closing any second handle of a file drops every
lock that a POSIX process has on it, SQLite's own included.
"""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

from earnest.core.errors import StoreError

SUFFIX = "-lock"
_HELD: dict[str, int] = {}  # path -> process; POSIX would grant a lock twice to one process


class WriterLock:
    """The right to write one run file, which is called `shown` in what is said of it."""

    def __init__(self, path: Path, shown: Path | None = None) -> None:
        self.path = path if shown is None else shown
        self._place = os.path.realpath(path) + SUFFIX
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock, or raise StoreError with the process that has it."""
        if _HELD.get(self._place) == os.getpid():
            raise _held(self.path, f"process {os.getpid()}, which is this one")
        while self._handle is None:
            handle = os.open(self._place, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                _lock(handle)
            except OSError as error:
                who = os.read(handle, 200).decode("utf-8", "replace") or "another process"
                os.close(handle)
                raise _held(self.path, who) from error
            if _same_file(handle, self._place):
                self._handle = handle
            else:  # its last holder has removed the file in between
                os.close(handle)
        _HELD[self._place] = os.getpid()
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"process {os.getpid()} on {platform.node()}".encode())

    def release(self) -> None:
        """Give the lock back and remove its file; releasing twice is nothing."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        _HELD.pop(self._place, None)
        if sys.platform != "win32":  # there an open file cannot be removed
            _remove(self._place)
        os.close(handle)
        if sys.platform == "win32":
            _remove(self._place)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # past the text, which others shall read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _same_file(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(path: str) -> None:
    with suppress(OSError):  # another may hold it already; then it is theirs
        os.unlink(path)


def _held(path: Path, who: str) -> StoreError:
    return StoreError(
        f"another run is writing to {str(path)!r}",
        needs="one writer at a time",
        got=f"a file held by {who}",
        cure="Wait until it ends, or name another `store`; reading is possible at any time.",
    )
