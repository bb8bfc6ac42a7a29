"""Ensemble rules: a choice that gives weights to configurations rather than naming one.

A rule is only its settings. What it chooses from is the predictions themselves, not their scores,
so that `earnest.inference.resampling.ensembles` applies it, to a sample and to every resample.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from earnest.core.base import check
from earnest.core.base.registry import Registry

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
        told = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)
            if getattr(self, one.name) != getattr(usual, one.name)
        ]
        return self.word + (f"({', '.join(told)})" if told else "")


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
    >>> en.GreedyEnsemble(size=10, guard=True).name
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
    >>> en.TopAverage(k=3).name
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
    >>> en.StackedEnsemble(method="logistic", library=10).name
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
