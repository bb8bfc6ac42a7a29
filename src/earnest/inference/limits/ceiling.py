"""Limits of scores near the best possible, where resamples are too sure of themselves.

If a configuration made no error, or few, resamples of its cases repeat those few: their quantiles
are a point at the best score, or too close to it. Twenty separated cases give an AUC of 1 in every
resample, but unseen cases may differ. The limits here come from the distribution of the score
instead. They fall as errors are added, so nothing jumps when the last error disappears.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    AreaLimits,
    EqualCaseLimits,
    LimitSource,
    NearWinnerLimits,
    ShareLimits,
    WidenedLimits,
    best_of,
    binormal_variance,
)
from earnest.core.results.specs import Side
from earnest.inference.cases.placements import spread_ratio
from earnest.inference.limits.contest import Contest, find_rivals
from earnest.inference.limits.local_level import DRAWS
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
    fewest_of_classes,
    in_range,
    law_of,
)
from earnest.kernels.score import score_selected
from earnest.metrics.families import Metric, MomentMetric, Need, RankMetric
from earnest.metrics.ranking import line_of
from earnest.metrics.responding import respond

MANY_ERRORS = 50.0  # above which out-of-bag limits were never inside those of the distribution
TAIL = 0.025  # at which the slope of a function of sums is taken
LEVELS = (0.8, 0.9, 0.95, 0.975, 0.99, 0.999)  # at which one limit is held against another
FEW_OF_A_CLASS = 5  # cases under which the normal model of an AUC is too sure
ROUNDING = 1e-9  # of the size of the values
FIRST_DRAWS = 250  # Gaussian draws that tell whether all of them are worth their time
STANDARD_ERRORS = 3.0  # of a share of these draws
HELD_LEVELS = (0.8, 0.95, 0.999)  # at which limits from these draws are held against others

Array = NDArray[np.float64]


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
    score = score_one(pi, metric) if contest is None else float(contest.scores[contest.winner])
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
        inner = inner if law is None else WidenedLimits.of(law, inner, end=bad_end(metric))
    if contest is None or contest.pi.n_configs == 1:
        return inner
    configs = contest.pi.n_configs
    rivals = find_rivals(contest, metric, trials)
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
    widened = WidenedLimits(source, (perfect,), end)
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
        return EqualCaseLimits(equal, pi.target.labelled_units, low, high)
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
    return WidenedLimits.of(limits, exact, end=bad_end(metric))


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
    most = target.labelled_units // 2
    if target.event is not None:
        most = min(most, int(most * _comparable(np.asarray(target.y, dtype=float), target.event)))
    elif len(target.classes):
        codes = range(len(target.classes))
        most = min(most, *(int(target.count_effective(target.y == code)) for code in codes))
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
    if pi.target.groups is not None or pi.target.surveyed:
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
    of_both = ShareLimits(score, _trials(pi, metric, score), low, high, exact=True)
    negatives, positives = max(negatives, 1), max(positives, 1)
    half, up = 0.5 * (high - low), metric.greater_is_better
    of_one = []
    for code, count in ((1, positives), (0, negatives)):
        recall = _recall(pi, code)
        start = score - half * recall if up else score - half * (1.0 - recall)
        of_one.append(ShareLimits(score, count, start, start + half, exact=True))
    return WidenedLimits(of_both, tuple(of_one), bad_end(metric))


def _recall(pi: Predictions, code: int) -> float:
    """Return which share of a class is labelled rightly, the mean over repeats."""
    shares = []
    for repeat in _list_used(pi):
        rows = pi.tested(repeat) & (pi.target.y == code)
        labels = respond(pi, Need.LABEL, pi.responses[rows, :, repeat])[:, 0]
        masses = None if pi.target.masses is None else pi.target.masses[rows]
        shares.append(float(np.average(labels == code, weights=masses)))
    return float(np.mean(shares))


def _mixed_limits(
    pi: Predictions, metric: MomentMetric, *, perfect: bool, score: float | None = None
) -> ShareLimits:
    """Return limits of a function of labels, by how many errors may have gone unseen, and which.

    The limit of their share is that of Clopper and Pearson. Their kinds are those that were seen
    plus one of the worst kind; for a perfect score all are of the worst kind. In between, the
    metric is treated as linear.
    """
    units = pi.target.labelled_units
    values, moved, shares = [], [], []
    for repeat in _list_used(pi):
        terms, shared = _features(pi, metric, repeat, perfect=perfect)
        rows = pi.tested(repeat)
        target = pi.target.take(np.flatnonzero(rows))
        labels = respond(pi, Need.LABEL, pi.responses[rows, :, repeat])[:, 0]
        wrong = np.zeros(len(labels), dtype=bool) if perfect else labels != target.y
        heavy = np.ones(len(labels)) if target.masses is None else target.masses
        share = float((wrong * heavy).sum() / heavy.sum())
        bound = 1.0 - ShareLimits(1.0 - share, units, exact=True).limits(1 - TAIL, Side.LOWER)[0]
        terms, shared = terms * heavy, shared * heavy
        rightly = float(heavy[~wrong].mean()) if (heavy[~wrong] > 0).any() else 0.0
        right = (
            [total / rightly for total in _mean(terms[:, ~wrong], shared[:, ~wrong])]
            if rightly
            else [0.0, 0.0]
        )
        seen = terms[:, wrong].sum(axis=1), shared[:, wrong].sum(axis=1)
        kinds = make_outcome_features(metric, target)
        count = float(heavy[wrong].sum()) + 1.0
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


def make_outcome_features(metric: MomentMetric, target: Target) -> tuple[Array, Array]:
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
    dependent = pi.target.groups is not None or pi.target.surveyed
    law = None if dependent else _find_law(metric, pi.target)
    if law is not None:
        distribution = WinnerLaw.of(law, pi, metric, np.array([score]))
        assert isinstance(distribution, CountedLaw)  # as all laws that `_find_law` returns
        return float(distribution.trials[0])
    if isinstance(metric, MomentMetric):
        return float(pi.target.labelled_units)
    return float(disjoint_pairs(pi.target))


def _crossed(pi: Predictions) -> float | None:
    """Return the number of cases that trained each other's models, None without folds."""
    return pi.target.count_effective() if pi.n_folds > 1 else None


def score_one(pi: Predictions, metric: Metric) -> float:
    """Return the score of the only configuration, over all cases."""
    ones = Weights.ones(pi.n_cases)
    return float(score_selected(pi, metric, ones, np.zeros(1, dtype=np.intp))[0])


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
        if target.masses is None:
            return positives, negatives
        return max(1, positives), max(1, negatives)
    positive = target.y == code
    if groups is None:
        first, second = (int(target.count_effective(side)) for side in (positive, ~positive))
        return (first, max(1, second)) if target.masses is None else (max(1, first), max(1, second))
    first, second = len(np.unique(groups[positive])), len(np.unique(groups[~positive]))
    share = target.effective_units / (first + second)
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
