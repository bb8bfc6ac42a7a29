"""Centre and scale of every procedure, from the losses of its splits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from benchmarks.papers.bayle2020.design import FOLDS, Design
from benchmarks.papers.bayle2020.populations import Floats


@dataclass(frozen=True)
class Law:
    """A value, its standard error, and the degrees of freedom; none for the normal law."""

    centre: float
    scale: float
    df: int | None = None

    def answer(self, level: float) -> tuple[float, ...]:
        """Return the value, limits that leave out 1 - level on each side, and p-values."""
        z = self.centre / self.scale
        if self.df is None:
            far, less, greater = ndtri(level), ndtr(z), ndtr(-z)
        else:
            far, less, greater = stdtrit(self.df, level), stdtr(self.df, z), stdtr(self.df, -z)
        reach = far * self.scale
        found = (self.centre, self.centre - reach, self.centre + reach, less, greater)
        return tuple(float(one) for one in found)


def laws(folds: Floats, random: Floats, halves: Floats, plan: Design) -> list[Law]:
    """Return the laws of all procedures, from losses (n,), (n, 10) and (n, 5).

    The losses are those of one learner, or differences of two.
    """
    n = len(folds)
    blocks = folds.reshape(FOLDS, -1)  # folds in a row
    means, sets = blocks.mean(axis=1), np.nanmean(random, axis=0)
    second = np.where(plan.halves == 1, halves, 0.0).sum(axis=0) / (plan.halves == 1).sum(axis=0)
    first = np.where(plan.halves == 0, halves, 0.0).sum(axis=0) / (plan.halves == 0).sum(axis=0)
    overlap = 1 / len(means) + 1 / (FOLDS - 1)
    return [
        Law(folds.mean(), folds.std() / n**0.5),
        Law(folds.mean(), (blocks.var(axis=1, ddof=1).mean() / n) ** 0.5),
        Law(means[0], blocks[0].std() / (n / FOLDS) ** 0.5),
        Law(means.mean(), means.std(ddof=1) / FOLDS**0.5, FOLDS - 1),
        Law(sets.mean(), sets.std(ddof=1) / len(sets) ** 0.5, len(sets) - 1),
        Law(sets.mean(), sets.std(ddof=1) * overlap**0.5, len(sets) - 1),
        Law(first[0], (np.square(first - second) / 2).mean() ** 0.5, 5),
        Law(means.mean(), means.std(ddof=1) * overlap**0.5, FOLDS - 1),
    ]
