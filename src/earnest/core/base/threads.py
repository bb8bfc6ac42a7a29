"""Threads for kernels that let go of the interpreter lock."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import TypeVar

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.text.doors import arg

T = TypeVar("T")
S = TypeVar("S")

_ON_ONE_THREAD: ContextVar[bool] = ContextVar("linear algebra on one thread", default=False)


def workers(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for: None is 1, -1 is every core.

    Examples
    --------
    >>> from earnest.core.base.threads import workers
    >>> workers(None), workers(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    try:
        count = operator.index(n_jobs)
    except TypeError:
        count = 0
    if count == 0 or isinstance(n_jobs, bool):
        raise InputError(
            f"{arg('n_jobs')} is out of range",
            needs="an integer of at least 1, or -1 for all cores",
            got=check.show(n_jobs),
        )
    return count if count > 0 else max(1, cores() + 1 + count)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(function: Callable[[S], T], items: Iterable[S], n_jobs: int) -> list[T]:
    """Apply a function to every item, in threads if there are several; results in order.

    The calling thread works too, so that nothing waits for the others to start. After an error no
    further item is begun, and the error of the first item that failed is raised.
    """
    inputs = list(items)
    if n_jobs == 1 or len(inputs) < 2:
        return [function(item) for item in inputs]
    results: dict[int, T] = {}
    failures: dict[int, BaseException] = {}
    waiting = deque(range(len(inputs)))

    def work() -> None:
        while waiting:
            try:
                index = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                results[index] = function(inputs[index])
            except BaseException as failure:  # noqa: BLE001  # raised below
                failures[index] = failure
                waiting.clear()

    helpers = [Thread(target=work) for _ in range(min(n_jobs, len(inputs)) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[min(failures)]
    return [results[index] for index in range(len(inputs))]


def side_by_side(first: Callable[[], T], second: Callable[[], S], n_jobs: int) -> tuple[T, S]:
    """Return what two functions return, the second in a thread of its own if there are several.

    The first stays in the calling thread, with its context: what it computes may go to a cluster.
    If both fail, the error is that of the first.

    Examples
    --------
    >>> from earnest.core.base.threads import side_by_side
    >>> side_by_side(lambda: 1, lambda: "two", 2)
    (1, 'two')
    """
    if n_jobs == 1:
        return first(), second()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        mine = first()
    return mine, other.result()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra and OpenMP on one thread; a decorator too, and free where it is nested.

    With small matrices the threads wait for each other more than they compute, and more so on a
    busy machine; and the last bits of a result would depend on their number.
    """
    if _ON_ONE_THREAD.get():
        yield
        return
    import scipy.linalg  # noqa: F401  # its library of linear algebra must be there to be limited
    from threadpoolctl import threadpool_limits

    token = _ON_ONE_THREAD.set(True)
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        _ON_ONE_THREAD.reset(token)
