"""The distribution of a configuration's score: a share, an agreement, an area, or a mean loss.

Each distribution gives a scale on which the scores of all configurations have a steady variance,
and the limits of one of them at any level. If cases come in groups, the spread is that of whole
groups.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import MetricError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    INSIDE,
    AreaLimits,
    FewUnitsLimits,
    LimitSource,
    LossLimits,
    OverlapLimits,
    ShareLimits,
    TighterLimits,
    binormal_trials,
    binormal_variance,
)
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values
from earnest.inference.cases.placements import spread_ratio
from earnest.kernels.score import score_table
from earnest.metrics.classification import f_beta_of
from earnest.metrics.families import Metric, MomentMetric, Need, RankMetric, View, root_mean
from earnest.metrics.multiclass import kappa, matthews, mean_recall
from earnest.metrics.ranking import line_of
from earnest.metrics.survival import concordance_scan

SMALL_VARIANCE = 1e-10  # a variance below which a score tells nothing of its trials
FEW_OF_A_CLASS = 20  # cases under which limits of an AUC were seen to fail
WIDE = 1.5  # a variance this many times the binormal one is beyond what was shown to hold
FEW_REPEATED = 50  # cases up to which repeats near the ceiling were seen to fail
CEILING = 0.9  # what counts as near it
HEAVY = (
    15.0  # the kurtosis of squared normal errors, beyond which limits of losses were seen to fail
)
LUMPED = (
    0.1  # a share of losses that are all the least one, beyond which no Gamma distribution fits
)
UNSEEN = 1.0  # by how many of its standard errors the variance of a loss is widened
UNSEEN_IN_GROUPS = 0.5  # the same for a share of cases in groups, and for a mean of bounded scores
FEW_LOST = 3.0  # items' worth of score at the nearer end, up to which a spread tells nothing
TINY = 1e-300  # what a loss of 0 counts as on the scale of logarithms

Array = NDArray[np.float64]


class Law(StrEnum):
    """Which distribution the score of one configuration has."""

    SHARE = "share"
    OVERLAP = "overlap"
    MEAN_OF_SHARES = "mean of shares"
    AGREEMENT = "agreement"
    AREA = "area"
    MEAN_OF_AREAS = "mean of areas"
    CONCORDANCE = "concordance"
    LOSS = "loss"
    BOUNDED = "mean of bounded scores"


def law_of(metric: Metric, target: Target) -> Law | None:
    """Return the distribution of a metric, None if none was shown to hold."""
    if metric.area:
        return Law.AREA if target.task is Task.BINARY else Law.MEAN_OF_AREAS
    if isinstance(metric, RankMetric):
        return Law.CONCORDANCE if metric.scan is concordance_scan else None
    if not isinstance(metric, MomentMetric):
        return None
    if metric.trials is not None:
        return Law.SHARE
    if _is_bounded(metric, target):
        return Law.BOUNDED
    if _is_f1(metric):
        return Law.OVERLAP
    if metric.combine is mean_recall:
        return Law.MEAN_OF_SHARES
    if metric.combine in (kappa, matthews):
        return Law.AGREEMENT
    return Law.LOSS if _is_loss(metric) else None


def _is_f1(metric: MomentMetric) -> bool:
    combine = metric.combine
    return (
        isinstance(combine, partial)
        and combine.func is f_beta_of
        and combine.keywords["beta"] == 1.0
    )


def _is_bounded(metric: MomentMetric, target: Target) -> bool:
    """Tell whether a metric is the mean of scores of items that have a least and a largest value.

    So are means of samples, pass@k and marks of a judge.
    """
    ends: tuple[float, float] = metric.limits
    return target.task is Task.SCORES and metric.mean_of_cases and bool(np.isfinite(ends).all())


def _is_loss(metric: MomentMetric) -> bool:
    """Tell whether a metric is a mean of losses from 0 up, its root, or 1 less such a ratio."""
    if metric.needs not in (Need.VALUE, Need.PROBABILITY):
        return False
    if metric.greater_is_better:
        return metric.limits == (-np.inf, 1.0)
    return metric.limits[0] == 0.0 and (metric.mean_of_cases or metric.combine is root_mean)


def need_law(name: str, metric: Metric, target: Target) -> Law:
    """Return the distribution of a metric; refuse metrics without one."""
    law = law_of(metric, target)
    if law is None:
        raise MetricError(
            f"method {name!r} has not been shown to hold for this metric",
            needs="a proportion such as 'accuracy', 'recall' or 'precision', "
            "'balanced_accuracy', 'f1', 'mcc', 'cohen_kappa', an AUC, the concordance "
            "index, R², a mean loss, or a mean of scores with limits",
            got=f"{metric.name!r} on a {target.task} task",
            cure=f"Use {arg('method', 'bbc')}, which works for any metric.",
        )
    return law


@dataclass(frozen=True, eq=False)
class WinnerLaw(ABC):
    """The distribution of the scores of all configurations on one sample.

    Parameters
    ----------
    law : Law
        Which distribution it is.
    pi : Predictions
        The predictions of all configurations.
    metric : Metric
        What is measured.
    scores : ndarray, shape (C,)
        The metric on all cases, on the scale of the distribution.
    """

    law: Law
    pi: Predictions
    metric: Metric
    scores: Array

    @classmethod
    def of(cls, law: Law, pi: Predictions, metric: Metric, scores: Array) -> WinnerLaw:
        """Make the distribution of the scores (C,) of a metric."""
        areas = (Law.AREA, Law.MEAN_OF_AREAS, Law.CONCORDANCE)
        kinds: dict[Law, type[WinnerLaw]] = {
            **dict.fromkeys(areas, _AreaLaw),
            Law.LOSS: _LossLaw,
            Law.BOUNDED: _BoundedLaw,
        }
        distribution = kinds.get(law, _ShareLaw)(law, pi, metric, scores)
        return replace(distribution, scores=distribution.read(scores))

    @abstractmethod
    def read(self, values: Array) -> Array:
        """Return values (..., C) of the metric on the scale of the distribution."""

    @abstractmethod
    def steady(self, values: Array) -> Array:
        """Return values (..., C) of that scale on one of steady variance, greater being better."""

    @abstractmethod
    def gaps(self, winner: int, score: float, others: Array, share: float) -> Array:
        """Return how far others are behind the winner on a share of the cases, on that scale.

        `score` is the metric of the winner there, `others` (D,) that of the others.
        """

    def limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return the limits of the winner, as if it had been fixed in advance.

        `table` (B, C) has the resampled scores on that scale, `near` (C,) the near-winners.
        """
        source = self._limits(winner, table, near)
        return FewUnitsLimits(source, self.pi.target.freedom) if self.grouped else source

    @abstractmethod
    def _limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return the same for independent units, before few groups widen them."""

    def objection(self, winner: int) -> Caution | None:
        """Return why the winner's score cannot have the distribution, None if it can."""
        return None

    def remarks(self, winner: int) -> Iterator[Caution]:
        """Yield a caution where the distribution was not shown to hold."""
        yield from ()

    @property
    def grouped(self) -> bool:
        """Whether the spread of units must tell how much cases vary.

        So it is where groups are the independent units, cases weigh unlike, or depend on time.
        """
        target = self.pi.target
        unlike = target.masses is not None or target.surveyed
        return target.groups is not None or unlike or target.dependence is not None

    @cached_property
    def crossed(self) -> bool:
        """Whether the cases were cross-validated, so that they trained each other's models."""
        return self.pi.target.task is not Task.SCORES and self.pi.n_folds > 1

    @cached_property
    def units(self) -> int:
        """The number of independent units, as many of equal weight as they are worth.

        In time, of blocks.
        """
        dependence = self.pi.target.dependence
        return self.pi.target.effective_units if dependence is None else dependence.df + 1

    @cached_property
    def _terms(self) -> dict[int, Array]:
        return {}

    def unit_terms(self, winner: int) -> Array:
        """Return what each unit adds to the winner's score or loss, over all repeats: (units,)."""
        terms, groups = self.item_terms(winner), self.pi.target.groups
        if groups is None:
            return terms
        codes = np.unique(groups, return_inverse=True)[1].reshape(-1)
        return np.asarray(np.bincount(codes, weights=terms - terms.mean()))

    def item_terms(self, winner: int) -> Array:
        """Return what each case adds to the winner's score or loss, over all repeats: (n,)."""
        if winner not in self._terms:
            cases = case_values(self.pi.select(winner), self.metric)
            self._terms[winner] = np.asarray(np.nanmean(cases.terms[:, 0], axis=1))
        return self._terms[winner]

    def kurtosis(self, winner: int) -> float:
        """Return the kurtosis of what units add: 3 for a normal distribution, at least 1."""
        away = self.unit_terms(winner)
        away = away - away.mean()
        away = away / _power_near(away)
        second = float(np.square(away).mean())
        return float((away**4).mean()) / second**2 if second > 0.0 else 1.0

    def error_of_variance(self, winner: int) -> float:
        """Return the relative standard error of the variance of the winner's score or loss.

        The variance lacks the part of a tail that was not seen, and is widened for it.
        """
        dependence = self.pi.target.dependence
        units = float(len(self.unit_terms(winner)))  # their weights are in the terms
        units /= 1.0 if dependence is None else dependence.inflation
        return float(np.sqrt(max(self.kurtosis(winner) - 1.0, 0.0) / units))


class CountedLaw(WinnerLaw):
    """Scores that are worth a number of 0/1 outcomes each."""

    @cached_property
    @abstractmethod
    def trials(self) -> Array:
        """How many independent outcomes each score is worth: (C,)."""

    def steady(self, values: Array) -> Array:
        """Return shares on Anscombe's scale, asin sqrt((x q + 3/8) / (q + 3/4))."""
        return anscombe(values, self.trials)

    def gaps(self, winner: int, score: float, others: Array, share: float) -> Array:
        """Return the gaps of shares of as many trials as the winner has there."""
        return _gaps(self.read(np.array(score)), self.read(others), share * self.trials[winner])


class _ShareLaw(CountedLaw):
    """Shares of 0/1 outcomes, and what is worth a number of them: Clopper and Pearson's limits."""

    EXACT: ClassVar = (Law.SHARE, Law.OVERLAP)

    @cached_property
    def trials(self) -> Array:
        """How many independent 0/1 outcomes each score is worth at most, in one repeat: (C,).

        A mean of shares of K classes of n_k cases is worth K² / sum 1/n_k, which has its variance
        if all shares are alike.
        """
        if self.law is Law.MEAN_OF_SHARES:
            counts = fewest_of_classes(self.pi).astype(np.float64)
            worth = len(counts) ** 2 / float((1.0 / np.maximum(counts, 1.0)).sum())
        elif self.law is Law.AGREEMENT:
            worth = self.pi.target.count_effective()
        else:
            return self._counted() * (self.pi.target.count_effective() / self.pi.n_cases)
        return np.full(self.pi.n_configs, worth)

    def _counted(self) -> Array:
        assert isinstance(self.metric, MomentMetric)
        counting = replace(self.metric, combine=self.metric.trials or overlapping_cases)
        some = self.pi.select(0) if self.metric.mean_of_cases else self.pi  # cases are the trials
        counts = score_table(some, counting, Weights.ones(self.pi.n_cases))[0]
        return np.broadcast_to(counts, (self.pi.n_configs,))

    @cached_property
    def range(self) -> tuple[float, float]:
        """The values of the metric that count as a share of 0 and of 1, or of 1 and 0 for a loss.

        An agreement beyond chance is 1 less the error rate over that of chance, which is 1 less
        the sum of the squared frequencies of the classes.
        """
        if self.law is not Law.AGREEMENT:
            return self.metric.limits
        target = self.pi.target
        shares = np.bincount(target.y, weights=target.masses) / target.n
        return 1.0 - 1.0 / (1.0 - float(np.square(shares).sum())), 1.0

    def read(self, values: Array) -> Array:
        """Return values as shares, 1 being the best."""
        if self.law is Law.OVERLAP:
            return np.asarray(values / (2.0 - values))
        low, high = self.range
        share = (values - low) / (high - low)
        return np.asarray(
            np.clip(share if self.metric.greater_is_better else 1.0 - share, 0.0, 1.0)
        )

    def _limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        repeats = count_used_repeats(self.pi)
        worth = float(self.trials[winner]) * (repeats if self.law in self.EXACT else 1)
        if self.grouped or repeats > 1 or self.law not in self.EXACT:
            pooled = pooled_trials(self.scores, table, near)
            if self.grouped:  # of perfect groups one is one trial
                widening = 1.0 + UNSEEN_IN_GROUPS * self.error_of_variance(winner)
                pooled = pooled / widening if np.isfinite(pooled) else float(self.units)
            worth = min(pooled, worth)
        share = float(self.scores[winner])
        cases = self.pi.target.count_effective()
        cases = min(worth, cases) if self.grouped else cases
        crossed = cases if self.crossed else None
        if self.law is Law.OVERLAP:
            return OverlapLimits(2.0 * share / (1.0 + share), worth, crossed)
        low, high = self.range
        good = share if self.metric.greater_is_better else 1.0 - share
        return ShareLimits(low + (high - low) * good, worth, low, high, exact=True, crossed=crossed)

    def remarks(self, winner: int) -> Iterator[Caution]:
        """Yield cautions for F1 of few positives, and for repeats of few cases near the ceiling."""
        if self.law is Law.OVERLAP:
            yield from _warn_of_few(self.pi, 1, area=False)
        cases, repeats = self.pi.n_cases, count_used_repeats(self.pi)
        if repeats > 1 and cases <= FEW_REPEATED and self.scores[winner] >= CEILING:
            yield of_limits.repeats_near_best(cases, repeats)


class _BoundedLaw(_ShareLaw):
    """A mean of scores between two ends: a share of as many trials as its variance is worth.

    Of all distributions with a given mean, that of zeros and ones varies most, so an item is worth
    at least one trial. It is worth more if items vary less, but rare bad items may not have been
    seen: if only a few items' worth of score is lost, an item counts as one trial.
    """

    @cached_property
    def trials(self) -> Array:
        """One an item, for the scale on which scores vary alike: (C,)."""
        return np.full(self.pi.n_configs, float(self.pi.n_cases))

    def limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return limits by a variance that was estimated from the items, or from their groups."""
        units = self.pi.target.labelled_units
        source = FewUnitsLimits(self._limits(winner, table, near), max(units - 1, 1))
        if units == self.units:
            return source
        low, high = self.range  # marks vary at most as labels of people alone would
        share = float(self.scores[winner])
        good = share if self.metric.greater_is_better else 1.0 - share
        of_labels = ShareLimits(low + (high - low) * good, units, low, high, exact=True)
        return TighterLimits(source, of_labels)

    def _limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return limits of a share of q trials, before few units widen them.

        1 / q = (1 - w) f / p2 + w / units with w = min(1, FEW_LOST / lost)^2, where p2 are the
        trials of the near-winners' spread over resamples, f widens it for tails that were not
        seen, and `lost` is how far the score is from the nearer end, in independent items. Of marks
        of a judge only items that people labelled count.
        """
        share = float(self.scores[winner])
        pooled = pooled_trials(self.scores, table, near)
        widening = 1.0 + UNSEEN_IN_GROUPS * self.error_of_variance(winner)
        items = self._independent_items(winner) * self.pi.target.labelled_units / self.units
        lost = items * min(share, 1.0 - share)
        seen = lost > 0.0 and np.isfinite(pooled)
        weight = min(1.0, FEW_LOST / lost) ** 2 if seen else 1.0
        units = self.pi.target.labelled_units
        worth = 1.0 / ((1.0 - weight) * widening / pooled + weight / units)
        low, high = self.range
        good = share if self.metric.greater_is_better else 1.0 - share
        return ShareLimits(low + (high - low) * good, worth, low, high, exact=True)

    def _independent_items(self, winner: int) -> float:
        """Return how many independent items have the variance of the winner's score.

        Without groups these are all items. With groups they are at least as many as groups, where
        the items of a group are all alike, and at most all.
        """
        items = self.item_terms(winner)
        if not self.grouped:
            return float(len(items))
        alone = float(items.var()) * len(items)  # of the sum, were items independent
        together = float(np.square(self.unit_terms(winner)).sum())
        effect = together / alone if alone > 0.0 else np.inf
        return len(items) / min(max(effect, 1.0), len(items) / self.units)


class _AreaLaw(CountedLaw):
    """An AUC, a mean of several, or a concordance: a Beta distribution."""

    @cached_property
    def classes(self) -> tuple[float, float]:
        """The numbers of positives and negatives whose AUC varies like this score, at a value.

        The variance of an AUC is a A (1 - A) + b zeta with a = 1 / (m k), b = (m + k - 2) / (m k).
        The mean over views has the mean a and the mean b, at most: as if all went together. For a
        concordance every other event is a positive.
        """
        if self.law is Law.CONCORDANCE:
            assert self.pi.target.event is not None
            events = self.pi.target.count_effective(self.pi.target.event)
            half = max(events, 2.0) / 2.0
            return half, half
        if self.law is Law.AREA:
            negatives, positives = fewest_of_classes(self.pi)[:2].tolist()
            return positives, negatives
        assert isinstance(self.metric, RankMetric)
        target = self.pi.target
        sizes = [_sizes(view, target) for view in self.metric.views(target)]
        alone = float(np.mean([1.0 / (m * k) for m, k in sizes]))
        shared = float(np.mean([(m + k - 2.0) / (m * k) for m, k in sizes]))
        total = shared / alone + 2.0  # m + k
        root = np.sqrt(max(total**2 - 4.0 / alone, 0.0))
        return float(0.5 * (total - root)), float(0.5 * (total + root))

    def read(self, values: Array) -> Array:
        """Return values as areas, 1 being the best."""
        constant, slope = self.line
        return np.asarray((values - constant) / slope)

    @cached_property
    def line(self) -> tuple[float, float]:
        """What an area is multiplied by, and what is added, to give the metric."""
        return line_of(self.metric) if self.law is Law.AREA else (0.0, 1.0)

    @cached_property
    def trials(self) -> Array:
        """How many trials each area is worth: (C,)."""
        return binormal_trials(self.scores, *self.classes)

    def _limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        pooled = pooled_trials(self.scores, table, near)
        area = float(self.scores[winner])
        if self.law is Law.AREA:
            widening = max(1.0, self._spread_ratio(winner))
            if self.grouped:
                widening = max(widening, self._resampled_ratio(table, near))
        else:
            widening = self._resampled_ratio(table, near)
        if self.grouped and not np.isfinite(pooled):  # of perfect groups one is one trial
            pooled = float(self.units)
        crossed = sum(self.classes) if self.crossed else None
        return AreaLimits(area, *self.classes, widening, pooled, *self.line, crossed)

    def _resampled_ratio(self, table: Array, near: NDArray[np.bool_]) -> float:
        """Return the variance over resamples over the binormal one, the median of near-winners.

        1 where none of them varies.
        """
        variance = table.var(axis=0, ddof=1)
        used = near & (self.scores > 0.0) & (self.scores < 1.0) & (variance > SMALL_VARIANCE)
        if not used.any():
            return 1.0
        inside = np.clip(self.scores[used], INSIDE, 1.0 - INSIDE)
        return float(np.median(variance[used] / binormal_variance(inside, *self.classes)))

    def _spread_ratio(self, winner: int) -> float:
        """Return the variance of the winner's AUC over that of its distribution."""
        return spread_ratio(self.pi, winner, float(self.scores[winner]), *self.classes)

    def remarks(self, winner: int) -> Iterator[Caution]:
        """Yield cautions for few cases of a class, and for classes of unlike spread."""
        if self.law is Law.CONCORDANCE:
            return
        smaller = int(fewest_of_classes(self.pi).argmin())
        yield from _warn_of_few(self.pi, smaller, area=True)
        ratio = self._spread_ratio(winner) if self.law is Law.AREA else 1.0
        if ratio > WIDE:
            yield of_limits.spreads_unlike(ratio)


class _LossLaw(WinnerLaw):
    """A mean of losses without an upper bound: a Gamma distribution, for light tails only."""

    @cached_property
    def line(self) -> tuple[float, float, float]:
        """The constant, the slope and the power that make the metric of a mean loss."""
        if self.metric.greater_is_better:
            return 1.0, -1.0, 1.0
        assert isinstance(self.metric, MomentMetric)
        return 0.0, 1.0, 0.5 if self.metric.combine is root_mean else 1.0

    def read(self, values: Array) -> Array:
        """Return the mean losses."""
        constant, slope, power = self.line
        return np.asarray(np.maximum((values - constant) / slope, 0.0) ** (1.0 / power))

    def steady(self, values: Array) -> Array:
        """Return the negative logarithms of losses."""
        return np.asarray(-np.log(np.maximum(values, TINY)))

    def gaps(self, winner: int, score: float, others: Array, share: float) -> Array:
        """Return the gaps of logarithms, on whichever cases."""
        return np.maximum(
            self.steady(self.read(np.array(score))) - self.steady(self.read(others)), 0
        )

    def _limits(self, winner: int, table: Array, near: NDArray[np.bool_]) -> LimitSource:
        """Return the limits of a Gamma distribution with the relative spread of the near-winners.

        It is pooled, because the winner's own spread was selected along with it, and widened.
        """
        means = table.mean(axis=0)[near]
        size = _power_near(means)
        spread = float((table[:, near] / size).var(axis=0, ddof=1).sum())
        spread /= float(np.square(means / size).sum()) or 1.0
        spread *= 1.0 + UNSEEN * self.error_of_variance(winner)
        shape = 1.0 / max(spread, TINY)
        return LossLimits(float(self.scores[winner]), shape, *self.line)

    def objection(self, winner: int) -> Caution | None:
        """Return a caution for heavy tails or many equal losses, which no Gamma fits."""
        terms, masses = self.unit_terms(winner), self.pi.target.masses
        if masses is not None and self.pi.target.groups is None:  # losses as they are
            heavy = masses > 0.0
            terms = terms.mean() + (terms[heavy] - terms.mean()) / masses[heavy]
        losses = -self.metric.sign * terms
        if not self.scores[winner] > 0.0 or np.ptp(losses) == 0.0:
            return of_limits.losses_equal(1.0)
        least = losses.min()
        lumped = int(
            (losses <= least + (1e-12 * np.ptp(losses) if masses is not None else 0)).sum()
        )
        if lumped > max(1.0, LUMPED * len(losses)):  # of few units one is a large share
            return of_limits.losses_equal(lumped / len(losses))
        kurtosis = self.kurtosis(winner)
        if kurtosis > HEAVY:
            return of_limits.losses_heavy(kurtosis, HEAVY)
        return None


def _warn_of_few(pi: Predictions, code: int, *, area: bool) -> Iterator[Caution]:
    """Yield a caution where a class has few cases."""
    count = int(fewest_of_classes(pi)[code])
    if count < FEW_OF_A_CLASS:
        yield of_limits.few_for_the_winner(
            count, str(pi.target.classes[code]), FEW_OF_A_CLASS, area=area
        )


def _power_near(values: Array) -> float:
    """Return a power of two near the largest, which changes no digit: squares do not overflow."""
    return 2.0 ** int(np.frexp(np.abs(values).max(initial=0.0))[1])


def anscombe(shares: Array, trials: Array) -> Array:
    """Return shares (..., C) of trials (C,) on a scale on which their variance is steady."""
    size = trials + 0.75
    scaled = np.asarray(shares * (trials / size))
    scaled += 0.375 / size
    return np.asarray(np.arcsin(np.sqrt(scaled, out=scaled), out=scaled))


def _gaps(score: Array, others: Array, trials: float) -> Array:
    """Return how far shares are behind another of as many trials, on Anscombe's scale."""
    size = np.array(trials)
    return np.maximum(anscombe(score, size) - anscombe(others, size), 0.0)


def pooled_trials(scores: Array, table: Array, near: NDArray[np.bool_]) -> float:
    """Return how many trials a score is worth by its variance over resamples.

    It is the median over near-winners of s (1 - s) / variance, because the winner's own variance
    was selected along with it. It is infinite if none of them varies.
    """
    variance = table.var(axis=0, ddof=1)
    used = near & (scores > 0.0) & (scores < 1.0) & (variance > SMALL_VARIANCE)
    if not used.any():
        return np.inf
    return float(np.median(scores[used] * (1.0 - scores[used]) / variance[used]))


def overlapping_cases(terms: Array, shared: Array) -> Array:
    """Return the weight of the cases that are positive or predicted so: the trials of F1."""
    return np.asarray(terms[1] + shared[1] - terms[0])


def in_range(metric: Metric, values: Array) -> Array:
    """Return values as shares of the metric's range, 1 being the best."""
    low, high = metric.limits
    share = values if (low, high) == (0.0, 1.0) else (values - low) / (high - low)
    return np.asarray(share if metric.greater_is_better else 1.0 - share)


def count_used_repeats(pi: Predictions) -> int:
    """Return how many repeats have predictions."""
    return sum(bool(pi.cells[repeat].any()) for repeat in range(pi.n_repeats))


def fewest_of_classes(pi: Predictions) -> NDArray[np.int64]:
    """Return how many cases of each class the repeat with the fewest of it has tested: (K,).

    Cases of unlike weight count for as many of equal weight as they are worth, rounded down.
    """
    target = pi.target
    used = [pi.tested(repeat) for repeat in range(pi.n_repeats) if pi.cells[repeat].any()]
    if target.masses is None:
        counts = [np.bincount(target.y[rows], minlength=len(target.classes)) for rows in used]
        return np.asarray(np.min(counts, axis=0))
    worth = [
        [target.count_effective(rows & (target.y == code)) for code in range(len(target.classes))]
        for rows in used
    ]
    return np.asarray(np.min(worth, axis=0) + 1e-9).astype(np.int64)


def _sizes(view: View, target: Target) -> tuple[float, float]:
    """Return how many positives and negatives a view of a target has, at least one each."""
    positives, negatives = (target.count_effective(view.truth == side) for side in (1, 0))
    return max(positives, 1.0), max(negatives, 1.0)
