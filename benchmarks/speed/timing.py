"""How a ratio is measured and judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """One claim: our figure, the baseline's, and whether the target is met.

    `more_is_better` tells whether the ratio (baseline / ours) has to reach the target, or (ours /
    baseline) has to stay below it. A row without a target is for information.
    """

    work: str
    ours: float
    baseline: str
    theirs: float
    target: float | None
    unit: str = "s"
    more_is_better: bool = True

    @property
    def ratio(self) -> float:
        """Return how many times faster we are, or how many times the baseline we take."""
        return self.theirs / self.ours if self.more_is_better else self.ours / self.theirs

    @property
    def met(self) -> bool:
        """Tell whether the target is met."""
        if self.target is None:
            return True
        return self.ratio >= self.target if self.more_is_better else self.ratio <= self.target

    def __str__(self) -> str:
        """Return one line."""
        sign = ">=" if self.more_is_better else "<="
        goal = "no target" if self.target is None else f"target {sign} {self.target:g}x"
        mark = "ok  " if self.met else "MISS"
        return (
            f"{mark} {self.work}: {self.ours:.4g} {self.unit}; {self.baseline}: {self.theirs:.4g} "
            f"{self.unit}; ratio {self.ratio:.4g}x ({goal})"
        )


def has_avx512() -> bool:
    """Tell whether NumPy uses AVX-512 here: its exp and log of float64 are then vectorised."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return any("AVX512" in feature or feature == "X86_V4" for feature in found)


def best(function: Callable[[], object], times: int = 3) -> float:
    """Return the shortest of several runs in seconds: the least disturbed one."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


def best_processor(function: Callable[[], object], times: int = 3) -> float:
    """Return the least processor time of several runs in seconds, that of all threads."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], times: int = 3
) -> tuple[float, float]:
    """Time two functions in turns, so that a busy moment hits both."""
    pairs = [(best(ours, 1), best(theirs, 1)) for _ in range(times)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)
