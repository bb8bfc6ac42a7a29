"""Whole BBC for means over cases, against one bare matrix product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, has_avx512, side_by_side

RESAMPLES = 1000
# With and without AVX-512; docs/development/speed.md tells what was measured.
AT_MOST = {True: {"accuracy": 2.5, "brier": 2.5}, False: {"accuracy": 4.0, "brier": 4.0}}


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios of accuracy and Brier score."""
    for metric in ("accuracy", "brier"):
        yield whole_bbc(metric, 500, 766, None)
    for metric, target in () if quick else AT_MOST[has_avx512()].items():
        yield whole_bbc(metric, 10_000, 1_000, target)


def whole_bbc(metric: str, n: int, configs: int, target: float | None) -> Row:
    """Time draw, product, selection and out-of-bag against a float32 product of that size."""
    pi = binary(n, configs)
    rng = np.random.default_rng(0)
    left = rng.random((RESAMPLES, n), dtype=np.float32)
    right = rng.random((n, configs), dtype=np.float32)

    def ours() -> object:
        return en.estimate(pi, metric=metric, n_resamples=RESAMPLES, rng=1, n_jobs=-1)

    ours()  # warm: fingerprint known
    mine, product = side_by_side(ours, lambda: left @ right, 9)
    return Row(
        f"BBC, {metric}, n={n} C={configs} B={RESAMPLES}",
        mine,
        "one bare float32 matrix product",
        product,
        target,
        more_is_better=False,
    )
