"""Short tasks travel together, so that sending them costs little beside running them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from earnest.core.base.protocols import Key, Outcome, Task
from earnest.engine.parcels import pack
from earnest.engine.worker import TOGETHER, UNSENT, ErrorCatcher, Report, Sent, failure

MOST = 256  # tasks in a chunk


class Chunks:
    """Cuts tasks into chunks of about the same time, learning from those that came back.

    Tasks that a worker gave back without having begun them are the next to be sent; if they come
    when the iterator has ended, `waiting` is true and a new iterator has them. A task whose payload
    cannot be pickled is left out; its outcome is in `unsent`.
    """

    def __init__(self, tasks: Sequence[Task], workers: int, *, single: bool = False) -> None:
        self._queue, self.workers = deque(tasks), workers
        self._away: dict[Key, Task] = {}
        self._most = 1 if single else MOST
        self._size = 1
        self.unsent: list[Outcome] = []

    @property
    def waiting(self) -> bool:
        """Whether there are tasks that are with no worker."""
        return bool(self._queue)

    def __iter__(self) -> Iterator[list[Sent]]:
        while self._queue:
            fair = -(-len(self._queue) // (2 * self.workers))  # the last ones spread out
            count = max(1, min(self._size, fair))
            chunk = [sent for _ in range(count) for sent in self._sent(self._queue.popleft())]
            if chunk:
                yield chunk

    def learned(self, report: Report) -> list[Outcome]:
        """Take note of how long a chunk took and what is left of it; return its outcomes."""
        each = report.seconds / max(1, len(report.outcomes))
        fits = int(TOGETHER / each) if each > 0 else self._most
        self._size = max(1, min(fits, 2 * self._size, self._most))
        for outcome in report.outcomes:
            del self._away[outcome.key]
        self._queue.extendleft(self._away.pop(key) for key in reversed(report.left))
        return report.outcomes

    def again(self, chunk: Sequence[Sent]) -> None:
        """Take a chunk back that nobody has run; its tasks are the next to be sent."""
        self._queue.extendleft(self._away.pop(key) for key, _ in reversed(chunk))

    def withdrawn(self, chunk: Sequence[Sent]) -> list[Task]:
        """Take a chunk back and return its tasks, which are not sent again from here."""
        return [self._away.pop(key) for key, _ in chunk]

    def _sent(self, task: Task) -> Iterator[Sent]:
        with ErrorCatcher() as caught:
            sent = task.key, pack(task.payload)
            self._away[task.key] = task
            yield sent
            return
        self.unsent.append(failure(task.key, caught.text, UNSENT))
