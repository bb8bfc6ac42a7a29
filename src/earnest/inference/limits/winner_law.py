"""The law of one configuration's score: a share of trials, a mean of shares, or an AUC.

Each law gives the scale on which the scores of all configurations have a steady variance, and the
limits of one of them at any level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource
from earnest.core.results.limits import ShareLimits
from earnest.core.results.winner_limits import (
    INSIDE,
    AreaLimits,
    binormal_trials,
    binormal_variance,
)
from earnest.inference.cases.areas import auc_placements, is_auc, line_of
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric, MomentMetric
from earnest.metrics.multiclass import class_hits

SMALL_VARIANCE = 1e-10  # a variance below which a score tells nothing of its trials
FEW_OF_A_CLASS = 20  # cases under which limits of an AUC were seen to fail
WIDE = 1.5  # a variance this many times the binormal one is beyond what the law was shown for
FEW_REPEATED = 50  # cases up to which repeats near the ceiling were seen to fail
CEILING = 0.9  # what counts as near it

Array = NDArray[np.float64]


class Law(StrEnum):
    """Which law a score of one configuration has."""

    SHARE = "share"
    MEAN_OF_SHARES = "mean of shares"
    AREA = "area"


def law_of(metric: Metric, target: Target) -> Law | None:
    """Return the law of a metric, None where none was shown to hold."""
    if is_auc(metric, target):
        return Law.AREA
    if not isinstance(metric, MomentMetric):
        return None
    if metric.trials is not None:
        return Law.SHARE
    binary = target.task is Task.BINARY
    return Law.MEAN_OF_SHARES if metric.features is class_hits and binary else None


def need_law(name: str, metric: Metric, target: Target) -> Law:
    """Return the law of a metric; refuse metrics without one, and cases in groups."""
    law = law_of(metric, target)
    if law is None:
        raise MetricError(
            f"method {name!r} has not been shown to hold for this metric",
            needs="a share such as 'accuracy', 'error_rate', 'recall', 'specificity' or "
            "'precision', or of two classes 'balanced_accuracy' or 'roc_auc'",
            got=f"{metric.name!r} on a {target.task} task",
            cure="Use method='bbc', which takes any metric.",
        )
    if target.groups is not None:
        raise EvidenceError(
            f"method {name!r} has not been shown to hold for cases in groups",
            needs="independent cases",
            got=f"{len(np.unique(target.groups))} groups",
            cure="Use method='bbc', which draws whole groups.",
        )
    return law


@dataclass(frozen=True, eq=False)
class WinnerLaw:
    """The law of the scores of all configurations on one sample.

    `scores` (C,) are shares of the metric's range, 1 being the best; `trials` (C,) is how many
    independent 0/1 outcomes each is worth, at most, and in one repeat.
    """

    law: Law
    pi: Predictions
    metric: Metric
    scores: Array
    trials: Array

    @classmethod
    def of(cls, law: Law, pi: Predictions, metric: Metric, scores: Array) -> WinnerLaw:
        """Make the law of the scores (C,) of a metric."""
        good = in_range(metric, scores)
        if law is Law.SHARE:
            assert isinstance(metric, MomentMetric)
            assert metric.trials is not None
            counting = replace(metric, combine=metric.trials)
            some = pi.select(0) if metric.mean_of_cases else pi  # a mean has the cases as trials
            counts = score_table(some, counting, Weights.ones(pi.n_cases))[0]
            trials = np.broadcast_to(counts, good.shape)
        elif law is Law.MEAN_OF_SHARES:
            first, second = fewest_of_classes(pi)
            trials = np.full(len(good), 4.0 * first * second / (first + second))
        else:
            trials = binormal_trials(good, *fewest_of_classes(pi))
        return cls(law, pi, metric, good, trials)

    def steady(self, good: Array) -> Array:
        """Return shares (..., C) on Anscombe's scale, asin sqrt((x q + 3/8) / (q + 3/4))."""
        size = self.trials + 0.75
        return np.asarray(np.arcsin(np.sqrt(good * (self.trials / size) + 0.375 / size)))

    def pooled_trials(self, table: Array, near: NDArray[np.bool_]) -> float:
        """Return how many trials a score is worth by its variance over resamples.

        It is the median over near-winners of s (1 - s) / variance, infinite where none can tell:
        the winner's own variance was selected with it.
        """
        variance = table.var(axis=0, ddof=1)
        inside = (self.scores > 0.0) & (self.scores < 1.0)
        used = near & inside & (variance > SMALL_VARIANCE)
        if not used.any():
            return np.inf
        return float(np.median(self.scores[used] * (1.0 - self.scores[used]) / variance[used]))

    def limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return the limits of the winner, as if it had been fixed in advance.

        `table` (B, C) has the resampled shares, `near` (C,) the near-winners.
        """
        low, high = self.metric.limits
        share = self.scores[winner] if self.metric.greater_is_better else 1 - self.scores[winner]
        centre, repeats = float(low + (high - low) * share), used_repeats(self.pi)
        most = float(self.trials[winner])
        if self.law is Law.SHARE and repeats == 1:
            return ShareLimits(centre, most, low, high, exact=True)
        pooled = self.pooled_trials(table, near)
        if self.law is Law.AREA:
            return self._area_limits(winner, pooled)
        cap = most * repeats if self.law is Law.SHARE else most
        return ShareLimits(centre, min(pooled, cap), low, high, exact=True)

    def _area_limits(self, winner: int, pooled: float) -> AreaLimits:
        classes = fewest_of_classes(self.pi)
        widening = max(1.0, self.spread_ratio(winner))
        line = line_of(self.metric)
        return AreaLimits(float(self.scores[winner]), *classes, widening, pooled, *line)

    def spread_ratio(self, winner: int) -> float:
        """Return DeLong's variance of the winner's AUC over the binormal one, 1 for a perfect one.

        Above 1 the positives vary more than the negatives, or less.
        """
        area = float(self.scores[winner])
        own = float(auc_placements(self.pi, winner).variance()[0])
        if not own > 0.0 or area >= 1.0:
            return 1.0
        inside = np.array(min(max(area, INSIDE), 1.0 - INSIDE))
        return own / float(binormal_variance(inside, *fewest_of_classes(self.pi)))

    def remarks(self, winner: int) -> Iterator[Caution]:
        """Yield where the law of the winner is beyond what it was shown for."""
        if self.law is Law.AREA:
            yield from self._area_remarks(winner)
        cases, repeats = self.pi.n_cases, used_repeats(self.pi)
        near_ceiling = self.scores[winner] >= CEILING
        if self.law is not Law.AREA and repeats > 1 and cases <= FEW_REPEATED and near_ceiling:
            yield Caution(
                "EN132",
                f"There are {cases} cases in {repeats} repeats, and the winner is nearly perfect.",
                "Repeats then seem to tell more than they do: 95 % limits held in 88 to 93 % of "
                "such simulations.",
                "Read the limit at a higher level, or use one repeat.",
            )

    def _area_remarks(self, winner: int) -> Iterator[Caution]:
        classes = fewest_of_classes(self.pi)
        if min(classes) < FEW_OF_A_CLASS:
            label = self.pi.target.classes[1 if classes[0] <= classes[1] else 0]
            yield Caution(
                "EN130",
                f"Class {label} has {min(classes)} cases.",
                f"With fewer than {FEW_OF_A_CLASS} the limits of an AUC can be too narrow: 95 % "
                "limits held in 87 % of the worst simulations.",
                "Use more cases of that class.",
            )
        ratio = self.spread_ratio(winner)
        if ratio > WIDE:
            yield Caution(
                "EN131",
                f"The AUC varies {ratio:.1f} times as much as under two normal laws of equal "
                "spread.",
                "The classes differ in spread, or a few cases decide: the limits are widened, and "
                "can still be too narrow.",
                "Look at the scores of the smaller class; more of its cases help.",
            )


def in_range(metric: Metric, values: Array) -> Array:
    """Return values as shares of the metric's range, 1 being the best."""
    low, high = metric.limits
    share = (values - low) / (high - low)
    return np.asarray(share if metric.greater_is_better else 1.0 - share)


def used_repeats(pi: Predictions) -> int:
    """Return how many repeats have predictions."""
    return sum(bool(pi.cells[repeat].any()) for repeat in range(pi.n_repeats))


def fewest_of_classes(pi: Predictions) -> tuple[int, int]:
    """Return how many positives and negatives the repeat with the fewest of each has tested."""
    counts = [
        np.bincount(pi.target.y[pi.tested(repeat)], minlength=2)
        for repeat in range(pi.n_repeats)
        if pi.cells[repeat].any()
    ]
    negatives, positives = np.min(counts, axis=0)[:2].tolist()
    return positives, negatives
