"""Limits of one AUC by formula: DeLong's, Hanley and McNeil's, and exact ones where they fail."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from earnest.core.cautions import of_limits
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, LogitLimits, NormalLimits, ShareLimits
from earnest.core.results.specs import LimitLaw
from earnest.inference.limits.ceiling import is_best_possible, never_beyond_perfect, perfect_limits
from earnest.inference.resampling.splits import Choice
from earnest.metrics.families import Metric
from earnest.metrics.ranking import line_of

NOTHING = 1e-20  # a variance below this is the rounding of sums


@dataclass(frozen=True)
class FormulaLimits:
    """A source of limits by a formula, its law, and what must be said of it.

    `pairs` is how many independent pairs of cases the law counts, None for any other law.
    """

    source: LimitSource
    law: LimitLaw
    pairs: int | None = None
    cautions: tuple[Caution, ...] = ()


def delong(choice: Choice, metric: Metric, *, logit: bool = False) -> FormulaLimits:
    """Return limits from DeLong's variance, exact ones where it is 0 or undefined.

    With groups it is that of Obuchowski 1997, whose units are the groups.
    """
    groups, positive = choice.part.target.groups, choice.part.target.y == 1
    if groups is None:
        variance, law = choice.placements.variance(), LimitLaw.DELONG
    else:
        variance = choice.placements.clustered_variance(groups[positive], groups[~positive])
        law = LimitLaw.OBUCHOWSKI
    return _limits(choice, metric, float(variance[0]), law, logit=logit)


def hanley_mcneil(choice: Choice, metric: Metric) -> FormulaLimits:
    """Return limits from the variance of Hanley and McNeil 1982, exact ones where it is 0."""
    constant, slope = line_of(metric)
    variance = hanley_mcneil_variance((choice.value - constant) / slope, *count_evaluated(choice))
    return _limits(choice, metric, variance, LimitLaw.HANLEY_MCNEIL, logit=False)


def hanley_mcneil_variance(area: float, positives: int, negatives: int) -> float:
    """Return [A(1-A) + (n1-1)(Q1-A²) + (n0-1)(Q2-A²)] / (n1 n0), Hanley and McNeil 1982.

    Examples
    --------
    >>> from earnest.inference.limits.auc import hanley_mcneil_variance
    >>> round(hanley_mcneil_variance(0.655, 20, 20) ** 0.5, 8)
    0.08698474
    """
    first, two = area / (2.0 - area), 2.0 * area**2 / (1.0 + area)
    spread = (positives - 1) * (first - area**2) + (negatives - 1) * (two - area**2)
    return (area * (1.0 - area) + spread) / (positives * negatives)


def count_evaluated(choice: Choice) -> tuple[int, int]:
    """Return how many positives and negatives evaluate."""
    positives = int((choice.part.target.y == 1).sum())
    return positives, choice.part.n_cases - positives


def _limits(
    choice: Choice, metric: Metric, variance: float, law: LimitLaw, *, logit: bool
) -> FormulaLimits:
    constant, slope = line_of(metric)
    low, high = sorted((constant, constant + slope))
    if not variance > NOTHING:
        return _without_variance(choice, metric, variance, (low, high))
    error = abs(slope) * math.sqrt(variance)
    source: LimitSource = NormalLimits(choice.value, error)
    if logit:
        source = LogitLimits(choice.value, error, low, high)
    alone = choice.part.select(choice.chosen)
    return FormulaLimits(never_beyond_perfect(source, alone, metric, choice.value), law)


def _without_variance(
    choice: Choice, metric: Metric, variance: float, ends: tuple[float, float]
) -> FormulaLimits:
    """Return limits of an AUC whose scores show no spread.

    A perfect one has those of scores that are normal in each class. Else they are those of
    disjoint pairs of a positive and a negative, which are independent trials: a pair is in order
    with the AUC as its probability, a tie being half a win. There are as many such pairs as the
    rarer class has cases; with groups, of which each serves one pair, no more than half the
    groups.
    """
    groups = choice.part.target.groups
    most = choice.part.n_cases if groups is None else max(1, len(np.unique(groups)) // 2)
    count = min(*count_evaluated(choice), most)
    pairs: int | None = count
    source: LimitSource = ShareLimits(choice.value, count, *ends, exact=True)
    defined, law = variance == variance, LimitLaw.PAIRS
    if defined and is_best_possible(metric, choice.value):
        source = perfect_limits(choice.part.select(choice.chosen), metric)
        law, pairs = LimitLaw.NORMAL_SCORES, None
    caution = of_limits.area_without_spread(defined, groups is not None, law, pairs)
    return FormulaLimits(source, law, pairs, (caution,))
