"""Shared data for the workers: sent once, not with every task.

Threads use it by reference. Processes of this machine load it from a file whose arrays are mapped
into memory, so that all processes together hold them once; what a process writes stays private.
Other machines, which may not see the file, get it by value: dask sends a large argument once, and
ray keeps it in its own store. A worker unpacks it once.
"""

from __future__ import annotations

import mmap
import os
import pickle
import platform
import secrets
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from earnest.core.base.errors import EarnestError, InputError
from earnest.engine.identity import find_versions
from earnest.engine.limits import TaskLimit

if TYPE_CHECKING:
    from ray import ObjectRef

    from earnest.engine.worker import Work

# A folder for the shared data of a run, which is removed however the run ends: at the end; by the
# tracker of loky if only this process is killed; and by the next run, which finds that no process
# holds the folder, if all processes are killed together.


PREFIX = "earnest-"
OWNER = "owner"  # a file that the owner of the folder has locked
_OURS: set[str] = set()  # of this process, which its own locks do not keep out


@contextmanager
def make_own_folder() -> Iterator[str]:
    """Give a new folder where joblib puts its own, else among the system's temporary files."""
    from joblib.externals.loky.backend import resource_tracker

    above = os.environ.get("JOBLIB_TEMP_FOLDER") or tempfile.gettempdir()
    _sweep(Path(above))
    folder, handle = _make_folder(above)
    resource_tracker.register(folder, "folder")
    _OURS.add(folder)
    try:
        yield folder
    finally:
        os.close(handle)  # elsewhere than on POSIX an open file cannot be removed
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(folder, "folder")
        _OURS.discard(folder)


def _make_folder(above: str) -> tuple[str, int]:
    """Make a folder that has its final name only when it is locked; `_sweep` looks at names."""
    hidden = tempfile.mkdtemp(prefix=f".{PREFIX}", dir=above)
    handle = os.open(os.path.join(hidden, OWNER), os.O_RDWR | os.O_CREAT, 0o600)
    _lock_file(handle)
    if sys.platform == "win32":  # a folder with an open file cannot be renamed, nor is it swept
        return hidden, handle
    folder = os.path.join(os.path.dirname(hidden), os.path.basename(hidden)[1:])
    os.rename(hidden, folder)
    return folder, handle


def _sweep(above: Path) -> None:
    """Remove the folders of runs that were killed with all their processes."""
    if sys.platform == "win32":
        return
    for folder in above.glob(f"{PREFIX}*"):
        if str(folder) not in _OURS and _is_abandoned(folder / OWNER):
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(owner: Path) -> bool:
    try:
        handle = os.open(owner, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False  # none of our folders, or another user's
    try:
        with suppress(OSError):
            _lock_file(handle)
            return True
        return False
    finally:
        os.close(handle)


def _lock_file(handle: int) -> None:
    """Lock as long as this process lives; raise OSError if another one has locked it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


T = TypeVar("T")
P = TypeVar("P")
ALIGN = 64  # where an array begins, so that no number straddles a cache line
IN_BAND = 4096  # bytes up to which an array goes with the rest
DATA, STREAM = "data", "stream"

_CACHE: dict[str, RunContent] = {}  # at most one: a worker serves one run at a time
_CACHE_GUARD = threading.Lock()


@dataclass(frozen=True, eq=False)
class RunContent:
    """What every task of a run needs."""

    work: Work
    shared: object
    limit: TaskLimit | None = None
    filters: list[object] = field(default_factory=lambda: list(warnings.filters))


class Parcel(Protocol):
    """How the content comes to where a task runs."""

    def content(self) -> RunContent:
        """Return the content, unpacked at the first time only."""


@dataclass(frozen=True, eq=False)
class ReferenceParcel:
    """For threads: the very objects."""

    held: RunContent

    def content(self) -> RunContent:
        """Return the content."""
        return self.held


@dataclass(frozen=True, eq=False)
class BytesParcel:
    """For other machines: all in one piece of bytes."""

    token: str
    blob: bytes
    made_with: Mapping[str, str]

    @classmethod
    def of(cls, content: RunContent) -> BytesParcel:
        """Pack."""
        return cls(secrets.token_hex(8), _sent(content), find_versions())

    def __sizeof__(self) -> int:
        """Return how many bytes go along: dask sends an argument that is large only once."""
        return len(self.blob)

    def content(self) -> RunContent:
        """Unpack once in a process."""
        return _unpack_once(self.token, lambda: _read(self.blob, self.made_with))


@dataclass(frozen=True, eq=False)
class RayParcel:
    """For ray, which would send a large argument with every call: bytes in its own store."""

    token: str
    reference: ObjectRef
    made_with: Mapping[str, str]

    @classmethod
    def of(cls, content: RunContent) -> RayParcel:
        """Pack."""
        import ray

        return cls(secrets.token_hex(8), ray.put(_sent(content)), find_versions())

    def content(self) -> RunContent:
        """Fetch and unpack once in a process."""
        import ray

        return _unpack_once(self.token, lambda: _read(ray.get(self.reference), self.made_with))


@dataclass(frozen=True, eq=False)
class FileParcel:
    """For processes of this machine: a folder with the arrays in one file, the rest in another."""

    folder: str
    owner: int  # the process that runs the tasks

    def content(self) -> RunContent:
        """Load once in a process."""
        return _unpack_once(self.folder, lambda: _load(Path(self.folder)))


def _unpack_once(token: str, unpack: Callable[[], RunContent]) -> RunContent:
    with _CACHE_GUARD:
        if token not in _CACHE:
            _CACHE.clear()
            _CACHE[token] = unpack()
        return _CACHE[token]


@contextmanager
def by_file(content: RunContent) -> Iterator[FileParcel]:
    """Write the content into a folder that is gone afterwards, however the run ends."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(make_own_folder())
            _dump(content, Path(folder))
        except OSError as error:
            raise EarnestError(
                "the shared data cannot be written for the workers",
                needs="a temporary folder with enough free space for the data",
                got=os.strerror(error.errno) if error.errno else str(error),
                cure="Set the environment variable JOBLIB_TEMP_FOLDER to another folder.",
            ) from error
        yield FileParcel(folder, os.getpid())


class SharedData(Generic[T]):
    """Shared data that stays with the workers over several runs; see `keep`."""

    def __init__(self, value: T, stack: ExitStack) -> None:
        self.value = value
        self._stack = stack
        self._sent: tuple[RunContent, Hashable, Any] | None = None

    def packed(
        self, content: RunContent, target: Hashable, pack: Callable[[], AbstractContextManager[P]]
    ) -> AbstractContextManager[P]:
        """Return the parcel of an earlier run of the same work at the same place, else pack one."""
        if self._sent is not None:
            before, where, parcel = self._sent
            if (before.work, before.limit, where) == (content.work, content.limit, target):
                return nullcontext(parcel)
        parcel = self._stack.enter_context(pack())
        self._sent = content, target, parcel
        return nullcontext(parcel)


@contextmanager
def keep(shared: T) -> Iterator[SharedData[T]]:
    """Keep shared data with the workers over several runs, for those who run tasks in rounds.

    Examples
    --------
    >>> from earnest.core.base.protocols import TaskOutcome, EngineTask
    >>> from earnest.engine.parcels import keep
    >>> from earnest.engine.run import run_tasks
    >>> def work(shared, task):
    ...     return TaskOutcome(task.key, numbers={"power": shared ** task.key[0]})
    >>> with keep(2) as kept:
    ...     for round in (1, 2):
    ...         [
    ...             outcome.numbers["power"]
    ...             for outcome in run_tasks(work, kept, [EngineTask((round,))])
    ...         ]
    [2.0]
    [4.0]
    """
    with ExitStack() as stack:
        yield SharedData(shared, stack)


def pack_value(value: object, write: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """Return a value as bytes, including functions and classes of the user's session."""
    # By way of loky: up to joblib 1.5 cloudpickle is a part of joblib, later a package beside it.
    from joblib.externals.loky.cloudpickle_wrapper import dumps

    packed: bytes = dumps(value, protocol=5, buffer_callback=write)
    return packed


def _sent(content: RunContent, write: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    try:
        return pack_value(content, write)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            "the work or its data cannot be sent to other processes",
            needs="objects that can be pickled",
            got=str(error),
            cure="Use n_jobs=1, or threads with joblib.parallel_config(backend='threading').",
        ) from error


def _read(blob: bytes, made_with: Mapping[str, str]) -> RunContent:
    """Unpack on what may be another machine, whose versions must be those of the sender.

    They are compared before, since code of another Python cannot be read, and afterwards, when
    the libraries that the content needs have been imported.
    """
    _refuse_others(made_with)
    try:
        content: RunContent = pickle.loads(blob)
    except (ImportError, AttributeError) as error:
        raise EarnestError(
            "a worker lacks code that the tasks need",
            needs="the same packages and modules on every worker as here",
            got=f"on {platform.node()}: {error}",
            cure="Install the package there; send your own modules with dask's "
            "client.upload_file(path) or ray.init(runtime_env={'py_modules': [path]}).",
        ) from error
    _refuse_others(made_with)
    return content


def _refuse_others(made_with: Mapping[str, str]) -> None:
    here = find_versions()
    other = [name for name, number in made_with.items() if here.get(name, number) != number]
    if other:
        raise EarnestError(
            "a worker has different versions",
            needs=", ".join(f"{name} {made_with[name]}" for name in other),
            got=f"on {platform.node()}: {', '.join(here[name] for name in other)}",
            cure="Install the same versions there; results may differ otherwise.",
        )


def _dump(content: RunContent, folder: Path) -> None:
    places: list[tuple[int, int]] = []
    with (folder / DATA).open("wb") as data:

        def write(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes <= IN_BAND:
                return True
            data.write(bytes(-data.tell() % ALIGN))
            places.append((data.tell(), raw.nbytes))
            data.write(raw)
            return False

        stream = _sent(content, write)
    (folder / STREAM).write_bytes(pickle.dumps((places, stream)))


def _load(folder: Path) -> RunContent:
    places, stream = pickle.loads((folder / STREAM).read_bytes())
    buffers = []
    if places:  # an empty file cannot be mapped
        with (folder / DATA).open("rb") as data:  # a page that is written to becomes private
            whole = memoryview(mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_COPY))
        buffers = [whole[start : start + size] for start, size in places]
    loaded: RunContent = pickle.loads(stream, buffers=buffers)
    return loaded
