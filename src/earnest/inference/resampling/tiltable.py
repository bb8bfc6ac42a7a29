"""What can be tilted: influences of cases, how they are drawn, and limits for where tilts fail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.interval import EqualCaseLimits, LimitSource, NormalLimits, ShareLimits
from earnest.inference.cases.areas import auc_influence, is_auc, line_of
from earnest.inference.cases.case_values import case_values
from earnest.inference.cases.fold_variance import ROUNDING, rounding
from earnest.inference.limits.auc import delong
from earnest.inference.limits.ceiling import never_beyond_perfect
from earnest.inference.resampling.split_selection import Choice
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import (
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
)

Array = NDArray[np.float64]


def need_tiltable(name: str, metric: Metric, target: Target) -> None:
    """Refuse a metric of which the influence of a case is not known."""
    if not (metric.pointwise or is_auc(metric, target)):
        raise MetricError(
            f"method {name!r} is for means over cases and for the AUC of two classes",
            needs="a metric such as 'accuracy', 'brier' or 'mse', or 'roc_auc' on a binary task",
            got=f"{metric.name!r} on a {target.task} task",
            cure="Use method='bbc' or 'holdout', which work for any metric.",
        )


def choose_tilt_resampler(given: Resampler | None, metric: Metric, target: Target) -> Resampler:
    """Return the resampler: as given, else groups, else within classes for the AUC."""
    if given is not None:
        if not given.has_out_of_bag:
            raise EvidenceError(
                "tilting needs resamples that draw cases",
                needs="a resampler that draws cases: 'case', 'stratified' or 'group'",
                got=repr(given.name),
            )
        return given
    if target.groups is not None:
        return GroupBootstrap()
    apart = is_auc(metric, target) or target.strata is not None
    return StratifiedBootstrap() if apart else CaseBootstrap()


def case_influence(choice: Choice, metric: Metric, resampler: Resampler) -> Array:
    """Return the influence of each case on the chosen configuration's gain: (n,).

    For the AUC it is the placement, as published for resamples within classes; where classes are
    drawn together it is weighted by how rare the case's class is. The cases of a unit that adds
    rounding only have none.
    """
    part = choice.part
    if is_auc(metric, part.target):
        own, least = _auc_influence(choice, metric, within_classes(resampler, part.target))
    else:
        own, least = _mean_influence(part.select(choice.chosen), metric)
    units = list_drawn_units(part, resampler)
    seen = np.abs(np.bincount(units, weights=own)) > least * np.bincount(units)
    own = np.where(seen[units], own, 0.0)
    return metric.sign * (-own if choice.turned[0] else own)


def within_classes(resampler: Resampler, target: Target) -> bool:
    """Tell whether resamples have as many cases of every class as the sample."""
    return isinstance(resampler, StratifiedBootstrap) and target.strata is None


def fallback_limits(
    choice: Choice, metric: Metric, resampler: Resampler
) -> tuple[LimitSource, str]:
    """Return the limits for where no tilt is found, and their words.

    DeLong's for the AUC and Wilson's for shares, as the authors of the tilts do; Wilson's also
    for other means in a finite range, for which they are wide, and normal ones for the rest.
    """
    if is_auc(metric, choice.part.target):
        made = delong(choice, metric)
        return made.source, made.words
    units = len(np.unique(list_drawn_units(choice.part, resampler)))
    low, high = metric.limits
    if np.isfinite(low) and np.isfinite(high):
        return ShareLimits(choice.value, units, low, high), "that of Wilson"
    influence = case_influence(choice, metric, resampler)
    own = np.bincount(list_drawn_units(choice.part, resampler), weights=influence)
    error = float(np.sqrt((own**2).sum() * units / max(units - 1, 1))) / choice.part.n_cases
    if error > 0:
        return NormalLimits(choice.value, error), "a normal one"
    return EqualCaseLimits(choice.value, units, low, high), "that of cases that are all alike"


def no_better_than_perfect(
    source: LimitSource, choice: Choice, metric: Metric, *, rivals: int = 1
) -> LimitSource:
    """Return limits of an AUC whose bad end is never nearer to 1 than that of a perfect one."""
    if not is_auc(metric, choice.part.target):
        return source  # Wilson's limits, where no tilt is found, have no gap to those of tilts
    one = choice.part.select(choice.chosen)
    return never_beyond_perfect(source, one, metric, choice.value, rivals=rivals)


def _auc_influence(choice: Choice, metric: Metric, apart: bool) -> tuple[Array, float]:
    """Return what each case adds to the AUC (n,), and below what it is rounding."""
    y = choice.part.target.y
    own = line_of(metric)[1] * auc_influence(choice.placements, y == 1)
    weight = np.ones(len(y)) if apart else len(y) / np.bincount(y)[y]
    return own * weight, ROUNDING * float(weight.max())


def _mean_influence(part: Predictions, metric: Metric) -> tuple[Array, float]:
    """Return value less mean of each case over its repeats (n,), and below what it is rounding."""
    terms = case_values(part, metric).terms[:, 0]  # (n, R)
    tested = ~np.isnan(terms)
    used = tested.any(axis=0)
    terms, tested = terms[:, used], tested[:, used]
    count = tested.sum(axis=0)
    filled = np.where(tested, terms, 0.0)
    away = np.where(tested, terms - filled.sum(axis=0) / count, 0.0)
    share = part.n_cases / count
    least = float(rounding(filled[:, None, :])[0]) * float(share.max())
    return np.asarray((away * share).mean(axis=1)), least


def list_drawn_units(part: Predictions, resampler: Resampler) -> NDArray[np.intp]:
    """Return the unit that each case is drawn with (n,): its group, or itself."""
    if isinstance(resampler, GroupBootstrap) and part.target.groups is not None:
        return np.unique(part.target.groups, return_inverse=True)[1]
    return np.arange(part.n_cases)
