"""Blocks of runs on several processes, in random order, until the time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from time import monotonic
from typing import TypeVar

import numpy as np

Task = TypeVar("Task", bound=tuple[object, ...])
Result = TypeVar("Result")


def run_blocks(
    simulate: Callable[..., Result],
    tasks: Sequence[Task],
    *,
    processes: int,
    minutes: float,
    seed: int,
) -> Iterator[tuple[Task, Result]]:
    """Yield every block and its result as soon as it is done.

    When the time is over no block begins, and those that have begun are finished. As the order is
    random, all cells then have lost about the same share of their blocks.

    Parameters
    ----------
    simulate : callable
        What makes a result of the arguments in a task; a function at the top of a module.
    tasks : sequence of tuple
        The arguments of each block.
    processes : int
        How many work side by side.
    minutes : float
        After how long no block begins.
    seed : int
        The seed of the order.
    """
    end = monotonic() + 60.0 * minutes
    order = iter(np.random.default_rng(seed).permutation(len(tasks)).tolist())
    with ProcessPoolExecutor(processes) as pool:
        running = {}
        while True:
            while len(running) <= processes and monotonic() < end:
                place = next(order, None)
                if place is None:
                    break
                running[pool.submit(simulate, *tasks[place])] = place
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield tasks[running.pop(future)], future.result()
