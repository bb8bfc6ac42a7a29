"""How scores vary between items and within them, and how many samples are worth it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.data.target import encode_units

if TYPE_CHECKING:
    from earnest.core.data.scores import Scores

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Variation:
    """How scores vary: between items, and between samples of the same item.

    Attributes
    ----------
    between, within : float
        The variance between items of what each would score in the long run, and the variance of
        samples of the same item; means over configurations. `within` is NaN with one sample each.
    items : int
        The number of items.
    samples : float
        The mean number of samples of an item and configuration.
    design_effect : float
        How many times as large the variance of a mean is since items of a group are alike; 1
        without groups.
    """

    between: float
    within: float
    items: int
    samples: float
    design_effect: float = 1.0

    def standard_error(self, items: int | None = None, samples: float | None = None) -> float:
        """Return the standard error of the mean of one configuration, with so many of each.

        Examples
        --------
        >>> from earnest.core.data.variation import Variation
        >>> found = Variation(between=0.04, within=0.16, items=100, samples=1)
        >>> round(found.standard_error(), 3), round(found.standard_error(samples=4), 3)
        (0.045, 0.028)
        """
        n = self.items if items is None else items
        times = self.samples if samples is None else samples
        return math.sqrt(self.design_effect * (self.between + self.within / times) / n)

    def samples_worth(self, share: float = 0.05) -> int | None:
        """Return the number of samples beyond which more of them hardly help.

        With as many, the spread within items adds at most this share to the variance of a mean;
        only more items narrow it then. None where items do not differ, so that samples are as good
        as items.
        """
        check.share("share", share)
        if math.isnan(self.within):
            raise EvidenceError(
                "one sample of each item does not tell how samples vary",
                needs="two samples of some items",
                cure="Run a few items again.",
            )
        if self.between <= 0.0:
            return None
        return max(1, math.ceil(self.within / (share * self.between) - 1e-9))

    def best_samples(self, *, item_cost: float = 0.0, sample_cost: float = 1.0) -> int:
        """Return how many samples of an item give the smallest error for the same cost.

        An item costs `item_cost` once (to write, to label) and `sample_cost` for each sample. With
        free items, one sample of each is best, whatever the spread.
        """
        if math.isnan(self.within):
            self.samples_worth()
        if self.between <= 0.0 or sample_cost <= 0.0:
            raise EvidenceError(
                "no number of samples is best",
                needs="items that differ, and samples that cost something",
                got=f"a variance between items of {self.between:g}, a cost of {sample_cost:g}",
            )
        best = math.sqrt(item_cost / sample_cost * self.within / self.between)
        low = max(1, math.floor(best))

        def cost(times: int) -> float:
            return (self.between + self.within / times) * (item_cost + sample_cost * times)

        return low if cost(low) <= cost(low + 1) else low + 1


def measure_variation(scores: Scores) -> Variation:
    """Return how scores vary between items and within them, by the analysis of variance."""
    if scores.parts.codes is not None or scores.parts.per is not None:
        raise EvidenceError("only scores of single answers vary between items and within them")
    values = scores.parts.values
    known = np.isfinite(values)
    count = known.sum(axis=2)
    total = np.where(known, values, 0.0).sum(axis=2, dtype=np.float64)
    seen = count > 0
    means = np.where(seen, total / np.maximum(count, 1), np.nan)
    off = np.where(known, values - means[:, :, None], 0.0)
    spare = np.maximum(count - 1, 0).sum()
    within = float(np.square(off, dtype=np.float64).sum() / spare) if spare else math.nan
    items = seen.sum(axis=0)
    enough = items > 1
    if not enough.any():
        raise EvidenceError("one item does not tell how items vary", needs="two items at least")
    centre = np.nansum(np.where(seen, means, 0.0), axis=0) / np.maximum(items, 1)
    apart = np.where(seen, means - centre, 0.0)
    spread = np.square(apart).sum(axis=0)[enough] / (items[enough] - 1)
    noise = np.where(seen, 1.0 / np.maximum(count, 1), 0.0).sum(axis=0) / np.maximum(items, 1)
    own = 0.0 if math.isnan(within) else within * float(noise[enough].mean())
    return Variation(
        between=max(0.0, float(spread.mean()) - own),
        within=within,
        items=len(values),
        samples=float(count[seen].mean()),
        design_effect=_design_effect(scores, apart, float(spread.mean())),
    )


def _design_effect(scores: Scores, apart: Array, spread: float) -> float:
    """Return how many times as large the variance of a mean is as for independent items."""
    codes = encode_units(scores.parts.groups, len(apart), "groups", "table")
    if codes is None or spread <= 0.0:
        return 1.0
    sums = np.zeros((int(codes.max()) + 1, apart.shape[1]))
    np.add.at(sums, codes, apart)
    units = len(sums)
    clustered = float(np.square(sums).sum(axis=0).mean()) * units / max(1, units - 1)
    return max(1.0, clustered / (len(apart) * spread))
