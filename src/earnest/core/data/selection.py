"""Selectors: the rule that makes one configuration the winner (the papers' css)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry

# Sums of floats in another order differ in the last bits; such scores are tied.
TIE = 1e-12


class Selector(Protocol):
    """A rule that picks a winner from scores that are all 'greater is better', about 1 in size.

    `by_fold` tells what it is shown: pooled scores (1, B, C), or scores of every fold (F, B, C).
    """

    name: ClassVar[str]
    by_fold: ClassVar[bool]

    def __call__(
        self, gains: NDArray[np.float64], simplicity: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the winner of each resample (B,), -1 where no score is defined."""
        ...


SELECTORS: Registry[Selector] = Registry("selector")


@dataclass(frozen=True)
class Pooled:
    """The best score over all cases at once; ties go to the first in the given order."""

    name: ClassVar[str] = "pooled"
    by_fold: ClassVar[bool] = False

    def __call__(
        self, gains: NDArray[np.float64], simplicity: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the first best column of each resample."""
        return first_best(gains[0])


@dataclass(frozen=True)
class MeanOfFolds:
    """The best unweighted mean of the folds' scores; ties go to the first in the given order."""

    name: ClassVar[str] = "mean_of_folds"
    by_fold: ClassVar[bool] = True

    def __call__(
        self, gains: NDArray[np.float64], simplicity: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the first column with the best mean over folds."""
        return first_best(mean_over_folds(gains))


@dataclass(frozen=True)
class OneStandardError:
    """The simplest configuration within one standard error of the best.

    The standard error is that of the best configuration's fold scores.
    """

    name: ClassVar[str] = "one_standard_error"
    by_fold: ClassVar[bool] = True

    def __call__(
        self,
        gains: NDArray[np.float64],
        simplicity: NDArray[np.intp],
        inflation: NDArray[np.float64] | None = None,
    ) -> NDArray[np.intp]:
        """Return the simplest column within the best's standard error.

        In a resample cases stand more than once, which makes the score of a fold vary more than
        that of as many different cases. `inflation` (F, B) says how many times its variance is as
        large, so that the rule sees the standard error that the sample itself would have.
        """
        if len(gains) < 2:
            raise InputError(
                "selector 'one_standard_error' needs the spread of fold scores",
                needs="at least two folds in which the metric is defined",
                got=f"{len(gains)}",
                cure="Use selector='pooled'.",
            )
        means = mean_over_folds(gains)  # (B, C)
        best = first_best(means)
        rows = np.arange(len(best))
        own = gains[:, rows, best]  # (F, B)
        count = np.maximum((~np.isnan(own)).sum(axis=0), 1)
        square = np.square(own - means[rows, best])
        away = np.nansum(square if inflation is None else square / inflation, axis=0)
        spread = np.sqrt(away / np.maximum(count - 1, 1) / count)  # (B,)
        floor = means[rows, best] - spread - slack(means[rows, best])
        near = (means >= floor[:, None])[:, simplicity]
        return np.where(best < 0, -1, simplicity[np.argmax(near, axis=1)])


SELECTORS.add("pooled", Pooled())
SELECTORS.add("mean_of_folds", MeanOfFolds())
SELECTORS.add("one_standard_error", OneStandardError(), aliases=("1se",))


def first_best(gains: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the first column (B,) whose gain is the best up to rounding, -1 if none is defined."""
    best = np.fmax.reduce(gains, axis=1, initial=-np.inf, keepdims=True)  # passes over NaN
    floor = np.where(np.isinf(best), best, best - slack(np.where(np.isinf(best), 0.0, best)))
    winners = np.argmax(gains >= floor, axis=1)
    return np.where(np.isneginf(best[:, 0]), -1, winners)


def slack(best: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far below the best a gain counts as tied with it."""
    return TIE * np.maximum(1.0, np.abs(best))


def in_units_of_the_best(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return gains (F, B, C) of which the best of each resample is of size 1.

    For metrics without a unit of their own (an error in metres or in millimetres): which gains are
    tied must not depend on the unit.
    """
    means = mean_over_folds(gains)
    best = np.max(np.where(np.isnan(means), -np.inf, means), axis=1)  # (B,)
    size = np.abs(best)
    return gains / np.where((size > 0) & np.isfinite(size), size, 1.0)[None, :, None]


def mean_over_folds(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean (B, C) over the folds that are defined for any configuration.

    A resample may draw no case of a small fold: that fold says nothing about any configuration
    and is left out of this resample. A configuration that alone is undefined in a fold is NaN.
    """
    empty = np.asarray(np.isnan(gains).all(axis=2))  # (F, B)
    count = (~empty).sum(axis=0)[:, None]
    total = np.where(empty[:, :, None], 0.0, gains).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
