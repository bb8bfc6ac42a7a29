"""Scores of items that were computed elsewhere, summed up: mean, quantile, ratio, win rate."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from earnest.core.arguments.shared import TASKS
from earnest.core.base.arrays import Numbers, finite_range
from earnest.core.base.errors import InputError
from earnest.core.data.fold_scores import UNNAMED, FoldScores
from earnest.core.data.measure import OF_JUDGEMENTS, OF_SAMPLES, Aggregate, Measure, Rule
from earnest.core.data.scores import Scores
from earnest.core.data.target import Target, Task
from earnest.core.text.doors import arg
from earnest.metrics.families import (
    METRICS,
    SCORES,
    Array,
    Metric,
    MomentMetric,
    Moments,
    Need,
    RankMetric,
    mean,
    mean_metric,
    mean_share,
    one_per_case,
    ones,
    outcome_view,
    ratio,
    share_metric,
)
from earnest.metrics.ranking import weighted_quantile
from earnest.metrics.resolve import metric as resolve_metric

ROUNDS = 500  # of Bradley and Terry's fit, at most
CLOSE = 1e-10  # of strengths, at which the fit ends
PRIOR = 0.005  # of the mean number of judgements: wins, and losses, against an average rival


def settle_metric(evidence: object, metric: object) -> tuple[Any, Metric]:
    """Return evidence as methods take it, and the metric: that of scores where none is named.

    Scores become predictions of a task of their own, and `metric` may name another way to sum them
    up. All other evidence is returned as it is, with the metric on its task.
    """
    if isinstance(evidence, FoldScores):
        return _settle_folds(evidence, metric)
    if isinstance(evidence, Scores):
        if isinstance(metric, str):
            return settle_metric(evidence.summed_up(metric).predictions, None)
        return settle_metric(evidence.predictions, metric)
    target: Target | None = getattr(evidence, "target", None)
    measure = None if target is None else target.measure
    if measure is None:
        if metric is None:
            raise InputError(
                f"{arg('metric')} is missing",
                needs="what to measure, such as 'accuracy'",
                cure="`earnest metrics` lists them.",
            )
        measured = resolve_metric(metric)
        return evidence, measured if target is None else measured.on(target.task)
    if metric is None:
        return evidence, make_score_metric(measure)
    if isinstance(metric, str):
        return evidence, make_score_metric(_sum_up_otherwise(measure, Rule.of(metric)))
    return evidence, resolve_metric(metric).on(Task.SCORES)


def _settle_folds(scores: FoldScores, metric: object) -> tuple[FoldScores, Metric]:
    """Return the fold scores of a metric, with the direction and range of the metric's name."""
    if metric is not None and not isinstance(metric, str | Metric):
        raise InputError(
            "scores of folds have the metric of the search",
            needs=f"{arg('metric')} by name, one of {', '.join(scores.list_metrics())}",
            got=type(metric).__name__,
            cure="Another one needs the predictions: search with earnest.SearchCV.",
        )
    word = metric.name if isinstance(metric, Metric) else metric
    if word is None and not scores.settled:
        raise InputError(
            "the search has several scores",
            needs=f"{arg('metric')}, one of {', '.join(scores.list_metrics())}",
        )
    chosen = scores if word is None else scores.pick(word)
    measure = chosen.measure
    if measure.name in METRICS and measure.limits == (-math.inf, math.inf):
        standard, values = METRICS[measure.name], chosen.values
        named_now = scores.measure.name == UNNAMED and measure.name != UNNAMED
        low, high = finite_range(values)
        if named_now and not standard.greater_is_better and high <= 0.0 and low < 0.0:
            values, (low, high) = -values, (-high, -low)  # a scorer negates a loss
        agrees = named_now or standard.greater_is_better is measure.greater_is_better
        if agrees and standard.limits[0] <= low and high <= standard.limits[1]:
            measure = replace(
                measure,
                name=standard.name,
                greater_is_better=standard.greater_is_better,
                limits=standard.limits,
            )
            chosen = replace(chosen, measure=measure, values=values)
    return chosen, make_score_metric(measure)


def _sum_up_otherwise(measure: Measure, rule: Rule) -> Measure:
    """Return the same scores summed up otherwise, where the items still tell it."""
    fixed = (*OF_SAMPLES, *OF_JUDGEMENTS, Aggregate.RATIO)
    if rule == measure.rule:
        return measure
    if rule.kind in fixed or measure.rule.kind in fixed:
        raise InputError(
            f"{str(rule)!r} cannot be computed from scores summed up by {str(measure.rule)!r}",
            needs=repr(str(measure.rule)),
            cure=f"Read the scores with that {arg('aggregate')}.",
        )
    if rule.kind is Aggregate.MACRO and not measure.weights:
        raise InputError("the mean over tasks needs tasks", cure=f"Read the scores with {TASKS}.")
    return replace(measure, rule=rule)


def make_score_metric(measure: Measure) -> Metric:
    """Return what scores are summed up to as a metric.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.metrics.scores import make_score_metric
    >>> scores = en.Scores([[0, 1], [1, 1], [0, 0]])
    >>> make_score_metric(scores.measure).title
    'mean score'
    """
    kind = measure.rule.kind
    about: dict[str, Any] = {
        "name": measure.title,
        "title": measure.title,
        "greater_is_better": measure.greater_is_better,
        "limits": measure.limits,
        "needs": Need.VALUE,
        "tasks": SCORES,
    }
    if kind in (Aggregate.MEDIAN, Aggregate.QUANTILE):
        level = 0.5 if kind is Aggregate.MEDIAN else measure.rule.number
        scan = partial(quantile_scan, level=level)
        return RankMetric(**about, views=outcome_view, scan=scan)
    if kind is Aggregate.MACRO:
        weights = np.array(measure.weights)
        return MomentMetric(
            **about,
            features=partial(by_task, count=len(weights)),
            combine=partial(mean_over_tasks, weights=weights),
        )
    if kind in (Aggregate.RATIO, Aggregate.WIN_RATE):
        return MomentMetric(**about, features=two_numbers, combine=ratio_of_sums)
    if kind is Aggregate.BRADLEY_TERRY:
        count = int(measure.rule.number)
        return MomentMetric(
            **about,
            features=partial(judgements, count=count),
            combine=partial(bradley_terry, count=count),
        )
    kind_of_mean = share_metric if measure.binary else mean_metric
    combine = mean_share if measure.limits == (0.0, 1.0) else mean
    return kind_of_mean(**about, features=as_given, combine=combine)


def as_given(target: Target, value: Numbers, centre: object) -> Moments:
    """Return the score of an item; shared: 1."""
    return one_per_case(target, value if value.dtype == np.float32 else _convert_to_float(value))


def by_task(target: Target, value: Numbers, centre: object, *, count: int) -> Moments:
    """Return the score in the row of the item's task, 0 elsewhere; shared: the tasks."""
    assert target.strata is not None
    members = target.strata == np.arange(count)[:, None]  # (T, n)
    return Moments(members[:, :, None] * _convert_to_float(value), members)


def mean_over_tasks(sums: Array, shared: Array, *, weights: Array) -> Array:
    """Return the weighted mean of the means of tasks, undefined where a task has no item."""
    return np.asarray(np.tensordot(weights, ratio(sums, shared), axes=1))


def two_numbers(target: Target, value: Numbers, centre: object) -> Moments:
    """Return numerator and denominator of an item; shared: 1."""
    return Moments(np.moveaxis(_convert_to_float(value), -1, 0), ones(target))


def ratio_of_sums(sums: Array, shared: Array) -> Array:
    """Return the ratio of the sums of both numbers."""
    return ratio(sums[0], sums[1])


def _convert_to_float(value: Numbers) -> Array:
    return value.astype(np.float64, copy=False)


def quantile_scan(score: Numbers, truth: Numbers, weights: Numbers, *, level: float) -> Array:
    """Return the weighted quantile; the mean of two where the level lies between them."""
    return weighted_quantile(_convert_to_float(score), weights, level)


def judgements(target: Target, value: Numbers, centre: object, *, count: int) -> Moments:
    """Return which configuration a column is; shared: who beat whom, half for a tie: (C², n).

    The outcome of a judgement is coded as (a * C + b) * 3 + (0, 1 or 2 for b, a tie, or a).
    """
    codes = target.y.astype(np.int64)
    pair, won = codes // 3, (codes % 3) / 2.0
    a, b = pair // count, pair % count
    wins = np.zeros((count * count, target.n))
    rows = np.arange(target.n)
    wins[a * count + b, rows] = won
    wins[b * count + a, rows] += 1.0 - won
    return Moments(_convert_to_float(value)[None], wins)


def bradley_terry(sums: Array, shared: Array, *, count: int) -> Array:
    """Return the mean chance to beat one of the others, by the strengths of Bradley and Terry.

    Strengths are fitted to who beat whom by the iteration of Zermelo and Hunter (2004). Everybody
    is given a few wins and as many losses, 1 % of the judgements of one, against a rival of average
    strength, so that strengths stay finite.
    """
    wins = shared[:, :, 0].T.reshape(-1, count, count)  # (B, winner, loser)
    total = wins.sum(axis=(1, 2))
    scale = np.where(total > 0, total, np.nan)
    games = wins + np.swapaxes(wins, 1, 2)
    prior = PRIOR * 2.0 * scale[:, None] / count
    won = wins.sum(axis=2) + prior
    strength = np.ones((len(wins), count))
    for _ in range(ROUNDS):
        together = strength[:, :, None] + strength[:, None, :]
        fresh = won / ((games / together).sum(axis=2) + 2.0 * prior / (strength + 1.0))
        fresh /= np.exp(np.log(fresh).mean(axis=1, keepdims=True))
        moved = np.nanmax(np.abs(fresh - strength) / strength, initial=0.0)
        strength = fresh
        if moved < CLOSE:
            break
    beats = strength[:, :, None] / (strength[:, :, None] + strength[:, None, :])
    chance = (beats.sum(axis=2) - 0.5) / max(1, count - 1)  # half against itself
    column = np.rint(sums[0] / scale[:, None])
    columns = np.where(np.isfinite(column), column, 0).astype(np.intp)
    value = np.take_along_axis(chance, columns, axis=1)
    return np.where(np.isfinite(scale)[:, None], value, np.nan)
