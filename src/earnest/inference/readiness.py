"""Whether a model is ready to be used, from what was computed of it."""

from __future__ import annotations

import math

import numpy as np

from earnest.core.data.target import Target
from earnest.core.results.calibration import Calibration
from earnest.core.results.estimate import Estimate
from earnest.core.results.leaks import LeakScreen
from earnest.core.results.readiness import Readiness, Sufficiency, Usable
from earnest.core.results.specs import AgainstChance, Side
from earnest.inference.remarks import FEW_FOR_AN_AUC
from earnest.metrics.families import Metric

OPEN_FROM = 0.4  # share of what can be learned from which an interval leaves it open
_USABLE = {
    AgainstChance.BETTER: Usable.LIKELY,
    AgainstChance.UNDECIDED: Usable.UNCLEAR,
    AgainstChance.WORSE: Usable.NO,
}


def judge_readiness(
    estimate: Estimate,
    metric: Metric,
    target: Target,
    calibration: Calibration | None = None,
    leaks: LeakScreen | None = None,
) -> Readiness:
    """Return the four facts about a model.

    Parameters
    ----------
    estimate : Estimate
        How good it is. A score that is not corrected says nothing here.
    metric : Metric
        What was measured.
    target : Target
        The outcome of the cases.
    calibration : Calibration, optional
        How far its probabilities can be believed, where it has some.
    leaks : LeakScreen, optional
        What a screening of the columns found, where there was one.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.inference.readiness import judge_readiness
    >>> y = np.tile([0, 1], 200)
    >>> score = y + np.random.default_rng(7).standard_normal(400)
    >>> pi = en.Predictions.from_arrays(y, score)
    >>> metric = en.metric("roc_auc").on("binary")
    >>> readiness = judge_readiness(en.estimate(pi, metric="roc_auc"), metric, pi.target)
    >>> print(readiness.usable, readiness.probabilities, readiness.cases)
    likely None enough
    """
    (least, most), n_rarest = locate_interval(estimate), count_rarest(target)
    width = None if least is None or most is None else most - least
    chance = estimate.against_chance if estimate.honest else None
    return Readiness(
        ranks=metric.ranks,
        usable=Usable.NOT_CHECKED if chance is None else _USABLE[chance],
        has_classes=target.has_classes,
        probabilities=None if calibration is None else calibration.verdict,
        leaks=leaks,
        cases=_judge_cases(width, n_rarest),
        n_cases=target.n if estimate.n_cases is None else estimate.n_cases,
        n_rarest=n_rarest,
        width=width,
        least=least,
    )


def locate_interval(estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the ends of an interval on the way from a constant prediction, 0, to perfect, 1."""
    interval, zero = estimate.interval, estimate.no_information
    best = estimate.scale.limits[1 if estimate.scale.greater_is_better else 0]
    if interval is None or interval.side != Side.TWO_SIDED or zero is None or zero == best:
        return None, None
    least, most = sorted((end - zero) / (best - zero) for end in (interval.low, interval.high))
    return (least, most) if math.isfinite(most - least) else (None, None)


def count_rarest(target: Target) -> int | None:
    """Return the cases of the rarest class, or the events; None where there are neither."""
    if target.has_classes:
        return int(np.bincount(target.y, minlength=len(target.classes)).min())
    return None if target.event is None else int(target.event.sum())


def _judge_cases(width: float | None, n_rarest: int | None) -> Sufficiency:
    if n_rarest is not None and n_rarest <= FEW_FOR_AN_AUC:
        return Sufficiency.TOO_FEW
    if width is None:
        return Sufficiency.NOT_CHECKED
    return Sufficiency.TOO_FEW if width >= OPEN_FROM else Sufficiency.ENOUGH
