"""What comes back from a cluster is an outcome once, and what is lost goes out again."""

from __future__ import annotations

from collections import deque
from typing import Self

import numpy as np
import pytest

from earnest.core import TaskOutcome
from earnest.core.base.protocols import EngineTask
from earnest.engine.clusters.traffic import (
    MOST_LOST,
    SUSPECT,
    LostChunk,
    raise_worker_error,
    run_on_cluster,
)
from earnest.engine.worker import Sent, WorkerBatch
from earnest.errors import EarnestError
from tests.snapshots import Golden

TASKS = [EngineTask((number,)) for number in range(30)]


class Played:
    """A cluster of two threads that loses, or kills workers with, what it is told to."""

    def __init__(self, fates: dict[int, list[LostChunk]]) -> None:
        self.fates, self.queue = fates, deque[list[Sent]]()
        self.begun: list[int] = []

    def __call__(self) -> Self:
        assert not self.queue
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.queue.clear()

    def __len__(self) -> int:
        return len(self.queue)

    def threads(self) -> int:
        return 2

    def room(self) -> int:
        return 4

    def send(self, chunk: list[Sent]) -> None:
        self.queue.append(chunk)

    def next(self) -> tuple[list[Sent], WorkerBatch | LostChunk]:
        chunk = self.queue.popleft()
        keys = [key for key, _ in chunk]
        self.begun += [key[0] for key in keys]
        found = [self.fates[key[0]].pop(0) for key in keys if self.fates.get(key[0])]
        if found:
            return chunk, max(found, key=lambda lost: lost.killed)
        return chunk, WorkerBatch([TaskOutcome(key) for key in keys[:2]], 0.001, keys[2:])


@pytest.mark.parametrize("seed", range(5))
def test_every_task_gives_one_outcome_whatever_is_lost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fates = {int(n): [LostChunk(killed=bool(rng.integers(2)))] for n in rng.choice(30, 8)}
    outcomes = list(run_on_cluster(Played(fates), TASKS))
    assert sorted(outcome.key for outcome in outcomes) == [task.key for task in TASKS]
    assert not any(outcome.failed for outcome in outcomes)


def test_who_kills_workers_again_when_alone_has_failed_and_comes_last() -> None:
    played = Played({3: [LostChunk(killed=True), LostChunk(killed=True)]})
    outcomes = list(run_on_cluster(played, TASKS))
    assert [outcome.key for outcome in outcomes if outcome.failed] == [(3,)]
    assert outcomes[-1].note == "the process ended"


def test_a_cluster_that_always_loses_is_given_up(golden: Golden) -> None:
    played = Played({number: [LostChunk()] * 99 for number in range(30)})
    with golden.raises(EarnestError):
        list(run_on_cluster(played, TASKS))
    assert len(played.begun) == MOST_LOST * 4 + 1


def test_who_is_lost_with_the_data_again_and_again_has_failed_and_the_others_have_not() -> None:
    played = Played({3: [LostChunk()] * 99})
    outcomes = list(run_on_cluster(played, TASKS))
    assert [outcome.key for outcome in outcomes if outcome.failed] == [(3,)]
    assert len(outcomes) == len(TASKS)
    assert played.begun.count(3) == 2 * SUSPECT


def test_tasks_that_cannot_be_sent_are_outcomes() -> None:
    tasks = [*TASKS[:3], EngineTask((3,), (n for n in ()))]  # a generator cannot be pickled
    outcomes = list(run_on_cluster(Played({}), tasks))
    assert [outcome.note for outcome in outcomes] == [None, None, None, "cannot be sent"]


def test_leaving_early_leaves_nothing_with_the_cluster() -> None:
    played = Played({})
    outcomes = run_on_cluster(played, TASKS)
    next(outcomes)
    outcomes.close()
    assert len(played) == 0


def test_what_a_worker_lacks_is_told_by_its_own_name(golden: Golden) -> None:
    outer = RuntimeError("cannot deserialize")
    outer.__cause__ = ModuleNotFoundError("No module named 'mine'")
    with golden.raises(EarnestError):
        raise_worker_error("dask", outer)
    with pytest.raises(EarnestError, match="as it was"):
        raise_worker_error("dask", EarnestError("as it was"))
