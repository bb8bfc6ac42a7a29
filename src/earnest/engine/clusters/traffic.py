"""Sends chunks of tasks to a cluster, collects reports, and handles workers that die.

A cluster runs a task again when its worker dies, and gives up after a few deaths. This module
handles the tasks that it gives up, and those that were lost together with their data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol, Self

from earnest.core.base.errors import ClusterError, EarnestError
from earnest.core.base.protocols import EngineTask, Key, TaskOutcome
from earnest.engine.worker import ENDED, Chunks, Sent, WorkerBatch, failure

MOST_LOST = 10  # times that all that is away is lost in a row
SUSPECT = 3  # times that a task is lost until it may be that which kills workers


@dataclass(frozen=True)
class LostChunk:
    """A chunk that came back without a report; `killed` if workers died while they had it."""

    killed: bool = False


class Traffic(Protocol):
    """The chunks that are with a cluster; on leaving, those still away are taken back."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def __len__(self) -> int:
        """Return how many chunks are away."""

    def threads(self) -> int:
        """Return how many tasks can run at once; wait for a worker, or raise if none comes."""

    def room(self) -> int:
        """Return how many chunks may be away at once."""

    def send(self, chunk: list[Sent]) -> None:
        """Send a chunk to whoever is free."""

    def next(self) -> tuple[list[Sent], WorkerBatch | LostChunk]:
        """Wait for the next chunk that is back, and return what became of it."""


def run_on_cluster(
    begin: Callable[[], Traffic], tasks: Sequence[EngineTask]
) -> Generator[TaskOutcome]:
    """Yield outcomes as they come; tasks under which workers died again and again come last.

    Any of those that were with a dead worker may have killed it, so each of them gets one more
    try with none beside it, as in a pool of processes. A worker that had the data to itself takes
    it along: then the cluster cannot tell who was there, and those that are lost so are counted.
    """
    chunks = Chunks(tasks, 1)
    suspects: list[EngineTask] = []
    yield from _deal_chunks(begin, chunks, suspects)
    for suspect in suspects:
        again: list[EngineTask] = []
        yield from _deal_chunks(begin, Chunks([suspect], 1), again)
        for task in again:
            yield failure(task.key, "Every worker that ran this task died.", ENDED)
    yield from chunks.unsent


def _deal_chunks(
    begin: Callable[[], Traffic], chunks: Chunks, suspects: list[EngineTask]
) -> Generator[TaskOutcome]:
    lost = 0
    times: Counter[Key] = Counter()
    with begin() as traffic:
        while True:
            chunks.workers = traffic.threads()
            while len(traffic) < traffic.room() and (chunk := next(iter(chunks), None)):
                traffic.send(chunk)
            if not len(traffic):
                return
            chunk, result = traffic.next()
            if isinstance(result, WorkerBatch):
                lost = 0
                yield from chunks.learned(result)
                continue
            lost += 1
            if lost > MOST_LOST * traffic.room():
                raise make_keeps_nothing_error()
            times.update(key for key, _ in chunk)
            if result.killed or any(times[key] >= SUSPECT for key, _ in chunk):
                suspects += chunks.withdrawn(chunk)
            else:
                chunks.again(chunk)


def make_keeps_nothing_error() -> ClusterError:
    """Return the error of a cluster that cannot hold the data."""
    return ClusterError(
        "the cluster keeps losing the shared data",
        needs="running workers with memory for two copies of the data",
        cure="Check the logs of the workers.",
    )


def raise_worker_error(kind: str, error: BaseException) -> NoReturn:
    """Raise what a worker says; errors of tasks are outcomes, so this one is of the cluster."""
    if isinstance(error, EarnestError):
        raise error
    causes = [error, error.__cause__, error.__context__]
    missing = next((cause for cause in causes if isinstance(cause, ImportError)), error)
    raise EarnestError(
        f"a {kind} worker cannot run tasks",
        needs="the same packages on every worker as here",
        got=f"{type(missing).__name__}: {missing}",
        cure="Install earnest and your own modules on the workers.",
    ) from error
