"""The verb `thresholds`: what to expect of a winner at every decision threshold.

In every resample a configuration is chosen in-bag, and what it calls positive is counted at every
threshold, in-bag and on the cases left out. What shares lose from one to the other, over the root
of two, is taken off those of the winner: its own curve, less what the choice adds to it. A mean of
the configurations that resamples choose would be the curve of none of them, where they differ in
scale. The counts of all resamples are pooled, so that a resample without a case of a class adds
nothing to the measures of that class and is not drawn again for them.

The bands come from the cases of the winner: exact binomial limits for as many independent cases as
a share is worth, at a level at which they hold at all thresholds at once. Normal multipliers of
what each case adds to the winner's curve give that level. They are laid around the corrected values
and around the winner's own, and cover both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, open_evidence
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.thresholds import ThresholdsArguments
from earnest.core.base import check
from earnest.core.base.arrays import as_array, finite_range
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.cautions import of_evidence, of_search
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import SELECTORS, EnsembleRule, Pooled, Selector
from earnest.core.data.subgroups import ByLike, SubgroupColumn, find_columns, list_cells
from earnest.core.data.thresholds import check_cuttable
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance, by_severity, list_finite
from earnest.core.results.interval import Ask, tail_of
from earnest.core.results.specs import Side
from earnest.core.results.thresholds import (
    BENEFITS,
    TREAT_ALL,
    DecisionGain,
    SubgroupThresholds,
    ThresholdCurve,
    ThresholdDraws,
    Thresholds,
    count_rates,
)
from earnest.core.text.doors import arg
from earnest.engine.patience import announce_scores
from earnest.inference.curves.corrected import ResampledSelection, chunks, draw_scores, enough
from earnest.inference.curves.delivered import DeliveredEnsemble
from earnest.inference.limits.crossed import JudgeShares
from earnest.inference.remarks import evidence_remarks
from earnest.inference.resampling.winners import choose_winner, is_guided
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits, cut, need_order
from earnest.metrics.scores import settle_metric

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
MOST_STEPS = 100  # of the grid that is used where none was given
MOST_GIVEN = 2_000
QUANTILES = np.arange(1, 100) / 100
STEPS = (0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
MULTIPLIERS = 1000  # normal draws that the level of a band is read from
BUNDLES = 2048  # units from which a sum of several stands for each
TINY = 1e-12
ENSEMBLE = "ensemble"  # what a winner of several configurations is called


def thresholds(
    predictions: EvidenceLike,
    *,
    metric: str | Metric | Callable[..., float] | None = None,
    thresholds: Sequence[float] | None = None,
    against: str | int | None = None,
    confidence_level: float = 0.95,
    side: Side | str = Side.TWO_SIDED,
    n_resamples: int = 1000,
    selector: str | Selector | None = None,
    by: ByLike | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Thresholds:
    """Tell what to expect from a winner at every decision threshold, corrected for the choice.

    Sensitivity, specificity, predictive values, the share of cases called positive, accuracy and
    net benefit, at every threshold, with bands that hold at all of them at once: you may read a
    threshold off the table, and the band there still holds. No model is trained again.

    **What is estimated.** The value of the winner's models, at each threshold, on new cases. In
    every resample a configuration is chosen in-bag, and its decisions are counted there and on the
    cases left out, all resamples and repeats together: what they lose, over the root of two, is
    taken off the winner's own. `choose` also chooses the threshold in-bag, which corrects for the
    optimism of that choice too.

    **What it assumes.** What 'bbc' assumes: independent cases (or groups), and configurations
    that were fixed before any was evaluated. Predictive values and net benefit are for the share of
    positives in these cases.

    **When it fails.** Decision values have no common scale: the threshold of the winner is matched
    with those of the other configurations by the share of cases above it, and there is no net
    benefit. With few cases of a class the bands are wide.

    Vickers and Elkin 2006 for the net benefit.

    Parameters
    ----------
    predictions : Predictions, SearchCV, str or Path
        Out-of-sample probabilities or decision values of a binary task; or a fitted `SearchCV`, the
        folder of a run or a file that holds them.
    metric : str, Metric or callable
        What the winner is chosen by; that of the search by default, and with it the winner.
    thresholds : sequence of float, optional
        Where a score becomes the positive label, strictly above. By default round numbers from the
        lowest to the highest score of the winner, about a hundred, and for decision values its
        percentiles. What you name is added to those.
    against : str or int, optional
        A configuration, or 'treat_all': `against` of the result is by how much the net benefit is
        larger than with that, on the same cases, with a band for all thresholds at once.
    confidence_level : float
        The level of the bands, for each measure by itself.
    side : {'two-sided', 'lower', 'upper', 'pessimistic'}
        Which ends the bands have.
    n_resamples : int
        The number of bootstrap resamples.
    selector : str or Selector, optional
        The rule that chooses in-bag and on the sample itself; 'pooled' by default.
    by : str, list of str, array or dict of arrays, optional
        What divides the cases into subgroups, as for `estimate`. The table then has `subgroups`,
        a table of each on the same grid; a measure's bands hold in all of them at once.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Returns
    -------
    Thresholds
        The table, with `at`, `choose`, `to_frame` and `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(7)
    >>> y = (rng.random(300) < 0.2).astype(int)
    >>> score = 1 / (1 + np.exp(1.5 - 1.5 * y[:, None] - rng.standard_normal((300, 20))))
    >>> thresholds = en.thresholds(en.Predictions.from_arrays(y, score), metric="roc_auc", rng=0)
    >>> chosen = thresholds.choose(sensitivity=0.9)
    >>> bool(chosen.sensitivity.naive >= 0.9 > chosen.sensitivity.value)
    True
    """
    workers(n_jobs)
    source = open_evidence(predictions, by)
    check_cuttable(source.evidence)
    check_arguments(ThresholdsArguments, n_resamples=n_resamples)
    pi, measure = settle_metric(source.evidence, source.metric_or(metric))
    check_fits(pi, measure)
    need_order(measure, pi.n_configs)
    selection = ResampledSelection(
        Seeds.of(source.seed_or(rng)),
        n_resamples=n_resamples,
        selector=_read_selector(selector),
    )
    ask = Ask.of(confidence_level, side)
    winner = source.winner_by(metric) if selector is None else None
    return thresholds_of(
        pi,
        measure,
        selection,
        ask=ask,
        thresholds=thresholds,
        final=winner,
        against=against,
        columns=() if by is None else find_columns(pi, by),
        n_jobs=n_jobs,
    )


def thresholds_beside(
    estimate: Estimate,
    predictions: Predictions,
    metric: Metric,
    *,
    given: Sequence[float] | None = None,
    columns: Sequence[SubgroupColumn] = (),
    n_jobs: int | None = None,
) -> Thresholds:
    """Return the table of thresholds, on the same resamples as an estimate.

    Of many cases the first resamples are enough. Of an ensemble, the values are those of
    cross-fitted predictions, as its score is.
    """
    check_cuttable(predictions)
    selection = ResampledSelection.of(estimate)
    few = enough(predictions.n_cases * predictions.n_repeats, selection.n_resamples)
    if few < selection.n_resamples:
        selection = replace(selection, n_resamples=few)
    interval = estimate.interval
    ask = Ask() if interval is None else Ask(interval.confidence_level, Side(interval.side))
    return thresholds_of(
        predictions,
        metric,
        selection,
        ask=ask,
        thresholds=given,
        final=estimate.winner,
        columns=columns,
        delivered=estimate if estimate.ensemble is not None else None,
        n_jobs=n_jobs,
    )


def _read_selector(selector: str | Selector | None) -> Selector:
    if selector is None:
        return Pooled()
    if isinstance(selector, EnsembleRule):
        raise InputError(
            "thresholds are of one configuration, not of an ensemble",
            needs="a selector that names one configuration: " + ", ".join(SELECTORS),
            got=selector.name,
        )
    if isinstance(selector, str) or not hasattr(selector, "by_fold"):
        return SELECTORS[str(selector)]
    return selector


def thresholds_of(
    predictions: Predictions,
    metric: Metric,
    selection: ResampledSelection,
    *,
    ask: Ask,
    thresholds: Sequence[float] | None = None,
    final: str | None = None,
    against: str | int | None = None,
    columns: Sequence[SubgroupColumn] = (),
    delivered: Estimate | None = None,
    n_jobs: int | None = None,
) -> Thresholds:
    """Return the table from checked arguments.

    `final` is the winner on all cases, if known, and `columns` divide them into subgroups.
    `delivered` is the estimate of an ensemble, which the table then is about.
    """
    refuse_case_weights(predictions.target.weights, "a table of thresholds")
    if columns:
        divided = replace(predictions.target, subgroups=tuple(columns))
        predictions = replace(predictions, target=divided)
    pi = predictions.usable()
    counts = np.bincount(pi.target.y, minlength=2)
    if not counts.all():
        raise EvidenceError(
            "a table of thresholds needs tested cases of both classes",
            got=f"none of {check.show(pi.target.classes[int(counts.argmin())])}",
            cure="Check the folds, and which predictions are missing.",
        )
    rule = None if against is None else _Rule.of(pi, against)
    every, n_configs, ensemble = pi, pi.n_configs, None
    if delivered is not None:
        ensemble = DeliveredEnsemble.of(delivered, pi, metric, n_jobs=n_jobs)
    if ensemble is not None:
        pi, selection, best = ensemble.whole, ensemble.selection, 0
        names = (ENSEMBLE if final is None else final), final
    elif final is None:
        best, _, _ = choose_winner(pi, metric, selection.selector, n_jobs=n_jobs)
    else:
        best = pi.configs.index(final)
    if ensemble is None:
        names = pi.configs.ids[best], pi.configs.ids[best]
    label = None if names[1] is None else predictions.configs.find_label(names[1])
    scores = _list_scores(pi, best)
    grid = _lay_grid(pi, scores, thresholds)
    cuts = _Cuts(pi, best, grid)
    cells = list_cells(pi.target.subgroups) if columns else []
    subsets = [pi.take(rows) for _, _, rows in cells]
    with announce_scores(every, metric, selection.n_resamples, "Thresholds"):
        if ensemble is not None:
            draws, whole_counts, counted = _count_ensemble(ensemble, grid, cells, n_jobs=n_jobs)
            winners, others = np.empty(0, dtype=np.intp), None
        else:
            draws, winners, counted, others = _count_all(
                pi, metric, selection, cuts, rule, cells, n_jobs=n_jobs
            )
            whole_counts = _Counted.of(draws)
    wide_by = 1.0  # as much wider as means of judged cases vary more than those of all
    if pi.guides is not None and is_guided(pi):
        wide_by = JudgeShares.of(pi.guides, winners).variance ** 0.5
    several = n_configs > 1
    remarks = [*(_yield_remarks(every) if several else ()), *evidence_remarks(predictions, metric)]
    tables = [whole_counts, *counted]
    shared = 1.0 - (1.0 - ask.confidence_level) / max(len(cells), 1)
    levels = [ask.confidence_level, *(shared for _ in cells)]

    def make(which: int) -> Thresholds:
        subset, level = [pi, *subsets][which], levels[which]
        positive = int(np.sum(subset.target.y == 1))
        return Thresholds(
            thresholds=tuple(float(threshold) for threshold in grid),
            curves=_limit_curves(
                subset, best, grid, tables[which], ask, level, wide_by, selection.seeds, which
            ),
            response=str(pi.kind),
            scale=metric.scale,
            winner=names[0],
            winner_label=label,
            positive=str(pi.target.classes[1]),
            usual=cut(pi),
            prevalence=positive / subset.n_cases,
            n_cases=subset.n_cases,
            n_positive=positive,
            n_configs=n_configs,
            n_resamples=selection.n_resamples,
            confidence_level=level,
            side=str(ask.resolved(True)),
            cautions=by_severity(remarks) if which == 0 else (),
            provenance=Provenance(
                seed=selection.seeds.entropy,
                fingerprint=predictions.fingerprint,
                n_folds=pi.n_folds,
                n_repeats=pi.n_repeats,
                knobs={
                    "n_resamples": selection.n_resamples,
                    "selector": selection.selector.name if ensemble is None else ensemble.rule.name,
                },
                versions=list_versions(),
            ),
            draws=draws if which == 0 else None,
            n_members=None if ensemble is None else ensemble.n_members,
        )

    subgroups = tuple(
        SubgroupThresholds(column=column, level=level, table=make(which))
        for which, (column, level, _) in enumerate(cells, start=1)
    )
    whole = make(0)
    gain = None
    if rule is not None and others is not None:
        gain = rule.compare(pi, best, grid, whole, others, (ask, wide_by), selection.seeds)
    return replace(whole, subgroups=subgroups, against=gain)


@dataclass(frozen=True, eq=False)
class _Counted:
    """What all resamples counted, in-bag (first) and on the cases left out.

    Attributes
    ----------
    totals : ndarray, shape (2, 2)
        All positives, and all negatives.
    above : ndarray, shape (2, 2, G)
        Those above each threshold.
    final : bool
        Whether the shares on the cases left out stand for themselves, as those of an ensemble do.
    """

    totals: Floats
    above: Floats
    final: bool = False

    @classmethod
    def of(cls, draws: ThresholdDraws) -> _Counted:
        """Add up what all resamples counted on all cases."""
        counts = draws.hits_in, draws.alarms_in, draws.hits_out, draws.alarms_out
        return cls.read(np.column_stack([draws.totals, *counts]))

    @classmethod
    def read(cls, counts: Counts) -> _Counted:
        """Add up columns of `count_above` under in-bag and left-out weights (B, 4 + 4 G)."""
        sums = counts.sum(axis=0).astype(np.float64)
        return cls(sums[:4].reshape(2, 2), sums[4:].reshape(2, 2, -1))

    def correct(self, winner: _UnitCounts, odds: Floats | None, guided: bool) -> dict[str, Floats]:
        """Return the measures of a winner, less what its choice adds to its shares.

        Of equal configurations a choice in-bag adds the root of two times as much as one on the
        cases themselves. Where half of the cases guided each configuration, their scores are too
        good for another reason, and the shares on the cases left out stand for themselves.
        """
        sizes = np.array([winner.positives.sum(), winner.negatives.sum()])
        if guided or self.final:
            positives, negatives = self.totals[1].tolist()
            return count_rates(self.above[1, 0], self.above[1, 1], positives, negatives, odds)
        sizes = np.where(self.totals[1] > 0.0, sizes, 0.0)  # undefined where none is left out
        shares = self.above / np.maximum(self.totals, 1.0)[:, :, None]
        naive = np.array([winner.hits.sum(axis=0), winner.alarms.sum(axis=0)])
        naive /= np.maximum(sizes, TINY)[:, None]
        fair = np.clip(naive - (shares[0] - shares[1]) / math.sqrt(2.0), 0.0, 1.0)
        falling = np.minimum.accumulate(fair, axis=1)
        rising = np.maximum.accumulate(fair[:, ::-1], axis=1)[:, ::-1]
        hits, alarms = 0.5 * (falling + rising) * sizes[:, None]
        rates = count_rates(hits, alarms, float(sizes[0]), float(sizes[1]), odds)
        own = winner.rates(odds)  # without a case that it calls so, a predictive value is a guess
        for name in ("ppv", "npv"):
            rates[name] = np.where(np.isnan(own[name]), np.nan, rates[name])
        return rates

    @classmethod
    def left_out(cls, row: Floats) -> _Counted:
        """Read totals, hits and alarms of cases left out, which stand for themselves."""
        above = row[2:].reshape(2, -1)
        return cls(np.stack([row[:2]] * 2), np.stack([above] * 2), final=True)


def _limit_curves(
    pi: Predictions,
    best: int,
    grid: Floats,
    counted: _Counted,
    ask: Ask,
    level: float,
    wide_by: float,
    seeds: Seeds,
    which: int,
) -> dict[str, ThresholdCurve]:
    """Return every measure with its bands, from what resamples counted and the winner's cases."""
    odds = grid / (1.0 - grid) if pi.kind is ResponseKind.PROBABILITY else None
    stream = (which,) if which else ()
    counts = _UnitCounts.of(pi, best, grid, seeds.generator(Purpose.MULTIPLIERS, 1, *stream))
    values = counted.correct(counts, odds, is_guided(pi))
    naive = counts.rates(odds)
    centres = (values,) if is_guided(pi) else (values, naive)
    side = ask.resolved(True)
    sure = NormalDist().inv_cdf(1.0 - tail_of(level, side))
    curves = {}
    normals = seeds.generator(Purpose.MULTIPLIERS, 2, *stream).standard_normal(
        (MULTIPLIERS, counts.n_units)
    )
    for name, value in values.items():
        every = counts.find_reach(name, odds, normals, level, side)
        wide, narrow = (
            _cover(*(counts.limit(name, each, odds, wide_by * reach, side) for each in centres))
            for reach in (max(every, sure), sure)
        )
        ends = (value, *wide, *narrow, naive[name])
        curves[name] = ThresholdCurve(*(list_finite(edge) for edge in ends))
    return curves


def _list_scores(pi: Predictions, config: int) -> Floats:
    """Return the scores of a configuration that are there, of all repeats."""
    scores = pi.responses[:, config].astype(np.float64).ravel()
    return np.asarray(scores[~np.isnan(scores)])


def _lay_grid(pi: Predictions, scores: Floats, thresholds: Sequence[float] | None) -> Floats:
    """Return rising thresholds: round ones over the winner's scores, or its percentiles.

    Where other configurations have probabilities beyond the winner's, hundredths reach over them,
    too. No outcome is looked at.
    """
    low, high = float(scores.min()), float(scores.max())
    if pi.kind is ResponseKind.PROBABILITY:
        ends = np.clip(finite_range(pi.responses), 0.0, 1.0)
        step = next((s for s in STEPS[::-1] if (high - low) / s <= MOST_STEPS), STEPS[0])
        outer = _space_evenly(float(ends[0]), float(ends[1]), STEPS[0])
        inner = _space_evenly(max(low, 0.0), min(high, 1.0), step)
        edges = _space_evenly(float(ends[0]), float(ends[1]), step)[[0, -1]]
        beyond = outer[(outer < inner[0]) | (outer > inner[-1])]
        points = np.concatenate([inner, beyond, edges])
    else:
        below = low - max(abs(low), high - low, 1.0) * 1e-3
        percentiles = np.quantile(scores, QUANTILES, method="inverted_cdf")
        points = np.array([below, low, *percentiles, high])
    listed = _check_given(pi, thresholds) + [cut(pi)] * (low <= cut(pi) <= high)
    grid = np.unique(np.append(points, listed))
    return np.asarray(grid[grid < 1.0] if pi.kind is ResponseKind.PROBABILITY else grid)


def _space_evenly(low: float, high: float, step: float) -> Floats:
    """Return multiples of a step from below the low end, where there is room, to the high end."""
    first, last = math.floor(low / step + TINY), math.ceil(high / step - TINY)
    if first > 0 and first * step >= low - TINY:
        first -= 1
    return np.asarray(np.round(np.arange(first, max(last, first) + 1) * step, 6))


def _check_given(pi: Predictions, thresholds: Sequence[float] | None) -> list[float]:
    if thresholds is None:
        return []
    array = as_array("thresholds", thresholds)
    if array.ndim > 1:
        raise InputError(
            f"{arg('thresholds')} is not a list of numbers",
            needs="numbers",
            got=f"an array of shape {array.shape}",
        )
    listed = array.ravel().tolist()
    if len(listed) > MOST_GIVEN:
        raise InputError(
            "there are too many thresholds",
            needs=f"at most {MOST_GIVEN}",
            got=str(len(listed)),
        )
    high = 1.0 if pi.kind is ResponseKind.PROBABILITY else np.inf
    numbers = [check.read_number(each) for each in listed]
    for number, each in zip(numbers, listed, strict=True):
        if not (np.isfinite(number) and (0.0 <= number < high or high > 1.0)):
            percent = high == 1.0 and 1.0 < number <= 100.0
            raise InputError(
                f"{arg('thresholds')} contains a value that is not a threshold of these scores",
                needs="numbers" + (" from 0 to less than 1" if high == 1.0 else ""),
                got=check.show(each),
                cure=f"For {number:g} percent use {number / 100:g}." if percent else "",
            )
    return numbers


@dataclass(frozen=True, eq=False)
class _Cuts:
    """The thresholds of the winner, and those of other configurations that go with them."""

    pi: Predictions
    winner: int
    grid: Floats

    def of(self, config: int) -> Floats:
        """Return the thresholds of a configuration: the same, or for decision values as high.

        As high is above the same share of its own scores; no outcome is looked at.
        """
        if config == self.winner or self.pi.kind is ResponseKind.PROBABILITY:
            return self.grid
        mine, theirs = (np.sort(_list_scores(self.pi, c)) for c in (config, self.winner))
        below = np.searchsorted(theirs, self.grid, side="right") / len(theirs)
        rank = np.ceil(below * len(mine) - TINY).astype(np.intp)
        return np.where(rank > 0, mine[np.maximum(rank, 1) - 1], -np.inf)


def _count_all(
    pi: Predictions,
    metric: Metric,
    how: ResampledSelection,
    cuts: _Cuts,
    rule: _Rule | None,
    cells: Sequence[tuple[str, str, NDArray[np.intp]]],
    *,
    n_jobs: int | None,
) -> tuple[ThresholdDraws, NDArray[np.intp], list[_Counted], _Counted | None]:
    """Return what every resample counts of its own winner above every threshold, and who won.

    Beside it what all resamples together count in each subgroup, and of a rule that the winner is
    held against.
    """
    size = len(cuts.grid)
    subsets = [(pi.take(rows), rows) for _, _, rows in cells]
    each = 4 + 4 * size  # columns of all cases, of a subgroup, and of a rule
    beside = 0 if rule is None else each

    def count(
        best: NDArray[np.intp], inbag: NDArray[np.uint8], outside: NDArray[np.uint8]
    ) -> Floats:
        out = np.zeros((len(best), each * (1 + len(subsets)) + beside))
        for config in np.unique(best[best >= 0]):
            grid = cuts.of(int(config))
            for rows in chunks(np.flatnonzero(best == config), pi.n_cases):
                above = (inbag[rows], outside[rows])
                out[rows, :each] = count_above(pi, int(config), grid, above)
                for k, (subset, cases) in enumerate(subsets, start=1):
                    some = [weights[:, cases] for weights in above]
                    counts = count_above(subset, int(config), grid, some)
                    out[rows, each * k : each * (k + 1)] = counts
                if rule is not None:
                    out[rows, -beside:] = rule.count(pi, cuts.grid, above)
        return out

    width = max(pi.n_configs, each * (1 + len(subsets)) + beside)
    table = draw_scores(pi, metric, how, count, columns=width, n_jobs=n_jobs)
    counts = table[~np.isnan(table[:, 0]), 2:].astype(np.int64)
    first, *parts = np.split(counts, range(each, counts.shape[1], each), axis=1)
    edges = [4, *(4 + k * size for k in (1, 2, 3))]
    totals, hits_in, alarms_in, hits_out, alarms_out = np.split(first, edges, axis=1)
    counted = [_Counted.read(part) for part in parts]
    others = None if rule is None else counted.pop()
    best = table[:, 1].astype(np.intp)
    return ThresholdDraws(hits_in, alarms_in, hits_out, alarms_out, totals), best, counted, others


def _count_ensemble(
    ensemble: DeliveredEnsemble,
    grid: Floats,
    cells: Sequence[tuple[str, str, NDArray[np.intp]]],
    *,
    n_jobs: int | None,
) -> tuple[ThresholdDraws, _Counted, list[_Counted]]:
    """Return what resamples count of their own ensembles, then what cross-fitted ones do.

    The first tell what a chosen threshold loses; the others, of all cases and of each subgroup,
    are what to expect.
    """
    size = len(grid)

    crossed = ensemble.crossed
    beside = cells if crossed is None else []

    def judge(blended: Predictions, inbag: Weights, outside: Weights) -> Floats:
        subsets = [(blended.take(rows), outside.values[:, rows]) for _, _, rows in beside]
        table = []
        for b in range(blended.n_configs):
            row = slice(b, b + 1)
            parts = [count_above(blended, b, grid, (inbag.values[row], outside.values[row]))]
            parts += [count_above(subset, b, grid, (left[row],)) for subset, left in subsets]
            table.append(np.concatenate(parts, axis=1))
        return np.concatenate(table)

    counts = ensemble.resample(judge, columns=4 * size * (1 + len(beside)), n_jobs=n_jobs)
    edges = [4, *(4 + k * size for k in (1, 2, 3, 4))]
    totals, hits_in, alarms_in, hits_out, alarms_out, rest = np.split(
        counts.astype(np.int64), edges, axis=1
    )
    draws = ThresholdDraws(hits_in, alarms_in, hits_out, alarms_out, totals)
    if crossed is None:
        sums = rest.sum(axis=0).astype(np.float64).reshape(len(beside), 2 + 2 * size)
        return (
            draws,
            replace(_Counted.of(draws), final=True),
            [_Counted.left_out(row) for row in sums],
        )
    subsets = [crossed, *(crossed.take(rows) for _, _, rows in cells)]
    ones = [np.ones((1, subset.n_cases), dtype=np.uint8) for subset in subsets]
    first, *counted = (
        _Counted.left_out(count_above(subset, 0, grid, (every,))[0])
        for subset, every in zip(subsets, ones, strict=True)
    )
    return draws, first, counted


def count_above(
    pi: Predictions, config: int, cuts: Floats, weights: Sequence[NDArray[np.uint8]]
) -> Floats:
    """Return the totals and the counts above each threshold under several weights (b, n).

    The columns are the positives and negatives of each of the weights, then for each of them the
    positives and the negatives above every threshold. Scores are sorted once a repeat.
    """
    width, groups = len(cuts), 2 * len(weights)
    out = np.zeros((len(weights[0]), groups * (1 + width)))
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        scores = pi.responses[used, config, repeat].astype(np.float64)
        for label, mine in enumerate((pi.target.y[used] == 1, pi.target.y[used] != 1)):
            order = np.argsort(scores[mine], kind="stable")
            rows = used[mine][order]
            edges = np.searchsorted(scores[mine][order], cuts, side="right")
            for which, values in enumerate(weights):
                sums = np.zeros((len(values), len(rows) + 1), dtype=np.int64)
                np.cumsum(values[:, rows], axis=1, dtype=np.int64, out=sums[:, 1:])
                column = 2 * which + label
                out[:, column] += sums[:, -1]
                start = groups + column * width
                out[:, start : start + width] += sums[:, -1:] - sums[:, edges]
    return out


@dataclass(frozen=True, eq=False)
class _UnitCounts:
    """What each independent unit (a case or a group) has above the thresholds of the winner.

    Attributes
    ----------
    hits, alarms : ndarray, shape (units, G)
        Positive and negative predictions above each threshold; repeats count as parts of a case.
    positives, negatives : ndarray, shape (units,)
        All of them.
    sizes : tuple of int
        Independent units that hold a positive, a negative, any case: what shares are worth at most.
    simple : bool
        Whether every case is a unit with one prediction, so that counts are binomial.
    """

    hits: Floats
    alarms: Floats
    positives: Floats
    negatives: Floats
    n_cases: int
    simple: bool

    @property
    def n_units(self) -> int:
        """The number of units, or of the bundles that stand for them."""
        return len(self.hits)

    @classmethod
    def of(
        cls, pi: Predictions, config: int, grid: Floats, rng: np.random.Generator
    ) -> _UnitCounts:
        """Count for one configuration; of many units, bundles of several stand for each."""
        groups = pi.target.groups
        units = (
            np.arange(pi.n_cases) if groups is None else np.unique(groups, return_inverse=True)[1]
        )
        count = int(units.max()) + 1
        if count > BUNDLES:
            units, count = rng.permutation(count)[units] % BUNDLES, BUNDLES
        width = len(grid)
        bins = np.zeros((2, count, width + 1))
        times = np.zeros(pi.n_cases)
        for repeat in range(pi.n_repeats):
            times += pi.tested(repeat)
        for repeat in range(pi.n_repeats):
            used = np.flatnonzero(pi.tested(repeat))
            scores = pi.responses[used, config, repeat].astype(np.float64)
            below = np.searchsorted(grid, scores, side="left")  # thresholds that lie below a score
            label = (pi.target.y[used] == 1).astype(np.intp)
            np.add.at(bins, (label, units[used], below), 1.0 / times[used])
        above = np.cumsum(bins[:, :, ::-1], axis=2)[:, :, ::-1]
        return cls(
            hits=above[1, :, 1:],
            alarms=above[0, :, 1:],
            positives=above[1, :, 0],
            negatives=above[0, :, 0],
            n_cases=pi.n_cases,
            simple=groups is None and pi.n_repeats == 1,
        )

    def rates(self, odds: Floats | None) -> dict[str, Floats]:
        """Return the naive measures of the winner."""
        return count_rates(
            self.hits.sum(axis=0),
            self.alarms.sum(axis=0),
            float(self.positives.sum()),
            float(self.negatives.sum()),
            odds,
        )

    def _ratio(self, name: str) -> tuple[Floats, Floats]:
        """Return numerators and denominators (units, G) of a share."""
        hits, alarms = self.hits, self.alarms
        pos, neg = (
            np.broadcast_to(sizes[:, None], hits.shape)
            for sizes in (self.positives, self.negatives)
        )
        ratios: dict[str, tuple[Floats, Floats]] = {
            "sensitivity": (hits, pos),
            "specificity": (neg - alarms, neg),
            "ppv": (hits, hits + alarms),
            "npv": (neg - alarms, pos + neg - hits - alarms),
            "flagged": (hits + alarms, pos + neg),
            "accuracy": (hits + neg - alarms, pos + neg),
            "hit_share": (hits, pos + neg),
            "alarm_share": (alarms, pos + neg),
        }
        return ratios[name]

    def move(self, name: str, odds: Floats | None) -> Floats:
        """Return what each unit adds to the error of a measure: (units, G), 0 where undefined."""
        if name == "balanced_accuracy":
            sensitivity, specificity = (
                self.move(measure, odds) for measure in ("sensitivity", "specificity")
            )
            return np.asarray(0.5 * (sensitivity + specificity))
        if name in BENEFITS:
            assert odds is not None
            hits, alarms = (self.move(measure, odds) for measure in ("hit_share", "alarm_share"))
            moves = np.asarray(hits - odds * alarms)
            if name == "net_benefit":
                return moves
            share = self._prevalence
            units = self.positives + self.negatives
            turns = (self.positives - share * units)[:, None] / float(units.sum())
            values = self.rates(odds)["net_benefit"]
            return np.asarray((moves - turns * values / share) / share)
        top, bottom = self._ratio(name)
        total = np.maximum(bottom.sum(axis=0), TINY)
        return np.asarray((top - top.sum(axis=0) / total * bottom) / total)

    def find_reach(
        self,
        name: str,
        odds: Floats | None,
        normals: Floats,
        confidence_level: float,
        side: Side,
    ) -> float:
        """Return how many standard errors a band reaches that holds at all thresholds at once."""
        return find_reach(self.move(name, odds), normals, confidence_level, side)

    def _trials(self, name: str, share: Floats) -> Floats:
        """Return how many independent cases a share of the corrected size is worth (G,).

        With groups or repeats that is the number of independent cases with the same variance (Rao
        and Scott 1992), and at 0 or 1 the number of units.
        """
        top, bottom = self._ratio(name)
        size = bottom.sum(axis=0)
        worth = np.ones_like(size)
        if not self.simple:
            value = np.divide(top.sum(axis=0), size, out=np.zeros_like(size), where=size > 0)
            variance = np.square(self.move(name, None)).sum(axis=0)
            inner = (value > 0) & (value < 1) & (variance > TINY**2)
            units = (bottom > 0).sum(axis=0) / np.maximum(size, TINY)
            ratio = value * (1 - value) / np.where(inner, variance, 1.0) / np.maximum(size, TINY)
            worth = np.minimum(np.where(inner, ratio, units), 1.0)
        size = np.where(np.isnan(share), 0.0, share) * self.n_cases
        return np.asarray(np.maximum(worth * size, 1.0))

    def limit(
        self,
        name: str,
        values: dict[str, Floats],
        odds: Floats | None,
        reach: float,
        side: Side,
    ) -> tuple[Floats, Floats]:
        """Return the ends of a band that reaches so many standard errors, around the values."""
        value, ends = values[name], (0.0, 1.0)
        if name == "balanced_accuracy":
            sensitivity, specificity = (
                self._limit_share(measure, values, reach)
                for measure in ("sensitivity", "specificity")
            )
            down, up = _combine_shares(
                (0.5, *sensitivity), (0.5, *specificity), np.zeros_like(value)
            )
        elif name in BENEFITS:
            assert odds is not None
            share = {
                "hit_share": values["sensitivity"] * self._prevalence,
                "alarm_share": (1.0 - values["specificity"]) * (1.0 - self._prevalence),
            }
            hit, alarm = (self._limit_share(measure, share, reach) for measure in share)
            together = self._correlate("hit_share", "alarm_share")
            down, up = _combine_shares((1.0, *hit), (-odds, *alarm), together)
            if name != "net_benefit":
                down, up = self._limit_standardized(values, odds, reach)
            ends = (-np.inf, np.inf)
        else:
            down, up = self._limit_share(name, values, reach)
        return _open_ends(value - down, value + up, side, ends)

    def _limit_standardized(
        self, values: dict[str, Floats], odds: Floats, reach: float
    ) -> tuple[Floats, Floats]:
        """Return how far sensitivity - odds (1 - p) / p (1 - specificity) reaches (MOVER).

        Sensitivity, specificity and the prevalence p err independently of one another.
        """
        share, false = self._prevalence, 1.0 - values["specificity"]
        hit_down, hit_up = self._limit_share("sensitivity", values, reach)
        true_down, true_up = self._limit_share("specificity", values, reach)
        units = self.positives + self.negatives
        moves = (self.positives - share * units) / units.sum()
        worth = share * (1.0 - share) / max(float(np.square(moves).sum()), TINY)
        trials = np.array([units.sum() if self.simple else min(worth, units.sum())])
        low, high = limit_binomial(np.array([share]), trials, NormalDist().cdf(-reach))
        price = (1.0 - share) / share
        dear, cheap = (float((1.0 - end[0]) / max(end[0], TINY)) for end in (low, high))
        factor = odds * price
        down = np.sqrt(
            hit_down**2 + (factor * true_down) ** 2 + (odds * false * (dear - price)) ** 2
        )
        up = np.sqrt(hit_up**2 + (factor * true_up) ** 2 + (odds * false * (price - cheap)) ** 2)
        return down, up

    @property
    def _prevalence(self) -> float:
        return float(self.positives.sum() / (self.positives.sum() + self.negatives.sum()))

    def _limit_share(
        self, name: str, values: dict[str, Floats], reach: float
    ) -> tuple[Floats, Floats]:
        """Return how far the exact binomial limits of a share are below and above it."""
        value = values[name]
        share = {
            "sensitivity": np.full_like(value, self._prevalence),
            "specificity": np.full_like(value, 1.0 - self._prevalence),
            "ppv": values.get("flagged"),
            "npv": 1.0 - values["flagged"] if "flagged" in values else None,
        }.get(name, np.ones_like(value))
        assert share is not None
        trials = self._trials(name, share)
        low, high = limit_binomial(value, trials, NormalDist().cdf(-reach))
        return value - low, high - value

    def _correlate(self, name: str, other: str) -> Floats:
        a, b = self.move(name, None), self.move(other, None)
        size = np.sqrt(np.square(a).sum(axis=0) * np.square(b).sum(axis=0))
        return np.where(size > TINY**2, (a * b).sum(axis=0) / np.maximum(size, TINY**2), 0.0)


def find_reach(moves: Floats, normals: Floats, confidence_level: float, side: Side) -> float:
    """Return how many standard errors of moves (units, G) a band reaches that holds everywhere."""
    spread = np.sqrt(np.square(moves).sum(axis=0))
    real = spread > TINY
    if not real.any():
        return 0.0
    away = normals @ (moves[:, real] / spread[real])  # (MULTIPLIERS, G'), each normal
    worst = np.abs(away).max(axis=1) if side is Side.TWO_SIDED else away.max(axis=1)
    return float(np.quantile(worst, confidence_level))


@dataclass(frozen=True, eq=False)
class _Disagreements:
    """The shares of cases that one rule calls positive and the other does not, and their prices.

    Four shares: of positives and of negatives, called so by the first alone and by the second
    alone. Near 0 their exact limits are far wider than any standard error, which a difference of
    net benefits inherits.

    Attributes
    ----------
    moves : ndarray, shape (4, units, G)
        What each unit adds to the error of a share.
    shares, trials, prices : ndarray, shape (4, G)
        The shares, as how many independent cases they count, and their factors.
    """

    moves: Floats
    shares: Floats
    trials: Floats
    prices: Floats

    @classmethod
    def of(cls, first: _UnitCounts, second: _UnitCounts, odds: Floats) -> _Disagreements:
        """Compare two rules on the same units."""
        hits, alarms = first.hits - second.hits, first.alarms - second.alarms
        parts = np.stack(
            [np.maximum(part, 0.0) for part in (hits, -hits, alarms, -alarms)]
        )  # (4, units, G)
        sizes = (first.positives + first.negatives)[:, None]
        total = float(sizes.sum())
        shares = parts.sum(axis=1) / total
        moves = (parts - shares[:, None] * sizes) / total
        variance = np.square(moves).sum(axis=1)
        inner = (shares > 0.0) & (shares < 1.0) & (variance > TINY**2)
        worth = np.divide(shares * (1.0 - shares), variance, out=np.zeros_like(shares), where=inner)
        most = total if first.simple else float(first.n_units)
        trials = np.where(inner, np.minimum(worth, total), most)
        trials = np.full_like(trials, total) if first.simple else np.maximum(trials, 1.0)
        one = np.ones_like(odds)
        return cls(moves, shares, trials, np.stack([one, -one, -odds, odds]))

    def limit(self, reach: float) -> tuple[Floats, Floats]:
        """Return how far the difference reaches below and above (MOVER)."""
        low, high = limit_binomial(self.shares, self.trials, NormalDist().cdf(-reach))
        down, up = self.shares - low, high - self.shares
        below = np.where(self.prices > 0.0, down, up) * self.prices
        above = np.where(self.prices > 0.0, up, down) * self.prices
        spread = np.sqrt(np.square(self.moves).sum(axis=1))  # (4, G)
        steps = self.moves / np.maximum(spread, TINY)[:, None]
        together = np.einsum("iug,jug->ijg", steps, steps)
        together[range(4), range(4)] = 1.0
        squares = (np.einsum("ig,jg,ijg->g", ends, ends, together) for ends in (below, above))
        down, up = (np.sqrt(np.maximum(square, 0.0)) for square in squares)
        return down, up


@dataclass(frozen=True, eq=False)
class _Rule:
    """The rule that a winner is held against: a configuration, or calling every case positive."""

    name: str
    column: int | None

    @classmethod
    def of(cls, pi: Predictions, name: str | int) -> _Rule:
        if pi.kind is not ResponseKind.PROBABILITY:
            raise EvidenceError(
                "decision values have no net benefit",
                needs="probabilities",
                got=f"response {pi.kind}",
                cure=f"Leave {arg('against')} out.",
            )
        if name == TREAT_ALL:
            return cls(TREAT_ALL, None)
        column = pi.configs.index(name)
        return cls(pi.configs.ids[column], column)

    def count(self, pi: Predictions, grid: Floats, weights: Sequence[NDArray[np.uint8]]) -> Floats:
        """Return what `count_above` does, of what the rule calls positive: (b, 4 + 4 G)."""
        if self.column is not None:
            return count_above(pi, self.column, grid, weights)
        totals = count_above(pi, 0, grid[:1], weights)[:, :4]
        return np.column_stack([totals, np.repeat(totals, len(grid), axis=1)])

    def spread(
        self, pi: Predictions, winner: _UnitCounts, grid: Floats, rng: np.random.Generator
    ) -> _UnitCounts:
        """Return what each unit has above its thresholds; the units are those of the winner."""
        if self.column is not None:
            return _UnitCounts.of(pi, self.column, grid, rng)
        every = np.ones(len(grid))
        return replace(
            winner,
            hits=winner.positives[:, None] * every,
            alarms=winner.negatives[:, None] * every,
        )

    def compare(
        self,
        pi: Predictions,
        best: int,
        grid: Floats,
        whole: Thresholds,
        others: _Counted,
        how: tuple[Ask, float],
        seeds: Seeds,
    ) -> DecisionGain:
        """Return the difference of net benefits with its bands, by what each unit adds to it."""
        ask, wide_by = how
        level, side = ask.confidence_level, ask.resolved(True)
        odds = grid / (1.0 - grid)
        mine = np.array(whole.curves["net_benefit"].value, dtype=np.float64)
        winner = _UnitCounts.of(pi, best, grid, seeds.generator(Purpose.MULTIPLIERS, 1))
        other = self.spread(pi, winner, grid, seeds.generator(Purpose.MULTIPLIERS, 1))
        theirs = others.correct(other, odds, is_guided(pi))["net_benefit"]
        normals = seeds.generator(Purpose.MULTIPLIERS, 2).standard_normal(
            (MULTIPLIERS, winner.n_units)
        )
        moves = winner.move("net_benefit", odds) - other.move("net_benefit", odds)
        sure = NormalDist().inv_cdf(1.0 - tail_of(level, side))
        every = max(find_reach(moves, normals, level, side), sure)
        naive = winner.rates(odds)["net_benefit"] - other.rates(odds)["net_benefit"]
        value = mine - theirs
        parts = _Disagreements.of(winner, other, odds)
        centres = (value,) if is_guided(pi) else (value, naive)
        least, most = np.min(centres, axis=0), np.max(centres, axis=0)
        wide, narrow = (
            _open_ends(least - down, most + up, side, (-np.inf, np.inf))
            for down, up in (parts.limit(wide_by * reach) for reach in (every, sure))
        )
        lines = (list_finite(line) for line in (value, *wide, *narrow, naive))
        return DecisionGain(
            config=self.name, thresholds=tuple(grid.tolist()), curve=ThresholdCurve(*lines)
        )


def limit_binomial(share: Floats, trials: Floats, tail: float) -> tuple[Floats, Floats]:
    """Return the exact binomial limits (Clopper and Pearson 1934) of shares, NaN where undefined.

    Counts need not be whole: the limits are quantiles of Beta distributions.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.thresholds import limit_binomial
    >>> low, high = limit_binomial(np.array([1.0, 0.5]), np.array([10.0, 10.0]), 0.025)
    >>> low.round(3), high.round(3)
    (array([0.692, 0.187]), array([1.   , 0.813]))
    """
    from scipy.special import betaincinv

    defined = ~np.isnan(share)
    hits = np.clip(np.where(defined, share, 0.5) * trials, 0.0, trials)
    misses = trials - hits
    some, others = np.maximum(hits, TINY), np.maximum(misses, TINY)
    low = np.where(hits > TINY, betaincinv(some, misses + 1.0, tail), 0.0)
    high = np.where(misses > TINY, betaincinv(hits + 1.0, others, 1.0 - tail), 1.0)
    return np.where(defined, low, np.nan), np.where(defined, high, np.nan)


Band = tuple[Floats, Floats]
Weighted = tuple[Floats | float, Floats, Floats]  # a factor, and the reach below and above


def _combine_shares(first: Weighted, second: Weighted, together: Floats) -> tuple[Floats, Floats]:
    """Return how far a weighted sum of two shares reaches below and above (MOVER).

    A negative factor swaps below and above. `together` is the correlation of the shares.
    """
    (f, f_down, f_up), (g, g_down, g_up) = first, second
    flip = np.asarray(g) < 0
    factor = np.abs(np.asarray(g))
    g_low, g_high = np.where(flip, g_up, g_down), np.where(flip, g_down, g_up)
    sign = np.where(flip, -1.0, 1.0)

    def reach(a: Floats, b: Floats) -> Floats:
        square = (f * a) ** 2 + (factor * b) ** 2 + 2.0 * sign * together * f * a * factor * b
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    return reach(f_down, g_low), reach(f_up, g_high)


def _cover(band: Band, *others: Band) -> Band:
    """Return the band that covers it and others, where it is defined.

    What a choice adds is an estimate, too: of models that learn from one another's cases it can be
    nothing. So a band covers that of the corrected values and that of the winner's own.
    """
    low, high = band
    for below, above in others:
        low = np.where(np.isnan(low), low, np.fmin(low, below))
        high = np.where(np.isnan(high), high, np.fmax(high, above))
    return low, high


def _open_ends(
    low: Floats, high: Floats, side: Side, ends: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return the ends, that of the measure where a side leaves one open."""
    defined = ~np.isnan(low + high)
    if side is Side.UPPER:
        low = np.where(defined, ends[0], np.nan)
    if side is Side.LOWER:
        high = np.where(defined, ends[1], np.nan)
    return np.maximum(low, ends[0]), np.minimum(high, ends[1])


def _yield_remarks(pi: Predictions) -> Iterator[Caution]:
    if pi.kind is ResponseKind.DECISION:
        yield of_evidence.decision_values()
    if is_guided(pi):
        yield of_search.crossed_search()
    elif not pi.configs.static:
        yield of_search.dynamic_threshold()
