"""All bootstrap samples of a few units, and derivatives of statistics over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Every sample of units drawn with replacement, each stratum apart; equal counts, equal model.

    `draws` are the units of every sample, `counts` how often each sample draws each unit.
    """

    draws: NDArray[np.intp]  # (B, units)
    counts: NDArray[np.int64]  # (B, units)
    strata: NDArray[np.int64]  # (units,)

    @classmethod
    def of(cls, strata: list[int]) -> Samples:
        codes = np.array(strata)
        layers = [np.flatnonzero(codes == code) for code in np.unique(codes)]
        parts = [list(product(layer, repeat=len(layer))) for layer in layers]
        draws = np.array([sum(chosen, ()) for chosen in product(*parts)])
        counts = np.array([np.bincount(row, minlength=len(codes)) for row in draws])
        return cls(draws, counts, codes)

    def random(self, shape: int, seed: int) -> Array:
        """Numbers (B, shape) that depend on the counts of a sample alone, as a model does."""
        distinct, which = np.unique(self.counts, axis=0, return_inverse=True)
        numbers = np.random.default_rng(seed).random((len(distinct), shape))
        return numbers[which.reshape(-1)]

    def chances(self, p: Array) -> Array:
        """The probability of every sample where unit u of its stratum is drawn with p[u]: (B,)."""
        return np.prod(p[self.draws], axis=1)

    def derivatives(self, statistic: Callable[[Array], float]) -> Array:
        """The derivative of a statistic of p when weight moves to each unit in turn, five-point."""
        sizes = np.bincount(self.strata)[self.strata]
        even, step = 1.0 / sizes, 1e-3
        out = []
        for unit, stratum in enumerate(self.strata):
            here = (self.strata == stratum).astype(float)

            def moved(e: float, unit: int = unit, here: Array = here) -> float:
                p = even * (1.0 - e * here)
                p[unit] += e
                return statistic(p)

            slope = 8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))
            out.append(slope / (12 * step))
        return np.array(out)
