"""Whole BBC for means over cases, against one bare matrix product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, side_by_side

RESAMPLES = 1000


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios of accuracy and Brier score."""
    sizes = [(500, 766, None)] if quick else [(500, 766, None), (10_000, 1_000, 2.5)]
    for n, configs, target in sizes:
        for metric in ("accuracy", "brier"):
            yield whole_bbc(metric, n, configs, target)


def whole_bbc(metric: str, n: int, configs: int, target: float | None) -> Row:
    """Time draw, product, selection and out-of-bag against a float32 product of that size."""
    pi = binary(n, configs)
    rng = np.random.default_rng(0)
    left = rng.random((RESAMPLES, n), dtype=np.float32)
    right = rng.random((n, configs), dtype=np.float32)

    def ours() -> object:
        return en.estimate(pi, metric=metric, n_resamples=RESAMPLES, rng=1, n_jobs=-1)

    ours()  # warm: fingerprint known
    mine, product = side_by_side(ours, lambda: left @ right, 5)
    return Row(
        f"BBC, {metric}, n={n} C={configs} B={RESAMPLES}",
        mine,
        "one bare float32 matrix product",
        product,
        target,
        more_is_better=False,
    )
