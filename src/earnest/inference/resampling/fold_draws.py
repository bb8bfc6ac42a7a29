"""Draws of folds in place of cases, repeat by repeat, for all that resamples fold scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.resampling.folds import all_fold_draws, draw_folds, enumerable

BLOCK = 256  # draws a seed
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldDraws:
    """Draws from one repeat: its fold scores (K, C), counts (b, K), how often each draw counts."""

    scores: Array
    counts: NDArray[np.int64]
    times: NDArray[np.int64]


def are_enumerated(tables: Sequence[Array]) -> bool:
    """Tell whether all draws are few enough to be enumerated; else some repeats would count more.

    Parameters
    ----------
    tables : sequence of ndarray, shape (K, C)
        The fold scores of each repeat.
    """
    sizes = {len(table) for table in tables}
    return len(sizes) == 1 and enumerable(max(sizes))


def resample_folds(
    tables: Sequence[Array], seeds: Seeds, *, n_resamples: int, exact: bool
) -> Iterator[FoldDraws]:
    """Yield draws of folds: all of them if `exact`, else as many, repeats in turn.

    With repeats each draw is from the folds of one, because folds of different repeats share
    their cases.
    """
    if exact:
        for table in tables:
            counts, orders = all_fold_draws(len(table))
            yield FoldDraws(table, counts, orders)
        return
    shares = np.bincount(np.arange(n_resamples) % len(tables), minlength=len(tables))
    for repeat, (table, share) in enumerate(zip(tables, shares, strict=True)):
        for block in range(0, int(share), BLOCK):
            rng = seeds.generator(Purpose.FOLD_BOOTSTRAP, repeat, block // BLOCK)
            # Always a whole block, so that more resamples extend fewer.
            counts = draw_folds(len(table), BLOCK, rng)[: int(share) - block]
            yield FoldDraws(table, counts, np.ones(len(counts), dtype=np.int64))


def split_by_repeat(scores: Array, repeats: NDArray[np.intp]) -> list[Array]:
    """Return the fold scores (K, C) of each repeat with two or more folds of (F, C)."""
    tables = [scores[repeats == r] for r in np.unique(repeats)]
    return [table for table in tables if len(table) > 1]
