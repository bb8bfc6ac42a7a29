"""Limits of a mean loss of probabilities that allow for errors that the sample has not shown.

A confident model pays little for right answers and much for an error. If the sample has few errors,
its losses vary little, and so do those of its resamples; the mean loss on new cases depends on the
share of errors, which few cases tell badly. The model itself says what an error would cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.core.results.interval import (
    EqualCaseLimits,
    LimitSource,
    ShareLimits,
    WidenedLimits,
    best_of,
)
from earnest.core.results.specs import Side
from earnest.metrics.families import Metric, MomentMetric, Need, ratio
from earnest.metrics.responding import respond

TINY = 1e-12  # a difference of losses that is rounding

Array = NDArray[np.float64]


def is_loss_of_chances(metric: Metric) -> bool:
    """Tell whether a metric is the mean over cases of a loss of probabilities, from 0 up."""
    return (
        isinstance(metric, MomentMetric)
        and metric.needs is Need.PROBABILITY
        and metric.mean_of_cases
        and not metric.greater_is_better
    )


@dataclass(frozen=True, eq=False)
class ErrorCosts:
    """What errors cost a configuration by a mean loss of its probabilities.

    Each case has the smallest loss that any outcome would have given it, and what its own outcome
    added: 0 if the label is right. A unit is a case, or a group with the sums of its cases over
    the mean size of a group.

    Attributes
    ----------
    right : float
        The mean loss if no label were wrong.
    added : ndarray, shape (units,)
        What wrong labels added in each unit; their mean is the loss less `right`.
    wrong : ndarray, shape (units,)
        Which share of a unit's cases was labelled wrongly; with repeats, the mean over them.
    unseen : float
        What an error adds to a case on average: the other class has its loss, or each of several
        other ones as often as the model itself says.
    n : int
        The number of cases.
    effective : float
        How many units of equal weight they are worth.
    """

    right: float
    added: Array
    wrong: Array
    unseen: float
    n: int
    effective: float

    @classmethod
    def of(cls, pi: Predictions, metric: MomentMetric) -> ErrorCosts:
        """Read them from the losses that every outcome would have given each case."""
        right, added, wrong, feared, times = np.zeros((5, pi.n_cases))  # sums over repeats
        for repeat in range(pi.n_repeats):
            rows = np.flatnonzero(pi.tested(repeat))
            if len(rows) == 0:
                continue
            losses, chances = _losses_of_outcomes(pi, metric, repeat, rows)  # (n_r, K) both
            least = losses.min(axis=1)
            above = losses - least[:, None]
            cost = above[np.arange(len(rows)), pi.target.y[rows]]
            unlike = np.where(above > TINY, chances, 0.0) + TINY * (above > TINY)
            right[rows] += least
            added[rows] += cost
            wrong[rows] += cost > TINY
            feared[rows] += ratio((unlike * above).sum(axis=1), unlike.sum(axis=1), 0.0)
            times[rows] += 1
        used = times > 0
        masses = pi.target.masses
        if masses is not None:  # a loss counts as its case does
            right, added, feared = right * masses, added * masses, feared * masses
        unseen = float(feared.sum() / (times if masses is None else times * masses).sum())
        right, added, wrong = (values[used] / times[used] for values in (right, added, wrong))
        if pi.target.groups is not None:
            codes = np.unique(pi.target.groups[used], return_inverse=True)[1].reshape(-1)
            size = len(codes) / (codes.max() + 1.0)
            added, wrong = (np.bincount(codes, weights=v) / size for v in (added, wrong))
        n = int(used.sum())
        effective = pi.target.effective_units / pi.target.n_units * len(added)
        return cls(float(right.mean()), added, wrong, unseen, n, effective)

    def around(self, value: float) -> ErrorCosts:
        """Return the same costs beside a value that is not the mean loss itself."""
        return replace(self, right=self.right + value - self.loss)

    def limits(self, *, crossed: float | None = None) -> LimitSource:
        """Return limits whose upper end allows for unseen errors."""
        return WidenedLimits.of(self.as_seen(crossed), self.without_errors(), end=Side.UPPER)

    @property
    def units(self) -> int:
        """The number of independent units."""
        return len(self.added)

    @property
    def loss(self) -> float:
        """The mean loss that was seen."""
        return self.right + float(self.added.mean())

    def without_errors(self) -> EqualCaseLimits:
        """Return the limits as if no unit had had an error: the rule of three."""
        units = max(1, int(self.effective + 1e-9))
        return EqualCaseLimits(self.right, units, 0.0, self.right + self.unseen)

    def as_seen(self, crossed: float | None) -> LimitSource:
        """Return the limits that add to the errors seen those that were not."""
        one_more = self.unseen
        if self.n != self.units:  # one more group with as many errors as those that have any
            struck = self.wrong[self.wrong > 0.0]
            one_more *= max(float(struck.mean()) if len(struck) else 1.0, self.units / self.n)
        first = float(self.added.sum()) + one_more
        if not first > 0.0:  # no label costs more than another
            return self._share(self.right, self.right, TINY)
        scale = (float(np.square(self.added).sum()) + one_more**2) / first
        seen = max(first / scale - 1.0, 0.0)  # errors that are worth `scale` each
        limits = self._share(self.right + scale * seen / self.units, self.right, scale)
        return replace(limits, crossed=crossed, loss=True)

    def _share(self, centre: float, low: float, width: float) -> ShareLimits:
        width = max(width, TINY)
        return ShareLimits(centre, float(self.units), low, low + width, exact=True)


def unseen_error_limits(
    pi: Predictions, metric: MomentMetric, *, crossed: float | None = None
) -> LimitSource:
    """Return limits of one configuration whose upper end allows for unseen errors.

    Parameters
    ----------
    pi : Predictions
        The configuration on the cases that judge it.
    metric : MomentMetric
        A mean loss of probabilities.
    crossed : float, optional
        The number of cases, if they were cross-validated and the limits shall allow for that.
    """
    return ErrorCosts.of(pi, metric).limits(crossed=crossed)


def allow_for_unseen_errors(
    source: LimitSource,
    pi: Predictions,
    metric: Metric,
    *,
    value: float | None = None,
    rivals: int = 1,
) -> LimitSource:
    """Return limits of a mean loss of probabilities that allow for unseen errors.

    Limits of other metrics stay as they are.

    Parameters
    ----------
    source : LimitSource
        The limits so far; their upper end stays where it lies further out.
    pi : Predictions
        The configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float, optional
        What the limits are laid around, if it is not the mean loss of these cases.
    rivals : int
        From how many configurations it was chosen on these cases.
    """
    if not (isinstance(metric, MomentMetric) and is_loss_of_chances(metric)):
        return source
    costs = ErrorCosts.of(pi, metric)
    floor = (costs if value is None else costs.around(value)).limits()
    return WidenedLimits(source, (best_of(floor, rivals, metric.greater_is_better),), Side.UPPER)


def _losses_of_outcomes(
    pi: Predictions, metric: MomentMetric, repeat: int, rows: NDArray[np.intp]
) -> tuple[Array, Array]:
    """Return the loss of each case if its class were each one, and the chances: (n_r, K)."""
    response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
    target, losses = pi.target.take(rows), []
    for code in range(len(target.classes)):
        as_if = replace(target, y=np.full(len(rows), code, dtype=target.y.dtype))
        losses.append(metric.features(as_if, response, None).own[0, :, 0].astype(np.float64))
    predicted = np.asarray(response[:, 0], dtype=np.float64)
    chances = (
        np.stack([1.0 - predicted, predicted], axis=1) if target.task is Task.BINARY else predicted
    )
    return np.stack(losses, axis=1), chances
