"""Short tasks travel together, so that sending them costs little beside running them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earnest.core.protocols import Outcome, Task
from earnest.engine.parcels import pack
from earnest.engine.tasks import UNSENT, Caught, failure
from earnest.engine.worker import Report, Sent

TOGETHER = 0.1  # seconds that a chunk shall take: what is lost when the run is killed
MOST = 256  # tasks in a chunk


class Chunks:
    """Cuts tasks into chunks of about the same time, learning from those that came back.

    A task whose payload cannot be pickled is left out; its outcome is in `unsent`.
    """

    def __init__(self, tasks: Sequence[Task], workers: int, *, single: bool = False) -> None:
        self._tasks, self._workers = tasks, workers
        self._most = 1 if single else MOST
        self._size = 1
        self.unsent: list[Outcome] = []

    def __iter__(self) -> Iterator[list[Sent]]:
        at = 0
        while at < len(self._tasks):
            fair = -(-(len(self._tasks) - at) // (2 * self._workers))  # the last ones spread out
            stop = at + max(1, min(self._size, fair))
            chunk = [sent for task in self._tasks[at:stop] for sent in self._sent(task)]
            at = stop
            if chunk:
                yield chunk

    def learned(self, report: Report) -> list[Outcome]:
        """Take note of how long a chunk took, and return its outcomes."""
        each = report.seconds / max(1, len(report.outcomes))
        fits = int(TOGETHER / each) if each > 0 else self._most
        self._size = max(1, min(fits, 2 * self._size, self._most))
        return report.outcomes

    def _sent(self, task: Task) -> Iterator[Sent]:
        with Caught() as caught:
            yield task.key, pack(task.payload)
            return
        self.unsent.append(failure(task.key, caught.text, UNSENT))
