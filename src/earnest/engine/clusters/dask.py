"""Tasks on a dask cluster, sent by the client of joblib's back end.

joblib would give the shared data to one or two workers and fail when they are gone. Here the client
keeps it, so that whatever is lost with a worker is sent again: its tasks by dask, the data and the
tasks that depend on it by us. A worker only needs the connection; it may have other folders, come
late, or leave.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from pkgutil import resolve_name
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NoReturn, Protocol, Self

from earnest.core.base.errors import ClusterError
from earnest.engine.clusters.traffic import (
    MOST_LOST,
    LostChunk,
    make_keeps_nothing_error,
    raise_worker_error,
)
from earnest.engine.parcels import BytesParcel, RunContent, pack_value
from earnest.engine.worker import Sent, WorkerBatch, perform_scattered

if TYPE_CHECKING:
    from joblib._dask import DaskDistributedBackend

PATIENCE = 60.0  # seconds to go on without any worker: a nanny needs some to start a new one
LOOK = 1.0  # seconds from one look at the cluster to the next
FETCH = 30.0  # seconds for a report to arrive; its worker may be gone, then it is made again


class Future(Protocol):
    """What we use of dask's word for a result to come."""

    key: str
    status: str

    def add_done_callback(self, fn: Callable[[Future], object]) -> None:
        """Call a function when the result is there."""

    def exception(self, timeout: float) -> BaseException:
        """Return what the task raised."""

    def result(self, timeout: float) -> WorkerBatch:
        """Return what the task gave."""


class Client(Protocol):
    """What we use of dask's connection to a cluster, which has types in part only."""

    status: str

    def ncores(self) -> Mapping[str, int]:
        """Return the threads of each worker."""

    def run(
        self, function: Callable[..., object], *args: object, workers: list[str], on_error: str
    ) -> Mapping[str, object]:
        """Call a function on each of some workers."""

    def scatter(self, data: bytes, *, hash: bool, timeout: float) -> Future:
        """Give data to the cluster."""

    def submit(
        self, func: Callable[..., WorkerBatch], *args: object, key: str, **kwargs: object
    ) -> Future:
        """Send a task."""

    def cancel(self, futures: list[Future]) -> None:
        """Take tasks back."""


@dataclass(frozen=True)
class DaskCluster:
    """The client of a cluster, the options of each task, and how long to wait for workers."""

    client: Client
    options: Mapping[str, object] = field(default_factory=dict, compare=False)
    patience: float = field(default=PATIENCE, compare=False)
    waiting: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, compare=False)

    @classmethod
    def of(cls, backend: DaskDistributedBackend) -> DaskCluster:
        """Return the cluster of joblib's back end, with the options its user gave it."""
        timeout = float(backend.wait_for_workers_timeout or 0.0)
        patience = max(timeout, PATIENCE)
        # A run within a task of the cluster must not hold the thread that its tasks may need.
        waiting = backend.retrieval_context
        return cls(backend.client, dict(backend.submit_kwargs), patience, waiting)

    def threads(self) -> Mapping[str, int]:
        """Return how many tasks each worker can run at once, by address."""
        while self.client.status == "connecting":  # again; the client gives up by itself
            time.sleep(0.05)
        if self.client.status != "running":
            raise _make_no_scheduler_error("no answer")
        try:
            return dict(self.client.ncores())
        except OSError as error:
            raise _make_no_scheduler_error(str(error)) from error

    def probe(self, workers: Sequence[str]) -> None:
        """Raise if a worker cannot import what it needs: it would die of the first task it gets.

        What is asked of it is a function of Python's own, which any worker understands.
        """
        name = f"{perform_scattered.__module__}:{perform_scattered.__name__}.__name__"
        answers: Mapping[str, object] = {}
        with suppress(OSError):  # they are gone again
            answers = self.client.run(resolve_name, name, workers=list(workers), on_error="return")
        for answer in answers.values():
            if isinstance(answer, ImportError):
                raise_worker_error("dask", answer)

    @contextmanager
    def scattered(self, content: RunContent) -> Iterator[DaskParcel]:
        """Give the content to the cluster, and take it back afterwards."""
        parcel = DaskParcel(BytesParcel.of(content), self)
        try:
            yield parcel
        finally:
            parcel.release()


class DaskParcel:
    """Shared data in the memory of workers; sent again when the last that had it is gone."""

    def __init__(self, packed: BytesParcel, cluster: DaskCluster) -> None:
        self.packed, self.cluster = packed, cluster
        self._future: Future | None = None

    def future(self) -> Future:
        """Return the data as dask's workers find it."""
        if self._future is None or self._future.status not in ("pending", "finished"):
            # Bytes, which a worker can hold that cannot read them and shall say so. A key of its
            # own: by the hash of the data, one run would take back another's.
            self._future = self.cluster.client.scatter(self.packed.blob, hash=False, timeout=LOOK)
        return self._future

    def release(self) -> None:
        """Let the workers forget it."""
        self._future = None


class DaskTraffic:
    """The chunks that dask has; those that are not wanted any more are cancelled."""

    def __init__(self, parcel: DaskParcel) -> None:
        self._cluster, self._parcel = parcel.cluster, parcel
        self._away: dict[str, tuple[Future, list[Sent]]] = {}
        self._back: SimpleQueue[Future] = SimpleQueue()
        self._known: set[str] = set()
        self._stack = ExitStack()
        self._threads, self._looked, self._seen = 0, -LOOK, time.monotonic()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._cluster.waiting())
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        futures = [future for future, _ in self._away.values()]
        if futures and self._cluster.client.status == "running":
            self._cluster.client.cancel(futures)

    def __len__(self) -> int:
        return len(self._away)

    def threads(self) -> int:
        """Return how many tasks can run at once; wait for a worker, or raise if none comes."""
        while self._look() == 0:
            time.sleep(0.1)
        return self._threads

    def room(self) -> int:
        """Return one chunk for every thread to run and one to wait for it."""
        return 2 * self._threads

    def send(self, chunk: list[Sent]) -> None:
        """Send a chunk to whoever is free."""
        future = self._cluster.client.submit(
            perform_scattered,
            self._parcel.packed.token,
            self._data(),
            self._parcel.packed.made_with,
            pack_value(chunk),  # dask would look into a list for tasks of its own
            key=f"earnest-{secrets.token_hex(8)}",
            **{"pure": False, **self._cluster.options},
        )
        self._away[future.key] = future, chunk
        future.add_done_callback(self._back.put)

    def _data(self) -> Future:
        for _ in range(MOST_LOST):
            self.threads()
            with suppress(OSError):  # its worker has died at this very moment
                return self._parcel.future()
        raise make_keeps_nothing_error()

    def next(self) -> tuple[list[Sent], WorkerBatch | LostChunk]:
        """Wait for the next chunk that is back, and return what became of it."""
        while True:
            try:
                future = self._back.get(timeout=LOOK)
            except Empty:
                self._look()
                continue
            result = self._result(future)
            if result is None:  # made again, for the worker that had it is gone
                future.add_done_callback(self._back.put)
                continue
            return self._away.pop(future.key)[1], result

    def _result(self, future: Future) -> WorkerBatch | LostChunk | None:
        from distributed import CancelledError, KilledWorker

        try:
            if future.status == "error":
                _raise_error(future.exception(timeout=FETCH))
            return future.result(timeout=FETCH)
        except TimeoutError:
            return None
        except CancelledError:
            return LostChunk()
        except KilledWorker:
            return LostChunk(killed=True)

    def _look(self) -> int:
        """Look at the cluster now and then; raise when it has been empty for too long."""
        now = time.monotonic()
        gone = self._cluster.client.status != "running"
        if now - self._looked >= LOOK or not self._threads or gone:
            threads, self._looked = self._cluster.threads(), now
            if new := threads.keys() - self._known:
                self._cluster.probe(list(new))
            self._threads, self._known = sum(threads.values()), set(threads)
        if self._threads:
            self._seen = now
        elif now - self._seen > self._cluster.patience:
            raise make_no_workers_error(self._cluster.patience)
        return self._threads


def make_no_workers_error(seconds: float) -> ClusterError:
    """Return the error of a cluster without workers."""
    return ClusterError(
        f"the dask cluster has had no worker for {seconds:g} s",
        needs="at least one worker",
        cure="Start workers with `dask worker ADDRESS`, or wait longer for them: "
        "wait_for_workers_timeout of joblib.parallel_config.",
    )


def _make_no_scheduler_error(got: str) -> ClusterError:
    return ClusterError(
        "the connection to the dask scheduler is lost",
        got=got,
        cure="Start a scheduler with `dask scheduler`, and workers with `dask worker ADDRESS`.",
    )


def _raise_error(error: BaseException) -> NoReturn:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        raise error
    raise_worker_error("dask", error)
