"""Short tasks go together, long ones alone, and every one goes once."""

from __future__ import annotations

import os
import pickle
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from earnest.core import TaskOutcome
from earnest.core.base.protocols import EngineTask
from earnest.engine.parcels import BytesParcel, Parcel, ReferenceParcel, RunContent, by_file
from earnest.engine.worker import MOST, TOGETHER, Chunks, Sent, WorkerBatch, perform_chunk
from tests.engine.works import lasting, powers

TASKS = [EngineTask((number, 0, number % 10), {"C": number / 7}) for number in range(1000)]


def cut(seconds: float, tasks: list[EngineTask], workers: int = 2) -> list[int]:
    """The sizes of the chunks when each task takes so long."""
    chunks = Chunks(tasks, workers)
    sizes, keys = [], []
    for chunk in chunks:
        sizes.append(len(chunk))
        keys += [key for key, _ in chunk]
        chunks.learned(WorkerBatch([TaskOutcome(key) for key, _ in chunk], seconds * len(chunk)))
    assert keys == [task.key for task in tasks]
    return sizes


def test_long_tasks_go_alone() -> None:
    assert set(cut(TOGETHER * 2, TASKS[:50])) == {1}


def test_short_tasks_go_together_for_no_longer_than_is_lost_when_killed() -> None:
    sizes = cut(0.003, TASKS)
    assert max(sizes) == int(TOGETHER / 0.003)
    assert sizes[:4] == [1, 2, 4, 8]


def test_the_shortest_tasks_fill_chunks_up_to_a_bound() -> None:
    assert max(cut(0.0, [*TASKS, *(EngineTask((5000 + n,)) for n in range(3000))])) == MOST


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_the_last_tasks_are_spread_over_the_workers(workers: int) -> None:
    assert cut(0.0, TASKS, workers)[-1] == 1
    assert cut(0.0, TASKS[:1], workers) == [1]


def slow_and_quick(folder: Path) -> tuple[RunContent, list[Sent]]:
    """Two quick tasks, then slow ones, cut as one chunk."""
    seconds = [0.0, 0.0, *[TOGETHER] * 4]
    sent = [((number,), pickle.dumps(each)) for number, each in enumerate(seconds)]
    return RunContent(lasting, str(folder / "log")), sent


@pytest.mark.parametrize("by", ["reference", "file"])
def test_a_chunk_ends_when_its_time_is_up_and_says_what_was_not_begun(
    by: str, tmp_path: Path
) -> None:
    content, sent = slow_and_quick(tmp_path)
    with ExitStack() as stack:
        parcel: Parcel = ReferenceParcel(content)
        if by == "file":
            parcel = replace(stack.enter_context(by_file(content)), owner=os.getppid())
        report = perform_chunk(parcel, sent)
    assert [outcome.key for outcome in report.outcomes] == [(0,), (1,), (2,)]
    assert report.left == [(3,), (4,), (5,)]
    assert report.seconds >= TOGETHER
    assert len((tmp_path / "log").read_text().splitlines()) == 3


def test_what_was_not_begun_is_sent_next_and_nothing_twice() -> None:
    chunks = Chunks(TASKS, 2)
    keys, last = [], 0
    for chunk in chunks:
        done = chunk[: 1 + len(chunk) // 3]  # a worker whose time was up
        assert not last or chunk[0][0] == last
        keys += [key for key, _ in done]
        left = [key for key, _ in chunk[len(done) :]]
        last = left[0] if left else 0
        chunks.learned(WorkerBatch([TaskOutcome(key) for key, _ in done], 0.001, left))
    assert keys == [task.key for task in TASKS]
    assert not chunks.waiting


def test_what_comes_back_after_the_last_chunk_waits_for_another_iterator() -> None:
    chunks = Chunks(TASKS[:1], 1)
    (chunk,) = list(chunks)
    assert not chunks.waiting
    assert chunks.learned(WorkerBatch([], 0.1, [TASKS[0].key])) == []
    assert chunks.waiting
    assert list(chunks) == [chunk]


def test_a_task_is_sent_in_few_bytes_however_large_the_data() -> None:
    sizes = []
    for rows in (10, 1_000_000):
        with by_file(RunContent(powers, np.zeros(rows))) as parcel:
            call = (perform_chunk, (parcel, next(iter(Chunks(TASKS, 2)))), {})
            sizes.append(len(pickle.dumps(call)))
    assert sizes[0] == sizes[1] <= 400


def test_elsewhere_the_data_goes_along_as_one_argument_that_can_be_sent_once() -> None:
    parcel = BytesParcel.of(RunContent(powers, np.arange(1000.0)))
    copy = pickle.loads(pickle.dumps(parcel))
    assert copy.content() is pickle.loads(pickle.dumps(parcel)).content()
    assert np.array_equal(copy.content().shared, np.arange(1000.0))
