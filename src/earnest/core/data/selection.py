"""Selectors: rules that make one configuration the winner (css), or give weights to several.

A rule for ensembles is only its settings. What it chooses from is the predictions themselves, not
their scores, so that `earnest.inference.resampling.ensembles` applies it, to a sample and to every
resample.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.core.text.doors import arg

# Sums of floats in another order differ in the last bits; such scores are tied.
TIE = 1e-12


class Selector(Protocol):
    """A rule that picks a winner from scores that are all 'greater is better', about 1 in size.

    `by_fold` says what it is given: pooled scores (1, B, C), or scores of every fold (F, B, C).
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
    """The best score over all cases at once; ties go to the first in the given order.

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.Pooled().name
    'pooled'
    """

    name: ClassVar[str] = "pooled"
    by_fold: ClassVar[bool] = False

    def __call__(
        self, gains: NDArray[np.float64], simplicity: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the first best column of each resample."""
        return first_best(gains[0])


@dataclass(frozen=True)
class MeanOfFolds:
    """The best unweighted mean of the folds' scores; ties go to the first in the given order.

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.MeanOfFolds().name
    'mean_of_folds'
    """

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

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.OneStandardError().name
    'one_standard_error'
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
                cure=f"Use {arg('selector', 'pooled')}.",
            )
        means = mean_over_folds(gains)  # (B, C)
        best = first_best(means)
        rows = np.arange(len(best))
        best_gains = gains[:, rows, best]  # (F, B)
        count = np.maximum((~np.isnan(best_gains)).sum(axis=0), 1)
        square = np.square(best_gains - means[rows, best])
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
    """Return gains (F, B, C), scaled so that the best of each resample has size 1.

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


STACKING = ["least_squares", "logistic"]
MOST_STEPS = 128  # of a greedy ensemble, whose running sums are whole numbers of 32 bits


@dataclass(frozen=True)
class EnsembleRule:
    """What all ensemble rules share.

    Parameters
    ----------
    library : int
        How many configurations it may combine: those with the best scores on the cases it chooses
        by, ties in the given order. It is part of the rule, and chosen anew in every resample.
    guard : bool
        Whether the best single configuration is delivered where that promises more: in turn, each
        part of the folds is left out, ensemble and single configuration are chosen on the rest,
        and the better on average on what was left out decides. This choice too is repeated in
        every resample.
    """

    word: ClassVar[str] = ""
    by_fold: ClassVar[bool] = False

    library: int = 50
    guard: bool = False

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.whole_number("library", self.library, low=1)

    @property
    def name(self) -> str:
        """Its word, with the knobs that differ from the usual ones."""
        usual = type(self)()
        knobs = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        ]
        return self.word + (f"({', '.join(knobs)})" if knobs else "")


@dataclass(frozen=True)
class GreedyEnsemble(EnsembleRule):
    """Add configurations one by one, each time the one that makes the ensemble best.

    It begins with the best single configuration. A configuration may be added again, which gives it
    more weight. Of all ensembles on the way the best is taken, and the smaller of two that tie.
    Where several additions tie, the first in the given order is made. Scores of a rank metric are
    compared after rounding the predictions to multiples of 2**-24 (2**-22 from 33 steps on).

    Caruana, Niculescu-Mizil, Crew, Ksikes 2004; the pruned library is that of Caruana, Munson,
    Niculescu-Mizil 2006.

    Parameters
    ----------
    size : int
        How many steps it takes at most.
    library, guard
        As for `EnsembleRule`.

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.GreedyEnsemble(size=10, guard=True).name
    'greedy_ensemble(guard=True, size=10)'
    """

    word: ClassVar[str] = "greedy_ensemble"

    size: int = 25

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.whole_number("size", self.size, low=1, high=MOST_STEPS)


@dataclass(frozen=True)
class TopAverage(EnsembleRule):
    """The plain average of the best configurations.

    Parameters
    ----------
    k : int
        How many; fewer where the library has fewer.
    library, guard
        As for `EnsembleRule`.

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.TopAverage(k=3).name
    'top_average(k=3)'
    """

    word: ClassVar[str] = "top_average"

    k: int = 5

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.whole_number("k", self.k, low=1)


@dataclass(frozen=True)
class StackedEnsemble(EnsembleRule):
    """Weights of a regression of the outcome on the predictions, none negative, summing to 1.

    With 'least_squares' the outcome is regressed on the predictions of the library: the class as 0
    and 1 on probabilities, those of all classes together, or the value on predicted values. With
    'logistic' it is a logistic regression of the class on log-odds, with an intercept and half the
    sum of squared weights as penalty, as scikit-learn's with C=1. In both ways the weights are then
    scaled to sum to 1, and predictions are averaged by them.

    A regression does not look at the metric, which only chooses the library and, with `guard`,
    between the ensemble and one configuration. Where all weights are 0 the best single
    configuration is taken.

    Breiman 1996.

    Parameters
    ----------
    method : {'least_squares', 'logistic'}
        Which regression; the logistic one is for classes.
    library, guard
        As for `EnsembleRule`.

    Examples
    --------
    >>> import earnest as en
    >>> en.rules.StackedEnsemble(method="logistic", library=10).name
    "stacked_ensemble(library=10, method='logistic')"
    """

    word: ClassVar[str] = "stacked_ensemble"

    method: str = "least_squares"

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of("method", self.method, STACKING)


ENSEMBLES: Registry[type[EnsembleRule]] = Registry("ensemble rule")
for _rule in (GreedyEnsemble, TopAverage, StackedEnsemble):
    ENSEMBLES.add(_rule.word, _rule)
