"""Threads change neither the results, nor their order, nor which error is raised."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

from earnest.core import each, side_by_side


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_results_are_in_the_order_of_the_items(n_jobs, count):
    assert each(lambda item: item * item, range(count), n_jobs) == [k * k for k in range(count)]


def test_items_run_side_by_side_and_the_caller_works_too():
    meeting = threading.Barrier(3, timeout=60)  # breaks unless three run at once

    def work(_: int) -> threading.Thread:
        meeting.wait()
        return threading.current_thread()

    found = each(work, range(3), 3)
    assert len(set(found)) == 3
    assert threading.current_thread() in found


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_the_error_of_the_first_item_that_fails_is_raised(n_jobs):
    def work(item: int) -> int:
        if item in (1, 30):
            raise ValueError(str(item))
        return item

    with pytest.raises(ValueError, match=r"^1$"):
        each(work, range(40), n_jobs)


def test_nothing_is_begun_after_an_error():
    begun = []

    def work(item: int) -> None:
        begun.append(item)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        each(work, range(1000), 2)
    assert len(begun) <= 2


def test_threads_may_be_asked_for_within_threads():
    found = each(lambda k: each(lambda item: k + item, range(5), 2), range(4), 2)
    assert found == [[k + item for item in range(5)] for k in range(4)]


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_of_two_functions_the_first_keeps_the_thread_and_context_of_the_caller(n_jobs):
    known = ContextVar("known", default=0)
    known.set(7)
    seen, other = side_by_side(
        lambda: (threading.current_thread(), known.get()), threading.current_thread, n_jobs
    )
    assert seen == (threading.current_thread(), 7)
    assert (other is threading.current_thread()) == (n_jobs == 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("failing", [(0,), (1,), (0, 1)])
def test_of_two_functions_that_fail_the_first_is_heard(n_jobs, failing):
    def work(place: int) -> int:
        if place in failing:
            raise ValueError(str(place))
        return place

    with pytest.raises(ValueError, match=str(failing[0])):
        side_by_side(lambda: work(0), lambda: work(1), n_jobs)
    assert not [thread for thread in threading.enumerate() if "(work)" in thread.name]
