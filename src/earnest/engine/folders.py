"""A folder for the shared data of a run that is gone afterwards, however the run ends.

It is removed at the end. If only this process is killed, the tracker of loky removes it. If all
processes are killed together, the next run finds that nobody holds the folder and removes it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "earnest-"
OWNER = "owner"  # a file that the owner of the folder has locked
_OURS: set[str] = set()  # of this process, which its own locks do not keep out


@contextmanager
def own_folder() -> Iterator[str]:
    """Give a new folder where joblib puts its own, else among the system's temporary files."""
    from joblib.externals.loky.backend import resource_tracker

    place = os.environ.get("JOBLIB_TEMP_FOLDER") or tempfile.gettempdir()
    _sweep(Path(place))
    folder, handle = _made(place)
    resource_tracker.register(folder, "folder")
    _OURS.add(folder)
    try:
        yield folder
    finally:
        os.close(handle)  # elsewhere than on POSIX an open file cannot be removed
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(folder, "folder")
        _OURS.discard(folder)


def _made(place: str) -> tuple[str, int]:
    """Make a folder that has its final name only when it is locked; `_sweep` looks at names."""
    hidden = tempfile.mkdtemp(prefix=f".{PREFIX}", dir=place)
    handle = os.open(os.path.join(hidden, OWNER), os.O_RDWR | os.O_CREAT, 0o600)
    _lock(handle)
    if sys.platform == "win32":  # a folder with an open file cannot be renamed, nor is it swept
        return hidden, handle
    folder = os.path.join(os.path.dirname(hidden), os.path.basename(hidden)[1:])
    os.rename(hidden, folder)
    return folder, handle


def _sweep(place: Path) -> None:
    """Remove the folders of runs that were killed with all their processes."""
    if sys.platform == "win32":
        return
    for folder in place.glob(f"{PREFIX}*"):
        if str(folder) not in _OURS and _abandoned(folder / OWNER):
            shutil.rmtree(folder, ignore_errors=True)


def _abandoned(owner: Path) -> bool:
    try:
        handle = os.open(owner, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False  # none of our folders, or another user's
    try:
        with suppress(OSError):
            _lock(handle)
            return True
        return False
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Lock as long as this process lives; raise OSError if another one has locked it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
