"""What a search gained, from the scores of its folds alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_search
from earnest.core.data.fold_scores import FoldScores
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, by_severity, list_finite
from earnest.core.results.gain import Gain
from earnest.core.results.interval import Ask, DrawnLimits, Interval
from earnest.core.results.specs import Side
from earnest.inference.curves.prefixes import Order
from earnest.inference.limits.fold_scores import limits_of_folds
from earnest.inference.resampling.fold_draws import (
    FoldDraws,
    are_enumerated,
    resample_folds,
    split_by_repeat,
)
from earnest.kernels.score import fold_repeats, fold_scores
from earnest.metrics.families import Metric

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prefixes:
    """How the winners of the first 1, 2, ... configurations are chosen, and what each scores.

    Parameters
    ----------
    order : Order
        As they were tried, or the mean over all orders.
    """

    order: Order

    def follow(self, chosen_by: Array, scored_by: Array) -> Array:
        """Return the score (b, C) of the winner of each prefix; gains (b, C) both."""
        if self.order is Order.TRIED:
            return np.take_along_axis(scored_by, _find_leaders(chosen_by), axis=1)
        ranked = np.argsort(-chosen_by, axis=1, kind="stable")
        return np.asarray(np.take_along_axis(scored_by, ranked, axis=1) @ _chances(ranked.shape[1]))

    def start(self, scored_by: Array) -> Array:
        """Return the score (b,) of the start: the first one, or one chosen blindly."""
        first = scored_by[:, 0] if self.order is Order.TRIED else scored_by.mean(axis=1)
        return np.asarray(first)


def _find_leaders(gains: Array) -> NDArray[np.intp]:
    """Return which of the first k is the best (b, C), the first of those that tie."""
    best = np.maximum.accumulate(gains, axis=1)
    before = np.concatenate([np.full((len(gains), 1), -np.inf), best[:, :-1]], axis=1)
    places = np.where(gains > before, np.arange(gains.shape[1]), 0)
    return np.asarray(np.maximum.accumulate(places, axis=1))


def _chances(count: int) -> Array:
    """Return the chance (rank, k) that the best of k out of `count`, taken blindly, has a rank.

    Rank j is the best if it is taken and the other k - 1 are among the worse: C(count - j - 1, k -
    1) / C(count, k).
    """
    rank, taken = np.arange(count)[:, None], np.arange(1, count + 1)[None]
    worse = count - rank - 1

    def log_choose(n: NDArray[np.intp], k: NDArray[np.intp]) -> Array:
        inner = np.where(k <= n, n - k, 0)
        return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(inner + 1.0))

    logs = log_choose(worse, taken - 1) - log_choose(np.full_like(taken, count), taken)
    return np.where(taken - 1 <= worse, np.exp(logs), 0.0)


def gain_of_folds(
    scores: FoldScores,
    metric: Metric,
    seeds: Seeds,
    *,
    order: Order,
    ask: Ask,
    n_resamples: int,
) -> Gain:
    """Return the gain of a search from the scores of its folds.

    The last corrected score is that of `bbc_fold` on the same draws.
    """
    given = scores.table
    pi = given.usable()
    table = fold_scores(pi, metric)[:, 0]
    usable = ~np.isnan(table).all(axis=1)
    gains = metric.sign * table[usable]
    tables = split_by_repeat(gains, fold_repeats(pi)[usable])
    if not tables:
        raise EvidenceError("a gain needs two folds", needs="the scores of two folds", got="one")
    prefixes, exact = Prefixes(order), are_enumerated(tables)
    drawn = resample_folds(tables, seeds, n_resamples=n_resamples, exact=exact)
    along, start = zip(*(_follow(prefixes, each) for each in drawn), strict=True)
    curve, first = np.concatenate(along), np.concatenate(start)  # (B, C), (B,)
    means = gains.mean(axis=0)[None]
    naive = prefixes.follow(means, means)[0]
    corrected = curve.mean(axis=0)
    begin = float(first.mean())
    value, seeming = float(corrected[-1]) - begin, float(naive[-1] - prefixes.start(means)[0])
    ahead = DrawnLimits(curve[:, -1] - first)
    last = int(_find_leaders(means)[0, -1])
    held = [table[:, last] for table in tables]
    source, remarks = limits_of_folds(scores, DrawnLimits(curve[:, -1]), held, float(corrected[-1]))
    interval = None
    if source is not None and pi.n_configs > 1:
        level, side = ask.confidence_level, Side.TWO_SIDED
        low, high = ahead.limits(level, side)
        interval = Interval(low, high, level, str(side)).reaching(value)
    ends = [DrawnLimits(metric.sign * column) for column in curve.T]
    both = np.array([each.limits(ask.confidence_level, ask.side) for each in ends])
    both = both if source is not None else np.full_like(both, np.nan)
    best = last if order is Order.TRIED else None
    return Gain(
        value=value,
        interval=interval,
        standard_error=None,
        seeming=seeming,
        scale=metric.scale,
        order=str(order),
        naive=list_finite(metric.sign * naive),
        corrected=list_finite(metric.sign * corrected),
        marks=tuple(range(1, pi.n_configs + 1)),
        low=list_finite(both[:, 0]),
        high=list_finite(both[:, 1]),
        first=pi.configs.ids[0] if order is Order.TRIED else None,
        winner=None if best is None else pi.configs.ids[best],
        n_cases=int(usable.sum()),
        n_configs=pi.n_configs,
        n_resamples=len(curve),
        confidence_level=ask.confidence_level,
        cautions=by_severity([*remarks, *_list_remarks(scores, pi.configs.static, pi.n_configs)]),
        provenance=Provenance(
            seed=seeds.entropy,
            fingerprint=scores.fingerprint,
            n_folds=pi.n_folds,
            n_repeats=pi.n_repeats,
            knobs={"n_resamples": n_resamples, "order": str(order)},
            versions=list_versions(),
        ),
        units="folds",
    )


def _follow(prefixes: Prefixes, drawn: FoldDraws) -> tuple[Array, Array]:
    """Return what the winners of all prefixes score on the folds left out, and what the start."""
    inbag = drawn.counts @ drawn.scores / len(drawn.scores)
    left_out = (drawn.counts == 0).astype(np.float64)
    outside = left_out @ drawn.scores / left_out.sum(axis=1, keepdims=True)
    along, start = prefixes.follow(inbag, outside), prefixes.start(outside)
    return np.repeat(along, drawn.times, axis=0), np.repeat(start, drawn.times)


def _list_remarks(scores: FoldScores, static: bool, configs: int) -> list[Caution]:
    dynamic = [] if static or configs == 1 else [of_search.dynamic_gain()]
    return [
        *dynamic,
        *scores.list_remarks(),
        of_search.predictions_would_add(scores.splits.assumed),
    ]
