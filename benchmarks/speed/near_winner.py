"""The winner's interval beside BBC's, on the same predictions: what the local level costs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, best, side_by_side
from earnest.inference.limits.local_level import winner_errors


def rows(quick: bool) -> Iterator[Row]:
    """Yield the whole method over the whole of BBC, and the local level alone."""
    n, configs = (2_000, 300) if quick else (10_000, 1_000)
    pi = binary(n, configs)
    for metric in ("accuracy", "roc_auc"):
        ours, theirs = (
            partial(en.estimate, pi, method=method, metric=metric, rng=1, n_jobs=-1)
            for method in ("near_winner", "bbc")
        )
        ours()
        yield Row(
            f"near_winner, {metric}, n={n} C={configs} B=1000",
            *_named(*side_by_side(ours, theirs, 5), "the whole of BBC"),
            target=None if quick else 1.5,  # it is for the larger size
            more_is_better=False,
        )
    rng = np.random.default_rng(0)
    table = rng.normal(0.8, 0.004, (1000, configs))
    level = partial(winner_errors, table, table.mean(axis=0), 0, rng)
    product = partial(np.matmul, rng.standard_normal((2000, 1000)), table)
    yield Row(
        f"local level, B=1000 C={configs}",
        *_named(best(level, 5), best(product, 5), "its one product"),
        target=None,
        more_is_better=False,
    )


def _named(ours: float, theirs: float, baseline: str) -> tuple[float, str, float]:
    return ours, baseline, theirs
