"""Every prefix of a search at once, beside the bias correction run at twenty of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, best

PREFIXES = 20


def rows(quick: bool) -> Iterator[Row]:
    """Yield both orders over twenty runs of BBC, spread evenly on a log scale."""
    n, configs, resamples = (300, 500, 200) if quick else (1_000, 2_000, 1_000)
    pi = binary(n, configs)
    stops = np.unique(np.geomspace(1, configs, PREFIXES).astype(int))
    parts = [pi.select(range(k)) for k in stops]
    for metric in ("accuracy", "roc_auc", "f1"):
        ask = {"metric": metric, "n_resamples": resamples, "rng": 1, "n_jobs": -1}
        theirs = best(lambda ask=ask: [en.estimate(part, method="bbc", **ask) for part in parts], 2)
        for order in ("tried", "mean"):
            ours = best(partial(en.gain, pi, order=order, **ask), 3)
            yield Row(
                f"gain, {metric}, order {order}, n={n} C={configs} B={resamples}",
                ours,
                f"BBC at {len(stops)} prefixes",
                theirs,
                target=1.5 if order == "tried" else None,
            )
