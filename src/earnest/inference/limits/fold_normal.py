"""The central limit theorem of cross-validation: value, limits, and what the theorem leaves out.

Bayle et al. 2020 hold for the mean of one loss a case, over one partition of independent cases,
with losses that vary. Everything beyond that is said in a caution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, NormalLimits
from earnest.inference.cases.case_values import CaseValues, case_values
from earnest.inference.cases.fold_variance import Variance, variance_of_mean
from earnest.inference.limits.ceiling import never_beyond_perfect
from earnest.inference.limits.no_spread import limits_without_spread
from earnest.inference.remarks import few_groups_in_variance
from earnest.metrics.families import Metric

FEW_CASES = 30  # under which a mean is far from normal
FEW_UNLIKE = 5  # cases of the rarer of two losses, likewise


@dataclass(frozen=True)
class FoldNormal:
    """A cross-validated mean, where its limits come from, and what to be careful about."""

    value: float
    source: LimitSource
    cautions: tuple[Caution, ...]


def fold_normal(pi: Predictions, metric: Metric, config: int, kind: Variance) -> FoldNormal:
    """Return the cross-validated metric of one configuration with its limits.

    Parameters
    ----------
    pi : Predictions
        Usable predictions in two or more folds.
    metric : Metric
        A mean over cases, a function of sums, or an AUC.
    config : int
        The column.
    kind : Variance
        Within folds, or over all pairs.
    """
    pi = pi.select(config)
    cases = case_values(pi, metric, singles=kind is Variance.ALL_PAIRS)
    value = float(cases.value[0])
    if np.isnan(value):
        raise EvidenceError(
            f"metric {metric.name!r} is undefined on the cases of a repeat",
            needs="a defined score on all cases of each repeat",
            got=f"configuration {pi.configs.ids[0]}",
            cure="Check the predictions, or choose another metric.",
        )
    variance = float(variance_of_mean(cases.spread, cases.folds, cases.groups, kind)[0])

    def list_remarks(*, linear: bool) -> list[Caution]:
        return [
            *beyond_the_theorem(cases, metric.title, linear=linear),
            *few_groups_in_variance(cases.groups),
            *lone_cases(cases),
        ]

    if variance > 0.0:
        source: LimitSource = NormalLimits(value, variance**0.5)
        source = never_beyond_perfect(source, pi, metric, value, by_fold=pi.n_folds > 1)
        return FoldNormal(value, source, (*list_remarks(linear=True), *few_cases(cases)))
    source, remark = limits_without_spread(pi, cases, metric)
    remarks = list_remarks(linear=isinstance(source, NormalLimits))
    return FoldNormal(value, source, (*remarks, remark))


def beyond_the_theorem(cases: CaseValues, title: str, *, linear: bool = True) -> Iterator[Caution]:
    """Yield a note for all that the theorem does not cover; `linear` if that part is used."""
    if cases.kind == "delta" and linear:
        yield of_limits.linear_part(title)
    if cases.kind == "placements":
        yield of_limits.placements(title, by_fold=bool(cases.folds.max() > 0))
    if cases.folds.shape[1] > 1:
        yield of_limits.repeats_beyond_theorem(cases.folds.shape[1])
    if cases.groups is not None:
        yield of_limits.groups_beyond_theorem()


def lone_cases(cases: CaseValues, *, one_partition: bool = False) -> Iterator[Caution]:
    """Yield a caution where folds have one case of a class, which show nothing of its spread."""
    single, folds = cases.single_folds
    if cases.pooled is not None:
        yield of_limits.lone_cases(single, folds, one_partition=one_partition)


def few_cases(cases: CaseValues) -> Iterator[Caution]:
    """Yield a caution where a normal law is a poor guide."""
    n, rarer = len(cases.terms), unlike_cases(cases.terms[:, 0], cases.folds)
    if n < FEW_CASES or rarer < FEW_UNLIKE:
        yield of_limits.few_for_normal_limits(n, unlike=None if n < FEW_CASES else rarer)


def unlike_cases(terms: NDArray[np.float64], folds: Numbers) -> float:
    """Return how many cases per repeat have another value than the most common one.

    Parameters
    ----------
    terms : ndarray, shape (n, R)
        What each case adds in each repeat.
    folds : ndarray of int, shape (n, R)
        The fold of a case, -1 where it was not tested.
    """
    seen = terms[folds >= 0]
    most = int(np.unique(seen, return_counts=True)[1].max(initial=0))
    return float((len(seen) - most) / folds.shape[1])
