"""Short tasks go together, long ones alone, and every one goes once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from earnest.core.protocols import Outcome, Task
from earnest.engine.chunks import MOST, TOGETHER, Chunks
from earnest.engine.parcels import ByValue, Content, by_file
from earnest.engine.worker import Report, perform_chunk
from tests.engine.works import powers

TASKS = [Task((number, 0, number % 10), {"C": number / 7}) for number in range(1000)]


def cut(seconds: float, tasks: list[Task], workers: int = 2) -> list[int]:
    """The sizes of the chunks when each task takes so long."""
    chunks = Chunks(tasks, workers)
    sizes, keys = [], []
    for chunk in chunks:
        sizes.append(len(chunk))
        keys += [key for key, _ in chunk]
        chunks.learned(Report([Outcome(key) for key, _ in chunk], seconds * len(chunk)))
    assert keys == [task.key for task in tasks]
    return sizes


def test_long_tasks_go_alone() -> None:
    assert set(cut(TOGETHER * 2, TASKS[:50])) == {1}


def test_short_tasks_go_together_for_no_longer_than_is_lost_when_killed() -> None:
    sizes = cut(0.003, TASKS)
    assert max(sizes) == int(TOGETHER / 0.003)
    assert sizes[:4] == [1, 2, 4, 8]


def test_the_shortest_tasks_fill_chunks_up_to_a_bound() -> None:
    assert max(cut(0.0, [*TASKS, *(Task((5000 + n,)) for n in range(3000))])) == MOST


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_the_last_tasks_are_spread_over_the_workers(workers: int) -> None:
    assert cut(0.0, TASKS, workers)[-1] == 1
    assert cut(0.0, TASKS[:1], workers) == [1]


def test_a_task_is_sent_in_few_bytes_however_large_the_data() -> None:
    sizes = []
    for rows in (10, 1_000_000):
        with by_file(Content(powers, np.zeros(rows))) as parcel:
            call = (perform_chunk, (parcel, next(iter(Chunks(TASKS, 2)))), {})
            sizes.append(len(pickle.dumps(call)))
    assert sizes[0] == sizes[1] <= 400


def test_elsewhere_the_data_goes_along_as_one_argument_that_can_be_sent_once() -> None:
    parcel = ByValue.of(Content(powers, np.arange(1000.0)))
    copy = pickle.loads(pickle.dumps(parcel))
    assert copy.content() is pickle.loads(pickle.dumps(parcel)).content()
    assert np.array_equal(copy.content().shared, np.arange(1000.0))
