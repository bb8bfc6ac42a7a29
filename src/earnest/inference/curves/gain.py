"""The verb `gain`: what a search gained, and what it only seemed to gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from earnest.adapters.evidence import EvidenceLike, open_evidence
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.gain import GainArguments
from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.cautions import of_search
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.selection import Pooled
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance, by_severity, list_finite
from earnest.core.results.gain import Gain
from earnest.core.results.interval import Ask, DrawnLimits, Interval, NormalLimits
from earnest.core.results.specs import Side
from earnest.engine.patience import announce_scores
from earnest.inference.curves.corrected import ResampledSelection
from earnest.inference.curves.fold_gain import gain_of_folds
from earnest.inference.curves.prefixes import Order, PrefixScores, score_prefixes
from earnest.inference.remarks import evidence_remarks
from earnest.inference.resampling.winners import WinnerScores, is_guided
from earnest.metrics.families import Array, Metric
from earnest.metrics.responding import check_fits, need_order, pick_answer
from earnest.metrics.scores import settle_metric

WORK = 1 << 32  # scores of cases in a report, from which on fewer resamples are enough
LEAST = 200


def gain(
    predictions: EvidenceLike,
    *,
    metric: str | Metric | Callable[..., float] | None = None,
    order: str = "tried",
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Gain:
    """Tell what a search gained, and what it only seemed to gain.

    For every number k of configurations there are two scores: the naive one that a search stopped
    after k of them would have reported, and the corrected one to expect of its winner on new
    cases. No model is trained again.

    **What is estimated.** The corrected score of k is that of `estimate` with method 'bbc' on the
    first k configurations, on the same resamples. The gain is the mean true score of the winner of
    all configurations less that of the start: of the first configuration, or in the mean over
    orders of a configuration chosen blindly.

    **What it assumes.** What 'bbc' assumes: independent cases (or groups), and configurations
    that were fixed before any was evaluated. The best pooled score wins.

    **When it fails.** A dynamic search has used the same cases to propose its configurations;
    then the corrected score keeps some optimism, the more the longer the search. After crossed
    guidance the unseen halves judge, in the order tried.

    Parameters
    ----------
    predictions : Predictions, Scores, SearchCV, str or Path
        The out-of-sample predictions of every configuration, or their scores on the same items, in
        the order in which they were tried; or a fitted `SearchCV`, the folder of a run or a file
        that holds them. Incomplete configurations are left out. From scores of folds, as a fitted
        `GridSearchCV` has them, folds are drawn in place of cases, as by 'bbc_fold'.
    metric : str, Metric or callable, optional
        What to measure. Scores need none, and a search has its own.
    order : {'tried', 'mean'}
        Whether configurations are taken in the order of the predictions, or in every order, each
        equally likely. The mean over orders asks what so many configurations are worth, whichever
        came first.
    confidence_level : float
        The level of the interval of the gain, and of the limits of the corrected scores.
    n_resamples : int
        The number of bootstrap resamples.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Returns
    -------
    Gain
        The gain with its interval, both curves, and what to do next.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> noise = np.random.default_rng(4).random((100, 40))  # forty configurations know nothing
    >>> gain = en.gain(en.Predictions.from_arrays(y, noise), metric="roc_auc", rng=0)
    >>> gain.shown
    False
    >>> gain.to_frame().column_names
    ['configurations', 'naive', 'corrected', 'low', 'high']
    """
    workers(n_jobs)
    source = open_evidence(predictions)
    evidence = source.evidence
    if isinstance(evidence, FoldScores):
        check_arguments(GainArguments, n_resamples=n_resamples, order=order)
        scores, measured = settle_metric(evidence, source.metric_or(metric))
        return gain_of_folds(
            scores,
            measured,
            Seeds.of(source.seed_or(rng)),
            order=Order(order),
            ask=Ask.of(confidence_level, Side.TWO_SIDED),
            n_resamples=n_resamples,
        )
    if not isinstance(evidence, Predictions | Scores):
        raise EvidenceError(
            "a gain is computed from the predictions of every configuration that was tried",
            needs="earnest.Predictions, or earnest.Scores",
            got=type(evidence).__name__,
        )
    check_arguments(GainArguments, n_resamples=n_resamples, order=order)
    pi, measure = settle_metric(evidence, source.metric_or(metric))
    check_fits(pi, measure)
    need_order(measure)
    seeds = Seeds.of(source.seed_or(rng))
    selection = ResampledSelection(seeds, n_resamples=n_resamples)
    taken = Order(order)
    ask = Ask.of(confidence_level, Side.TWO_SIDED)
    return gain_of(pi, measure, selection, order=taken, ask=ask, n_jobs=n_jobs)


def gain_beside(
    estimate: Estimate,
    predictions: Predictions,
    metric: Metric,
    *,
    order: str = "tried",
    n_jobs: int | None = None,
) -> Gain:
    """Return the gain of a search, on the same resamples as its estimate.

    In the order tried its last corrected score is the estimate by 'bbc', with its interval, unless
    the table is so large that fewer resamples must do. Where the search delivers an ensemble, it is
    the gain of the best single configuration, and says so by `n_members`.
    """
    selection, members = ResampledSelection.of(estimate), len(estimate.ensemble or ())
    if members:
        pooled = Pooled()
        selection = replace(selection, selector=pooled, draws=None, metric=None, value=None)
    if type(selection.selector) is not Pooled:
        raise EvidenceError(
            "the search did not choose by the best pooled score",
            needs="selector 'pooled'",
            got=repr(selection.selector.name),
        )
    size = max(1, predictions.n_cases * predictions.n_configs * predictions.n_repeats)
    few = max(LEAST, WORK // size)
    if few < selection.n_resamples:
        selection = replace(selection, n_resamples=few)
    interval = estimate.interval
    level = 0.95 if interval is None else interval.confidence_level
    taken, ask = Order(order), Ask(level)
    gain = gain_of(predictions, metric, selection, order=taken, ask=ask, n_jobs=n_jobs)
    return replace(gain, n_members=members) if members > 1 else gain


def gain_of(
    predictions: Predictions,
    metric: Metric,
    selection: ResampledSelection,
    *,
    order: Order,
    ask: Ask,
    marks: Sequence[int] | None = None,
    n_jobs: int | None = None,
) -> Gain:
    """Return the gain from checked arguments; `marks` are the prefixes that have limits."""
    predictions = pick_answer(predictions, metric)
    pi = predictions.usable()
    if order is Order.MEAN:  # of orders in which nothing could have been guided
        pi = replace(pi, guides=None)
    with announce_scores(pi, metric, selection.n_resamples, "Gain"):
        scores = score_prefixes(
            pi, metric, selection, order=order, ask=ask, marks=marks, n_jobs=n_jobs
        )
    if np.isnan(scores.corrected[-1]) or np.isnan(scores.naive[-1]):
        raise EvidenceError(
            "the metric is undefined on every resample",
            needs="resamples with a defined value",
            got=f"{pi.n_cases} cases, {selection.n_resamples} resamples",
            cure="Look for constant predictions or a class with few cases; use another metric.",
        )
    begin = int(np.flatnonzero(~np.isnan(scores.corrected + scores.naive))[0])
    sign = metric.sign
    value = float(sign * (scores.corrected[-1] - scores.corrected[begin]))
    start = None if order is Order.MEAN else begin
    error = _find_error(pi, metric, selection.seeds, scores, start)
    several = pi.n_configs > 1
    seeming = float(sign * (scores.naive[-1] - scores.naive[begin]))
    ahead, level = sign * scores.ahead * scores.factor, ask.confidence_level
    ahead += (1.0 - scores.factor) * value
    interval = limit_gain(value, seeming, error, ahead, level) if several else None
    best = int(np.nanargmax(sign * scores.naive)) if order is Order.TRIED else None
    return Gain(
        value=value,
        interval=interval,
        standard_error=error,
        seeming=seeming,
        scale=metric.scale,
        order=str(order),
        naive=list_finite(scores.naive),
        corrected=list_finite(scores.corrected),
        marks=tuple(int(k) for k in scores.marks),
        low=list_finite(scores.low),
        high=list_finite(scores.high),
        first=pi.configs.ids[begin] if order is Order.TRIED else None,
        winner=None if best is None else pi.configs.ids[best],
        n_cases=pi.n_counted,
        n_configs=pi.n_configs,
        n_resamples=selection.n_resamples,
        confidence_level=ask.confidence_level,
        cautions=by_severity([*_yield_remarks(pi, order), *evidence_remarks(predictions, metric)]),
        provenance=Provenance(
            seed=selection.seeds.entropy,
            fingerprint=predictions.fingerprint,
            n_folds=pi.n_folds,
            n_repeats=pi.n_repeats,
            knobs={"n_resamples": selection.n_resamples, "order": str(order)},
            versions=list_versions(),
        ),
        units="items" if pi.target.task is Task.SCORES else "cases",
    )


def _find_error(
    pi: Predictions, metric: Metric, seeds: Seeds, scores: PrefixScores, start: int | None
) -> float | None:
    """Return the standard error of the gain, from the scores of cases, otherwise from its draws.

    `start` is the first configuration, None for the mean of all.
    """
    ahead = scores.ahead[~np.isnan(scores.ahead)]
    if pi.n_configs == 1 or len(ahead) < 2:
        return None
    spread = float(np.std(ahead, ddof=1))
    if not metric.has_terms:
        return spread
    scorer = WinnerScores(pi, metric, scores.resampler, lambda inbag: np.zeros(len(inbag), np.intp))
    rng = seeds.generator(Purpose.VALUE_ERROR)
    error = scorer.gain_error(scores.wins, start, rng)
    # The start is not resampled, so only the end has an error from the resamples.
    return spread if error is None else float(np.hypot(error, scores.luck))


def limit_gain(
    value: float, seeming: float, error: float | None, ahead: Array, confidence_level: float
) -> Interval:
    """Return the two-sided interval of a gain.

    The low end is normal. A correction selects on two thirds of the cases, so it finds a
    configuration that leads by a little less often than the search does: the estimated gain is too
    low, and the true gain exceeds the normal high end too often. So the high end is the larger of
    the normal one and the low end of the draws reflected about the value (the basic bootstrap), but
    at most the high end of what the search seemed to gain, which is too high.

    Parameters
    ----------
    value, seeming, error : float
        The gain, what it seemed to be, and the error of the gain; greater is better.
    ahead : ndarray, shape (B,)
        The draws of the gain.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.gain import limit_gain
    >>> draws = np.linspace(-0.25, 0.15, 101)
    >>> interval = limit_gain(0.05, 0.2, 0.05, draws, 0.95)
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.048, 0.298)
    """
    side = Side.TWO_SIDED
    drawn_low, drawn_high = DrawnLimits(ahead).limits(confidence_level, side)
    low, high = drawn_low, drawn_high
    if error is not None:
        low, high = NormalLimits(value, error).limits(confidence_level, side)
        high = max(high, min(2.0 * value - drawn_low, seeming + high - value))
    return Interval(low, high, confidence_level, str(side)).reaching(value)


def _yield_remarks(pi: Predictions, order: Order) -> Iterator[Caution]:
    if pi.configs.static or pi.n_configs == 1:
        return
    if is_guided(pi):
        yield of_search.crossed_search()
    else:
        yield of_search.dynamic_gain()
    if order is Order.MEAN:
        yield of_search.orders_of_dynamic_search()
