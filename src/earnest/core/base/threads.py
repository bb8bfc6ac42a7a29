"""Threads for kernels that let go of the interpreter lock."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from earnest.core.base import check
from earnest.core.base.errors import InputError

T = TypeVar("T")
S = TypeVar("S")


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
        asked = operator.index(n_jobs)
    except TypeError:
        asked = 0
    if asked == 0 or isinstance(n_jobs, bool):
        raise InputError(
            "`n_jobs` is out of range",
            needs="an integer of at least 1, or -1 for all cores",
            got=check.show(n_jobs),
        )
    return asked if asked > 0 else max(1, cores() + 1 + asked)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(function: Callable[[S], T], items: Iterable[S], n_jobs: int) -> list[T]:
    """Apply a function to every item, in threads if there are several; results in order."""
    if n_jobs == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(function, items))
