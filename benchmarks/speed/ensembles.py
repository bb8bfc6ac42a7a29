"""Greedy ensembles of all resamples beside the selection of single winners on the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import earnest as en
from benchmarks.speed.timing import Row, side_by_side

SECONDS = {"roc_auc": 20.0, "log_loss": 5.0}  # on two cores, at the size that is not quick


def predictions(n: int, configs: int) -> en.Predictions:
    """Make chances of configurations that share eight kinds of errors."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    shared = rng.standard_normal((n, 8))[:, rng.integers(0, 8, configs)]
    signal = y[:, None] - 0.5 + 0.6 * shared + 1.2 * rng.standard_normal((n, configs))
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-signal)), fold=np.arange(n) % 10)


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of an ensemble over that of a single winner, as many times it may take."""
    n, configs, resamples = (500, 100, 200) if quick else (2_000, 400, 1_000)
    pi = predictions(n, configs)
    for metric in SECONDS:
        ours, theirs = (
            partial(
                en.estimate,
                pi,
                metric=metric,
                selector=selector,
                n_resamples=resamples,
                rng=1,
                n_jobs=-1,
            )
            for selector in (en.rules.GreedyEnsemble(size=25), "pooled")
        )
        ours()
        took, single = side_by_side(ours, theirs, 1)
        yield Row(
            f"greedy ensemble, {metric}, n={n} C={configs} B={resamples} "
            f"(at most {SECONDS[metric]:g} s on two cores)",
            took,
            "single winner",
            single,
            target=None,
            more_is_better=False,
        )
