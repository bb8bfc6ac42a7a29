"""Limits of scores near the best possible, where resamples are too sure of themselves.

If a configuration made no error, or few, resamples of its cases repeat those few: their quantiles
are a point at the best score, or too close to it. Twenty separated cases give an AUC of 1 in every
resample, but unseen cases may differ. The limits here come from the distribution of the score
instead. They fall as errors are added, so nothing jumps when the last error disappears.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    WIDTH_LEVEL,
    AreaLimits,
    EqualCaseLimits,
    LimitSource,
    NearWinnerLimits,
    NormalLimits,
    ShareLimits,
    WidenedLimits,
    best_of,
    binormal_variance,
)
from earnest.core.results.specs import Side
from earnest.inference.cases.case_values import CaseValues, case_values, mean_moments
from earnest.inference.cases.fold_variance import Variance, variance_of_mean
from earnest.inference.cases.placements import spread_ratio
from earnest.inference.limits.local_level import DRAWS, StandardisedScores, winner_errors
from earnest.inference.limits.unseen_errors import (
    ErrorCosts,
    allow_for_unseen_errors,
    is_loss_of_chances,
    unseen_error_limits,
)
from earnest.inference.limits.winner_law import (
    CountedLaw,
    Law,
    WinnerLaw,
    anscombe,
    fewest_of_classes,
    in_range,
    law_of,
)
from earnest.inference.resampling.resampled import choose_resampler, resample_statistic
from earnest.kernels.contest import RoughScores
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Metric, MomentMetric, Need, RankMetric
from earnest.metrics.ranking import line_of
from earnest.metrics.responding import respond
from earnest.resampling.bootstrap import UndefinedRule, out_of_bag_rule

MANY_ERRORS = 50.0  # above which out-of-bag limits were never inside those of the distribution
TAIL = 0.025  # at which the slope of a function of sums is taken
LEVELS = (0.8, 0.9, 0.95, 0.975, 0.99, 0.999)  # at which one limit is held against another
FEW_OF_A_CLASS = 5  # cases under which the normal model of an AUC is too sure
ROUNDING = 1e-9  # of the size of the values
RESAMPLES = 500  # from which the rivals of a winner are read
MOST_KEPT = 1 << 22  # scores of these resamples that a method may keep for it
FIRST_DRAWS = 250  # Gaussian draws that tell whether all of them are worth their time
STANDARD_ERRORS = 3.0  # of a share of these draws
HELD_LEVELS = (0.8, 0.95, 0.999)  # at which limits from these draws are held against others
CELLS = 1 << 15  # scores put on another scale at a time, which the cache holds
FEWEST = 40  # of them with a score of every configuration

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contest:
    """The configurations that one was chosen from, which its limits must allow for.

    Attributes
    ----------
    pi : Predictions
        All configurations.
    winner : int
        The one that was chosen.
    scores : ndarray, shape (C,)
        The scores that it was chosen by.
    seeds : Seeds
        The source of resamples, the same as those that the method itself draws.
    best_wins : bool
        Whether the best score wins; under another rule the level is that of the largest error.
    by_fold : bool
        Whether the scores are means over folds.
    inbag : ndarray, shape (b, C), optional
        The scores of all configurations in the first resamples, where the method has computed
        them on the way; else they are drawn and scored again.
    """

    pi: Predictions
    winner: int
    scores: Array
    seeds: Seeds
    best_wins: bool = True
    by_fold: bool = False
    n_jobs: int | None = None
    inbag: Array | None = None

    @classmethod
    def of(
        cls,
        pi: Predictions,
        winner: int,
        scores: Array,
        selector: Selector,
        seeds: Seeds,
        *,
        n_jobs: int | None = None,
        inbag: Array | None = None,
    ) -> Contest:
        """Make a contest from the rule that chose the winner."""
        best_wins = type(selector) in (Pooled, MeanOfFolds)  # a subclass has its own rule
        by_fold = selector.by_fold
        return cls(pi, winner, scores, seeds, best_wins, by_fold, n_jobs, inbag)

    def select_first(self, count: int, winner: int) -> Contest:
        """Return the contest of the first configurations, whose scores are columns of these."""
        if count == self.pi.n_configs:
            return replace(self, winner=winner)
        table = None if self.inbag is None else self.inbag[:, :count]
        first = self.pi.select(range(count))
        return replace(self, pi=first, winner=winner, scores=self.scores[:count], inbag=table)

    def with_table(self, metric: Metric) -> Contest:
        """Return the same contest with its table, if that is not too large to keep."""
        few = RESAMPLES * self.pi.n_configs <= MOST_KEPT
        return replace(self, inbag=self.table(metric)) if few else self

    def table(self, metric: Metric) -> Array:
        """Return the scores of all configurations in the first resamples: (b, C)."""
        table = self.inbag
        if table is None or len(table) < RESAMPLES:
            table = _score_resamples(self, metric)
        return table[:RESAMPLES]


class FirstScores:
    """The scores of all configurations in the first resamples of a method, kept on the way."""

    def __init__(self, configs: int) -> None:
        self._missing = RESAMPLES if RESAMPLES * configs <= MOST_KEPT else 0
        self._parts: list[Array] = []
        self._least_spread = np.zeros(configs)

    def __call__(self, scores: Array | RoughScores | None) -> None:
        """Keep what is still missing of the scores (b, C) of the next resamples, if they serve."""
        if scores is None:
            self._missing = 0
        if scores is None or not self._missing:
            return
        if isinstance(scores, RoughScores):
            self._least_spread = np.maximum(self._least_spread, scores.least_spread)
            scores = scores.values
        missing = scores[: self._missing]
        # A view holds on to all scores: to twice as many at most.
        self._parts.append(missing if 2 * len(missing) >= len(scores) else missing.copy())
        self._missing -= len(missing)

    @property
    def table(self) -> Array | None:
        """The scores (b, C); None where a method computes none, too many to keep or too roughly."""
        if sum(len(part) for part in self._parts) < RESAMPLES:
            return None
        table = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)
        if self._least_spread.any() and not (table.std(axis=0) >= self._least_spread).all():
            return None
        return table


def bad_end(metric: Metric) -> Side:
    """Return which end of an interval is the bad one."""
    return Side.LOWER if metric.greater_is_better else Side.UPPER


def limits_near_best(
    pi: Predictions,
    metric: Metric,
    value: float,
    contest: Contest | None = None,
    drawn: LimitSource | None = None,
) -> LimitSource | None:
    """Return limits whose pessimistic end holds near the best score; None if they would not matter.

    Parameters
    ----------
    pi : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float
        The corrected value, which limits always hold.
    contest : Contest, optional
        From what it was chosen; None for a configuration that was fixed in advance.
    drawn : LimitSource, optional
        The limits that these are meant to widen. If a first part of the Gaussian draws shows that
        they will not, the others are not drawn.
    """
    by_fold = contest is not None and contest.by_fold
    score = _score(pi, metric) if contest is None else float(contest.scores[contest.winner])
    if np.isnan(score) or not _in_law(pi, metric):
        return None
    trials = _trials(pi, metric, score)
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        inner: LimitSource = unseen_error_limits(pi, metric, crossed=_crossed(pi))
    else:
        if (1.0 - float(in_range(metric, np.array(score)))) * trials > MANY_ERRORS:
            return None
        inner = perfect_limits(pi, metric, by_fold=by_fold)
        law = _law_limits(pi, metric, score, by_fold=by_fold)
        inner = inner if law is None else WidenedLimits(law, inner, bad_end(metric))
    if contest is None or contest.pi.n_configs == 1:
        return inner
    configs = contest.pi.n_configs
    rivals = _find_rivals(contest, metric, trials)
    if rivals is None:
        return best_of(inner, configs, metric.greater_is_better)
    if drawn is not None and FIRST_DRAWS < DRAWS:
        rough = NearWinnerLimits(
            inner, value, bad_end(metric), configs, rivals.errors(contest, FIRST_DRAWS)
        )
        if _lies_within(rough, drawn):
            return rough
    return NearWinnerLimits(inner, value, bad_end(metric), configs, rivals.errors(contest, DRAWS))


def _lies_within(rough: NearWinnerLimits, drawn: LimitSource) -> bool:
    """Tell whether limits from a part of the Gaussian draws certainly lie inside others.

    Their level is taken at a tail that is smaller by `STANDARD_ERRORS` of a share of so few draws;
    where none are left beyond it, that is Bonferroni's.
    """
    assert rough.errors is not None
    side = 0 if rough.end is Side.LOWER else 1
    for level in HELD_LEVELS:
        tail = 1.0 - level
        less = tail - STANDARD_ERRORS * np.sqrt(tail * level / len(rough.errors))
        least = tail / rough.configs
        local = least if less <= 0.0 else max(least, rough.local_tail(float(less)))
        nearer = rough.inner.limits(1.0 - local, rough.end)[side]
        other = drawn.limits(level, rough.end)[side]
        if not (nearer > other if rough.end is Side.LOWER else nearer < other):
            return False
    return True


def never_beyond_perfect(
    source: LimitSource,
    pi: Predictions,
    metric: Metric,
    value: float,
    *,
    by_fold: bool = False,
    rivals: int = 1,
) -> LimitSource:
    """Return limits whose pessimistic end is never closer to the best than that of a perfect score.

    Those of a mean loss of probabilities allow for all unseen errors.

    Parameters
    ----------
    source : LimitSource
        The limits so far; they stay where they are further away at every level.
    pi : Predictions
        The configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float
        Its score.
    by_fold : bool
        Whether the score is a mean over folds.
    rivals : int
        From how many configurations it was chosen on these cases.
    """
    if np.isnan(value) or not _in_law(pi, metric):
        return source
    if is_loss_of_chances(metric):
        return allow_for_unseen_errors(source, pi, metric, rivals=rivals)
    perfect, end = perfect_limits(pi, metric, by_fold=by_fold), bad_end(metric)
    perfect = best_of(perfect, rivals, metric.greater_is_better)
    widened = WidenedLimits(source, perfect, end)
    decides = any(widened.decides(level, end) for level in LEVELS)
    return widened if decides else source


def is_best_possible(metric: Metric, value: float) -> bool:
    """Tell whether a value is the best that there is, but for rounding."""
    return abs(value - _best(metric)) <= ROUNDING


def no_error(metric: Metric, target: Target, rivals: int = 1) -> Caution:
    """Return the caution that the limits of a perfect score come from its distribution."""
    return of_limits.perfect_score(
        area=metric.area,
        pairs=None if metric.area or isinstance(metric, MomentMetric) else disjoint_pairs(target),
        rivals=rivals,
    )


def _best(metric: Metric) -> float:
    return metric.limits[1 if metric.greater_is_better else 0]


def perfect_limits(pi: Predictions, metric: Metric, *, by_fold: bool = False) -> LimitSource:
    """Return the limits of a configuration that made no error on such cases.

    An AUC assumes normal scores of equal spread in both classes, a mean over cases uses the rule of
    three, a function of labels what unseen errors of the worst kind would do to it. Other metrics
    have the exact limits of pairs that share no case. With groups, the units are groups.
    """
    (low, high), best = metric.limits, _best(metric)
    if metric.area:
        return _perfect_area(pi, metric, by_fold=by_fold)
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        return ErrorCosts.of(pi, metric).without_errors()
    if isinstance(metric, MomentMetric) and metric.mean_of_cases:
        equal = best if metric.needs is Need.LABEL else _commonest(pi, metric)[0]
        return EqualCaseLimits(equal, _units(pi.target), low, high)
    if isinstance(metric, MomentMetric):
        return _mixed_limits(pi, metric, perfect=True)
    return ShareLimits(best, disjoint_pairs(pi.target), low, high, exact=True)


def _perfect_area(pi: Predictions, metric: Metric, *, by_fold: bool) -> LimitSource:
    """Return the limits of an AUC of 1; with a handful of a class exact ones of pairs if wider."""
    limits = area_limits(pi, metric, 1.0, by_fold=by_fold)
    pairs = min(limits.positives, limits.negatives)
    if pairs >= FEW_OF_A_CLASS:
        return limits
    exact = ShareLimits(_best(metric), pairs, *metric.limits, exact=True)
    return WidenedLimits(limits, exact, bad_end(metric))


def area_limits(
    pi: Predictions, metric: Metric, area: float, *, by_fold: bool = False
) -> AreaLimits:
    """Return the limits of one AUC by its distribution, wider if it is a mean over folds.

    Pairs are then compared within folds, and fewer pairs carry less information near 1: the
    variance is widened by its ratio at the limit.
    """
    counts = _units_of_classes(pi)
    constant, slope = line_of(metric)
    limits = AreaLimits(area, *counts, 1.0, np.inf, constant, slope)
    if _find_law(metric, pi.target) is Law.AREA and 0.0 < area < 1.0:
        limits = replace(limits, widening=max(1.0, spread_ratio(pi, 0, area, *counts)))
    if not by_fold:
        return limits
    plain = replace(limits, constant=0.0, slope=1.0)
    low, high = plain.limits(1.0 - 2 * TAIL, Side.TWO_SIDED)
    at = np.array(low if low > 0.0 else high)  # an area of 0 has no variance
    pairs = [binormal_variance(at, *few) for few in _classes_of_folds(pi)]
    ratio = float(np.mean(pairs)) / len(pairs) / float(binormal_variance(at, *counts))
    return replace(limits, widening=limits.widening * max(1.0, ratio))


def disjoint_pairs(target: Target) -> int:
    """Return how many independent pairs of comparable cases there are, at least 1.

    For classes these are pairs of a case of the rarest class with another. For survival times,
    random pairs times the share of all pairs that can be compared.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.limits.ceiling import disjoint_pairs
    >>> disjoint_pairs(en.Predictions.from_arrays([0, 1, 0, 1, 0], [0.1] * 5).target)
    2
    """
    most = _units(target) // 2
    if target.event is not None:
        most = min(most, int(most * _comparable(np.asarray(target.y, dtype=float), target.event)))
    elif len(target.classes):
        most = min(most, int(np.bincount(target.y, minlength=len(target.classes)).min()))
    return max(1, most)


def _comparable(time: Array, event: NDArray[np.bool_]) -> float:
    """Return the share of pairs of which the earlier case had its event."""
    later = len(time) - np.searchsorted(np.sort(time), time[event], side="right")
    return float(later.sum()) / max(1, len(time) * (len(time) - 1) // 2)


def _in_law(pi: Predictions, metric: Metric) -> bool:
    """Tell whether there is a best score, and a distribution near it.

    A mean of bounded numbers has one if most of them are equal: the others are then a share.
    """
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        return True
    if not np.isfinite(metric.limits).all():
        return False
    if isinstance(metric, MomentMetric) and metric.needs is not Need.LABEL:
        return metric.mean_of_cases and _commonest(pi, metric)[1] >= 0.5
    return isinstance(metric, MomentMetric | RankMetric)


def _commonest(pi: Predictions, metric: MomentMetric) -> tuple[float, float]:
    """Return the commonest number that a case adds, and the share of cases that add it."""
    numbers = np.concatenate([_features(pi, metric, repeat)[0][0] for repeat in _list_used(pi)])
    values, counts = np.unique(np.round(numbers, 12), return_counts=True)
    return float(values[counts.argmax()]), float(counts.max()) / len(numbers)


def _find_law(metric: Metric, target: Target) -> Law | None:
    """Return the distribution of a share, a mean of two shares or one AUC; None for the others."""
    law = law_of(metric, target)
    of_two = law in (Law.AREA, Law.MEAN_OF_SHARES) and len(target.classes) == 2
    return law if law is Law.SHARE or of_two else None


def _law_limits(
    pi: Predictions, metric: Metric, score: float, *, by_fold: bool
) -> LimitSource | None:
    """Return the limits of a score that is not perfect; None if only a perfect one has any."""
    if pi.target.groups is not None:
        return None
    law, (low, high) = _find_law(metric, pi.target), metric.limits
    if law is Law.AREA:
        area = float(in_range(metric, np.array(score)))
        return area_limits(pi, metric, area, by_fold=by_fold)
    if law is Law.SHARE:
        return ShareLimits(score, _trials(pi, metric, score), low, high, exact=True)
    if law is Law.MEAN_OF_SHARES:
        return _mean_of_shares(pi, metric, score)
    if isinstance(metric, MomentMetric) and metric.needs is Need.LABEL:
        return _mixed_limits(pi, metric, perfect=False, score=score)
    return None


def _mean_of_shares(pi: Predictions, metric: Metric, score: float) -> LimitSource:
    """Return limits of the mean of two shares: the outermost of three.

    The unseen errors may all be of one class or the other, or of both; in that case the mean is
    worth as many trials as its variance corresponds to.
    """
    low, high = metric.limits
    negatives, positives = fewest_of_classes(pi).tolist()
    source: LimitSource = ShareLimits(score, _trials(pi, metric, score), low, high, exact=True)
    half, up = 0.5 * (high - low), metric.greater_is_better
    for code, count in ((1, positives), (0, negatives)):
        recall = _recall(pi, code)
        start = score - half * recall if up else score - half * (1.0 - recall)
        share_limits = ShareLimits(score, count, start, start + half, exact=True)
        source = WidenedLimits(source, share_limits, bad_end(metric))
    return source


def _recall(pi: Predictions, code: int) -> float:
    """Return which share of a class is labelled rightly, the mean over repeats."""
    shares = []
    for repeat in _list_used(pi):
        rows = pi.tested(repeat) & (pi.target.y == code)
        labels = respond(pi, Need.LABEL, pi.responses[rows, :, repeat])[:, 0]
        shares.append(float(np.mean(labels == code)))
    return float(np.mean(shares))


def _mixed_limits(
    pi: Predictions, metric: MomentMetric, *, perfect: bool, score: float | None = None
) -> ShareLimits:
    """Return limits of a function of labels, by how many errors may have gone unseen, and which.

    The limit of their share is that of Clopper and Pearson. Their kinds are those that were seen
    plus one of the worst kind; for a perfect score all are of the worst kind. In between, the
    metric is treated as linear.
    """
    units = _units(pi.target)
    values, moved, shares = [], [], []
    for repeat in _list_used(pi):
        terms, shared = _features(pi, metric, repeat, perfect=perfect)
        rows = pi.tested(repeat)
        target = pi.target.take(np.flatnonzero(rows))
        labels = respond(pi, Need.LABEL, pi.responses[rows, :, repeat])[:, 0]
        wrong = np.zeros(len(labels), dtype=bool) if perfect else labels != target.y
        share = float(wrong.mean())
        bound = 1.0 - ShareLimits(1.0 - share, units, exact=True).limits(1 - TAIL, Side.LOWER)[0]
        right = _mean(terms[:, ~wrong], shared[:, ~wrong]) if (~wrong).any() else (0.0, 0.0)
        seen = terms[:, wrong].sum(axis=1), shared[:, wrong].sum(axis=1)
        kinds = _kinds(metric, target)
        count = float(wrong.sum()) + 1.0
        bad = (
            (seen[0][:, None, None] + kinds[0]) / count,
            (seen[1][:, None, None] + kinds[1]) / count,
        )
        tried = metric.combine(
            (1.0 - bound) * right[0] + bound * bad[0], (1.0 - bound) * right[1] + bound * bad[1]
        )[:, 0]
        worst = np.nanmin(tried) if metric.greater_is_better else np.nanmax(tried)
        middle = _mean(terms, shared)
        values.append(float(metric.combine(*middle)[0, 0]))
        moved.append((values[-1] - float(worst)) / (bound - share) if bound > share else 0.0)
        shares.append(share)
    value = float(np.mean(values)) if score is None else score
    slope, share = float(np.mean(moved)), float(np.mean(shares))
    if slope == 0.0:  # no error moves the metric
        return ShareLimits(value, units, value, value + 1e-12, exact=True)
    ends = value - slope * (1.0 - share), value + slope * share  # all errors, and none
    return ShareLimits(value, units, min(ends), max(ends), exact=True)


def _mean(terms: Array, shared: Array) -> tuple[Array, Array]:
    """Return mean moments as `combine` takes them: (m, 1, 1) and (s, 1, 1)."""
    return terms.mean(axis=1)[:, None, None], shared.mean(axis=1)[:, None, None]


def _features(
    pi: Predictions, metric: MomentMetric, repeat: int, *, perfect: bool = False
) -> tuple[Array, Array]:
    """Return the features of the cases of a repeat: own (m, n) and shared (s, n)."""
    rows = np.flatnonzero(pi.tested(repeat))
    target = pi.target.take(rows)
    response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
    features = metric.features(target, target.y[:, None] if perfect else response, None)
    return features.own[:, :, 0].astype(np.float64), np.atleast_2d(features.shared).astype(
        np.float64
    )


def _kinds(metric: MomentMetric, target: Target) -> tuple[Array, Array]:
    """Return the features of a case of each true and predicted class: (m, K², 1), (s, K², 1)."""
    count = len(target.classes)
    truth, labels = np.divmod(np.arange(count**2), count)
    features = metric.features(
        Target(y=truth, task=target.task, classes=target.classes), labels[:, None], None
    )
    shared = np.atleast_2d(features.shared).astype(np.float64)[:, :, None]
    return features.own.astype(np.float64), shared


def _trials(pi: Predictions, metric: Metric, score: float) -> float:
    """Return how many independent outcomes a score is worth."""
    law = None if pi.target.groups is not None else _find_law(metric, pi.target)
    if law is not None:
        distribution = WinnerLaw.of(law, pi, metric, np.array([score]))
        assert isinstance(distribution, CountedLaw)  # as all laws that `_find_law` returns
        return float(distribution.trials[0])
    if isinstance(metric, MomentMetric):
        return float(_units(pi.target))
    return float(disjoint_pairs(pi.target))


@dataclass(frozen=True, eq=False)
class _Rivals:
    """The scores of the resamples and of the sample itself (C,), on a steady scale."""

    table: StandardisedScores
    scores: Array
    winner: int

    def errors(self, contest: Contest, draws: int) -> Array:
        """Return the errors of those who win, rising: (draws,)."""
        rng = contest.seeds.generator(Purpose.LOCAL_LEVEL)
        best_wins = contest.best_wins
        return winner_errors(
            self.table, self.scores, self.winner, rng, best_wins=best_wins, draws=draws
        ).errors


def _find_rivals(contest: Contest, metric: Metric, trials: float) -> _Rivals | None:
    """Return how all configurations did in resamples, None where most leave scores undefined."""
    table = contest.table(metric)
    finite = np.isfinite(table)
    defined = finite.any(axis=0) & np.isfinite(contest.scores)
    if not defined[contest.winner]:
        return None
    if not (defined.all() and finite.all()):  # else there is nothing to leave out
        table = table[:, defined]
        table = table[np.isfinite(table).all(axis=1)]
    if len(table) < FEWEST:
        return None
    scores = contest.scores[defined]
    if is_loss_of_chances(metric):
        steady, goodness = _steady_losses(table), _steady_losses(scores)
    else:
        good = in_range(metric, scores)
        worth = np.full(len(good), trials)
        steady = steady_scores(metric, table, worth, workers(contest.n_jobs))
        goodness = anscombe(np.clip(good, 0.0, 1.0), worth)
    return _Rivals(
        StandardisedScores.of(steady, overwrite=True),
        goodness,
        int(defined[: contest.winner].sum()),
    )


def _crossed(pi: Predictions) -> float | None:
    """Return the number of cases that trained each other's models, None without folds."""
    return float(pi.n_cases) if pi.n_folds > 1 else None


def _steady_losses(losses: Array) -> Array:
    """Return losses on the scale of roots, on which counts of errors have a steady variance."""
    return np.asarray(-np.sqrt(np.maximum(losses, 0.0)))


def steady_scores(metric: Metric, table: Array, worth: Array, jobs: int) -> Array:
    """Return scores (B, C) on the scale on which their variance is steady, some rows per thread."""
    out = np.empty_like(table)

    def fill(rows: slice) -> None:
        out[rows] = anscombe(in_range(metric, table[rows]), worth)

    step = max(1, min(-(-len(table) // jobs), CELLS // len(worth)))
    each(fill, [slice(start, start + step) for start in range(0, len(table), step)], jobs)
    return out


def _score_resamples(contest: Contest, metric: Metric) -> Array:
    """Return the scores of all configurations in the resamples that the method itself draws."""
    pi = contest.pi

    def scored(weights: Weights) -> Array:
        return score_table(pi, metric, weights, n_jobs=contest.n_jobs)

    return resample_statistic(
        scored,
        pi.target,
        choose_resampler(None, pi.target, UndefinedRule.REDRAW),
        RESAMPLES,
        contest.seeds,
        accept=out_of_bag_rule(metric, pi.target, UndefinedRule.REDRAW),
        redraw=False,
        columns=pi.n_configs,
        n_jobs=contest.n_jobs,
    )  # (B, C)


def _score(pi: Predictions, metric: Metric) -> float:
    ones = Weights.ones(pi.n_cases)
    return float(score_selected(pi, metric, ones, np.zeros(1, dtype=np.intp))[0])


def _units(target: Target) -> int:
    return target.n if target.groups is None else len(np.unique(target.groups))


def _list_used(pi: Predictions) -> list[int]:
    return [repeat for repeat in range(pi.n_repeats) if pi.cells[repeat].any()]


def _units_of_classes(pi: Predictions) -> tuple[int, int]:
    """Return how many independent cases there are of the rarest class, and of the others.

    With groups a unit serves one class: those of both are shared out.
    """
    target, groups = pi.target, pi.target.groups
    code = _rarest(target)
    if groups is None and len(target.classes) == 2:
        negatives, positives = fewest_of_classes(pi).tolist()
        return positives, negatives
    positive = target.y == code
    if groups is None:
        return int(positive.sum()), max(1, int((~positive).sum()))
    first, second = len(np.unique(groups[positive])), len(np.unique(groups[~positive]))
    share = len(np.unique(groups)) / (first + second)
    return max(1, int(first * share)), max(1, int(second * share))


def _rarest(target: Target) -> int:
    """Return the positive class of two, else the rarest one that there is."""
    counts = np.bincount(target.y, minlength=len(target.classes))
    return 1 if len(counts) == 2 else int(np.where(counts > 0, counts, target.n + 1).argmin())


def _classes_of_folds(pi: Predictions) -> list[tuple[int, int]]:
    """Return how many cases of the rarest class and of the others each fold of a repeat has."""
    counts = _units_of_classes(pi)
    folds, positive = pi.folds[:, _list_used(pi)[0]], pi.target.y == _rarest(pi.target)
    by_fold = [
        (int((positive & (folds == fold)).sum()), int((~positive & (folds == fold)).sum()))
        for fold in np.unique(folds[folds >= 0])
    ]
    total = sum(first for first, _ in by_fold), sum(second for _, second in by_fold)
    scale = counts[0] / max(1, total[0]), counts[1] / max(1, total[1])
    return [
        (max(1, int(first * scale[0])), max(1, int(second * scale[1])))
        for first, second in by_fold
        if first and second
    ] or [counts]


NEAR_BEST = 0.9  # of the range of a metric
MOSTLY = 0.9  # a share of equal draws that is worth a caution


def with_spread(
    source: LimitSource,
    pi: Predictions,
    metric: Metric,
    *,
    value: float,
    contest: Contest | None = None,
    by_law: bool = True,
    by_fold: bool = False,
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return limits that allow for unseen errors, and what to say about them.

    Near the best score, the pessimistic end is the outer one of the resampled limit and the limit
    by the distribution of the score. If the draws are all equal elsewhere, the limits are those for
    unseen cases.

    Parameters
    ----------
    source : LimitSource
        The limits so far.
    pi : Predictions
        The chosen configuration on the cases that judge it.
    metric : Metric
        What is measured.
    value : float
        The corrected value.
    contest : Contest, optional
        What it was chosen from on these cases, so that the pessimistic end holds for whichever won.
    by_law : bool
        Whether to use the distribution for any number of errors; otherwise no limit is closer to
        the best than that of a perfect score.
    by_fold : bool
        Without a contest: whether the value is a mean over folds.
    """
    width = source.has_width
    if by_law:
        near = limits_near_best(pi, metric, value, contest, source if width else None)
        widened = source if near is None else WidenedLimits(source, near, bad_end(metric))
    else:
        widened = never_beyond_perfect(source, pi, metric, value, by_fold=by_fold)
    if width:
        return widened, (*_mostly_equal(source.draws, widened), *_near_best(widened, metric, value))
    if widened is not source and is_best_possible(metric, value):
        rivals = 1 if contest is None else contest.pi.n_configs
        return widened, (no_error(metric, pi.target, rivals),)
    rivals = 1 if contest is None or widened is not source else contest.pi.n_configs
    floor, remark = unseen_limits(pi, metric, rivals)
    floor = best_of(floor, rivals, metric.greater_is_better)
    return WidenedLimits(widened, floor), (remark,)


def unseen_limits(pi: Predictions, metric: Metric, rivals: int = 1) -> tuple[LimitSource, Caution]:
    """Return what can be said of a metric where the cases of one configuration show no spread.

    The limits are those of the one; the caution counts the rivals that it was chosen from.
    """
    try:
        cases = case_values(pi, metric)
    except EarnestError:  # a metric that no case has a part of, or too few cases for its parts
        return _pair_limits(pi, metric, rivals)
    return limits_without_spread(pi, cases, metric, rivals)


def _pair_limits(pi: Predictions, metric: Metric, rivals: int) -> tuple[LimitSource, Caution]:
    """Return the exact limits of pairs that share no case, or open ones without a finite range."""
    pairs = disjoint_pairs(pi.target)
    value = _score(pi, metric)
    low, high = metric.limits
    if not np.isfinite([low, high]).all():
        return EqualCaseLimits(value, pi.n_cases, low, high), of_limits.draws_equal(None, rivals)
    return ShareLimits(value, pairs, low, high, exact=True), of_limits.draws_equal(pairs, rivals)


def _mostly_equal(draws: NDArray[np.float64] | None, limits: LimitSource) -> Iterator[Caution]:
    valid = np.empty(0) if draws is None else draws[~np.isnan(draws)]
    if len(valid) == 0 or isinstance(limits, WidenedLimits):
        return
    _, counts = np.unique(valid, return_counts=True)
    if counts.max() >= MOSTLY * len(valid):
        yield of_limits.draws_mostly_equal(float(counts.max() / len(valid)))


def _near_best(limits: LimitSource, metric: Metric, value: float) -> Iterator[Caution]:
    """Yield a note if few errors would put the pessimistic limit too close to the score."""
    if not isinstance(limits, WidenedLimits) or not limits.decides(WIDTH_LEVEL, Side.TWO_SIDED):
        return
    side = 0 if metric.greater_is_better else 1
    end = limits.drawn.limits(WIDTH_LEVEL, Side.TWO_SIDED)[side]
    if float(in_range(metric, np.array(value))) >= NEAR_BEST and np.isfinite(end):
        yield of_limits.near_best(float(end))


def limits_without_spread(
    pi: Predictions, cases: CaseValues, metric: Metric, rivals: int = 1
) -> tuple[LimitSource, Caution]:
    """Return limits and a caution where the variance of one configuration is 0.

    If cases do vary, between folds or within groups, their variance over all pairs is used.
    Otherwise the limits say how large a share of different cases (or groups) may have gone unseen,
    and what these would do to the metric.
    """
    value, units = float(cases.value[0]), cases.n_units
    for groups in (cases.groups, None):
        variance = variance_of_mean(cases.spread, cases.folds, groups, Variance.ALL_PAIRS)[0]
        if variance > 0.0:
            return NormalLimits(value, float(variance) ** 0.5), of_limits.spread_elsewhere(
                "case" if groups is None else "group", rivals
            )
    by_fold = len(np.unique(cases.folds[cases.folds >= 0])) > 1
    if cases.kind == "placements" and is_best_possible(metric, value):
        return perfect_limits(pi, metric, by_fold=by_fold), no_error(metric, pi.target, rivals)
    if cases.kind == "placements":
        pairs = max(1, min(independent_pairs(pi, cases), units // 2))
        return ShareLimits(value, pairs, *metric.limits, exact=True), of_limits.order_in_every_fold(
            pairs, rivals
        )
    low, high = metric.limits if cases.kind == "pointwise" else reach(pi, metric, value, units)
    source = EqualCaseLimits(value, units, low, high)
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        costs = ErrorCosts.of(pi, metric)
        source = costs.without_errors() if costs.unseen > 0.0 else source
    return source, of_limits.cases_equal(rivals)


def independent_pairs(pi: Predictions, cases: CaseValues) -> int:
    """Return how many pairs of unlike class can be made in folds without using a case twice.

    Such pairs are independent, and each is in order with the AUC of its fold as its probability.
    """
    fewest = pi.n_cases
    for folds in cases.folds.T:
        members = [
            np.bincount(folds[(pi.target.y == code) & (folds >= 0)], minlength=folds.max() + 1)
            for code in range(len(pi.target.classes))
        ]
        fewest = min(fewest, int(np.min(members, axis=0).sum()))
    return fewest


def reach(pi: Predictions, metric: Metric, value: float, units: int) -> tuple[float, float]:
    """Return where the metric would be if all cases were as bad, or as good, as unseen ones may be.

    The share of unseen cases is that of a 95 % limit, and each pair of a true and a predicted class
    is tried for them. Nothing bounds what an unseen value of a regression does.
    """
    assert isinstance(metric, MomentMetric)
    if metric.needs is not Need.LABEL or metric.centre is not None:
        return -np.inf, np.inf
    share = 1.0 - TAIL ** (1.0 / units)
    moved = [_with_unlike(pi, metric, repeat, share) for repeat in range(pi.n_repeats)]
    slopes = (np.mean(moved, axis=0) - value) / share
    return value + float(min(slopes.min(), 0.0)), value + float(max(slopes.max(), 0.0))


def _with_unlike(
    pi: Predictions, metric: MomentMetric, repeat: int, share: float
) -> NDArray[np.float64]:
    """Return the metric with a share of the weight on each pair of true and predicted class."""
    terms, shared = mean_moments(pi, metric, repeat)
    unlike, common = _kinds(metric, pi.target)
    weight = 1.0 - share
    return metric.combine(weight * terms + share * unlike, weight * shared + share * common)[:, 0]
