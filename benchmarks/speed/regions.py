"""One regional split against the double loop, and whole explanations."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import earnest as en
from benchmarks.speed.timing import Row, side_by_side
from earnest.explanation.regions.splits import best_split

POINTS, GRID, COLUMNS = 1000, 20, 6


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratio of one split, and the seconds of whole explanations."""
    yield one_split()
    yield explanation(200, 7, 1.0)
    if not quick:
        yield explanation(500, 10)
        yield explanation(1000, 10)
        yield explanation(1000, 20, 10.0)
        yield explanation(2000, 20)


def one_split() -> Row:
    """Time the best of all candidates of all columns; the loop does one column and is scaled."""
    rng = np.random.default_rng(0)
    table, features = rng.random((POINTS, GRID)), rng.random((POINTS, COLUMNS))

    def loop() -> float:
        x, best = features[:, 0], np.inf
        for cut in np.sort(x)[1:-2]:
            left = x <= cut
            both = (table[left], table[~left])
            best = min(best, sum(float(((t - t.mean(axis=0)) ** 2).sum()) for t in both))
        return best

    ours, theirs = side_by_side(lambda: best_split(table, features, [False] * COLUMNS), loop)
    return Row(
        f"one regional split, n={POINTS} G={GRID}, all candidates of {COLUMNS} parameters",
        ours,
        "the double loop of the definition",
        COLUMNS * theirs,
        100.0,
    )


def explanation(n: int, d: int, target: float | None = None) -> Row:
    """Take the processor time of `explain`: effects, regions, importance, its own validation."""
    rng = np.random.default_rng(1)
    configs = [{f"p{j}": float(v) for j, v in enumerate(row)} for row in rng.random((n, d))]
    score = [np.sin(5 * c["p0"]) + c["p1"] * c["p2"] + 0.1 * rng.standard_normal() for c in configs]
    start = time.process_time()
    found = en.explain(configs, objective_values=score, direction="maximize", rng=2)
    taken = time.process_time() - start
    return Row(
        f"a whole explanation, {n} trials, {d} parameters ({found.surrogate})",
        taken,
        "a second",
        1.0,
        target,
        more_is_better=False,
    )
